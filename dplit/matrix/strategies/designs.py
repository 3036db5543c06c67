"""A search for good marginals: covers of the tested sets first, then weights by descent.

What it finds is a local optimum (:doc:`/book/matrix_strategies`). Throughout `theta` are the weights of the sets,
`table` the `eigenvalues` of each set (a column) in each space (a row), and `scale` the masses of the spaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from dplit.ground.errors import check_choice, check_integer, check_kind, check_rng
from dplit.matrix.strategies.marginals import Marginals
from dplit.matrix.strategies.spectrum import eigenvalues, masses
from dplit.matrix.tested import below
from dplit.matrix.workload import Workload

SMALL = 8  # columns up to which all sets of them are candidates
UNIONS = 300  # candidates beside the tested sets, otherwise
THOROUGH = 100_000  # entries of a table of eigenvalues up to which covers are searched
POLISHED = 3  # covers whose weights are then descended on
STARTS = 8  # covers by chance, beside the greedy ones
PATIENCE = 8  # descents from weights near the best ones, without a gain, before the search ends


def optimise_marginals(
    workload: Workload, target: str = "leaves", starts: int = STARTS, rng: Generator | None = None
) -> Marginals:
    """Weighted marginals that a search finds best for a workload of boxes: a local optimum.

    `starts` counts the random starts, beside the greedy covers. They come from `rng` or, left out, from a
    generator of seed 0: nothing here reads a record.
    """
    workload = check_kind(workload, Workload, "workload")
    starts = check_integer(starts, "starts", 0, 1000)
    rng = None if rng is None else check_rng(rng)
    check_choice(target, ("leaves", "votes"), "target")
    mass = masses(workload, target)
    n_levels = workload.boxes.n_levels
    sets = candidates(list(mass), n_levels)
    table = eigenvalues(sets, list(mass), n_levels)
    scale = np.array([*mass.values()])
    rng = np.random.default_rng(0) if rng is None else rng
    thorough = table.size <= THOROUGH
    covers = _covers(table, scale, starts, rng) if thorough else [np.arange(len(sets))]
    equal = np.isin(np.arange(len(sets)), covers[0]).astype(float)
    first = [np.isin(np.arange(len(sets)), c) / len(c) + 1e-4 for c in covers]
    if thorough:
        first += list(rng.exponential(size=(starts // 2, len(sets))))
    theta = _searched(first, table, scale, PATIENCE if thorough else 0, rng)
    if cost(equal, table, scale) <= (1 + 1e-9) * cost(theta, table, scale):
        theta = equal  # whole counts
    return Marginals({s: w for s, w in zip(sets, theta) if w > 0}, n_levels)


def _covers(table: np.ndarray, scale: np.ndarray, starts: int, rng: Generator) -> list[tuple[int, ...]]:
    """The best covers with equal weights that a search finds, best first."""
    found = dict(improved(c, table, scale) for c in _starts(table, scale, starts, rng))
    return sorted(found, key=found.get)[:POLISHED]


def _searched(
    first: list[np.ndarray], table: np.ndarray, scale: np.ndarray, patience: int, rng: Generator
) -> np.ndarray:
    """The best weights after descent from some starts, and from weights near the best while that helps."""
    theta = min((descended(start, table, scale) for start in first), key=lambda theta: cost(theta, table, scale))
    value, waited = cost(theta, table, scale), 0
    while waited < patience:
        near = (theta + 0.3 / len(theta)) * np.exp(1.5 * rng.normal(size=len(theta)))
        other = descended(near, table, scale)
        waited += 1
        if cost(other, table, scale) < value * (1 - 1e-4):
            theta, value, waited = other, cost(other, table, scale), 0
    return theta


def candidates(spaces: list[tuple[int, ...]], n_levels: ArrayLike) -> list[tuple[int, ...]]:
    """Sets of columns that may get a weight: all where there are few, else unions of tested sets."""
    tested = sorted({j for u in spaces for j in u})
    if len(tested) <= SMALL:
        return [s for k in range(len(tested) + 1) for s in combinations(tested, k)]
    largest, rng = _maximal(spaces), np.random.default_rng(0)
    found = {*largest, tuple(tested), ()}
    for _ in range(max(0, UNIONS - len(found))):
        parts = rng.choice(len(largest), size=min(len(largest), int(rng.integers(2, 7))), replace=False)
        found.add(tuple(sorted({j for i in parts for j in largest[i]})))
    return sorted(found, key=lambda s: (len(s), s))


def _maximal(spaces: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Sets that no other one holds, sorted."""
    held = below([u[:i] + u[i + 1 :] for u in spaces for i in range(len(u))])
    return sorted({*spaces} - {*held})


