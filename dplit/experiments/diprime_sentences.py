"""The sentences of the two DiPriMe papers about their figures, decided on our runs.

All are about the papers' own algorithm: private methods are read as "published".
"""

from __future__ import annotations

import math

from dplit.experiments import core
from dplit.experiments.diprime_figures import V1, VARIANTS
from dplit.experiments.measures import LOWER_IS_BETTER
from dplit.experiments.sentences import (
    NotRun,
    best,
    better,
    curve,
    gain,
    improves,
    said,
    sentence,
    turns,
    wins,
)

SWEPT = ("max_depth", "n_estimators", "epsilon")
EXACT = ("RF", "ERT", "Median")
NEAR = 0.05  # our reading of "comparable" accuracies


def private(result, method, name, **fixed):
    """Curve of a private method as published."""
    return curve(result, method, "published", name, **fixed)


def exact(result, method, name):
    """Curve of a method that is not private."""
    return curve(result, method, "exact", name)


def most(result, methods, names):
    """Whether all methods together have better means than DP-ERT at most points of all curves; in words."""
    ahead, each = [], dict.fromkeys(methods, 0)
    for name in names:
        theirs, ours = private(result, "DP-ERT", name), [private(result, m, name) for m in methods]
        for value in set(theirs).intersection(*ours):
            ahead.append([gain(result, points[value], theirs[value])[0] > 0 for points in ours])
        for m, points in zip(methods, ours):
            each[m] += wins(result, points, theirs)[0]
    both = sum(map(all, ahead))
    words = f"better than DP-ERT: all at {both} of {len(ahead)} settings"
    words += f" ({', '.join(f'{m} at {n}' for m, n in each.items())})"
    return 2 * both > len(ahead), words


def all_turn(result, methods, name):
    """Whether each method's curve first improves and then gets worse; in words."""
    curves = {m: private(result, m, name) for m in methods}
    words = "; ".join(f"{m} {said(result, points)}" for m, points in curves.items())
    return all(turns(result, points) for points in curves.values()), words


def deepen(result):
    """Whether the errors of all methods that are not private fall with depth; in words."""
    curves = {m: exact(result, m, "max_depth") for m in EXACT}
    words = "; ".join(f"{m} {said(result, points)}" for m, points in curves.items())
    return all(improves(result, points) for points in curves.values()), words


def gaps(result, method, target):
    """How much worse than a score a private method's mean is at each epsilon."""
    worse = 1 if LOWER_IS_BETTER[core.get(result.experiment).cells[0].measure] else -1
    points = private(result, method, "epsilon")
    return {v: worse * (float(result.mean(k)) - target) for v, k in points.items()}


def ceilings(result):
    """Mean score of each method that is not private, of those whose one point is there."""
    keys = {m: next(iter(exact(result, m, None).values())) for m in EXACT}
    return {m: float(result.mean(key)) for m, key in keys.items()}


# Balance of single cuts --------------------------------------------------------------------------


def balanced(result, method):
    """Share of a method's cuts that send 40 to 60 % of the records left, and the lower quartile."""
    key = private(result, method, None)[None]
    mean = result.mean(key)
    return float(mean[-1]), float(mean[2]), float(mean[4])


def _halves(result, method):
    median, random = balanced(result, method), balanced(result, "DP-ERT")
    words = [f"{m}: {100 * b:.0f} % within 40 to 60 %, middle half {low:.2f} to {high:.2f}"
             for m, (b, low, high) in ((method, median), ("DP-ERT", random))]  # fmt: skip
    return median, random, "; ".join(words)


@sentence(
    "diprime-v1/figure-1",
    "Cuts of DiPriMe send around half of the records to each child; random cuts are highly imbalanced.",
)
def _v1_halves(result):
    median, random, words = _halves(result, V1)
    return median[0] > 0.5 > random[0], words


@sentence("diprime-v2/figure-4", "Private median cuts are more balanced than random ones.")
def _v2_halves(result):
    median, random, words = _halves(result, "DiPriMe")
    return median[0] > random[0], words


# Depth, trees and epsilon ------------------------------------------------------------------------


@sentence(
    "diprime-v1/figure-3",
    "Median trees perform comparably to random forests and extremely randomised trees, with similar trends.",
)
def _v1_comparable(result):
    worst, falls = 0.0, []
    for name in SWEPT[:2]:
        curves = [exact(result, m, name) for m in EXACT]
        falls.append([improves(result, c) for c in curves])
        for value, key in curves[2].items():
            others = max(float(result.mean(c[value])) for c in curves[:2])
            worst = max(worst, float(result.mean(key)) / others)
    depth, trees = map(sum, falls)
    words = f"errors fall with depth for {depth} of 3, with trees for {trees} of 3"
    similar = {depth, trees} <= {0, 3}
    return (
        worst <= 1.1 and similar,
        f"at most {worst:.3f} times the worse of the two (we allow 1.1); {words}",
    )


