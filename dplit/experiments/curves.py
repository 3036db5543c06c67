"""What results say: curves, paired differences, and which of two methods is better.

Differences are paired: all methods see the same splits. What they decide follows from
`dplit.experiments.rule`; each question here is a `rule.Part`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from dplit.experiments import rule
from dplit.experiments.cells import TEST_SHARE, get
from dplit.experiments.measures import LOWER_IS_BETTER


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


def overlap(cell):
    """Records tested over records trained in a split of a cell."""
    share = 1 / cell.folds if cell.folds else TEST_SHARE
    return share / (1 - share)


def differences(result, a, b, number=None):
    """How much better cell `a` is than cell `b` in each split that both have, float array.

    `number` picks one of several numbers of a score; more of it is then called better.
    """
    lower = LOWER_IS_BETTER.get(get(result.experiment).cell(a).measure, False)
    first, second = (_numbers(result, k, number) for k in (a, b))
    n = min(len(first), len(second))
    return (second[:n] - first[:n]) if lower else (first[:n] - second[:n])


def _numbers(result, key, number):
    scores = result.scores(key)
    return scores if number is None else scores[:, number]


def gain(result, a, b):
    """How much better cell `a` is than cell `b`: mean and corrected standard error, as in `rule`."""
    found = differences(result, a, b)
    n, apart = len(found), overlap(get(result.experiment).cell(a))
    return float(found.mean()), float(found.std(ddof=1) * np.sqrt(1 / n + apart))


def ahead(result, a, b, by=0.0, number=None):
    """That cell `a` is better than cell `b` by more than `by`, a `rule.Part`."""
    name = f"gain of {_short(a)} over {_short(b)}"
    apart = overlap(get(result.experiment).cell(a))
    return rule.above(differences(result, a, b, number), by, overlap=apart, name=name)


def higher(result, a, limit, number=None):
    """That the mean score of cell `a` is above `limit`, a `rule.Part`."""
    apart = overlap(get(result.experiment).cell(a))
    return rule.above(_numbers(result, a, number), limit, overlap=apart, name=_short(a))


def steadier(result, a, b):
    """That scores of cell `a` scatter less than those of cell `b`: by their distances from the median."""
    apart = overlap(get(result.experiment).cell(a))
    n = min(len(result.scores(k)) for k in (a, b))
    near, far = (np.abs(s - np.median(s)) for s in (result.scores(k)[:n] for k in (a, b)))
    name = f"distance from the median, {_short(b)} less {_short(a)}"
    return rule.above(far - near, overlap=apart, name=name)


def _short(key):
    """A key without its data set's reading, for words."""
    return key.replace("/published", "").replace("/exact", "")


def best(result, points):
    """The value at which a curve is best, by its means."""
    lower = LOWER_IS_BETTER[get(result.experiment).cell(next(iter(points.values()))).measure]
    means = {value: float(result.mean(key)) for value, key in points.items()}
    return (min if lower else max)(means, key=means.get)


def improves(result, points):
    """That a curve's last point is better than its first, a `rule.Part`."""
    keys = list(points.values())
    return ahead(result, keys[-1], keys[0])


def turns(result, points):
    """That a curve first improves and then gets worse: a point between is better than both ends."""
    first, *between, last = points.values()
    return rule.any_of(rule.all_of(ahead(result, k, end) for end in (first, last)) for k in between)


def wins(result, ours, theirs):
    """At how many of the values that both curves have the first has the better mean, and of how many."""
    shared = [v for v in ours if v in theirs]
    return sum(gain(result, ours[v], theirs[v])[0] > 0 for v in shared), len(shared)


def rising(result, keys):
    """That each mean score is above the one before, a `rule.Part`."""
    apart = overlap(get(result.experiment).cell(keys[0]))
    return rule.all_of(
        rule.above(_rise(result, a, b), overlap=apart, name=f"{_short(b)} less {_short(a)}")
        for a, b in pairwise(keys)
    )


def _rise(result, a, b):
    n = min(len(result.scores(k)) for k in (a, b))
    return result.scores(b)[:n] - result.scores(a)[:n]


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
