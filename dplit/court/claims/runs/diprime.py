"""The two DiPriMe papers' tables, and what they write about errors by depth, trees and balance.

Private methods are read as "published"; what "comparable" or "similar" allows is in the evidence. See
:doc:`/book/median_forest_experiments`.
"""

from functools import partial
from itertools import product

from dplit.court.claims.runs import reproduced
from dplit.court.claims.runs.cells import Pairs, best_of, together
from dplit.court.experiments import curves, rule
from dplit.court.experiments.papers.diprime import EXACT, V1, VARIANTS

PAGE = {"chapter": "median_forest_experiments", "box": "def-experiments-agree"}
SWEPT = ("max_depth", "n_estimators", "epsilon")

said = partial(reproduced.said, **PAGE)

for paper, table in product(("diprime-v1", "diprime-v2"), ("table-1", "table-2")):
    reproduced.table_claim(f"{paper}/{table}", "differs", **PAGE)


def private(result, method, name, **fixed):
    """Curve of a private method as published."""
    return curves.curve(result, method, "published", name, **fixed)


def exact(result, method, name):
    """Curve of a method that is not private."""
    return curves.curve(result, method, "exact", name)


def along(result, lines, trend):
    """That each method's curve has a trend, a function of (result, points)."""
    words = "; ".join(f"{m} {curves.points_of(result, points)}" for m, points in lines.items())
    return rule.all_of(trend(result, points) for points in lines.values()), words


def _balance(result, method):
    """The cell of a method's cuts; in words, the share that sends 40 to 60 % left, and its middle half."""
    key = private(result, method, None)[None]
    share, low, high = (float(result.mean(key)[i]) for i in (-1, 2, 4))
    words = f"{100 * share:.0f} % within 40 to 60 %, middle half {low:.2f} to {high:.2f}"
    return key, f"{method}: {words}"


@said("diprime-v1/figure-1/halves", "agrees")
def halves(result):
    """With 100 trees of maximum depth 5, epsilon 10, the cuts of DiPriMe send around half of the records to each
    child, whereas random cuts are highly imbalanced."""
    (median, one), (random, two) = (_balance(result, m) for m in (V1, "DP-ERT"))
    most = rule.all_of([curves.higher(result, median, 0.5, -1), ~curves.higher(result, random, 0.5, -1)])
    return most, f"{one}; {two}"


@said("diprime-v2/figure-4/balanced", "agrees")
def balanced(result):
    """Private median cuts are more balanced than random cuts."""
    (median, one), (random, two) = (_balance(result, m) for m in ("DiPriMe", "DP-ERT"))
    return curves.ahead(result, median, random, number=-1), f"{one}; {two}"


@said("diprime-v1/figure-3/comparable", "agrees")
def comparable(result):
    """Median trees perform comparably to random forests and extremely randomised trees, with similar trends."""
    near, same, worst, words = [], [], 0.0, []
    for name in SWEPT[:2]:
        lines = [exact(result, m, name) for m in EXACT]
        trends = [curves.improves(result, c) for c in lines]
        same.append(rule.same_truth(trends))
        words.append(f"with {name} {sum(t.yes < rule.RATE for t in trends)} of 3")
        for value, key in lines[2].items():
            others = [c[value] for c in lines[:2]]
            near.append(rule.any_of(_tenth(result, key, other) for other in others))
            worst = max(worst, float(result.mean(key)) / max(float(result.mean(k)) for k in others))
    shown = f"at most {worst:.3f} times the worse of the two (we allow 1.1); errors fall "
    return rule.all_of([*near, *same]), shown + ", ".join(words)


def _tenth(result, key, other):
    """That an error is less than a tenth above another."""
    ours, theirs = curves.paired(result, key, other)
    room = (1 + rule.TENTH) * theirs - ours
    return curves.over(
        result, key, room, name=f"1.1 times {other} less {key}", cells=curves.named(result, key, other)
    )


