"""Claims of MRF on the probability of one candidate: lemma 3 and equation 7."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from dplit import multinomial
from dplit.court.claims.multinomial import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, below, decisive, note, same

FEATURE = Box("thm-multinomial-feature", "multinomial.published_p1", "multinomial.feature_law")
BY_TIGHT = "multinomial.tight_p1", "multinomial.feature_law"
PRINTED, BOUNDS = "multinomial.published_selection_bounds", "multinomial.selection_bounds"
LEAST = {"quantity": "least probability of a feature"}
LARGEST = {"quantity": "largest probability of a feature"}
CONSTANT = "all data of 2 and 3 records and 2 features, constant ones included"


def _best_of(n):
    """For each labelling the values that a feature's best decrease can take, each with a column."""
    for y in small.labellings(n):
        found = {}
        for column in small.columns(n):
            found.setdefault(max(small.decreases(column, y)), column)
        yield y, found


def _extremes(effort, end, compare, bound):
    """The least or the largest probability of a feature over all small data sets, compared for each D and B1."""
    ends = {}
    for n in range(2, effort.pick(4, 4, 5) + 1):
        for y, found in _best_of(n):
            for features in range(2, 6):
                for best in combinations_with_replacement(sorted(found), features):
                    for budget in small.BUDGETS:
                        at, chance = (features, float(budget)), end(small.law(best, budget))
                        if at not in ends or end(chance, ends[at][0]) != ends[at][0]:
                            ends[at] = chance, small.shown(y, [found[b] for b in best])
    return [compare(p, bound(*at), D=at[0], B1=at[1], **data) for at, (p, data) in ends.items()]


def _attained(end):
    """The law of the package on the three records that attain an end, from their columns."""
    for features in (2, 5, 50, 1000):
        X, y = multinomial.opposed_features(features)
        if end is max:
            X = np.column_stack([X[:, 1], *[X[:, 0]] * (features - 1)])
        for budget in (0.0, 0.5, 10.0, 60.0):
            chances = multinomial.feature_law(multinomial.decreases_of(X, y), budget)
            stated = multinomial.selection_bounds(features, budget)[end is max]
            yield same(chances[0], stated, D=features, B1=budget)


def _range(effort, budgets="0, "):
    n = effort.pick(4, 4, 5)
    return f"all data of 2 to {n} records, 2 to 5 features that have a cut, B1 = {budgets}1/2, 2, 10"


@FEATURE("mrf/lemma-3", "Lemma 3; appendix A.1", "loose", proved=True, **LEAST)
def lemma_3(effort, rng):
    r"""A feature that has a cut in the node is selected with probability at least $P_1 = 1/(1 + (D-1)e^{B_1})$;
    the probability reaches its smallest value when $\hat I = (0, 1, \dots, 1)$."""
    cases = _extremes(effort, min, small.at_least, multinomial.published_p1)
    yield from small.nearest(case for case in cases if case.data["B1"])
    return note(
        "{cases} pairs of D and B1: nearest at D = {D}, B1 = {B1:g}, {exact:.5f} against {stated:.5f}",
        range=_range(effort, ""),
    )


@FEATURE.corrected(lemma_3, *BY_TIGHT, "multinomial.opposed_features", **LEAST)
def lemma_3_tight(effort, rng):
    r"""A feature that has a cut in the node is selected with probability at least $1/(1 + (D-1)e^{B_1/2})$, which
    three records attain for every $D \ge 2$."""
    yield from _extremes(effort, min, same, multinomial.tight_p1)
    yield from _attained(min)
    text = "{cases} cases: the least over all data, and three records with up to 1000 features"
    return note(text, range=_range(effort))


@FEATURE("mrf/lemma-3-upper", "Appendix A.1", "loose", PRINTED, proved=True, **LARGEST)
def lemma_3_upper(effort, rng):
    r"""A feature is selected with probability at most $e^{B_1}/(e^{B_1} + D - 1)$."""
    upper = lambda d, b: multinomial.published_selection_bounds(d, b).upper  # noqa: E731
    yield from (case for case in _extremes(effort, max, at_most, upper) if case.data["B1"])
    return note(
        "{cases} pairs of D and B1: nearest at D = {D}, B1 = {B1:g}, {exact:.5f} against {stated:.5f}",
        range=_range(effort, ""),
    )


@FEATURE.corrected(lemma_3_upper, BOUNDS, "multinomial.opposed_features", **LARGEST)
def lemma_3_upper_tight(effort, rng):
    r"""A feature is selected with probability at most $e^{B_1/2}/(e^{B_1/2} + D - 1)$, which three records attain
    for every $D \ge 2$."""
    yield from _extremes(effort, max, same, lambda d, b: multinomial.selection_bounds(d, b).upper)
    yield from _attained(max)
    text = "{cases} cases: the largest over all data, and three records with up to 1000 features"
    return note(text, range=_range(effort))


