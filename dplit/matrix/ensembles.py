r"""Several forests on subsets of the columns (M-RF, algorithm 3), and all that was released at once.

Ensemble i has a workload :math:`W_i` and a strategy :math:`A_i` on the cells of its columns; with :math:`M_i` the
sums of the whole domain's cells over the other columns, it releases :math:`A_iM_iD + Z_i`. Published is an
answer :math:`W_iA_i^+` from each one's own release. All releases are about one D: with the noise of ensemble i of
deviation :math:`\sigma_i`, the rows :math:`A_iM_i/\sigma_i` are one strategy B, and :math:`W_iM_iB^+` has the
least variance of all unbiased linear answers (Gauss and Markov). What is needed of the whole domain
are only the products :math:`M_iM_j^\top`, which depend on the columns that both have. Derived in
:doc:`/book/matrix_release`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dplit.budget import Group, Parallel, Sequence
from dplit.errors import check_epsilon, check_rng
from dplit.matrix.paths import check_entries
from dplit.matrix.release import measure
from dplit.matrix.strategies import fitting, noise_scale, noise_variance
from dplit.matrix.workload import Workload

NOTHING = 1e-10  # an eigenvalue so far below the largest one is 0


@dataclass(frozen=True)
class Ensemble:
    """A forest on some of the columns.

    Attributes
    ----------
    columns : tuple of int
        Of the whole domain, increasing.
    n_levels : tuple of int
        Levels of these columns.
    workload : Workload
        On their cells.
    strategy : Strategy
        Likewise.
    """

    columns: tuple
    n_levels: tuple
    workload: Workload
    strategy: object

    def __post_init__(self):
        columns = tuple(int(j) for j in self.columns)
        if list(columns) != sorted(set(columns)) or len(columns) != len(self.n_levels):
            raise ValueError(
                f"columns must be increasing, one for each of n_levels, got {columns} "
                f"for {len(self.n_levels)}"
            )
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "n_levels", tuple(int(n) for n in self.n_levels))

    @cached_property
    def matrix(self):
        """A on the cells of the ensemble's columns, float64, shape (n_measured, n_cells)."""
        check_entries(math.prod(self.n_levels), self.n_levels, "measured numbers")
        cells = np.indices(self.n_levels).reshape(len(self.n_levels), -1).T
        n = len(cells)  # a record in each cell, each of a class of its own
        return np.asarray(self.strategy.measure(cells, np.arange(n), n), dtype=float)


def release_ensembles(
    ensembles,
    codes,
    classes,
    n_classes,
    epsilon,
    mechanism="geometric",
    neighbours="add-remove",
    joint=True,
    disjoint=False,
    *,
    rng,
):
    r"""Answers of each ensemble, and what all of them cost together.

    Parameters
    ----------
    ensembles : sequence of Ensemble
    codes, classes, n_classes, epsilon, mechanism, neighbours
        As in `dplit.matrix.release`; codes of all columns.
    joint : bool
        Answer from all releases together; published is each from its own.
    disjoint : bool
        Give each record to one ensemble by a draw of its own: each then spends all of epsilon, and counts
        a q-th of the records. Never joint, since these are different records.
    rng : numpy.random.Generator

    Returns
    -------
    answers : list of float64 array, shape (n_rows, n_classes)
        For the distinct rows of each ensemble's workload.
    node : Sequence, Parallel or Group
    """
    codes, classes, q = np.asarray(codes), np.asarray(classes), len(ensembles)
    epsilon, relation = check_epsilon(epsilon), neighbours
    given = np.ones((q, len(codes)), dtype=bool)
    if disjoint:
        given = check_rng(rng).integers(q, size=len(codes)) == np.arange(q)[:, None]
        if neighbours == "replace-one":  # one removed, one added
            epsilon, relation = epsilon / 2, "add-remove"
    share = epsilon if disjoint else epsilon / q
    measured, nodes = zip(
        *(
            measure(e.strategy, codes[mine][:, list(e.columns)], classes[mine], n_classes, share,
                    mechanism, relation, rng=rng)
            for e, mine in zip(ensembles, given)
        )
    )  # fmt: skip
    if joint and not disjoint:
        weights = reconstruction(
            ensembles, deviations(ensembles, share, mechanism, relation, n_classes)
        )
        answers = [X @ np.vstack(measured) for X in weights]
    else:
        answers = [e.strategy.answer(e.workload, y) for e, y in zip(ensembles, measured)]
    if not disjoint:
        return answers, Sequence("ensembles", nodes, "each reads all records")
    node = Parallel("ensembles", nodes, "a record is used in one ensemble")
    if neighbours == "replace-one":
        node = Group("ensembles after a replacement", node, 2)
    return answers, node


def deviations(ensembles, share, mechanism="geometric", neighbours="add-remove", classes=2):
    """Standard deviation of the noise of each ensemble's entries, each with `share` of epsilon.

    Parameters
    ----------
    ensembles : sequence of Ensemble
    share : float
    mechanism, neighbours
        As in `dplit.matrix.release`.
    classes : int

    Returns
    -------
    list of float
    """
    return [
        noise_variance(
            noise_scale(e.strategy, share, mechanism, neighbours, classes),
            fitting(e.strategy, mechanism),
        )
        ** 0.5
        for e in ensembles
    ]


def reconstruction(ensembles, deviations):
    r"""The matrices that turn all releases into each ensemble's answers by weighted least squares.

    Parameters
    ----------
    ensembles : sequence of Ensemble
    deviations : sequence of float
        Standard deviation of the noise of each one's entries, up to a common factor; infinite epsilon's
        zeros count as equal ones. Ones give the unweighted reconstruction.

    Returns
    -------
    list of float64 array, shape (n_rows, entries of all releases)
        X for each ensemble: its distinct rows' answers are X times the stacked releases, and their
        variances are :math:`X^2\sigma^2`.
    """
    deviations = np.asarray(deviations, dtype=float)
    if not deviations.any():
        deviations = np.ones(len(ensembles))
    scale = np.concatenate([np.full(len(e.matrix), s) for e, s in zip(ensembles, deviations)])
    rows = [(e, e.matrix) for e in ensembles]
    gram = np.block([[_shared(*a, *b) for b in rows] for a in rows]) / np.outer(scale, scale)
    values, vectors = np.linalg.eigh(gram)
    kept = values > NOTHING * values[-1]
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    found = []
    for e in ensembles:
        W = e.workload.matrix()
        cross = np.hstack([_shared(e, W, *b) for b in rows]) / scale
        found.append(cross @ inverse / scale)
    return found


def _shared(one, A, other, B):
    """A M_i M_j' B' over the number of all cells: sums over the columns that both have."""
    both = set(one.columns) & set(other.columns)
    n = math.prod(one.n_levels) * math.prod(
        n for j, n in zip(other.columns, other.n_levels) if j not in both
    )
    return _summed(one, A, both) @ _summed(other, B, both).T / n


def _summed(ensemble, A, kept):
    """Rows on an ensemble's cells, summed over the columns that are not kept."""
    rest = tuple(1 + i for i, j in enumerate(ensemble.columns) if j not in kept)
    return A.reshape(len(A), *ensemble.n_levels).sum(axis=rest).reshape(len(A), -1)
