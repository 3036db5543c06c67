r"""Claims of MRF on the probability of one candidate: lemma 3 and equation 7.

Derived in :doc:`/book/multinomial`. The exact side lists every data set of a few records.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from dplit import multinomial
from dplit.court.claims.multinomial._records import (
    BUDGETS,
    at_least,
    columns,
    decreases,
    features_law,
    labellings,
    law,
    nodes,
    shown,
)
from dplit.court.ledger import Case, bounded, claim, equal

WITH_A_CUT = "all data of 2 to {n} records, 2 to 5 features that have a cut, B1 = 0, 1/2, 2, 10"


def _best_of(n):
    """For each labelling the values that a feature's best decrease can take, each with a column."""
    for y in labellings(n):
        found = {}
        for column in columns(n):
            found.setdefault(max(decreases(column, y)), column)
        yield y, found


def _extremes(effort):
    """(D, B1) to the least and the largest probability of a feature over all small data sets."""
    ends = {}
    for n in range(2, effort.pick(4, 4, 5) + 1):
        for y, found in _best_of(n):
            for features in range(2, 6):
                for best in combinations_with_replacement(sorted(found), features):
                    for budget in BUDGETS:
                        chances = law(best, budget)
                        data = shown(y, [found[b] for b in best])
                        low, high = ends.get((features, budget), (None, None))
                        if low is None or min(chances) < low[0]:
                            low = min(chances), data
                        if high is None or max(chances) > high[0]:
                            high = max(chances), data
                        ends[features, budget] = low, high
    return ends


def _cases(effort, side, bound):
    for (features, budget), found in _extremes(effort).items():
        chance, data = found[side]
        stated = bound(features, float(budget))
        yield Case(chance, stated, {"D": features, "B1": float(budget), **data})


def _range(effort):
    return WITH_A_CUT.format(n=effort.pick(4, 4, 5))


@claim(
    "mrf/lemma-3",
    "Lemma 3; appendix A.1",
    "loose",
    "thm-multinomial-feature",
    ("multinomial.published_p1", "multinomial.feature_law"),
    proof="thm-multinomial-feature",
    quantity="least probability of a feature",
)
def lemma_3(effort, rng):
    r"""A feature that has a cut in the node is selected with probability at least $P_1 = 1/(1 + (D-1)e^{B_1})$;
    the probability reaches its smallest value when $\hat I = (0, 1, \dots, 1)$."""
    cases = [c for c in _cases(effort, 0, multinomial.published_p1) if c.data["B1"]]
    note = "{cases} pairs of D and B1: nearest at D = {D}, B1 = {B1:g}, {exact:.5f} against {stated:.5f}"
    return at_least(cases, note, range=_range(effort).replace("0, ", ""))


@lemma_3.corrected(
    functions=("multinomial.tight_p1", "multinomial.feature_law", "multinomial.opposed_features"),
    proof="thm-multinomial-feature",
    quantity="least probability of a feature",
)
def lemma_3_tight(effort, rng):
    r"""It is at least $1/(1 + (D-1)e^{B_1/2})$, which three records attain for every $D \ge 2$."""
    cases = list(_cases(effort, 0, multinomial.tight_p1))
    cases += _attained([2, 5, 50, 1000], 0)
    note = "{cases} cases: the least over all data, and three records with up to 1000 features"
    return equal(cases, note, range=_range(effort))


def _attained(sizes, side):
    """The law of the package on the three records that attain an end, from their columns."""
    for features in sizes:
        X, y = multinomial.opposed_features(features)
        if side:
            X = np.column_stack([X[:, 1], *[X[:, 0]] * (features - 1)])
        for budget in (0.0, 0.5, 10.0, 60.0):
            chances = multinomial.feature_law(multinomial.decreases_of(X, y), budget)
            ends = multinomial.selection_bounds(features, budget)
            yield Case(chances[0], ends[side], {"D": features, "B1": budget})


@claim(
    "mrf/lemma-3-upper",
    "Appendix A.1",
    "loose",
    "thm-multinomial-feature",
    ("multinomial.published_selection_bounds",),
    proof="thm-multinomial-feature",
    quantity="largest probability of a feature",
)
def lemma_3_upper(effort, rng):
    r"""A feature is selected with probability at most $e^{B_1}/(e^{B_1} + D - 1)$."""
    cases = _cases(effort, 1, lambda d, b: multinomial.published_selection_bounds(d, b).upper)
    cases = [c for c in cases if c.data["B1"]]
    note = "{cases} pairs of D and B1: nearest at D = {D}, B1 = {B1:g}, {exact:.5f} against {stated:.5f}"
    return bounded(cases, note, range=_range(effort).replace("0, ", ""))


@lemma_3_upper.corrected(
    functions=("multinomial.selection_bounds", "multinomial.opposed_features"),
    proof="thm-multinomial-feature",
    quantity="largest probability of a feature",
)
def lemma_3_upper_tight(effort, rng):
    r"""It is at most $e^{B_1/2}/(e^{B_1/2} + D - 1)$, which three records attain for every $D \ge 2$."""
    cases = list(_cases(effort, 1, lambda d, b: multinomial.selection_bounds(d, b).upper))
    cases += _attained([2, 5, 50, 1000], 1)
    note = "{cases} cases: the largest over all data, and three records with up to 1000 features"
    return equal(cases, note, range=_range(effort))


