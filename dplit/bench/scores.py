"""Stored scores of the bench as plain tables: a row a data set, a column a method, at one epsilon."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dplit import experiments
from dplit.experiments.result import stored


def scores(result, epsilon):
    """Scores of each split, of every method at one epsilon.

    Parameters
    ----------
    result : dplit.experiments.Result or str
        A run of the bench, or the id of a stored one, as "bench/classification".
    epsilon : float
        Methods without privacy are at each of them.

    Returns
    -------
    dict of (data, method) to float64 array, shape (repetitions,)
        In the order of the experiment; what is not run is not there.
    """
    result = stored(result) if isinstance(result, str) else result
    return {
        (cell.data, cell.method): result.scores(cell.key)
        for cell in experiments.get(result.experiment).cells
        if cell.key in result.cells and cell.params.get("epsilon", epsilon) == epsilon
    }


def means(found):
    """Mean scores as a table.

    Parameters
    ----------
    found : dict of (data, method) to array
        As of `scores`.

    Returns
    -------
    DataFrame, index data sets, columns methods; NaN where a method is not run
    """
    table = pd.Series({key: float(np.mean(of)) for key, of in found.items()}).unstack()
    order = [list(dict.fromkeys(key[i] for key in found)) for i in (0, 1)]
    return table.reindex(index=order[0], columns=order[1])


def seconds(result, epsilon):
    """Mean seconds of a task, which is a fit, the predictions and their score, as `means`.

    Parameters
    ----------
    result : dplit.experiments.Result or str
    epsilon : float
    """
    result = stored(result) if isinstance(result, str) else result
    found = {
        (cell.data, cell.method): [result.cells[cell.key]["seconds"]]
        for cell in experiments.get(result.experiment).cells
        if cell.key in result.cells and cell.params.get("epsilon", epsilon) == epsilon
    }
    return means(found)


def covered(result):
    """What of a run is complete: a run that takes long is stored in parts.

    Parameters
    ----------
    result : dplit.experiments.Result or str

    Returns
    -------
    (list of float, list of str)
        The epsilons at which every cell of more than half of the data sets has all its repetitions, and
        the sets of which that is so at all of these.
    """
    result = stored(result) if isinstance(result, str) else result
    experiment = experiments.get(result.experiment)
    missing, wanted = {}, dict.fromkeys(cell.data for cell in experiment.cells)
    for cell in experiment.cells:
        epsilon = cell.params.get("epsilon")
        there = cell.key in result.cells and result.has(cell.key, experiment.wanted(cell) - 1)
        missing.setdefault(epsilon, set()).update(() if there else {cell.data})
    exact = missing.pop(None, set())
    found = {e: [d for d in wanted if d not in exact | of] for e, of in missing.items()}
    common = {c.params["epsilon"] for c in experiment.cells if c.at} - _of_one_set(experiment)
    epsilons = sorted(e for e in common if 2 * len(found[e]) > len(wanted))
    return epsilons, [d for d in wanted if epsilons and all(d in found[e] for e in epsilons)]


def _of_one_set(experiment):
    """Epsilons that belong to a single data set."""
    of = {}
    for cell in experiment.cells:
        of.setdefault(cell.params.get("epsilon"), set()).add(cell.data)
    return {e for e, sets in of.items() if len(sets) == 1}
