"""A forest as arrays: how each family grows its trees, and how records are routed to leaves.

What is compiled is imported when it is first used: numba is slow to import.
"""

from dplit.trees.arrays import Trees

__all__ = [
    "Trees", "apply", "average", "count_labels", "expected_leaves", "grow_random_trees",
    "reach_random_leaves", "vote",
]  # fmt: skip


def __getattr__(name):
    if name in __all__:
        from dplit.trees import random, reached, routing

        return next(vars(home)[name] for home in (random, reached, routing) if name in vars(home))
    raise AttributeError(f"module 'dplit.trees' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
