r"""One private median split of a regression (DiPriMe v2, theorem 1).

The records 1, ..., N are in the order of the column. The exact split puts :math:`\lfloor N/2 \rfloor` on the left,
the private one k. A mean of a block of :math:`N_j` records gets noise of scale :math:`R/(N_j \epsilon)`; v2 has
the bounds -B and B, so that R = 2B. Section 3.2 and appendix B.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dplit import sensitivity
from dplit.ground.errors import check_between, check_integer, check_numbers, check_positive, check_sequence
from dplit.utility.tree import range_of


def _check_block(t: float, n: int) -> float:
    """Return `t` as a float, above 0 and below n/2, as theorem 1 has it."""
    if check_positive(t, "t") >= check_integer(n, "n", 2) / 2:
        raise ValueError(f"t must be below n/2 = {n / 2}, got {t!r}")
    return float(t)


def smallest_block(t: float, n: int) -> int:
    """The smallest block of more than `t` records; some split of `n` must have it."""
    least = int(np.floor(_check_block(t, n))) + 1
    if 2 * least > n:
        raise ValueError(f"t must leave a split of n={n} with more than t on each side, got {t!r}")
    return least


# As published --------------------------------------------------------------------------------


def published_split_loss(n: int, t: float, epsilon: float, bound: float) -> float:
    r"""Theorem 1 of v2: :math:`4B^2 N - 8B^2 t + 16B^2/(\epsilon_\ell^2 t)`, targets in [-B, B], B = `bound`."""
    noise = 16 / (check_positive(epsilon, "epsilon") ** 2 * _check_block(t, n))
    return check_positive(bound, "bound") ** 2 * (4 * n - 8 * t + noise)


def published_split_loss_appendix(n: int, t: float, epsilon: float, bound: float) -> float:
    r"""Theorem 1 as appendix B.1 states it, :math:`16B^2/\epsilon_\ell^2` without the t."""
    n = check_integer(n, "n", 2)
    noise = 16 / check_positive(epsilon, "epsilon") ** 2
    return check_positive(bound, "bound") ** 2 * (4 * n - 8 * _check_block(t, n) + noise)


# Exact ---------------------------------------------------------------------------------------


def worst_split_change(n: int, lower: float, upper: float) -> np.ndarray:
    r"""The most that the squared error grows if the split moves, for each place k of the split.

    .. math:: \frac{(m - s)\,(N - m)}{N - s} R^2

    with s the block that shrinks, of m records in the exact split. The targets B_L left of the exact split
    and B_U right of it attain all of them at once, k = 0, ..., n.
    """
    k, half = np.arange(check_integer(n, "n", 2) + 1), n // 2
    shrinks, before = np.where(k < half, k, n - k), np.where(k < half, half, n - half)
    return range_of(lower, upper) ** 2 * (before - shrinks) * (n - before) / (n - shrinks)


def block_noise(n: int, epsilon: float, lower: float, upper: float) -> np.ndarray:
    r"""Expected squared error that the two means' noise adds, for each k = 0, ..., n.

    .. math:: \frac{2R^2}{\epsilon^2} \left(\frac1k + \frac1{N-k}\right)

    A block without records adds nothing, since nothing is predicted there.
    """
    k = np.arange(check_integer(n, "n", 2) + 1, dtype=float)
    parts = sum(np.divide(1.0, m, out=np.zeros(n + 1), where=m > 0) for m in (k, n - k))
    return 2 * range_of(lower, upper) ** 2 / check_positive(epsilon, "epsilon") ** 2 * parts


def expected_sse(targets: Sequence[float], epsilon: float, lower: float, upper: float) -> np.ndarray:
    r"""Exact expected squared error of the private split, given its place, for each k = 0, ..., N.

    .. math:: \mathrm{SSE}(y_{1:k}) + \mathrm{SSE}(y_{k+1:N})
       + \frac{2R^2}{\epsilon_\ell^2}\left(\frac1k + \frac1{N-k}\right)

    The N `targets` are in the column's order.
    """
    range_of(lower, upper), check_numbers(targets, "targets", ndim=1)
    y = [check_between(v, "targets", lower, upper) for v in check_sequence(targets, "targets")]
    if len(y) < 2:
        raise ValueError(f"targets must be at least two, got {len(y)}")
    split = [float(sensitivity.sse_of(y[:k]) + sensitivity.sse_of(y[k:])) for k in range(len(y) + 1)]
    return np.array(split) + block_noise(len(y), epsilon, lower, upper)


def worst_split_loss(n: int, epsilon: float, lower: float, upper: float) -> np.ndarray:
    """Exact largest expected loss over all targets, given the split, for each k = 0, ..., n.

    The sum of `worst_split_change` and the noise; the expectation is over the means' noise alone.
    """
    return worst_split_change(n, lower, upper) + block_noise(n, epsilon, lower, upper)


def split_loss_bound(n: int, t: float, epsilon: float, lower: float, upper: float) -> float:
    r"""The tight form of theorem 1: the worst loss of a split that leaves more than t on each side.

    .. math:: R^2 \left(\frac{(\lceil N/2 \rceil - s) \lfloor N/2 \rfloor}{N - s}
       + \frac{2N}{\epsilon_\ell^2 s (N - s)}\right), \quad s = \lfloor t \rfloor + 1

    Attained at s records on the right. Holds whenever the blocks hold more than t records, so with probability at
    least :math:`1 - \zeta_t`.
    """
    s, half = smallest_block(t, n), n // 2
    noise = 2 * n / (check_positive(epsilon, "epsilon") ** 2 * s * (n - s))
    return range_of(lower, upper) ** 2 * ((n - half - s) * half / (n - s) + noise)


def expected_split_loss(law: ArrayLike, epsilon: float, lower: float, upper: float) -> float:
    r"""Exact worst loss over all targets, expected over the split and the noise.

    .. math:: \sum_k \Pr(k)\, w_k

    with :math:`w_k` from `worst_split_loss`: the same targets are the worst for every k. `law` has the
    probabilities of k = 0, ..., n records on the left, as `dplit.balance.split_law` gives them.
    """
    law = check_numbers(law, "law")
    if law.ndim != 1 or (law < 0).any() or not np.isclose(law.sum(), 1):
        raise ValueError(f"law must be a vector of probabilities that sum to 1, got {law!r}")
    return float(law @ worst_split_loss(len(law) - 1, epsilon, lower, upper))
