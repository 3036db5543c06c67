r"""Forests as matrices (M-RF): what is asked of the records is a matrix that no record has touched.

Notation: a domain has n cells, a cell being one combination of levels, and D is the n x k table of the
records by cell and class. T has a row for each leaf of the forest and a column for each cell, Q a row
for each inference query.

====================================  ==========================================================
the matrices of section 3             `decision_paths`, `Paths`, `data_matrix`, `query_matrix`
what is asked of D                    `Workload`: T itself, or the votes Q T' T, or any matrix
independent leaves                    `rank_bound`, `full_rank_bound`, `certified_ranks`
distinct leaves of a cell             `most_boxes`, `distinct_leaves_law`
what is released, and its error       `Strategy` and its members, `error`, `select`
what is released, and what it costs   `release`, `measure`, `noise_of`, `ReleaseLaw`
subsample and aggregate               `subsample`, `subsample_workload`, `own_leaves`, `most_queries`
forests on subsets of the columns     `Ensemble`, `release_ensembles`, `reconstruction`
after the release                     `clipped`, `shrunk`, `shrunk_error`
what no release can beat              `lower_bound`, `nuclear_bound`, `l2_optimum`, `wide_bound`
noise of the workload's shape         `KNorm`, `BlockNorm`, `TreeNorm`, released as `AgreeingTrees`
Gaussian noise, (epsilon, delta)      `gaussian_scale`, `gaussian_error`, `GaussianMarginals`
====================================  ==========================================================

What arguments are called says what they are, throughout:

=================  =========================================================================================
`codes`            int array, shape (n_records, n_features): codes of levels, as `dplit.Domain.encode` gives
`classes`          int array, shape (n_records,), from 0 to `n_classes` - 1 = k - 1; or, a number, the class
                   columns that are released together
`n_levels`         whole numbers, shape (n_features,): the levels of each column
`paths`, `boxes`   `Paths`: all leaves of the trees, or distinct ones
`measured`         array, shape (n_measured, k): what a strategy measured, with noise
`epsilon`          positive; `delta` lies between 0 and 1
`neighbours`       "add-remove" or "replace-one"
`mechanism`        "laplace" or "geometric"
`target`           "leaves", the rows of the workload, all together; or "votes", a weighted vote, on average
                   over all cells
`signed`           whether one column is released, records of the first class less those of the second
=================  =========================================================================================

Arrays that are returned are float64 unless a function says so. An argument out of its range is a ValueError.
"""

from dplit.matrix.answers import clipped, shrunk, shrunk_error
from dplit.matrix.bounds import Certificate, chi_square, l2_optimum, least_variance, lower_bound, nuclear_bound
from dplit.matrix.ensembles import Ensemble, deviations, reconstruction, release_ensembles
from dplit.matrix.gaussian import GaussianMarginals, gaussian_delta, gaussian_error, gaussian_scale, l2_sensitivity
from dplit.matrix.knorm import BlockNorm, KNorm
from dplit.matrix.paths import Paths, cells_of, data_matrix, decision_paths, query_matrix
from dplit.matrix.rank import certified_ranks, distinct_leaves_law, full_rank_bound, most_boxes, rank_bound
from dplit.matrix.regimes import bound_at, crossing, expected_leaves, least_spread, wide_bound
from dplit.matrix.release import ReleaseLaw, measure, noise_for, noise_of, release
from dplit.matrix.strategies import (
    MEMBERS,
    TARGETS,
    AgreeingTrees,
    Dense,
    DisjointTrees,
    DistinctLeaves,
    Identity,
    Marginals,
    PerTree,
    PIdentity,
    Strategy,
    WeightedLeaves,
    agreeing_marginals,
    error,
    fitting,
    member,
    noise_scale,
    noise_variance,
    optimise_marginals,
    optimise_p,
    portfolio,
    regions,
    select,
    sensitivity,
    unit_error,
)
from dplit.matrix.subsample import (
    most_queries,
    own_leaves,
    shuffled_loss,
    subsample,
    subsample_workload,
    tree_advantage,
    vote_sensitivity,
)
from dplit.matrix.treenorm import TreeNorm
from dplit.matrix.workload import Merged, Workload

__all__ = [
    "MEMBERS", "TARGETS", "AgreeingTrees", "BlockNorm", "Certificate", "Dense", "DisjointTrees", "DistinctLeaves",
    "Ensemble", "GaussianMarginals", "Identity", "KNorm", "Marginals", "Merged", "PIdentity", "Paths", "PerTree",
    "ReleaseLaw", "Strategy", "TreeNorm", "WeightedLeaves", "Workload", "agreeing_marginals", "bound_at",
    "cells_of", "certified_ranks", "chi_square", "clipped", "crossing", "data_matrix", "decision_paths",
    "deviations", "distinct_leaves_law", "error", "expected_leaves", "fitting", "full_rank_bound",
    "gaussian_delta", "gaussian_error", "gaussian_scale", "l2_optimum", "l2_sensitivity", "least_spread",
    "least_variance", "lower_bound", "measure", "member", "most_boxes", "most_queries", "noise_for", "noise_of",
    "noise_scale", "noise_variance", "nuclear_bound", "optimise_marginals", "optimise_p", "own_leaves",
    "portfolio", "query_matrix", "rank_bound", "reconstruction", "regions", "release", "release_ensembles",
    "select", "sensitivity", "shrunk", "shrunk_error", "shuffled_loss", "subsample", "subsample_workload",
    "tree_advantage", "unit_error", "vote_sensitivity", "wide_bound",
]  # fmt: skip
