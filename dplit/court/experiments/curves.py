"""What results say: curves, paired differences, and which of two methods is better.

Differences are paired: all methods see the same splits. What they decide follows from
`dplit.court.experiments.rule`; each question here is a `rule.Part`. Where a synthetic set is drawn again and
again, a draw is one number, the mean of its splits: draws are independent. A size that a paper prints
of a synthetic set is of its one draw, and has the deviation of our draws (`ahead_once`, `higher_once`).
"""

from itertools import pairwise

import numpy as np

from dplit.court.experiments import rule
from dplit.court.experiments.cells import TEST_SHARE
from dplit.court.experiments.measures import LOWER_IS_BETTER
from dplit.court.experiments.registry import get
from dplit.court.experiments.result import Result


class NotRun(LookupError):
    """A question needs cells that the result does not have."""


def key(result: Result, data: str, method: str, reading: str = "published", label: str = "", **at) -> str:
    """Key of one cell, `at` its parameters; raises `NotRun` if it is not there."""
    for cell in get(result.experiment).cells:
        same = (cell.data, cell.method, cell.reading) == (data, method, reading)
        if same and cell.label == label and all(cell.params.get(n) == v for n, v in at.items()):
            if cell.key in result.cells:
                return cell.key
    raise NotRun(f"{result.experiment} has no cell {data}/{label or method}/{reading} {at or ''}")


def mean(result, *of, **at):
    """Mean score of one cell, by `key`."""
    return float(result.mean(key(result, *of, **at)))


def curve(
    result: Result, method: str, reading: str, name: str | None, *, data: str | None = None, **fixed
) -> dict:
    """The points of one curve: at least one value with its key, in increasing order.

    `name`: the parameter along the curve; None for the one point of a method that it does not affect. `data`:
    the set, where the experiment has several; `fixed`: the other parameters that it varies. Raises `NotRun` if
    no point is there.
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
    """Records tested over records trained in a split of a cell; 0 where draws are independent.

    So they are where all records are trained on in every repetition, and the sentence is about these.
    """
    if cell.draws or "n_queries" in cell.params:
        return 0.0
    share = 1 / cell.folds if cell.folds else TEST_SHARE
    return share / (1 - share)


def over(result, key, numbers, limit=0.0, name=""):
    """That the mean of numbers, one a split of a cell, is above a limit, a `rule.Part`."""
    apart = overlap(get(result.experiment).cell(key))
    return rule.above(numbers, limit, overlap=apart, name=name)


def paired(result, a, b, number=None):
    """Numbers of two cells, one a split, of the splits that both have."""
    first, second = (_numbers(result, k, number) for k in (a, b))
    n = min(len(first), len(second))
    return first[:n], second[:n]


def differences(result, a, b, number=None):
    """How much better cell `a` is than cell `b` in each split that both have, float array.

    `number` picks one of several numbers of a score; more of it is then called better.
    """
    lower = LOWER_IS_BETTER.get(get(result.experiment).cell(a).measure, False)
    first, second = paired(result, a, b, number)
    return second - first if lower else first - second


def by_draw(cell, scores):
    """Scores by draw, shape (draws, splits of each); (repetitions, 1) where data are drawn once.

    A last draw whose splits are not all there is left out.
    """
    splits = cell.draws or 1
    whole = len(scores) // splits * splits
    return scores[:whole].reshape(-1, splits)


def _numbers(result, key, number=None):
    scores = result.scores(key)
    scores = scores if number is None else scores[:, number]
    return by_draw(get(result.experiment).cell(key), scores).mean(axis=1)


def deviation(result: Result, key: str, most: int | None = None):
    """Deviation of a cell's runs on one data set: of its first `most` scores, or pooled over draws."""
    cell, scores = get(result.experiment).cell(key), result.scores(key)[:most]
    if not cell.draws:
        return float(scores.std(ddof=1))
    return float(np.sqrt(by_draw(cell, scores).var(axis=1, ddof=1).mean()))


