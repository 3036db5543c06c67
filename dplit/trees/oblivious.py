"""Oblivious trees: one test a level, for all nodes of the level. Compiled sums and the trees' arrays.

Records are read as codes: of a continuous column the number of public cuts below the value, so that a
record goes right of cut t where its code is above t; of a categorical one the place of its level.
A cell is what the tests so far say of a record, one binary digit a test.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from dplit.boosting import bins_of_codes, level_sets
from dplit.boosting.grid import cuts_of_columns
from dplit.trees.arrays import LEAF, Trees

CUT = np.empty(0, dtype=bool)  # in place of levels
SECOND = np.array([False, True])  # the one set of two levels
BINS = 256  # equal bins of a column, which say nearly where a value stands among the cuts
RUN = 2**18  # records whose sums are added column by column: few enough to stay in the cache


class Test(NamedTuple):
    """One test of a level."""

    column: int
    #: Place among the column's public cuts; of a categorical column, -1. Several: one for each bin of the column
    #: that the tests above have made, the last cut's next one being its upper bound.
    cut: int | np.ndarray
    right: np.ndarray  #: The levels that go right, bools; empty for a continuous column.


class Grid:
    """All tests that a domain allows in equal steps of each continuous column, and where their sums stand.

    Attributes
    ----------
    cuts
        Of each column; empty for a categorical one.
    starts
        Where each column's codes begin in a histogram over all columns, shape (n_features + 1,).
    ends
        Where each column's tests end in `masses`.
    """

    def __init__(self, domain, steps):
        self.levels, (self.lower, self.upper) = domain.n_levels, domain.bounds.T
        self.cuts = cuts_of_columns(domain.bounds, self.levels, steps)
        widths = [n or len(cuts) + 1 for n, cuts in zip(self.levels.tolist(), self.cuts)]
        self.starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        tests = [2 * n if n > 2 else w - 1 for n, w in zip(self.levels.tolist(), widths)]
        self.ends = np.cumsum(tests)

    @property
    def has_tests(self):
        """Whether there is anything to choose: a column of one value or of one level has no test."""
        return bool((np.diff(self.starts) > 1).any())

    def encode(self, X: np.ndarray) -> np.ndarray:
        """Codes of the records, which are as `Domain.encode` gives them.

        Uint8 or uint32, shape (n_features, n_records).
        """
        widest = int(np.diff(self.starts).max())
        codes = np.empty(X.shape[::-1], dtype=np.uint8 if widest <= 256 else np.uint32)
        for j, cuts in enumerate(self.cuts):
            if self.levels[j]:
                codes[j] = X[:, j]
            else:
                lower = self.lower[j]
                with np.errstate(all="ignore"):  # too wide for a double: all begin at the first cut
                    width = self.upper[j] - lower
                    guesses = np.searchsorted(cuts, lower + np.arange(BINS) / BINS * width)
                    scale = BINS / width if width > 0 else 0.0
                _place(X[:, j], cuts, guesses, lower, scale, codes[j])
        return codes

    def masses(self, sums: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Callable[[int], Test]]:
        """Score of every test from the histogram of residual sums; random sets of levels are drawn.

        The sums are int64 of shape (n_cells, n_codes, n_outputs). Beside the scores, float64, a function from the
        place of a test to the `Test`.
        """
        total = sums[:, : self.starts[1]].sum(axis=1)
        masses = np.zeros(self.ends[-1])
        _add_masses_of_cuts(sums, total, self.starts, self.ends, self.levels, masses)
        sets = {}
        for j in np.flatnonzero(self.levels > 2).tolist():
            n, end = int(self.levels[j]), self.ends[j]
            part, sets[j] = sums[:, self.starts[j] : self.starts[j + 1]], level_sets(n, rng)
            masses[end - 2 * n : end] = _mass_of_sets(part, total, sets[j])

        def pick(place):
            j = int(np.searchsorted(self.ends, place, side="right"))
            within = int(place - (self.ends[j - 1] if j else 0))
            if self.levels[j]:
                return Test(j, -1, sets[j][within] if j in sets else SECOND)
            return Test(j, within, CUT)

        return masses, pick

    def fine(self, column: int, levels: int) -> tuple[np.ndarray, list[Test]]:
        """Bins of a column's codes, and the tests that part its records into them, level by level.

        There are 2**levels bins, `dplit.boosting.bins_of_codes`.
        """
        bins = bins_of_codes(int(self.starts[column + 1] - self.starts[column]), levels)
        tests = []
        for level in range(levels):
            side = bins >> (levels - 1 - level)
            if self.levels[column]:
                tests.append(Test(column, -1, side % 2 == 1))
            else:
                first = np.searchsorted(side, 2 * np.arange(2**level) + 1)
                tests.append(Test(column, first - 1, CUT))
        return bins, tests

    def _thresholds(self, test, width):
        """Of the nodes of a level: NaN where levels are split."""
        if len(test.right):
            return np.full(width, np.nan)
        ends = np.append(self.cuts[test.column], self.upper[test.column])
        return np.tile(ends[np.atleast_1d(test.cut)], width // np.size(test.cut))

    def trees(self, rounds, depth):
        """The `Trees` of rounds of `depth` tests each: complete, level by level, side by side."""
        n_trees, widest = len(rounds), int(self.levels.max())
        rows = [np.arange(widest)] if widest else []
        parts, first = [], 0
        for level in range(depth):
            width = 2**level
            tests = [tests[level] for tests in rounds]
            feature = [test.column for test in tests]
            cut = np.concatenate([self._thresholds(test, width) for test in tests])
            side = []
            for test in tests:
                side.append(sum(map(len, rows)) if len(test.right) else 0)
                rows += [test.right.astype(int)] if len(test.right) else []
            child = first + n_trees * width + 2 * np.arange(n_trees * width)
            parts.append((np.repeat(feature, width), cut, child, np.repeat(side, width)))
            first += n_trees * width
        leaves = n_trees * 2**depth
        parts.append((np.full(leaves, LEAF), np.full(leaves, np.nan), np.arange(leaves), np.zeros(leaves)))
        feature, cut, child, side = (np.concatenate(column) for column in zip(*parts))
        steps = np.concatenate(rows) if rows else np.empty(0)
        return Trees(
            feature=feature.astype(np.int32),
            threshold=cut.astype(np.float64),
            child=child.astype(np.int32),
            side=side.astype(np.int32),
            steps=steps.astype(np.int32),
            roots=np.arange(n_trees, dtype=np.int32),
            leaf_starts=np.arange(n_trees + 1, dtype=np.int64) * 2**depth,
            depth=depth,
        )


def histogram(
    grid: Grid,
    codes: np.ndarray,
    residuals: np.ndarray,
    cells: np.ndarray,
    n_cells: int,
    before: np.ndarray | None = None,
) -> np.ndarray:
    """Residual sums of every cell and code, all columns side by side: int64 (n_cells, n_codes, n_outputs).

    The residuals are int32 of shape (n_records, n_outputs), the cells uint8. `before` is the histogram of the
    level above: only the smaller one of each two cells is then summed; the other is the difference, and in
    whole numbers the same to the last digit.
    """
    sums = np.zeros((n_cells, grid.starts[-1], residuals.shape[1]), dtype=np.int64)
    taken = np.ones(n_cells, dtype=np.bool_)
    if before is not None:
        smaller = np.arange(0, n_cells, 2) + _sizes(cells, n_cells).reshape(-1, 2).argmin(axis=1)
        taken[smaller ^ 1] = False
    _add(codes, grid.starts, residuals, cells, taken, sums)
    if before is not None:
        sums[smaller ^ 1] = before - sums[smaller]
    return sums


def pair_sums(residuals: np.ndarray, cells: np.ndarray, n_cells: int, shift: int = 0) -> np.ndarray:
    """Sums of the positive and of the negative parts of `shift` plus or minus the residuals, by cell.

    Int64, shape (2, n_cells, n_outputs). A shift of 0 sums :math:`r_+` and :math:`r_-`; one of at least every
    residual sums shift + r and shift - r.
    """
    sums = np.zeros((2, n_cells, residuals.shape[1]), dtype=np.int64)
    _add_pairs(residuals, cells, shift, sums)
    return sums


def descend(codes, test, cells):
    """Cells after one more test, in place: twice the cell, and one more on the right."""
    code = codes[test.column]
    if test.cut >= 0:
        _go_right(code, test.cut, cells)
    else:
        _look_up(code, test.right, cells)


def descend_to_bins(codes, column, bins, levels, cells):
    """Cells after the tests of `Grid.fine`, in place."""
    np.left_shift(cells, levels, out=cells)
    cells |= bins.astype(cells.dtype)[codes[column]]


def add_steps(leaves: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sum over the trees of the value of the leaf that each record reaches, in the order of the trees.

    Leaves are numbered from 0 in each tree, int32 of shape (n_records, n_trees); values have the shape
    (n_trees, n_leaves, n_outputs), the sums (n_records, n_outputs).
    """
    scores = np.zeros((len(leaves), values.shape[2]))
    _add_steps(leaves, values, scores)
    return scores


