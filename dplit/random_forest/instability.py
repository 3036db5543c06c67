"""A valid use of smooth sensitivity for a label: measure the distance to instability first (ours).

The distance d of a leaf to instability is the number of steps to a leaf whose majority one step can change. With
noise it must pass a threshold, or ``None`` is released and not the majority (Dwork and Roth 2014, section 7.3);
a uniform class in place of ``None`` is post-processing. Derived in :doc:`/book/random_forest`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground import errors


def distance_to_instability(gap: ArrayLike, neighbours: str = "add-remove") -> int:
    r"""Steps from a leaf to one whose majority one more step can change.

    :math:`\max(j-1, 0)` under add-remove and :math:`\max(\lceil j/2\rceil - 1, 0)` under replace-one,
    as in :prf:ref:`thm-smooth-sensitivity`.
    """
    j = _check_gap(gap)
    steps = j if errors.check_neighbours(neighbours) == "add-remove" else (j + 1) // 2
    return np.maximum(steps - 1, 0)


def stable_sample(
    counts: ArrayLike, epsilon: float, delta: float, neighbours: str = "add-remove", *, rng: np.random.Generator
) -> np.ndarray:
    r"""Majority of each leaf where its noisy distance passes the threshold of `stable_release`, and -1 elsewhere.

    A majority of a tie is the first of the largest counts; ties are unstable, so it is released with probability
    `delta`. `counts`: at least two classes, ints of shape (..., n_classes); `epsilon`, `delta`, `neighbours` as in
    `stable_release`. Returns an array of int of shape (...).
    """
    counts = errors.check_counts(counts)
    if counts.shape[-1] < 2:
        raise ValueError(f"counts must have at least two classes, got shape {counts.shape}")
    low, high = np.moveaxis(np.sort(counts, axis=-1)[..., -2:], -1, 0)
    distance = distance_to_instability(high - low, neighbours)
    noise = errors.check_rng(rng).laplace(scale=1 / errors.check_epsilon(epsilon), size=distance.shape)
    passed = distance + noise > -np.log(2 * _check_delta(delta)) / epsilon
    return np.where(passed, counts.argmax(axis=-1), -1)


def stable_release(gap: int, epsilon: float, delta: float, neighbours: str = "add-remove") -> float:
    r"""Probability that the test of distance is passed and the majority released.

    .. math:: \Pr[d + \mathrm{Lap}(1/\epsilon) > T], \qquad T = \tfrac1\epsilon \ln\tfrac{1}{2\delta}

    It is :math:`\delta` where :math:`d = 0`. Released or not, the answer is (`epsilon`, `delta`)-private, and with
    no smaller delta: two unstable neighbours with different majorities have only ``None`` in common.
    :prf:ref:`thm-instability`.
    `gap`, `neighbours` as in `distance_to_instability`; `delta`: positive, at most 1/2.
    """
    return _passed(gap, epsilon, delta, neighbours, 1)


def stable_error(
    gap: np.ndarray, epsilon: float, delta: float, neighbours: str = "add-remove", classes: int = 2
) -> np.ndarray:
    r"""Probability of another label than the majority, :math:`j \ge 1`, with a uniform class where the test fails.

    :math:`1 - \frac1k` of the probability that it fails. The label is then one of `classes`, each possible for
    every leaf, and `epsilon`-private up to `pure_delta`. For two classes it errs more than permute-and-flip,
    which is best (`error_lower_bound`); with six or more it can err less: :prf:ref:`thm-instability-classes`.
    `gap`, `epsilon`, `delta`, `neighbours` as in `stable_release`.
    """
    failed = _passed(gap, epsilon, delta, neighbours, -1)
    return failed * (1 - 1 / errors.check_integer(classes, "classes", 2))


def pure_delta(epsilon: float, classes: int = 2) -> float:
    r"""The largest delta, at most 1/2, for which the label of `stable_error` is `epsilon`-private.

    :math:`\frac{e^\epsilon - 1}{e^\epsilon - 1 + k}`, which is :math:`\tanh(\epsilon/2)` for two classes: two
    unstable neighbours with different majorities give a label :math:`\delta + \frac{1-\delta}{k}` and
    :math:`\frac{1-\delta}{k}`. :prf:ref:`thm-instability-classes`.
    """
    gain = np.expm1(errors.check_epsilon(epsilon))
    return float(min(0.5, 1 / (1 + errors.check_integer(classes, "classes", 2) / gain)))


def delta_error_bound(gap: ArrayLike, epsilon: float, delta: float) -> float | np.ndarray:
    r"""Least probability of the minority of two classes at gap :math:`j` under (`epsilon`, `delta`).

    .. math:: \max\Bigl(0,\ \frac{\alpha^j}{2} - \delta\, \frac{\alpha (1 - \alpha^j)}{1 - \alpha}\Bigr),
              \qquad \alpha = e^{-\epsilon}

    Add-remove, for mechanisms that treat the class names alike. At a tie both labels have probability 1/2, and
    each record more takes an error :math:`e` to :math:`\alpha(e - \delta)` at least. The mechanism that errs
    exactly this often is private, so the bound is attained; with :math:`\delta = 0` it is permute-and-flip.
    :prf:ref:`thm-delta-optimum`. `delta`: at least 0 and at most 1/2.
    """
    rate, gap = min(errors.check_epsilon(epsilon), errors.MOST), _check_gap(gap)
    delta = 0.0 if delta == 0 else _check_delta(delta)
    spent = delta * np.exp(-rate) * np.expm1(-rate * gap)
    return np.maximum(0, np.exp(-rate * gap) / 2 - spent / np.expm1(-rate))


def _passed(gap: int, epsilon: float, delta: float, neighbours: str, sign: int) -> float:
    """Probability that the test is passed, or for sign -1 failed, each without cancellation."""
    distance = distance_to_instability(gap, neighbours)
    excess = sign * (errors.check_epsilon(epsilon) * distance + np.log(2 * _check_delta(delta)))
    tail = 0.5 * np.exp(-np.abs(excess))
    return np.where(excess > 0, 1 - tail, tail)[()]


def _check_gap(gap: int) -> np.ndarray:
    return errors.check_whole(gap, "gap", 0)


def _check_delta(delta: float) -> float:
    if errors.check_positive(delta, "delta") > 0.5:
        raise ValueError(f"delta must be at most 1/2, got {delta!r}")
    return float(delta)
