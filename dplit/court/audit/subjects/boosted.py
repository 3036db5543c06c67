"""Boosted forests in ``dplit audit``: the exact loss of rounds on small data, and fits of the estimators.

Fits have a handful of records; nothing of a boosted forest may be frozen between their draws, since its tests are
noise (see `FreshFit`).
"""

from dataclasses import replace
from functools import partial
from itertools import combinations_with_replacement, product

import numpy as np

from dplit import boosting, budget
from dplit.court.audit.subject import AR, RO, Found, fits, subject, subjects_of, worst_of
from dplit.neighbours import neighbouring_data

LEVEL, LEAF = 0.6, 0.8  # epsilon of a test and of the leaves
# Targets, those that are like and unlike each other, and the model before the first round.
KINDS = {
    "two classes": ((0, 1), ([1], [0]), boosting.SmallClasses(np.zeros((3, 1)), LEVEL, LEAF)),
    "an uneven start": ((0, 1), ([1], [0]), boosting.SmallClasses(np.ones((3, 1)), LEVEL, LEAF)),
    "three classes": ((0, 1, 2), ([0], [1, 2]), boosting.SmallClasses(np.zeros((3, 3)), LEVEL, LEAF)),
    "three classes, clipped": ((0, 1, 2), ([0], [1, 2]),
                               boosting.SmallClasses(np.zeros((3, 3)), LEVEL, LEAF, clip=0.5)),
    "targets": ((0.0, 0.4, 1.0), ([1.0], [0.0]),
                boosting.SmallTargets(np.full((3, 1), 0.4), LEVEL, LEAF, clip=0.2)),
}  # fmt: skip


def _near(data, universe, neighbours):
    """The pairs of a data set and its neighbours that are no larger."""
    near = neighbouring_data(data, universe, neighbours)
    return [(data, other) for other in near if len(other) <= len(data)]


def _pairs(targets, most, neighbours):
    """All pairs of neighbours of at most so many records."""
    universe = tuple(product((0, 1, 2), targets))
    sets = (s for n in range(most + 1) for s in combinations_with_replacement(universe, n))
    return [pair for data in sets for pair in _near(data, universe, neighbours)]


def _rounds(kind, rounds, neighbours, effort, rng):
    """The loss of `rounds` rounds over pairs of neighbours, held to the sum of their spends."""
    targets, signs, model = KINDS[kind]
    pairs = _pairs(targets, effort.pick(2, 2, 3) + 1 - rounds, neighbours)
    pairs.append(boosting.stretched(*signs, neighbours))
    declared = rounds * (LEVEL + LEAF) * (1 if neighbours == AR else 2)
    losses = (boosting.worst_loss(*pair, rounds, model) for pair in pairs)
    return worst_of(declared, ((loss, *map(str, pair)) for loss, pair in zip(losses, pairs)))


def _converted(kind, neighbours, effort, rng):
    """The delta of a zero-concentrated round at the epsilon that its rho is said to amount to."""
    targets, signs, model = KINDS[kind]
    rho, delta = 0.2, 1e-4
    concentrated = replace(model, level=rho / 2, leaf=rho / 2)
    stated = budget.epsilon_of(rho * (1 if neighbours == AR else 4), delta)
    pairs = _pairs(targets, effort.pick(2, 2, 3), neighbours)
    pairs += [boosting.stretched(*signs, neighbours, k=k) for k in (3, 6, 12)]
    worst = max((concentrated.divergence(*pair, stated), *map(str, pair)) for pair in pairs)
    return Found(delta, worst[0], f"{len(pairs)} pairs at epsilon {stated:.4g}; found is a delta, "
                 f"the worst of {worst[1]} and {worst[2]}")  # fmt: skip


def first_test(fitted):
    """Summary: the first tree's cut, in 64ths of a column in [0, 1], and the signs of its steps."""
    cut = float(fitted.trees_.threshold[0])
    return round(64 * cut, 6), *(fitted.leaf_values_[:2] > 0).tolist()


def on_the_grid(fitted):
    """Summary: the first tree's cut if it is no public one, else the quarter of the column it is in."""
    cut = float(fitted.trees_.threshold[0])
    public = np.isclose(boosting.public_cuts(0.0, 1.0), cut, atol=1e-12).any()
    return int(4 * cut) if public else ("private", round(cut, 9))


def implied_records(fitted, most=3):
    """Summary: how many records of class 1 would explain the difference of two rounds without tests.

    Records in one place have one residual in each round, which the released model says. If both rounds
    had the same noise, the difference of their sums would be the number of records times a public one.
    -1 stands for no number up to `most`.
    """
    sums = np.rint(fitted.pair_sums_[:, 0, 0, 0] * boosting.STEPS)
    scores = fitted.initial_ + np.array([0.0, fitted.leaf_values_[0]])
    step = int(np.subtract(*boosting.class_residuals(scores, np.ones(2, dtype=int))[:, 0]))
    if step == 0 or (sums[0] - sums[1]) % step:
        return -1
    number = int((sums[0] - sums[1]) // step)
    return number if 0 <= number <= most else -1


def registered():
    """The subjects of this file."""
    for kind, (rounds, words) in product(KINDS, ((1, "one round"), (2, "two rounds"))):
        checks = {relation: partial(_rounds, kind, rounds, relation) for relation in (AR, RO)}
        yield from subjects_of(checks, f"boosting, {words}, {kind}, {{}}")
    for kind, neighbours in product(KINDS, (AR, RO)):
        name = f"boosting, delta of a round, {kind}, {neighbours}"
        yield subject(name, partial(_converted, kind, neighbours))
    classifier, fewer = "BoostedForestClassifier", (400, 2000, 10_000)
    two = {"epsilon": 2.0, "n_estimators": 1, "max_depth": 1, "n_records": 4}
    flat = {"epsilon": 1.0, "n_estimators": 2, "max_depth": 0, "n_records": 4}
    four = [[0.1], [0.3], [0.6], [0.9]], [0, 0, 1, 1]
    test = fits(classifier, four, ("add", [0.8], 0), first_test, (300, 4000, 20_000), **two)
    yield subject(f"{classifier}, add-remove", test)
    cuts = fits(classifier, ([[0.111], [0.222]], [0, 1]), ("replace", [0.777], 0), on_the_grid, fewer,
                **two | {"epsilon": 1.0, "neighbours": RO})  # fmt: skip
    yield subject(f"{classifier}, cuts of the public grid", cuts)
    noise = fits(classifier, ([[0.5]], [1]), ("add", [0.5], 1), implied_records, fewer, **flat)
    yield subject(f"{classifier}, noise of two rounds", noise)
