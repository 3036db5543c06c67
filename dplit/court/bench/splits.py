"""The splits of the bench as files, for libraries that this package does not import.

Peers need older libraries, so that they run in an environment of their own, by a script without `dplit`:

    python -m dplit.court.bench.splits splits
    python -m venv .venv-peers && .venv-peers/bin/pip install -r data/peers/requirements.lock
    .venv-peers/bin/python data/peers/run.py splits data/results/bench/peers.json

The first line writes the splits of the sets for choosing as numbers, levels by their positions; with
``--held-out`` behind the folder those of the sets that are held out, for `peers-held-out.json`; with ``--tables``
those of many tables, for `peers-tables.json`.
"""

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dplit.court.experiments.bench import TIMES
from dplit.court.experiments.registry import get
from dplit.court.experiments.task import Split, split_of
from dplit.datasets import Dataset
from dplit.ground.writing import write_whole

OF = ("bench/classification", "bench/regression")
RUNS = {
    "": OF,
    "--held-out": tuple(f"{id}-held-out" for id in OF),
    "--tables": ("bench/tables-two", "bench/tables-more", "bench/tables-number"),
}


def write_splits(folder: str | Path, sets: Sequence[str] | None = None, repetitions: int = TIMES, which: str = ""):
    """Write the splits, a file each: ``data-repetition.npz``.

    Left out, `sets` are all of the runs that `which` names, a key of `RUNS`.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for id in RUNS[which]:
        cells = {c.data: c for c in get(id).cells if c.reading == "proved"}
        for data, cell in cells.items():
            for r in range(min(repetitions, get(id).repetitions) if sets is None or data in sets else 0):
                written = io.BytesIO()
                np.savez_compressed(written, **as_numbers(*split_of(cell, r)))
                write_whole(folder / f"{data}-{r}.npz", written.getvalue())


def as_numbers(data: Dataset, split: Split) -> dict[str, np.ndarray]:
    """A split as arrays that need no library but NumPy.

    X_train, X_test: float32, levels by their positions; y_train, y_test: positions of the classes, or
    targets scaled by their public bounds to [0, 1]; lower, upper: public bounds of each column;
    n_levels: 0 of a continuous column; n_classes: 0 of a regression.
    """
    domain, classes = data.domain, data.classes
    n_levels = np.asarray(domain.n_levels)
    continuous = [None if n else f for n, f in zip(n_levels, domain.features)]
    bounds = [(f.lower, f.upper) if f else (0, n - 1) for f, n in zip(continuous, n_levels)]
    lower, upper = np.array(bounds, dtype=float).T
    targets = [_numbers(y, classes) for y in (split.y_train, split.y_test)]
    return {
        "X_train": domain.encode(split.X_train).astype(np.float32),
        "X_test": domain.encode(split.X_test).astype(np.float32),
        "y_train": targets[0], "y_test": targets[1], "lower": lower, "upper": upper,
        "n_levels": n_levels, "n_classes": np.array(len(classes or ())),
    }  # fmt: skip


def _numbers(y, classes):
    if not classes:
        return np.asarray(y, dtype=float)
    place = {c: i for i, c in enumerate(classes)}
    return np.array([place[c] for c in np.asarray(y).tolist()], dtype=np.int16)


if __name__ == "__main__":
    options = [name for name in sys.argv[2:] if name in RUNS]
    write_splits(sys.argv[1], [n for n in sys.argv[2:] if n not in RUNS] or None, which="".join(options))
