"""Bugs of a boosted forest: prices, clips, cuts, and noise."""

import numpy as np

from dplit.boosting.residuals import STEPS
from dplit.court.audit.mutants import at, plant
from tests.audit.mutants._shapes import DRAWN, told, unpaid

BOOSTED = "BoostedForestClassifier"
REACH, PAIRS = (at("boosting.residuals", "class_reach"), at("forests.boosted_releases", "noisy_pairs"))
THREE = "boosting, one round, three classes, add-remove"


def _of_three(change):
    """A change of the reach of more than two classes, whose scores are an array."""
    return lambda original: lambda low, *to: change(original(low, *to)) if np.ndim(low) else original(low, *to)


plant("score price halved for three classes", THREE, REACH)(
    _of_three(lambda reach: reach._replace(mass=reach.mass // 2))
)
plant("sums of three classes at the price of one", THREE, REACH)(
    _of_three(lambda reach: reach._replace(up=STEPS, down=reach.down // 2))
)
CLIPPED = "boosting, {} round{}, three classes, clipped, add-remove"


@plant("no residual is clipped", CLIPPED.format("one", ""), at("boosting.residuals", "clipped"))
def _none_clipped(original):
    return lambda residuals, clip: residuals


@plant("a record's own class is clipped alone", CLIPPED.format("two", "s"), at("boosting.residuals", "clipped"))
def _own_clipped(original):
    return lambda residuals, clip: np.minimum(residuals, clip)


told("a later round at the reach of the first", "boosting, two rounds, an uneven start, add-remove", REACH,
     low=lambda low: low * 0 + 1, high=lambda high: high * 0 + 1)  # fmt: skip


@plant("a residual is clipped after it is used", "boosting, one round, targets, add-remove",
       at("boosting.residuals", "target_residuals"))  # fmt: skip
def _not_clipped(original):
    def target_residuals(means, targets, clip):
        return np.rint(STEPS * (targets - means) / clip).astype(np.int64)[:, None]

    return target_residuals


@plant("cuts are read off the records", f"{BOOSTED}, cuts of the public grid",
       at("trees.oblivious", "Grid", "encode"))  # fmt: skip
def _private_cuts(original):
    """Of every continuous column, between its records; the rest is as it was."""

    def encode(self, X):
        for j, levels in enumerate(self.levels):
            if not levels:
                between = np.unique(X[:, j])
                self.cuts[j] = np.resize((between[:-1] + between[1:]) / 2, len(self.cuts[j]))
                self.cuts[j].sort()
        return original(self, X)

    return encode


@plant("two rounds share one noise", f"{BOOSTED}, noise of two rounds", PAIRS)
def _noise_again(original):
    noise = {}

    def noisy_pairs(sums, epsilon, reach, rng):
        if id(rng) not in noise:
            noise.clear()
            fresh, _ = original(np.zeros_like(sums), epsilon, reach, rng)
            noise[id(rng)] = fresh, rng  # kept, so that no other one gets its place
        return sums / STEPS + noise[id(rng)][0], original(sums, epsilon, reach, rng)[1]

    return noisy_pairs


NOISY, AT_RHO = (at("forests.boosted_releases", name) for name in ("noisy_counts", "concentrated_counts"))


def _later(change):
    """Class counts of leaves after a fit's first ones: ``change(original)`` releases them."""

    def wrap(original):
        seen = []

        def careless(counts, share, rng):
            if counts.ndim == 1:  # of the prior
                return original(counts, share, rng)
            again = any(known is rng for known in seen)
            seen[:] = [rng]
            return (change(original) if again else original)(counts, share, rng)

        return careless

    return wrap


def _twice(original):
    return lambda counts, share, rng: original(2 * counts, share, rng)


def _half_the_noise(original):
    return lambda counts, share, rng: (original(counts, 4 * share, rng)[0], original(counts, share, rng)[1])


def _bare(original):
    return lambda counts, share, rng: (counts, original(counts, share, rng)[1])


for words, change in (("counted twice", _twice), ("at half of the noise", _half_the_noise), ("bare", _bare)):
    plant(f"later class counts of leaves, {words}", f"{BOOSTED}, what a record moves", NOISY)(_later(change))
    plant(f"later class counts of leaves, in rho, {words}",
          f"{BOOSTED}, class counts of a leaf, zero-concentrated{DRAWN}", AT_RHO)(_later(change))  # fmt: skip


def _smaller(reach):
    least = min(reach.up, reach.down)
    return reach._replace(up=least, down=least)


unpaid("a test of a level at twice its rate", f"{BOOSTED}, test of a level{DRAWN}",
       at("forests.boosted_releases", "choose_test"), epsilon=lambda epsilon: 2 * epsilon)  # fmt: skip
told("both parts of a pair with the noise of the smaller", "boosting, noise of negative parts draws its law",
     PAIRS, reach=_smaller)  # fmt: skip
unpaid("Gaussian noise at half of its deviation", f"{BOOSTED}, pair sums of a leaf, zero-concentrated{DRAWN}",
       at("forests.boosted_releases", "concentrated_pairs"), rho=lambda rho: 4 * rho)  # fmt: skip
unpaid("a test with a delta at its pure rate doubled", f"{BOOSTED}, test of a level, zero-concentrated{DRAWN}",
       at("forests.boosted_releases", "concentrated_test"), rho=lambda rho: 4 * rho)  # fmt: skip
told("replace-one at the rho of one step", "boosting, delta of a round, two classes, replace-one",
     at("budget", "epsilon_of"), rho=lambda rho: rho / 4)  # fmt: skip