@said("diprime-v2/figure-1/most-settings", "agrees", methods=VARIANTS, names=SWEPT)
def most_settings(result, methods, names):
    """At most settings all variants of DiPriMe have a lower error than DP-ERT."""
    found = []
    for name in names:
        theirs, *ours = (private(result, m, name) for m in ("DP-ERT", *methods))
        for value in set(theirs).intersection(*ours):
            cells = {m: (points[value], theirs[value]) for m, points in zip(methods, ours)}
            found.append(Pairs(result, cells))
    gains = [pairs.gains() for pairs in found]
    all_at = sum(min(of.values()) > 0 for of in gains)
    each = ", ".join(f"{m} at {sum(of[m] > 0 for of in gains)}" for m in methods)
    words = f"better than DP-ERT: all at {all_at} of {len(found)} settings ({each})"
    return rule.most(rule.all_of(pairs.parts()) for pairs in found), words


@said("diprime-v1/figure-3/deeper", "agrees")
@said("diprime-v2/figure-1/deeper", "agrees")
def deeper(result):
    """Deeper trees lower the error of the methods that are not private."""
    return along(result, {m: exact(result, m, "max_depth") for m in EXACT}, curves.improves)


def all_turn(result, methods, parameter):
    """That each method's curve first improves and then gets worse."""
    return along(result, {m: private(result, m, parameter) for m in methods}, curves.turns)


@said("diprime-v2/figure-1/flip", "too close")
def flip(result):
    """At low epsilon DiPriMeFlip has a larger error than DiPriMeExp and DiPriMe."""
    lines = {m: private(result, m, "epsilon") for m in VARIANTS}
    low = min(lines["DiPriMeFlip"])
    cells = {f"{m} at {low:g}": (lines[m][low], lines["DiPriMeFlip"][low]) for m in VARIANTS[:2]}
    return Pairs(result, cells, gain="ahead by").that()


@said("diprime-v1/figure-5/best-depth", "too close", ["diprime-v1/figure-3"], methods=(V1,))
@said("diprime-v2/figure-5/best-depth", "differs", ["diprime-v2/figure-1"], methods=VARIANTS)
def best_depth(result, partitioned, methods):
    """The best depth of a median forest is larger if every tree uses all records than if the trees use disjoint
    parts of them."""
    found = []
    for m in methods:
        points, parted = (private(of, m, "max_depth") for of in (result, partitioned))
        ends = curves.best(result, points), curves.best(partitioned, parted)
        part = rule.OPEN if ends[0] == ends[1] else _deeper_best(result, partitioned, points, parted)
        words = _paired(partitioned, parted, ends)
        found.append((part, f"best depth of {m} {ends[0]} against {ends[1]} ({words})"))
    return together(found)


def _deeper_best(result, partitioned, points, parted):
    """That one curve is best beyond some depth, and the other up to it; the same best depth on a grid
    that leaves depths out decides nothing."""
    depths = [d for d in points if d in parted][:-1]
    return rule.any_of(
        rule.all_of([_best_beyond(result, points, d), ~_best_beyond(partitioned, parted, d)]) for d in depths
    )


def _best_beyond(result, points, depth):
    """That some point beyond a depth is better than every one up to it."""
    low, high = ([k for v, k in points.items() if (v > depth) is side] for side in (False, True))
    return best_of(result, high, low)


def _paired(result, points, depths):
    """What the second depth gains over the first, paired, with parts."""
    if not {*depths} <= {*points}:
        return "not run with parts"
    gains, error = curves.gain(result, points[depths[1]], points[depths[0]])
    return f"with parts {depths[1]} gains {gains:.2g} ± {error:.1g} over {depths[0]}"


@said("diprime-v1/figure-5/trends", "too close", ["diprime-v1/figure-3"], methods=(V1,))
@said("diprime-v2/figure-5/trends", "too close", ["diprime-v2/figure-1"], methods=VARIANTS)
def trends(result, partitioned, methods):
    """If every tree of a median forest uses all records, the trends are similar to those of {other}. (Read: as
    depth or the number of trees grows, the same errors first fall and then rise.)"""
    found = []
    for name, m in product(SWEPT[:2], methods):
        points, parted = private(result, m, name), private(partitioned, m, name)
        same = rule.same_truth((curves.turns(result, points), curves.turns(partitioned, parted)))
        found.append((same, f"{m} by {name} {curves.points_of(result, points)}"))
    return together(found)
