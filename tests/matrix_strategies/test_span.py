"""Least squares on boxes beside dense pseudoinverses, where the Gram has a factor and where it has none."""

import numpy as np
import pytest

from dplit import matrix
from dplit.matrix.paths import Paths, distinct
from dplit.matrix.strategies.boxes import independent, sums_of_table
from dplit.matrix.strategies.spectrum import Complement, Span, least_squares, sparse_rows
from dplit.matrix.tested import dimensions

LEVELS = (3, 2, 4)
ROWS = np.array(list(np.ndindex(LEVELS)))


def boxes_of(sets):
    """Paths from, for each box, the levels that it lets through, and their matrix cell by cell."""
    allowed = [[level in chosen for chosen, n in zip(box, LEVELS) for level in range(n)] for box in sets]
    T = [[all(cell[j] in box[j] for j in range(3)) for cell in ROWS] for box in sets]
    paths = matrix.Paths(np.array(allowed), np.array(LEVELS), np.arange(len(sets)))
    return paths, np.array(T, dtype=float)


def chosen(seed, n_boxes):
    """Distinct boxes of two or three tested columns, single levels or more of them."""
    rng = np.random.default_rng(seed)
    found = set()
    while len(found) < n_boxes:
        untested = rng.integers(3)
        box = []
        for j, n in enumerate(LEVELS):
            some = [int(rng.integers(n))] if rng.random() < 0.6 else np.flatnonzero(rng.random(n) < 0.5)
            box.append(tuple(range(n)) if j == untested or not len(some) else tuple(map(int, some)))
        found.add(tuple(box))
    return sorted(found)


def halves(seed):
    """Boxes of a level, of others, and of both, of which one is always the sum of two: few dependences."""
    rng = np.random.default_rng(seed)
    return [
        (first, (int(rng.integers(2)),), (level,))
        for level in range(4) for first in [(0,), (1, 2), (0, 1, 2)][: 3 if level < 2 else 2]
    ]  # fmt: skip


SOME = [chosen(0, 45), chosen(1, 40), chosen(2, 12), chosen(3, 60), halves(4), halves(5)]
KINDS = [Span, Span, Complement, Span, Complement, Complement]


@pytest.mark.parametrize("seed", range(len(SOME)))
def test_least_squares_are_those_of_the_pseudoinverse(seed):
    paths, T = boxes_of(SOME[seed])
    rng, n_boxes = np.random.default_rng(seed), len(T)
    weights, B = rng.integers(1, 4, n_boxes).astype(float), rng.normal(size=(5, n_boxes))
    copies, values = rng.integers(1, 5, n_boxes).astype(float), rng.normal(size=(n_boxes, 2))
    A = weights[:, None] * T
    inverse = np.linalg.pinv(A)
    span = least_squares(paths, weights)
    assert type(span) is KINDS[seed]
    assert span.variances(lambda rows: B @ rows) == pytest.approx(((B @ T @ inverse) ** 2).sum(axis=1))
    assert span.variances(lambda rows: rows) == pytest.approx(((T @ inverse) ** 2).sum(axis=1))
    assert np.allclose(span.project(values), A @ inverse @ values)
    votes = ((T.T @ (copies[:, None] * T) @ inverse) ** 2).sum()
    assert span.votes(copies, T @ T.T, slice(None)) == pytest.approx(votes)


@pytest.mark.parametrize("seed", range(len(SOME)))
@pytest.mark.parametrize("times", [0.7, -0.01])
def test_one_more_measured_sum_of_boxes(seed, times):
    """Beside the Gram of the rows on all cells, with `times` the square of that sum."""
    paths, T = boxes_of(SOME[seed])
    rng, places = np.random.default_rng(seed), np.arange(len(T))[::3]
    weights, values = rng.integers(1, 4, len(T)).astype(float), rng.normal(size=(len(T), 2))
    total = T[places].sum(axis=0)
    gram = (T.T * weights**2) @ T + times * np.outer(total, total)
    estimates = T @ np.linalg.pinv(gram, rcond=1e-10) @ T.T
    span = least_squares(paths, weights).corrected(places, times)
    assert np.allclose(span.solve(values), estimates @ values)
    assert np.allclose(span.variances(lambda rows: rows), estimates.diagonal())
    wanted = np.trace(T.T @ estimates @ T)
    assert span.votes(np.ones(len(T)), T @ T.T, slice(None)) == pytest.approx(wanted)


def test_strategies_that_weigh_the_same_boxes_share_the_factor(monkeypatch):
    paths, T = boxes_of(halves(4))
    found = independent(paths)
    assert len(found.first) == np.linalg.matrix_rank(T) and len(found.rest) == 2
    assert np.allclose(T[found.rest], found.others @ T[found.first])
    monkeypatch.setattr(Paths, "overlaps", None)  # not looked at again
    assert independent(paths) is found


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_a_table_are_those_of_the_rows(seed):
    paths, T = boxes_of([*chosen(seed, 40), tuple(tuple(range(n)) for n in LEVELS)])
    table = np.random.default_rng(seed).integers(-9, 9, (len(ROWS), 3))
    assert np.array_equal(sums_of_table(paths, table), T @ table)


def single_levels():
    """All boxes of one level in each of two columns: sparse, and enough of them."""
    full = [tuple(range(n)) for n in LEVELS]
    found = []
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        for x, y in np.ndindex(LEVELS[a], LEVELS[b]):
            found.append(tuple((x,) if j == a else (y,) if j == b else full[j] for j in range(3)))
    return found


def test_sparse_rows_span_what_the_boxes_do():
    """The rows are T in functions that are products of constants and indicators."""
    paths, T = boxes_of(single_levels())
    rows = sparse_rows(paths).toarray()
    functions = np.linalg.lstsq(rows, T, rcond=None)[0]
    assert np.allclose(rows @ functions, T) and rows.shape[1] == dimensions(paths)
    assert set(np.unique(np.rint(functions * 1e6) / 1e6)) <= {0.0, 1.0}
    assert Span(paths, np.ones(len(paths))).inverse is not None, "the factor is taken"


def test_without_a_factor_the_answers_are_the_same():
    """Boxes without two of a column's levels, which no others tell apart: the Gram is singular."""
    paths, T = boxes_of([box for box in single_levels() if box[2] not in [(2,), (3,)]])
    span, inverse = Span(paths, np.ones(len(paths))), np.linalg.pinv(T)
    assert span.inverse is None
    assert span.variances(lambda rows: rows) == pytest.approx(((T @ inverse) ** 2).sum(axis=1))


def test_equal_rows_are_numbered_as_numpy_does():
    rng = np.random.default_rng(0)
    for width in (1, 8, 9, 63, 64, 65, 130):
        marks = rng.random((200, width)) < rng.random(width) ** 4
        first, place = distinct(marks)
        _, index, inverse = np.unique(marks, axis=0, return_index=True, return_inverse=True)
        assert np.array_equal(first, index) and np.array_equal(place, inverse.ravel())
