r"""Laws of a random decision forest (RDF, sections 4.2 and 4.4), derived in :doc:`/book/random_forest`.

`cuts`: what a cut leaves to the children. `parts`: the exact law of a small released forest, and what the
assignment of records to trees costs. `noise`: what smooth sensitivity is good for. `instability`: labels
that are released only where they are stable. `votes`: how many trees are best, and the labels of a model.

Throughout, `epsilon` is positive, `classes` is k, at least 2, `gap` is the largest count of a leaf less the second
largest, and `neighbours` are "add-remove" or "replace-one". A ValueError names an argument out of its range.
"""

from dplit.random_forest.cuts import children, published_children
from dplit.random_forest.instability import (
    delta_error_bound,
    distance_to_instability,
    pure_delta,
    stable_error,
    stable_release,
    stable_sample,
)
from dplit.random_forest.noise import (
    cauchy_loss,
    cauchy_noise,
    free_beta,
    median_smooth_sensitivity,
    private_median,
    smooth_factor,
    smooth_loss,
    student_factor,
    student_loss,
    student_noise,
)
from dplit.random_forest.parts import (
    ForestLaw,
    equal_parts_bound,
    equal_parts_family_loss,
    forest_law,
    rational_label_law,
    smallest_equal_parts_loss,
)
from dplit.random_forest.votes import poisson_error, suggested_trees, vote_errors

__all__ = [
    "ForestLaw", "cauchy_loss", "cauchy_noise", "children", "delta_error_bound",
    "distance_to_instability", "equal_parts_bound", "equal_parts_family_loss", "forest_law",
    "free_beta", "median_smooth_sensitivity", "poisson_error", "private_median",
    "published_children", "pure_delta", "rational_label_law", "smallest_equal_parts_loss",
    "smooth_factor", "smooth_loss", "stable_error", "stable_release", "stable_sample",
    "student_factor", "student_loss", "student_noise", "suggested_trees", "vote_errors",
]  # fmt: skip
