"""Claims of MRF on the probability of one candidate: lemma 3 and equation 7."""

import math
from itertools import product

import numpy as np

from dplit import multinomial
from dplit.court.claims.multinomial import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, same

FEATURE = Box("thm-multinomial-feature", "multinomial.published_p1", "multinomial.feature_law")
BY_TIGHT = "multinomial.tight_p1", "multinomial.feature_law"
PRINTED, BOUNDS = "multinomial.published_selection_bounds", "multinomial.selection_bounds"
LEAST = {"quantity": "least probability of a feature"}
LARGEST = {"quantity": "largest probability of a feature"}
CONSTANT = "all data of 2 and 3 records and 2 features, constant ones included"


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


LOW, HIGH = "mrf/lemma-3/corrected", "mrf/lemma-3-upper/corrected"


def _tight(effort, name=LOW):
    """The bound of one candidate's probability, from below or above, and the package's."""
    end = lambda D, S, **_: multinomial.selection_bounds(D, 2 * math.log(S))[name == HIGH]  # noqa: E731
    return certified(name, effort, **{"right" if name == HIGH else "left": end})


def _loose(effort, end=0):
    """That the published bound, from below or above, is no candidate's."""
    published = lambda D, S: multinomial.published_selection_bounds(D, 2 * math.log(S))[end]  # noqa: E731
    name, side = (("mrf/lemma-3", "left"), ("mrf/lemma-3-upper", "right"))[end]
    return certified(name, effort, met=False, **{side: published})


@FEATURE("mrf/lemma-3", "Lemma 3; appendix A.1", "loose", proved=True, **LEAST, **over(LOW, "mrf/lemma-3"))
def lemma_3(effort, rng):
    r"""A feature that has a cut in the node is selected with probability at least $P_1 = 1/(1 + (D-1)e^{B_1})$;
    the probability reaches its smallest value when $\hat I = (0, 1, \dots, 1)$."""
    yield from _tight(effort)
    yield from _loose(effort)
    yield same(multinomial.published_p1(3, 2.0), 1 / (1 + 2 * math.exp(2)), D=3, B1=2.0)
    return "P1 is below the least probability at every D and B1: {statement} wherever {where}"


@FEATURE.corrected(lemma_3, *BY_TIGHT, "multinomial.opposed_features", **LEAST, **over(LOW))
def lemma_3_tight(effort, rng):
    r"""A feature that has a cut in the node is selected with probability at least $1/(1 + (D-1)e^{B_1/2})$, which
    three records attain for every $D \ge 2$."""
    yield from _tight(effort)
    yield from _attained(min)
    for features, budget in product((2, 50), (0.5, 10.0)):
        stated = multinomial.selection_bounds(features, budget).lower
        yield same(multinomial.tight_p1(features, budget), stated, D=features, B1=budget)
    return "The bound holds, as {statement} wherever {where}; three records with up to 1000 features attain it."


@FEATURE(
    "mrf/lemma-3-upper",
    "Appendix A.1",
    "loose",
    PRINTED,
    proved=True,
    **LARGEST,
    **over(HIGH, "mrf/lemma-3-upper"),
)
def lemma_3_upper(effort, rng):
    r"""A feature is selected with probability at most $e^{B_1}/(e^{B_1} + D - 1)$."""
    yield from _tight(effort, HIGH)
    yield from _loose(effort, 1)
    return "The printed bound is above the largest probability: {statement} wherever {where}"


@FEATURE.corrected(lemma_3_upper, BOUNDS, "multinomial.opposed_features", **LARGEST, **over(HIGH))
def lemma_3_upper_tight(effort, rng):
    r"""A feature is selected with probability at most $e^{B_1/2}/(e^{B_1/2} + D - 1)$, which three records attain
    for every $D \ge 2$."""
    yield from _tight(effort, HIGH)
    yield from _attained(max)
    return "The bound holds, as {statement} wherever {where}; three records with up to 1000 features attain it."


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
    """A feature that takes two or more values in the node is selected with probability at least $1/(1 +
    (D'-1)e^{B_1/2})$, where $D'$ is the number of such features. Any other feature is never selected."""
    for chance, budget, able, splits, data in _with_constants(effort):
        if splits:
            yield small.at_least(chance, multinomial.tight_p1(able, budget), **data)
        else:
            yield same(chance, 0, **data)
    return "In {cases} cases no feature with a cut is drawn less often than stated, and no other one is drawn."


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


@FEATURE(
    "mrf/equation-7",
    "Equation (7); appendix A.2",
    "loose",
    PRINTED,
    proved=True,
    quantity="least probability of one cut",
    **over(LOW, HIGH, "mrf/lemma-3", "mrf/lemma-3-upper"),
)
def equation_7(effort, rng):
    """The probability that a value is selected for splitting is restricted. For a feature with $m$ possible
    splitting values, this probability lies between $1/(1 + (m-1)e^{B_2})$ and $e^{B_2}/(e^{B_2} + m - 1)$."""
    yield from (*_tight(effort), *_tight(effort, HIGH))
    yield from (*_loose(effort), *_loose(effort, 1))
    return "No feature's cuts meet either end: {statement} wherever {where}, D the number of cuts"


@FEATURE.corrected(
    equation_7, BOUNDS, "multinomial.selection_law", quantity="probability of one cut", **over(LOW, HIGH)
)
def equation_7_tight(effort, rng):
    """Each of the $m$ possible splitting values of a feature is selected with a probability between $1/(1 +
    (m-1)e^{B_2/2})$ and $e^{B_2/2}/(e^{B_2/2} + m - 1)$. Some data attain the upper end for every $m$, and the
    lower end for 2, 3 and 5 cuts; for every other number of cuts some data come arbitrarily near the lower end."""
    yield from (*_tight(effort), *_tight(effort, HIGH))
    for budget in small.BUDGETS[1:]:
        bounds = lambda m, b=float(budget): multinomial.selection_bounds(m, b)  # noqa: E731
        for m in range(2, effort.pick(12, 20, 30) + 1):  # one cut helps, and all others have no effect
            chances = _law_of([(1, 0), (0, 1), *[(1, 1)] * (m - 1)], budget)
            yield same(max(chances), bounds(m).upper, m=m)
        for m, blocks in FEW.items():
            yield decisive(same(min(_law_of(blocks, budget)), bounds(m).lower, m=m))
    return "Certificates prove both bounds, and records attain the ends, in {cases} cases together."
