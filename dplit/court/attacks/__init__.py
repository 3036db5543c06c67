"""What an attacker makes of a released number or forest, and what privacy promises against it.

============================================  =========================================
attack                                        where
============================================  =========================================
last bits of a Laplace release                `can_reach`, `tell_apart`
an arg-max of doubles with rounded scores     `rounded_scores`, `exact_law`
membership of a record in the training data   `membership`, `best_threshold`
reconstruction of the training data           `leaf_equations`, `solve_counts`,
                                              `likeliest_table`, `table_of_cuts`
============================================  =========================================

Against all of them stands what privacy promises, `advantage_bound` and `recovery_bound`. Derived in
:doc:`/book/attacks`.
"""

from dplit.court.attacks.advantage import advantage_bound, advantage_range, randomised_response
from dplit.court.attacks.argmax import exact_law, rounded_scores
from dplit.court.attacks.floats import can_reach, float_noise, tell_apart
from dplit.court.attacks.members import FORESTS, best_threshold, membership, membership_law, statistic
from dplit.court.attacks.reconstruction import (
    all_rows,
    blind_share,
    leaf_equations,
    likeliest_table,
    random_table,
    recovered,
    recovery_bound,
    solve_counts,
    table_of_cuts,
)
from dplit.court.attacks.run import one_table, stored_attacks

__all__ = [
    "FORESTS", "advantage_bound", "advantage_range", "all_rows", "best_threshold", "blind_share",
    "can_reach", "exact_law", "float_noise", "leaf_equations", "likeliest_table", "membership",
    "membership_law", "one_table", "random_table", "randomised_response", "recovered", "recovery_bound",
    "rounded_scores", "solve_counts", "statistic", "stored_attacks", "table_of_cuts",
    "tell_apart",
]  # fmt: skip
