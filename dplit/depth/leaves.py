"""How many leaves of a random tree are empty, and how many there are (RDF, section 4.2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_integer, check_numbers, check_sequence, check_whole


def empty_leaves(n: ArrayLike, depth: int) -> float | np.ndarray:
    r"""Expected share of empty leaves: records uniform over continuous features, random splits.

    Given the path, the volume of a leaf is a product of `depth` independent uniforms, whichever
    features were tested. Of n records a uniform split sends any number left with equal probability:

    .. math:: a_d(n) = E\Big[\big(1 - \textstyle\prod_{i \le d} U_i\big)^n\Big]
              = \frac{1}{n+1} \sum_{k=0}^{n} a_{d-1}(k), \qquad a_0(n) = [n = 0].

    The result has the shape of n. Time and memory grow as ``depth * max(n)``.
    """
    records = _check_records(n)
    share = np.zeros(records.max() + 1)
    share[0] = 1.0
    for _ in range(check_integer(depth, "depth", 0)):
        share = np.cumsum(share) / np.arange(1, len(share) + 1)
    return share[records]


def empty_leaf_visited(n: ArrayLike, depth: int) -> float | np.ndarray:
    r"""Probability that a new record of the same law ends in an empty leaf; features as in `empty_leaves`.

    Large leaves are visited more often: on each level the part that the record is in has a share of
    density :math:`2u`. It takes k of n records with probability :math:`2(k+1)/((n+1)(n+2))`, so that

    .. math:: b_d(n) = E\Big[\big(1 - \textstyle\prod_{i \le d} B_i\big)^n\Big]
              = \frac{2}{(n+1)(n+2)} \sum_{k=0}^{n} (k+1)\, b_{d-1}(k), \qquad b_0(n) = [n = 0].

    The result has the shape of n. Time and memory grow as ``depth * max(n)``.
    """
    records = _check_records(n)
    k = np.arange(1.0, records.max() + 2)
    chance = (k == 1).astype(float)
    for _ in range(check_integer(depth, "depth", 0)):
        chance = 2 * np.cumsum(k * chance) / (k * (k + 1))
    return chance[records]


def empty_leaves_floor(n: ArrayLike, leaves: ArrayLike) -> float | np.ndarray:
    """Least share of empty leaves: n records reach at most n of them. max(0, 1 - n/L)."""
    n, leaves = check_numbers(n, "n", 0, MOST), check_numbers(leaves, "leaves", 1, MOST)
    return np.maximum(0.0, 1 - n / leaves)


def expected_empty_floor(n: ArrayLike, leaves: ArrayLike) -> float | np.ndarray:
    """Least expected share of empty leaves, whatever the leaves' probabilities: (1 - 1/L)^n.

    For independent records the share is the mean of (1 - p)^n over the leaves, which is convex in
    p, and the p sum to 1.
    """
    n, leaves = check_numbers(n, "n", 0, MOST), check_numbers(leaves, "leaves", 1, MOST)
    return (1 - 1 / leaves) ** n


def leaves_law(levels: Sequence[int], depth: int) -> np.ndarray:
    """Probabilities of 0, 1, 2, ... leaves in a tree over discrete features, each tested once on a path.

    Every node draws its feature anew (RDF, algorithm 2), so that the children's numbers of leaves
    are independent. `levels` has the number of values of each feature; `depth` is at most their number.
    """
    levels = check_sequence(levels, "levels")
    if check_integer(depth, "depth", 0) > len(levels):
        raise ValueError(f"depth must be at most the number of features, {len(levels)}, got {depth}")
    return _leaves(tuple(sorted(check_integer(v, "levels", 1) for v in levels)), depth).copy()


@lru_cache(maxsize=4096)
def _leaves(levels: tuple, depth: int) -> np.ndarray:
    if depth == 0:
        return np.array([0.0, 1.0])
    laws = []
    for i, level in enumerate(levels):
        child = _leaves(levels[:i] + levels[i + 1 :], depth - 1)
        law = np.ones(1)
        for _ in range(level):
            law = np.convolve(law, child)
        laws.append(law)
    mixed = np.zeros(max(map(len, laws)))
    for law in laws:
        mixed[: len(law)] += law / len(levels)
    return mixed


MOST_RECORDS = 10**8  # of an array that a law fills


def _check_records(n: int) -> np.ndarray:
    records = check_whole(n, "n", 0)
    if not records.size or records.max() > MOST_RECORDS:
        got = f"{records.max():,}" if records.size else "none"
        raise ValueError(f"n must be whole numbers of at most {MOST_RECORDS:,}, got {got}")
    return records
