r"""Strategies of weighted marginals: the counts of some sets of columns, each with its share of epsilon.

The error follows from the weights :math:`\theta_S` and the workload's masses :math:`w_U`, whatever the number of
cells: thm-strategy-marginals in :doc:`/book/matrix_strategies`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from dplit.ground.errors import check_positive
from dplit.matrix.strategies.base import Strategy, check_domain, combined
from dplit.matrix.strategies.boxes import functions, sums_of_marginals
from dplit.matrix.strategies.spectrum import eigenvalues, masses, row_masses, spaces_of
from dplit.matrix.tested import below, tested_sets
from dplit.matrix.workload import Workload


class Marginals(Strategy):
    """Weighted marginals.

    `shares` maps sets of columns to their weights, positive. They are scaled to a sum of 1; equal ones to 1 each,
    so that what is released are whole counts.
    """

    name = "marginals"

    def __init__(self, shares: Mapping[tuple[int, ...], float], n_levels: ArrayLike) -> None:
        super().__init__(n_levels)
        sets = {tuple(sorted({int(j) for j in columns})): w for columns, w in shares.items()}
        if not sets or not all(0 <= j < len(self.n_levels) for s in sets for j in s):
            raise ValueError(f"shares must name columns below {len(self.n_levels)}, got {list(sets)}")
        weights = [check_positive(w, "shares") for w in sets.values()]
        self.integer = max(weights) - min(weights) <= 1e-9 * max(weights)
        total = weights[0] if self.integer else sum(weights)
        self.shares = {s: 1.0 if self.integer else w / total for s, w in zip(sets, weights)}
        self.norm = sum(self.shares.values())
        names = ["".join(f"[{j}]" for j in s) or "total" for s in self.shares]
        self.about = f"{len(names)} marginals: {', '.join(names)}"

    def spread(self) -> float:
        """Two cells that differ in all columns share only the total; see `Strategy.sensitivity`."""
        differ = self.n_levels > 1
        return 2 * sum(w for s, w in self.shares.items() if differ[list(s)].any())

    def eigenvalues(self, spaces: list[tuple[int, ...]]) -> np.ndarray:
        r""":math:`\lambda_U` of each space, float64, shape (n_spaces,)."""
        weights = np.array(list(self.shares.values()))
        return eigenvalues(list(self.shares), spaces, self.n_levels) @ weights**2

    def variances(self, workload: Workload) -> np.ndarray:
        """Masses over eigenvalues, see `Strategy.variances`."""
        check_domain(self, workload)
        if workload.boxes is None:
            return self._of_cells(workload)
        spaces = spaces_of(workload)
        return _quotients(row_masses(workload, spaces), self.eigenvalues(spaces))

    def votes(self, workload: Workload) -> float:
        check_domain(self, workload)
        mass = masses(workload, "votes")
        return float(_quotients(np.array([*mass.values()]), self.eigenvalues(list(mass))))

    def answer(self, workload: Workload, measured: np.ndarray) -> np.ndarray:
        """Sums of the estimated marginals; see `Strategy.answer`."""
        check_domain(self, workload)
        measured = np.asarray(measured, dtype=float)
        if workload.boxes is None:
            everything = tuple(range(len(self.n_levels)))
            table = self._estimates(measured, [everything])[everything]
            return workload.weights @ table
        tested = [columns for columns, _ in tested_sets(workload.boxes)]
        tables = self._estimates(measured, tested)
        return combined(workload, sums_of_marginals(workload.boxes, tables, measured.shape[1]))

    def _estimates(self, measured: np.ndarray, wanted: list[tuple[int, ...]]) -> dict[tuple[int, ...], np.ndarray]:
        """Least squares of the wanted marginals, each the average over the cells that it does not name."""
        spaces = below(wanted)
        spaces = [u for u in spaces if any(set(u) <= set(s) for s in self.shares)]
        parts = dict(zip(spaces, self._parts(measured, spaces)))
        found = {}
        for columns in wanted:
            shape = [int(self.n_levels[j]) for j in columns]
            table = np.zeros((*shape, measured.shape[1]))
            for u in below([columns]):
                if u in parts:
                    kept = [n if j in u else 1 for j, n in zip(columns, shape)]
                    table += parts[u].reshape(*kept, -1)
            others = math.prod(int(n) for n in self.n_levels) // math.prod(shape)
            found[columns] = float(others) * table.reshape(-1, measured.shape[1])
        return found

    def _parts(self, measured: np.ndarray, spaces: list[tuple[int, ...]]) -> Iterator[np.ndarray]:
        """Of each space, the least-squares function of its columns, its values on their cells."""
        tables, first = {}, 0
        for columns, weight in self.shares.items():
            shape = [int(self.n_levels[j]) for j in columns]
            last = first + math.prod(shape)
            tables[columns] = weight * measured[first:last].reshape(*shape, -1)
            first = last
        for u, value in zip(spaces, self.eigenvalues(spaces)):
            total = 0.0
            for columns, table in tables.items():
                if set(u) <= set(columns):
                    rest = tuple(i for i, j in enumerate(columns) if j not in u)
                    total = total + table.mean(axis=rest)
            for axis in range(len(u)):
                total = total - total.mean(axis=axis, keepdims=True)
            yield total / value

    def _of_cells(self, workload: Workload) -> np.ndarray:
        """Variances of rows that are given cell by cell."""
        rows = workload.weights.toarray()
        tensor = rows.reshape(len(rows), *self.n_levels.tolist())
        for axis, n in enumerate(self.n_levels.tolist(), start=1):
            tensor = np.moveaxis(np.tensordot(tensor, functions(n), ([axis], [0])), -1, axis)
        everything = below([tuple(range(len(self.n_levels)))])
        found = np.empty((len(rows), len(everything)))
        for u, columns in enumerate(everything):
            block = tuple(slice(1, None) if j in columns else slice(0, 1) for j in range(len(self.n_levels)))
            part = tensor[(slice(None), *block)].reshape(len(rows), -1)
            found[:, u] = (part**2).sum(axis=1)
        found[found < 1e-12 * found.max()] = 0.0
        return _quotients(found, self.eigenvalues(everything))

    def measure_whole(self, codes: np.ndarray, classes: np.ndarray, n_classes: int, bits: int) -> np.ndarray:
        """Counts of each marginal times its whole weight; see `Strategy.measure_whole`."""
        weights, counted = (self._whole(bits), self._counted(*self._checked(codes, classes, n_classes), n_classes))
        return np.concatenate([w * counts for w, counts in zip(weights, counted)])

    def whole_norm(self, bits: int) -> int:
        """The sum of the whole weights; see `Strategy.whole_norm`."""
        return sum(self._whole(bits))

    def _whole(self, bits: int) -> list[int]:
        return [int(w * 2**bits) for w in self.shares.values()]

    def _measured(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
        counted = self._counted(codes, classes, n_classes)
        weights = self.shares.values()
        return np.concatenate(counted if self.integer else [w * c for w, c in zip(weights, counted)])

    def _counted(self, codes: np.ndarray, classes: np.ndarray, n_classes: int) -> list[np.ndarray]:
        """The counts of each marginal, a list."""
        found = []
        for columns in self.shares:
            shape = (*(int(self.n_levels[j]) for j in columns), n_classes)
            place = np.ravel_multi_index((*codes[:, list(columns)].T, classes), shape)
            found.append(np.bincount(place, minlength=math.prod(shape)).reshape(-1, n_classes))
        return found


def _quotients(mass: np.ndarray | sparse.csr_array, values: np.ndarray) -> np.ndarray:
    """Sum over the spaces of mass over eigenvalue; infinite where there is mass and no eigenvalue."""
    sparsely = sparse.issparse(mass)
    held = mass.data if sparsely else mass
    parts = values[mass.indices] if sparsely else np.array(np.broadcast_to(values, mass.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(held, parts, out=parts)  # entries of all leaves' rows: no third array of their number
    parts[~(held > 0)] = 0.0
    if sparsely:
        parts = sparse.csr_array((parts, mass.indices, mass.indptr), shape=mass.shape)
    return parts.sum(axis=-1)
