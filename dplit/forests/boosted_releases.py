"""What a boosted forest releases, and the `dplit.budget` node of each; `epsilon` is for add-remove neighbours."""

import math
from itertools import groupby

import numpy as np
from numpy.random import Generator

from dplit.boosting import STEPS, Reach, counted, equivalent, target_start
from dplit.budget import Concentrated, Converted, Group, Public, Sequence, Spend, rho_of
from dplit.forests.partition import REPLACED, at_most, level_shares
from dplit.forests.releases import noisy_counts
from dplit.ground.errors import check_integer
from dplit.mechanisms import DiscreteGaussian, Exponential, Geometric, PermuteAndFlip
from dplit.mechanisms.secure import is_secure

CHAPTER = "chapter boosting"
SIZE_SHARE = 0.01  # of epsilon, for the number of records where nobody told it
AGAIN, FEW = 0.03, 1000.0  # of epsilon, for another number in its place where n times epsilon is below `FEW`


def size(
    n_records: int, known: int | None, epsilon: float, neighbours: str, rng: Generator
) -> tuple[int, Public | Spend | Sequence]:
    """Number of records that the plan is made for, and its node.

    `n_records` is private, `known` public; `epsilon` is the whole fit's. Replace-one neighbours have as many
    records; where they may not, the price is that of add-remove.
    """
    if known is not None:
        known = check_integer(known, "n_records", 1)
        return known, Public("number of records", "given as n_records")
    if neighbours == "replace-one":
        return n_records, Public("number of records", "the same for all neighbours")
    n, node = noisy_size(n_records, SIZE_SHARE * epsilon, rng, "number of records")
    if n * epsilon < FEW:
        n, again = noisy_size(n_records, AGAIN * epsilon, rng, "number of records, again")
        node = Sequence("numbers of records", (node, again), "both read all records")
    return n, node


def noisy_size(n_records, share, rng, name):
    """At least 1, and the number's node."""
    noisy = int(Geometric(share).sample(np.array([n_records]), rng=rng)[0])
    return max(noisy, 1), Spend(name, share, "geometric noise")


def prior_of_classes(counts, epsilon, rng):
    """Log-probabilities of the classes, from noisy counts that are shrunk to equal ones."""
    noisy, _ = noisy_counts(counts, epsilon, rng)
    weights = np.maximum(noisy, 0) + 1 / epsilon + 1e-9
    node = Spend("class counts", epsilon, "geometric noise, alpha = exp(-epsilon)")
    return np.log(weights / weights.sum()), node


def prior_of_targets(counts, epsilon, n_records, rng):
    """Centre and spread of the targets as shares of the public interval, from their counts in equal bins."""
    noisy, _ = noisy_counts(counts, epsilon, rng)
    node = Spend("target counts", epsilon, "geometric noise, alpha = exp(-epsilon)")
    return *target_start(noisy, epsilon, n_records), node


def choose_test(masses, epsilon, reach, rng):
    """Place of a test, by permute-and-flip on the masses, of which a record changes each by `reach`."""
    mechanism = PermuteAndFlip(epsilon, sensitivity=reach)
    note = "permute-and-flip on the L1 mass of residual sums"
    return int(mechanism.sample(masses, rng=rng)), Spend("test of a level", epsilon, note, source=CHAPTER)


def noisy_pairs(sums: np.ndarray, epsilon: float, reach: Reach, rng: Generator) -> tuple[np.ndarray, Spend]:
    """Pair sums of the leaves with geometric noise, in records: whole numbers of steps divided by `STEPS`.

    `sums`: int64 of shape (2, n_leaves, n_outputs), of positive and of negative parts, in steps.
    """
    scales = reach.up, reach.down
    noisy = [Geometric(epsilon, s).sample(part, rng=rng) for s, part in zip(scales, sums)]
    note = "geometric noise on the sums of positive and of negative parts"
    return np.array(noisy) / STEPS, Spend("pair sums of a leaf", epsilon, note, source=CHAPTER)