def gain(result, a, b):
    """How much better cell `a` is than cell `b`: mean and corrected standard error, as in `rule`."""
    found = differences(result, a, b)
    n, apart = len(found), overlap(get(result.experiment).cell(a))
    return float(found.mean()), float(found.std(ddof=1) * np.sqrt(1 / n + apart))


def ahead(result, a, b, by=0.0, number=None):
    """That cell `a` is better than cell `b` by more than `by`, a `rule.Part`."""
    name = f"gain of {_short(a)} over {_short(b)}"
    return over(result, a, differences(result, a, b, number), by, name)


def ahead_once(result, a, b, by):
    """As `ahead`, where `by` is a size that was read off one draw, and has its deviation."""
    return _once(differences(result, a, b), by, f"gain of {_short(a)} over {_short(b)}")


def higher_once(result, a, limit):
    """As `higher`, where `limit` is a score that was read off one draw, and has its deviation."""
    return _once(_numbers(result, a), limit, _short(a))


def _once(numbers, limit, name):
    """Independent numbers against a single one of the same deviation: variance s^2 (1 / n + 1)."""
    variance = len(numbers) * numbers.var(ddof=1) if len(numbers) > 1 else 0.0
    return rule.above(numbers, limit, overlap=0.0, name=name, variance=variance)


def higher(result, a, limit, number=None):
    """That the mean score of cell `a` is above `limit`, a `rule.Part`."""
    return over(result, a, _numbers(result, a, number), limit, _short(a))


def steadier(result, a, b):
    """That scores of cell `a` scatter less than those of cell `b`: by their distances from the median.

    The median is that of a draw, where a synthetic set is drawn again and again.
    """
    n = min(len(result.scores(k)) for k in (a, b))
    near, far = (_distances(result, k, n) for k in (a, b))
    return over(result, a, far - near, 0, f"distance from the median, {_short(b)} less {_short(a)}")


def _distances(result, key, n):
    cell = get(result.experiment).cell(key)
    scores = by_draw(cell, result.scores(key)[:n])
    middle = np.median(scores, axis=1, keepdims=True) if cell.draws else np.median(scores)
    return np.abs(scores - middle).mean(axis=1)


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


def rising(result, keys):
    """That each mean score is above the one before, a `rule.Part`."""
    return rule.all_of(
        over(result, keys[0], second - first, 0, f"{_short(b)} less {_short(a)}")
        for a, b in pairwise(keys)
        for first, second in [paired(result, a, b)]
    )


def outcome(result, a, b):
    """How cell `a` did against cell `b`: "win", "tie" or "loss".

    A tie is a difference of means of no more than one standard deviation, the larger of the two (RDF,
    section 5.2), over the repetitions that both have. The deviation is that of runs on one data set.
    """
    n = min(len(result.scores(k)) for k in (a, b))
    one, two = (result.scores(k)[:n] for k in (a, b))
    apart = one.mean() - two.mean()
    if abs(apart) <= larger_deviation(result, a, b):
        return "tie"
    return "win" if apart > 0 else "loss"


def larger_deviation(result, a, b):
    """The larger `deviation` of two cells, over the repetitions that both have."""
    n = min(len(result.scores(k)) for k in (a, b))
    return max(deviation(result, k, n) for k in (a, b))


def signed_rank(result, a, b):
    """Two-sided p-value of Wilcoxon's signed-rank test of cell `a` against `b`, paired; 1 if all are equal.

    The pairs are the splits, or the draws where a synthetic set is drawn again and again.
    """
    from scipy.stats import wilcoxon

    first, second = paired(result, a, b)
    return 1.0 if (first == second).all() else float(wilcoxon(first, second).pvalue)


def points_of(result, points):
    """A curve in words: "2: 0.0091, 4: 0.0087"."""
    return ", ".join(f"{v:g}: {float(result.mean(k)):.3g}" for v, k in points.items())
