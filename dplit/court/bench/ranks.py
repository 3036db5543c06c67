r"""Many methods on many sets by their ranks: Friedman's test and Nemenyi's critical difference (Demšar 2006).

:math:`k` methods, :math:`N` data sets; ties have the mean of their places. Derived in :doc:`/book/bench`.
"""

import numpy as np
import pandas as pd
from scipy import stats


def average_ranks(table: pd.DataFrame) -> pd.Series:
    r"""Average rank :math:`R_j` of each method, the best first; the highest score has rank 1.

    Demšar (2006), section 3.2.2. A row is a data set, a column a method, higher is better; sets that miss a
    method must be left out.
    """
    _check(table)
    return table.rank(axis=1, ascending=False).mean().sort_values(kind="stable")


def friedman(table: pd.DataFrame) -> tuple[float, float, float]:
    r"""Friedman's statistic, Iman and Davenport's refinement :math:`F_F`, and its p-value.

    .. math::
        \chi_F^2 = \frac{12 N}{k (k + 1)} \Bigl(\sum_j R_j^2 - \frac{k (k + 1)^2}{4}\Bigr), \quad
        F_F = \frac{(N - 1) \chi_F^2}{N (k - 1) - \chi_F^2}

    and :math:`F_F` has :math:`k - 1` and :math:`(k - 1)(N - 1)` degrees of freedom if no method is better
    (Demšar 2006, section 3.2.2; without a correction for ties). The table has N rows and k columns.
    """
    (n, k), ranks = table.shape, average_ranks(table)
    chi = 12 * n / (k * (k + 1)) * (float((ranks**2).sum()) - k * (k + 1) ** 2 / 4)
    left = n * (k - 1) - chi
    f = (n - 1) * chi / left if left > 0 else np.inf
    return chi, f, float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


def critical_difference(k: int, n: int, level: float = 0.05) -> float:
    r"""Average ranks of two of k methods differ by chance by less than this on N sets (Nemenyi).

    .. math:: q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

    where :math:`q_\alpha` is the studentized range of :math:`k` and infinitely many degrees of freedom,
    over :math:`\sqrt 2` (Demšar 2006, section 3.2.2). `k` is at least 2, `n` at least 1; `level` is the
    family-wise error over all pairs.
    """
    if k < 2 or n < 1:
        raise ValueError(f"k must be at least 2 and n at least 1, got k={k!r} and n={n!r}")
    q = stats.studentized_range.isf(level, k, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(k * (k + 1) / (6 * n)))


def indistinct(ranks: pd.Series, distance: float) -> list[tuple[str, str]]:
    """The longest runs of methods whose average ranks, the best first, are within a critical difference.

    First and last method of each run of two or more; none lies within another.
    """
    values, found, reached = ranks.to_numpy(), [], -1
    for first in range(len(values)):
        last = int(np.searchsorted(values, values[first] + distance, side="right")) - 1
        if last > max(first, reached):
            found.append((ranks.index[first], ranks.index[last]))
            reached = last
    return found


def _check(table):
    if table.isna().to_numpy().any():
        where = table.index[table.isna().any(axis=1)].tolist()
        raise ValueError(f"table must have a score of every method on every set; {where} miss some")
    if table.shape[1] < 2:
        raise ValueError(f"table must have two methods or more, got {table.shape[1]}")