def concentrated_test(masses, rho, reach, rng):
    r"""Place of a test, by the exponential mechanism: at epsilon it is :math:`\epsilon^2/8`-zCDP."""
    root = math.sqrt(8 * rho)
    epsilon = math.nextafter(root, 0.0) if is_secure(rng) else root  # the root may be rounded up
    mechanism = Exponential(epsilon, sensitivity=reach)
    note = "exponential mechanism on the L1 mass of residual sums, epsilon^2/8"
    return int(mechanism.sample(masses, rng=rng)), Concentrated("test of a level", rho, note, source=CHAPTER)


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


class Pure:
    """Pure epsilon, `total` under add-remove neighbours: geometric noise, and permute-and-flip."""

    def __init__(self, total: float):
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

    def shares(self, size_node, planned, n_classes):
        """Epsilon of the prior, and of each test and the leaves of every round.

        The prior gets what the sums of the tree leave: the total is epsilon, or a float or two below it.
        """
        depths = [planned.of(t).depth for t in range(planned.rounds)]
        if math.isinf(self.total):
            return math.inf, [(math.inf, math.inf)] * planned.rounds
        spent = size_node.epsilon
        rest = (1 - planned.prior) * (self.total - spent) / planned.rounds
        shares = [level_shares(rest, depth, planned.tests) for depth in depths]
        alike = groupby(range(planned.rounds), lambda t: (depths[t], t < counted(n_classes)))
        spends = {d: math.fsum([d * test if d else 0.0, leaves]) for d, (test, leaves) in zip(depths, shares)}
        parts = [len([*run]) * spends[depth] for (depth, _), run in alike]
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

    The total amounts to `epsilon` and `delta` under `neighbours`; `n_records` is public, and `rounds` stand in
    place of the plan's.
    """

    def __init__(self, epsilon, delta, n_records, n_classes, neighbours, rounds):
        steps = 2 if neighbours == "replace-one" else 1
        self.delta, self.total = delta, rho_of(epsilon, delta) / steps**2
        self.plan_epsilon = equivalent(n_records, self.total, n_classes, rounds)

    def choose(self, masses, share, reach, rng):
        """Place of a test, and its node."""
        return concentrated_test(masses, share, reach, rng)

    def pairs(self, sums, share, reach, rng):
        """Pair sums of the leaves, in records, and their node."""
        return concentrated_pairs(sums, share, reach, rng)

    def counts(self, counts, share, rng):
        """Class counts of the leaves, and their node."""
        return concentrated_counts(counts, share, rng)

    def shares(self, size_node, planned, n_classes):
        """As of `Pure`, but for the prior, whose share is in epsilon."""
        rest = self.total - size_node.rho
        prior = planned.prior * rest
        each, down = (rest - prior) / planned.rounds, 1 - 1e-12  # no sum is a rounding too much
        depths = [planned.of(t).depth for t in range(planned.rounds)]
        shares = [[share * down for share in level_shares(each, depth, planned.tests)] for depth in depths]
        return math.sqrt(2 * prior) * down, shares

    def variance(self, scale, share, norm=1.0):
        """Of the noise of a sum that a record moves by at most `scale`, and all of them by `norm` of it."""
        return (norm * scale) ** 2 / (2 * share)

    def rate(self, share):
        """Weight of a score's unit of sensitivity in the choice of a test."""
        return math.sqrt(2 * share)

    def closed(self, nodes, neighbours):
        """The node of all that was spent, as epsilon and delta."""
        return Converted("zero-concentrated privacy", Pure.closed(self, nodes, neighbours), self.delta)


def account(
    epsilon: float, delta: float, n_records: int, n_classes: int, neighbours: str, records_per_person: int,
    rounds: int | None = None,
) -> Pure | ZeroConcentrated:  # fmt: skip
    """The account in which a fit of these public numbers has less noise.

    `epsilon` is a record's, under `neighbours`; `delta` a person's, and a record's is so much less that several
    make it up. `rounds` stand in place of the plan's.
    """
    pure = Pure(epsilon / (2 if neighbours == "replace-one" else 1))
    if delta == 0 or math.isinf(epsilon):
        return pure
    if (records_per_person - 1) * epsilon > 300:  # nothing is left of delta
        return pure
    total = math.fsum(math.exp(i * epsilon) for i in range(records_per_person))
    share = delta if records_per_person == 1 else delta / total * (1 - 1e-12)
    other = ZeroConcentrated(epsilon, share, n_records, n_classes, neighbours, rounds)
    return other if other.plan_epsilon > pure.plan_epsilon else pure
