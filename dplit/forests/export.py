"""Released trees in words: what a forest shows anyway, with the names of columns and levels."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dplit.domain import Categorical
from dplit.ground.errors import check_integer
from dplit.trees.arrays import LEAF, Trees

if TYPE_CHECKING:
    from dplit.forests.base import BaseForest

MOST_CELLS = 20  # of a histogram that are shown
MOST_LINES = 40  # of a boosted forest in words, of rounds that are told whole
MOST_LEVELS = 4  # of a branch that are named; of more, the first three and how many


def export_text(forest: BaseForest, tree: int = 0, *, max_depth: int = 10, decimals: int = 3) -> str:
    """One tree of a fitted forest as text, a line for each branch.

    A leaf shows its class, its mean, or the noisy counts of its classes. A record goes down the branch whose
    condition it meets. Nothing but what `fit` released is read, so it costs no privacy. Trees are numbered from
    0; levels below `max_depth` are three dots; `decimals` are those of cuts and means. "a - 0.5 b (shares)" is
    a difference of two columns as shares of their public intervals.

    Raises a ValueError if `forest` is not fitted, there is no such tree, or its nodes test more than one column.

    Examples
    --------
    >>> from dplit import Categorical, Domain
    >>> from dplit.forests import RandomDecisionForestClassifier
    >>> from dplit.forests.export import export_text
    >>> schema = {"domain": Domain([Categorical(["no", "yes"])]), "classes": [0, 1]}
    >>> forest = RandomDecisionForestClassifier(
    ...     float("inf"), **schema, n_estimators=1, max_depth=1, random_state=0
    ... )
    >>> print(export_text(forest.fit([["no"], ["yes"]], [0, 1])))
    |-- column 0 is 'no'
    |   |-- 0
    |-- column 0 is 'yes'
    |   |-- 1
    """
    return "\n".join(_lines(branch_of(forest, tree, max_depth, decimals).below))


class Branch(NamedTuple):
    """A node of a released tree in words."""

    condition: str  #: What leads to it from its parent; empty at the root.
    leaf: str  #: What was released there; empty if it is a test's outcome.
    #: Tuple of Branch. Its children; of a leaf, one that has nothing but what was released; where they are too
    #: deep to be shown, one whose condition is three dots.
    below: tuple


def branch_of(forest: BaseForest, tree: int = 0, max_depth: int = 10, decimals: int = 3) -> Branch:
    """The root of one tree of a fitted forest in words; parameters and errors as `export_text`."""
    check_is_fitted(forest, "budget_")
    if not isinstance(getattr(forest, "trees_", None), Trees):
        raise ValueError(f"forest must have nodes that test one column, got a {type(forest).__name__}")
    check_integer(max_depth, "max_depth", 1)
    check_integer(decimals, "decimals", 0)
    tree = check_integer(tree, "tree", 0)
    if tree >= forest.trees_.n_trees:
        raise ValueError(f"tree must be below {forest.trees_.n_trees}, the number of trees, got {tree}")
    leaf = _leaf_words(forest, decimals)
    below = _below(forest, int(forest.trees_.roots[tree]), leaf, max_depth, decimals)
    return Branch("", "", tuple(below))


def in_words(forest: BaseForest, tree: int | None, max_depth: int, decimals: int) -> str:
    """A tree, or what of a fitted forest is short: see `dplit.forests.fitted.WithTrees.export_text`."""
    check_is_fitted(forest, "budget_")
    check_integer(decimals, "decimals", 0)
    if tree is None and hasattr(forest, "cell_counts_"):
        return _cells(forest, decimals)
    if tree is None and hasattr(forest, "pair_sums_"):
        return _rounds(forest, max_depth, decimals)
    return export_text(forest, tree or 0, max_depth=max_depth, decimals=decimals)


def _rounds(forest, max_depth, decimals):
    """Start and rounds of a boosted forest, whole as long as few lines hold them."""
    lines = [f"start {' '.join(f'{value:.{decimals}f}' for value in forest.initial_)}{_on_log(forest)}"]
    names = forest.tested_.names
    for t in range(forest.trees_.n_trees):
        one, said = forest.trees_.only(t), f"round {t + 1}"
        if len(lines) + 2 * len(one.feature) <= MOST_LINES:
            whole = export_text(forest, t, max_depth=max_depth, decimals=decimals)
            lines += [said, *whole.splitlines()]
            continue
        values = forest.leaf_values_[slice(*forest.trees_.leaf_starts[t : t + 2])]
        tests = ", ".join(names[j] for j in dict.fromkeys(one.feature[one.feature != LEAF].tolist()))
        ends = f"{values.min():.{decimals}f} to {values.max():.{decimals}f}"
        lines.append(f"{said}: {one.n_leaves} leaves by {tests or 'no test'} add {ends}")
    return "\n".join(lines)


def _on_log(forest):
    return " (log)" if getattr(forest, "target_scale_", "") == "log" else ""


def _cells(forest, decimals):
    """The cells of the largest released counts of a histogram, each with its class and counts."""
    domain, counts, classes = forest.domain_, forest.cell_counts_, forest.classes_.tolist()
    names = domain.names or [f"column {j}" for j in range(len(domain))]
    values, lines = [_values(forest, column, decimals) for column in domain], []
    for cell in np.argsort(-counts.max(axis=1), kind="stable")[:MOST_CELLS]:
        levels = np.unravel_index(cell, forest.cells_.n_levels.tolist())
        where = [f"{name} is {values[j][level]}" for j, (name, level) in enumerate(zip(names, levels))]
        answer = f"{classes[forest.cell_labels_[cell]]!r}, of {' : '.join(f'{n:g}' for n in counts[cell])}"
        lines += [f"|-- {', '.join(where)}", f"|   |-- {answer}"]
    more = len(counts) - MOST_CELLS
    return "\n".join([*lines, *([f"|-- and {more} cells more"] if more > 0 else [])])


def _lines(branches):
    for branch in branches:
        yield f"|-- {branch.condition or branch.leaf}"
        yield from (f"|   {line}" for line in _lines(branch.below))


def _below(forest, node, leaf, depth, decimals):
    trees = forest.trees_
    if trees.feature[node] == LEAF:
        yield Branch("", leaf(int(trees.child[node])), ())
    elif depth == 0:
        yield Branch("...", "", ())
    else:
        for condition, step in _branches(forest, node, decimals):
            child = int(trees.child[node]) + step
            yield Branch(condition, "", tuple(_below(forest, child, leaf, depth - 1, decimals)))


def _branches(forest, node, decimals):
    """The condition of each child of a node, and its step."""
    trees, domain = forest.trees_, getattr(forest, "tested_", forest.domain_)
    j, cut = int(trees.feature[node]), trees.threshold[node]
    name, column = domain.names[j] if domain.names else f"column {j}", domain[j]
    if not isinstance(column, Categorical) and not np.isnan(cut):
        shown = column.in_words(cut, decimals)
        return [(f"{name} <= {shown}", 0), (f"{name} > {shown}", 1)]
    values = _values(forest, column, decimals)
    codes = np.arange(len(values))
    start = int(trees.side[node])
    steps = trees.steps[start + codes] if np.isnan(cut) else codes > cut
    return [
        (f"{name} is {_among([values[i] for i in np.flatnonzero(steps == step)])}", int(step))
        for step in np.unique(steps)
    ]


def _values(forest, column, decimals):
    """Levels of a column, or equally wide bins of its public interval, in words."""
    if isinstance(column, Categorical):
        return [*map(repr, column.levels), *(["missing"] if column.missing else [])]
    bins = forest.cells_.bins if hasattr(forest, "cells_") else forest.bins_
    ends = [column.in_words(end, decimals) for end in np.linspace(*column.ends, bins + 1)]
    return [f"{low} to {high}" for low, high in pairwise(ends)]


def _among(levels):
    """'a', 'b' or 'c'; of many, how many more there are."""
    if len(levels) > MOST_LEVELS:
        return f"{', '.join(levels[:3])} or one of {len(levels) - 3} more"
    return " or ".join([*([", ".join(levels[:-1])] if levels[1:] else []), levels[-1]])


def _leaf_words(forest, decimals):
    """What a leaf released, as a function of its number."""
    if hasattr(forest, "leaf_labels_"):
        classes = forest.classes_.tolist()
        return lambda leaf: repr(classes[forest.leaf_labels_[leaf]])
    if hasattr(forest, "leaf_values_"):
        values, log = forest.leaf_values_, _on_log(forest)
        return lambda leaf: " ".join(f"{value:.{decimals}f}" for value in np.ravel(values[leaf])) + log
    if hasattr(forest, "leaf_counts_"):
        return lambda leaf: " : ".join(f"{n:.{decimals}f}" for n in forest.leaf_counts_[leaf])
    return lambda leaf: f"leaf {leaf}"
