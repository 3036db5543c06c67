"""What the two DiPriMe papers write about accuracy by epsilon, leaves, and hyper-parameters.

As in `dplit.claims.runs.diprime`. See :doc:`/book/median_forest_experiments`.
"""

from __future__ import annotations

import math

from dplit import experiments
from dplit.claims.runs.diprime import exact, private, said
from dplit.experiments.curves import NotRun, best, better, gain, points_of, turns
from dplit.experiments.measures import LOWER_IS_BETTER
from dplit.experiments.papers.diprime import EXACT, V1, VARIANTS

NEAR = 0.05  # our reading of "comparable" accuracies
PRINTED_NODES = {"DP-DF": 407, "DP-RF": 104, "DiPriMe": 31, "DP-ERT": 31}
OTHERS = ("DP-ERT", "DP-DF")
HYPER = {  # figures that vary epsilon and rho, then trees and K, and the method that they vary
    "diprime-v1/figure-6": V1,
    "diprime-v2/figure-7": "DiPriMeExp",
    "diprime-v2/figure-8": "DiPriMeFlip",
}


# Accuracy by epsilon -----------------------------------------------------------------------------


def _behind(result, method, target):
    """How much worse than a score a private method's mean is at each epsilon."""
    worse = 1 if LOWER_IS_BETTER[experiments.get(result.experiment).cells[0].measure] else -1
    points = private(result, method, "epsilon")
    return {v: worse * (float(result.mean(k)) - target) for v, k in points.items()}


def _ceilings(result):
    """Mean score of each method that is not private: its one point."""
    keys = {m: next(iter(exact(result, m, None).values())) for m in EXACT}
    return {m: float(result.mean(key)) for m, key in keys.items()}


def _catches_up(result, methods, targets):
    """Whether each method is far behind all `targets` at the least epsilon, near them all at the largest."""
    holds, found = True, []
    for m in methods:
        steps = [_behind(result, m, target) for target in targets.values()]
        low, high = ([g[end(g)] for g in steps] for end in (min, max))
        holds &= min(low) > 2 * NEAR and max(high) <= NEAR
        found.append(
            f"{m} behind by {min(low):.3f} to {max(low):.3f}, then {min(high):.3f} to {max(high):.3f}"
        )
    return holds, f"{', '.join(found)} ({', '.join(targets)}; we allow {NEAR})"


@said("diprime-v1/figure-4/catches-up", "holds")
def catches_up(result):
    """DiPriMe loses much at small epsilon and becomes comparable to the methods that are not
    private."""
    return _catches_up(result, (V1,), _ceilings(result))


@said("diprime-v2/figure-2/catches-up", "holds")
def variants_catch_up(result):
    """The variants lose much at small epsilon and become comparable to the methods that are not
    private."""
    return _catches_up(result, VARIANTS, _ceilings(result))


@said("diprime-v2/figure-6/catches-up", "holds", ["diprime-v2/figure-2"])
def catches_up_too(result, partitioned):
    """The trend is {other}'s: without partitioning too the variants lose much, then catch up."""
    return _catches_up(result, VARIANTS, _ceilings(partitioned))


@said("diprime-v1/figure-4/stay-behind", "fails", ours=(V1,))
@said("diprime-v2/figure-2/stay-behind", "fails", ours=VARIANTS)
def stay_behind(result, ours):
    """DP-ERT and DP-DF stay behind as epsilon grows."""
    curves = {m: private(result, m, "epsilon") for m in (*OTHERS, *ours)}
    ends = {m: points[max(points)] for m, points in curves.items()}
    holds = all(better(result, ends[m], ends[other]) for m in ours for other in OTHERS)
    shown = {m: f"{m} {float(result.mean(key)):.3f}" for m, key in ends.items()}
    top = max(curves[OTHERS[0]])
    both = (", ".join(shown[m] for m in methods) for methods in (OTHERS, ours))
    return holds, f"at epsilon {top:g}: {'; '.join(both)}"


@said("diprime-v2/figure-2/dp-rf", "holds")
def dp_rf(result):
    """DP-RF needs a much larger epsilon than DiPriMe for the same accuracy."""
    target, needed = _ceilings(result)["Median"], {}
    for m in ("DP-RF", *VARIANTS):
        near = [v for v, g in _behind(result, m, target).items() if g <= NEAR]
        needed[m] = min(near, default=math.inf)
    words = ", ".join(f"{m} {v:g}" for m, v in needed.items())
    return (
        needed["DP-RF"] >= 2 * max(needed[m] for m in VARIANTS),
        f"least epsilon within {NEAR} of median trees: {words} (we ask for twice)",
    )