@njit(cache=True, nogil=True)
def _place(values, cuts, guesses, lower, scale, codes):
    """Number of cuts below each value: from that of its bin on, to the one that is right."""
    for i in range(len(values)):
        value = values[i]
        bin_ = (value - lower) * scale
        code = guesses[int(min(bin_, BINS - 1.0))] if bin_ >= 1 else 0
        while code > 0 and cuts[code - 1] >= value:
            code -= 1
        while code < len(cuts) and cuts[code] < value:
            code += 1
        codes[i] = code


@njit(cache=True, nogil=True)
def _sizes(cells, n_cells):
    sizes = np.zeros(n_cells, dtype=np.int64)
    for i in range(len(cells)):
        sizes[cells[i]] += 1
    return sizes


@njit(cache=True, nogil=True)
def _add(codes, starts, residuals, cells, taken, sums):
    """Add the residuals of the records whose cell is taken; no index is negative, which saves checks."""
    n, n_outputs = len(cells), np.uint64(residuals.shape[1])
    flat, width = sums.reshape(-1), np.uint64(sums.shape[1]) * n_outputs
    places = np.empty(min(n, RUN), dtype=np.uint32)
    rows = np.empty(len(places), dtype=np.uint64)
    steps = np.empty(len(places) * residuals.shape[1], dtype=residuals.dtype)
    for first in range(0, n, RUN):
        count = np.uint64(0)
        for i in range(first, min(first + RUN, n)):
            cell = np.uint64(cells[i])
            places[count], rows[count] = i - first, cell * width
            for k in range(n_outputs):
                steps[count * n_outputs + np.uint64(k)] = residuals[i, k]
            count += np.uint64(taken[cell])
        for j in range(len(codes)):
            code, start = codes[j, first:], np.uint64(starts[j])
            if n_outputs == 1:  # the same without the inner loop: twice as fast
                for c in range(count):
                    u = np.uint64(c)
                    flat[rows[u] + start + np.uint64(code[np.uint64(places[u])])] += steps[u]
                continue
            for c in range(count):
                u = np.uint64(c)
                row = rows[u] + (start + np.uint64(code[np.uint64(places[u])])) * n_outputs
                for k in range(n_outputs):
                    flat[row + np.uint64(k)] += steps[u * n_outputs + np.uint64(k)]


