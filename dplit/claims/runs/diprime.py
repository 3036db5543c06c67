"""The two DiPriMe papers' tables, and what they write about errors by depth, trees and balance.

All sentences are about the papers' own algorithm: private methods are read as "published". Each is
a predicate on our runs; where it says "comparable" or "similar", the number that we allow is in the
evidence. See :doc:`/book/median_forest_experiments`, and `dplit.claims.runs.reproduced` for what a
check does.
"""

from __future__ import annotations

from functools import partial

from dplit.claims.runs import reproduced
from dplit.experiments.curves import NotRun, best, curve, gain, improves, points_of, turns, wins
from dplit.experiments.papers.diprime import EXACT, V1, VARIANTS

PAGE = {"chapter": "median_forest_experiments", "box": "def-experiments-agree"}
SWEPT = ("max_depth", "n_estimators", "epsilon")

said = partial(reproduced.said, **PAGE)

for table in (
    "diprime-v1/table-1",
    "diprime-v1/table-2",
    "diprime-v2/table-1",
    "diprime-v2/table-2",
):
    reproduced.table_claim(table, "fails", **PAGE)


def private(result, method, name, **fixed):
    """Curve of a private method as published."""
    return curve(result, method, "published", name, **fixed)


def exact(result, method, name):
    """Curve of a method that is not private."""
    return curve(result, method, "exact", name)


def in_words(result, curves):
    """Curves by method, point by point."""
    return "; ".join(f"{m} {points_of(result, points)}" for m, points in curves.items())


# Balance of single cuts --------------------------------------------------------------------------


def _balance(result, method):
    """Share of a method's cuts that send 40 to 60 % of the records left; in words, with its middle half."""
    mean = result.mean(private(result, method, None)[None])
    share, low, high = (float(mean[i]) for i in (-1, 2, 4))
    words = f"{100 * share:.0f} % within 40 to 60 %, middle half {low:.2f} to {high:.2f}"
    return share, f"{method}: {words}"


@said("diprime-v1/figure-1/halves", "holds")
def halves(result):
    """Cuts of DiPriMe send around half of the records to each child; random cuts are highly
    imbalanced."""
    (median, one), (random, two) = (_balance(result, m) for m in (V1, "DP-ERT"))
    return median > 0.5 > random, f"{one}; {two}"


@said("diprime-v2/figure-4/balanced", "holds")
def balanced(result):
    """Private median cuts are more balanced than random ones."""
    (median, one), (random, two) = (_balance(result, m) for m in ("DiPriMe", "DP-ERT"))
    return median > random, f"{one}; {two}"


# Depth, trees and epsilon ------------------------------------------------------------------------


@said("diprime-v1/figure-3/comparable", "holds")
def comparable(result):
    """Median trees perform comparably to random forests and extremely randomised trees, with
    similar trends."""
    worst, falls = 0.0, []
    for name in SWEPT[:2]:
        curves = [exact(result, m, name) for m in EXACT]
        falls.append(sum(improves(result, c) for c in curves))
        for value, key in curves[2].items():
            others = max(float(result.mean(c[value])) for c in curves[:2])
            worst = max(worst, float(result.mean(key)) / others)
    depth, trees = falls
    words = f"errors fall with depth for {depth} of 3, with trees for {trees} of 3"
    return (
        worst <= 1.1 and {depth, trees} <= {0, 3},
        f"at most {worst:.3f} times the worse of the two (we allow 1.1); {words}",
    )


@said("diprime-v2/figure-1/most-settings", "holds", methods=VARIANTS, names=SWEPT)
def most_settings(result, methods, names):
    """At most settings all variants of DiPriMe have a lower error than DP-ERT."""
    ahead, each = [], dict.fromkeys(methods, 0)
    for name in names:
        theirs, ours = private(result, "DP-ERT", name), [private(result, m, name) for m in methods]
        for value in set(theirs).intersection(*ours):
            ahead.append([gain(result, points[value], theirs[value])[0] > 0 for points in ours])
        for m, points in zip(methods, ours):
            each[m] += wins(result, points, theirs)[0]
    together = sum(map(all, ahead))
    words = f"better than DP-ERT: all at {together} of {len(ahead)} settings"
    words += f" ({', '.join(f'{m} at {n}' for m, n in each.items())})"
    return 2 * together > len(ahead), words


