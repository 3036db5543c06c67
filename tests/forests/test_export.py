"""Trees in words: every record follows exactly one line of conditions, to the leaf it reaches."""

from __future__ import annotations

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
