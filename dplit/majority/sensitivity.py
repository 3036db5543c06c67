"""Smooth sensitivity of the score of RDF, theorem 1: as published, and right.

The score is 1 for every most frequent class and 0 for the others (equation 7). Derived in :doc:`/book/majority`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_callable, check_counts, check_epsilon, check_neighbours
from dplit.majority.counts import neighbouring
from dplit.mechanisms.smooth_exponential import gap


def published_smooth_sensitivity(counts: ArrayLike, epsilon: float) -> float | np.ndarray:
    r""":math:`e^{-j\epsilon}`, as RDF's theorem 1 (equation 8) has it: too small wherever :math:`j \ge 1`."""
    return np.exp(-check_epsilon(epsilon) * gap(counts))


def smooth_sensitivity(counts: ArrayLike, epsilon: float, neighbours: str = "add-remove") -> float | np.ndarray:
    r"""The true one: :math:`e^{-\epsilon\max(j-1,\,0)}`, or :math:`e^{-\epsilon\max(\lceil j/2\rceil-1,\,0)}`.

    The first under add-remove, the second under replace-one; 0 for a single class, whose score never
    changes. Corrects RDF's theorem 1; derived in :prf:ref:`thm-smooth-sensitivity`.
    """
    j, one_class = gap(counts), np.shape(counts)[-1] == 1
    steps = j - 1 if check_neighbours(neighbours) == "add-remove" else (j + 1) // 2 - 1
    return np.exp(-check_epsilon(epsilon) * np.maximum(steps, 0)) * (not one_class)


def first_listed_smooth_sensitivity(counts: Sequence[int], epsilon: float) -> float:
    r"""Smooth sensitivity if, of tied classes, only the first listed scores 1; add-remove.

    A class listed before winner :math:`w` takes over with one record less than a class listed after
    it. The exponent is :math:`\min(\min_{r<w} c_w - c_r - 1,\ \min_{r>w} c_w - c_r)`: theorem 1 as
    published holds where every closest rival is listed after the winner, and nowhere else.
    """
    counts = check_counts(counts)
    winner = int(counts.argmax())
    steps = counts[winner] - counts - (np.arange(len(counts)) < winner)
    rivals = np.delete(steps, winner)
    return math.exp(-check_epsilon(epsilon) * rivals.min()) if rivals.size else 0.0


def searched_smooth_sensitivity(
    counts: Sequence[int], epsilon: float, neighbours: str = "add-remove", score: Callable | None = None
) -> float:
    """Smooth sensitivity by breadth-first search over leaves, from the definition.

    `score` gives the scores of the classes of a leaf; left out, the paper's, 1 for every most frequent class.
    """
    score = None if score is None else check_callable(score, "score")
    score = score or (lambda x: tuple(int(n == max(x)) for n in x))
    start = tuple(check_counts(counts).tolist())
    seen, ring, distance = {start}, [start], 0
    while len(start) > 1:
        if any(score(y) != score(x) for x in ring for y in neighbouring(x, neighbours)):
            return math.exp(-check_epsilon(epsilon) * distance)
        ring = {y for x in ring for y in neighbouring(x, neighbours)} - seen
        seen |= ring
        distance += 1
    return 0.0
