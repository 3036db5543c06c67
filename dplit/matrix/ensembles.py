"""Several forests on subsets of the columns (M-RF, algorithm 3), and all that was released at once.

The whole domain is never made: a table of an ensemble's cells is a sum of products of one function a column, and
ensembles share the coefficients of the products on columns that both have. Derived in :doc:`/book/matrix_release`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.random import Generator

from dplit.budget import Group, Parallel, Sequence
from dplit.ground import errors
from dplit.matrix.paths import check_entries
from dplit.matrix.release import measure
from dplit.matrix.strategies import Identity, fitting, noise_scale, noise_variance
from dplit.matrix.strategies.boxes import functions
from dplit.matrix.workload import Workload

NOTHING = 1e-10  # an eigenvalue so far below the largest one is 0
ROUNDING = 1e-13  # an entry beside the diagonal that is so small is rounding


@dataclass(frozen=True)
class Ensemble:
    """A forest on some of the columns."""

    columns: tuple  #: Tuple of int. Of the whole domain, increasing.
    n_levels: tuple  #: Tuple of int. Levels of these columns, on whose cells the workload and the strategy are.
    workload: Workload
    strategy: object  #: Strategy.

    def __post_init__(self) -> None:
        columns = tuple(int(j) for j in self.columns)
        if list(columns) != sorted(set(columns)) or len(columns) != len(self.n_levels):
            raise ValueError(
                f"columns must be increasing, one for each of n_levels, got {columns} for {len(self.n_levels)}"
            )
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "n_levels", tuple(int(n) for n in self.n_levels))

    @cached_property
    def matrix(self) -> np.ndarray:
        """A on the cells of the ensemble's columns, `Strategy.decorrelated`; shape (n_rows, n_cells)."""
        check_entries(math.prod(self.n_levels), self.n_levels, "measured numbers")
        cells = np.indices(self.n_levels).reshape(len(self.n_levels), -1).T
        n = len(cells)  # a record in each cell, each of a class of its own
        exact = self.strategy.expected(cells, np.arange(n), n)
        return np.asarray(self.strategy.decorrelated(exact), dtype=float)


def _check_ensembles(ensembles: list[Ensemble]) -> list[Ensemble]:
    """Return `ensembles` as a list of at least one `Ensemble`."""
    found = [errors.check_kind(e, Ensemble, "ensembles") for e in errors.check_sequence(ensembles, "ensembles")]
    if not found:
        raise ValueError("ensembles must be at least one Ensemble, got none")
    return found


def _check_records(
    codes: np.ndarray, classes: np.ndarray, ensembles: list[Ensemble]
) -> tuple[np.ndarray, np.ndarray]:
    """Return `codes` and `classes` as arrays of whole numbers, with the columns of all `ensembles`."""
    codes = errors.check_whole(codes, "codes", 0, ndim=2)
    classes = errors.check_whole(classes, "classes", 0, ndim=1)
    if len(classes) != len(codes):
        raise ValueError(f"classes must be one for each of {len(codes)} records, got {len(classes)}")
    if codes.shape[1] <= max(j for e in ensembles for j in e.columns):
        raise ValueError(f"codes must have the ensembles' columns, got shape {codes.shape}")
    return codes, classes


