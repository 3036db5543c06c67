"""The multinomial forests in ``dplit audit``: fits drawn many times.

The published one declares what theorem 2 of the paper says of its B1, B2 and B3.
"""

import math
from functools import partial
from itertools import product

import numpy as np
from scipy.stats import binom

from dplit.court.audit.subject import AgainstLaw, Lawful, fits, fits_by_law, leak, subjects_of, unfitted
from dplit.court.audit.subjects.median import THREE, cut_between, first_tree
from dplit.domain import Categorical, Domain

KIND = "MultinomialForestClassifier"
DRAWS = (250, 8000, 30_000)
QUERIES = 100
# One tree of one level: B1 + B2 = epsilon and B3 = epsilon, here 1.
PAPER = {"accounting": "published", "feature_budget": 0.5, "value_budget": 0.5, "label_budget": 1.0,
         "epsilon": 1.0}  # fmt: skip


def is_split(fitted):
    """Summary: whether the first tree has a test."""
    return bool(fitted.trees_.n_leaves > 1)


def root_sides(fitted):
    """Summary: the side of the first tree's root that each level of its column takes, 0 or 1."""
    trees = fitted.trees_
    return tuple(trees.steps[trees.side[0] :][: int(fitted.domain_.n_levels[0])].tolist())


def most_answers(fitted):
    """Summary: whether most answers to `QUERIES` equal queries are the first class."""
    answers = fitted.predict(np.full((QUERIES, 1), 0.5))
    return bool((answers == fitted.classes_[0]).mean() > 0.5)


def _answers():
    """Of `QUERIES` labels, each drawn with odds of e^(B3/2), whether most are the class of the one record."""
    odds = math.exp(PAPER["label_budget"] / 2)
    most = binom.sf(QUERIES // 2, QUERIES, [odds / (1 + odds), 1 / (1 + odds)])
    return most.tolist()


def _levels_law(scores, depth=1, epsilon=16.0):
    """Levels on each side of a first test, against the law of one draw; `epsilon` of a level, and of labels."""
    levels, data = ("a", "b", "c"), ([["a"], ["a"], ["b"], ["c"]], [0, 0, 1, 1])

    def law():
        X, y, gains = data[0], np.array(data[1]), {}
        for goes in product((0, 1), repeat=len(levels)):
            right = np.array([goes[levels.index(x)] for (x,) in X])
            if 0 < sum(goes) < len(levels):
                cells = [[((right == s) & (y == k)).sum() for k in (0, 1)] for s in (0, 1)]
                explained = np.square(cells) / np.sum(cells, axis=1, keepdims=True)
                gains[goes] = float(explained.sum())
        least, most = min(gains.values()), max(gains.values())
        if scores == "normalised":
            gains = {goes: (gain - least) / (most - least) for goes, gain in gains.items()}
        weights = {goes: np.exp(epsilon / 4 * gain) for goes, gain in gains.items()}
        return {goes: float(w / sum(weights.values())) for goes, w in weights.items()}

    options = {"epsilon": depth * epsilon, "max_depth": depth, "n_estimators": 1, "partition_rate": None}
    options |= {"scores": scores, "domain": Domain([Categorical(levels)])}
    return fits_by_law(KIND, data, law, root_sides, (depth**2 * 1000, 10_000, 100_000), **options)


def _halves():
    """Each record is a structure or an estimation point by a coin of its own, whatever its place."""
    halves = unfitted(KIND, ([[0.5]], [0]))._halves()
    law = dict.fromkeys(product((False, True), repeat=3), 1 / 8)
    return Lawful(lambda n, rng: tuple(halves(n, rng)[0].tolist()), 3, law)


def registered():
    """The subjects of this file."""
    laws = {scores: _levels_law(scores) for scores in ("counts", "normalised")}
    laws["counts, two levels of tests"] = _levels_law("counts", 2, 2.0)
    laws["halves of the records"] = AgainstLaw(_halves, (1000, 10_000, 100_000))
    yield from subjects_of(laws, f"{KIND} draws its law, {{}}")
    one_test, replaced = {"n_estimators": 1, "max_depth": 1}, {"neighbours": "replace-one"}
    fit = partial(fits, KIND, (THREE, [0, 0, 1]), summary=first_tree, draws=DRAWS, epsilon=2.0, **one_test)
    added, swapped = ("add", [0.41, 0.59], 1), ("replace", [0.9, 0.2], 1)
    published = partial(leak, KIND, declared=1.0, **PAPER, **one_test)
    whole = {"partition_rate": None, "min_samples_leaf": 1} | replaced
    # 11 records leave 5 estimation points, no more than a leaf must have, and 12 leave 6;
    # the middle between two records is the only candidate, 0.5 or 0.4
    eleven = [[i / 12] for i in range(1, 12)], [i % 2 for i in range(11)]
    yield from subjects_of({
        "add-remove": fit(added),
        "normalised scores, add-remove": fit(added, scores="normalised"),
        "replace-one": fit(swapped, **replaced),
        "published stopping": published(eleven, ("add", [0.5], 1), is_split, chances=lambda: (0.0, 1.0)),
        "published candidates": published(
            ([[0.8], [0.2]], [1, 0]), ("replace", [0.6], 1), partial(cut_between, 0.45, 0.55),
            chances=lambda: (1.0, 0.0), **whole),
        "published label for every query": published(
            ([[0.5]], [0]), ("replace", [0.5], 1), most_answers, chances=_answers, draw_label="query",
            **whole),
    }, f"{KIND}, {{}}")  # fmt: skip
