"""Bugs of a boosted forest: prices, clips, cuts, and noise."""

from __future__ import annotations

import numpy as np

from dplit.boosting.residuals import STEPS
from dplit.court.audit.mutants import at, plant

BOOSTED = "BoostedForestClassifier"
REACH = at("boosting.residuals", "class_reach")


@plant(
    "score price halved for three classes", "boosting, one round, three classes, add-remove", REACH
)
def _half_price(original):
    def class_reach(low, high):
        reach = original(low, high)
        return reach if np.ndim(low) == 0 else reach._replace(mass=reach.mass // 2)

    return class_reach


@plant("sums of three classes at the price of one", "boosting, one round, three classes, add-remove",
       REACH)  # fmt: skip
def _half_noise(original):
    def class_reach(low, high):
        reach = original(low, high)
        return reach if np.ndim(low) == 0 else reach._replace(up=STEPS, down=reach.down // 2)

    return class_reach


@plant(
    "a later round at the reach of the first",
    "boosting, two rounds, two classes, add-remove",
    REACH,
)
def _first_reach(original):
    def class_reach(low, high):
        return original(low * 0, high * 0)

    return class_reach


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


@plant("two rounds share one noise", f"{BOOSTED}, noise of two rounds",
       at("forests.boosted_releases", "noisy_pairs"))  # fmt: skip
def _noise_again(original):
    noise = {}

    def noisy_pairs(sums, epsilon, reach, rng):
        if id(rng) not in noise:
            noise.clear()
            fresh, _ = original(np.zeros_like(sums), epsilon, reach, rng)
            noise[id(rng)] = fresh, rng  # kept, so that no other one gets its place
        return sums / STEPS + noise[id(rng)][0], original(sums, epsilon, reach, rng)[1]

    return noisy_pairs


@plant("a test of a level at twice its rate", "boosting, a test draws its law",
       at("forests.boosted_releases", "choose_test"))  # fmt: skip
def _test_doubled(original):
    def choose_test(masses, epsilon, reach, rng):
        place, _ = original(masses, 2 * epsilon, reach, rng)
        return place, original(masses, epsilon, reach, rng)[1]

    return choose_test


@plant("both parts of a pair with the noise of the smaller", "boosting, noise of negative parts draws its law",
       at("forests.boosted_releases", "noisy_pairs"))  # fmt: skip
def _smaller_noise(original):
    def noisy_pairs(sums, epsilon, reach, rng):
        least = min(reach.up, reach.down)
        return original(sums, epsilon, reach._replace(up=least, down=least), rng)

    return noisy_pairs


@plant("Gaussian noise at half of its deviation", "boosting with a delta, noise of positive parts draws its law",
       at("forests.boosted_releases", "concentrated_pairs"))  # fmt: skip
def _half_deviation(original):
    def concentrated_pairs(sums, rho, reach, rng):
        return original(sums, 4 * rho, reach, rng)[0], original(sums, rho, reach, rng)[1]

    return concentrated_pairs


@plant("a test with a delta at its pure rate doubled", "boosting with a delta, a test draws its law",
       at("forests.boosted_releases", "concentrated_test"))  # fmt: skip
def _rate_of_pure(original):
    def concentrated_test(masses, rho, reach, rng):
        return original(masses, 4 * rho, reach, rng)[0], original(masses, rho, reach, rng)[1]

    return concentrated_test


@plant("replace-one at the rho of one step", "boosting, delta of a round, two classes, replace-one",
       at("budget", "epsilon_of"))  # fmt: skip
def _one_step(original):
    def epsilon_of(rho, delta):
        return original(rho / 4, delta)

    return epsilon_of
