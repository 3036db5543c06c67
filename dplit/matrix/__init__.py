"""Forests as matrices: decision paths, the workload that they make, strategies, bounds, releases."""

from dplit.matrix.paths import Paths, decision_paths, full_rank_bound, rank_bound

__all__ = ["Paths", "decision_paths", "full_rank_bound", "rank_bound"]