def release_ensembles(
    ensembles: list[Ensemble],
    codes: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    epsilon: float,
    mechanism: str = "geometric",
    neighbours: str = "add-remove",
    joint: bool = True,
    disjoint: bool = False,
    signed: bool = False,
    *,
    rng: Generator,
) -> tuple[list[np.ndarray], Sequence | Parallel | Group]:
    """Answers of each ensemble, shape (n_rows, k), or (n_rows, 1) if signed, and what all of them cost together.

    `codes`, `classes`, `n_classes`, `epsilon`, `mechanism`, `neighbours`, `signed`: as in `dplit.matrix.release`;
    codes of all columns. `joint`: answer from all releases together; published is each from its own. `disjoint`:
    give each record to one ensemble by a draw of its own: each then spends all of epsilon, and counts a q-th of
    the records. Never joint, since these are different records.
    """
    ensembles = _check_ensembles(ensembles)
    codes, classes = _check_records(codes, classes, ensembles)
    epsilon, relation, q = errors.check_epsilon(epsilon), errors.check_neighbours(neighbours), len(ensembles)
    given = np.ones((q, len(codes)), dtype=bool)
    if disjoint:
        given = errors.check_rng(rng).integers(q, size=len(codes)) == np.arange(q)[:, None]
        if neighbours == "replace-one":  # one removed, one added
            epsilon, relation = epsilon / 2, "add-remove"
    share = epsilon if disjoint else epsilon / q
    measured, nodes = zip(
        *(
            measure(e.strategy, codes[mine][:, list(e.columns)], classes[mine], n_classes, share,
                    mechanism, relation, signed, rng=rng)
            for e, mine in zip(ensembles, given)
        )
    )  # fmt: skip
    if joint and not disjoint:
        noise = deviations(ensembles, share, mechanism, relation, n_classes, signed)
        answers = _together(ensembles, noise, measured)
    else:
        answers = [e.strategy.answer(e.workload, y) for e, y in zip(ensembles, measured)]
    if not disjoint:
        return answers, Sequence("ensembles", nodes, "each reads all records")
    node = Parallel("ensembles", nodes, "a record is used in one ensemble")
    if neighbours == "replace-one":
        node = Group("ensembles after a replacement", node, 2)
    return answers, node


def deviations(
    ensembles: list[Ensemble],
    share: float,
    mechanism: str = "geometric",
    neighbours: str = "add-remove",
    classes: int = 2,
    signed: bool = False,
) -> list[float]:
    """Standard deviation of the noise of each ensemble's entries, each with `share` of epsilon."""
    ensembles, share = _check_ensembles(ensembles), errors.check_epsilon(share, "share")
    return [
        noise_variance(
            noise_scale(e.strategy, share, mechanism, neighbours, classes, signed), fitting(e.strategy, mechanism)
        )
        ** 0.5
        for e in ensembles
    ]


def reconstruction(ensembles: list[Ensemble], deviations: list[float]) -> list[np.ndarray]:
    r"""The matrices X that turn all releases into each ensemble's answers by weighted least squares.

    `deviations` are those of the noise of each one's entries, up to a common factor; infinite epsilon's zeros
    count as equal ones, and ones give the unweighted reconstruction. X has a row for each distinct row of the
    ensemble's workload and a column for each entry of all releases, stacked as `Strategy.decorrelated` gives
    them; the variances are :math:`X^2\sigma^2`.
    """
    ensembles = _check_ensembles(ensembles)
    deviations = errors.check_numbers(deviations, "deviations", 0, errors.MOST, ndim=1)
    if len(deviations) != len(ensembles):
        raise ValueError(f"deviations must be one for each of {len(ensembles)} ensembles, got {len(deviations)}")
    parts, weights, inverse = _solved(ensembles, deviations)
    inverse = np.diag(inverse) if inverse.ndim == 1 else inverse
    rows = [part.gathered(np.eye(part.n_released)) for part in parts]
    found = []
    for e, mine in zip(ensembles, parts):
        asked = mine.projected(e.workload.matrix().T).T  # on the coefficients
        blocks = [
            asked @ inverse[np.ix_(mine.place, part.place)] @ r * w for part, r, w in zip(parts, rows, weights)
        ]
        found.append(np.hstack(blocks))
    return found


def _together(ensembles: list[Ensemble], noise: list[float], measured: list[np.ndarray]) -> list[np.ndarray]:
    """The answers of `reconstruction`, without its matrices."""
    parts, weights, inverse = _solved(ensembles, noise)
    total = np.zeros((len(inverse), np.shape(measured[0])[1]))
    for e, part, weight, y in zip(ensembles, parts, weights, measured):
        total[part.place] += weight * part.gathered(e.strategy.decorrelated(y))
    found = inverse[:, None] * total if inverse.ndim == 1 else inverse @ total
    tables = [part.cells(found[part.place]) for part in parts]
    return [Identity(e.n_levels).answer(e.workload, t) for e, t in zip(ensembles, tables)]


