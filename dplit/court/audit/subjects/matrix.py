"""The releases of a matrix forest in ``dplit audit``: exact losses of their laws, on four cells and two classes.

Caught are the add-remove noise under replace-one, subsamples that are shuffled and cut, queries that are training
records, and a strategy that the records choose.
"""

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from dplit import matrix
from dplit.court.audit.subject import AR, RO, AgainstLaw, Found, Lawful, exact_worst, subject
from dplit.domain import Categorical, Domain
from dplit.matrix.release import ReleaseLaw, noise_for, noise_of
from dplit.matrix.subsample import shuffled_loss
from dplit.neighbours import count_vectors, data_sets, neighbouring_data
from dplit.random_forest.parts import leaf_counts_law

LEVELS = (2, 2)
EPSILON = 1.0
FAR = 8  # more than any count here
CELLS = np.indices(LEVELS).reshape(2, -1).T


def _paths(n_trees, depth, seed=1):
    """Decision paths of random trees on two columns of two levels."""
    from dplit.trees import grow_random_trees

    domain = Domain([Categorical(range(n)) for n in LEVELS])
    trees = grow_random_trees(domain, n_trees, depth, rng=np.random.default_rng(seed))
    return matrix.decision_paths(trees, LEVELS)


def _member(strategy, n_trees=2, queries=None):
    """A strategy for the leaves of random trees of depth one, or for queries."""
    return matrix.member(matrix.Workload.of(_paths(n_trees, 1), queries), strategy)


def entries(strategy, cells=CELLS):
    """A itself: what a strategy measures of a record in each cell, each of a class of its own."""
    return np.asarray(strategy.measure(cells, np.arange(len(cells)), len(cells)), dtype=float)


MEMBERS = {  # strategies on four cells; made when a check runs
    "cells": partial(_member, "identity"),
    "leaves of each tree": partial(_member, "per-tree"),
    "distinct leaves": partial(_member, "merged"),
    "weighted leaves": partial(_member, "weighted", 3),  # two of the three trees are alike
    "regions": partial(_member, "regions"),
    "trees that agree": partial(_member, "tree-norm"),
    "votes from the cells": partial(_member, "identity", queries=np.array([[0, 1], [1, 1]])),
    "marginals": partial(matrix.Marginals, {(0,): 1.0, (1,): 1.0}, LEVELS),
    "weighted marginals": partial(matrix.Marginals, {(0,): 1.0, (): 2.0}, LEVELS),
    "p-identity": partial(_member, "p-identity"),
    "given matrix": partial(matrix.Dense, np.array([[0.5, -1.25, 0.0, 2.0], [1.0, 0.3, 0.7, 0.0]]), LEVELS),
}


@dataclass(frozen=True)
class _Release:
    """Check of one strategy's release: its noise for `calibrated`, its loss under `neighbours`."""

    member: str
    neighbours: str
    calibrated: str
    mechanism: str = "geometric"
    signed: bool = False

    def __call__(self, effort, rng):
        """The largest loss over all data of few records."""
        strategy = MEMBERS[self.member]()
        noise = noise_of(strategy, EPSILON, self.mechanism, self.calibrated, 2, self.signed)
        kind = ReleaseLaw if strategy.independent else SharedNoiseLaw
        law = kind(entries(strategy), noise, 2, (-FAR, FAR), self.signed)
        return _worst(law, effort.pick(1, 2, 3), self.neighbours)


def _worst(law, most, neighbours):
    """The largest loss over all data of at most so many records."""
    near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
    return exact_worst(EPSILON, law, list(data_sets(law.universe, most)), near)


@dataclass(frozen=True)
class SharedNoiseLaw(ReleaseLaw):
    """The same for noise of a norm's shape: outcomes are what tables of `points` and zeros would give."""

    def logpmf(self, records):
        """Logarithm of the density up to a constant, shape (n_outcomes,)."""
        table = self.table(records)
        tables = np.stack(np.meshgrid(*[(0, *self.points)] * len(table), indexing="ij"), -1)
        away = tables.reshape(-1, len(table)) @ self.matrix.T
        logs = [-self.noise.norm(away - self.matrix @ column) / self.noise.scale for column in table.T]
        return sum(np.meshgrid(*logs, indexing="ij")).ravel()


@dataclass(frozen=True)
class CountsLaw:
    """Law of the noisy counts of all leaves of trees on records of their own; each entry at its two ends.

    Inputs are tuples of records, a record being ``(leaf in each tree, ..., class)``.
    """

    n_leaves: tuple
    assignment: str
    classes: int = 2

    @property
    def universe(self):
        """Every record that there can be."""
        return tuple(np.ndindex(*self.n_leaves, self.classes))

    def pmf(self, records):
        """Probability of each outcome, summed over all assignments of records to trees."""
        entries = self.classes * sum(self.n_leaves)
        outcomes = (2 * np.indices((2,) * entries).reshape(entries, -1).T - 1) * FAR
        law = leaf_counts_law([list(r) for r in records], self.n_leaves, self.classes, self.assignment)
        noise = noise_for(1, EPSILON)
        return sum(float(p) * noise.pmf(outcomes - np.ravel(counts)).prod(axis=1) for counts, p in law.items())


def _subsample(assignment, effort, rng):
    """The counts of all leaves, for every data set of few records on two trees."""
    return _worst(CountsLaw((2, 2), assignment), effort.pick(2, 2, 3), AR)