@sentence(
    "diprime-v1/figure-3", "Deeper trees lower the error of the methods that are not private."
)
def _v1_deepen(result):
    return deepen(result)


@sentence("diprime-v1/figure-3", "Beyond some depth DiPriMe gets worse.")
def _v1_depth(result):
    return all_turn(result, (V1,), "max_depth")


@sentence("diprime-v1/figure-3", "The number of trees is a similar trade-off.")
def _v1_trees(result):
    return all_turn(result, (V1,), "n_estimators")


@sentence(
    "diprime-v2/figure-1",
    "At most settings all variants of DiPriMe have a lower error than DP-ERT.",
)
def _v2_most(result):
    return most(result, VARIANTS, SWEPT)


@sentence(
    "diprime-v2/figure-1", "Deeper trees lower the error of the methods that are not private."
)
def _v2_deepen(result):
    return deepen(result)


@sentence("diprime-v2/figure-1", "Beyond some depth DiPriMe gets worse.")
def _v2_depth(result):
    return all_turn(result, VARIANTS, "max_depth")


@sentence("diprime-v2/figure-1", "The number of trees is a similar trade-off.")
def _v2_trees(result):
    return all_turn(result, VARIANTS, "n_estimators")


@sentence("diprime-v2/figure-1", "At low epsilon DiPriMeFlip is worse than DiPriMeExp and DiPriMe.")
def _v2_flip(result):
    curves = [private(result, m, "epsilon") for m in VARIANTS]
    low = min(curves[2])
    differences = [gain(result, c[low], curves[2][low]) for c in curves[:2]]
    words = [f"{m} ahead by {d:.2g} ± {e:.2g}" for m, (d, e) in zip(VARIANTS, differences)]
    return all(d > 2 * e for d, e in differences), f"at epsilon {low:g}: {', '.join(words)}"


def deeper(result, partitioned, methods):
    """Whether the best depth is larger without partitioning, for each method; in words.

    The same best depth on a grid that leaves depths out decides nothing.
    """
    found = {}
    for m in methods:
        pair = private(result, m, "max_depth"), private(partitioned, m, "max_depth")
        found[m] = best(result, pair[0]), best(partitioned, pair[1])
    words = ", ".join(f"{m} {a} against {b}" for m, (a, b) in found.items())
    if all(a >= b for a, b in found.values()) and any(a == b for a, b in found.values()):
        raise NotRun(f"the grid of depths is too coarse: the best is {words}")
    return all(a > b for a, b in found.values()), f"best depth: {words}"


def alike(result, partitioned, methods):
    """Whether the curves over depth and number of trees turn where those of the other figure do."""
    same, words = True, []
    for name in SWEPT[:2]:
        for m in methods:
            points = private(result, m, name)
            pair = (turns(result, points), turns(partitioned, private(partitioned, m, name)))
            same &= pair[0] == pair[1]
            words.append(
                f"{m} by {name} {said(result, points)}: turns {pair[0]}, with parts {pair[1]}"
            )
    return same, "; ".join(words)


@sentence(
    "diprime-v1/figure-5",
    "The best depth is larger than on disjoint parts.",
    ["diprime-v1/figure-3"],
)
def _v1_deeper(result, partitioned):
    return deeper(result, partitioned, (V1,))


@sentence(
    "diprime-v1/figure-5",
    "The trends are those of figure 3, by depth and by number of trees.",
    ["diprime-v1/figure-3"],
)
def _v1_similar(result, partitioned):
    return alike(result, partitioned, (V1,))


@sentence(
    "diprime-v2/figure-5",
    "The best depth is larger than on disjoint parts.",
    ["diprime-v2/figure-1"],
)
def _v2_deeper(result, partitioned):
    return deeper(result, partitioned, VARIANTS)


@sentence(
    "diprime-v2/figure-5",
    "The trends are those of figure 1, by depth and by number of trees.",
    ["diprime-v2/figure-1"],
)
def _v2_similar(result, partitioned):
    return alike(result, partitioned, VARIANTS)


# Classification against epsilon ------------------------------------------------------------------


