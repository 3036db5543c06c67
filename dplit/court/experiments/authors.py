"""The runs that M-RF's authors published beside their code, at the settings of ours.

The files are those that the notebook of their repository (arisa77/mrf-public, ``mrf/exp/temp``) draws each figure
from. What they can be held against: :doc:`/book/matrix_forest_experiments`.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dplit.court.experiments.cells import Cell
from dplit.court.experiments.papers import m_rf as paper
from dplit.court.experiments.registry import get, ids
from dplit.court.experiments.result import Result, stored
from dplit.ground import printed

FOREST = {"car": "car_id1", "iris": "iris_id1", "balance": "balancescale_id4"}
PARTS = {"car": "car_id2", "iris": "iris_id2", "balance": "balancescale_id6"}
FILES = dict.fromkeys((*paper.BATCH, *paper.RIVALS), FOREST) | dict.fromkeys(
    (paper.SUBSAMPLE, paper.EXISTING), PARTS
)
UNLIKE = {"ensembles", "subset_size", "mechanism", "strategy"}  # of ours, that their files do not have
OWN = "in the authors' own runs: "
MANY = 9  # of which only the least and the largest are listed


def theirs(cell: Cell) -> printed.OwnRuns | None:
    """The authors' runs at the setting of a published cell; None where they have none."""
    p = cell.params
    if cell.reading != "published" or UNLIKE & {*p} or cell.data not in FILES.get(cell.method, ()):
        return None
    file = "car_id10" if "n_queries" in p else FILES[cell.method][cell.data]
    at = {"voting": p.get("voting", "weighted" if cell.method == paper.PREDICTION else "hard"), "file": file}
    at |= {"queries": p["n_queries"]} if "n_queries" in p else {}
    of = {"method": cell.method, "depth": p["max_depth"], "trees": p["n_estimators"], "epsilon": p["epsilon"]}
    return next(iter(printed.own_runs("m-rf", **of, **at)), None)


def in_words(result: Result, cells: Mapping) -> str:
    """The authors' own means of cells, or gains of pairs, in percent, by name; empty where they have none."""
    found = {}
    for name, keys in cells.items() if result.experiment.startswith("m-rf/") else ():
        keys = [keys] if isinstance(keys, str) else keys or ()
        runs = [theirs(get(result.experiment).cell(k)) for k in keys]
        if runs and all(runs):
            found[name] = 100 * (runs[0].mean - sum(r.mean for r in runs[1:]))
    if len(found) > MANY:
        ordered = sorted(found.items(), key=lambda item: item[1])
        found = {f"{word} {name}": gain for word, (name, gain) in (("from", ordered[0]), ("to", ordered[-1]))}
    words = ", ".join(f"{name} {value:.1f}" for name, value in found.items())
    return f"; {OWN}{words}" if words else ""


def beside() -> pd.DataFrame:
    """Each setting that both have, once, by the cell of most repetitions: their mean, ours, and the difference.

    `error` has the deviations of both means as if all runs were independent, `spread` that of one repetition of
    ours beside our mean.
    """
    rows = {}
    for result in (stored(id) for id in ids() if id.startswith("m-rf/")):
        for cell in (c for c in get(result.experiment).cells if c.key in result.cells):
            if own := theirs(cell):
                scores = np.asarray(result.scores(cell.key))
                n, ours, deviation = len(scores), scores.mean(), scores.std(ddof=1)
                error = np.hypot(own.deviation / own.runs**0.5, deviation / n**0.5)
                row = own._asdict() | {"theirs": own.mean, "ours": ours, "difference": own.mean - ours, "n": n}
                row |= {"error": error, "spread": deviation * (1 + 1 / n) ** 0.5}
                rows[own] = max(row, rows.get(own, row), key=lambda row: row["n"])
    return pd.DataFrame(rows.values()).drop(columns=["runs", "mean", "deviation"])
