r"""All data at :math:`\epsilon/\tau`, or a disjoint share at :math:`\epsilon` (RDF, section 4.2)?

A leaf of two classes holds `majority` + `minority` records, a >= b. A forest of :math:`\tau` = `trees` trees
labels it in each from all of them with ROSNAM at :math:`\epsilon/\tau`, or deals each record to one tree and
labels each share at the full :math:`\epsilon`. Both cost :math:`\epsilon`, here the forest's budget, under
add-remove. An error is the label of the leaf's minority. Derived in :doc:`/book/majority`.
"""

import numpy as np
from scipy.stats import binom, poisson

from dplit.ground.errors import check_epsilon, check_integer
from dplit.majority.one_sided import second_label, unanimous_error


def all_data_error(majority: int, minority: int, epsilon: float, trees: int) -> float:
    r"""Probability that one tree's label is wrong: :math:`e^{-\epsilon(a-b)/\tau}/2`."""
    majority = check_integer(majority, "majority", 0)
    minority = check_integer(minority, "minority", 0)
    return second_label(majority - minority, check_epsilon(epsilon) / check_integer(trees, "trees", 1))


def disjoint_error(majority: int, minority: int, epsilon: float, trees: int) -> float:
    r"""`all_data_error` for a disjoint share: :math:`\mathrm{E}\Pr(D + \mathrm{Lap}(1/\epsilon) < 0)`.

    :math:`D` is the difference of independent binomials, :math:`\mathrm{Bin}(a, 1/\tau) -
    \mathrm{Bin}(b, 1/\tau)`. Never less than `all_data_error`: :prf:ref:`thm-all-data`.
    """
    trees = check_integer(trees, "trees", 1)
    shares, wrong = _shares(majority, minority, epsilon)
    return float((binom.pmf(shares[0], majority, 1 / trees)
                  * binom.pmf(shares[1], minority, 1 / trees) * wrong).sum())  # fmt: skip


def unanimous_disjoint_error(n: int, classes: int, epsilon: float, trees: int) -> float:
    r"""Error of a share's label on :math:`(n, 0, \dots, 0)`: the mean of `unanimous_error` over the deal.

    The share holds :math:`\mathrm{Bin}(n, 1/\tau)` records. All data errs with
    ``unanimous_error(n, classes, epsilon / trees)``, which for three or more classes is more where
    :math:`\epsilon n` is small: :prf:ref:`thm-shares-classes`. `n` counts the leaf's records in the whole data.
    """
    dealt = np.arange(check_integer(n, "n", 0) + 1)
    share = binom.pmf(dealt, n, 1 / check_integer(trees, "trees", 1))
    return float(share @ unanimous_error(dealt, classes, epsilon))


def all_data_vote_error(majority: int, minority: int, epsilon: float, trees: int) -> float:
    """Probability that the vote of all trees is wrong, a tie counting half: given the data, independent draws."""
    wrong = all_data_error(majority, minority, epsilon, trees)
    return float(binom.pmf(np.arange(trees + 1), trees, wrong) @ _vote_is_wrong(trees))


def disjoint_vote_error(majority: int, minority: int, epsilon: float, trees: int) -> float:
    """`all_data_vote_error` for disjoint shares, which depend on each other: they add up to the leaf.

    Exact: independent Poisson shares, given that they add up, are the random deal.
    """
    trees = check_integer(trees, "trees", 1)
    (a, b), wrong = _shares(majority, minority, epsilon)
    share = poisson.pmf(a, majority / trees) * poisson.pmf(b, minority / trees)
    law = np.zeros((trees + 1, *share.shape))  # wrong votes so far, records dealt so far
    law[0, 0, 0] = 1
    for _ in range(trees):
        stays, grows = (_deal(law, share * p) for p in (1 - wrong, wrong))
        law = stays + np.concatenate([np.zeros_like(grows[:1]), grows[:-1]])
    votes = law[:, majority, minority]
    return float(votes @ _vote_is_wrong(trees) / votes.sum())


def _shares(majority: int, minority: int, epsilon: float) -> tuple:
    """Grids of a tree's records of each class, and its probability of the wrong label."""
    a, b = np.ogrid[: check_integer(majority, "majority", 0) + 1, : check_integer(minority, "minority", 0) + 1]
    return (a, b), second_label(a - b, epsilon)


def _deal(law: np.ndarray, share: np.ndarray) -> np.ndarray:
    from scipy.signal import convolve2d  # slow to import, and needed here alone

    shape = share.shape
    return np.stack([convolve2d(layer, share)[: shape[0], : shape[1]] for layer in law])


def _vote_is_wrong(trees: int) -> np.ndarray:
    votes = np.arange(trees + 1)
    return np.where(2 * votes == trees, 0.5, 2 * votes > trees)
