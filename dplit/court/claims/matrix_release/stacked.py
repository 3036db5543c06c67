r"""Claim of M-RF that batch prediction does not fit trees on disjoint records; with a column more it does.

Derived in :doc:`/book/matrix_release`. Leaves are counted by routing each record through its own tree."""

from __future__ import annotations

import numpy as np

import dplit.court.claims.matrix_paths._forests as f
from dplit import matrix
from dplit.court.ledger import Case, Evidence, claim, equal
from dplit.trees import apply

LEAVES = {
    "quantity": "largest difference of C and T D",
    "range": "small forests of 2 to 5 trees, 40 records",
}


def _drawn(effort, rng):
    """(trees, levels, codes, classes, each record's tree, C by routing) of small forests on disjoint records."""
    for _ in range(effort.pick(10, 40, 200)):
        levels, tau = f.small_levels(rng, 3), int(rng.integers(2, 6))
        trees, _ = f.forest(levels, tau, int(rng.integers(1, 3)), rng)
        codes, y, own = f.records(levels, 40, rng), rng.integers(0, 2, 40), rng.integers(0, tau, 40)
        C = np.zeros((trees.n_leaves, 2), dtype=np.int64)
        leaves = apply(trees, codes.astype(float)) + trees.leaf_starts[:-1]
        np.add.at(C, (leaves[np.arange(40), own], y), 1)
        yield trees, levels, codes, y, own, C


def _by_tree(trees, levels):
    """The decision paths over cells and trees: those of each tree in a block of their own."""
    T = f.routed(trees, f.every_cell(levels)).T
    blocks = np.zeros((trees.n_trees, *T.shape), dtype=np.int64)
    for t, (first, last) in enumerate(zip(trees.leaf_starts[:-1], trees.leaf_starts[1:])):
        blocks[t, first:last] = T[first:last]
    return T, np.concatenate(blocks, axis=1)


def _tables(codes, y, own, levels, tau):
    """D, and a table of each tree's records one below the other."""
    parts = [matrix.data_matrix(codes[own == t], y[own == t], levels, 2) for t in range(tau)]
    return sum(parts), np.concatenate(parts)


@claim(
    "m-rf/subsample-not-batch",
    "Optimizing subsample-and-aggregate framework",
    "assumes",
    "thm-release-own-tree",
    ("matrix.data_matrix",),
    proof="thm-release-own-tree",
    **LEAVES,
)
def not_applicable(effort, rng):
    r"""Since $C \ne TD$, the above DP batch prediction is not directly applicable to trees that are fitted on
    disjoint training datasets (assuming that D counts the cells of the features alone: with the record's tree as
    one more column it is applicable, since then $C = T'D'$)."""
    apart, cases = [], []
    for trees, levels, codes, y, own, C in _drawn(effort, rng):
        T, wide = _by_tree(trees, levels)
        D, stacked = _tables(codes, y, own, levels, trees.n_trees)
        apart.append(abs(T @ D - C).max())
        shown = {"levels": levels, "trees": trees.n_trees}
        cases += [Case(c, s, shown) for c, s in zip(C.ravel(), (wide @ stacked).ravel())]
    same = equal(cases, "")
    good = same.verdict == "holds" and min(apart) > 0
    return Evidence(
        "assumes" if good else "fails",
        "exact",
        f"{len(apart)} forests: C differs from TD by {min(apart):.0f} records or more in a leaf, and equals "
        f"T'D' in {len(cases)} counts",
        cases=len(cases),
        published=0.0,
        computed=float(min(apart)),
        relation=">",
        counterexample=None if good else {"apart": min(apart), "same": same.counterexample},
    )


@not_applicable.corrected(
    functions=("matrix.data_matrix",),
    proof="thm-release-own-tree",
    quantity="sensitivity of the decision paths over cells and trees",
    range="small forests of 2 to 5 trees",
)
def own_tree_column(effort, rng):
    r"""With the record's tree as a column the decision paths $T'$ are one block a tree. Their sensitivity is 1,
    however many trees there are, where T has $\tau$; the votes are $QT^\top T'D'$, and with the leaves
    themselves as strategy batch prediction is the optimised subsample-and-aggregate."""
    cases = []
    for trees, levels, codes, *_ in _drawn(effort, rng):
        T, wide = _by_tree(trees, levels)
        shown = {"levels": levels, "trees": trees.n_trees}
        cases += [Case(abs(wide).sum(axis=0).max(), 1, shown)]
        cases += [Case(abs(T).sum(axis=0).max(), trees.n_trees, shown)]
        Q = f.routed(trees, codes[:5])
        votes = Q @ wide  # each query's row: the cells of its leaf, in the block of each tree
        for t in range(trees.n_trees):  # whether a query shares the leaf of the record's tree
            block = slice(trees.leaf_starts[t], trees.leaf_starts[t + 1])
            part = Q[:, block] @ f.routed(trees, codes)[:, block].T
            cell = matrix.cells_of(codes, levels) + t * T.shape[1]
            cases += [Case(a, b, shown) for a, b in zip(votes[:, cell].ravel(), part.ravel())]
    return equal(cases, "{cases} sensitivities and entries; {trees} trees: the sensitivity is 1")
