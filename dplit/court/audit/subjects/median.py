"""The median forests in ``dplit audit``: the exact law of one split, and fits drawn many times.

Fits have a handful of records, and nothing of a median forest may be frozen between their draws: its cuts are
noise (see `FreshFit`).
"""

from functools import partial
from itertools import combinations_with_replacement, product

import numpy as np

from dplit.court.audit.subject import fits, fits_by_law, leak, subject, subjects_of, worst_of
from dplit.domain import Categorical, Domain
from dplit.forests.partition import level_shares
from dplit.median import interval_law, rank_law
from dplit.median_forest import candidates

CELLS = 4  # of each released number, where an outcome is a tuple
MEDIAN = 1.0  # epsilon_s of a split
CHOICE = 1.0  # epsilon_a
RHO = 0.5  # of a fit: what levels have of epsilon
CLASSIFIER, REGRESSOR = "MedianForestClassifier", "MedianForestRegressor"
ONE_TEST = {"n_estimators": 1, "max_depth": 1}
THREE = [[0.2, 0.9], [0.4, 0.1], [0.7, 0.6]]


def split_nodes(columns, effort):
    """(words, node, record) of splits to audit: `record` leaves `node`, its values stay.

    A large crossed node, small mirror nodes, and every node of few records that each occur twice.
    """
    yield "crossed", candidates.crossed(20_000, 160, 80, columns, (1e-65, 1e-30)), -1
    for zeros in range(1, effort.pick(4, 8, 16)):
        yield f"mirror {zeros}", candidates.mirror(zeros, zeros + 1, columns, 1e-3), -1
    places = list(product(*[(0.25, 0.75)] * columns, (0.0, 1.0)))
    for n in range(1, effort.pick(3, 4, 5)):
        for records in combinations_with_replacement(places, n):
            twice = np.repeat(np.array(records), 2, axis=0)
            for record in range(0, 2 * n, 2):
                node = candidates.Node(twice[:, :-1], twice[:, -1])
                yield f"record {record} of {twice.tolist()}", node, record


def _split(law, rate, mechanism, effort, rng, declared=MEDIAN + CHOICE, columns=2):
    """A split of `columns` columns, each median at `MEDIAN` and a unit of SSE at `rate`."""
    return worst_of(declared, (
        (candidates.removal_loss(law, node, MEDIAN, rate, mechanism, record), words)
        for words, node, record in split_nodes(columns, effort)
    ))  # fmt: skip


def first_tree(fitted):
    """Summary: root column, cell of its cut, and cell or class of every leaf of the first tree.

    Columns and targets lie in [0, 1].
    """
    trees = fitted.trees_
    root = (int(trees.feature[0]), cell(trees.threshold[0]))
    leaves = slice(0, trees.leaf_starts[1])
    if hasattr(fitted, "leaf_labels_"):
        return (*root, *fitted.leaf_labels_[leaves].tolist())
    return (*root, *map(cell, fitted.leaf_values_[leaves]))


def cut_between(low, high, fitted):
    """Summary: whether the first tree's root is cut inside an interval."""
    return bool(low < fitted.trees_.threshold[0] <= high)


def cell(number):
    """Which of `CELLS` equal parts of [0, 1] it lies in, the ends reaching beyond; -1 for NaN."""
    return -1 if np.isnan(number) else int(np.clip(number * CELLS, 0, CELLS - 1))


def _by_rank(epsilon=1.0, low=0.5, high=0.501):
    """A record just above another one: the published median, a rank, then falls between the two.

    It declares epsilon. The two laws of the cut are those of DiPriMe v1, algorithm 3.
    """
    options = {"epsilon": epsilon, "rho": RHO, "median": "rank", "accounting": "published"}

    def chances():
        share, _ = level_shares(epsilon, 1, RHO)
        near = (high - low) / (1 - low)  # a share of the interval above the first record
        return rank_law(1, share)[1] * near, rank_law(2, share)[1]

    return leak(CLASSIFIER, ([[low]], [0]), ("add", [high], 0), partial(cut_between, low, high), epsilon,
                chances, selection="uniform", **ONE_TEST, **options)  # fmt: skip


def root(columns, fitted):
    """Summary: column of the first tree's root, and how many of its sorted values lie below the cut."""
    j, cut = int(fitted.trees_.feature[0]), fitted.trees_.threshold[0]
    return j, int(np.searchsorted(np.sort(columns[j]), cut))


def _own_law(selection, epsilon=8.0):
    """Column and cut of a tree of depth 1 on three records, against the law of one joint draw."""
    data = THREE, [0.0, 0.0, 1.0]

    def law():
        level, _ = level_shares(epsilon, 1, RHO)
        node = candidates.Node(*map(np.array, data))
        probabilities = candidates.joint_law(node, level / 2, level / 2, selection)
        outcomes = product(range(2), range(len(THREE) + 1))
        return dict(zip(outcomes, probabilities.tolist(), strict=True))

    options = {"epsilon": epsilon, "rho": RHO, "selection": selection, "max_features": 2} | ONE_TEST
    summary = partial(root, tuple(zip(*THREE)))
    return fits_by_law(REGRESSOR, data, law, summary, (2000, 20_000, 100_000), **options)


