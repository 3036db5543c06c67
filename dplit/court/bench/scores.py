"""Stored scores of the bench as plain tables: a row a data set, a column a method, at one epsilon."""

import numpy as np
import pandas as pd

from dplit.court import experiments
from dplit.court.experiments.result import Result, stored


def scores(result: Result | str, epsilon: float) -> dict[tuple[str, str], np.ndarray]:
    """Scores of each split, by (data, method), of every method at one epsilon.

    `result`: a run of the bench, or the id of a stored one, as "bench/classification". The order is the
    experiment's; what is not run is not there, and methods without privacy are at each epsilon.
    """
    result = stored(result) if isinstance(result, str) else result
    return {
        (cell.data, cell.label or cell.method): result.scores(cell.key)
        for cell in experiments.get(result.experiment).cells
        if cell.key in result.cells and cell.params.get("epsilon", epsilon) == epsilon
    }


def means(found: dict) -> pd.DataFrame:
    """Mean scores, a row a data set, a column a method; NaN where a method is not run."""
    table = pd.Series({key: float(np.mean(of)) for key, of in found.items()}).unstack()
    order = [list(dict.fromkeys(key[i] for key in found)) for i in (0, 1)]
    return table.reindex(index=order[0], columns=order[1])


def covered(result: Result | str, epsilon: float) -> list[str]:
    """Data sets of which all is there at one epsilon: a run that takes long is stored in parts.

    Every cell at this epsilon, and every one without privacy, has all its repetitions there. `result` as in
    `scores`.
    """
    result = stored(result) if isinstance(result, str) else result
    experiment = experiments.get(result.experiment)
    wanted = [c for c in experiment.cells if c.params.get("epsilon", epsilon) == epsilon]
    lost = {c.data for c in wanted if not _whole(result, c.key, experiment.wanted(c))}
    return [data for data in dict.fromkeys(c.data for c in wanted) if data not in lost]


def _whole(result, key, repetitions):
    return key in result.cells and len(result.scores(key)) >= repetitions
