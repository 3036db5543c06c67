"""What the papers write about their figures, as predicates on our runs.

A `Sentence` quotes one statement in our words and decides it from a result. Differences are paired:
all methods see the same splits, so a difference is a mean over repetitions with a standard error,
and it counts if it is more than `SIGMAS` of these from 0. A sentence whose cells are not run is not
decided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dplit.experiments import core
from dplit.experiments.measures import LOWER_IS_BETTER

SIGMAS = 2.0


@dataclass(frozen=True)
class Sentence:
    """One statement about a figure.

    Attributes
    ----------
    experiment : str
        Id of the figure.
    says : str
        The statement, in our words.
    test : callable
        ``test(result, *others) -> (holds, numbers)``.
    others : tuple of str
        Ids of further experiments that it needs.
    """

    experiment: str
    says: str
    test: Callable
    others: tuple = ()


_sentences: list[Sentence] = []


def sentence(experiment, says, others=()):
    """Register the decorated ``test(result, ...) -> (holds, numbers)`` as a `Sentence`."""

    def register(test):
        _sentences.append(Sentence(experiment, says, test, tuple(others)))
        return test

    return register


def of(id):
    """The sentences about one figure, tuple of Sentence."""
    return tuple(s for s in _sentences if s.experiment == id)


class NotRun(LookupError):
    """A sentence needs cells that the result does not have."""


def curve(result, method, reading, name, **fixed):
    """The points of one curve.

    Parameters
    ----------
    result : dplit.experiments.store.Result
    method, reading : str
    name : str
        The parameter along the curve; None for the one point of a method that it does not affect.
    **fixed
        Values of the other parameters that the experiment varies.

    Returns
    -------
    dict of value to key, in increasing order; at least one

    Raises
    ------
    NotRun
        If no point is there.
    """
    at = {*fixed, *([name] if name else [])}
    found = {
        c.params.get(name): c.key
        for c in core.get(result.experiment).cells
        if (c.method, c.reading, {*c.at}) == (method, reading, at)
        and all(c.params[n] == v for n, v in fixed.items())
        and c.key in result.cells
    }
    if not found:
        raise NotRun(f"{result.experiment} has no points of {method} ({reading}) along {name}")
    return dict(sorted(found.items(), key=lambda item: (item[0] is not None, item[0])))


def gain(result, a, b):
    """How much better cell `a` is than cell `b`: mean and standard error of the paired difference."""
    lower = LOWER_IS_BETTER[core.get(result.experiment).cell(a).measure]
    first, second = result.scores(a), result.scores(b)
    n = min(len(first), len(second))
    differences = (second[:n] - first[:n]) if lower else (first[:n] - second[:n])
    return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(n))


def better(result, a, b):
    """True if `a` is better than `b` by more than chance."""
    mean, error = gain(result, a, b)
    return mean > SIGMAS * error


def best(result, points):
    """The value at which a curve is best, by its means."""
    lower = LOWER_IS_BETTER[core.get(result.experiment).cell(next(iter(points.values()))).measure]
    means = {value: float(result.mean(key)) for value, key in points.items()}
    return (min if lower else max)(means, key=means.get)


def improves(result, points):
    """True if a curve's last point is better than its first."""
    keys = list(points.values())
    return better(result, keys[-1], keys[0])


def turns(result, points):
    """True if a curve first improves and then gets worse: its best point is better than both ends."""
    keys = list(points.values())
    top = points[best(result, points)]
    return top not in (keys[0], keys[-1]) and all(
        better(result, top, k) for k in (keys[0], keys[-1])
    )


def wins(result, ours, theirs):
    """At how many of the values that both curves have the first has the better mean, and of how many."""
    shared = [v for v in ours if v in theirs]
    return sum(gain(result, ours[v], theirs[v])[0] > 0 for v in shared), len(shared)


def decide(sentence, result, others=()):
    """Whether a sentence holds, and the numbers that decide it: (bool or None, str)."""
    try:
        holds, numbers = sentence.test(result, *others)
    except NotRun as missing:
        return None, str(missing)
    return bool(holds), numbers


def said(result, points):
    """A curve in words: "2: 0.0091, 4: 0.0087"."""
    return ", ".join(f"{v:g}: {float(result.mean(k)):.3g}" for v, k in points.items())
