"""The two DiPriMe papers' tables, and what they write about errors by depth, trees and balance.

All sentences are about the papers' own algorithm: private methods are read as "published". Each is
built of comparisons of our runs, as `dplit.court.claims.runs` says; where it says "comparable" or "similar",
the number that we allow is in the evidence. See :doc:`/book/median_forest_experiments`.
"""

from __future__ import annotations

from functools import partial

from dplit.court.claims.runs import reproduced
from dplit.court.experiments import rule
from dplit.court.experiments.curves import (
    ahead,
    best,
    curve,
    gain,
    higher,
    improves,
    over,
    paired,
    points_of,
    turns,
    wins,
)
from dplit.court.experiments.papers.diprime import EXACT, V1, VARIANTS

PAGE = {"chapter": "median_forest_experiments", "box": "def-experiments-agree"}
SWEPT = ("max_depth", "n_estimators", "epsilon")

said = partial(reproduced.said, **PAGE)

for table, verdict in {
    "diprime-v1/table-1": "differs",
    "diprime-v1/table-2": "differs",
    "diprime-v2/table-1": "differs",
    "diprime-v2/table-2": "differs",
}.items():
    reproduced.table_claim(table, verdict, **PAGE)


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
    """The cell of a method's cuts; in words, the share that sends 40 to 60 % left, and its middle half."""
    key = private(result, method, None)[None]
    share, low, high = (float(result.mean(key)[i]) for i in (-1, 2, 4))
    words = f"{100 * share:.0f} % within 40 to 60 %, middle half {low:.2f} to {high:.2f}"
    return key, f"{method}: {words}"


@said("diprime-v1/figure-1/halves", "agrees")
def halves(result):
    """Cuts of DiPriMe send around half of the records to each child; random cuts are highly
    imbalanced (100 trees of maximum depth 5, epsilon 10)."""
    (median, one), (random, two) = (_balance(result, m) for m in (V1, "DP-ERT"))
    most = rule.all_of([higher(result, median, 0.5, -1), ~higher(result, random, 0.5, -1)])
    return most, f"{one}; {two}"


@said("diprime-v2/figure-4/balanced", "agrees")
def balanced(result):
    """Private median cuts are more balanced than random ones."""
    (median, one), (random, two) = (_balance(result, m) for m in ("DiPriMe", "DP-ERT"))
    return ahead(result, median, random, number=-1), f"{one}; {two}"


# Depth, trees and epsilon ------------------------------------------------------------------------


@said("diprime-v1/figure-3/comparable", "agrees")
def comparable(result):
    """Median trees perform comparably to random forests and extremely randomised trees, with
    similar trends."""
    near, same, worst, words = [], [], 0.0, []
    for name in SWEPT[:2]:
        curves = [exact(result, m, name) for m in EXACT]
        trends = [improves(result, c) for c in curves]
        same.append(rule.same_truth(trends))
        words.append(f"with {name} {sum(t.yes < rule.RATE for t in trends)} of 3")
        for value, key in curves[2].items():
            others = [c[value] for c in curves[:2]]
            near.append(rule.any_of(_tenth(result, key, other) for other in others))
            worst = max(worst, float(result.mean(key)) / max(float(result.mean(k)) for k in others))
    shown = f"at most {worst:.3f} times the worse of the two (we allow 1.1); errors fall "
    return rule.all_of([*near, *same]), shown + ", ".join(words)


def _tenth(result, key, other):
    """That an error is less than a tenth above another."""
    ours, theirs = paired(result, key, other)
    room = (1 + rule.TENTH) * theirs - ours
    return over(result, key, room, name=f"1.1 times {other} less {key}")


@said("diprime-v2/figure-1/most-settings", "agrees", methods=VARIANTS, names=SWEPT)
def most_settings(result, methods, names):
    """At most settings all variants of DiPriMe have a lower error than DP-ERT."""
    parts, together, each = [], 0, dict.fromkeys(methods, 0)
    for name in names:
        theirs, ours = private(result, "DP-ERT", name), [private(result, m, name) for m in methods]
        for value in set(theirs).intersection(*ours):
            parts.append(rule.all_of(ahead(result, own[value], theirs[value]) for own in ours))
            together += all(gain(result, own[value], theirs[value])[0] > 0 for own in ours)
        for m, points in zip(methods, ours):
            each[m] += wins(result, points, theirs)[0]
    words = f"better than DP-ERT: all at {together} of {len(parts)} settings"
    words += f" ({', '.join(f'{m} at {n}' for m, n in each.items())})"
    return rule.most(parts), words