@dataclass(frozen=True)
class _Part:
    """An ensemble's cells as functions of coefficients: one for each set of columns and basis functions.

    `bases` has the functions of each column, of norm 1 over the number of its levels, and `matrix` what is
    released of the cells, None for the cells themselves; `place` says which of all coefficients they are. No
    matrix of cells by coefficients is made: a product takes one column after another.
    """

    bases: tuple
    matrix: np.ndarray | None
    place: np.ndarray

    @classmethod
    def of(cls, e: Ensemble, starts: dict) -> _Part:
        """Products of one function a column, constant on the columns that the ensemble lacks."""
        bases = tuple(functions(n) / math.sqrt(n) for n in e.n_levels)
        place = np.empty(e.n_levels, dtype=np.int64)
        for kept in product((False, True), repeat=len(e.columns)):
            block = place[tuple(slice(1, None) if k else slice(1) for k in kept)]
            named = tuple(j for j, k in zip(e.columns, kept) if k)
            first = starts.setdefault(named, starts[None])
            starts[None] = max(starts[None], first + block.size)
            block[...] = first + np.arange(block.size).reshape(block.shape)
        return cls(bases, None if e.strategy.name == "identity" else e.matrix, place.ravel())

    @property
    def n_released(self) -> int:
        """Rows of what is released."""
        return len(self.place) if self.matrix is None else len(self.matrix)

    def cells(self, coefficients: np.ndarray) -> np.ndarray:
        """The cells' values, shape (n_cells, k)."""
        return _transformed(self.bases, coefficients)

    def projected(self, values: np.ndarray) -> np.ndarray:
        """The transpose of `cells`, shape (n_coefficients, k)."""
        return _transformed([b.T for b in self.bases], values)

    def gathered(self, measured: np.ndarray) -> np.ndarray:
        """The transpose of what is released, as a function of the coefficients."""
        return self.projected(measured if self.matrix is None else self.matrix.T @ measured)

    def normal(self) -> np.ndarray:
        """Products of the released rows with each other: of cells a diagonal, else a matrix."""
        if self.matrix is None:
            return np.full(len(self.place), 1 / len(self.place))
        rows = self.projected(self.matrix.T)
        return rows @ rows.T


def _transformed(matrices: list[np.ndarray], values: np.ndarray) -> np.ndarray:
    """A product of matrices, one for each column, times values on cells, shape (n_cells, k)."""
    shape, k = tuple(len(m) for m in matrices), np.shape(values)[1]
    tensor = np.asarray(values, dtype=float).reshape(*shape, k)
    for axis, m in enumerate(matrices):
        tensor = np.moveaxis(np.tensordot(m, tensor, ([1], [axis])), 0, axis)
    return tensor.reshape(-1, k)


def _solved(ensembles: list[Ensemble], deviations: list[float]) -> tuple[list[_Part], np.ndarray, np.ndarray]:
    """The parts, the weight of each, and the pseudoinverse of the normal equations of all coefficients.

    Where all ensembles release cells these are a diagonal, and so is what is returned.
    """
    starts = {None: 0}  # of each set's coefficients; of the next new set's
    parts = [_Part.of(e, starts) for e in ensembles]
    deviations = np.asarray(deviations, dtype=float)
    weights = 1 / deviations**2 if deviations.all() else np.ones(len(parts))
    diagonal = all(part.matrix is None for part in parts)
    normal = np.zeros((starts[None],) * (1 if diagonal else 2))
    for part, weight in zip(parts, weights):
        found = part.normal()
        if diagonal:
            normal[part.place] += weight * found
        else:
            whole = np.diag(found) if found.ndim == 1 else found
            normal[np.ix_(part.place, part.place)] += weight * whole
    return parts, weights, 1 / normal if diagonal else _pseudoinverse(normal)


def _pseudoinverse(normal: np.ndarray) -> np.ndarray:
    """Of a symmetric matrix; of a diagonal one, as cells have, without its eigenvalues."""
    diagonal = normal.diagonal()
    if abs(normal - np.diag(diagonal)).max() <= ROUNDING * diagonal.max():
        some = diagonal > NOTHING * diagonal.max()
        return np.diag(np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=some))
    values, vectors = np.linalg.eigh(normal)
    kept = values > NOTHING * values[-1]
    return (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
