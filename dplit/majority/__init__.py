r"""The majority label of a leaf: Fletcher and Islam (2017), sections 2.2, 4.1 and 4.2, and the addendum.

Notation: a leaf holds :math:`c_r` records of class :math:`r`, for :math:`k` classes; `counts` has
shape (..., k). Its gap :math:`j` is the largest count less the second largest. :math:`\epsilon` is the
budget of one label, and :math:`\alpha = e^{-\epsilon}`.

Neighbours of a leaf are what neighbouring data sets make of it. Under ``"add-remove"`` one count changes by one.
Under ``"replace-one"`` a record may also change its class, or leave for another leaf, or come from one.

Throughout, `epsilon` is the budget of one label, positive, `classes` is k, `gap` is j, and `n` a number of
records; gaps and differences of counts may be arrays. A ValueError names an argument out of its range. Derived
in :doc:`/book/majority`.
"""

from dplit.majority.counts import expected_gap, leaves, neighbouring
from dplit.majority.disjoint import (
    all_data_error,
    all_data_vote_error,
    disjoint_error,
    disjoint_vote_error,
    unanimous_disjoint_error,
)
from dplit.majority.one_sided import error_lower_bound, gap_error, one_sided_law, second_label, unanimous_error
from dplit.majority.optimum import chain_error, gap_law, optimal_bounds, optimal_error
from dplit.majority.sensitivity import (
    first_listed_smooth_sensitivity,
    published_smooth_sensitivity,
    searched_smooth_sensitivity,
    smooth_sensitivity,
)
from dplit.majority.smooth import (
    first_violation,
    rescaled_loss,
    smooth_exponential_delta,
    smooth_exponential_law,
    smooth_exponential_loss,
)

__all__ = [
    "all_data_error", "all_data_vote_error", "chain_error", "disjoint_error", "disjoint_vote_error",
    "error_lower_bound", "expected_gap", "first_listed_smooth_sensitivity", "first_violation",
    "gap_error", "gap_law", "leaves", "neighbouring", "one_sided_law", "optimal_bounds",
    "optimal_error", "published_smooth_sensitivity", "rescaled_loss", "searched_smooth_sensitivity",
    "second_label", "smooth_exponential_delta", "smooth_exponential_law", "smooth_exponential_loss",
    "smooth_sensitivity", "unanimous_disjoint_error", "unanimous_error",
]  # fmt: skip
