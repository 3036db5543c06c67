"""Parameters of every estimator: fields that scikit-learn reads, sets and clones."""

import inspect
import pickle

import pytest
from sklearn.base import clone

from dplit import Continuous, Domain
from dplit.court.experiments.methods.rdf import ReachedForest
from tests.forests.kinds import PLAIN, PRIVATE, TABLE, target

each = pytest.mark.parametrize("kind", [*PRIVATE, ReachedForest], ids=lambda kind: kind.__name__)
SHARED = {"epsilon", "domain", "neighbours", "n_estimators", "max_depth", "accounting", "random_state", "n_jobs"}


def other(name, default):
    """A value that is not the default; parameters are checked by ``fit`` alone."""
    return Domain([Continuous(0, 1)]) if name == "domain" else ("not", default)


@each
def test_a_clone_has_every_parameter(kind):
    changed = {n: other(n, p.default) for n, p in inspect.signature(kind).parameters.items()}
    forest = kind(**{**changed, "epsilon": 7})
    params = forest.get_params()
    assert params == {**changed, "epsilon": 7} and params["domain"] is changed["domain"]
    for copy in (clone(forest), kind().set_params(**params)):
        assert copy is not forest and copy.get_params() == params
    assert pickle.loads(pickle.dumps(forest)).get_params()["epsilon"] == 7


@each
def test_the_signature_is_epsilon_and_then_names(kind):
    first, *others = inspect.signature(kind).parameters.values()
    assert (first.name, first.default) == ("epsilon", 1.0)
    assert first.kind is first.POSITIONAL_OR_KEYWORD
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in others)
    assert {first.name, *(p.name for p in others)} >= SHARED | {*target(kind)}
    assert kind(3.0).epsilon == 3.0 and set(vars(kind())) == set(kind().get_params())


@each
def test_two_estimators_are_never_equal_and_print_what_was_changed(kind):
    assert kind() != kind() and len({kind(), kind()}) == 2
    assert repr(kind(2.5)) == f"{kind.__name__}(epsilon=2.5)"


REACHED = dict(n_estimators=100, max_depth=None, partitioned=True)  # of a variant that no room exports


@each
def test_a_field_of_a_base_does_not_hide_an_estimators_default(kind):
    """Of a field that two bases have, the dataclass takes the one of the first base."""
    params = kind().get_params()
    expected = REACHED if kind is ReachedForest else TABLE[kind.__name__].defaults
    assert {name: params[name] for name in expected} == expected
    assert params["neighbours"] == "add-remove" and params["accounting"] == "proved"


@pytest.mark.parametrize("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_a_forest_without_privacy_takes_no_epsilon(kind):
    """Nor neighbours, nor an accounting; all its parameters have names and reach a clone."""
    params = inspect.signature(kind).parameters
    assert not {"epsilon", "neighbours", "accounting"} & set(params)
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in params.values())
    changed = {n: other(n, p.default) for n, p in params.items()}
    assert clone(kind(**changed)).get_params() == changed
    assert kind() != kind() and repr(kind()) == f"{kind.__name__}()  # not private"


def test_four_forests_have_no_privacy():
    assert {kind.__name__ for kind in PLAIN} == {
        "BernoulliForestClassifier", "ComparisonForestClassifier",
        "CompletelyRandomForestClassifier", "DenilForestClassifier",
    }  # fmt: skip