# Leaves ------------------------------------------------------------------------------------------


def _of_leaves(result, number):
    """One of the numbers on a method's leaves, by method."""
    keys = {m: private(result, m, None)[None] for m in PRINTED_NODES}
    return {m: float(result.mean(key)[number]) for m, key in keys.items()}


@said("diprime-v2/figure-3/leaves", "holds")
def leaves(result):
    """With DP-ERT, DP-RF and DP-DF most leaves hold very little; DiPriMe has many more leaves that
    hold much."""
    low = _of_leaves(result, -2)
    words = ", ".join(f"{m} {100 * v:.0f} %" for m, v in low.items())
    ours = low.pop("DiPriMe")
    return min(low.values()) > 0.5 > ours, f"leaves with under a quarter of an even share: {words}"


@said("diprime-v2/figure-3/nodes", "fails")
def nodes(result):
    """DP-DF has 407 nodes on average, DP-RF 104, DiPriMe and DP-ERT 31."""
    found = _of_leaves(result, -1)
    words = ", ".join(f"{m} {v:.0f}" for m, v in found.items())
    full = sum(5**level for level in range(4))
    near = all(abs(found[m] - n) <= 0.1 * n for m, n in PRINTED_NODES.items())
    return near, f"nodes of a tree: {words}; depth 3 with five bins has at most {full}"


# Hyper-parameters --------------------------------------------------------------------------------


def said_of_hyper(word):
    """Decorator: register ``test(result, method)`` for each of the figures of `HYPER`."""

    def register(test):
        for figure, method in HYPER.items():
            said(f"{figure}/{word}", "holds", method=method)(test)
        return test

    return register


def _both(test, result, method):
    """What a test gives with and without partitioning, where both are run; in words."""
    found = {}
    for partitioned, name in ((True, "parts"), (False, "all records")):
        try:
            found[name] = test(result, method, partitioned)
        except NotRun:
            if partitioned:
                raise
    words = "; ".join(f"{name}: {words}" for name, (_, words) in found.items())
    return [holds for holds, _ in found.values()], words


def _rho_curves(result, method, partitioned):
    """Curves over rho, by epsilon."""
    return {
        e: private(result, method, "rho", epsilon=e, partitioned=partitioned)
        for e in ((1.0, 5.0, 10.0) if partitioned else (1.0, 10.0))
    }


def _larger_epsilon(result, method, partitioned):
    """Whether the error falls from epsilon 1 to 10 at every rho; in words."""
    curves = _rho_curves(result, method, partitioned)
    found = {r: gain(result, curves[10.0][r], curves[1.0][r]) for r in curves[1.0]}
    words = ", ".join(f"{r:g}: {d:.2g}" for r, (d, _) in found.items())
    falls = all(d > 2 * e for d, e in found.values())
    return falls, f"error falls by rho from epsilon 1 to 10: {words}"


def _large_rho(result, method, partitioned):
    """How much worse rho 0.9 is than the best rho, by epsilon; in words."""
    losses = {}
    for e, points in _rho_curves(result, method, partitioned).items():
        losses[e] = gain(result, points[best(result, points)], points[0.9])
    words = ", ".join(f"{e:g}: {d:.2g} ± {s:.1g}" for e, (d, s) in losses.items())
    return losses, f"error at rho 0.9 above the best, by epsilon: {words}"


def _limited_trees(result, method, partitioned):
    """Whether the number of trees helps up to some number and then harms, K = 5; in words."""
    points = private(result, method, "n_estimators", max_features=5, partitioned=partitioned)
    return turns(result, points), f"by number of trees: {points_of(result, points)}"


@said_of_hyper("epsilon")
def larger_epsilon(result, method):
    """A larger epsilon lowers the error."""
    holds, words = _both(_larger_epsilon, result, method)
    return all(holds), words


@said_of_hyper("trees")
def limited_trees(result, method):
    """More trees lower the error only up to a limit."""
    holds, words = _both(_limited_trees, result, method)
    return all(holds), words


@said_of_hyper("rho")
def large_rho(result, method):
    """A large rho raises the error."""
    found, words = _both(_large_rho, result, method)
    return all(d > 2 * s for losses in found for d, s in losses.values()), words


@said_of_hyper("rho-epsilon")
def rho_epsilon(result, method):
    """A large rho harms more at smaller epsilon."""
    found, words = _both(_large_rho, result, method)
    return all(losses[1.0][0] > losses[10.0][0] for losses in found), words
