"""What several dockets compute: exact losses by enumeration, small forests, and the verdict "assumes"."""

from __future__ import annotations

from functools import partial

import numpy as np

import dplit.court.claims.matrix_paths._forests as f
from dplit import matrix
from dplit.court.ledger import Evidence, verdict_of
from dplit.loss import worst_privacy_loss
from dplit.matrix.release import ReleaseLaw, noise_of
from dplit.neighbours import data_sets, neighbouring_data

AR, RO = "add-remove", "replace-one"


def worst(A, noise, classes=2, neighbours=AR, signed=False, records=1):
    """Largest loss of A D + noise over all data sets of at most `records`, by enumeration of laws."""
    reach = 2 + int(np.ceil(records * abs(np.asarray(A)).max()))
    law = ReleaseLaw(A, noise, classes, (-reach, reach), signed)
    near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
    return worst_privacy_loss(law.logpmf, data_sets(law.universe, records), near, log=True).loss


def entries(strategy, n_levels):
    """A itself: what a strategy measures of a record in each cell, each of a class of its own."""
    cells = f.every_cell(n_levels)
    return np.asarray(strategy.measure(cells, np.arange(len(cells)), len(cells)), dtype=float)


def strategies(workload):
    """The members that release whole numbers, for a workload of boxes."""
    return [matrix.member(workload, name) for name in ("identity", "per-tree", "merged")]


def small_releases(effort, rng, queries=False):
    """(levels, workload, strategy, A) of forests on four cells: one tree or two, tests of one column or
    two."""
    for tau, depth in ((1, 1), (2, 1), (1, 2), *effort.pick((), ((2, 2),), ((2, 2), (3, 1)))):
        _, paths = f.forest((2, 2), tau, depth, rng)
        Q = f.records((2, 2), 2, rng) if queries else None
        workload = matrix.Workload.of(paths, Q)
        for strategy in strategies(workload):
            A = entries(strategy, (2, 2))
            if len(A) <= effort.pick(4, 6, 8):
                yield (2, 2), workload, strategy, A


def both_relations(strategy, A, epsilon, records=1):
    """Losses at the add-remove noise, under add-remove and under replace-one."""
    noise = noise_of(strategy, epsilon)
    return [worst(A, noise, 2, neighbours, False, records) for neighbours in (AR, RO)]


def assumes_add_remove(cases, note, **fields):
    """Evidence of a statement that is true under add-remove and costs more under replace-one.

    `cases` are (epsilon, loss under add-remove, loss under replace-one, plain data).
    """
    cases = list(cases)
    leaks = [c for c in cases if c[1] > c[0] * (1 + 1e-9)]
    if leaks:
        epsilon, loss, _, shown = leaks[0]
        return verdict_of(False, "breaks under add-remove", {"loss": loss, "epsilon": epsilon} | shown,
                          "leaks", cases=len(cases), **fields)  # fmt: skip
    epsilon, _, replaced, _ = max(cases, key=lambda c: c[2] / c[0])
    if replaced <= epsilon * (1 + 1e-9):
        return verdict_of(True, "holds under both relations", cases=len(cases), **fields)
    tight = sum(abs(c[1] / c[0] - 1) < 1e-9 for c in cases)
    factor = max(c[2] / c[0] for c in cases)
    return Evidence(
        "assumes",
        "exact",
        note.format(cases=len(cases), tight=tight, factor=factor),
        cases=len(cases),
        published=float(epsilon),
        computed=float(replaced),
        relation="<=",
        **fields,
    )