@said("diprime-v1/figure-3/deeper", "holds")
@said("diprime-v2/figure-1/deeper", "holds")
def deeper(result):
    """Deeper trees lower the error of the methods that are not private."""
    curves = {m: exact(result, m, "max_depth") for m in EXACT}
    return all(improves(result, c) for c in curves.values()), in_words(result, curves)


def _all_turn(result, methods, name):
    """Whether each method's curve first improves and then gets worse; in words."""
    curves = {m: private(result, m, name) for m in methods}
    return all(turns(result, c) for c in curves.values()), in_words(result, curves)


@said("diprime-v1/figure-3/depth-limit", "holds", methods=(V1,))
@said("diprime-v2/figure-1/depth-limit", "holds", methods=VARIANTS)
def depth_limit(result, methods):
    """Beyond some depth DiPriMe gets worse."""
    return _all_turn(result, methods, "max_depth")


@said("diprime-v1/figure-3/trees-limit", "fails", methods=(V1,))
@said("diprime-v2/figure-1/trees-limit", "holds", methods=VARIANTS)
def trees_limit(result, methods):
    """The number of trees is a similar trade-off: beyond some number DiPriMe gets worse."""
    return _all_turn(result, methods, "n_estimators")


@said("diprime-v2/figure-1/flip", "fails")
def flip(result):
    """At low epsilon DiPriMeFlip is worse than DiPriMeExp and DiPriMe."""
    curves = [private(result, m, "epsilon") for m in VARIANTS]
    low = min(curves[2])
    differences = [gain(result, c[low], curves[2][low]) for c in curves[:2]]
    words = [f"{m} ahead by {d:.2g} ± {e:.2g}" for m, (d, e) in zip(VARIANTS, differences)]
    return all(d > 2 * e for d, e in differences), f"at epsilon {low:g}: {', '.join(words)}"


# Every tree on all records -----------------------------------------------------------------------


@said("diprime-v1/figure-5/best-depth", "fails", ["diprime-v1/figure-3"], methods=(V1,))
@said("diprime-v2/figure-5/best-depth", "fails", ["diprime-v2/figure-1"], methods=VARIANTS)
def best_depth(result, partitioned, methods):
    """With every tree on all records the best depth is larger than on disjoint parts."""
    found = {}
    for m in methods:
        pair = private(result, m, "max_depth"), private(partitioned, m, "max_depth")
        found[m] = best(result, pair[0]), best(partitioned, pair[1])
    words = ", ".join(f"{m} {a} against {b}" for m, (a, b) in found.items())
    if all(a >= b for a, b in found.values()) and any(a == b for a, b in found.values()):
        # the same best depth on a grid that leaves depths out decides nothing
        raise NotRun(f"the grid of depths is too coarse: the best is {words}")
    return all(a > b for a, b in found.values()), f"best depth: {words}"


@said("diprime-v1/figure-5/trends", "holds", ["diprime-v1/figure-3"], methods=(V1,))
@said("diprime-v2/figure-5/trends", "holds", ["diprime-v2/figure-1"], methods=VARIANTS)
def trends(result, partitioned, methods):
    """With every tree on all records the trends are those of {other}, by depth and by number of
    trees."""
    same, words = True, []
    for name in SWEPT[:2]:
        for m in methods:
            points = private(result, m, name)
            pair = (turns(result, points), turns(partitioned, private(partitioned, m, name)))
            same &= pair[0] == pair[1]
            words.append(
                f"{m} by {name} {points_of(result, points)}: turns {pair[0]}, with parts {pair[1]}"
            )
    return same, "; ".join(words)
