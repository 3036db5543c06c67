"""The runs that M-RF's authors published beside their code, at the settings of ours.

The files are those that the notebook of their repository (arisa77/mrf-public, ``mrf/exp/temp``) draws each
figure from. All runs of a setting share one split of the records and one forest, and differ in noise alone: a
mean of theirs is of one split and one forest, and is held against the spread of our repetitions, which differ
in all three.
"""

import numpy as np
import pandas as pd

from dplit.court.experiments.cells import Cell
from dplit.court.experiments.papers import m_rf as paper
from dplit.court.experiments.registry import get, ids
from dplit.court.experiments.result import stored
from dplit.ground import printed

FOREST = {"car": "car_id1", "iris": "iris_id1", "balance": "balancescale_id4"}
PARTS = {"car": "car_id2", "iris": "iris_id2", "balance": "balancescale_id6"}  # subsample-and-aggregate
QUERIES = "car_id10"
UNLIKE = ("ensembles", "subset_size", "mechanism", "strategy")  # of ours, that their files do not have


def theirs(cell: Cell) -> printed.OwnRuns | None:
    """The authors' runs at the setting of a published cell; None where they have none."""
    p, parts = cell.params, cell.method in (paper.SUBSAMPLE, paper.EXISTING)
    if cell.reading != "published" or "epsilon" not in p or any(name in p for name in UNLIKE):
        return None
    votes = "weighted" if cell.method == paper.PREDICTION else "hard"
    at = {"method": cell.method, "voting": p.get("voting", votes), "epsilon": p["epsilon"]}
    at |= {"depth": p["max_depth"], "trees": p["n_estimators"]} if "max_depth" in p else {}
    of = {"file": QUERIES, "queries": p["n_queries"]} if "n_queries" in p else {
        "file": (PARTS if parts else FOREST).get(cell.data)
    }  # fmt: skip
    found = printed.own_runs("m-rf", **of, **at)
    return found[0] if len(found) == 1 else None


def beside() -> pd.DataFrame:
    """Each setting that both have, once: the authors' mean, ours, and their difference.

    `error` has the deviations of both means as if all runs were independent, `spread` that of one repetition of
    ours beside our mean. Of a cell that several experiments repeat the most repetitions are taken.
    """
    rows = {}
    for id in (id for id in ids() if id.startswith("m-rf/")):
        result = stored(id)
        for cell in (c for c in get(id).cells if c.key in result.cells):
            if (own := theirs(cell)) is None:
                continue
            scores = np.asarray(result.scores(cell.key))
            n, deviation = len(scores), scores.std(ddof=1)
            error = np.hypot(own.deviation / own.runs**0.5, deviation / n**0.5)
            row = [cell.data, cell.method, own.voting, own.depth, own.trees, own.queries, own.epsilon]
            row += [own.mean, scores.mean(), n, error, deviation * (1 + 1 / n) ** 0.5]
            if n > rows.get(own, [0] * 12)[9]:
                rows[own] = row
    names = "data method voting depth trees queries epsilon theirs ours n error spread"
    return pd.DataFrame(rows.values(), columns=names.split()).assign(
        difference=lambda found: found.theirs - found.ours
    )
