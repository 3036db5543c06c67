r"""Growth to a hundred million records: the stored run of :doc:`/book/scale`.

Records are made block by block on the workers of Dask and counted there; none is kept. Three columns are uniform,
the class has a known share in every cell, so that the error of what is released is known, too. Two more points
have blocks of ten records, so that their time is that of blocks and not of records.
``python -m dplit.scale.growth data/results/scale/growth.json`` runs it again, in some minutes. What a point
releases depends on its size and the seed alone; its seconds and its memory are of the machine.
"""

import resource
import sys
import time
from collections.abc import Iterator

import numpy as np
from sklearn.dummy import DummyClassifier

from dplit.domain import Continuous, Domain
from dplit.forests.boosted import BoostedForestClassifier
from dplit.forests.histogram import HistogramForestClassifier
from dplit.ground.stored import stored_cells, write_cells
from dplit.ground.work import stream

FILE = "results/scale/growth.json"
SEED, BLOCK, COLUMNS, BINS, ROUNDS, DEPTH = 0, 10**6, 3, 8, 4, 3
CELLS = BINS**COLUMNS
DOMAIN = Domain([Continuous(0, 1)] * COLUMNS)
EPSILONS = (0.1, 1.0)
SIZES = tuple(10**k for k in range(3, 9))
SMALL, MANY = 10, (100, 2000)  # records of a small block, and numbers of such blocks


def block(place: int, size: int) -> tuple:
    """One block of records, and their classes: class 1 has the share (1 + bin of the first column) / 9.

    `place`: which block. Returns X, a float64 array of shape (size, 3), and y, an int8 array of shape (size,).
    """
    rng = stream(f"scale/{place}", SEED)
    X = rng.random((size, COLUMNS))
    share = (1 + np.floor(BINS * X[:, 0])) / (BINS + 1)
    return X, (rng.random(size) < share).astype(np.int8)


def table(n_records: int, most: int = BLOCK) -> tuple:
    """So many records as Dask arrays, X and y, of blocks of at most so many; nothing is made yet."""
    import dask.array as da
    from dask import delayed

    sizes = np.diff(np.append(np.arange(0, n_records, most), n_records)).tolist()
    made = [delayed(block, nout=2, pure=False)(i, size) for i, size in enumerate(sizes)]
    X = [da.from_delayed(X, (s, COLUMNS), np.float64) for (X, _), s in zip(made, sizes)]
    y = [da.from_delayed(y, (s,), np.int8) for (_, y), s in zip(made, sizes)]
    return da.concatenate(X), da.concatenate(y)


def class_shares() -> np.ndarray:
    """Share of class 1 in every cell, float64, shape (512,)."""
    first = np.unravel_index(np.arange(CELLS), (BINS,) * COLUMNS)[0]
    return (1 + first) / (BINS + 1)


def released_error(n_records: int, epsilon: float) -> float:
    """Root of the mean squared error of the released class shares of all cells.

    Each cell is known to have a 512th of the records, so that its share is what is released of class 1, over that.
    """
    forest = HistogramForestClassifier(
        epsilon, domain=DOMAIN, classes=[0, 1], bins=BINS, learner=DummyClassifier(), random_state=SEED
    ).fit(*table(n_records))
    found = forest.cell_counts_[:, 1] * CELLS / n_records
    return float(np.sqrt(np.mean((found - class_shares()) ** 2)))


def boosted(n_records: int, most: int = BLOCK) -> BoostedForestClassifier:
    """A boosted forest of four trees of depth 3 on so many records, fitted in blocks of at most so many."""
    forest = BoostedForestClassifier(
        1.0, domain=DOMAIN, classes=[0, 1], n_estimators=ROUNDS, max_depth=DEPTH, n_records=n_records,
        random_state=SEED,
    )  # fmt: skip
    return forest.fit(*table(n_records, most))


def points() -> Iterator:
    """Kind, number of records and epsilon of every point, in the order of the run; the smallest come first."""
    yield from (("counts", n, epsilon) for n in SIZES for epsilon in EPSILONS)
    yield from (("boosted", n, 1.0) for n in SIZES)
    yield from (("blocks", SMALL * k, 1.0) for k in MANY)


def run_point(kind: str, n_records: int, epsilon: float) -> dict:
    """What a point comes to: a dict of "error" or "start", "seconds" of CPU, and "peak" memory so far in bytes.

    The error is that of counts; the start is the released log-odds of the boosted forest. "blocks" is the boosted
    forest of "boosted" in blocks of `SMALL` records.
    """
    start = time.process_time()
    if kind == "counts":
        found = {"error": released_error(n_records, epsilon)}
    else:
        most = SMALL if kind == "blocks" else BLOCK
        found = {"start": float(boosted(n_records, most).initial_[0])}
    seconds = round(time.process_time() - start, 3)
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {**found, "seconds": seconds, "peak": peak}


def stored_growth() -> dict:
    """The stored run: a dict of (kind, number of records, epsilon) to what `run_point` gives."""
    run = stored_cells(FILE)
    return {point: run[_key(*point)] for point in points()}


def _key(kind: str, n_records: int, epsilon: float) -> str:
    return f"{kind}/{n_records}/{epsilon:g}"


def main(path) -> None:
    """Run every point and write the file."""
    import dask

    run = {}
    with dask.config.set(scheduler="threads", num_workers=1):
        for kind in ("counts", "boosted"):
            run_point(kind, SIZES[0], 1.0)  # compiles
        for point in points():
            run[_key(*point)] = found = run_point(*point)
            print(*point, found, flush=True)
    command = f"python -m dplit.scale.growth data/{FILE}"
    write_cells(path, run, command, SEED, ROUNDS, ("numpy", "numba", "dask"))


if __name__ == "__main__":
    main(sys.argv[1])
