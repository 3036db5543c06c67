"""In what a boosted forest pays: pure epsilon, or rho of zero-concentrated privacy where delta is positive.

An account says how what it has is shared out, draws each release at its share, and knows the variance of
the noise. Both have the same methods; a share is in the account's own unit, and is what the release
spends under add-remove neighbours.
"""

from __future__ import annotations

import math
from itertools import groupby

from dplit.boosting import equivalent
from dplit.budget import Converted, Group, Sequence, rho_of
from dplit.forests.boosted_releases import (
    choose_test,
    concentrated_counts,
    concentrated_pairs,
    concentrated_test,
    noisy_pairs,
)
from dplit.forests.partition import REPLACED, at_most, level_shares
from dplit.forests.releases import noisy_counts


def _spent(depth, shares):
    """By a round of `depth` tests with these shares of a test and of the leaves."""
    return math.fsum([depth * shares[0] if depth else 0.0, shares[1]])


class Pure:
    """Pure epsilon: geometric noise, and permute-and-flip.

    Parameters
    ----------
    total : float
        Epsilon under add-remove neighbours.
    """

    def __init__(self, total):
        self.total = self.plan_epsilon = total

    def choose(self, masses, share, reach, rng):
        """Place of a test, and its node."""
        return choose_test(masses, share, reach, rng)

    def pairs(self, sums, share, reach, rng):
        """Pair sums of the leaves, in records, and their node."""
        return noisy_pairs(sums, share, reach, rng)

    def counts(self, counts, share, rng):
        """Class counts of the leaves, and their node."""
        return noisy_counts(counts, share, rng)

    def shares(self, spent, planned, n_classes):
        """Epsilon of the prior, and of each test and the leaves of every round.

        The prior gets what the sums of the tree leave: the total is epsilon, or a float or two below it.
        """
        depths = [planned.of(t).depth for t in range(planned.rounds)]
        if math.isinf(self.total):
            return math.inf, [(math.inf, math.inf)] * planned.rounds
        rest = (1 - planned.prior) * (self.total - spent) / planned.rounds
        shares = [level_shares(rest, depth, planned.tests) for depth in depths]
        # of several classes the first round has a node of its own
        alike = groupby(range(planned.rounds), lambda t: (depths[t], n_classes > 2 and t == 0))
        parts = [
            len([*run]) * _spent(depth, shares[depths.index(depth)]) for (depth, _), run in alike
        ]
        prior = self.total - math.fsum([spent, *parts])
        prior = at_most(prior, lambda value: math.fsum([spent, value, *parts]), self.total)
        return prior, shares

    def variance(self, scale, share, norm=1.0):
        """Of the noise of a sum that a record moves by at most `scale`."""
        return 2 * (scale / share) ** 2

    def rate(self, share):
        """Weight of a score's unit of sensitivity in the choice of a test."""
        return share / 2

    def closed(self, nodes, neighbours):
        """The node of all that was spent, of both neighbours if one record is replaced."""
        spent = Sequence("boosting", tuple(nodes), "all read the same records")
        if neighbours == "add-remove":
            return spent
        return Group("boosting after a replacement", spent, 2, "replace-one", REPLACED)


class ZeroConcentrated:
    """Rho of zero-concentrated privacy: discrete Gaussian noise, and the exponential mechanism.

    Parameters
    ----------
    epsilon, delta : float
        What the total amounts to, under `neighbours`.
    n_records : int
        Public.
    neighbours : str
    rounds : int or None
        In place of the plan's.
    """

    def __init__(self, epsilon, delta, n_records, neighbours, rounds):
        steps = 2 if neighbours == "replace-one" else 1
        self.delta, self.total = delta, rho_of(epsilon, delta) / steps**2
        self.plan_epsilon = equivalent(n_records, self.total, rounds)

    def choose(self, masses, share, reach, rng):
        """Place of a test, and its node."""
        return concentrated_test(masses, share, reach, rng)

    def pairs(self, sums, share, reach, rng):
        """Pair sums of the leaves, in records, and their node."""
        return concentrated_pairs(sums, share, reach, rng)

    def counts(self, counts, share, rng):
        """Class counts of the leaves, and their node."""
        return concentrated_counts(counts, share, rng)

    def shares(self, spent, planned, n_classes):
        """As of `Pure`, but for the prior, whose share is in epsilon."""
        rest = self.total - spent**2 / 2
        prior = planned.prior * rest
        each, down = (rest - prior) / planned.rounds, 1 - 1e-12  # no sum is a rounding too much
        shares = [
            [share * down for share in level_shares(each, planned.of(t).depth, planned.tests)]
            for t in range(planned.rounds)
        ]
        return math.sqrt(2 * prior) * down, shares

    def variance(self, scale, share, norm=1.0):
        """Of the noise of a sum that a record moves by at most `scale`, and all of them by `norm` of it."""
        return (norm * scale) ** 2 / (2 * share)

    def rate(self, share):
        """Weight of a score's unit of sensitivity in the choice of a test."""
        return math.sqrt(2 * share)

    def closed(self, nodes, neighbours):
        """The node of all that was spent, as epsilon and delta."""
        spent = Sequence("boosting", tuple(nodes), "all read the same records")
        if neighbours == "replace-one":
            spent = Group("boosting after a replacement", spent, 2, "replace-one", REPLACED)
        return Converted("zero-concentrated privacy", spent, self.delta)


def account(epsilon, delta, n_records, neighbours, records_per_person, rounds=None):
    """The account in which a fit of these public numbers has less noise.

    Parameters
    ----------
    epsilon : float
        Of a record, under `neighbours`.
    delta : float
        Of a person; a record's is so much less that several make up `delta`.
    n_records : int
    neighbours : str
    records_per_person : int
    rounds : int, optional
        In place of the plan's.

    Returns
    -------
    Pure or ZeroConcentrated
    """
    pure = Pure(epsilon / (2 if neighbours == "replace-one" else 1))
    if delta == 0 or math.isinf(epsilon):
        return pure
    if (records_per_person - 1) * epsilon > 300:  # nothing is left of delta
        return pure
    total = math.fsum(math.exp(i * epsilon) for i in range(records_per_person))
    share = delta if records_per_person == 1 else delta / total * (1 - 1e-12)
    other = ZeroConcentrated(epsilon, share, n_records, neighbours, rounds)
    return other if other.plan_epsilon > pure.plan_epsilon else pure
