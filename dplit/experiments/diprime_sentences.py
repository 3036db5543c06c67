"""The sentences of the two DiPriMe papers about their figures, decided on our runs.

All are about the papers' own algorithm: private methods are read as "published".
"""

from __future__ import annotations

from dplit.experiments.diprime_figures import V1, VARIANTS
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


def private(result, method, name, **fixed):
    """Curve of a private method as published."""
    return curve(result, method, "published", name, **fixed)


def exact(result, method, name):
    """Curve of a method that is not private."""
    return curve(result, method, "exact", name)


def most(result, methods, names):
    """Whether each method has the better mean than DP-ERT at most points of all curves; in words."""
    found = []
    for method in methods:
        counts = [
            wins(result, private(result, method, n), private(result, "DP-ERT", n)) for n in names
        ]
        found.append((method, sum(c[0] for c in counts), sum(c[1] for c in counts)))
    words = ", ".join(f"{m} at {won} of {n} settings" for m, won, n in found)
    return all(2 * won > n for _, won, n in found), f"better than DP-ERT: {words}"


def all_turn(result, methods, name):
    """Whether each method's curve first improves and then gets worse; in words."""
    curves = {m: private(result, m, name) for m in methods}
    words = "; ".join(f"{m} {said(result, points)}" for m, points in curves.items())
    return all(turns(result, points) for points in curves.values()), words


def deepen(result):
    """Whether the errors of all methods that are not private fall with depth; in words."""
    curves = {m: exact(result, m, "max_depth") for m in ("RF", "ERT", "Median")}
    words = "; ".join(f"{m} {said(result, points)}" for m, points in curves.items())
    return all(improves(result, points) for points in curves.values()), words


def gaps(result, method, other):
    """How far behind a method that is not private (its one point) another is at each epsilon."""
    (key,) = exact(result, other, None).values()
    return {v: gain(result, key, k)[0] for v, k in private(result, method, "epsilon").items()}


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
    worst = 0.0
    for name in SWEPT[:2]:
        curves = [exact(result, m, name) for m in ("RF", "ERT", "Median")]
        for value, key in curves[2].items():
            others = max(float(result.mean(c[value])) for c in curves[:2])
            worst = max(worst, float(result.mean(key)) / others)
    return worst <= 1.1, f"at most {worst:.3f} times the worse of the two (we allow 1.1)"


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
    """Whether the best depth is larger without partitioning, for each method; in words."""
    found = {m: (best(result, private(result, m, "max_depth")),
                 best(partitioned, private(partitioned, m, "max_depth"))) for m in methods}  # fmt: skip
    words = ", ".join(f"{m} {a} against {b}" for m, (a, b) in found.items())
    return all(a > b for a, b in found.values()), f"best depth: {words}"


@sentence(
    "diprime-v1/figure-5",
    "The best depth is larger than on disjoint parts.",
    ["diprime-v1/figure-3"],
)
def _v1_deeper(result, partitioned):
    return deeper(result, partitioned, (V1,))


@sentence(
    "diprime-v1/figure-5",
    "The trends are those of figure 3: depth and number of trees are trade-offs.",
)
def _v1_similar(result):
    depth, trees = (all_turn(result, (V1,), n) for n in SWEPT[:2])
    return depth[0] and trees[0], f"depth: {depth[1]}; trees: {trees[1]}"


@sentence(
    "diprime-v2/figure-5",
    "The best depth is larger than on disjoint parts.",
    ["diprime-v2/figure-1"],
)
def _v2_deeper(result, partitioned):
    return deeper(result, partitioned, VARIANTS)


@sentence(
    "diprime-v2/figure-5",
    "The trends are those of figure 1: depth and number of trees are trade-offs.",
)
def _v2_similar(result):
    depth, trees = (all_turn(result, VARIANTS, n) for n in SWEPT[:2])
    return depth[0] and trees[0], f"depth: {depth[1]}; trees: {trees[1]}"


# Classification against epsilon ------------------------------------------------------------------


def catches_up(result, methods, near=0.02):
    """Whether each is far behind median trees at the least epsilon, near them at the largest."""
    found = {m: gaps(result, m, "Median") for m in methods}
    ends = {m: (g[min(g)], g[max(g)]) for m, g in found.items()}
    words = ", ".join(f"{m} behind by {a:.3f}, then {b:.3f}" for m, (a, b) in ends.items())
    return all(a > 0.1 and b <= near for a, b in ends.values()), words


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
    return catches_up(result, (V1,))


@sentence("diprime-v1/figure-4", "DP-ERT and DP-DF stay behind as epsilon grows.")
def _v1_behind(result):
    return stays_behind(result, ("DP-ERT", "DP-DF"), (V1,))


