r"""Printed cells beside ours: side by side, and whether they agree.

What decides is `dplit.court.experiments.rule`, with the margins of :doc:`/book/median_forest_experiments`; the
cells of a table share one rate. Where no deviation is printed (all of v1) ours is taken; a printed number of a
synthetic set is of one draw, and has the deviation of our draws. A weaker rule asks of single runs: is
:math:`|m - p| \le 2 \sqrt{s^2 + q^2} + h`, with :math:`m` and :math:`s` our mean and deviation, :math:`p \pm q`
what is printed, and :math:`h` half a unit of its last digit. Printed cells are held against the reading
"published", or "exact" for a method that is not private.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.stats import t

from dplit.court.experiments import rule
from dplit.court.experiments.curves import curve, of_cells, reach, repetitions
from dplit.court.experiments.measures import ERRORS
from dplit.court.experiments.registry import get
from dplit.court.experiments.result import Result, stored
from dplit.ground import printed

#: Repetitions that a printed mean is of: 10 times 10 folds (MRF, section 5.1; RDF, section 5), and ten where no
#: text says it.
PRINTED_OF = {"mrf": 100, "rdf": 100}
UNSAID = 10
#: Deviation of a run over what is printed beside a mean, where that is no deviation: half the width of Student's
#: 95 % interval from ten runs, with n in the deviation's denominator. The notebook MedianTree_UCI puts out
#: table 1's cells with more digits (github.com/shoryaconsul/DiPriMeFlip_Forest, commit 9f51f0e).
WIDTHS = {"diprime-v2": float(10 / 3 / t.isf(0.025, 9))}


@dataclass(frozen=True)
class Row:
    """One printed cell, and what we got.

    `published` and `proved` are (mean, deviation, epsilon); of a method that is not private `published` is the
    "exact" reading, and `proved` None.
    """

    data: str
    row: str  #: Of the printed table.
    printed: printed.Printed
    published: tuple | None
    proved: tuple | None
    agrees: bool | None  #: Whether both could be single runs of one law; None: not run.
    z: float | None = None  #: Distance of ours from the printed number, in standard errors.
    verdict: str = "not run"  #: Or "agrees", "differs", "undecided".
    why: str = ""  #: Why it does not agree or is not run, as far as it is known.
    part: rule.Part = rule.OPEN  #: What the verdict rests on.


def agree(mean: float, deviation: float, cell: printed.Printed) -> bool:
    """True if our mean and deviation and a printed cell could be single runs of one law: the weaker rule."""
    room = 2 * np.hypot(deviation, _printed_deviation(deviation, cell)) + cell.rounding
    return bool(abs(mean - cell.value) <= room * (1 + 1e-12))


def _printed_deviation(ours, cell):
    return ours if cell.deviation is None else cell.deviation


def held_against(result: Result, key: str, cell: printed.Printed) -> tuple[rule.Part, float]:
    """One cell's scores against a printed number: the `rule.Part` that decides, and z."""
    of = get(result.experiment).cell(key)
    scores = repetitions(of, result.scores(key))
    margin = rule.TENTH * cell.value if of.measure in ERRORS else rule.POINT
    margin += cell.rounding
    own = float(scores.std(ddof=1)) if len(scores) > 1 else 0.0
    runs = PRINTED_OF.get(result.experiment.split("/")[0], UNSAID)
    width = WIDTHS.get(result.experiment.split("/")[0], 1.0)
    run = width * _printed_deviation(float(result.deviation(key)) / width, cell)
    other = own if of.draws else run / np.sqrt(runs)
    part = rule.within(scores, cell.value, margin, name=key, deviation=other, **of_cells(result, key))
    error = np.sqrt(own**2 / len(scores) + other**2)
    away = float(scores.mean()) - cell.value
    return part, float(away / error) if error else 0.0 if not away else float(np.inf) * away


def compare(id: str, result: Result | None = None) -> list[Row]:
    """Every printed cell of a table beside ours, in the printed order, a column after the other.

    The table is named by its experiment, as "diprime-v2/table-1"; without a result it is the one that comes
    with the project.
    """
    result = stored(id) if result is None else result
    experiment, table = get(id), printed.table(id)
    reasons, not_run = printed.why(id), printed.not_run()
    rows = []
    for (data, row), cell in table.cells.items():
        mine = [c for c in experiment.cells if (c.data, c.label or c.method) == (data, row)]
        found = {c.reading: _summary(result, c.key) for c in mine if c.key in result.cells}
        published = found.get("exact", found.get("published"))
        if published is None:
            why = not_run.get(data, "not run yet")
            rows.append(Row(data, row, cell, None, found.get("proved"), None, why=why))
            continue
        key = next(c.key for c in mine if c.reading in ("exact", "published"))
        part, z = held_against(result, key, cell)
        agrees, why = agree(*published[:2], cell), reasons.get(f"{data}/{row}", "")
        rows.append(Row(data, row, cell, published, found.get("proved"), agrees, z, "", why, part))
    level = rule.RATE / max(1, sum(r.published is not None for r in rows))
    return [r if r.published is None else _decided(r, level) for r in rows]


