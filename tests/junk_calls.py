"""A right call of every public function of the laws: what is then spoilt, one argument at a time.

What a parameter is called says what it means; a module or a function that means something else has a
line of its own. A function whose call is not here fails `tests.test_junk.test_every_function_has_a_call`.
"""

from __future__ import annotations

import inspect
from fractions import Fraction
from importlib import import_module

import numpy as np

from dplit import Categorical, Domain, boosting, matrix, median, median_forest, scale, trees

MODULES = (
    "neighbours", "loss", "sensitivity", "median", "balance", "occupancy", "utility", "median_forest",
    "majority", "depth", "random_forest", "multinomial", "consistency", "matrix", "boosting",
    "scale", "matrix.forest",
)  # fmt: skip

# What fits together: two trees on two columns of two and three levels, and five records.
LEVELS, CODES, LABELS = [2, 3], [[0, 1], [1, 2], [0, 0], [1, 1], [0, 2]], [0, 1, 0, 1, 1]
PATHS = matrix.Paths(
    np.array([[1, 0, 1, 1, 1], [0, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 1, 1]], dtype=bool),
    np.array(LEVELS),
    np.array([0, 0, 1, 1]),
)
TREES = trees.grow_random_trees(
    Domain([Categorical([0, 1]), Categorical([0, 1, 2])]), 2, 1, rng=np.random.default_rng(0)
)
WORKLOAD = matrix.Workload.of(PATHS)
LEAVES, IDENTITY = matrix.member(WORKLOAD, "per-tree"), matrix.member(WORKLOAD, "identity")
ENSEMBLES = [matrix.Ensemble((0, 1), (2, 3), WORKLOAD, IDENTITY)]
NODE = median_forest.mirror(2, 3, 2, 0.25)
SPACE = [(0,), (0, 0), (0, 1), (1,)]
FITTED = scale.CutForest(
    1.0, domain=Domain([Categorical([0, 1])]), classes=[0, 1], n_estimators=1, max_depth=1, random_state=0
).fit([[0], [1]], [0, 1])
MODEL = boosting.SmallClasses(np.zeros((2, 1)), 0.5, 0.5)


def bernoulli(data):
    """A law for what asks for one: of two outcomes, by how many records there are."""
    return [1 / (2 + len(data)), 1 - 1 / (2 + len(data))]


def fair(counts):
    """A law of a label that reads nothing."""
    return [0.5, 0.5]


VALUES = {
    "n": 6, "depth": 2, "epsilon": 0.7, "neighbours": "add-remove", "lower": 0.0, "upper": 1.0, "t": 1,
    "classes": 2, "counts": [3, 1], "features": 4, "values": [0.1, 0.4, 0.8], "trees": 3, "gap": 2,
    "value_budget": 2.0, "feature_budget": 2.0, "label_budget": 1.0, "budget": 1.0, "k": 2, "n_trees": 2,
    "spread": 0.5, "width": 1.0, "candidates": 3, "parts": 4, "delta": 1e-3, "beta": 0.2, "mean": 0.4,
    "labels": [0, 1, 0], "removed": 1, "leaves": 4, "mechanism": "laplace", "size": 2, "rate": 0.5,
    "criterion": "gini", "one": 1.0, "power": 1, "draws": 3, "levels": 3, "share": 0.3, "cdf": float,
    "impurity_decreases": [0.1, 0.2], "n_levels": LEVELS, "middles": [0.3, 0.4], "noise": 1.0, "s": 8,
    "n_cuts": [4, 2], "n_classes": 2, "codes": CODES, "workload": WORKLOAD, "strategy": LEAVES,
    "paths": PATHS, "queries": CODES, "answers": [1.5, -0.5], "ensembles": ENSEMBLES, "clip": 1,
    "gradients": np.array([[1.0], [-2.0]]), "curvatures": np.array([[4.0], [5.0]]), "variance": 2.0,
    "node": NODE, "bound": 1.0, "curvature": 4.0, "difference": 0.5, "pull": 0.3, "n_records": 1000,
    "most_bits": 3.0, "trend": 0.4, "pair": 0.3, "density_ratio": 1.5, "relevant": 2, "repeated": True,
    "target": "leaves", "members": ["per-tree", "identity"], "starts": 2, "iterations": 20,
}  # fmt: skip

