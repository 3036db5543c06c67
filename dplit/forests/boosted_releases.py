"""What a boosted forest releases: each function returns what was drawn, and the node that it spends.

`epsilon` is what the release spends under add-remove neighbours. The nodes are of `dplit.budget`.
"""

from __future__ import annotations

import math

import numpy as np

from dplit.boosting import STEPS
from dplit.budget import Concentrated, Public, Spend
from dplit.domain import GRID
from dplit.forests.releases import noisy_counts
from dplit.ground.errors import check_integer
from dplit.mechanisms import BoundedMean, DiscreteGaussian, Exponential, Geometric, PermuteAndFlip
from dplit.mechanisms.secure import is_secure

CHAPTER = "chapter boosting"
SIZE_SHARE = 0.01  # of epsilon, for the number of records where nobody told it


def size(n_records, known, epsilon, neighbours, rng):
    """Number of records that the plan is made for, what it cost, and its node.

    Parameters
    ----------
    n_records : int
        The private one.
    known : int or None
        The public one.
    epsilon : float
        Of the whole fit; a noisy number takes `SIZE_SHARE` of it.
    neighbours : str
        Replace-one: they have as many records each. Where they may not, the price is that of add-remove.
    """
    if known is not None:
        known = check_integer(known, "n_records", 1)
        return known, 0.0, Public("number of records", "given as n_records")
    if neighbours == "replace-one":
        return n_records, 0.0, Public("number of records", "the same for all neighbours")
    share = SIZE_SHARE * epsilon
    noisy = int(Geometric(share).sample(np.array([n_records]), rng=rng)[0])
    return max(noisy, 1), share, Spend("number of records", share, "geometric noise")


def prior_of_classes(counts, epsilon, rng):
    """Log-probabilities of the classes, from noisy counts that are shrunk to equal ones."""
    noisy, _ = noisy_counts(counts, epsilon, rng)
    weights = np.maximum(noisy, 0) + 1 / epsilon + 1e-9
    node = Spend("class counts", epsilon, "geometric noise, alpha = exp(-epsilon)")
    return np.log(weights / weights.sum()), node


def prior_of_targets(total, n_records, epsilon, rng):
    """Mean target as a share of the public interval, shrunk to its middle; `total` in steps of its grid."""
    mechanism = BoundedMean(epsilon, 0, GRID)
    votes = mechanism.sample(np.array([total]), np.array([n_records]), rng=rng)
    mean = float(mechanism.mean(votes, centre=GRID / 2)[0]) / GRID
    return mean, Spend("mean target", epsilon, "BoundedMean: geometric noise on both votes")


def choose_test(masses, epsilon, reach, rng):
    """Place of a test, by permute-and-flip on the masses, of which a record changes each by `reach`."""
    mechanism = PermuteAndFlip(epsilon, sensitivity=reach)
    note = "permute-and-flip on the L1 mass of residual sums"
    return int(mechanism.sample(masses, rng=rng)), Spend(
        "test of a level", epsilon, note, source=CHAPTER
    )


def noisy_pairs(sums, epsilon, reach, rng):
    """Pair sums of the leaves with geometric noise, in records.

    Parameters
    ----------
    sums : int64 array, shape (2, n_leaves, n_outputs)
        Of positive and of negative parts, in steps.
    epsilon : float
    reach : Reach

    Returns
    -------
    pairs : float64 array, shape of `sums`
        Whole numbers of steps divided by `STEPS`.
    node : Spend
    """
    scales = reach.up, reach.down
    noisy = [Geometric(epsilon, s).sample(part, rng=rng) for s, part in zip(scales, sums)]
    note = "geometric noise on the sums of positive and of negative parts"
    return np.array(noisy) / STEPS, Spend("pair sums of a leaf", epsilon, note, source=CHAPTER)


# Zero-concentrated: shares are in rho --------------------------------------------------------------


def concentrated_test(masses, rho, reach, rng):
    r"""Place of a test, by the exponential mechanism: at epsilon it is :math:`\epsilon^2/8`-zCDP."""
    root = math.sqrt(8 * rho)
    epsilon = math.nextafter(root, 0.0) if is_secure(rng) else root  # the root may be rounded up
    mechanism = Exponential(epsilon, sensitivity=reach)
    note = "exponential mechanism on the L1 mass of residual sums, epsilon^2/8"
    return int(mechanism.sample(masses, rng=rng)), Concentrated(
        "test of a level", rho, note, source=CHAPTER
    )


def concentrated_counts(counts, rho, rng):
    """Class counts with discrete Gaussian noise; a record changes one of them, by one."""
    noisy = DiscreteGaussian(1 / math.sqrt(2 * rho)).sample(counts, rng=rng)
    return noisy, Concentrated("class counts of a leaf", rho, "discrete Gaussian noise")


def concentrated_pairs(sums, rho, reach, rng):
    """As `noisy_pairs`, with discrete Gaussian noise whose deviations are the reach's norm over root 2 rho."""
    scales = reach.norm * reach.up, reach.norm * reach.down
    noise = [DiscreteGaussian(scale / math.sqrt(2 * rho)) for scale in scales]
    noisy = [law.sample(part, rng=rng) for law, part in zip(noise, sums)]
    note = "discrete Gaussian noise on the sums of positive and of negative parts"
    return np.array(noisy) / STEPS, Concentrated("pair sums of a leaf", rho, note, source=CHAPTER)
