r"""When a multinomial forest is consistent (MRF, section 4.1 and appendix A.3).

Notation: D features (`features`), k the most estimation points of a leaf, n estimation points of a tree unless
said otherwise, X a fresh point, m = `levels` cuts above its cell, :math:`B_1` (`feature_budget`) and :math:`B_2`
(`value_budget`).

`leaves` and `sizes`: exact laws at :math:`B_1 = B_2 = 0`. `chain`: the printed proof, equation by equation, and
what holds instead. `rules`: lemmas 1 and 2. `greedy`: a law on which the arg max fails. `simulate`: draws.
Derived in :doc:`/book/consistency`.
"""

from dplit.consistency.chain import (
    all_large_bound,
    any_law_size,
    chebyshev,
    contraction,
    largest_child_bound,
    leaf_tail_bound,
    levels_to_halve,
    middle,
    published_all_large,
    published_middle,
    published_size,
    small_cell_bound,
    tight_size,
)
from dplit.consistency.curve import curve_cell, stored_curve
from dplit.consistency.greedy import pair_and_trend, pair_bayes_risk, pair_blind_risk
from dplit.consistency.leaves import depth_law, empty_leaf, expected_depth, leaf_count_law, poisson_distance_bound
from dplit.consistency.rules import grid_risk, partition_excess_bound, vote_excess_bound
from dplit.consistency.simulate import Ideal, Paths, ideal_paths, noise_cuts, observed_paths
from dplit.consistency.sizes import (
    best_leaf_size,
    leaf_power,
    leaf_power_bound,
    linear_squared_error,
    mean_power,
    size_exponent,
    squared_error_bound,
)

__all__ = [
    "Ideal", "Paths", "all_large_bound", "any_law_size", "best_leaf_size", "chebyshev", "contraction",
    "curve_cell", "depth_law", "empty_leaf", "expected_depth", "grid_risk", "ideal_paths",
    "largest_child_bound", "leaf_count_law", "leaf_power", "leaf_power_bound", "leaf_tail_bound",
    "levels_to_halve", "linear_squared_error", "mean_power", "middle", "noise_cuts", "observed_paths",
    "pair_and_trend", "pair_bayes_risk", "pair_blind_risk", "partition_excess_bound", "poisson_distance_bound",
    "published_all_large", "published_middle", "published_size", "size_exponent", "small_cell_bound",
    "squared_error_bound", "stored_curve", "tight_size", "vote_excess_bound",
]  # fmt: skip
