r"""How many records a leaf of a tree of private medians holds (DiPriMe v1, theorem 2); :doc:`/book/occupancy`.

Notation: `n` records at the root, `depth` d, so :math:`2^d` leaves with :math:`n/2^d` records on
average; `epsilon` is the budget of one split, the paper's :math:`\epsilon_1`; `t` is a distance from
that average, in records. A split sends j of a node's m records to the left with probability
proportional to :math:`e^{-\epsilon_1|j - m/2|}`, j = 0, ..., m, where the column's values are distinct and the
column is chosen without the targets; `tied_leaf_laws` has the law where values are equal.

`t` is at least 0 and may be an array, whose shape the result has; bounds that are ours are at most 1. `depth` is
at least 1, or 0 in the laws of the mechanism, and `epsilon` positive. `one` is the number one in the arithmetic
that is wanted. A ValueError names an argument out of its range.

=================================  =============================================================
the real mechanism, exactly        `leaf_law`, `leaf_tail`, `simulate`
the worst of all leaves, exactly   `any_leaf_tail`, `any_leaf_below`
the paper's Laplace model          `model_tail`, `model_bound`
theorem 2 as published             `published_bound`: `chebyshev_bound`, `subexponential_bound`
what holds for every n             `corrected_bound`
what holds where 2^d divides n     `divisible_bound`
where values are equal, exactly    `tied_leaf_laws`, `tied_leaf_tail`
what holds for every column        `tied_bound`
where theorem 2 is proved          `proved_cells`, `beyond_turn`
=================================  =============================================================
"""

from dplit.occupancy.bounds import (
    BETA,
    chebyshev_bound,
    chebyshev_window,
    corrected_bound,
    divisible_bound,
    gamma,
    published_bound,
    published_window,
    subexponential_bound,
)
from dplit.occupancy.law import any_leaf_below, any_leaf_tail, draw_rank, leaf_law, leaf_tail, simulate
from dplit.occupancy.model import alternates_and_falls, laplace_weights, leading_constant, model_bound, model_tail
from dplit.occupancy.proof import DEEPEST, TURN, beyond_turn, constant_at_most, proved_cells
from dplit.occupancy.ties import tied_bound, tied_leaf_laws, tied_leaf_tail

__all__ = [
    "BETA", "DEEPEST", "TURN", "alternates_and_falls", "any_leaf_below", "any_leaf_tail", "beyond_turn",
    "chebyshev_bound", "chebyshev_window", "constant_at_most", "corrected_bound", "divisible_bound",
    "draw_rank", "gamma", "laplace_weights", "leading_constant", "leaf_law", "leaf_tail", "model_bound",
    "model_tail", "proved_cells", "published_bound", "published_window", "simulate",
    "subexponential_bound", "tied_bound", "tied_leaf_laws", "tied_leaf_tail",
]  # fmt: skip
