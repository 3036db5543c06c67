"""A forest as arrays: how each family grows its trees, and how records are routed to leaves.

What is compiled is imported when it is first used: numba is slow to import.
"""

from importlib import import_module

from dplit.trees.arrays import Trees

HOMES = {
    "grow_random_trees": "random",
    "expected_leaves": "reached",
    "reach_random_leaves": "reached",
    "apply": "routing",
    "average": "routing",
    "count_labels": "routing",
    "vote": "routing",
}
__all__ = [
    "Trees", "apply", "average", "count_labels", "expected_leaves", "grow_random_trees",
    "reach_random_leaves", "vote",
]  # fmt: skip


def __getattr__(name):
    if name in HOMES:
        return getattr(import_module(f"dplit.trees.{HOMES[name]}"), name)
    raise AttributeError(f"module 'dplit.trees' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
