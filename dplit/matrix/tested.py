r"""Paths by the columns that they test: which ones a record follows, found through its levels.

In a tree with a child for each level a path lets one level of each tested column through. All paths that
test the same columns then have numbers, those of the tested columns' cells, and the paths that a
record follows are those of its number. The cost follows the records and the tested sets, not the paths.
"""

import math
from collections.abc import Callable
from functools import wraps
from itertools import combinations, combinations_with_replacement
from weakref import WeakKeyDictionary

import numpy as np

from dplit.matrix.paths import Paths, check_codes, distinct

MOST_CODES = 2**62  # cells of the tested columns that have numbers
MOST_PAIRS = 20_000_000  # of boxes whose overlaps are held at once
SLOW = 2000  # numbers that are multiplied in the time that a pair of sets takes


def remembered(function: Callable) -> Callable:
    """A function of boxes that is asked again and again, by each strategy on them: once, while they live."""
    found = WeakKeyDictionary()

    @wraps(function)
    def of(boxes):
        if boxes not in found:
            found[boxes] = function(boxes)
        return found[boxes]

    return of


@remembered
def tested_sets(boxes: Paths) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """The sets of columns that some box tests, each with the numbers of its boxes."""
    tests = boxes.tests
    first, place = distinct(tests)
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place))[:-1]
    sets = [tuple(np.flatnonzero(tests[row]).tolist()) for row in first]
    return list(zip(sets, np.split(order, ends)))


def below(sets: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """All subsets of some sets of columns, each a sorted tuple, smallest first."""
    if len(sets) == 1:  # in that order already
        (whole,) = sets
        return [part for size in range(len(whole) + 1) for part in combinations(whole, size)]
    found = set()
    stack = list(sets)
    while stack:
        columns = stack.pop()
        if columns not in found:
            found.add(columns)
            stack += [columns[:i] + columns[i + 1 :] for i in range(len(columns))]
    return sorted(found, key=lambda s: (len(s), s))


@remembered
def dimensions(boxes: Paths) -> int:
    """How many coefficients the spaces below the tested sets of boxes have, a Python int."""
    n = boxes.n_levels.tolist()
    spaces = below([columns for columns, _ in tested_sets(boxes)])
    return sum(math.prod(n[j] - 1 for j in columns) for columns in spaces)


def single_cells(boxes: Paths, columns: tuple[int, ...]) -> np.ndarray | None:
    """The cell of the columns that they test that each box is, int64, or None where one is several or none."""
    shape = [int(boxes.n_levels[j]) for j in columns]
    if np.prod(shape, dtype=object) > MOST_CODES or not (boxes.sizes[:, columns] == 1).all():
        return None
    cell = np.zeros(len(boxes), dtype=np.int64)
    for j, n in zip(columns, shape):
        start = boxes.starts[j]
        cell = cell * n + boxes.allowed[:, start : start + n].argmax(axis=1)
    return cell


def followed(paths: Paths, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The paths that each record follows, as pairs in no certain order: numbers of records, and of paths."""
    codes = check_codes(codes, paths.n_levels)
    found = [(np.zeros(0, dtype=np.int64),) * 2]
    for columns, rows in tested_sets(paths):
        here = paths.take(rows)
        cell = single_cells(here, columns)
        if cell is None:
            record, mine = np.nonzero(here.reached(codes))
        else:
            own = np.zeros(len(codes), dtype=np.int64)
            for j in columns:
                own = own * int(paths.n_levels[j]) + codes[:, j]
            record, mine = _equal(own, cell)
        found.append((record, rows[mine]))
    record, path = (np.concatenate(parts) for parts in zip(*found))
    return record, path


def _equal(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of places at which two arrays hold equal numbers."""
    order = np.argsort(right, kind="stable")
    low, high = (np.searchsorted(right[order], left, side=side) for side in ("left", "right"))
    times = high - low
    record = np.repeat(np.arange(len(left)), times)
    offset = np.arange(len(record)) - np.repeat(np.cumsum(times) - times, times)
    return record, order[np.repeat(low, times) + offset]


def squared_overlaps(boxes: Paths, times: np.ndarray) -> float:
    r"""Mean over the cells of :math:`\|T^\top\mathrm{diag}(t)\,t_c\|^2`: squared overlaps of all pairs of boxes.

    It is :math:`\sum_{lm} t_lt_m(TT^\top)_{lm}^2` over the number of cells. Boxes that are cells of two sets of
    columns overlap if they agree in the columns of both sets, and then in as many cells as the other columns
    have. So two sets need the sums of the times over their common columns alone.
    """
    sets = [(columns, rows, boxes.take(rows)) for columns, rows in tested_sets(boxes)]
    total, n = 0.0, boxes.n_levels.astype(float)
    pairs = len(boxes) ** 2
    if pairs <= MOST_PAIRS and pairs * len(n) < SLOW * len(sets) ** 2:
        shared = boxes.overlaps() / np.sqrt(n.prod())
        return float(times @ shared**2 @ times)
    for (first, mine, here), (second, theirs, there) in combinations_with_replacement(sets, 2):
        twice = 1.0 if first == second else 2.0
        common = tuple(j for j in first if j in second)
        pair = single_cells(here, first), single_cells(there, second)
        cells = single_cells(here, common), single_cells(there, common)
        if any(cell is None for cell in pair):
            shared = here.overlaps(there) / np.sqrt(n.prod())
            total += twice * float(times[mine] @ shared**2 @ times[theirs])
            continue
        _, place = np.unique(np.concatenate(cells), return_inverse=True)
        parts = zip(np.split(place.ravel(), [len(mine)]), (mine, theirs))
        sums = [np.bincount(part, times[rows], place.max() + 1) for part, rows in parts]
        neither = math.prod(n[j] for j in range(len(n)) if j not in first and j not in second)
        either = math.prod(n[j] for j in {*first, *second})
        total += twice * neither / either * float(sums[0] @ sums[1])
    return total