@dataclass(frozen=True)
class DealtLaw:
    """Law of noisy counts of many alike records that are shuffled and dealt to trees in turn.

    Inputs are pairs: how many records are in the first leaf of every tree, and whether one more is in the
    second. Outcomes: which tree has a high count in its first leaf, where all second ones are high.
    """

    n_trees: int

    def logpmf(self, data):
        """Logarithm of the probability of each outcome, shape (n_trees,)."""
        n, more = data
        tau, far, noise = self.n_trees, n + FAR, noise_for(1, EPSILON)
        sizes = np.array([len(range(t, n + more, tau)) for t in range(tau)])
        trees = np.arange(tau)
        logs = []
        for high in trees:
            outcome = np.where(trees == high, far, -far)
            paths = []
            for place in np.flatnonzero(sizes) if more else trees[:1]:
                moved = (trees == place) * more
                share = sizes[place] / (n + 1) if more else 1.0
                first = (noise.rate * -abs(outcome - (sizes - moved))).sum()
                second = (noise.rate * -abs(far - moved)).sum()
                paths.append(np.log(share) + first + second)
            logs.append(np.logaddexp.reduce(paths))
        return np.array(logs)


def _dealt(n_trees, effort, rng):
    """One record more among each number of alike ones, up to some a tree."""
    most = n_trees * effort.pick(2, 4, 8)
    space = [(n, more) for n in range(most) for more in (0, 1)]
    near = lambda data: [(data[0], 0)] if data[1] else []  # noqa: E731
    return exact_worst(EPSILON, DealtLaw(n_trees), space, near)


def _subsample_budget(effort, rng):
    """What votes of subsamples lose, as a share of what their node declares: declares 1."""
    cases = []
    for n_trees in (2, 5):
        paths, queries = _paths(n_trees, 1), CELLS[:2]
        strategy = matrix.member(matrix.subsample_workload(paths, queries), "identity")
        for assignment, neighbours in product(("independent", "shuffled"), (AR, RO)):
            given = paths, queries, strategy, CELLS, [0, 1, 0, 1], 2, EPSILON, "weighted"
            _, node = matrix.subsample(*given, assignment, neighbours=neighbours, rng=rng)
            # a replaced record keeps its place
            dealt = assignment == "shuffled" and neighbours == AR
            found = shuffled_loss(EPSILON, n_trees) if dealt else EPSILON
            cases.append((found / node.epsilon, f"{n_trees} trees, {assignment}, {neighbours}"))
    return Found(1.0, *max(cases))


def _asked_law(records):
    """Whether both queries of a batch get the same votes, where the queries are the two records."""
    workload = matrix.Workload.of(_paths(1, 2), CELLS[list(records)])
    rows = workload.matrix()[workload.place]
    noise = noise_of(matrix.member(workload, "identity"), EPSILON)
    if np.array_equal(*rows):
        return np.array([1.0, 0.0])
    steps = np.arange(-60, 61)  # each query asks for a cell of its own, with one record in each
    equal = float((noise.pmf(steps) ** 2).sum())
    return np.array([equal, 1 - equal])


def _queries_from_records(effort, rng):
    """Two records that are asked themselves; one is replaced."""
    near = partial(neighbouring_data, universe=range(4), neighbours=RO)
    space = [data for data in data_sets(range(4), 2) if len(data) == 2]
    return exact_worst(2 * EPSILON, _asked_law, space, near)


def _chosen_law(counts):
    """Two rows that the fuller cell chooses: the cells, or their sum and difference with twice the noise."""
    first = counts[0] >= counts[1]
    A = np.eye(2) if first else np.array([[1.0, 1.0], [1.0, -1.0]])
    noise = noise_of(matrix.Dense(A), EPSILON)
    points = np.arange(-FAR, FAR + 1)
    logs = [noise.pmf(points - x) for x in A @ np.asarray(counts)]
    return np.outer(*logs)


def _strategy_on_data(effort, rng):
    """Counts of two cells, one class."""
    return exact_worst(EPSILON, _chosen_law, count_vectors(effort.pick(3, 4, 6), 2), AR)


def _sectors():
    """Whether K-norm noise lies in one of the two small triangles, of area 1, of a hexagon: four have area 3."""
    norm = matrix.KNorm(np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 1.0]]), EPSILON)

    def is_small(norm, rng):
        first, second = norm.sample(1, rng=rng)[0]
        return bool(first * (second - first) > 0)

    return Lawful(is_small, norm, {True: 1 / 7, False: 6 / 7})


def registered():
    """The subjects of this file."""
    yield subject("K-norm noise draws its law, by triangles", AgainstLaw(_sectors, (1000, 5000, 50_000)))
    for member, neighbours in product(MEMBERS, (AR, RO)):
        check = _Release(member, neighbours, neighbours)
        yield subject(f"matrix release, {member}, {neighbours}", check)
    difference = "matrix release, difference of two classes"
    for neighbours in (AR, RO):
        check = _Release("cells", neighbours, neighbours, "laplace", True)
        yield subject(f"{difference}, {neighbours}", check)
        for member in ("cells", "distinct leaves", "trees that agree"):
            check = _Release(member, neighbours, neighbours, signed=True)
            yield subject(f"{difference}, {member}, geometric, {neighbours}", check)
    leak = _Release("cells", RO, AR, "laplace", True)
    for name, expected, check in (
        ("matrix release, add-remove noise under replace-one", "caught", _Release("cells", RO, AR)),
        ("matrix release, difference at the add-remove noise under replace-one", "caught", leak),
        ("votes of subsamples, a draw for each record", "within", partial(_subsample, "independent")),
        ("votes of subsamples, shuffled and cut", "caught", partial(_subsample, "equal-parts")),
        ("votes of subsamples, their budget", "within", _subsample_budget),
        ("votes of subsamples, 16 trees, shuffled and cut", "caught", partial(_dealt, 16)),
        ("votes of queries that are training records", "caught", _queries_from_records),
        ("matrix release, strategy chosen on the records", "caught", _strategy_on_data),
    ):
        yield subject(name, check, expected)
