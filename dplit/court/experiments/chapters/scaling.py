r"""What a larger domain, a larger forest, and more queries cost: error by strategy, and time of the search.

One of the three numbers moves and the other two stay. Errors are in units of :math:`2/\epsilon^2`, for one class,
and the mean over all leaves of all trees, or over all queries. Seconds are of one core, the least of up to three
searches; all else depends on a point's key and the seed alone. ``python -m
dplit.court.experiments.chapters.scaling data/results/m-rf/scaling.json`` computes them again, in half a minute.
"""

import sys
from time import process_time

import numpy as np

from dplit import matrix
from dplit.court.experiments.chapters.writing import run
from dplit.domain import Categorical, Domain
from dplit.ground.stored import stored_cells
from dplit.ground.work import stream

FILE = "results/m-rf/scaling.json"
CAR = (4, 4, 4, 3, 3, 3)
AXES = {  # the columns of the domain, trees, their depth, and queries (0: the leaves are asked for)
    "cells": {4**d: ((4,) * d, 32, 2, 0) for d in range(2, 13)},
    "trees": {2**i: (CAR, 2**i, 3, 0) for i in range(12)},
    "queries": {2**i: (CAR, 64, 3, 2**i) for i in range(13)},
}
SEED, RUNS, LONG = 0, 3, 2.0  # a search that takes longer than LONG seconds is not repeated


def workload(axis: str, size: int) -> matrix.Workload:
    """The leaves of a random forest, or the weighted votes of queries that are drawn uniformly.

    `axis`: "cells", "trees" or "queries"; `size`: how many, a key of ``AXES[axis]``.
    """
    from dplit.trees import grow_random_trees  # compiled: slow to import

    n_levels, trees, depth, queries = AXES[axis][size]
    schema = Domain([Categorical(list(range(n))) for n in n_levels])
    rng = stream(f"m-rf/scaling/{axis}/{size}", SEED)
    grown = grow_random_trees(schema, trees, depth, rng=rng)
    asked = np.column_stack([rng.integers(0, n, queries) for n in n_levels]) if queries else None
    return matrix.Workload.of(grown, asked, schema.n_levels)


def point(axis: str, size: int) -> dict:
    """Errors and time at one point of `workload`.

    "error": mean error of a query by member of the portfolio; "selected": the member with the least; "seconds".
    """
    asked = workload(axis, size)
    seconds = []
    while len(seconds) < RUNS and sum(seconds) < LONG:
        start = process_time()
        best = matrix.select(asked)
        seconds.append(process_time() - start)
    n = 2 * int(asked.multiplicity.sum())  # epsilon is 1: two to a unit
    errors = {name: float(error / n) for name, error in best.considered.items()}
    return {"error": errors, "selected": best.name, "seconds": round(min(seconds), 4)}


def stored_scaling() -> dict:
    """The stored errors and seconds, by axis and by size what `point` gives."""
    cells = stored_cells(FILE)
    return {axis: {int(n): found for n, found in line.items()} for axis, line in cells.items()}


def main(path):
    """Compute every point and write the file."""
    for warm in AXES:  # compiles
        point(warm, min(AXES[warm]))
    computed = ((axis, {n: point(axis, n) for n in sizes}) for axis, sizes in AXES.items())
    run("scaling", path, computed, file=FILE, seed=SEED, libraries=("numpy", "scipy"))


if __name__ == "__main__":
    main(sys.argv[1])