def _with_constants(effort):
    """(probability, B1, features that have a cut, whether it has, data) of each feature, constant ones too."""
    for n in range(2, effort.pick(3, 3, 4) + 1):
        for y, chosen, node in small.nodes(n, 2, constant=True):
            able = sum(map(bool, node))
            for budget in small.BUDGETS if able else ():
                for j, chance in enumerate(small.features_law(node, budget)):
                    data = {**small.shown(y, chosen), "feature": j, "B1": float(budget)}
                    yield chance, float(budget), able, bool(node[j]), data


@FEATURE("mrf/lemma-3-any-feature", "Lemma 3", "fails", quantity="probability of a feature", range=CONSTANT)
def any_feature(effort, rng):
    r"""At each node, any given feature is selected with probability at least $P_1 > 0$."""
    for chance, budget, *_, data in _with_constants(effort):
        yield small.at_least(chance, multinomial.published_p1(2, budget), **data)
    return "feature {feature} of columns {columns} has no cut, and is never selected; P1 = {stated:.3f}"


@FEATURE.corrected(any_feature, *BY_TIGHT, quantity="probability of a feature that has a cut", range=CONSTANT)
def any_feature_able(effort, rng):
    r"""A feature that takes two values in the node is selected with probability at least
    $1/(1 + (D'-1)e^{B_1/2})$, where $D'$ features do; any other one never."""
    for chance, budget, able, splits, data in _with_constants(effort):
        stated = multinomial.tight_p1(able, budget) if splits else 0.0
        yield small.at_least(chance, stated, **data)
    return "{cases} features of small data sets, with constant ones among them"


FEW = {  # blocks of equal values, (records of label 0, of label 1): one cut worst, the others alike
    2: [(1, 0), (0, 1), (0, 1)],
    3: [(1, 0), (0, 1), (0, 1), (1, 0)],
    5: [(3, 0), (2, 1), (2, 6), (7, 3), (1, 2), (0, 3)],
}


def _law_of(blocks, budget):
    """Law of the cuts of a feature whose values each hold so many records of either label."""
    column = tuple(v for v, counts in enumerate(blocks) for _ in range(sum(counts)))
    y = tuple(c for counts in blocks for c in (0, 1) for _ in range(counts[c]))
    return small.law(small.decreases(column, y), budget)


def _all_cuts(effort):
    """(m, decreases, y) of every labelling of distinct values."""
    for n in range(3, effort.pick(8, 10, 12) + 1):
        for y in small.labellings(n):
            yield n - 1, small.decreases(tuple(range(n)), y), y


@FEATURE(
    "mrf/equation-7",
    "Equation (7); appendix A.2",
    "loose",
    PRINTED,
    proved=True,
    quantity="least probability of one cut",
    range="all labellings of 3 to 8 distinct values, B2 = 1/2, 2, 10",
)
def equation_7(effort, rng):
    r"""The probability that a value is selected for splitting satisfies a restriction: of a feature with $m$
    possible splitting values it is between $1/(1 + (m-1)e^{B_2})$ and $e^{B_2}/(e^{B_2} + m - 1)$."""
    low = []
    for m, values, y in _all_cuts(effort):
        for budget in small.BUDGETS[1:]:
            ends = multinomial.published_selection_bounds(m, float(budget))
            chances, data = small.law(values, budget), {"y": list(y), "m": m, "B2": float(budget)}
            low.append(small.at_least(min(chances), ends.lower, **data))
            yield at_most(max(chances), ends.upper, **data)
    yield from small.nearest(low)
    return f"{len(low)} laws: nearest at y = {{y}}, B2 = {{B2:g}}, {{exact:.5f}} against {{stated:.5f}}"


@FEATURE.corrected(
    equation_7,
    BOUNDS,
    "multinomial.selection_law",
    quantity="probability of one cut",
    range="upper end for m up to 12, lower end for m = 2, 3 and 5, B2 = 1/2, 2, 10",
)
def equation_7_tight(effort, rng):
    r"""Of a feature with $m$ possible splitting values each is selected with a probability between
    $1/(1 + (m-1)e^{B_2/2})$ and $e^{B_2/2}/(e^{B_2/2} + m - 1)$. Records attain
    the upper end for every $m$, and the lower one for 2, 3 and 5 cuts; for more they come near."""
    for budget in small.BUDGETS[1:]:
        bounds = lambda m, b=float(budget): multinomial.selection_bounds(m, b)  # noqa: E731
        for m in range(2, effort.pick(12, 20, 30) + 1):  # one cut helps, and all others have no effect
            chances = _law_of([(1, 0), (0, 1), *[(1, 1)] * (m - 1)], budget)
            yield decisive(same(max(chances), bounds(m).upper, m=m))
        for m, blocks in FEW.items():
            yield decisive(same(min(_law_of(blocks, budget)), bounds(m).lower, m=m))
    for m, values, y in _all_cuts(effort):
        ends, chances = multinomial.selection_bounds(m, 2.0), small.law(values, Fraction(2))
        yield below(ends.lower, min(chances), y=list(y))
        yield below(max(chances), ends.upper, y=list(y))
    return "{cases} cases: met by records at every m tried, and never broken"