def catches_up(result, methods, targets):
    """Whether each method is far behind all `targets` at the least epsilon, near them all at the largest."""
    holds, found = True, []
    for m in methods:
        steps = [gaps(result, m, target) for target in targets.values()]
        low, high = ([g[end(g)] for g in steps] for end in (min, max))
        holds &= min(low) > 2 * NEAR and max(high) <= NEAR
        found.append(
            f"{m} behind by {min(low):.3f} to {max(low):.3f}, then {min(high):.3f} to {max(high):.3f}"
        )
    return holds, f"{', '.join(found)} ({', '.join(targets)}; we allow {NEAR})"


def stays_behind(result, methods, ours):
    """Whether each is worse than every one of `ours` at the largest epsilon; in words."""
    found, holds = [], True
    for m in methods:
        theirs = private(result, m, "epsilon")
        top = max(theirs)
        for other in ours:
            mine = private(result, other, "epsilon")
            holds &= better(result, mine[top], theirs[top])
        found.append(f"{m} {float(result.mean(theirs[top])):.3f}")
    mine = ", ".join(
        f"{m} {float(result.mean(private(result, m, 'epsilon')[top])):.3f}" for m in ours
    )
    return holds, f"at epsilon {top:g}: {', '.join(found)}; {mine}"


@sentence(
    "diprime-v1/figure-4",
    "DiPriMe loses much at small epsilon and becomes comparable to the methods that are not private.",
)
def _v1_catches_up(result):
    return catches_up(result, (V1,), ceilings(result))


@sentence("diprime-v1/figure-4", "DP-ERT and DP-DF stay behind as epsilon grows.")
def _v1_behind(result):
    return stays_behind(result, ("DP-ERT", "DP-DF"), (V1,))


@sentence(
    "diprime-v2/figure-2",
    "The variants lose much at small epsilon and become comparable to the methods that are not private.",
)
def _v2_catches_up(result):
    return catches_up(result, VARIANTS, ceilings(result))


@sentence("diprime-v2/figure-2", "DP-ERT and DP-DF stay behind as epsilon grows.")
def _v2_behind(result):
    return stays_behind(result, ("DP-ERT", "DP-DF"), VARIANTS)


@sentence(
    "diprime-v2/figure-2", "DP-RF needs a much larger epsilon than DiPriMe for the same accuracy."
)
def _v2_dprf(result):
    target, needed = ceilings(result)["Median"], {}
    for m in ("DP-RF", *VARIANTS):
        needed[m] = min(
            (v for v, g in gaps(result, m, target).items() if g <= NEAR), default=math.inf
        )
    words = ", ".join(f"{m} {v:g}" for m, v in needed.items())
    most_of_ours = max(needed[m] for m in VARIANTS)
    return (
        needed["DP-RF"] >= 2 * most_of_ours,
        f"least epsilon within {NEAR} of median trees: {words} (we ask for twice)",
    )


@sentence(
    "diprime-v2/figure-6",
    "The trend is figure 2's: without partitioning too the variants lose much, then catch up.",
    ["diprime-v2/figure-2"],
)
def _v2_catches_up_too(result, partitioned):
    return catches_up(result, VARIANTS, ceilings(partitioned))


# Leaves ------------------------------------------------------------------------------------------

PRINTED_NODES = {"DP-DF": 407, "DP-RF": 104, "DiPriMe": 31, "DP-ERT": 31}


@sentence(
    "diprime-v2/figure-3",
    "With DP-ERT, DP-RF and DP-DF most leaves hold very little; DiPriMe has many more leaves that hold much.",
)
def _v2_leaves(result):
    low = {m: float(result.mean(private(result, m, None)[None])[-2]) for m in PRINTED_NODES}
    words = ", ".join(f"{m} {100 * v:.0f} %" for m, v in low.items())
    others = [v for m, v in low.items() if m != "DiPriMe"]
    return min(others) > 0.5 > low[
        "DiPriMe"
    ], f"leaves with under a quarter of an even share: {words}"


@sentence(
    "diprime-v2/figure-3", "DP-DF has 407 nodes on average, DP-RF 104, DiPriMe and DP-ERT 31."
)
def _v2_nodes(result):
    nodes = {m: float(result.mean(private(result, m, None)[None])[-1]) for m in PRINTED_NODES}
    words = ", ".join(f"{m} {v:.0f}" for m, v in nodes.items())
    full = sum(5**level for level in range(4))
    ok = all(abs(nodes[m] - n) <= 0.1 * n for m, n in PRINTED_NODES.items())
    return ok, f"nodes of a tree: {words}; depth 3 with five bins has at most {full}"
