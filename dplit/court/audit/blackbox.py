r"""Lower bounds on a mechanism's privacy loss from draws alone. Derived in :doc:`/book/audit`.

The draws must be independent, and nothing of their second half may enter the choice of the event. An epsilon that
a mechanism declares is refuted when it lies below the bound, and never confirmed. Throughout: a bound at
`confidence`, between 0 and 1, is false with a probability of at most ``1 - confidence``. Outcomes are numbers,
hashables, or rows of arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_integer, check_rng

BINS = 256  # an ordered output with more distinct values is cut at quantiles of the first half
BLOCKS = 16  # fixed, so that draws do not depend on n_jobs


@dataclass(frozen=True)
class Event:
    """A set of outcomes: listed ones, or for numbers a union of intervals.

    With `edges`, interval i holds the numbers x with ``edges[i - 1] < x <= edges[i]``; the first and the last one
    are unbounded.
    """

    members: frozenset  #: Outcomes; with `edges`, positions of intervals.
    edges: tuple[float, ...] | None = None

    def __contains__(self, outcome):
        if self.edges is None:
            return outcome in self.members
        return int(np.searchsorted(self.edges, outcome)) in self.members

    def __str__(self):
        if self.edges is None:
            few = sorted(map(repr, self.members))
            return "{" + ", ".join(few[:4]) + (f", ... {len(few)} in all" if few[4:] else "") + "}"
        ends = (-math.inf, *self.edges, math.inf)
        runs = []
        for i in sorted(self.members):
            if runs and runs[-1][1] == ends[i]:
                runs[-1][1] = ends[i + 1]
            else:
                runs.append([ends[i], ends[i + 1]])
        shown = [_interval(a, b) for a, b in runs]
        return " or ".join(shown[:3]) + (f" or ... {len(shown)} in all" if shown[3:] else "")


def _interval(low, high):
    if math.isinf(low):
        return f"x <= {high:.6g}" if math.isfinite(high) else "any x"
    return f"x > {low:.6g}" if math.isinf(high) else f"{low:.6g} < x <= {high:.6g}"


@dataclass(frozen=True)
class LowerBound:
    """What the draws prove: the mechanism loses at least `epsilon` between the two inputs."""

    epsilon: float  #: 0 if the draws show nothing.
    event: Event
    likelier: str  #: The input on which the event is the likelier, "data" or "neighbour".
    counts: tuple[int, int]  #: Draws of the second half in the event: on data, on neighbour.
    confidence: float
    n_draws: int

    def __str__(self):
        first, second = self.counts
        return (
            f"epsilon at least {self.epsilon:.3g}: {self.event} ({first} draws on data, {second} on the neighbour)"
        )


def epsilon_lower_bound(
    mechanism: Callable, data: object, neighbour: object, *, n_draws: int = 10_000,
    confidence: float = 0.999, rng: np.random.Generator, summary: Callable | None = None,
    n_jobs: int | None = None
) -> LowerBound:  # fmt: skip
    """Return a lower bound on the privacy loss of a black box between two inputs.

    ``mechanism(data, rng)`` draws one output; one with ``draw_many(data, size, rng)``, which returns `size`
    outputs, is asked for that. Of the `n_draws` on each input, at least 4, half pick the event; they are the same
    for any number of processes `n_jobs`, as in joblib. What `summary` returns of an output, or the output itself,
    is the outcome: post-processing never adds loss, so any summary is honest; one with few outcomes is sharper.

    Examples
    --------
    >>> import numpy as np
    >>> from dplit import audit
    >>> from dplit.mechanisms import SmoothExponential
    >>> draw = lambda counts, rng: SmoothExponential(1.0).sample(counts, rng=rng)
    >>> rng = np.random.default_rng(0)
    >>> audit.epsilon_lower_bound(draw, [1, 0], [2, 0], rng=rng, n_draws=5000).epsilon > 1.0
    True
    """
    check_confidence(confidence)
    options = {"n_draws": n_draws, "rng": rng, "summary": summary, "n_jobs": n_jobs}
    return bound_from_draws(*draw_pair(mechanism, data, neighbour, **options), confidence)


def draw_pair(
    mechanism: Callable, data: object, neighbour: object, *, n_draws: int, rng: np.random.Generator,
    summary: Callable | None = None, n_jobs: int | None = None
) -> tuple:  # fmt: skip
    """Return `n_draws` outcomes on each of two inputs; parameters as of `epsilon_lower_bound`."""
    check_integer(n_draws, "n_draws", 4)
    streams = check_rng(rng).spawn(2)
    return tuple(
        draw(mechanism, x, n_draws, rng=stream, summary=summary, n_jobs=n_jobs)
        for x, stream in zip((data, neighbour), streams)
    )


def bound_from_draws(first: Sequence, second: Sequence, confidence: float = 0.999) -> LowerBound:
    """Return `epsilon_lower_bound` of outcomes already drawn, as many on either input, in random order."""
    n, half = len(first), len(first) // 2
    if len(second) != n or n < 4:
        raise ValueError(f"first and second must hold as many outcomes, at least 4, got {n}, {len(second)}")
    error = (1 - check_confidence(confidence)) / 2
    picked = _pick(outcomes(first[:half]), outcomes(second[:half]), error)
    return replace(bound_of_event(*picked, first[half:], second[half:], confidence), n_draws=n)


def bound_of_event(
    event: Event, likelier: str, first: Sequence, second: Sequence, confidence: float = 0.999
) -> LowerBound:
    """Return the lower bound of an event that was fixed before any draw, and of the input where it is likelier.

    All draws on data and on neighbour count: the proof is that of `bound_from_draws` without its first half.
    """
    error = (1 - check_confidence(confidence)) / 2
    counts = tuple(count(event, outcomes(side)) for side in (first, second))
    sizes = len(first), len(second)
    way = 1 if likelier == "data" else -1
    (more, fewer), (n, m) = counts[::way], sizes[::way]
    low, high = lower_limit(more, n, error), upper_limit(fewer, m, error)
    epsilon = max(0.0, math.log(low / high)) if low > 0 else 0.0
    return LowerBound(epsilon, event, likelier, counts, float(confidence), n)


def draw(
    mechanism: Callable, data: object, size: int, *, rng: np.random.Generator,
    summary: Callable | None = None, n_jobs: int | None = None
) -> list | np.ndarray:  # fmt: skip
    """Return `size` outputs of `mechanism` on `data`, summarised, as a list or an array."""
    sizes = [len(range(b, size, BLOCKS)) for b in range(BLOCKS)]
    work = [(mechanism, data, m, stream, summary) for m, stream in zip(sizes, rng.spawn(BLOCKS))]
    if n_jobs is None or n_jobs == 1:
        blocks = [_block(*task) for task in work]
    else:
        from joblib import Parallel, delayed

        blocks = Parallel(n_jobs=n_jobs)(delayed(_block)(*task) for task in work)
    if all(isinstance(block, np.ndarray) for block in blocks):
        return np.concatenate([block for block in blocks if len(block)])
    return [outcome for block in blocks for outcome in block]


def _block(mechanism, data, size, rng, summary):
    if hasattr(mechanism, "draw_many"):
        outputs = mechanism.draw_many(data, size, rng)
        return outputs if summary is None else [summary(output) for output in outputs]
    summary = summary or (lambda output: output)
    return [summary(mechanism(data, rng)) for _ in range(size)]


def outcomes(outputs: Sequence) -> list | np.ndarray:
    """Return outcomes that can be compared: an array of numbers where all are, else a list of hashables."""
    if isinstance(outputs, np.ndarray) and outputs.ndim == 1 and outputs.dtype.kind in "biuf":
        return _numbers(outputs)
    outputs = [_plain(output) for output in outputs]
    if all(isinstance(output, Real) for output in outputs):
        return _numbers(np.array(outputs, dtype=np.float64))
    return outputs


def _numbers(values):
    """Floats; NaN would fall into no interval, so it is one of its own, above all numbers."""
    values = np.asarray(values, dtype=np.float64)
    return np.where(np.isnan(values), np.inf, values)


def _plain(output):
    if isinstance(output, np.generic):
        return output.item()
    if isinstance(output, np.ndarray):
        return output.item() if output.ndim == 0 else (output.shape, output.tobytes())
    try:
        hash(output)
    except TypeError:
        raise TypeError(
            f"mechanism must return numbers, hashables or arrays, got {type(output).__name__}: "
            "pass a summary that turns it into one"
        ) from None
    return output


def _pick(first, second, error):
    """The event that promises the best bound, and the input where it is likelier.

    One half of these draws orders the outcomes by likelihood ratio, the other says where to cut, so that outcomes
    which led by luck do not look good for the same reason. Ordered outcomes offer half-lines as well.
    """
    edges, names, first, second = _coded(first, second)
    cut = len(first) // 2
    early, late = (
        [np.bincount(side[part], minlength=len(names)) for side in (first, second)]
        for part in (slice(cut), slice(cut, None))
    )
    best = (-np.inf, None, None)
    for likelier, way in (("data", 1), ("neighbour", -1)):
        (a, b), (more, fewer) = early[::way], late[::way]
        orders = [np.argsort(-(a + 0.5) / (b + 0.5), kind="stable")]
        if edges is not None:
            orders += [np.arange(len(a)), np.arange(len(a))[::-1]]
        for order in orders:
            bounds = _promise(more[order].cumsum(), fewer[order].cumsum(), 2 * cut, error)
            i = int(bounds.argmax())
            if bounds[i] > best[0]:
                best = (bounds[i], frozenset(names[j] for j in order[: i + 1].tolist()), likelier)
    return Event(best[1], edges if edges is None else tuple(edges.tolist())), best[2]


def _coded(first, second):
    """Edges (None of outcomes that are not all numbers), names of the outcomes, and their codes."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        edges = _edges(np.concatenate([first, second]))
        codes = (np.searchsorted(edges, side) for side in (first, second))
        return edges, list(range(len(edges) + 1)), *codes
    names = list(dict.fromkeys([*first, *second]))
    position = {name: i for i, name in enumerate(names)}
    return None, names, *(np.array([position[o] for o in side]) for side in (first, second))