def _uniform_law(epsilon=4.0):
    """The cut of a tree of depth 1 on a single column, against the law of a private median."""
    values = (0.4, 0.5, 0.6)

    def law():
        level, _ = level_shares(epsilon, 1, RHO)
        probabilities = interval_law(values, 0.0, 1.0, level).probabilities
        return {(0, i): float(p) for i, p in enumerate(probabilities)}

    options = {"epsilon": epsilon, "rho": RHO, "selection": "uniform"} | ONE_TEST
    data, draws = ([[v] for v in values], [0, 1, 1]), (1000, 10_000, 100_000)
    return fits_by_law(CLASSIFIER, data, law, partial(root, (values,)), draws, **options)


def sides(levels, fitted):
    """Summary: the leaf of the first tree that each level reaches, 0 or 1, in a tree of one test."""
    return tuple(fitted.apply([[level] for level in levels])[:, 0].tolist())


def _levels_law(selection, epsilon):
    """The levels on each side of a test, against the law of one joint draw, summed by hand."""
    levels, data = ("a", "b", "c"), ([["a"], ["a"], ["b"], ["b"]], [0.0, 0.0, 1.0, 0.5])

    def law():
        X, y = data[0], np.array(data[1])
        level, _ = level_shares(epsilon, 1, RHO)
        weights = {}
        for goes in product((0, 1), repeat=len(levels)):
            right = np.array([goes[levels.index(x)] for (x,) in X]) == 1
            parts = [part for part in (y[right], y[~right]) if len(part)]
            gain = sum(part.sum() ** 2 / len(part) for part in parts)
            odd = abs(len(y) - 2 * right.sum())
            joint = 0.0 if selection == "uniform" else level / 2
            weights[goes] = np.exp((level - joint) / 2 * -odd + joint * gain)
        law = {goes: w for goes, w in weights.items() if 0 < sum(goes) < len(levels)}
        return {goes: float(w / sum(law.values())) for goes, w in law.items()}

    options = {"epsilon": epsilon, "rho": RHO, "selection": selection} | ONE_TEST
    options |= {"domain": Domain([Categorical(levels)])}
    return fits_by_law(REGRESSOR, data, law, partial(sides, levels), (1200, 10_000, 100_000), **options)


def registered():
    """The subjects of this file."""
    published = CHOICE / 2  # targets in [-B, B]: R^2/(8 B^2) = 1/2
    joint, several = candidates.joint_law, candidates.candidates_law
    flip, proved = "permute-and-flip", 2 * MEDIAN + published
    for name, expected, law, rate, *mechanism, declared in (
        ("2 private candidates as published", "caught", several, published, MEDIAN + CHOICE),
        ("2 private candidates, permute-and-flip as published", "caught", several, published, flip,
         MEDIAN + CHOICE),
        ("2 private candidates at the proved bound", "within", several, published, proved),
        ("uniform choice of 2 candidates", "within", several, 0.0, MEDIAN),
        ("column and cut in one draw", "within", joint, CHOICE, MEDIAN + CHOICE),
        ("column and cut in one draw, permute-and-flip", "within", joint, CHOICE, flip, MEDIAN + CHOICE),
    ):  # fmt: skip
        check = partial(_split, law, rate, *mechanism or ["exponential"], declared=declared)
        yield subject(f"split, {name}", check, expected)
    yield from subjects_of({
        f"{REGRESSOR} draws its law, exponential": _own_law("exponential"),
        f"{REGRESSOR} draws its law, permute-and-flip": _own_law("permute-and-flip"),
        f"{REGRESSOR} draws its law, levels, exponential": _levels_law("exponential", 3.0),
        f"{REGRESSOR} draws its law, levels, uniform": _levels_law("uniform", 1.0),
        f"{CLASSIFIER} draws its law, uniform column": _uniform_law(),
    })  # fmt: skip
    fit = partial(fits, summary=first_tree, draws=(500, 8000, 30_000), epsilon=2.0, max_features=2, **ONE_TEST)
    classes, added = (THREE, [0, 0, 1]), ("add", [0.41, 0.59], 1)
    yield from subjects_of({
        f"{REGRESSOR}, add-remove": fit(REGRESSOR, (THREE, [0.0, 0.0, 1.0]), ("add", [0.41, 0.59], 1.0)),
        f"{CLASSIFIER}, add-remove": fit(CLASSIFIER, classes, added, selection="permute-and-flip"),
        f"{CLASSIFIER}, replace-one": fit(
            CLASSIFIER, classes, ("replace", [0.9, 0.2], 1), neighbours="replace-one"),
        f"{CLASSIFIER}, published accounting, its budget": fit(
            CLASSIFIER, classes, added, accounting="published"),
        f"{CLASSIFIER}, published median by rank": _by_rank(),
    })  # fmt: skip
