"""Boosted forests in ``dplit audit``: the exact loss of rounds on small data, and fits of the estimators.

The exact rows go over every pair of neighbouring data sets of a few records on one column, and over what a
round may have released before the next one. Fits have a handful of records; nothing of a boosted
forest may be frozen between their draws, since its tests are noise (see `FreshFit`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product

import numpy as np

from dplit import boosting, budget
from dplit.boosting import residuals
from dplit.court.audit.subject import BlackBox, Fits, Found, Subject, named
from dplit.neighbours import neighbouring_data

AR, RO = "add-remove", "replace-one"
LEVEL, LEAF = 0.6, 0.8  # epsilon of a test and of the leaves
# Targets, those that are like and unlike each other, and the model before the first round.
KINDS = {
    "two classes": ((0, 1), ([1], [0]), boosting.SmallClasses(np.zeros((3, 1)), LEVEL, LEAF)),
    "three classes": ((0, 1, 2), ([0], [1, 2]), boosting.SmallClasses(np.zeros((3, 3)), LEVEL, LEAF)),
    "targets": ((0.0, 0.4, 1.0), ([1.0], [0.0]),
                boosting.SmallTargets(np.full((3, 1), 0.4), LEVEL, LEAF, clip=0.2)),
}  # fmt: skip


# Exact -----------------------------------------------------------------------------------------


def _rounds(kind, rounds, neighbours):
    """The loss of `rounds` rounds over pairs of neighbours, held to the sum of their spends."""
    targets, signs, model = KINDS[kind]
    universe = tuple(product((0, 1, 2), targets))
    declared = rounds * (LEVEL + LEAF) * (1 if neighbours == AR else 2)

    def check(effort, rng):
        n = effort.pick(2, 2, 3) + 1 - rounds
        sets = [s for size in range(n + 1) for s in combinations_with_replacement(universe, size)]
        pairs = [
            (data, other)
            for data in sets
            for other in neighbouring_data(data, universe, neighbours)
            if len(other) <= len(data)
        ]
        pairs.append(boosting.stretched(*signs, neighbours))
        found = [(boosting.worst_loss(*pair, rounds, model), *map(str, pair)) for pair in pairs]
        worst, data, other = max(found)
        return Found(declared, worst, f"{len(found)} pairs, the worst: {data} and {other}")

    return check


def _converted(kind, neighbours):
    """The delta of a zero-concentrated round at the epsilon that its rho is said to amount to."""
    targets, signs, model = KINDS[kind]
    universe = tuple(product((0, 1, 2), targets))
    rho, delta = 0.2, 1e-4
    concentrated = replace(model, level=rho / 2, leaf=rho / 2)

    def check(effort, rng):
        stated = budget.epsilon_of(rho * (1 if neighbours == AR else 4), delta)
        pairs = [
            (data, other)
            for n in range(effort.pick(2, 2, 3) + 1)
            for data in combinations_with_replacement(universe, n)
            for other in neighbouring_data(data, universe, neighbours)
            if len(other) <= len(data)
        ]
        pairs += [boosting.stretched(*signs, neighbours, k=k) for k in (3, 6, 12)]
        worst = max((concentrated.divergence(*pair, stated), *map(str, pair)) for pair in pairs)
        return Found(delta, worst[0], f"{len(pairs)} pairs at epsilon {stated:.4g}; found is a delta, "
                     f"the worst of {worst[1]} and {worst[2]}")  # fmt: skip

    return check


# Fits ------------------------------------------------------------------------------------------


def first_test(fitted):
    """Summary: the first tree's cut, in 64ths of a column in [0, 1], and the signs of its steps."""
    cut = float(fitted.trees_.threshold[0])
    return round(64 * cut, 6), *(fitted.leaf_values_[:2] > 0).tolist()


def on_the_grid(fitted):
    """Summary: the first tree's cut if it is no public one, else the quarter of the column it is in."""
    cut = float(fitted.trees_.threshold[0])
    public = np.isclose(boosting.public_cuts(0.0, 1.0), cut, atol=1e-12).any()
    return int(4 * cut) if public else ("private", round(cut, 9))


@dataclass(frozen=True)
class implied_records:  # lower case: used as a function, an object so that processes can share it
    """Summary: how many records of class 1 would explain the difference of two rounds without tests.

    Records in one place have one residual in each round, which the released model says. If both rounds
    had the same noise, the difference of their sums would be the number of records times a public one.
    """

    most: int = 3

    def __call__(self, fitted):
        """The number, or -1 where no number up to `most` does."""
        sums = np.rint(fitted.pair_sums_[:, 0, 0, 0] * boosting.STEPS)
        scores = fitted.initial_ + np.array([0.0, fitted.leaf_values_[0]])
        shares = residuals.class_shares(scores)
        step = int(shares[1] - shares[0])
        if step == 0 or (sums[0] - sums[1]) % step:
            return -1
        number = int((sums[0] - sums[1]) // step)
        return number if 0 <= number <= self.most else -1


def _fit(kind, data, change, summary, draws, **options):
    return BlackBox(Fits(named("forests", kind), data, change, summary, None, options), draws)


def registered():
    """The subjects of this file."""
    for kind, (rounds, words) in product(KINDS, ((1, "one round"), (2, "two rounds"))):
        for neighbours in (AR, RO):
            name = f"boosting, {words}, {kind}, {neighbours}"
            yield Subject(name, "exact", "within", _rounds(kind, rounds, neighbours))
    for kind, neighbours in product(KINDS, (AR, RO)):
        name = f"boosting, delta of a round, {kind}, {neighbours}"
        yield Subject(name, "exact", "within", _converted(kind, neighbours))
    two = {"epsilon": 2.0, "n_estimators": 1, "max_depth": 1, "n_records": 4}
    flat = {"epsilon": 1.0, "n_estimators": 2, "max_depth": 0, "n_records": 4}
    four = [[0.1], [0.3], [0.6], [0.9]]
    for kind, y, new in (
        ("BoostedForestClassifier", [0, 0, 1, 1], 0),
        ("BoostedForestRegressor", [0.0, 0.0, 1.0, 1.0], 0.0),
    ):
        yield Subject(
            f"{kind}, add-remove", "black box", "within",
            _fit(kind, (four, y), ("add", [0.8], new), first_test, (300, 4000, 20_000), **two),
        )  # fmt: skip
        yield Subject(
            f"{kind}, replace-one", "black box", "within",
            _fit(kind, (four, y), ("replace", [0.8], new), first_test, (300, 4000, 20_000),
                 **two, neighbours=RO),
        )  # fmt: skip
    kind = "BoostedForestClassifier"
    yield Subject(
        f"{kind}, noisy number of records", "black box", "within",
        _fit(kind, (four, [0, 0, 1, 1]), ("add", [0.8], 0), first_test, (300, 4000, 20_000),
             **{**two, "n_records": None}),
    )  # fmt: skip
    yield Subject(
        f"{kind}, cuts of the public grid", "black box", "within",
        _fit(kind, ([[0.111], [0.222]], [0, 1]), ("replace", [0.777], 0), on_the_grid,
             (400, 2000, 10_000), **{**two, "epsilon": 1.0}, neighbours=RO),
    )  # fmt: skip
    yield Subject(
        f"{kind}, noise of two rounds", "black box", "within",
        _fit(kind, ([[0.5]], [1]), ("add", [0.5], 1), implied_records(),
             (400, 2000, 10_000), **flat),
    )  # fmt: skip
