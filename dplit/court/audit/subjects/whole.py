"""Whole fits in ``dplit audit``: neighbouring records on which a careless change shows.

Many copies of a record, for which so many times epsilon is declared, so that no threshold in the counts can hide;
two trees looked at together.
"""

from functools import partial

from dplit.court.audit.subject import fits, subjects_of
from dplit.court.audit.subjects.median import cell

RDF, MEDIAN, EXTRA = "RandomDecisionForestClassifier", "MedianForestClassifier", "DPExtraTreesClassifier"
COPIES = 200


def first_labels(fitted):
    """Summary: what the first leaf of each tree released, as class or cell; counts as their largest."""
    leaves = fitted.trees_.leaf_starts[:-1]
    if hasattr(fitted, "leaf_labels_"):
        return tuple(fitted.leaf_labels_[leaves].tolist())
    if hasattr(fitted, "leaf_counts_"):
        return tuple(fitted.leaf_counts_[leaves].argmax(axis=1).tolist())
    return tuple(map(cell, fitted.leaf_values_[leaves]))


def votes(fitted):
    """Summary: in how many trees the first leaf released the last class."""
    return sum(first_labels(fitted))


def same_cuts(fitted):
    """Summary: whether the roots of the first two trees have one cut, and what their leaves released."""
    trees = fitted.trees_
    first, second = trees.threshold[trees.roots[:2]]
    return bool(first == second), *first_labels(fitted)


def far_leaf(record, other, fitted):
    """Summary: the class of the first tree's leaf of `record`, and whether `other` lies in another one."""
    first, second = fitted.apply([record, other])[:, 0]
    return int(fitted.leaf_labels_[first]), bool(first != second)


def registered():
    """The subjects of this file."""
    one, new, flat = ([[0.5]], [0]), ("add", [0.5], 1), {"max_depth": 0}
    empty = {"data": ([[0.1]] * 2, [0, 0]), "change": ("add", [0.9], 1), "draws": (600, 5000, 20_000),
             "summary": partial(far_leaf, [0.9], [0.1]), "epsilon": 1.0, "n_estimators": 1,
             "max_depth": 1}  # fmt: skip
    pair = ([[0.5]] * 2, [0, 0]), ("replace", [0.5], 1)
    many, more = (1600, 5000, 20_000), (2000, 5000, 20_000)
    yield from subjects_of({
        f"{MEDIAN}, confident leaf, {COPIES} records more": fits(
            MEDIAN, ([[0.5]] * COPIES, [0] * COPIES), (f"add {COPIES}", [0.5], 1), first_labels,
            (240, 1500, 8000), epsilon=0.8 / COPIES, n_estimators=1, **flat),
        f"{EXTRA}, five trees that read all records": fits(
            EXTRA, one, new, votes, many, epsilon=0.6, n_estimators=5, partitioned=False, **flat),
        f"{RDF}, two trees together": fits(RDF, one, new, first_labels, many, epsilon=1.5, n_estimators=2, **flat),
        f"{RDF}, empty leaf": fits(RDF, **empty),
        f"{RDF}, one record replaced": fits(
            RDF, *pair, first_labels, more, epsilon=1.0, n_estimators=1, neighbours="replace-one", **flat),
        f"{MEDIAN}, empty leaf": fits(MEDIAN, **empty, selection="uniform", rho=0.05),
        f"{MEDIAN}, cuts of two trees together": fits(
            MEDIAN, one, ("add", [0.5], 0), same_cuts, (400, 2000, 8000), epsilon=1.0, n_estimators=2,
            max_depth=1, selection="uniform"),
    })  # fmt: skip
