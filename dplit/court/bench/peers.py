"""What other libraries have on the splits of the bench, and what their fits cost, as stored.

`dplit.court.bench.splits` says how the splits are run; `data/peers/cost.py` measures the costs.
"""

import json

import numpy as np
import pandas as pd

from dplit.ground.printed import data_file

FILES = {of: f"results/bench/peers{of and '-'}{of}.json" for of in ("", "held-out", "tables")}
COSTS = "results/bench/cost.json"


def stored_peers(of: str = "") -> dict:
    """The stored run, on the sets for choosing, on those "held-out", or on many "tables".

    "runs": provenance; "cells": by "data/method/epsilon=e" the scores and mean seconds of a fit.
    """
    return json.loads(data_file(FILES[of]).read_text("utf-8"))


def peer_scores(
    epsilon: float, run: dict | None = None, of: str = "", measure: str = "scores"
) -> dict[tuple[str, str], np.ndarray]:
    """Scores of each split of every peer at one epsilon, as of `dplit.court.bench.scores`.

    `run` is left out for the stored one `of` these sets. A method that was too slow on a set is not there.
    `measure` "ranking": AUC, average precision and log-loss of two classes, an array of shape (n_splits, 3), of
    the methods that have them; of many tables the calibration error, too, and of a number the mean absolute error.
    """
    cells = (stored_peers(of) if run is None else run)["cells"]
    keys = {key: key.split("/") for key in cells}
    return {
        (data, method): np.array(cells[key][measure])
        for key, (data, method, at) in keys.items()
        if float(at.removeprefix("epsilon=")) == epsilon and len(cells[key].get(measure, ())) > 1
    }


def stored_costs(run: dict | None = None) -> pd.DataFrame:
    """Processor seconds and memory of a fit, ours and the peers', measured in turns on one core.

    Index (table, method), the tables in the order of their sizes; "seconds": the median; "memory": the most
    beyond what there was before, in sizes of the table. `run` is left out for the stored one.
    """
    cells = (json.loads(data_file(COSTS).read_text("utf-8")) if run is None else run)["cells"]
    found = {}
    for key in sorted(cells, key=lambda k: (cells[k]["data"], k)):
        size, method = key.split("/")
        of, shape = cells[key], " x ".join(f"{int(n):,}" for n in size.split("x"))
        found[shape, method] = [float(np.median(of["seconds"])), of["memory"] / of["data"]]
    table = pd.DataFrame(found, index=["seconds", "memory"]).T
    return table.rename_axis(["table", "method"])
