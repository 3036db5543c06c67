"""What results say: curves, paired differences, and which of two methods is better.

Differences are paired: all methods see the same splits, so a difference is a mean over repetitions
with a standard error, and it counts if it is more than `SIGMAS` of these from 0.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from dplit.experiments.cells import get
from dplit.experiments.measures import LOWER_IS_BETTER

SIGMAS = 2.0


class NotRun(LookupError):
    """A question needs cells that the result does not have."""


def key(result, data, method, reading="published", label="", **at):
    """Key of one cell that is there.

    Parameters
    ----------
    result : dplit.experiments.result.Result
    data, method, reading, label : str
        As in `dplit.experiments.Cell`.
    **at
        Parameters of the cell.

    Raises
    ------
    NotRun
        If it is not.
    """
    for cell in get(result.experiment).cells:
        same = (cell.data, cell.method, cell.reading) == (data, method, reading)
        if same and cell.label == label and all(cell.params.get(n) == v for n, v in at.items()):
            if cell.key in result.cells:
                return cell.key
    raise NotRun(f"{result.experiment} has no cell {data}/{label or method}/{reading} {at or ''}")


def mean(result, *of, **at):
    """Mean score of one cell, by `key`."""
    return float(result.mean(key(result, *of, **at)))


def curve(result, method, reading, name, *, data=None, **fixed):
    """The points of one curve.

    Parameters
    ----------
    result : dplit.experiments.result.Result
    method, reading : str
    name : str
        The parameter along the curve; None for the one point of a method that it does not affect.
    data : str, optional
        Data set, where the experiment has several.
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
        for c in get(result.experiment).cells
        if (c.method, c.reading, {*c.at}) == (method, reading, at)
        and data in (None, c.data)
        and all(c.params[n] == v for n, v in fixed.items())
        and c.key in result.cells
    }
    if not found:
        raise NotRun(f"{result.experiment} has no points of {method} ({reading}) along {name}")
    return dict(sorted(found.items(), key=lambda item: (item[0] is not None, item[0])))


def gain(result, a, b):
    """How much better cell `a` is than cell `b`: mean and standard error of the paired difference."""
    lower = LOWER_IS_BETTER[get(result.experiment).cell(a).measure]
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
    lower = LOWER_IS_BETTER[get(result.experiment).cell(next(iter(points.values()))).measure]
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


def rising(result, keys):
    """True if the last point is above the first, and none below an earlier one by more than chance."""
    means = [float(result.mean(k)) for k in keys]
    errors = [float(result.deviation(k)) / len(result.scores(k)) ** 0.5 for k in keys]
    falls = (
        means[i] - means[j] > SIGMAS * (errors[i] ** 2 + errors[j] ** 2) ** 0.5
        for i, j in combinations(range(len(keys)), 2)
    )
    return means[-1] > means[0] and not any(falls)


def outcome(result, a, b):
    """How cell `a` did against cell `b`: "win", "tie" or "loss".

    A tie is a difference of means of no more than one standard deviation, the larger of the two (RDF,
    section 5.2), over the repetitions that both have.
    """
    n = min(len(result.scores(k)) for k in (a, b))
    one, two = (result.scores(k)[:n] for k in (a, b))
    apart = one.mean() - two.mean()
    if abs(apart) <= max(one.std(ddof=1), two.std(ddof=1)):
        return "tie"
    return "win" if apart > 0 else "loss"


def signed_rank(result, a, b):
    """Two-sided p-value of Wilcoxon's signed-rank test of cell `a` against `b`, paired; 1 if all are equal."""
    from scipy.stats import wilcoxon

    n = min(len(result.scores(k)) for k in (a, b))
    first, second = (result.scores(k)[:n] for k in (a, b))
    return 1.0 if (first == second).all() else float(wilcoxon(first, second).pvalue)


def points_of(result, points):
    """A curve in words: "2: 0.0091, 4: 0.0087"."""
    return ", ".join(f"{v:g}: {float(result.mean(k)):.3g}" for v, k in points.items())
