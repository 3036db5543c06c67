"""The RDF paper's table 3, and what it writes about its own forest: figures 4 to 10, read as "published".

A size on a synthetic set ("up to 26 percentage points") is judged as :doc:`/book/random_forest_experiments` says;
"most" is more than half, "many" a third. Table 4, and what no algorithm can do in table 3, are in chapter `depth`,
tables 2 and 6 in chapter `majority`.
"""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from dplit.court.claims.runs import reproduced
from dplit.court.claims.runs.cells import ONE_DRAW, Decided, Pairs, best_of, joined, on_sets, pair, percent
from dplit.court.experiments import curves, rule
from dplit.court.experiments.papers import rdf as paper
from dplit.court.experiments.papers.rdf import BINARY, EPSILONS, MANY_CLASSES, NAMES, SETS, SYNTHETIC, TREES
from dplit.court.experiments.result import Result
from dplit.court.experiments.rule import POINT

PAGE = {"chapter": "random_forest_experiments", "box": "def-rdf-experiments-agree"}
NEAR = 0.02  # our reading of "comparable" accuracies

said = partial(reproduced.said, **PAGE)

reproduced.table_claim("rdf/table-3", "differs", name="rdf/table-3-cells", **PAGE)


def versus(
    result: Result, other: str | tuple, sets: Iterable[str] = SYNTHETIC, ours: str | tuple = "RDF"
) -> Pairs:
    """Ours beside another method on each set, by the paper's name of it."""
    return on_sets(result, {d: NAMES[d] for d in sets}, ours, other)


GROUPS = {"synthetic": SYNTHETIC, "all": SETS, "two classes": BINARY, "more classes": MANY_CLASSES}  # in rows


def gain(
    result: Result, other: str | list, sets: str = "synthetic", method: str | list = "RDF", join: str = "all"
) -> Decided:
    """That a method is better than another one on all sets of a group, or on one."""
    return versus(result, other, GROUPS[sets], method).that(joined(join))


def gain_up_to(result: Result, other: str, size: float) -> Decided:
    """That ours gains up to a size over another method."""
    return up_to(versus(result, other), size)


def up_to(pairs: Pairs, size: float) -> Decided:
    """That the largest gain on one draw of each set is `size`, to a point."""
    top, words = pairs.that(rule.any_of, size - POINT, once=True)
    more = pairs.parts(size + POINT, once=True)
    return rule.all_of([top, *(~part for part in more)]), words


