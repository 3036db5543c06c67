"""A forest as arrays: how each family grows its trees, and how records are routed to leaves."""

from dplit.trees.arrays import Trees
from dplit.trees.random import grow_random_trees
from dplit.trees.reached import expected_leaves, reach_random_leaves
from dplit.trees.routing import apply, average, count_labels, vote

__all__ = [
    "Trees", "apply", "average", "count_labels", "expected_leaves", "grow_random_trees",
    "reach_random_leaves", "vote",
]  # fmt: skip
