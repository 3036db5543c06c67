r"""Attacks on many forests, by epsilon: the stored run of :doc:`/book/attacks`.

``python -m dplit.court.attacks.run data/results/attacks/attacks.json`` runs it again, in some minutes. A cell's
draws depend on its key and the seed alone.
"""

import math
import sys
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from dplit.court.attacks import reconstruction
from dplit.court.attacks.members import FORESTS, TREES, membership
from dplit.domain import Categorical, Domain
from dplit.ground.stored import stored_cells, write_cells
from dplit.ground.work import stream

SEED = 0
FILE = "results/attacks/attacks.json"
BUDGETS = (0.1, 0.5, 1.0, 2.0, 4.0)
FITS = {True: 4000, False: 400}  # of forests whose epsilon is proved, and of others, which fall at once
SEEDED = ("multinomial, published", "random, proved", "boosted, proved")  # what a run can repeat
RECORDS, COLUMNS = 40, 6
TABLES = {"leaf counts": 30, "noisy counts": 200, "published cuts": 1000}
GROWN = (1, 2, 3, 5, 10)  # trees without privacy


def membership_cell(name: str, epsilon: float, fits: int) -> dict:
    """Attack so many forests on either side: fits, hits, alarms."""
    rng = stream(f"release/membership/{name}/{epsilon:g}", SEED)
    hits, alarms = membership(name, epsilon, fits, rng=rng)
    return {"fits": fits, "hits": hits, "alarms": alarms}


def reconstruction_cell(release: str, value: float, tables: int) -> dict:
    """Reconstruct so many tables, each from a forest of its own, by trees or epsilon.

    A release is "leaf counts", of a forest without privacy; "noisy counts", of all cells, by
    `HistogramForestClassifier`; or "published cuts", of a multinomial forest, as MRF's theorem 2 spends epsilon.
    Found are the share of the records that were recovered, of each table, and how many tables gave one record,
    drawn at random, away.
    """
    rng = stream(f"release/{release}/{value:g}", SEED)
    shares = [one_table(release, value, rng) for _ in range(tables)]
    given_away = int((rng.random(tables) < np.array(shares)).sum())
    return {"shares": shares, "given away": given_away}


def one_table(release: str, value: float, rng: Generator) -> float:
    """Draw a table, fit a forest, reconstruct; share of the records that were recovered."""
    X, y, table = reconstruction.random_table(RECORDS, COLUMNS, rng)
    seed = int(rng.integers(2**31))
    return reconstruction.recovered(table, GUESSES[release](X, y, value, seed))


def _from_leaves(X: np.ndarray, y: np.ndarray, trees: int, seed: int) -> np.ndarray:
    from sklearn.ensemble import RandomForestClassifier

    options = {"bootstrap": False, "max_features": 1, "random_state": seed}
    forest = RandomForestClassifier(trees, **options).fit(X, y)
    return reconstruction.solve_counts(*reconstruction.leaf_equations(forest, COLUMNS))


def _from_noise(X: np.ndarray, y: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    from sklearn.dummy import DummyClassifier

    from dplit.forests.histogram import HistogramForestClassifier

    forest = HistogramForestClassifier(
        epsilon, domain=Domain([Categorical([0, 1])] * COLUMNS), classes=[0, 1],
        learner=DummyClassifier(), random_state=seed,
    ).fit(X, y)  # fmt: skip
    return reconstruction.likeliest_table(forest.cell_counts_.ravel(), RECORDS, epsilon)


def _from_cuts(X: np.ndarray, y: np.ndarray, epsilon: float, seed: int) -> np.ndarray:
    """Layers share a tree's epsilon; labels, of other records, have all of it once more and are not looked at."""
    from dplit.forests.multinomial import MultinomialForestClassifier

    layer = epsilon / TREES / COLUMNS
    budgets = {"feature_budget": layer / 2, "value_budget": layer / 2, "label_budget": COLUMNS * layer}
    forest = MultinomialForestClassifier(
        epsilon, domain=Domain([Categorical([0, 1])] * COLUMNS), classes=[0, 1], n_estimators=TREES,
        min_samples_leaf=1, accounting="published", random_state=seed, **budgets,
    ).fit(X, y)  # fmt: skip
    return reconstruction.table_of_cuts(forest.trees_, RECORDS, COLUMNS)


GUESSES = {"leaf counts": _from_leaves, "noisy counts": _from_noise, "published cuts": _from_cuts}


def cells() -> Iterator[tuple[str, str, float]]:
    """Kind, what is attacked and epsilon or trees of every cell, in the order of the run."""
    yield "membership", "scikit-learn", math.inf
    for name in SEEDED:
        yield from (("membership", name, epsilon) for epsilon in BUDGETS)
    yield from (("reconstruction", "leaf counts", trees) for trees in GROWN)
    for name in ("noisy counts", "published cuts"):
        yield from (("reconstruction", name, epsilon) for epsilon in BUDGETS)


def run_cell(kind: str, name: str, value: float) -> dict:
    """What one cell of `cells` comes to, dict."""
    if kind == "membership":
        return membership_cell(name, value, FITS[FORESTS[name].private])
    return reconstruction_cell(name, value, TABLES[name])


def stored_attacks() -> dict[tuple[str, str, float], dict]:
    """The stored run: a dict of (kind, name, epsilon or trees) to what `run_cell` gives."""
    run = stored_cells(FILE)
    return {cell: run["/".join([*cell[:2], f"{cell[2]:g}"])] for cell in cells()}


def main(path: str) -> None:
    """Run every cell and write the file."""
    run = {}
    for kind, name, value in cells():
        run[f"{kind}/{name}/{value:g}"] = found = run_cell(kind, name, value)
        shown = found if kind == "membership" else float(np.mean(found["shares"]))
        print(f"{kind}, {name}, {value:g}: {shown}", flush=True)
    command = f"python -m dplit.court.attacks.run data/{FILE}"
    write_cells(path, run, command, SEED, TREES, ("numpy", "scipy", "numba", "scikit-learn"))


if __name__ == "__main__":
    main(sys.argv[1])