@sentence(
    "diprime-v2/figure-2",
    "The variants lose much at small epsilon and become comparable to the methods that are not private.",
)
def _v2_catches_up(result):
    return catches_up(result, VARIANTS)


@sentence("diprime-v2/figure-2", "DP-ERT and DP-DF stay behind as epsilon grows.")
def _v2_behind(result):
    return stays_behind(result, ("DP-ERT", "DP-DF"), VARIANTS)


@sentence(
    "diprime-v2/figure-2", "DP-RF needs a much larger epsilon than DiPriMe for the same accuracy."
)
def _v2_dprf(result):
    theirs, mine = private(result, "DP-RF", "epsilon"), private(result, "DiPriMe", "epsilon")
    won, n = wins(result, mine, theirs)
    return 2 * won > n, f"DiPriMe ahead at {won} of {n}; DP-RF {said(result, theirs)}"


@sentence(
    "diprime-v2/figure-6",
    "The trend is figure 2's: without partitioning too the variants lose much, then catch up.",
    ["diprime-v2/figure-2"],
)
def _v2_catches_up_too(result, partitioned):
    found = {}
    (key,) = exact(partitioned, "Median", None).values()
    target = float(partitioned.mean(key))
    for m in VARIANTS:
        points = private(result, m, "epsilon")
        found[m] = [target - float(result.mean(points[v])) for v in (min(points), max(points))]
    words = ", ".join(f"{m} behind by {a:.3f}, then {b:.3f}" for m, (a, b) in found.items())
    return all(a > 0.1 and b <= 0.02 for a, b in found.values()), words


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


# Hyper-parameters --------------------------------------------------------------------------------


def rho_curves(result, method, partitioned):
    """Curves over rho, by epsilon."""
    return {
        e: private(result, method, "rho", epsilon=e, partitioned=partitioned)
        for e in ((1.0, 5.0, 10.0) if partitioned else (1.0, 10.0))
    }


def larger_epsilon(result, method, partitioned):
    """Whether the error falls from epsilon 1 to 10 at every rho; in words."""
    curves = rho_curves(result, method, partitioned)
    steps = {r: (curves[1.0][r], curves[10.0][r]) for r in curves[1.0]}
    found = {r: gain(result, b, a) for r, (a, b) in steps.items()}
    words = ", ".join(f"{r:g}: {d:.2g}" for r, (d, _) in found.items())
    return all(
        d > 2 * e for d, e in found.values()
    ), f"error falls by rho from epsilon 1 to 10: {words}"


def large_rho(result, method, partitioned):
    """Whether rho 0.9 is worse than the best rho at every epsilon; loss by epsilon; in words."""
    losses = {}
    for e, points in rho_curves(result, method, partitioned).items():
        losses[e] = gain(result, points[best(result, points)], points[0.9])
    words = ", ".join(f"{e:g}: {d:.2g} ± {s:.1g}" for e, (d, s) in losses.items())
    return losses, f"error at rho 0.9 above the best, by epsilon: {words}"


def limited_trees(result, method, partitioned):
    """Whether the number of trees helps up to some number and then harms, K = 5; in words."""
    points = private(result, method, "n_estimators", max_features=5, partitioned=partitioned)
    return turns(result, points), f"by number of trees: {said(result, points)}"


def _both(test, result, method):
    """A test with and without partitioning, where both are run."""
    found = []
    for partitioned in (True, False):
        try:
            found.append((partitioned, *test(result, method, partitioned)))
        except NotRun:
            if partitioned:
                raise
    words = [f"{'parts' if p else 'all records'}: {w}" for p, _, w in found]
    return [holds for _, holds, _ in found], "; ".join(words)


def _hyper(id, method):
    """The four sentences that each of the papers writes about its hyper-parameter figure."""

    @sentence(id, "A larger epsilon lowers the error.")
    def _epsilon(result):
        holds, words = _both(larger_epsilon, result, method)
        return all(holds), words

    @sentence(id, "More trees lower the error only up to a limit.")
    def _trees(result):
        holds, words = _both(limited_trees, result, method)
        return all(holds), words

    @sentence(id, "A large rho raises the error.")
    def _rho(result):
        found, words = _both(large_rho, result, method)
        return all(d > 2 * s for losses in found for d, s in losses.values()), words

    @sentence(id, "A large rho harms more at smaller epsilon.")
    def _rho_epsilon(result):
        found, words = _both(large_rho, result, method)
        return all(losses[1.0][0] > losses[10.0][0] for losses in found), words


_hyper("diprime-v1/figure-6", V1)
_hyper("diprime-v2/figure-7", "DiPriMeExp")
_hyper("diprime-v2/figure-8", "DiPriMeFlip")