@said("diprime-v1/figure-3/deeper", "agrees")
@said("diprime-v2/figure-1/deeper", "agrees")
def deeper(result):
    """Deeper trees lower the error of the methods that are not private."""
    curves = {m: exact(result, m, "max_depth") for m in EXACT}
    return rule.all_of(improves(result, c) for c in curves.values()), in_words(result, curves)


def _all_turn(result, methods, name):
    """That each method's curve first improves and then gets worse; in words."""
    curves = {m: private(result, m, name) for m in methods}
    return rule.all_of(turns(result, c) for c in curves.values()), in_words(result, curves)


@said("diprime-v1/figure-3/depth-limit", "agrees", methods=(V1,))
@said("diprime-v2/figure-1/depth-limit", "undecided", methods=VARIANTS)
def depth_limit(result, methods):
    """Learning deeper trees deteriorates the utility of DiPriMe, an inherent trade-off (read as: beyond
    some depth it gets worse)."""
    return _all_turn(result, methods, "max_depth")


@said("diprime-v1/figure-3/trees-limit", "undecided", methods=(V1,))
@said("diprime-v2/figure-1/trees-limit", "undecided", methods=VARIANTS)
def trees_limit(result, methods):
    """Increasing the number of trees results in a similar trade-off: more trees are expected to generally
    reduce the error, but each has less data (read as: beyond some number DiPriMe gets worse)."""
    return _all_turn(result, methods, "n_estimators")


@said("diprime-v2/figure-1/flip", "undecided")
def flip(result):
    """At low epsilon DiPriMeFlip is worse than DiPriMeExp and DiPriMe."""
    curves = [private(result, m, "epsilon") for m in VARIANTS]
    low = min(curves[2])
    gains = [gain(result, c[low], curves[2][low]) for c in curves[:2]]
    words = [f"{m} ahead by {d:.2g} ± {e:.2g}" for m, (d, e) in zip(VARIANTS, gains)]
    behind = rule.all_of(ahead(result, c[low], curves[2][low]) for c in curves[:2])
    return behind, f"at epsilon {low:g}: {', '.join(words)}"


# Every tree on all records -----------------------------------------------------------------------


@said("diprime-v1/figure-5/best-depth", "undecided", ["diprime-v1/figure-3"], methods=(V1,))
@said("diprime-v2/figure-5/best-depth", "undecided", ["diprime-v2/figure-1"], methods=VARIANTS)
def best_depth(result, partitioned, methods):
    """With every tree on all records the best depth is larger than on disjoint parts."""
    parts, words = [], []
    for m in methods:
        pair = private(result, m, "max_depth"), private(partitioned, m, "max_depth")
        ends = best(result, pair[0]), best(partitioned, pair[1])
        parts.append(_deeper_best(result, partitioned, *pair) if ends[0] != ends[1] else rule.OPEN)
        words.append(f"{m} {ends[0]} against {ends[1]} ({_paired(partitioned, pair[1], ends)})")
    return rule.all_of(parts), f"best depth: {', '.join(words)}"


def _deeper_best(result, partitioned, points, parted):
    """That one curve is best beyond some depth, and the other up to it; the same best depth on a grid
    that leaves depths out decides nothing."""
    depths = [d for d in points if d in parted][:-1]
    return rule.any_of(
        rule.all_of([_best_beyond(result, points, d), ~_best_beyond(partitioned, parted, d)])
        for d in depths
    )


def _best_beyond(result, points, depth):
    """That some point beyond a depth is better than every one up to it."""
    low, high = ([k for v, k in points.items() if (v > depth) is side] for side in (False, True))
    return rule.any_of(rule.all_of(ahead(result, a, b) for b in low) for a in high)


def _paired(result, points, depths):
    """What the second depth gains over the first, paired, with parts."""
    if not {*depths} <= {*points}:
        return "not run with parts"
    gains, error = gain(result, points[depths[1]], points[depths[0]])
    return f"with parts {depths[1]} gains {gains:.2g} ± {error:.1g} over {depths[0]}"


@said("diprime-v1/figure-5/trends", "undecided", ["diprime-v1/figure-3"], methods=(V1,))
@said("diprime-v2/figure-5/trends", "undecided", ["diprime-v2/figure-1"], methods=VARIANTS)
def trends(result, partitioned, methods):
    """With every tree on all records the trends are similar to those of {other} (read as: by depth and by
    number of trees the same errors first fall and then rise)."""
    same, words = [], []
    for name in SWEPT[:2]:
        for m in methods:
            points = private(result, m, name)
            pair = turns(result, points), turns(partitioned, private(partitioned, m, name))
            same.append(rule.same_truth(pair))
            words.append(f"{m} by {name} {points_of(result, points)}")
    return rule.all_of(same), "; ".join(words)
