"""RDF's variants: one leaf by hand, and the same votes as the forest that is stored.

Statistical checks are seeded; each has a false-alarm rate of at most 1e-9.
"""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone

from dplit import Categorical, Continuous, Domain
from dplit.court.experiments.methods.rdf import GlobalExponential, ReachedForest, Unanimous
from dplit.forests import RandomDecisionForestClassifier

DOMAIN = Domain([Continuous(0, 1), Categorical(["u", "v"])], names=["x", "c"])


def frame(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    X = pd.DataFrame({"x": x, "c": pd.Categorical(rng.choice(["u", "v"], n), ["u", "v"])})
    return X, pd.Series(np.where(x + rng.normal(0, 0.2, n) > 0.5, "b", "a"))


def forest(depth=0, **options):
    options = {"epsilon": 0.3, "n_estimators": 1, "random_state": 0, **options}
    return ReachedForest(domain=DOMAIN, classes=["a", "b"], max_depth=depth, **options)


def counted(a, b):
    """Records of which `a` are of class a, `b` of class b."""
    X, _ = frame(a + b)
    return X, pd.Series(["a"] * a + ["b"] * b)


def test_one_leaf_by_hand():
    """Counts 7 and 3: the shares are those of the three mechanisms, in closed form."""
    X, y = counted(7, 3)
    pf = forest().fit(X, y)
    assert pf.nonempty()[0].tolist() == [[7, 3]] and pf.empty() == 0
    assert pf.flipped() == pytest.approx(math.exp(-0.3 * 4) / 2)
    smooth = forest(label="smooth-exponential").fit(X, y)
    weight = math.exp(0.15 * math.exp(0.3 * 4))
    assert smooth.flipped() == pytest.approx(1 / (1 + weight))
    assert smooth.sensitivity() == pytest.approx(math.exp(-0.3 * 4))
    overall = forest(label="global-exponential").fit(X, y)
    assert overall.flipped() == pytest.approx(1 / (1 + math.exp(0.15)))


def test_all_data_at_a_share_of_epsilon():
    X, y = counted(7, 3)
    every = forest(partitioned=False, n_estimators=5).fit(X, y)
    assert every.nonempty()[0].tolist() == [[7, 3]] * 5
    assert every.flipped() == pytest.approx(math.exp(-0.06 * 4) / 2)
    assert every.sensitivity() == pytest.approx(math.exp(-0.06 * 4))
    assert every.budget_.epsilon == pytest.approx(0.3) and every.budget_.neighbours == "add-remove"


def test_disjoint_parts_hold_every_record_once():
    X, y = counted(60, 40)
    parts = forest(n_estimators=7, depth=3).fit(X, y)
    assert parts.nonempty()[0].sum(axis=0).tolist() == [60, 40]
    assert parts.budget_.epsilon == 0.3
    equal = forest(n_estimators=7, accounting="published").fit(X, y)
    assert {c.sum() for c in equal.nonempty()[0]} <= {14, 15}


def test_a_clone_has_the_same_parameters():
    one = forest(3, partitioned=False, label="unanimous", accounting="published", n_estimators=4)
    assert clone(one).get_params() == one.get_params()
    assert {"epsilon", "partitioned", "label", "max_depth"} <= {*one.get_params()}


def test_only_a_label_with_a_proof_has_a_budget():
    X, y = counted(7, 3)
    assert forest(label="smooth-exponential").fit(X, y).budget_.epsilon == math.inf
    with pytest.raises(ValueError, match="label must be one of"):
        forest(label="laplace").fit(X, y)


def test_ties_share_the_score_of_the_global_mechanism():
    law = GlobalExponential(2.0).pmf(np.array([[3, 3, 1], [0, 0, 0]]))
    assert law[0] == pytest.approx(np.array([math.e, math.e, 1]) / (2 * math.e + 1))
    assert law[1] == pytest.approx([1 / 3] * 3)


def test_the_unanimous_label_is_drawn_from_its_law():
    """20,000 draws of each of three leaves: chi-square, false alarm 1e-9 each."""
    label, leaves = Unanimous(0.8), np.array([[3, 0, 0], [1, 4, 1], [2, 2, 0]])
    drawn = label.sample(np.repeat(leaves, 20_000, axis=0), rng=np.random.default_rng(5))
    for law, labels in zip(label.pmf(leaves), drawn.reshape(3, -1)):
        assert stats.chisquare(np.bincount(labels, minlength=3), 20_000 * law).pvalue > 1e-9
    assert forest(label="unanimous").fit(*counted(7, 3)).budget_.epsilon == 0.3


@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_votes_have_the_law_of_the_stored_forest(accounting):
    """Votes of five trees for one query over 600 seeds: chi-square of two samples."""
    X, y = frame(40)
    X = np.column_stack([X["x"], X["c"].cat.codes])  # a fit of so few records reads a frame for most of its time
    domain, codes = Domain([Continuous(0, 1), Categorical([0, 1])]), (y == "b").to_numpy(int)
    votes = []
    for kind in (RandomDecisionForestClassifier, ReachedForest):
        options = {"domain": domain, "classes": [0, 1], "max_depth": 3, "n_estimators": 5}
        model = kind(epsilon=0.5, accounting=accounting, **options)
        found = [
            model.set_params(random_state=seed).fit(X, codes).predict_proba(X[3:4])[0, 0] for seed in range(600)
        ]
        votes.append(np.bincount(np.round(5 * np.array(found)).astype(int), minlength=6))
    seen = np.array(votes)[:, np.sum(votes, axis=0) > 0]
    assert stats.chi2_contingency(seen).pvalue > 1e-9


def test_queries_get_the_same_answer_twice():
    X, y = frame(200)
    f = forest(depth=4, n_estimators=20).fit(X, y)
    assert (f.predict_proba(X) == f.predict_proba(X)).all()
    assert f.predict(X).tolist() == f.classes_[f.predict_proba(X).argmax(axis=1)].tolist()
    assert np.allclose(f.predict_proba(X).sum(axis=1), 1)


def test_more_epsilon_is_more_accurate():
    X, y = frame(2000)
    scores = [np.mean(forest(4, n_estimators=10, epsilon=e).fit(X, y).predict(X) == y) for e in (1e-3, 10)]
    assert scores[1] > 0.8 > scores[0]
