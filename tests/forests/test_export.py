"""Trees in words: every record follows exactly one line of conditions, to the leaf it reaches."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from dplit import Categorical, Continuous, Domain, baselines, forests
from dplit.forests.export import export_text
from tests.forests.kinds import KINDS, PLAIN, each, regresses, target

DOMAIN = Domain({"u": Continuous(0, 1), "v": Categorical(list("abc"), missing=True), "w": Categorical([1, 2])})
rng = np.random.default_rng(5)
X = [[u, v, w] for u, v, w in zip(rng.random(80), rng.choice([*"abc", None], 80), [1, 2] * 40)]
MORE = r"(?:, | or )"


def fitted(kind):
    epsilon = {} if kind in PLAIN else {"epsilon": 8.0, "max_depth": 3}
    schema = {"domain": DOMAIN, **target(kind, ("no", "yes"))}
    forest = kind(**schema, n_estimators=2, random_state=1, **epsilon)
    y = [row[0] for row in X]
    return forest.fit(X, y if regresses(kind) else np.where(np.array(y) > 0.5, "yes", "no"))


def meets(condition, row):
    """Whether a record meets a condition, read off the words."""
    name, how, value = re.match(r"(\w+) (<=|>|is) (.*)", condition).groups()
    given = row[DOMAIN.names.index(name)]
    if how != "is":
        return (given <= float(value)) == (how == "<=")
    if " to " in value:  # a bin, closed at its lower end
        low, high = map(float, value.split(" to "))
        return low <= given < high
    return ("missing" if given is None else repr(given)) in re.split(MORE, value)


@each
def test_the_words_lead_where_the_record_goes(kind):
    forest = fitted(kind)
    if kind in (baselines.ComparisonForestClassifier, forests.HistogramForestClassifier):
        with pytest.raises(ValueError, match="nodes that test one column, got a "):
            export_text(forest)
        return
    text = export_text(forest, 1, decimals=17, max_depth=50)
    if not hasattr(forest, "leaf_labels_"):
        pytest.skip("its leaves hold no classes")
    reached = forest.apply(X)[:, 1] + forest.trees_.leaf_starts[1]
    for row, vote in zip(X, forest.classes_[forest.leaf_labels_[reached]].tolist()):
        open_to = 0
        for line in text.splitlines():
            depth, words = line.index("|-- ") // 4, line[line.index("|-- ") + 4 :]
            if depth > open_to:
                continue
            if re.match(r"\w+ (<=|>|is) ", words):
                open_to = depth + 1 if meets(words, row) else min(open_to, depth)
            elif depth == open_to:
                assert words == repr(vote)
                break
        else:
            raise AssertionError("no line for a record")


def test_a_tree_of_levels_and_means():
    text = export_text(fitted(forests.MedianForestRegressor), decimals=2)
    assert re.search(r"\|-- u <= 0\.\d\d\n", text) or " is " in text
    assert re.search(r"\|-- [01]\.\d\d$", text)


def test_many_levels_are_summed_up():
    domain = Domain([Categorical(range(9))])
    forest = forests.RandomDecisionForestClassifier(
        domain=domain, classes=[0, 1], n_estimators=1, max_depth=1, random_state=0
    )
    lines = export_text(forest.fit([[0]], [0])).splitlines()
    assert len(lines) == 18 and lines[2] == "|-- column 0 is 1"
    forest = forests.MedianForestRegressor(
        domain=domain, target_bounds=(0, 1), n_estimators=1, max_depth=1, random_state=0
    )
    text = export_text(forest.fit([[i] for i in range(9)], np.linspace(0, 1, 9)))
    assert len(text.splitlines()) == 4 and re.search(r"is \d, \d, \d or one of \d more", text)


def test_what_is_deeper_is_cut_off():
    text = export_text(fitted(forests.RandomDecisionForestClassifier), max_depth=1)
    assert "|   |-- ..." in text and "|   |   " not in text


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="tree must be below 2, the number of trees, got 2"):
        export_text(fitted(forests.RandomDecisionForestClassifier), 2)
    with pytest.raises(NotFittedError):
        export_text(forests.RandomDecisionForestClassifier())


@pytest.mark.parametrize("name", ["MatrixForestClassifier", "DPRandomForestClassifier"])
def test_bins_are_those_of_the_fit_and_not_of_a_parameter_that_changed(name):
    forest = fitted(next(kind for kind in KINDS if kind.__name__ == name))
    before = [export_text(forest, t) for t in range(2)]
    assert " to " in "".join(before)
    for bins in (9, []):  # as a file may say it, too
        assert [export_text(forest.set_params(bins=bins), t) for t in range(2)] == before


def test_a_boosted_model_of_many_leaves_is_told_shortly():
    """Sixty-four leaves a round were two thousand lines: a line a round, and each round whole if asked for."""
    x = np.random.default_rng(0).random((4000, 2))
    options = {"domain": Domain([Continuous(0, 1)] * 2), "target_bounds": (0, 1), "random_state": 0}
    forest = forests.BoostedForestRegressor(20.0, **options, n_records=4000).fit(x, x[:, 0])
    assert forest.trees_.n_leaves / forest.trees_.n_trees >= 16
    lines = forest.export_text().splitlines()
    assert len(lines) <= 41 + forest.trees_.n_trees
    ends = [
        forest.leaf_values_[slice(*forest.trees_.leaf_starts[t : t + 2])] for t in range(forest.trees_.n_trees)
    ]
    said = [re.fullmatch(r"round \d+: (\d+) leaves by .* add (\S+) to (\S+)", line).groups() for line in lines[1:]]
    assert said == [(str(len(e)), f"{e.min():.3f}", f"{e.max():.3f}") for e in ends]
    assert forest.export_text(1, decimals=2) == export_text(forest, 1, decimals=2)


def test_a_histogram_is_told_by_its_largest_cells():
    domain = Domain({"u": Continuous(0, 1), "v": Categorical(list("abcdefgh"))})
    X = [[0.9, "c"]] * 30 + [[0.1, "b"]] * 20
    forest = forests.HistogramForestClassifier(float("inf"), domain=domain, classes=["n", "y"], random_state=0)
    lines = forest.fit(X, ["y"] * 30 + ["n"] * 20).export_text().splitlines()
    assert lines[:2] == ["|-- u is 0.800 to 1.000, v is 'c'", "|   |-- 'y', of 0 : 30"]
    assert lines[2:4] == ["|-- u is 0.000 to 0.200, v is 'b'", "|   |-- 'n', of 20 : 0"]
    assert len(lines) == 41 and lines[-1] == "|-- and 20 cells more"


@each
def test_each_tree_is_a_forest_of_its_own_and_says_what_it_said_among_all(kind):
    forest = fitted(kind)
    if kind in (baselines.ComparisonForestClassifier, forests.HistogramForestClassifier):
        assert not hasattr(forest, "estimators_")
        return
    alone = forest.estimators_
    assert len(alone) == forest.trees_.n_trees
    leaves = np.column_stack([one.apply(X)[:, 0] for one in alone])
    np.testing.assert_array_equal(leaves, forest.apply(X))
    assert [export_text(one) for one in alone] == [export_text(forest, t) for t in range(len(alone))]
    assert all(one.budget_ == forest.budget_ for one in alone)
    if regresses(kind) and not hasattr(forest, "initial_"):
        found = np.mean([one.predict(X) for one in alone], axis=0)
        np.testing.assert_allclose(found, forest.predict(X), rtol=1e-9)
    elif hasattr(forest, "initial_"):
        steps = sum(one.leaf_values_[one.apply(X)[:, 0]] for one in alone)
        score = forest.predict if regresses(kind) else forest.decision_function
        lowest, highest = (0, 1) if regresses(kind) else (-np.inf, np.inf)
        np.testing.assert_allclose(np.clip(forest.initial_ + steps, lowest, highest), score(X), rtol=1e-9)
    again = pickle.loads(pickle.dumps(alone[-1]))  # which compares its arrays anew
    np.testing.assert_array_equal(again.predict(X), alone[-1].predict(X))
