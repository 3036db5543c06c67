"""A search for neighbouring data that a mechanism tells apart by more than its epsilon.

`every_pair` lists the pairs of a space; where that is too large `climb` changes data at random. `KNOWN` holds
leaks of the ledger that `rediscover` finds. Derived in :doc:`/book/audit`.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from dplit.baselines.jpw import published_depth
from dplit.domain import Continuous, Domain
from dplit.loss import WorstCase, smallest_violation
from dplit.matrix.release import ReleaseLaw, noise_for
from dplit.mechanisms import PermuteAndFlip, SmoothExponential
from dplit.median import rank_interval_law
from dplit.median_forest import candidates
from dplit.neighbours import count_vectors, data_sets, neighbouring_data
from dplit.random_forest import ForestLaw

AR, RO = "add-remove", "replace-one"


class Search(NamedTuple):
    """Where to look: a law, what is claimed of it, inputs of its kind, and which are neighbours."""

    law: Callable
    epsilon: float
    space: Callable[[], Iterable]
    neighbours: object


def every_pair(search: Search) -> WorstCase | None:
    """Return the first pair that breaks the claim; None if there is none."""
    return smallest_violation(search.law, search.space(), search.epsilon, search.neighbours)


def _counts(law, neighbours, epsilon=1.0):
    return Search(law, epsilon, partial(count_vectors, 8, 2), neighbours)


def _forest(assignment, neighbours):
    law = ForestLaw((2, 1), 2, PermuteAndFlip(1.0, monotonic=True).pmf, assignment)
    near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
    return Search(law, 1.0, partial(data_sets, law.universe, 4), near)


def _matrix_release():
    """Noisy counts of four cells and two classes at the noise for one record more or less."""
    law = ReleaseLaw(np.eye(4), noise_for(1, 1.0))
    near = partial(neighbouring_data, universe=law.universe, neighbours=RO)
    return Search(law, 1.0, partial(data_sets, law.universe, 2), near)


def _median_by_rank():
    """Values on a grid; laws are compared as densities in the middle of its cells."""
    grid = tuple(np.arange(1, 16) / 16)
    middles = np.arange(0.5, 16) / 16

    def law(values):
        return rank_interval_law(values, 0.0, 1.0, 1.0).density(middles)

    near = partial(neighbouring_data, universe=grid, neighbours=AR)
    return Search(law, 1.0, partial(data_sets, grid, 3), near)


def _trees_that_each_spend():
    """Two trees that each spend epsilon 1 on the same records, as RGV's do."""
    one = PermuteAndFlip(1.0, monotonic=True).pmf

    def law(counts):
        label = one(counts)
        return np.outer(label, label)

    return _counts(law, AR)


def _depth_of_records():
    domain = Domain([Continuous(0, 1)] * 8)

    def law(n):
        return (np.arange(5) == published_depth(domain, n)).astype(float)

    return Search(law, 1.0, partial(range, 1, 200), lambda n: (n - 1, n + 1))


class Groups(NamedTuple):
    """A node as groups of equal records: two columns, a target and a number; the first one loses one."""

    columns: tuple
    targets: tuple
    sizes: tuple

    def node(self) -> candidates.Node:
        """The records themselves."""
        columns = np.repeat(np.array(self.columns), self.sizes, axis=0)
        return candidates.Node(columns, np.repeat(np.array(self.targets), self.sizes))


MOST_RECORDS = 2000


def neighbour_of(groups: Groups, rng: np.random.Generator) -> Groups:
    """Return `groups` with one thing changed: a size, a value, a target, or one group more or less."""
    columns, targets, sizes = map(list, groups)
    i, way = rng.integers(len(sizes)), rng.integers(5)
    if way == 0:
        sizes[i] = max(2, int(sizes[i] * rng.choice([0.5, 0.8, 1.25, 2.0, 4.0])))
    elif way == 1:
        row = list(columns[i])
        row[rng.integers(2)] = _place(columns, rng)
        columns[i] = tuple(row)
    elif way == 2:
        targets[i] = 1.0 - targets[i]
    elif way == 3 and len(sizes) < 6:
        columns.append((_place(columns, rng), _place(columns, rng)))
        targets.append(float(rng.integers(2)))
        sizes.append(int(rng.choice([2, 8, 32, 128])))
    elif way == 4 and len(sizes) > 2 and i > 0:
        for part in (columns, targets, sizes):
            part.pop(i)
    return Groups(tuple(columns), tuple(targets), tuple(sizes))


def _place(columns, rng):
    """A value of another record, an end of [0, 1], or one very near to an end."""
    taken = columns[rng.integers(len(columns))][rng.integers(2)]
    near = 10.0 ** -rng.integers(1, 21)
    return float(rng.choice([taken, 0.0, 1.0, near]))


def climb(
    loss: Callable, start: object, change: Callable, rng: np.random.Generator, steps: int, enough: float = np.inf
) -> tuple:
    """Change data at random by ``change(data, rng)``, and keep what does not lose less; ends above `enough`.

    Returns the last data and their loss.
    """
    best, top = start, loss(start)
    for _ in range(steps):
        if top > enough:
            break
        data = change(best, rng)
        found = loss(data)
        if found >= top:
            best, top = data, found
    return best, top


def candidates_climb(
    median: float = 1.0, choice: float = 0.2, *, rng: np.random.Generator, steps: int = 4000, starts: int = 8
) -> tuple[Groups, float]:
    """Return groups of records on which K = 2 private candidates cost more than `median` + `choice`.

    The claim is that of DiPriMe v1 and v2: a median and a choice, however many columns compete. A unit
    of the sum of squares weighs half of `choice`. The loss is at most the claim if the climbs found none.
    """

    def loss(groups):
        if sum(groups.sizes) > MOST_RECORDS:
            return -np.inf
        law = candidates.candidates_law
        found = candidates.removal_loss(law, groups.node(), median, choice / 2, record=0)
        return found if found < np.inf else -np.inf  # a probability has underflowed

    best = None
    for stream in rng.spawn(starts):
        start = Groups(((0.0, 1.0), (1.0, 0.0)), (1.0, 0.0), (2, 2))
        limit = (median + choice) * (1 + 1e-6)
        found = climb(loss, start, neighbour_of, stream, steps // starts, limit)
        best = found if best is None or found[1] > best[1] else best
        if best[1] > limit:
            break
    return best


KNOWN = {
    "smooth-sensitivity label": lambda: _counts(SmoothExponential(1.0), AR),
    "add-remove rate under replace-one": lambda: _counts(PermuteAndFlip(1.0, monotonic=True), RO),
    "equal parts under add-remove": lambda: _forest("equal-parts", AR),
    "forest at its add-remove rate under replace-one": lambda: _forest("independent", RO),
    "matrix release at its add-remove noise under replace-one": _matrix_release,
    "median by rank": _median_by_rank,
    "trees that each spend epsilon": _trees_that_each_spend,
    "depth of the number of records": _depth_of_records,
}


def rediscover(name: str) -> WorstCase | None:
    """Search for one of `KNOWN`."""
    return every_pair(KNOWN[name]())