def cost(theta: np.ndarray, table: np.ndarray, scale: np.ndarray) -> float:
    r"""Error of weights, :math:`(\sum\theta)^2 \sum_U w_U/\lambda_U`; infinite if a space is not covered."""
    values = table @ theta**2
    return np.inf if (values <= 0).any() else float(theta.sum() ** 2 * (scale / values).sum())


def _starts(table: np.ndarray, scale: np.ndarray, starts: int, rng: Generator) -> Iterator[list[int]]:
    """Covers: greedy ones by sets of each number of eigenvalues, greedy ones by chance."""
    sizes = np.count_nonzero(table, axis=0)
    for size in np.unique(sizes):
        cover = _greedy(table * (sizes == size), scale, np.ones(table.shape[1]))
        if cover:
            yield cover
    for _ in range(starts):
        yield _greedy(table, scale, rng.exponential(size=table.shape[1]))


def _greedy(table: np.ndarray, scale: np.ndarray, taste: np.ndarray) -> list[int]:
    """Sets that cover all spaces, each the one that covers most of what is left, times a taste."""
    covers, left, chosen = table > 0, np.ones(len(table), dtype=bool), []
    while left.any():
        gains = taste * np.count_nonzero(covers[left], axis=0)
        best = int(np.argmax(gains))
        if gains[best] == 0:
            return []
        chosen.append(best)
        left &= ~covers[:, best]
    return chosen


def improved(chosen: Sequence[int], table: np.ndarray, scale: np.ndarray) -> tuple[tuple[int, ...], float]:
    """Equal weights on a cover, columns of the table, improved while adding, dropping or exchanging a set helps.

    Returned are the sets, sorted, and their error.
    """
    chosen = list(chosen)
    value = _equal(table[:, chosen].sum(axis=1), len(chosen), scale)
    while True:
        values = table[:, chosen].sum(axis=1)
        moves = [(_all(values, table, len(chosen) + 1, scale), None)]
        for place, old in enumerate(chosen):
            less = values - table[:, old]
            moves.append((_all(less, table, len(chosen), scale), place))
            if len(chosen) > 1:
                dropped = _equal(less, len(chosen) - 1, scale)
                if dropped < value * (1 - 1e-9):
                    del chosen[place]
                    value = dropped
                    break
        else:
            costs, place = min(moves, key=lambda move: move[0].min())
            if costs.min() >= value * (1 - 1e-9):
                return tuple(sorted(chosen)), value
            value = float(costs.min())
            kept = [c for i, c in enumerate(chosen) if i != place]
            chosen = [*kept, int(np.argmin(costs))]


def _equal(values: np.ndarray, number: int, scale: np.ndarray) -> float:
    values = np.maximum(values, 0)  # what a difference leaves of 0
    return np.inf if (values <= 1e-9).any() else number**2 * float((scale / values).sum())


def _all(values: np.ndarray, table: np.ndarray, number: int, scale: np.ndarray) -> np.ndarray:
    """Errors with each set of the table beside others of these eigenvalues."""
    total = values[:, None] + table
    with np.errstate(divide="ignore"):
        return number**2 * np.where(total > 1e-9, scale[:, None] / total, np.inf).sum(axis=0)


def descended(theta: np.ndarray, table: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Weights after descent on the logarithm of the error, from positive ones.

    They sum to 1; those below a millionth of the largest are 0.
    """
    found = minimize(
        objective, np.log(theta / theta.sum()), (table, scale), jac=True, method="L-BFGS-B",
        bounds=[(-30, 5)] * len(theta), options={"maxiter": 300},
    )  # fmt: skip
    theta = np.exp(found.x)
    theta[theta < 1e-6 * theta.max()] = 0.0
    return theta / theta.sum()


def objective(logs: np.ndarray, table: np.ndarray, scale: np.ndarray) -> tuple[float, np.ndarray]:
    """Logarithm of the error, and its gradient in the logarithms of the weights."""
    theta = np.exp(logs)
    values = table @ theta**2
    parts = scale / values
    total, mass = theta.sum(), parts.sum()
    slope = -2 * theta**2 * (table.T @ (parts / values))
    return 2 * np.log(total) + np.log(mass), 2 * theta / total + slope / mass
