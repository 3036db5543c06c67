"""What a matrix forest decides before it reads a record: its cells, trees, strategies and their errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dplit import matrix
from dplit.domain import Categorical, Domain
from dplit.forests.cells import Cells
from dplit.forests.ensembles import grow_ensembles, joined
from dplit.forests.random_decision import affordable_depth
from dplit.matrix.ensembles import Ensemble
from dplit.matrix.paths import Paths, decision_paths
from dplit.matrix.strategies.selection import few_coefficients
from dplit.matrix.subsample import subsample_workload, vote_sensitivity
from dplit.matrix.workload import Workload
from dplit.trees.arrays import Trees

if TYPE_CHECKING:
    from dplit.forests.matrix import MatrixForestClassifier

WIDEST = 20_000_000  # counts of cells that the identity may release
MOST_LEVELS = 500_000_000  # of all leaves together
MOST_LEAVES = 250_000  # of all trees together, where the depth is left to the forest
DEEPEST = 4  # of the same: the paper's own depth
MOST_CELLS = 10**300  # of a domain: shares of them are floats
INSTEAD = "take 'auto', 'per-tree' or 'merged', fewer bins, or a subset_size"
LARGEST_SCALE = 1e12  # of the noise: sums of larger numbers would not be whole ones


class ExpectedError(NamedTuple):
    """Expected squared error of what is released, for one class, from the noise alone."""

    #: Variance of a leaf's count, the mean over all leaves; of the difference where two classes are
    #: released as one. None if no leaves are released.
    leaf: float | None
    #: Variance of a weighted vote, which is a sum over the trees: the mean over the queries, or, if
    #: there are none, over all cells. None from marginals of a domain so wide that it would take long.
    vote: float | None


class Plan(NamedTuple):
    """What is public about a fit."""

    cells: Cells
    trees: Trees  #: All ensembles', over the columns of the domain.
    paths: Paths  #: Their leaves.
    #: Tuple of dplit.matrix.ensembles.Ensemble. Workload and strategy of each; one for all trees where each record
    #: belongs to one tree.
    ensembles: tuple
    queries: np.ndarray | None  #: Int64 array, shape (n_queries, n_features), or None. Codes of their levels.
    expected_error: ExpectedError
    depth: int  #: Tests on a path.

    @property
    def strategies(self):
        """The strategy of each ensemble, a tuple."""
        return tuple(e.strategy for e in self.ensembles)


def plan_of(forest: MatrixForestClassifier, domain: Domain, n_classes: int, rng: np.random.Generator) -> Plan:
    """The `Plan` of a forest whose parameters were checked; of `rng` only spawned streams are used."""
    cells = Cells(domain, forest.bins)
    width = len(cells.n_levels)
    subset = width if forest.subset_size is None else forest.subset_size
    if subset > width:
        raise ValueError(f"subset_size must be at most the {width} columns, got {subset}")
    queries = _queries(forest, domain, cells)
    depth = _depth(forest, cells)
    grown = grow_ensembles(
        cells, forest.n_estimators, depth, forest.ensembles, subset, rng=rng, n_jobs=forest.n_jobs
    )
    trees = joined(grown)
    if trees.n_leaves * int(cells.n_levels.sum()) > MOST_LEVELS:
        raise ValueError(
            f"n_estimators={forest.n_estimators} trees of max_depth={depth} have "
            f"{trees.n_leaves:,} leaves over {cells.n_levels.sum():,} levels, too many for a matrix: "
            "take fewer trees, less depth (max_depth=None finds one), or fewer bins"
        )
    asked = _Asked(forest, n_classes)
    if forest.release == "subsample":
        paths = decision_paths(trees, cells.n_levels)
        workload = subsample_workload(paths, queries)
        found = [Ensemble((0,), (len(paths),), workload, asked.strategy(workload))]
    else:
        found = [asked.ensemble(cells, *ensemble, queries) for ensemble in grown]
        alone = len(found) == 1 and subset == width  # the same paths are held once
        paths = found[0].workload.paths if alone else decision_paths(trees, cells.n_levels)
    expected = asked.error(found, trees.n_leaves, queries)
    return Plan(cells, trees, paths, tuple(found), queries, expected, depth)


def _depth(forest, cells):
    """`max_depth`, or the largest up to `DEEPEST` whose leaves are not too many; no record is read."""
    if forest.max_depth is not None:
        return forest.max_depth
    domain = Domain([Categorical(range(n)) for n in cells.n_levels.tolist()])
    each = min(MOST_LEAVES, MOST_LEVELS // sum(cells.n_levels.tolist())) // forest.n_estimators
    return affordable_depth(domain, DEEPEST, each, forest.n_estimators)


def _queries(forest, domain, cells):
    """The codes of the forest's queries; None if there are none."""
    if forest.queries is None:
        return None
    try:
        return cells.codes(domain.encode(forest.queries))
    except ValueError as error:
        raise ValueError(f"queries must lie in the domain: {error}") from None


