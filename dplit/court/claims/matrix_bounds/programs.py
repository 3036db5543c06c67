"""Linear programs over all releases, tables of probabilities: the least error of any with given outputs."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linprog


def least_error(
    answers: ArrayLike,
    outputs: ArrayLike,
    pairs: Iterable[tuple[int, ...]],
    epsilon: float,
    at: int | str | ArrayLike = 0,
    unbiased: bool = True,
) -> float:
    """Least expected squared error at one data set, or the least largest or mean one over all of them.

    `answers`, shape (n_data_sets, n_queries), are true; `outputs`, shape (n_outputs, n_queries), may be released.
    Each of `pairs` are two neighbours, or two data sets and how many records they are apart. `at` is the data
    set; or "worst", for the largest error over all of them; or how much each one's error counts. The error is
    infinite if no release with these outputs fits.
    """
    answers, outputs = np.asarray(answers, dtype=float), np.asarray(outputs, dtype=float)
    n, m = len(answers), len(outputs)
    errors = ((outputs - answers[:, None]) ** 2).sum(axis=2)
    rows = sparse.kron(sparse.eye_array(n), np.ones((1, m)))
    equal, sides = [rows], [np.ones(n)]
    if unbiased:
        equal += [sparse.kron(sparse.eye_array(n), outputs[:, [q]].T) for q in range(answers.shape[1])]
        sides += list(answers.T)
    below = [_ratio(n, m, pair, epsilon) for pair in pairs]
    if isinstance(at, str):  # one more variable, above the error of each data set
        each, cost = sparse.block_diag([row[None] for row in errors]), np.zeros(n * m + 1)
        cost[-1] = 1
        below = [sparse.hstack([b, sparse.csr_array((b.shape[0], 1))]) for b in below]
        below.append(sparse.hstack([each, sparse.csr_array(-np.ones((n, 1)))]))
        equal = [sparse.hstack([e, sparse.csr_array((e.shape[0], 1))]) for e in equal]
    else:
        counts = np.eye(n)[at] if np.ndim(at) == 0 else np.asarray(at, dtype=float)
        cost = (errors * counts[:, None]).ravel()
    below = sparse.vstack(below).tocsr()
    found = linprog(cost, below, np.zeros(below.shape[0]), sparse.vstack(equal).tocsr(),
                    np.concatenate(sides), bounds=(0, None), method="highs")  # fmt: skip
    return float(found.fun) if found.success else math.inf


def _ratio(n, m, pair, epsilon):
    """Rows that say that neither of two data sets has any output e^epsilon times as often as the other."""
    first, second, *apart = pair
    factor = math.exp(epsilon * (apart[0] if apart else 1))
    rows = np.zeros((2, n))
    rows[:, [first, second]] = [[1, -factor], [-factor, 1]]
    return sparse.kron(sparse.csr_array(rows), sparse.eye_array(m))
