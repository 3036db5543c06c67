"""Claim of M-RF that batch prediction does not fit trees on disjoint records; with a column more it does."""

from itertools import pairwise

import numpy as np

from dplit import matrix
from dplit.court.claims.matrix_paths.small import entries, forest, less, records, small_levels
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import same

OWN_TREE = Box("thm-release-own-tree", "matrix.data_matrix")


def _drawn(effort, rng):
    """(forest, codes, classes, each record's tree, C by routing) of small forests on disjoint records."""
    for _ in range(effort.pick(10, 40, 200)):
        levels, tau = small_levels(rng, 3), int(rng.integers(2, 6))
        one = forest(levels, tau, int(rng.integers(1, 3)), rng)
        codes, y, own = records(levels, 40, rng), rng.integers(0, 2, 40), rng.integers(0, tau, 40)
        C = np.zeros((one.trees.n_leaves, 2), dtype=np.int64)
        np.add.at(C, (one.reached(codes)[np.arange(40), own], y), 1)
        yield one, codes, y, own, C


def _blocks(one):
    return [slice(*ends) for ends in pairwise(one.trees.leaf_starts.tolist())]


def _by_tree(one):
    """The decision paths over cells and trees: those of each tree in a block of their own."""
    blocks = np.zeros((one.n_trees, *one.T.shape), dtype=np.int64)
    for t, block in enumerate(_blocks(one)):
        blocks[t, block] = one.T[block]
    return one.T, np.concatenate(blocks, axis=1)


def _tables(codes, y, own, levels, tau):
    """D, and a table of each tree's records one below the other."""
    parts = [matrix.data_matrix(codes[own == t], y[own == t], levels, 2) for t in range(tau)]
    return sum(parts), np.concatenate(parts)


@OWN_TREE(
    "m-rf/subsample-not-batch",
    "Optimizing subsample-and-aggregate framework",
    "assumes",
    proved=True,
    quantity="largest difference of C and T D",
    range="small forests of 2 to 5 trees, 40 records",
)
def not_applicable(effort, rng):
    r"""Since $C \ne TD$, the above DP batch prediction is not directly applicable to trees that are fitted on
    disjoint training datasets. (This assumes that D counts the cells of the features alone. If the tree of each
    record is one more column, batch prediction is applicable, because then $C = T'D'$.)"""
    apart, wider = [], []
    for one, codes, y, own, C in _drawn(effort, rng):
        T, wide = _by_tree(one)
        D, stacked = _tables(codes, y, own, one.levels, one.n_trees)
        apart.append(abs(T @ D - C).max())
        wider.append(abs(wide @ stacked - C).max())
        yield from entries(C, wide @ stacked, broken="fails", **one.data)
    yield less(0, min(apart), broken="fails")
    yield less(0, max(wider))  # with a column more it is applicable
    return (
        f"{len(apart)} forests: C differs from TD by {min(apart):.0f} records or more in a leaf, and equals "
        "T'D' in all counts"
    )


@OWN_TREE.corrected(
    not_applicable, quantity="sensitivity of the paths over cells and trees", range="small forests of 2 to 5 trees"
)
def own_tree_column(effort, rng):
    r"""If the tree of each record is a column, the decision paths $T'$ have one block per tree. Their sensitivity
    is 1 for any number of trees, whereas that of $T$ is $\tau$. The votes are $QT^\top T'D'$, and with the leaves
    themselves as strategy batch prediction is the optimised subsample-and-aggregate."""
    for one, codes, *_ in _drawn(effort, rng):
        T, wide = _by_tree(one)
        yield same(abs(wide).sum(axis=0).max(), 1, **one.data)
        yield same(abs(T).sum(axis=0).max(), one.n_trees, **one.data)
        reached = one.routed(codes)
        votes = reached[:5] @ wide  # each query's row: the cells of its leaf, in the block of each tree
        for t, block in enumerate(_blocks(one)):  # whether it shares the leaf of the record's tree
            cell = matrix.cells_of(codes, one.levels) + t * T.shape[1]
            part = reached[:5, block] @ reached[:, block].T
            yield from entries(votes[:, cell], part, **one.data)
    return "{cases} sensitivities and entries are as stated; with {trees} trees the sensitivity of T' is 1."
