r"""Which strategy pays where: errors of a leaf and of a vote against trees and cells, by formulas.

Errors are in units of :math:`2/\epsilon^2`, for one class: of a leaf the mean over all leaves of all trees, of
a vote the mean over all cells of the sum of the leaves that hold it, where there are not too many cells.
``python -m dplit.court.experiments.chapters.regimes data/results/m-rf/regimes.json`` computes them again.
"""

import math
import sys
from itertools import product

import numpy as np

from dplit import matrix
from dplit.court.experiments.chapters.writing import run
from dplit.domain import Categorical, Domain
from dplit.ground.stored import stored_cells
from dplit.ground.work import stream

FILE = "results/m-rf/regimes.json"
LEVELS = {
    "Car": (4, 4, 4, 3, 3, 3),
    "Balance": (5, 5, 5, 5),
    "Nursery": (3, 5, 4, 4, 3, 2, 3, 3),
    "Mushroom, 5 columns": (6, 4, 10, 2, 9),
    "20 binary": (2,) * 20,
    "100 binary": (2,) * 100,
}
DEPTHS = {"Car": (1, 2, 3, 4), "Balance": (1, 2, 3), "Nursery": (2, 3, 4), "Mushroom, 5 columns": (3,),
          "20 binary": (3,), "100 binary": (3,)}  # fmt: skip
TREES = (1, 2, 4, 8, 16, 32, 64, 128)
MEMBERS = ("per-tree", "merged", "identity")
SEED, MOST_VOTED = 0, 2000


def forest(domain, depth, trees):
    """A random forest over one of the domains, and the numbers of its levels."""
    from dplit.trees import grow_random_trees  # compiled: slow to import

    schema = Domain([Categorical(list(range(n))) for n in LEVELS[domain]])
    rng = stream(f"m-rf/regimes/{domain}/{depth}/{trees}", SEED)
    return grow_random_trees(schema, trees, depth, rng=rng), schema.n_levels


def regime(domain: str, depth: int, trees: int) -> dict:
    """Errors of a leaf and of a vote by each member, and a bound, on a `domain` of `LEVELS`.

    "leaf" and "vote": error by member; "bound": what no strategy with Laplace noise has less of for a leaf.
    """
    grown, n_levels = forest(domain, depth, trees)
    leaves = matrix.Workload.of(grown, n_levels=n_levels)
    bound = matrix.lower_bound(leaves, 1.0, "laplace") / 2 / grown.n_leaves
    found = {"leaf": _errors(leaves), "bound": bound}
    if math.prod(LEVELS[domain]) <= MOST_VOTED:
        every = np.array(list(np.ndindex(*LEVELS[domain])))
        found["vote"] = _errors(matrix.Workload.of(grown, every, n_levels))
    return found


def _errors(asked):
    """Mean error of a query of a workload by each member."""
    n = int(asked.multiplicity.sum())
    return {m: matrix.unit_error(asked, matrix.member(asked, m)) / n for m in MEMBERS}


def stored_regimes() -> dict:
    """The stored errors, by (domain, depth, trees) what `regime` gives."""
    cells = stored_cells(FILE)
    keys = {key: key.rsplit("/", 2) for key in cells}
    return {(d, int(h), int(t)): cells[key] for key, (d, h, t) in keys.items()}


def main(path):
    """Compute every cell and write the file."""
    computed = (
        (f"{domain}/{depth}/{trees}", regime(domain, depth, trees))
        for domain, trees in product(LEVELS, TREES)
        for depth in DEPTHS[domain]
    )
    run("regimes", path, computed, file=FILE, seed=SEED, libraries=("numpy", "scipy"))


if __name__ == "__main__":
    main(sys.argv[1])
