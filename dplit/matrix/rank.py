"""How many of a forest's leaves are linearly independent, and how many distinct ones hold a cell.

`certified_ranks` works over the field of two elements: where it meets `rank_bound`, the rank is known exactly, and
no rounding has been near it. Derived in :doc:`/book/matrix_paths`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_integer, check_kind
from dplit.matrix.paths import Paths, check_levels, distinct
from dplit.matrix.tested import dimensions


def rank_bound(paths: Paths) -> int:
    r"""The largest rank that T can have: what the columns tested on single paths allow.

    The row of a path with tested columns S is a product of one function for each column of S, and so lies in the
    sum, over all subsets U of S, of the spaces of functions of U that sum to 0 in each of its columns. These
    spaces are orthogonal and have the dimensions :math:`\prod_{i \in U} (n_i - 1)`, which are summed over all
    sets U below the set of columns tested on some path.
    """
    return dimensions(check_kind(paths, Paths, "paths"))


def full_rank_bound(n_levels: ArrayLike, depth: int) -> int:
    """`rank_bound` of a forest so rich that every set of `depth` columns is tested on some path.

    It is the sum of the elementary symmetric polynomials of n_i - 1, up to the order `depth`.

    >>> from dplit import matrix
    >>> [matrix.full_rank_bound([4, 4, 4, 3, 3, 3], depth) for depth in (2, 3, 4)]  # Car
    [109, 414, 972]
    """
    depth = check_integer(depth, "depth", 0)
    polynomial = [1]
    for n in check_levels(n_levels).tolist():
        longer = [*polynomial, 0]
        for order, coefficient in enumerate(polynomial):
            longer[order + 1] += coefficient * (n - 1)
        polynomial = longer
    return sum(polynomial[: depth + 1])


def certified_ranks(paths: Paths) -> np.ndarray:
    """Lower bounds of the rank of T after each tree, int64: its rank over the field of two elements.

    Rows that are independent modulo 2 are independent, since a relation in whole numbers without a common factor
    has an odd coefficient. The rows are integers of a bit for each cell, which elimination adds by exclusive or:
    nothing is rounded. Trees are in order, and the domain small enough for `Paths.matrix`.
    """
    paths = check_kind(paths, Paths, "paths")
    boxes = paths.take(np.sort(distinct(paths.allowed)[0]))
    pivots, ranks = {}, np.zeros(paths.n_trees, dtype=np.int64)
    for tree, row in zip(boxes.tree.tolist(), np.packbits(boxes.matrix(), axis=1)):
        _eliminate(int.from_bytes(row.tobytes(), "big"), pivots)
        ranks[tree] = len(pivots)
    return np.maximum.accumulate(ranks)


def _eliminate(row: int, pivots: dict[int, int]) -> None:
    """Add a row to a basis in echelon form, `pivots` by the place of the leading bit, if it is new."""
    while row:
        place = row.bit_length()
        if place not in pivots:
            pivots[place] = row
            return
        row ^= pivots[place]


def most_boxes(boxes: Paths, patience: int | None = None) -> int:
    """The most boxes that share a cell, exactly: of distinct ones, the L1 sensitivity of their counts.

    A search over the levels of one column after another: what is left below a choice of levels is the boxes that
    let them through. Leaves of a tree share no cell, nor do distinct boxes of a single level in each column of
    the same tested ones, so that the number of trees and of tested sets among them bounds what can be found
    there. The time can grow exponentially with columns and boxes together. After `patience` steps the search
    ends, and the number returned is a bound: no cell is in more boxes.
    """
    boxes = check_kind(boxes, Paths, "boxes")
    patience = None if patience is None else check_integer(patience, "patience", 0)
    order = np.argsort(-boxes.tests.sum(axis=0), kind="stable")
    columns = [(int(boxes.starts[j]), int(boxes.n_levels[j])) for j in order]
    tested, apart = boxes.tests[:, order], _apart(boxes)
    best, waiting, steps = 0, [(0, np.arange(len(boxes)), len(boxes))], 0
    while waiting:
        depth, left, most = waiting.pop()
        if most <= best:
            continue
        if depth == len(columns) or not tested[left, depth:].any():
            best = len(left)
            continue
        steps += 1
        if patience is not None and steps > patience:
            return max(best, most, *(bound for _, _, bound in waiting), 0)
        start, n = columns[depth]
        branches = [left[boxes.allowed[left, start + level]] for level in range(n)]
        bounds = [min(np.count_nonzero(np.bincount(of[b])) for of in apart) for b in branches]
        found = [(depth + 1, b, bound) for b, bound in zip(branches, bounds) if bound > best]
        waiting += sorted(found, key=lambda step: (step[2], len(step[1])))
    return best


def _apart(boxes: Paths) -> list[np.ndarray]:
    """Numberings of boxes, such that boxes of one number share no cell: trees, and tested sets."""
    sizes, n = boxes.sizes, len(boxes)
    copies = n - len(distinct(boxes.allowed)[0])
    if copies or ((sizes > 1) & boxes.tests).any():
        return [boxes.tree]
    return [boxes.tree, distinct(boxes.tests)[1]]


def distinct_leaves_law(n_trees: int, n_features: int, depth: int) -> np.ndarray:
    r"""Law of the number of distinct leaves that hold a given cell, in a forest of random trees.

    The path of a cell tests its h = `depth` of d columns, each of two levels or more, in random order, so that the
    set of them is uniform among the :math:`\binom{d}{h}`, and the set is all that makes the leaf. So the number is
    that of distinct coupons after :math:`\tau` draws; entry m is the probability of m, up to min(tau, C(d, h)).
    """
    n_trees = check_integer(n_trees, "n_trees", 1)
    depth = check_integer(depth, "depth", 0)
    coupons = math.comb(check_integer(n_features, "n_features", depth), depth)
    law = np.zeros(min(n_trees, coupons) + 1)
    law[0], seen = 1.0, np.arange(len(law)) / coupons
    for _ in range(n_trees):
        law = law * seen + np.concatenate([[0.0], (law * (1 - seen))[:-1]])
    return law
