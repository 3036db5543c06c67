r"""The exact privacy loss of small fits: rounds of one test each, one after the other.

Far out the log-ratio of two geometric distributions is the rate times the distance of their centres, so that the
worst outcome of the pair sums costs exactly :math:`\epsilon_v (a/up + b/down)`; the choice has finitely many
outcomes. The next round reads nothing new, if both sums of each pair came out equal.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from dplit.boosting.mass import mass, sums_by_cell
from dplit.boosting.residuals import STEPS, TARGET_REACH, class_reach, class_residuals, clipped, target_residuals
from dplit.ground.errors import MOST, check_integer, check_kind, check_numbers, check_sequence
from dplit.mechanisms import Exponential, PermuteAndFlip

FAR = (-3.0, 3.0)  # steps that a noisy round may release


@dataclass(frozen=True)
class SmallClasses:
    """A model of classes on one column, and what its next round may release.

    A data set is a tuple of records (x, y): x is the number of cuts below the record's value, y its class.
    `scores`: the released model; one output for two classes, shape (n_codes, n_outputs); `level`, `leaf`:
    epsilon of a round's test and of its leaves; `clip`: of more than two classes, the largest residual of a
    record's own (`dplit.boosting.clipped`).
    """

    scores: np.ndarray
    level: float
    leaf: float
    clip: float = 1.0

    def losses(self, data: tuple, other: tuple) -> np.ndarray:
        """As `round_losses`, a test for each cut."""
        sides, *prices = self._sides(data, other)
        return round_losses(sides, self.level, self.leaf, *prices)

    def divergence(self, data: tuple, other: tuple, epsilon: float) -> float:
        """As `round_divergence`: level and leaf are then in rho."""
        sides, *prices = self._sides(data, other)
        return round_divergence(sides, self.level, self.leaf, epsilon, *prices)

    def _sides(self, data: tuple, other: tuple) -> tuple:
        """Residuals and cells of each data set, the reach, and what residuals are added to."""
        low, high = self.scores.min(axis=0), self.scores.max(axis=0)
        two, clip = len(low) == 1, int(self.clip * STEPS)
        reach = class_reach(low[0], high[0]) if two else class_reach(low, high, clip)
        sides = []
        for records in (data, other):
            x, y = np.array(records, dtype=np.int64).reshape(-1, 2).T
            scores = self.scores[x]
            residuals = class_residuals(scores[:, 0], y) if two else clipped(class_residuals(scores, y), clip)
            sides.append((residuals, self._cells(x)))
        return sides, reach, 0

    def after(self, cut: int) -> Iterator:
        """The models that a round with this cut may release: no step, or one up or down on each side.

        Far out a pair may have two equal sums: then no step is made, at the same price.
        """
        yield self
        for below in FAR:
            for above in FAR:
                step = np.zeros_like(self.scores)
                step[: cut + 1, 0], step[cut + 1 :, 0] = below, above
                yield replace(self, scores=self.scores + step)

    def _cells(self, x: np.ndarray) -> np.ndarray:
        return (x > np.arange(len(self.scores) - 1)[:, None]).astype(np.int64)


@dataclass(frozen=True)
class SmallTargets(SmallClasses):
    """A model of targets on one column: y is a share of the public interval; as `SmallClasses`.

    `clip`: of the residuals.
    """

    clip: float = 0.5

    def _sides(self, data: tuple, other: tuple) -> tuple:
        sides = []
        for records in (data, other):
            x, y = np.array(records, dtype=float).reshape(-1, 2).T
            x = x.astype(np.int64)
            residuals = target_residuals(self.scores[x, 0], y, self.clip)
            sides.append((residuals, self._cells(x)))
        return sides, TARGET_REACH, STEPS


def round_losses(sides: Sequence, level: float, leaf: float, reach, shift: int = 0) -> np.ndarray:
    """Largest log-ratio of a round's outcome, for each test that it may have chosen.

    `sides` has for each data set the residuals, ints of shape (n_records, n_outputs), and the cells, 0 or 1, of
    shape (n_tests, n_records). `level`, `leaf`: epsilon of the test and of the pair sums. `shift`: 0, or what a
    record's residual is added to and taken from. Row 0 of the result, shape (2, n_tests), is of the first data
    set over the other, row 1 of the other over the first.
    """
    first, second, moved = _laws(PermuteAndFlip(level, sensitivity=reach.mass), sides, reach, shift)
    ratio = first - second
    return np.array([ratio, -ratio]) + leaf * moved.sum(axis=(1, 2, 3))


def round_divergence(sides: list, level: float, leaf: float, epsilon: float, reach, shift: int = 0) -> float:
    r"""The delta of one zero-concentrated round at `epsilon`: its hockey-stick divergence, both ways.

    The noise of the sums is taken to be Gaussian: it is that of many steps. Of one test the density
    ratio is then that of two normal laws at the distance :math:`\mu`, whose square is :math:`2\rho` times the sum
    of the squared moves, each in units of its own reach.
    `sides`, `reach`, `shift` as of `round_losses`; `level`, `leaf`: rho of the test and of the pair sums.
    """
    mechanism = Exponential(math.sqrt(8 * level), sensitivity=reach.mass)
    first, second, moved = _laws(mechanism, sides, reach, shift)
    distance = np.sqrt(2 * leaf * np.square(moved).sum(axis=(1, 2, 3))) / reach.norm
    found = []
    for p, q in ((first, second), (second, first)):
        with np.errstate(divide="ignore", invalid="ignore"):
            away = (epsilon - (p - q)) / distance
        away = np.where(distance > 0, away, np.where(epsilon >= p - q, np.inf, -np.inf))
        kept = np.exp(p) * norm.cdf(distance / 2 - away)
        found.append(float((kept - np.exp(epsilon + q) * norm.cdf(-distance / 2 - away)).sum()))
    return max(found)


def _laws(mechanism: PermuteAndFlip, sides: list, reach, shift: int) -> tuple:
    """Log-law of the tests on each data set, and by how much each pair of a leaf differs, in reaches."""
    logs, sums = [], []
    for residuals, cells in sides:
        logs.append(mechanism.logpmf([mass(sums_by_cell(residuals, at, 2)) for at in cells]))
        parts = np.maximum(shift + residuals, 0), np.maximum(shift - residuals, 0)
        sums.append([[sums_by_cell(part, at, 2) for part in parts] for at in cells])
    moved = np.abs(np.subtract(*sums)) / np.array([reach.up, reach.down])[:, None, None]
    return *logs, moved


def worst_loss(data: tuple, other: tuple, rounds: int, first: SmallClasses) -> float:
    """Largest log-ratio over outcomes of rounds one after the other, and over both directions.

    `data`, `other`: two neighbouring data sets; `first`: the model before the first of them, SmallClasses or
    SmallTargets. It is over the models that `after` lists; all of them can come out.
    """
    rounds, first = check_integer(rounds, "rounds", 1, 4), check_kind(first, SmallClasses, "first")
    data, other = (_records(side, name, first) for side, name in ((data, "data"), (other, "other")))
    return max(_worst(data, other, rounds, first, way) for way in (0, 1))


def _records(side: tuple, name: str, model: SmallClasses) -> tuple:
    """A data set as a tuple of pairs, each a code of the model's and its class or target."""
    pairs = check_numbers(side, name, 0, MOST)
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise ValueError(f"{name} must be pairs (code, target), got shape {pairs.shape}")
    if pairs.size and not (pairs[:, 0] < len(model.scores)).all():
        raise ValueError(f"{name} must have codes below {len(model.scores)}")
    return tuple(side)


