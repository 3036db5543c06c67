"""Votes paid for query by query, and cells by themselves: their laws, their budgets, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, laplace

from dplit import Categorical, Continuous, Domain, datasets
from dplit.baselines import JPWClassifier
from dplit.budget import EqualParts, Spend
from dplit.court import experiments
from dplit.court.experiments import cells, curves, task
from dplit.court.experiments.methods import m_rf_rivals
from dplit.court.experiments.methods.m_rf import Levels
from dplit.court.experiments.methods.m_rf_rivals import NoisyHistogram, QueryAggregate
from dplit.court.experiments.task import Setting
from dplit.matrix import data_matrix, decision_paths, query_matrix

DOMAIN = Domain([Categorical(list("abc")), Categorical([0, 1])], names=["u", "v"])
SCHEMA = {"domain": DOMAIN, "classes": ["no", "yes"], "random_state": 0}
X = pd.DataFrame({"u": list("aabbbccc") * 5, "v": [0, 1, 0, 1, 1, 0, 1, 0] * 5})
Y = ["no" if u == "a" else "yes" for u in X.u]
EVERY = pd.DataFrame({"u": list("aabbcc"), "v": [0, 1] * 3})


def aggregate(**options):
    return QueryAggregate(**SCHEMA | {"max_depth": 2, "queries": EVERY, **options}).fit(X, Y)


def test_weighted_votes_are_the_matrix_product(monkeypatch):
    """Without partition, V = Q T' T D of M-RF's section 3: here with one tree, which has all records."""
    seen = {}

    def release(self, votes, epsilon, rng):
        seen["votes"] = votes
        return votes, Spend("votes", epsilon)

    monkeypatch.setattr(QueryAggregate, "_release", release)
    fitted = aggregate(n_estimators=1, max_depth=1)
    paths = decision_paths(fitted.trees_, DOMAIN.n_levels).matrix().astype(int)
    codes = DOMAIN.encode(X).astype(int)
    table = data_matrix(codes, np.array(Y) == "yes", DOMAIN.n_levels, 2)
    asked = query_matrix(DOMAIN.encode(EVERY).astype(int), DOMAIN.n_levels)
    np.testing.assert_array_equal(seen["votes"], asked @ paths.T @ paths @ table)


@pytest.mark.parametrize(("voting", "moved"), [("weighted", 1), ("hard", 2)])
def test_the_noise_grows_with_the_number_of_queries(monkeypatch, voting, moved):
    """Scale b/eps for counts, 2b/eps for classes; Kolmogorov-Smirnov, false alarm 1e-9."""
    monkeypatch.setattr(m_rf_rivals, "leaf_stats",
                        lambda forest, *rest: np.zeros((forest.n_leaves, 2), dtype=np.int64))  # fmt: skip
    monkeypatch.setattr(m_rf_rivals, "largest", lambda counts, rng: np.zeros(len(counts), dtype=int))
    released = []
    plain = QueryAggregate._release

    def release(self, votes, epsilon, rng):
        found = plain(self, votes, epsilon, rng)
        released.append((found[0] - votes).ravel())
        return found

    monkeypatch.setattr(QueryAggregate, "_release", release)
    asked = pd.concat([EVERY] * 50)
    for seed in range(10):
        aggregate(voting=voting, epsilon=0.5, accounting="published", random_state=seed, queries=asked)
    noise, scale = np.concatenate(released), moved * 300 / 0.5
    assert kstest(noise, laplace(scale=scale).cdf).pvalue > 1e-9
    assert kstest(noise, laplace(scale=0.8 * scale).cdf).pvalue < 1e-9


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 3.3])
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("kind", [aggregate, lambda **o: NoisyHistogram(**SCHEMA, **o).fit(X, Y)])
def test_proved_spends_epsilon(kind, neighbours, epsilon):
    budget = kind(epsilon=epsilon, neighbours=neighbours).budget_
    assert epsilon * (1 - 1e-12) < budget.epsilon <= epsilon and budget.neighbours == neighbours


def test_equal_parts_cost_more():
    parts = aggregate(accounting="published").budget_
    assert any(isinstance(p, EqualParts) for p in parts.root.parts) and parts.epsilon > 1.2


def test_little_noise_gives_the_classes():
    truth = ["no", "no", "yes", "yes", "yes", "yes"]
    for fitted in (
        aggregate(epsilon=1e6, n_estimators=2), aggregate(epsilon=1e6, n_estimators=2, voting="hard"),
        NoisyHistogram(1e6, **SCHEMA).fit(X, Y), NoisyHistogram(1e6, constant=0.01, **SCHEMA).fit(X, Y),
    ):  # fmt: skip
        assert fitted.predict(EVERY).tolist() == truth
    many = NoisyHistogram(1e6, constant=100.0, **SCHEMA).fit(X, Y)
    assert many.predict(EVERY).tolist() == ["yes"] * 6, "the vote of all cells"


def test_what_is_refused():
    with pytest.raises(ValueError, match="queries must be given"):
        QueryAggregate(**SCHEMA).fit(X, Y)
    with pytest.raises(ValueError, match="voting must be one of"):
        aggregate(voting="soft")
    asked = QueryAggregate(queries=EVERY[:2], **SCHEMA).fit(X, Y)
    with pytest.raises(ValueError, match="records of queries alone"):
        asked.predict(EVERY)
    wide = Domain([Categorical(list(range(300)))] * 3)
    with pytest.raises(ValueError, match="27,000,000 cells"):
        NoisyHistogram(domain=wide, classes=[0, 1]).fit([[0, 0, 0]], [0])
    numbers = Domain([Continuous(0, 1)])
    with pytest.raises(ValueError, match="no continuous column"):
        NoisyHistogram(domain=numbers, classes=[0, 1]).fit([[0.5]], [0])


def test_hard_votes_of_noisy_trees():
    """Tree by tree: each votes for its largest released count, in equal parts where both are the largest."""
    forest = JPWClassifier(1.0, max_depth=2, n_estimators=9, voting="hard", **SCHEMA).fit(X, Y)
    leaves = forest.apply(EVERY) + forest.trees_.leaf_starts[:-1]
    gaps = np.sign(forest.leaf_counts_[leaves] @ [-1, 1])  # record, tree
    assert (gaps == 0).any()
    shares = np.stack([((1 + side * gaps) / 2).mean(axis=1) for side in (-1, 1)], axis=1)
    np.testing.assert_allclose(forest.predict_proba(EVERY), shares)
    assert forest.predict(EVERY).tolist() == forest.classes_[shares.argmax(axis=1)].tolist()
    with pytest.raises(ValueError, match="voting must be one of"):
        JPWClassifier(voting="soft", **SCHEMA).fit(X, Y)


def test_levels_are_equally_wide_bins():
    """Balance has whole numbers from 1 to 5, which five bins tell apart."""
    data, seen = datasets.load("balance"), {}

    class Kept:
        def fit(self, X, y):
            seen["X"] = X

    def build(setting):
        seen["setting"] = setting
        return Kept()

    setting = Setting(data.domain, data.classes, None, "proved", 0, queries=data.X[:7])
    Levels(build, setting, bins=5).fit(data.X, data.y)
    np.testing.assert_array_equal(seen["X"].to_numpy(), data.X.to_numpy() - 1)
    assert seen["setting"].domain.n_levels.tolist() == [5] * 4
    np.testing.assert_array_equal(seen["setting"].queries, seen["X"][:7])


def test_queries_from_the_training_records():
    """All records to train on, distinct ones of them as queries, others in each repetition."""
    data = datasets.load("car")
    one, two = (task._from_training(data, 100, cells.split_rng(0, "car", r)) for r in (0, 1))
    assert len(one.X_train) == 1728 and len({*one.X_test.index}) == 100
    assert (one.y_test == data.y[one.X_test.index]).all()
    assert one.X_test.index.tolist() != two.X_test.index.tolist()
    figure = experiments.get("m-rf/figure-3b")
    result, (held,) = (
        experiments.Result("m-rf/figure-3b"),
        [c for c in figure.cells if "n_queries" not in c.params],
    )
    (drawn, *_) = (c for c in figure.cells if "n_queries" in c.params)
    scores = np.arange(20.0)
    assert len(curves.repetitions(drawn, scores)) == 20, "each draw of queries is one"
    assert len(curves.repetitions(held, scores)) == 4, "a cut into five is one"
    assert curves.of_cells(result, drawn.key)["least"] > curves.of_cells(result, held.key)["least"]


def test_a_task_gets_the_test_part_as_queries(monkeypatch):
    seen = {}

    def build(setting, **params):
        seen["queries"] = setting.queries
        raise StopIteration

    monkeypatch.setitem(task.METHODS, "S&A", build)
    cell = experiments.get("m-rf/figure-3b").cell("car/S&A/published/voting=hard,n_queries=50")
    with pytest.raises(StopIteration):
        task.run_task("m-rf/figure-3b", cell, 0)
    assert len(seen["queries"]) == 50
