"""Laws of a median forest: how a node is split, what a leaf releases (chapter `median_forest`).

`split`: which column a node is cut on, and where, one function a route. `candidates`: what it costs to
draw candidates that are not released. `grid`: how far cuts on a public grid are from real ones.
`leaf_mean`: the mean of a leaf, and how deep a tree should be. Throughout, `columns` is K, and numbers of records
and columns are at least 1; a ValueError names an argument out of its range.
"""

from dplit.median_forest import split
from dplit.median_forest.candidates import (
    MECHANISMS,
    Node,
    candidates_law,
    crossed,
    joint_law,
    mirror,
    removal_loss,
    winner_law,
)
from dplit.median_forest.grid import grid_distance
from dplit.median_forest.leaf_mean import (
    clamped_epsilon,
    clamped_error,
    clamped_loss,
    first_order_errors,
    halves_error,
    occupancy_depth,
    votes_error,
)

__all__ = [
    "MECHANISMS", "Node", "candidates_law", "clamped_epsilon", "clamped_error", "clamped_loss",
    "crossed", "first_order_errors", "grid_distance", "halves_error", "joint_law", "mirror", "occupancy_depth",
    "removal_loss", "split", "votes_error", "winner_law",
]  # fmt: skip
