r"""Private boosted oblivious trees: what a round reads, what it releases, and what that costs.

The forest is this book's own. Notation: :math:`n` records, :math:`K` classes, :math:`T` rounds of one
tree of depth :math:`d` each, whose levels test one (column, cut) in all nodes. :math:`F` is the released
model so far, :math:`p` its probabilities, :math:`r` a record's residual in whole steps, `STEPS` of them to
one, and :math:`R_c` the sum of the residuals in cell :math:`c`.

==============  =============================================================================
`grid`          the public cuts of a column, and the sets of levels
`residuals`     residuals in whole steps, and their reach: the most that one record adds
`mass`          the score of a test, :math:`u = \sum_c \lVert R_c \rVert_1`, and its sensitivity
`law`           the exact privacy loss of small fits
`start`         where a regression begins: centre and spread of the targets from noisy counts
`step`          the leaves' steps from noisy pair sums: posterior means, and the error of a pulled step
`plan`          rounds, depth and shares of epsilon from public numbers
`balance`       the bias-noise balance behind the rule
`sets`          data sets for choosing rules, and those kept apart
==============  =============================================================================

Derived in :doc:`/book/boosting`.
"""

from dplit.boosting.advice import Advice, advise
from dplit.boosting.balance import balance, best_depth, best_rounds
from dplit.boosting.grid import along, bins_of_codes, directions, level_sets, public_cuts
from dplit.boosting.law import SmallClasses, SmallTargets, stretched, worst_loss
from dplit.boosting.mass import mass, newton_gain, sums_by_cell, worst_change
from dplit.boosting.plan import Plan, counted, equivalent, plan
from dplit.boosting.residuals import CLIP, STEPS, Reach, class_reach, class_residuals, clipped, target_residuals
from dplit.boosting.start import target_start
from dplit.boosting.step import best_weight, brownian, leaf_steps, posterior_steps, priors, step_error, tree_steps

__all__ = [
    "CLIP", "STEPS", "Advice", "Plan", "Reach", "SmallClasses", "SmallTargets", "advise", "along", "balance",
    "best_depth", "best_rounds", "best_weight", "bins_of_codes", "brownian", "class_reach", "class_residuals",
    "clipped", "counted", "directions", "equivalent", "leaf_steps", "level_sets", "mass", "newton_gain",
    "plan", "posterior_steps", "priors", "public_cuts", "step_error", "stretched", "sums_by_cell",
    "target_residuals", "target_start", "tree_steps", "worst_change", "worst_loss",
]  # fmt: skip