def _worst(data: tuple, other: tuple, rounds: int, model: SmallClasses, way: int) -> float:
    found = model.losses(data, other)[way]
    if rounds == 1:
        return float(found.max())
    return max(
        loss + max(_worst(data, other, rounds - 1, later, way) for later in model.after(cut))
        for cut, loss in enumerate(found.tolist())
    )


def stretched(like: Sequence, unlike: Sequence, neighbours: str = "add-remove", k: int = 6) -> tuple:
    """Two neighbouring data sets on three codes that cost a round of two tests nearly all it may.

    The records of code 1, all unlike, make the second cut much better than the first. One more
    record there that is like those of code 2 adds to the first cut's score and takes from the second's
    as much: the ratio of the first cut's probabilities is as large as its price allows.
    `like`, `unlike`: targets; one more of each of `unlike` takes away what one of `like` adds to the residual
    sums; `neighbours`: the added record of `like`, or one that takes the place of one of `unlike`; `k`: times
    `unlike` occurs at code 1. Returns both as tuples of (code, target).
    """
    like, unlike = check_sequence(like, "like"), check_sequence(unlike, "unlike")
    k = check_integer(k, "k", 1, 1000)
    if not check_numbers(like, "like", -MOST, MOST, ndim=1).size:
        raise ValueError("like must hold at least one target, got none")
    check_numbers(unlike, "unlike", -MOST, MOST, ndim=1)
    below = [(0, y) for y in unlike] * 3
    middle, above = [(1, y) for y in unlike] * k, [(2, y) for y in like] * (k + 3)
    data = (*below, *middle, *above)
    kept = middle[1:] if neighbours == "replace-one" else middle
    return data, (*below, *kept, *above, (1, like[0]))