def many(parts: Iterable[rule.Part]) -> rule.Part:
    """That a third of the parts are true, or more."""
    parts = list(parts)
    return rule.at_least(-(-len(parts) // 3), parts)


def between(result: Result, low: float, high: float, join: Callable, cells: dict) -> Decided:
    """That cells' scores of one draw lie between two sizes, to a point: of all or many of them."""
    ends = (
        (curves.higher_once(result, k, low - POINT), curves.higher_once(result, k, high + POINT))
        for k in cells.values()
    )
    part = join(rule.all_of([above, ~over]) for above, over in ends)
    return part, f"in percent: {percent(result, cells)}; {ONE_DRAW}"


@said("rdf/figure-5/no-loss", "agrees")
def no_loss(result):
    """Disjoint data never lowers RDF's accuracy by more than a fraction of one standard deviation."""
    pairs = versus(result, "RDF, all data")
    part, words = pairs.that(by=lambda *pair: -curves.larger_deviation(*pair))
    gains = pairs.gains().items()
    losses = {data: -gain / curves.larger_deviation(result, *pairs[data]) for data, gain in gains}
    data = max(losses, key=losses.get)
    return part, f"{words}; worst on {data}: a loss of {losses[data]:.2f} deviations"


@said("rdf/figure-5/sensitivity", "agrees")
def lower_sensitivity(result):
    """The mean smooth sensitivity of RDF's nonempty leaves is substantially better, that is, lower, with disjoint
    data than with all data for every tree. (Judged by whether it is lower on every set; the evidence says by how
    much.)"""
    methods = ("RDF, examined", "RDF, all data")
    ours, other = ((m, "published", f"{m}, sensitivity") for m in methods)
    pairs = versus(result, other, ours=ours)
    return rule.all_of(pairs.parts()), pairs.means("{:.2f} against {:.2f}")


def depths(result: Result, rule_of: Callable[[int], int], sets: Iterable[str] = SYNTHETIC) -> Pairs:
    """Table 4's depth beside that of another rule, of the number of columns, on each set."""

    def numbers(d):
        return paper.DEPTHS[d], rule_of(sum(paper.FEATURES[d]))

    return Pairs(result, {NAMES[d]: pair(result, d, "RDF", max_depth=numbers(d)) for d in sets})


def half(m: int) -> int:
    return m // 2


@said("rdf/figure-6/2-points", "undecided")
def at_least_2(result):
    """On every set RDF is at least 2 points more accurate at table 4's depth than at depth m/2, where m is the
    number of columns."""
    return depths(result, half).that(by=0.02 - POINT, once=True)


@said("rdf/figure-6/30-points", "differs")
def as_much_as_30(result):
    """RDF is as much as 30 points more accurate at table 4's depth than at depth m/2, where m is the number of
    columns."""
    return up_to(depths(result, half), 0.3)


@said("rdf/figure-6/too-deep", "differs")
def too_deep(result):
    """On all sets but one, RDF is less accurate at depth m, the number of columns, than at table 4's depth."""
    sets = [d for d in SYNTHETIC if sum(paper.FEATURES[d]) != paper.DEPTHS[d]]
    return depths(result, lambda m: m, sets).that()


@said("rdf/figure-6/steadier", "agrees")
def less_scatter(result):
    """On most sets the standard deviation of RDF's accuracy is smaller at table 4's depth than at depth m/2, where
    m is the number of columns."""
    pairs = depths(result, half)
    found = {d: [curves.deviation(result, k) for k in pair] for d, pair in pairs.items()}
    words = ", ".join(f"{d} {one:.3f} against {two:.3f}" for d, (one, two) in found.items())
    return rule.most(curves.steadier(result, *pair) for pair in pairs.values()), words


def by_trees(result: Result, method: str = "RDF", **at) -> dict[str, dict[int, str]]:
    """Cells by the number of trees, for each set."""
    of = partial(curves.key, result, method=method, **at)
    return {NAMES[d]: {t: of(data=d, n_estimators=t) for t in TREES} for d in SYNTHETIC}


def best_number(result: Result, cells: dict[int, str]) -> int:
    """The number of trees with the best mean."""
    return max(cells, key=lambda t: float(result.mean(cells[t])))


def best_between(result: Result, epsilon: float, low: int, high: int) -> Decided:
    """That on most sets some number of trees between two is better than every other."""
    found, parts = by_trees(result, epsilon=epsilon), []
    for cells in found.values():
        inside = [k for t, k in cells.items() if low <= t <= high]
        parts.append(best_of(result, inside, [k for k in cells.values() if k not in inside]))
    best = ", ".join(f"{d} {best_number(result, cells)}" for d, cells in found.items())
    return rule.most(parts), f"best number of trees: {best}"


@said("rdf/figure-7/not-always", "agrees")
def not_always(result):
    """RDF is not necessarily more accurate with more trees."""
    found, most = by_trees(result, epsilon=0.2), max(TREES)
    fewer = {(d, t): (c[t], c[most]) for d, c in found.items() for t in TREES[:-1]}
    best = {d: (c[best_number(result, c)], c[most]) for d, c in found.items()}
    words = f"at epsilon 0.2 the best number is ahead of {most} trees, in points:"
    return rule.any_of(Pairs(result, fewer).parts()), f"{words} {Pairs(result, best)}"


def few_and_more(result: Result, sets: Iterable[dict[int, str]]) -> str:
    """The mean deviations with 10 trees at most and with more, in words."""
    found = [(t, curves.deviation(result, k)) for cells in sets for t, k in cells.items()]
    few, more = (np.mean([d for t, d in found if (t <= 10) is side]) for side in (True, False))
    return f"{few:.3f} against {more:.3f}"


@said("rdf/figure-7/steadier", "agrees")
def steadier_with_trees(result):
    """With 1 to 10 trees RDF's accuracy varies by a lot more than with more trees, as larger deviations show."""
    found = {e: by_trees(result, epsilon=e).values() for e in (0.2, 1.0)}
    parts = [curves.steadier(result, c[100], c[3]) for sets in found.values() for c in sets]
    words = "; ".join(f"epsilon {e:g}: {few_and_more(result, sets)}" for e, sets in found.items())
    return rule.most(parts), f"mean deviation {words}; 3 against 100 trees on most sets decide"


@said("rdf/figure-7/85-percent", "undecided")
def many_sets(result):
    """At epsilon 0.2 and with 100 trees RDF reaches an accuracy of 85 to 90 percent on many sets."""
    cells = {d: of[100] for d, of in by_trees(result, epsilon=0.2).items()}
    return between(result, 0.85, 0.9, many, cells)


@said("rdf/figure-8/more-trees", "too close")
def more_flips(result):
    """With more trees RDF's noise flips the labels of more (nonempty) leaves."""
    found = {d: [*cells.values()] for d, cells in by_trees(result, "RDF, examined").items()}
    ends = Pairs(result, {d: (cells[0], cells[-1]) for d, cells in found.items()})
    words = f"with {TREES[0]} and {TREES[-1]} trees: {ends.means('{:.1f} to {:.1f} %', 0.01)}"
    return rule.all_of(curves.rising(result, cells) for cells in found.values()), words


@said("rdf/figure-8/100-trees", "undecided")
def flips_at_100(result):
    """The share of nonempty leaves whose labels RDF flips remains around 5 to 20 percent, even with 30,000 records
    split among 100 trees. (Read: with 100 trees, on every set.)"""
    cells = {d: of[100] for d, of in by_trees(result, "RDF, examined").items()}
    return between(result, 0.05, 0.2, rule.all_of, cells)


@said("rdf/figure-9/scales", "undecided")
def scales(result):
    """RDF with 3,000,000 records at epsilon 0.1 can achieve results comparable to those with 30,000 records at
    epsilon 1, as seen in figure 9."""
    at = {"n_records": (3_000_000, 30_000), "epsilon": (0.1, 1.0)}
    pairs = Pairs(result, {"more records": pair(result, paper.SCALED, "RDF", **at)})
    part, words = pairs.are(0, NEAR)
    means = pairs.means("{:.3f} and {:.3f}")
    return part, f"{means}; {words}; the statement itself, on labels, is rdf/scaling"


@said("rdf/figure-9/enough", "undecided")
def enough(result):
    """For RDF 30,000 records at epsilon 1 are enough for an accuracy of over 85 percent (section 6)."""
    cell = curves.key(result, paper.SCALED, "RDF", n_records=30_000, epsilon=1.0)
    return curves.higher_once(result, cell, 0.85 - POINT), ONE_DRAW


@said("rdf/figure-9/grows", "differs")
def grows(result):
    """Differential privacy scales very well, adding less noise the more data there is. (Read for figure 9:
    accuracy grows with the number of records at every epsilon.)"""
    lines = {e: curves.curve(result, "RDF", "published", "n_records", epsilon=e) for e in (0.01, 0.1, 1.0)}
    words = "; ".join(f"{e:g}: {curves.points_of(result, points)}" for e, points in lines.items())
    rise = rule.all_of(curves.rising(result, [*points.values()]) for points in lines.values())
    return rise, f"by epsilon: {words}"


@said("rdf/figure-10/near", "too close")
def near_the_twin(result):
    """On Adult, as epsilon increases, RDF's accuracy gets asymptotically close to that of the same forest without
    privacy."""
    last = curves.key(result, "adult", "RDF", epsilon=EPSILONS[-1])
    twin = curves.key(result, "adult", "Random trees", "exact")
    return Pairs(result, {"the twin, at the largest epsilon": (twin, last)}).are(0, POINT)
