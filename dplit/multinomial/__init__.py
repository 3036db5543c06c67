r"""What the two multinomials of a node choose (MRF, sections 3.2 and 4.1, appendices A.1, A.2 and C).

Notation: `feature_budget` is :math:`B_1`, `value_budget` :math:`B_2`; a node has D features, and a
feature m cuts with impurity decreases :math:`I`. Decreases of a node are a sequence with an array for
each feature.

====================================  ==========================================================
scores                                `normalised`
one multinomial, both, and draws      `selection_law`, `feature_law`, `joint_law`, `sample`
lemma 3, equation 7                   `published_selection_bounds`, `selection_bounds`,
                                      `published_p1`, `tight_p1`
lemma 4                               `published_p2`, `tight_p2`, `middle_bound`
distance from uniform choice          `uniform_distance`, `uniform_distance_bound`
losses of lemmas 5 to 7, theorem 2    `selection_loss`, `label_loss`, `coin_loss`, and `losses`
what may be kept                      `impurity_mass`, `mass_sensitivity`, `level_rate`, `split_law`
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
from dplit.multinomial.losses import (
    accuracy_cap,
    cap_epsilon,
    coin_loss,
    deepest,
    label_law,
    label_loss,
    observed_cuts,
    selection_loss,
    thinned_error,
    thinned_mass,
    vote_cap,
)
from dplit.multinomial.privacy import (
    RangeCuts,
    SmallForestLaw,
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
    normalised,
    sample,
    selection_law,
)

__all__ = [
    "Bounds", "RangeCuts", "SmallForestLaw", "accuracy_cap", "cap_epsilon", "check_budget",
    "coin_loss", "deepest", "feature_law", "impurity_mass", "joint_law", "label_law", "label_loss",
    "level_rate", "mass_sensitivity", "mass_step", "middle_bound", "nodes_changed", "normalised",
    "normalised_rate", "normalised_split_law", "observed_cuts", "published_p1", "published_p2",
    "published_selection_bounds", "range_cuts", "sample", "selection_bounds", "selection_law",
    "selection_loss", "split_law", "split_masses", "thinned_error", "thinned_mass", "tight_p1",
    "tight_p2", "uniform_distance", "uniform_distance_bound", "vote_cap",
]  # fmt: skip
