"""How many estimation points a leaf holds, and how deep it lies, where cuts know no label (B1 = B2 = 0).

A cell holds N estimation points and the point X that is to be classified; the cut is uniform in the cell's ranks,
whatever the continuous law of the features. Derived in :doc:`/book/consistency`. Ours.
"""

import numpy as np
from numba import njit

from dplit.ground.errors import check_integer

TAIL = 1e-17  # of the law of the depth: what is left out


def leaf_count_law(k: int) -> np.ndarray:
    r"""Law of the number of estimation points in the leaf of X: :math:`\frac{2(m+1)}{(k+1)(k+2)}`, m = 0..k.

    `k`: a cell with more than k points is split, at least 0. Returns an array of shape (k + 1,).
    """
    k = check_integer(k, "k", 0)
    return 2 * np.arange(1.0, k + 2) / ((k + 1) * (k + 2))


def empty_leaf(k: int) -> float:
    r"""Probability :math:`2/((k+1)(k+2))` that X's leaf holds no estimation point: equation 5 is then 0/0."""
    return float(leaf_count_law(k)[0])


def expected_depth(n: int, k: int) -> float:
    r"""Expected number of cuts above X's leaf, :math:`1 + 2(H_n - H_k)` for n > k, otherwise 0."""
    n, k = check_integer(n, "n", 0), check_integer(k, "k", 0)
    return 1 + 2 * float(np.sum(1 / np.arange(k + 1.0, n + 1))) if n > k else 0.0


def depth_law(n: int, k: int) -> np.ndarray:
    r"""Law of the number of cuts above X's leaf: 1 plus independent geometric numbers.

    .. math:: d = 1 + \sum_{j=k+1}^{n} G_j, \qquad \Pr(G_j = i) = (1 - p_j)\, p_j^i, \quad p_j = \frac{2}{j+2}

    Returns the probabilities of 0, 1, 2, ... cuts, up to a tail below 1e-15. The time grows as n.
    """
    n, k = check_integer(n, "n", 0), check_integer(k, "k", 0)
    return _depth_law(n, k, TAIL) if n > k else np.ones(1)


@njit(cache=True, nogil=True)
def _depth_law(n: int, k: int, tail):
    mean = 0.0
    for j in range(k + 1, n + 1):
        mean += 2 / j
    law = np.zeros(int(mean + 12 * np.sqrt(mean) + 120))
    law[1] = 1.0
    for j in range(n, k, -1):  # adding a geometric number is a recursion over its value
        p = 2 / (j + 2)
        before = 0.0
        for i in range(law.size):
            before = (1 - p) * law[i] + p * before
            law[i] = before
    last = law.size
    while law[last - 1] < tail:
        last -= 1
    return law[:last]


def poisson_distance_bound(k: int) -> float:
    r"""Bound :math:`8/k` on total variation between the depth and :math:`1 + \mathrm{Poisson}(2(H_n - H_k))`."""
    return min(1.0, 8 / check_integer(k, "k", 1))
