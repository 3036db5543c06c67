"""What scikit-learn's users expect of an estimator beside its checks: said once for all kinds."""

import copy
import pickle
from importlib import metadata

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import dplit
from dplit import Categorical, Continuous, Domain, PrivateForestClassifier
from dplit.forests import fitted
from tests.forests.kinds import KINDS, PLAIN, each, target

X = np.random.default_rng(0).random((40, 2))
Y = (X[:, 0] > 0.5).astype(int)
DOMAIN = Domain([Continuous(0, 1)] * 2)


def made(kind, **options):
    epsilon = {} if kind in PLAIN else {"max_depth": 2}
    return kind(domain=DOMAIN, n_estimators=2, random_state=0, **target(kind), **{**epsilon, **options})


@each
def test_what_a_fit_sets_is_not_there_before_it(kind):
    """An error of scikit-learn's type, which is an AttributeError too; all that copies still works."""
    forest = made(kind)
    for name in ("budget_", "trees_", "feature_importances_", "estimators_", "n_features_in_"):
        with pytest.raises(NotFittedError, match=f"{kind.__name__} .*not fitted yet"):
            getattr(forest, name)
        assert not hasattr(forest, name) and getattr(forest, name, None) is None
    for other in (
        forest,
        clone(forest),
        copy.copy(forest),
        copy.deepcopy(forest),
        pickle.loads(pickle.dumps(forest)),
    ):
        with pytest.raises(NotFittedError):
            check_is_fitted(other)
        check_is_fitted(other.fit(X, Y))
    for name in ("of_no_fit_", "epsilom", "_hidden_", "__nothing__"):
        with pytest.raises(AttributeError, match=name) as caught:
            getattr(forest, name)
        assert not isinstance(caught.value, NotFittedError)
    assert pickle.loads(pickle.dumps(forest)).budget_ == copy.deepcopy(forest).budget_ == forest.budget_


@pytest.mark.parametrize("kind", KINDS)
def test_the_html_view_links_to_the_page_of_the_class_where_the_book_has_an_address(kind, monkeypatch):
    package = kind.__module__.split(".")[1]
    assert made(kind)._get_doc_link() == ""
    urls = ["Source, https://example.org/code", "Documentation, https://example.org/dplit/"]
    monkeypatch.setattr(fitted.metadata, "metadata", lambda name: FakeMetadata(urls))
    page = f"https://example.org/dplit/book/api/{package}.html#dplit.{package}.{kind.__name__}"
    assert made(kind)._get_doc_link() == page and page in made(kind)._repr_html_()
    assert type("Own", (kind,), {})()._get_doc_link() == ""  # no class of somebody else's module


class FakeMetadata:
    def __init__(self, urls):
        self.urls = urls

    def get_all(self, name, default):
        return self.urls if name == "Project-URL" else default


def test_a_package_that_was_never_installed_links_to_nothing(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(fitted.metadata, "metadata", missing)
    assert PrivateForestClassifier()._get_doc_link() == ""


@pytest.mark.parametrize("family", ["boosted", "histogram"])
def test_errors_of_a_preset_name_the_preset(family):
    features = {"boosted": [Continuous(0, 1)] * 2, "histogram": [Categorical([0, 1])] * 2}[family]
    forest = PrivateForestClassifier(domain=Domain(features), classes=[0, 1], n_records=1000, random_state=0)
    assert forest.fit(np.ones((9, 2)), [0] * 9).advice_.family == family
    for use in (forest.predict, forest.predict_proba, forest.apply):
        with pytest.raises(ValueError) as caught:
            use(np.ones((9, 3)))
        assert "has 3 features, but PrivateForestClassifier is expecting 2" in str(caught.value)
    inner = type(forest.forest_).__name__
    forest.forest_.domain_ = dplit.Domain([Continuous(0, 1)])
    with pytest.raises(ValueError, match="PrivateForestClassifier don't fit") as caught:
        forest.predict(np.ones((9, 2)))
    assert inner not in str(caught.value)
