"""Lemmas 1 and 2 with constants: what a vote of trees can lose, and what a partition can lose.

:math:`L` is the probability of an error, :math:`L^*` the least that any rule has, the Bayes risk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from dplit.ground.errors import MOST, check_between, check_integer, check_numbers


def vote_excess_bound(excess: ArrayLike, classes: int = 2) -> float:
    r"""Bound on a vote's excess risk by a tree's: :math:`L(\text{vote}) - L^* \le K (L(\text{tree}) - L^*)`.

    Any number of trees, votes and ties however dependent. `excess`: :math:`L - L^*` of one tree; `classes`: K.
    """
    return check_integer(classes, "classes", 2) * check_numbers(excess, "excess", 0, 1)


def partition_excess_bound(spread: float, counts: ArrayLike, law: ArrayLike) -> float:
    r"""Bound on a partition's excess risk, two classes, for labels that had no part in the partition.

    .. math:: L - L^* \le 2\Big(\mathrm{E}|\eta(X) - \eta(X')|
              + \sum_m \Pr(N = m) \frac{1}{2\sqrt{\max(m, 1)}}\Big)

    `spread`: :math:`\mathrm{E}|\eta(X) - \eta(X')|` with X' a second point from X's cell; `counts`, `law`:
    numbers m of estimation points in X's cell, and their probabilities, shape (sizes,).
    """
    spread = check_between(spread, "spread", 0, 1)
    counts = check_numbers(counts, "counts", 0, MOST, ndim=1)
    law = check_numbers(law, "law", 0, 1, ndim=1)
    if counts.shape != law.shape:
        raise ValueError(f"law must have a probability for each of {counts.size} counts, got {law.size}")
    noise = 1 / (2 * np.sqrt(np.maximum(counts, 1)))
    return 2 * (spread + float(np.dot(law, noise)))


def grid_risk(cells: int, records: int) -> float:
    r"""Exact error of the majority vote in equal cells of [0, 1], where Y is 1 with probability x.

    A cell :math:`[(c-1)/M, c/M]` has mean :math:`\bar\eta = (c - 1/2)/M` and says 1 with the probability of a
    majority of its labels, of which :math:`N \sim \mathrm{Bin}(n, 1/M)`; ties and empty cells toss a fair coin.
    The Bayes risk is 1/4. `cells`: M; `records`: n.
    """
    cells, records = check_integer(cells, "cells", 1), check_integer(records, "records", 0)
    mean = (np.arange(cells) + 0.5) / cells
    counts = np.arange(records + 1)
    law = binom.pmf(counts, records, 1 / cells)
    kept = law > 1e-18
    majority = binom.sf(counts[kept] // 2, counts[kept], mean[:, None])
    tie = np.where(counts[kept] % 2, 0.0, binom.pmf(counts[kept] // 2, counts[kept], mean[:, None]))
    says_one = (majority + tie / 2) @ law[kept]
    return float(np.mean(says_one * (1 - mean) + (1 - says_one) * mean))
