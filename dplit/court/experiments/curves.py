"""What results say: curves, paired differences, and which of two methods is better.

All methods see the same splits. What differences decide follows from `dplit.court.experiments.rule`; each question
here is a `rule.Part`. A repetition is a random split; of cross-validation a whole cut, since its folds share it;
of a synthetic set that is drawn again and again a draw, the mean of its splits. A size that a paper prints of a
synthetic set is of its one draw, and has the deviation of our draws (`ahead_once`, `higher_once`).
"""

from itertools import pairwise

import numpy as np

from dplit.court.experiments import rule
from dplit.court.experiments.measures import ERRORS, LOWER_IS_BETTER
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


def over(result, key, numbers, limit=0.0, name="", margin=rule.POINT, cells=()):
    """That the mean of numbers, one a repetition of a cell, is above a limit, a `rule.Part`.

    `cells`: all that the numbers are of, as of `named`, where they are several. Of an error, whose margin is a
    share of it, nothing else is near.
    """
    margin = 0.0 if _is_error(result, key) and margin == rule.POINT else margin
    how = of_cells(result, key) | ({"cells": cells} if cells else {})
    return rule.above(numbers, limit, name=name, margin=margin, **how)


def of_cells(result, *keys):
    """What `rule.above` is told of its numbers: the cells that they are of, and how many it takes."""
    cell = get(result.experiment).cell(keys[0])
    least = rule.LEAST_MEANS if cell.folds and not cell.draws else rule.LEAST
    return {"cells": named(result, *keys), "least": least}


def named(result, *keys):
    """(experiment, key) of each cell."""
    return tuple((result.experiment, key) for key in keys)


def _is_error(result, key):
    return get(result.experiment).cell(key).measure in ERRORS


def paired(result, a, b, number=None):
    """Numbers of two cells, one an independent repetition, of those that both have."""
    first, second = (_numbers(result, k, number) for k in (a, b))
    n = min(len(first), len(second))
    return first[:n], second[:n]


def differences(result, a, b, number=None):
    """How much better cell `a` is than cell `b` in each repetition that both have, float array.

    `number` picks one of several numbers of a score; more of it is then called better.
    """
    first, second = paired(result, a, b, number)
    lower = LOWER_IS_BETTER.get(get(result.experiment).cell(a).measure, False)
    return second - first if lower else first - second


def by_draw(cell, scores, splits=None):
    """Scores by draw, shape (draws, splits of each); (repetitions, 1) where data are drawn once.

    A last draw whose splits are not all there is left out.
    """
    splits = splits or cell.draws or 1
    whole = len(scores) // splits * splits
    return scores[:whole].reshape(-1, splits)


def repetitions(cell, scores):
    """Independent numbers of one law given the records: of each draw, or each cut into folds, the mean."""
    return by_draw(cell, scores, cell.draws or cell.folds).mean(axis=1)


def _numbers(result, key, number=None):
    scores = result.scores(key)
    return repetitions(get(result.experiment).cell(key), scores if number is None else scores[:, number])


def deviation(result: Result, key: str, most: int | None = None):
    """Deviation of a cell's runs on one data set: of its first `most` scores, or pooled over draws."""
    cell, scores = get(result.experiment).cell(key), result.scores(key)[:most]
    if not cell.draws:
        return float(scores.std(ddof=1))
    return float(np.sqrt(by_draw(cell, scores).var(axis=1, ddof=1).mean()))


def reach(result: Result, key: str, most: int | None = None, level: float = 0.05) -> float:
    """Half the width of the interval of a cell's mean on these records, at error `level` at all looks at once.

    Of its first `most` scores; infinite where there is no whole repetition yet.
    """
    numbers = repetitions(get(result.experiment).cell(key), result.scores(key)[:most])
    if not len(numbers):
        return float("inf")
    squares = float(((numbers - numbers.mean()) ** 2).sum())
    return rule.Difference("", 0.0, squares, 0.0, len(numbers)).interval(level)[1]


def gain(result, a, b):
    """How much better cell `a` is than cell `b`: mean and standard error over repetitions."""
    found = differences(result, a, b)
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found)))


def ahead(result, a, b, by=0.0, number=None):
    """That cell `a` is better than cell `b` by more than `by`, a `rule.Part`.

    What does not matter is a point, or a tenth of the other's error.
    """
    gains, margin = differences(result, a, b, number), rule.POINT
    if _is_error(result, a):
        first, second = paired(result, a, b, number)
        margin = second - (1 - rule.TENTH) * first, (1 - rule.TENTH) * second - first
    name = f"gain of {_short(a)} over {_short(b)}"
    return rule.above(gains, by, name=name, margin=margin, **of_cells(result, a, b))


def ahead_once(result, a, b, by):
    """As `ahead`, where `by` is a size that was read off one draw, and has its deviation."""
    name = f"gain of {_short(a)} over {_short(b)}"
    return _once(differences(result, a, b), by, name, of_cells(result, a, b))


def higher_once(result, a, limit):
    """As `higher`, where `limit` is a score that was read off one draw, and has its deviation."""
    return _once(_numbers(result, a), limit, _short(a), of_cells(result, a))


def _once(numbers, limit, name, how):
    """Independent numbers against a single one of the same deviation."""
    deviation = float(numbers.std(ddof=1)) if len(numbers) > 1 else 0.0
    return rule.above(numbers, limit, name=name, deviation=deviation, **how)


def higher(result, a, limit, number=None):
    """That the mean score of cell `a` is above `limit`, a `rule.Part`."""
    margin = rule.TENTH * limit if _is_error(result, a) else rule.POINT
    how = {"name": _short(a), "margin": margin, **of_cells(result, a)}
    return rule.above(_numbers(result, a, number), limit, **how)


def steadier(result, a, b):
    """That scores of cell `a` scatter less than those of cell `b`: by their distances from the median.

    The median is that of a draw, where a synthetic set is drawn again and again.
    """
    n = min(len(result.scores(k)) for k in (a, b))
    near, far = (_distances(result, k, n) for k in (a, b))
    name = f"distance from the median, {_short(b)} less {_short(a)}"
    return over(result, a, far - near, 0, name, cells=named(result, a, b))


def _distances(result, key, n):
    cell = get(result.experiment).cell(key)
    scores = by_draw(cell, result.scores(key)[:n])
    middle = np.median(scores, axis=1, keepdims=True) if cell.draws else np.median(scores)
    return repetitions(cell, np.abs(scores - middle).ravel())


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
        over(result, keys[0], second - first, 0, f"{_short(b)} less {_short(a)}", cells=named(result, a, b))
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

    n = min(len(result.scores(k)) for k in (a, b))
    cell = get(result.experiment).cell(a)
    first, second = (by_draw(cell, result.scores(k)[:n]).mean(axis=1) for k in (a, b))
    return 1.0 if (first == second).all() else float(wilcoxon(first, second).pvalue)


def points_of(result, points):
    """A curve in words: "2: 0.0091, 4: 0.0087"."""
    return ", ".join(f"{v:g}: {float(result.mean(k)):.3g}" for v, k in points.items())