def _promise(more, fewer, draws, error):
    """The bound that these frequencies would give, were they those of `draws` draws."""
    scale = draws / max(more[-1], 1)
    with np.errstate(divide="ignore"):
        low = np.log(lower_limit(more * scale, draws, error))
    return low - np.log(upper_limit(np.minimum(fewer * scale, draws), draws, error))


def _edges(values):
    """Upper ends of the intervals: distinct values if few, else quantiles of the pooled draws."""
    distinct = np.unique(values)
    if len(distinct) > BINS:
        levels = np.arange(1, BINS) / BINS
        return np.unique(np.quantile(values, levels, method="inverted_cdf"))
    return distinct[:-1]


def count(event: Event, drawn: list | np.ndarray) -> int:
    """Return how many of the draws fall into an event, which was fixed before they were made."""
    if event.edges is None:
        return sum(outcome in event for outcome in drawn)
    drawn = drawn if isinstance(drawn, np.ndarray) else [_as_number(o) for o in drawn]
    return int(np.isin(np.searchsorted(event.edges, drawn), list(event.members)).sum())


def _as_number(outcome):
    """What is not a number where numbers were expected counts as NaN does: above all of them."""
    number = isinstance(outcome, Real) and outcome == outcome
    return float(outcome) if number else math.inf


def lower_limit(successes: ArrayLike, draws: int, error: float) -> float | np.ndarray:
    """One-sided Clopper-Pearson: the probability is at least this, except with `error`."""
    from scipy.special import betaincinv

    k = np.asarray(successes, dtype=np.float64)
    some = np.where(k > 0, k, 1.0)
    return np.where(k > 0, betaincinv(some, draws - some + 1, error), 0.0)[()]


def upper_limit(successes: ArrayLike, draws: int, error: float) -> float | np.ndarray:
    """One-sided Clopper-Pearson: the probability is at most this, except with `error`."""
    from scipy.special import betainccinv

    k = np.asarray(successes, dtype=np.float64)
    few = np.where(k < draws, k, draws - 1.0)
    return np.where(k < draws, betainccinv(few + 1, draws - few, error), 1.0)[()]


def check_confidence(confidence: float) -> float:
    """Return `confidence`; it must be a number between 0 and 1, both excluded."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    return confidence
