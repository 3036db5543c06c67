r"""What the two multinomials of a node choose (MRF, sections 3.2 and 4.1, appendices A.1, A.2 and C).

Notation: `feature_budget` is :math:`B_1`, `value_budget` :math:`B_2`; a node has D features, and a feature m
cuts with impurity decreases :math:`I`. Decreases of a node are a sequence with an array for each feature.
`counts` are of classes, along the last axis, and `criterion` is "gini" or "entropy". A ValueError names an
argument out of its range.

====================================  ==========================================================
candidates of a node from records     `candidate_cuts`, `decreases_of`
scores                                `normalised`
one multinomial, both, and draws      `selection_law`, `feature_law`, `joint_law`, `sample`
lemma 3, equation 7                   `published_selection_bounds`, `selection_bounds`,
                                      `published_p1`, `tight_p1`
lemma 4                               `published_p2`, `tight_p2`, `middle_bound`
records that attain them              `opposed_features`, `level_labels`
distance from uniform choice          `uniform_distance`, `uniform_distance_bound`
the likeliest cut                     `best_is_likeliest`, `counting_cuts`
cost of a choice                      `multinomial_cost`, `greedy_cost`
majority votes                        `vote_outcomes`
losses of lemmas 5 to 7, theorem 2    `selection_loss`, `label_loss`, `coin_loss`, and `losses`
what may be kept                      `impurity_mass`, `mass_sensitivity`, `level_rate`, `split_law`
the law of a small forest             `SmallForestLaw`
====================================  ==========================================================
"""

from dplit.multinomial.bounds import (
    Bounds,
    middle_bound,
    published_p1,
    published_p2,
    published_selection_bounds,
    selection_bounds,
    tight_p1,
    tight_p2,
    uniform_distance,
    uniform_distance_bound,
)
from dplit.multinomial.candidates import CRITERIA, Cuts, candidate_cuts, decreases_of
from dplit.multinomial.extremes import level_labels, opposed_features
from dplit.multinomial.likeliest import (
    GOLDEN_BUDGET,
    Cost,
    best_is_likeliest,
    counting_cuts,
    greedy_cost,
    multinomial_cost,
)
from dplit.multinomial.losses import (
    accuracy_cap,
    cap_epsilon,
    coin_loss,
    deepest,
    label_loss,
    selection_loss,
    thinned_error,
    thinned_mass,
    vote_cap,
)
from dplit.multinomial.privacy import (
    RangeCuts,
    impurity_mass,
    level_rate,
    mass_sensitivity,
    mass_step,
    nodes_changed,
    normalised_rate,
    normalised_split_law,
    range_cuts,
    split_law,
    split_masses,
)
from dplit.multinomial.selection import (
    check_budget,
    feature_law,
    joint_law,
    label_law,
    normalised,
    sample,
    selection_law,
)
from dplit.multinomial.small_forest import SmallForestLaw
from dplit.multinomial.votes import Vote, vote_outcomes

__all__ = [
    "CRITERIA", "GOLDEN_BUDGET", "Bounds", "Cost", "Cuts", "RangeCuts", "SmallForestLaw", "Vote",
    "accuracy_cap", "best_is_likeliest", "candidate_cuts", "cap_epsilon", "check_budget",
    "coin_loss", "counting_cuts", "decreases_of", "deepest", "feature_law", "greedy_cost",
    "impurity_mass", "joint_law", "label_law", "label_loss", "level_labels", "level_rate",
    "mass_sensitivity", "mass_step", "middle_bound", "multinomial_cost", "nodes_changed",
    "normalised", "normalised_rate", "normalised_split_law", "opposed_features", "published_p1",
    "published_p2", "published_selection_bounds", "range_cuts", "sample", "selection_bounds",
    "selection_law", "selection_loss", "split_law", "split_masses", "thinned_error", "thinned_mass",
    "tight_p1", "tight_p2", "uniform_distance", "uniform_distance_bound", "vote_cap",
    "vote_outcomes",
]  # fmt: skip