@njit(cache=True, nogil=True)
def _add_pairs(residuals, cells, shift, sums):
    for i in range(len(cells)):
        for k in range(residuals.shape[1]):
            r = residuals[i, k]
            sums[0, cells[i], k] += max(shift + r, 0)
            sums[1, cells[i], k] += max(shift - r, 0)


@njit(cache=True, nogil=True)
def _add_masses_of_cuts(sums, total, starts, ends, levels, masses):
    """Of all continuous columns, and of those of two levels, which are parted as by a cut."""
    for j in range(len(levels)):
        if levels[j] <= 2:
            part = sums[:, starts[j] : starts[j + 1]]
            _add_mass_of_cuts(part, total, masses[ends[j] - part.shape[1] + 1 : ends[j]])


@njit(cache=True, nogil=True)
def _add_mass_of_cuts(sums, total, masses):
    n_cells, _, n_outputs = sums.shape
    for c in range(n_cells):
        for k in range(n_outputs):
            left = 0
            for t in range(len(masses)):
                left += sums[c, t, k]
                masses[t] += abs(left) + abs(total[c, k] - left)


@njit(cache=True, nogil=True)
def _mass_of_sets(sums, total, sets):
    n_cells, n_codes, n_outputs = sums.shape
    masses = np.zeros(len(sets))
    for s in range(len(sets)):
        for c in range(n_cells):
            for k in range(n_outputs):
                right = 0
                for t in range(n_codes):
                    if sets[s, t]:
                        right += sums[c, t, k]
                masses[s] += abs(right) + abs(total[c, k] - right)
    return masses


@njit(cache=True, nogil=True)
def _go_right(code, cut, cells):
    for i in range(len(code)):
        cells[i] = 2 * cells[i] + (code[i] > cut)


@njit(cache=True, nogil=True)
def _look_up(code, right, cells):
    for i in range(len(code)):
        cells[i] = 2 * cells[i] + right[code[i]]


@njit(cache=True, nogil=True)
def _add_steps(leaves, values, scores):
    for i in range(len(leaves)):
        for t in range(leaves.shape[1]):
            for k in range(scores.shape[1]):
                scores[i, k] += values[t, leaves[i, t], k]