CUTS = {"law": median.interval_law([0.2], 0, 1, 1), "other": median.rank_interval_law([0.2], 0, 1, 1)}
ALIKE = {"impurity_decreases": [[0.1, 0.2], [0.3, 0.0]]}
LEFT = {"left": [[True, False, True], [False, True, True]]}
OTHERWISE = {
    "neighbours": {"universe": (0, 1), "records": (0, 1), "space": SPACE, "data": [[1, 2], [3]],
                   "X": [[0.5, 1.0]], "y": [0], "record": [0.25, 0.5], "label": 1, "index": 0},
    "neighbours.neighbouring_pairs": {"space": [[1, 0], [1, 1]]},
    "loss": {"law": bernoulli, "data": (0,), "neighbour": (0, 1), "space": [[1, 0], [1, 1]],
             "log": False, "rtol": 1e-9},
    "loss.compare_laws": {"law": [0.5, 0.5], "other": [0.25, 0.75]},
    "sensitivity": {"n": 2, "records": [(0, 0.5), (1, 0.25)], "a": [1, 2], "b": [0, 4],
                    "statistic": sum, "grid": 3, "sides": 1},
    "median.total_variation": CUTS, "median.density_loss": CUTS,
    "median": {"cells": 4, "mechanism": "exponential"},
    "balance.worst_at_least": {"n": 8},
    "balance.worst_more_than": {"n": 8},
    "balance.two_levels_trap": {"n": 12},
    "occupancy": {"low": 0.5, "high": 1.0, "least": 1, "multiplicities": [1, 2, 3], "most": 2, "sizes": [2, 3]},
    "utility": {"n": 8, "sizes": [2, 4], "leaves": [[3, 1], [0, 2]], "purity": 0.8,
                "targets": [0.1, 0.5], "law": [0.25, 0.5, 0.25]},
    "utility.leaf_noise": {"sizes": [2.0, 3.0]},
    "median_forest": {"law": median_forest.candidates_law, "zeros": 2, "ones": 3, "columns": 2, "first": 0.5,
                      "gap": 0.25, "half": 6, "few": 3, "fewer": 1, "gaps": (0.25, 0.5), "largest": 1.0,
                      "records": 100, "least": 3, "children": 2, "added": 1.0, "record": -1,
                      "candidates": [([0.5, 0.5], [1.0, 2.0]), ([1.0], [3.0])], "choose": None,
                      "steps": 2**32, "mechanism": "exponential"},
    "majority": {"majority": 4, "minority": 2, "difference": 2.0, "bound": None, "spent": None,
                 "score": None},
    "depth": {"n": 20, "continuous": 3, "discrete": 2, "target": [0, 1], "levels": [2, 3]},
    "random_forest": {"shift": 0.5, "scale": 1.0, "degrees": 3.0, "factor": 1.5, "odds": Fraction(2),
                      "cut": 0.5, "per_tree": 2, "spread": 0.5},
    "random_forest.rational_label_law": {"mechanism": median.PermuteAndFlip},
    "random_forest.forest_law": {"leaves": [[0, 1], [1, 0]], "labels": [0, 1], "n_leaves": (2, 2),
                                 "label_law": fair, "assignment": "independent"},
    "multinomial": {"X": [[1, 0], [2, 1], [3, 0]], "y": [0, 1, 1], "accuracy": 0.7, "name": "budget",
                    "structure": 1.0, "labels": 0.5, "n_estimation": 10, "min_samples_leaf": 2,
                    "n_structure": 10, "stopping": "text", "label": 0, "outer": 0.25, "level": 0.5,
                    "inside": 2.0, "outside": 3.0, "voters": 5, "base": [0.5, 0.5]},
    "multinomial.greedy_cost": {"candidates": 2},
    "multinomial.best_is_likeliest": ALIKE, "multinomial.feature_law": ALIKE,
    "multinomial.joint_law": ALIKE, "multinomial.sample": ALIKE,
    "multinomial.split_law": {**LEFT, "labels": [0, 1, 0]},
    "multinomial.normalised_split_law": {**LEFT, "labels": [0, 1, 0]},
    "multinomial.split_masses": {**LEFT, "labels": [0, 1, 0]},
    "multinomial.range_cuts": {"values": [[0.1, 0.4], [0.3, 0.2]], "lower": [0, 0], "upper": [1, 1]},
    "consistency": {"p": 0.3, "p1": 0.5, "p2": 0.5, "cells": 3, "records": 4, "n_structure": 6,
                    "n_estimation": 6, "edge": 0.3, "below": float, "x": [[0.2, 0.7, 0.4]],
                    "counts": [1, 2], "law": [0.5, 0.5], "excess": 0.1, "exponent": 0.5,
                    "lipschitz": 1.0, "design": "independent"},
    "matrix": {"sets": [(0,), (1,)], "scale": 1.5, "mechanism": "laplace", "name": "identity",
               "classes": LABELS, "boxes": PATHS, "forest": PATHS, "share": 0.5, "signed": False,
               "deviations": [1.0], "entropy": 0.5, "sensitivity": 2, "integer": True, "depth": 1,
               "voting": "weighted", "assignment": "independent", "count": 3.0, "threshold": 0.5,
               "n_features": 3, "which": "unbiased", "rng": None, "p": 1, "patience": None,
               "joint": True, "disjoint": False},
    **{f"matrix.{name}": {"classes": 2} for name in (
        "deviations", "error", "lower_bound", "noise_of", "noise_scale", "nuclear_bound", "select",
        "sensitivity")},
    "matrix.chi_square": {"epsilon": 0.5},
    "matrix.lower_bound": {"which": "laplace", "classes": 2},
    "matrix.subsample": {"strategy": matrix.Dense(np.eye(4))},
    "matrix.vote_sensitivity": {"strategy": matrix.Dense(np.eye(4))},
    "matrix.decision_paths": {"forest": TREES},
    "boosting.target_start": {"counts": [0] * 60 + [40] * 8 + [0] * 60},
    "boosting": {"bias": 1.0, "deep": 1.0, "alpha": 0.6, "n_cells": 4, "cells": [0, 1, 1],
                 "X": np.array([[0.5, 0.25]]), "bounds": np.array([[0.0, 1.0], [0.0, 2.0]]),
                 "taken": [(0, 1, 1.0)], "n_codes": 6, "levels": 2, "low": -1.0, "high": 1.0,
                 "scores": [0.5, -0.5, 0.0], "codes": [0, 1, 1], "continuous": [0, 1, 2], "most": 100,
                 "rho": 0.1, "rounds": 2, "n_levels": 4, "sums": np.array([[3, -1], [2, 0]]),
                 "weights": np.array([[3.0, 1.0], [2.0, 1.0]]), "steps": 8, "tests": 1, "bins": 1,
                 "residuals": np.array([[3], [-2], [1]]), "residual": [3, -2], "means": [0.5, 0.25],
                 "targets": [0.75, 0.5], "like": [1], "unlike": [0], "data": ((0, 1),),
                 "other": ((0, 1), (1, 0)), "first": MODEL, "plan": boosting.plan(1000, 1.0, 2, 2, 1),
                 "scales": (0.3, 1.0), "covariances": np.array([[[1.0, 0.5], [0.5, 1.0]]])},
    "boosting.worst_loss": {"rounds": 1},
    "scale": {"n": 3, "q": 0.3, "ratio": 1.0, "n_blocks": 2, "columns": 3, "outputs": 2, "codes": 12,
              "residuals": [0.1, -0.2, 0.3], "goes_right": [1, 0, 1], "blocks": [[0, 2], [1]],
              "tests": [[1, 0, 1], [0, 0, 1]], "t": 0.1},
    "scale.same_release": {"one": FITTED, "other": FITTED},
    "matrix.forest.released_law": {"alpha": 0.6}, "matrix.forest.mixed_mean": {"alpha": 0.6},
    "matrix.forest.posterior_mean": {"alpha": 0.6},
    "boosting.priors": {"scales": ((0.3, 1.0), (0.1,))},
}  # fmt: skip


def public_functions():
    """Every public function of the laws: its name in ``dplit``, and itself."""
    found = {}
    for module in MODULES:
        laws = import_module(f"dplit.{module}")
        for name in getattr(laws, "__all__", vars(laws)):
            function = getattr(laws, name)
            ours = inspect.unwrap(function).__module__ if inspect.isroutine(inspect.unwrap(function)) else ""
            if not name.startswith("_") and ours.startswith(laws.__name__):
                found[f"{module}.{name}"] = function
    return found


def call_of(name, function):
    """The arguments of a right call: of all parameters that have a value here or no default."""
    known = {**VALUES, **OTHERWISE.get(name.split(".")[0], {}), **OTHERWISE.get(name, {})}
    call = {}
    for p in inspect.signature(function).parameters.values():
        if p.name == "rng":
            call["rng"] = np.random.default_rng(0)
        elif p.name in known:
            call[p.name] = known[p.name]
        elif p.default is p.empty:
            raise KeyError(f"{name} has no value for {p.name} in tests/junk_calls.py")
        else:
            call[p.name] = p.default
    return call