class _Asked:
    """A forest's parameters as those of a strategy and of its noise."""

    def __init__(self, forest, n_classes):
        self.forest, self.n_classes = forest, n_classes
        self.relation = forest._relation()
        self.signed = forest._is_difference(n_classes)
        self.is_subsample = forest.release == "subsample"
        parts = 1 if self.is_subsample else forest.ensembles
        self.share = forest._noise_epsilon() / parts
        weighted = forest.release == "training" and forest._voting() == "weighted"
        self.target = "votes" if weighted else "leaves"

    def ensemble(self, cells, columns, trees, queries):
        """The matrices of one ensemble of training or prediction."""
        paths = decision_paths(trees, cells.n_levels[columns])
        given = None if queries is None else queries[:, columns]
        workload = Workload.of(paths, given)
        if workload.n_cells > MOST_CELLS:
            raise ValueError(
                f"domain must have at most 10^300 cells with release={self.forest.release!r}, got "
                f"more from {len(columns)} columns: take a subset_size, or release='subsample'"
            )
        levels = tuple(cells.n_levels[columns].tolist())
        return Ensemble(tuple(columns.tolist()), levels, workload, self.strategy(workload))

    def strategy(self, workload):
        """The strategy of that name, or the best one; an error if it is too wide or its noise too large."""
        forest, name = self.forest, self.forest.strategy
        too_wide = self.too_wide(workload, name)
        if name == "auto":
            names = matrix.portfolio(workload, self.target)
            names = [n for n in names if not (too_wide and n == "identity")]
            found = matrix.select(
                workload, self.relation, forest.mechanism, self.target, epsilon=self.share,
                classes=self.n_classes, members=names,
            )  # fmt: skip
        else:
            found = matrix.member(workload, name, self.target)
        if found is None:
            raise ValueError(
                f"strategy={name!r} is one for leaves on the cells of a domain, and "
                f"release={forest.release!r} has none: take 'auto' or 'identity'"
            )
        scale = self.sensitivity(found) / self.share
        if LARGEST_SCALE < scale:
            least = self.sensitivity(found) / LARGEST_SCALE * forest.epsilon / self.share
            raise ValueError(
                f"epsilon must be at least {least:.3g} for strategy={found.name!r} and these trees, "
                f"so that no noise overflows, got {forest.epsilon!r}"
            )
        return found

    def too_wide(self, workload, name):
        """Whether the cells are too many to release; an error where the named strategy needs them, or more."""
        wide = workload.n_cells * self.n_classes > WIDEST
        if name == "identity" and wide:
            raise ValueError(
                f"strategy='identity' would release {workload.n_cells:,} cells of {self.n_classes} "
                f"classes, more than {WIDEST:,} counts: {INSTEAD}"
            )
        if name in ("regions", "p-identity") and wide:
            raise ValueError(f"strategy={name!r} searches among {workload.n_cells:,} cells, too many: {INSTEAD}")
        if workload.boxes is None or self.target == "leaves":
            return wide
        if name == "marginals" and not few_coefficients(workload.boxes):
            raise ValueError(
                "strategy='marginals' with voting='weighted' needs the coefficients of "
                f"{len(workload.boxes):,} distinct leaves, too many: {INSTEAD}"
            )
        return wide

    def sensitivity(self, strategy):
        if self.is_subsample:
            return vote_sensitivity(strategy, self.n_classes, self.forest._voting(), self.relation)
        return strategy.sensitivity(self.relation, self.n_classes, self.signed) or 1.0

    def error(self, ensembles, n_leaves, queries):
        """The `ExpectedError`, where each ensemble answers from its own release."""
        if queries is not None:
            votes = math.fsum(self.total(e.workload, e.strategy) for e in ensembles)
            return ExpectedError(None, votes / len(queries))
        leaves = math.fsum(self.total(e.workload, e.strategy) for e in ensembles)
        if any(e.strategy.name == "marginals" and not few_coefficients(e.workload.boxes) for e in ensembles):
            return ExpectedError(leaves / n_leaves, None)
        votes = math.fsum(self.total(e.workload, e.strategy, "votes") for e in ensembles)
        return ExpectedError(leaves / n_leaves, votes)

    def total(self, workload, strategy, target="leaves"):
        """Expected squared error of all answers together, or of a cell's vote, the mean over cells."""
        scale = self.sensitivity(strategy) / self.share
        unit = matrix.noise_variance(scale, matrix.fitting(strategy, self.forest.mechanism))
        return unit * matrix.unit_error(workload, strategy, target) / strategy.norm**2
