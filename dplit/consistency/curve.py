r"""How errors fall with n for a vote of trees, by budget and leaf size: the stored run of the chapter.

``python -m dplit.consistency.curve data/results/consistency/errors.json`` runs it again, in some minutes. A
cell's draws depend on its key and the seed alone.
"""

import math
import sys
from itertools import product

import numpy as np

from dplit.consistency.greedy import PAIR, TREND, pair_and_trend
from dplit.consistency.simulate import observed_paths
from dplit.ground import stored
from dplit.ground.errors import check_between, check_integer
from dplit.ground.renamed import moved
from dplit.ground.work import stream
from dplit.multinomial.selection import check_budget

TREES, SEED = 15, 0
FILE = "results/consistency/errors.json"
DRAWS = {100: 800, 1000: 800, 10_000: 400, 100_000: 200}
EXPONENTS = (0.5, 0.8)
BUDGETS = (0.0, 2.0, 10.0, math.inf)
__getattr__ = moved(
    __name__,
    stored_cells=("dplit.ground.stored.stored_cells", "0.4"),
    write_cells=("dplit.ground.stored.write_cells", "0.4"),
)


def curve_cell(n: int, exponent: float, budget: float, draws: int) -> dict:
    r"""Draw so many data sets of the pair beside the trend and count the errors on a fresh point of each.

    `n`: records; half of them are structure points; `exponent`: :math:`k = \lfloor n^{c} \rfloor`; `budget`:
    :math:`B_1 = B_2`.

    Returns a dict: draws; errors of the vote and of its first tree; the vote's mean error beyond the Bayes risk,
    by the known probability of the class at each point; means over draws of the leaf's points and of its extent in
    the features of the pair (of the last tree).
    """
    n, exponent = check_integer(n, "n", 2), check_between(exponent, "exponent", 0, 1)
    draws = check_integer(draws, "draws", 1)
    budget = check_budget(budget)
    rng = stream(f"consistency/errors/{n}/{exponent:g}/{budget:g}", SEED)
    found = observed_paths(
        n // 2, n // 2, int(n**exponent), 3, draws, budget, budget, pair=PAIR, trend=TREND, trees=TREES, rng=rng
    )
    vote = found.votes.mean(axis=1) > 0.5
    eta = pair_and_trend(found.point)
    return {
        "draws": draws,
        "vote": int((vote != found.label).sum()),
        "tree": int((found.votes[:, 0] != found.label).sum()),
        "excess": float(np.mean(abs(2 * eta - 1) * (vote != (eta > 0.5)))),
        "points": float(found.counts.mean()),
        "extent": float((found.high - found.low)[:, :2].mean()),
    }


def stored_curve() -> dict:
    """The stored run: a dict of (n, exponent, budget) to what `curve_cell` gives."""
    cells = stored.stored_cells(FILE)
    keys = {key: key.split("/") for key in cells}
    return {(int(n), float(c), float(b)): cells[key] for key, (n, c, b) in keys.items()}


def main(path) -> None:
    """Run every cell and write the file."""
    cells = {}
    for n, c, b in product(DRAWS, EXPONENTS, BUDGETS):
        cells[f"{n}/{c:g}/{b:g}"] = curve_cell(n, c, b, DRAWS[n])
        print(f"n = {n}, k = n^{c:g}, B = {b:g}: {cells[f'{n}/{c:g}/{b:g}']}", flush=True)
    command = f"python -m dplit.consistency.curve data/{FILE}"
    stored.write_cells(path, cells, command, SEED, TREES, ("numpy", "numba"))


if __name__ == "__main__":
    main(sys.argv[1])