def _decided(row, level):
    verdict = row.part.verdict(level)
    why = "" if verdict == "agrees" and row.agrees else row.why
    return replace(row, verdict=verdict, why=why)


def _summary(result, key):
    epsilon = result.cells[key]["epsilon"]
    epsilon = None if epsilon is None else float(epsilon)
    return float(result.mean(key)), float(result.deviation(key)), epsilon


def side_by_side(id: str, result: Result | None = None, data: str | None = None) -> pd.DataFrame:
    """`compare` as a compact table for a chapter or the command line, of one data set or all.

    One row a printed cell; columns printed (as printed, without the depth), published, proved (mean ± deviation
    in the printed column's unit), runs (whether both could be single runs of one law: "alike", "unlike"), z, and
    verdict ("agrees", "differs", "undecided", "not run").
    """
    table = printed.table(id)
    units = {c["data"]: c.get("unit") for c in table.columns}
    rows = []
    for r in compare(id, result):
        if data is None or r.data == data:
            unit = units[r.data] or 10.0 ** _power(r.printed)
            decimals = round(-np.log10(2 * r.printed.rounding / unit))
            shown = [_shown(part, unit, decimals) for part in (r.published, r.proved)]
            runs = {True: "alike", False: "unlike", None: ""}[r.agrees]
            z = "" if r.z is None else f"{r.z:+.1f}"
            text = r.printed.text.partition(" (")[0]
            rows.append((r.data, r.row, text, *shown, runs, z, r.verdict))
    columns = ["data", "method", "printed", "published", "proved", "runs", "z", "verdict"]
    return pd.DataFrame(rows, columns=columns).set_index(["data", "method"])


def _power(cell):
    return int(cell.text.partition("10^")[2] or 0)


def _shown(part, unit, decimals):
    if part is None:
        return ""
    mean, deviation, _ = part
    return f"{mean / unit:.{decimals}f} ± {deviation / unit:.{decimals}f}"


def tally(rows):
    """How many cells agree, differ, are too close or undecided, and are not run, tuple of int."""
    verdicts = [r.verdict.replace("too close", "undecided") for r in rows]
    return tuple(verdicts.count(v) for v in ("agrees", "differs", "undecided", "not run"))


def series(
    id: str,
    method: str,
    reading: str,
    name: str | None,
    result: Result | None = None,
    *,
    data: str | None = None,
    **fixed,
) -> pd.DataFrame:
    """One curve of a figure, from its result: index the parameter's values; columns mean, deviation, and reach.

    All are of the repetitions that each point has. The mean is known within `reach`, on these records, with
    probability .95 at all looks at once.

    `name` is the parameter along the curve, None for the one point of a method that it does not affect; `data`
    the data set, where the figure has several; `fixed` are values of the other parameters that it varies.
    """
    result = stored(id) if result is None else result
    points = curve(result, method, reading, name, data=data, **fixed)
    n = min((len(result.scores(key)) for key in points.values()), default=None)
    scores = [result.scores(key)[:n] for key in points.values()]
    rows = [
        (float(s.mean()), float(s.std(ddof=1)) if n > 1 else 0.0, reach(result, key, n))
        for key, s in zip(points.values(), scores)
    ]
    return pd.DataFrame(rows, columns=["mean", "deviation", "reach"], index=pd.Index(points, name=name))


def by_set(
    id: str, methods: dict[str, tuple[str, str]], result: Result | None = None, *, reaches: bool = False
) -> pd.DataFrame:
    """Mean scores of several methods on every data set of a figure, in its order; NaN where one is not run.

    `methods` are (method, reading) by the name of a column; a data set's means are of the repetitions that all of
    them have. With `reaches` the reach of each mean, as in `series`.
    """
    result = stored(id) if result is None else result
    found, chosen, n = {column: {} for column in methods}, {}, {}
    for column, of in methods.items():
        for c in get(id).cells:
            if (c.method, c.reading) == of and not c.label and c.key in result.cells:
                chosen[column, c.data] = c.key
                n[c.data] = min(len(result.scores(c.key)), n.get(c.data, len(result.scores(c.key))))
    for (column, data), key in chosen.items():
        number = reach(result, key, n[data]) if reaches else float(result.scores(key)[: n[data]].mean())
        found[column][data] = number
    order = dict.fromkeys(c.data for c in get(id).cells)
    return pd.DataFrame(found).reindex([d for d in order if any(d in f for f in found.values())])
