r"""Residuals in whole steps, and the most that one record adds. Derived in :doc:`/book/boosting`.

Whole numbers are summed, so that no rounding depends on the order of the records. Of two classes a residual is
weighted with :math:`1/\max(p, 1 - p)`; of more, shares are rounded **down**: a record's residuals are at most
:math:`2(S - P_y) \le 2S` steps together, and scaled down from the second round on (`clipped`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import MOST, check_integer, check_numbers, check_positive, check_whole

STEPS = 2**16
CLIP = 2**15  # of a record's own class, of more than two, from the second round on
PAIRWISE = 8  # classes from which on NumPy does not add a row's up one by one


class Reach(NamedTuple):
    """The most, in whole steps, that one record adds under add-remove neighbours."""

    mass: int  #: To the score of any one test.
    #: What the noise of the sums of positive and of negative parts is scaled by: a record adds :math:`a` and
    #: :math:`b` to them in L1 norm with :math:`a/up + b/down \le 1`.
    up: int
    down: int  #: As `up`.
    #: The most of the L2 norm of all that it adds, each part in units of its own `up` or `down`.
    norm: float = 1.0


def class_residuals(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    r"""Residuals of classes under a released model.

    `scores`: shape (n_records,) for two classes, or (n_records, n_classes). The released model at each record:
    the log-odds of the second class, or log-weights. `codes`: class of each record, ints of shape (n_records,).
    Returns an array of int64 of shape (n_records, 1) or (n_records, n_classes), in steps: positive for the
    class of the record, at most 0 for the others. Of two classes that of the second one alone, times
    :math:`1/\max(p, 1 - p)`: :math:`\min(1, e^{-f})` for the second and :math:`-\min(1, e^f)` for the first.
    """
    codes = check_whole(codes, "codes", 0)
    scores = check_numbers(scores, "scores", -MOST, MOST)
    if scores.ndim not in (1, 2) or (scores.ndim == 2 and not scores.shape[1]):
        raise ValueError(f"scores must have shape (n_records,) or (n_records, n_classes), got {scores.shape}")
    if codes.shape != scores.shape[:1]:
        raise ValueError(f"codes must be one for each of {len(scores)} scores, got {codes.shape}")
    if scores.ndim == 1:
        second = codes == 1
        pulls = _pulls(np.where(second, scores, -scores))
        return np.where(second, pulls, -pulls)[:, None]
    residuals = -class_shares(scores)
    for k, own in enumerate(residuals.T):
        own[codes == k] += STEPS
    return residuals


def clipped(residuals: np.ndarray, clip: int = CLIP) -> np.ndarray:
    """Residuals of more than two classes, scaled so that none is larger than `clip` steps.

    `residuals`: as of `class_residuals`, int64 of shape (n_records, n_classes); its own class's is a record's
    largest, and the others' together are at most as large. Returns an array of the same shape, rounded towards 0.
    """
    clip = check_integer(clip, "clip", 1, STEPS)
    residuals = check_whole(residuals, "residuals", -STEPS, ndim=2)
    own = residuals.max(axis=1)
    far, found = own > clip, residuals.copy()
    scaled = np.abs(residuals[far]) * clip // own[far, None]
    found[far] = np.where(residuals[far] < 0, -scaled, scaled)
    return found


def _pulls(scores):
    """The residual, in steps, of a record whose own class has these log-odds."""
    return np.floor(STEPS * np.exp(-np.maximum(scores, 0.0))).astype(np.int64)


def class_shares(scores: np.ndarray) -> np.ndarray:
    """Probabilities of more than two classes in steps, rounded down, int64 of shape (n_records, n_classes)."""
    scores = check_numbers(scores, "scores", -MOST, MOST, ndim=2)
    weights = scores.T.copy()  # class by class: rows of a few classes are slow to take sums over
    weights -= weights.max(axis=0)
    np.exp(weights, out=weights)
    many = len(weights) >= PAIRWISE
    weights /= weights.T.copy().sum(axis=1) if many else weights.sum(axis=0)
    weights *= STEPS
    return np.floor(weights, out=weights).astype(np.int64).T


def class_reach(low: ArrayLike, high: ArrayLike, clip: int = STEPS) -> Reach:
    r"""Reach of the residuals of classes, whatever the record.

    Two classes: one of the second adds at most :math:`S \min(1, e^{-low})` to the positive parts, or one of the
    first :math:`S \min(1, e^{high})` to the negative ones. More: at most :math:`2(S - \min_y P_y)`. A step is
    added for rounding. `low`, `high`: floats, or arrays (n_classes,), bounds of all possible records' scores;
    `clip`: as of `clipped`, of more than two.
    """
    low, high = check_numbers(low, "low", -MOST, MOST), check_numbers(high, "high", -MOST, MOST)
    if low.shape != high.shape or low.ndim > 1 or not low.size:
        raise ValueError(f"low and high must have one shape, got {low.shape} and {high.shape}")
    if low.ndim == 0:
        up, down = (min(int(pull) + 1, STEPS) for pull in _pulls(np.array([low, -high])))
        return Reach(max(up, down), up, down)
    least = min(_least_share(low, high, k) for k in range(len(low)))
    most = min(2 * (STEPS - least) + 2, 2 * check_integer(clip, "clip", 1, STEPS))
    # its own class's part and the others' are each at most half of it
    return Reach(most, most, most, math.sqrt(0.5))


def _least_share(low: np.ndarray, high: np.ndarray, k: int) -> int:
    """Share of class k where its own score is lowest and the others' are highest, in steps."""
    worst = np.array(high, dtype=np.float64)
    worst[k] = low[k]
    return int(class_shares(worst[None, :])[0, k])


def target_residuals(means: np.ndarray, targets: np.ndarray, clip: float) -> np.ndarray:
    """Residuals of targets, clipped, as shares of the clip.

    `means`, `targets`: the released model and the targets, as shares of the public interval, shape (n_records,);
    `clip`: public, positive. Returns an array of int64 of shape (n_records, 1), between -STEPS and STEPS.
    """
    means = check_numbers(means, "means", -MOST, MOST, ndim=1)
    targets = check_numbers(targets, "targets", -MOST, MOST, ndim=1)
    clip = check_positive(clip, "clip")
    if means.shape != targets.shape:
        raise ValueError(f"means must be one for each target, got {means.size} of {targets.size}")
    shares = np.clip((targets - means) / clip, -1.0, 1.0)
    return np.rint(STEPS * shares).astype(np.int64)[:, None]


# A record votes S + r for up and S - r for down, 2 S together, as in BoundedMean.
TARGET_REACH = Reach(STEPS, 2 * STEPS, 2 * STEPS)
