r"""Where a regression begins: centre and spread of the targets, from noisy counts in public bins.

It reads the release alone. Why counts and not a noisy mean: :doc:`/book/boosting`.
"""

from functools import cache

import numpy as np
from scipy.special import ndtr

from dplit.ground.errors import MOST_INTEGER, check_epsilon, check_integer, check_whole
from dplit.mechanisms.exponential import normalised

BINS = 128  # equal ones of the public interval
UNLIKE = 0.2  # of a bin's expected count: how far a law of targets is from any normal one
ELSEWHERE = 0.05  # share of the targets that no normal law accounts for
TIMES, WRONG = 0.45 ** np.arange(-1.0, 2), 0.5  # the records over the number told, deviation of the ratio's log
SURE = {1: 9.0, 4: 13.0, 16: 26.0, 32: 36.0}  # runs of bins, and noises that no empty one has, but in 1 fit of 70
TEMPER = 0.5  # of the density: no law of targets is quite one of these
WITHIN, DEVIATIONS = 2.0 ** np.arange(-5, 1), 2.0  # how far from the centre; of the noise of a second moment
USUAL, APART = 0.15, 0.7  # a spread before anything is seen, in shares of the interval; deviation of its log


@cache
def _laws() -> tuple:
    """Centres, spreads, and the share of each bin under the law of each: shapes (c,), (s,), (c, s, BINS)."""
    centres, spreads = (np.arange(0, BINS, 2) + 1) / BINS, np.geomspace(0.25 / BINS, 0.4, 12)
    below = ndtr((np.arange(BINS + 1) / BINS - centres[:, None, None]) / spreads[:, None])
    below[..., 0], below[..., -1] = 0.0, 1.0
    return centres, spreads, (1 - ELSEWHERE) * np.diff(below) + ELSEWHERE / BINS


def target_start(counts: np.ndarray, epsilon: float, n_records: int) -> tuple[float, float]:
    """Centre and spread of targets, as shares of their public interval.

    `counts`: noisy, whole numbers of shape (BINS,), of equal bins; `epsilon`: what they cost; `n_records`:
    public, or released; half or twice as many may be right. Posterior means, of the spread a geometric one,
    over normal laws that are clipped to the interval, each with a twentieth of the targets anywhere; a
    count may lie off its law by the noise and a fifth of itself. What the laws lack where no noise explains
    it, as a second hump, is added.
    """
    counts = check_whole(counts, "counts", -MOST_INTEGER, MOST_INTEGER, ndim=1)
    epsilon, n_records = check_epsilon(epsilon), check_integer(n_records, "n_records", 0)
    if counts.shape != (BINS,):
        raise ValueError(f"counts must be of {BINS} bins, got {counts.shape}")
    centres, spreads, shares = _laws()
    logs = [TEMPER * _density(counts, epsilon, times * n_records * shares) for times in TIMES]
    logs -= np.square(np.log(TIMES) / WRONG)[:, None, None] / 2
    logs -= np.square(np.log(spreads / USUAL) / APART) / 2
    weights = normalised(np.ravel(logs)).reshape(len(TIMES), *shares.shape[:2])
    centre = weights.sum(axis=(0, 2)) @ centres
    spread = np.exp(weights.sum(axis=(0, 1)) @ np.log(spreads))
    under = n_records * np.tensordot(np.tensordot(TIMES, weights, 1), shares, 2)
    centre, spread = _with_more(centre, spread, under, _unexplained(counts - under, epsilon))
    return float(centre), float(min(max(spread, _least(counts, epsilon, centre)), 0.5))


def _least(counts, epsilon, centre):
    """The spread that second moments around the centre tell, less what noise may add: a long tail fills no bin."""
    away = np.square((np.arange(BINS) + 0.5) / BINS - centre)
    squares = np.where(away <= np.square(WITHIN)[:, None], away, 0.0)
    surely = squares @ counts - DEVIATIONS * np.sqrt(2 * np.square(squares).sum(axis=1)) / epsilon
    return np.sqrt(max(surely.max(), 0.0) / max(counts.sum(), 1))


def _unexplained(more, epsilon):
    """What the law lacks in bins and runs of bins that noise does not fill, elsewhere 0."""
    found = np.zeros(BINS)
    for run, noises in SURE.items():
        each = (more - found).reshape(-1, run).mean(axis=1)
        found = found + np.repeat(np.where(run * each > noises / epsilon, each, 0.0), run)
    return found


def _with_more(centre, spread, under, more):
    """Mean and deviation of the normal law and of what no noise explains beside it."""
    total, places = under.sum() + more.sum(), (np.arange(BINS) + 0.5) / BINS
    if not more.any():
        return centre, spread
    mean = (centre * under.sum() + more @ places) / total
    square = (spread**2 + (centre - mean) ** 2) * under.sum() + more @ (places - mean) ** 2
    return mean, np.sqrt(square / total)


def _density(counts, epsilon, expected):
    """Log-density of the counts under each law, up to a constant."""
    off = UNLIKE * expected
    off += 1 / epsilon + 1e-9
    expected -= counts
    np.abs(expected, out=expected)
    expected /= off
    for _ in range(3):  # an eighth of the logarithms
        off = off[..., ::2] * off[..., 1::2]
    return -expected.sum(axis=-1) - np.log(off).sum(axis=-1)