def _with_constants(effort):
    """(probability, features that have a cut, parameters) of each feature, constant ones too."""
    for n in range(2, effort.pick(3, 3, 4) + 1):
        for y, chosen, node in nodes(n, 2, constant=True):
            able = sum(map(bool, node))
            for budget in BUDGETS if able else ():
                for j, chance in enumerate(features_law(node, budget)):
                    data = {**shown(y, chosen), "feature": j, "B1": float(budget)}
                    yield chance, able, bool(node[j]), data


@claim(
    "mrf/lemma-3-any-feature",
    "Lemma 3",
    "fails",
    "thm-multinomial-feature",
    ("multinomial.published_p1", "multinomial.feature_law"),
    quantity="probability of a feature",
    range="all data of 2 and 3 records and 2 features, constant ones included",
)
def any_feature(effort, rng):
    r"""At each node, any given feature is selected with probability at least $P_1 > 0$."""
    cases = (
        Case(chance, multinomial.published_p1(2, data["B1"]), data)
        for chance, _, _, data in _with_constants(effort)
    )
    note = "feature {feature} of columns {columns} has no cut, and is never selected; P1 = {stated:.3f}"
    return at_least(cases, note)


@any_feature.corrected(
    functions=("multinomial.tight_p1", "multinomial.feature_law"),
    proof="thm-multinomial-feature",
    quantity="probability of a feature that has a cut",
    range="all data of 2 and 3 records and 2 features, constant ones included",
)
def any_feature_able(effort, rng):
    r"""A feature that takes two values in the node is selected with probability at least
    $1/(1 + (D'-1)e^{B_1/2})$, where $D'$ features do; any other one never."""
    cases = (
        Case(chance, multinomial.tight_p1(able, data["B1"]) if splits else 0.0, data)
        for chance, able, splits, data in _with_constants(effort)
    )
    return at_least(cases, "{cases} features of small data sets, with constant ones among them")


# Equation 7: the same for the cuts of one feature ----------------------------------------------

LEAST = {  # blocks of equal values, (records of label 0, of label 1): one cut worst, the others alike
    2: [(1, 0), (0, 1), (0, 1)],
    3: [(1, 0), (0, 1), (0, 1), (1, 0)],
    5: [(3, 0), (2, 1), (2, 6), (7, 3), (1, 2), (0, 3)],
}


def _block_decreases(blocks):
    """Decreases of a feature whose values each hold so many records of either label, in fractions."""
    column = tuple(v for v, counts in enumerate(blocks) for _ in range(sum(counts)))
    y = tuple(c for counts in blocks for c in (0, 1) for _ in range(counts[c]))
    return decreases(column, y)


def _most(cuts):
    """Blocks with one cut that decreases the impurity, and all others without effect."""
    return [(1, 0), (0, 1), *[(1, 1)] * (cuts - 1)]


def _all_cuts(effort):
    """(m, decreases, y) of every labelling of distinct values."""
    for n in range(3, effort.pick(8, 10, 12) + 1):
        for y in labellings(n):
            yield n - 1, decreases(tuple(range(n)), y), y


@claim(
    "mrf/equation-7",
    "Equation (7); appendix A.2",
    "loose",
    "thm-multinomial-feature",
    ("multinomial.published_selection_bounds",),
    proof="thm-multinomial-feature",
    quantity="least probability of one cut",
    range="all labellings of 3 to 8 distinct values, B2 = 1/2, 2, 10",
)
def equation_7(effort, rng):
    r"""The probability that a value is selected for splitting satisfies a restriction: of a feature with $m$
    possible splitting values it is between $1/(1 + (m-1)e^{B_2})$ and $e^{B_2}/(e^{B_2} + m - 1)$."""
    low, high = [], []
    for m, values, y in _all_cuts(effort):
        for budget in BUDGETS[1:]:
            ends = multinomial.published_selection_bounds(m, float(budget))
            chances, data = law(values, budget), {"y": list(y), "m": m, "B2": float(budget)}
            low.append(Case(min(chances), ends.lower, data))
            high.append(Case(max(chances), ends.upper, data))
    note = "{cases} laws: nearest at y = {y}, B2 = {B2:g}, {exact:.5f} against {stated:.5f}"
    least, largest = at_least(low, note), bounded(high, note)
    return least if largest.verdict == "loose" else largest


@equation_7.corrected(
    functions=("multinomial.selection_bounds", "multinomial.selection_law"),
    proof="thm-multinomial-feature",
    quantity="probability of one cut",
    range="upper end for m up to 12, lower end for m = 2, 3 and 5, B2 = 1/2, 2, 10",
)
def equation_7_tight(effort, rng):
    r"""It is between $1/(1 + (m-1)e^{B_2/2})$ and $e^{B_2/2}/(e^{B_2/2} + m - 1)$. Records attain
    the upper end for every $m$, and the lower one for 2, 3 and 5 cuts; for more they come near."""
    cases = []
    for budget in map(Fraction, BUDGETS[1:]):
        for m in range(2, effort.pick(12, 20, 30) + 1):
            chances = law(_block_decreases(_most(m)), budget)
            cases.append(Case(max(chances), multinomial.selection_bounds(m, float(budget)).upper))
        for m, blocks in LEAST.items():
            chances = law(_block_decreases(blocks), budget)
            cases.append(Case(min(chances), multinomial.selection_bounds(m, float(budget)).lower))
    for m, values, _ in _all_cuts(effort):
        ends = multinomial.selection_bounds(m, 2.0)
        within = ends.lower * (1 - 1e-9) <= min(law(values, Fraction(2)))
        cases.append(Case(float(within and max(law(values, Fraction(2))) <= ends.upper), 1.0))
    return equal(cases[::-1], "{cases} cases: met by records at every m tried, and never broken")
