"""Small data sets, decreases in fractions, laws with forty digits: nothing comes from `dplit.multinomial`."""

from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cache
from itertools import product

from dplit.court.ledger.compare import at_most, decisive

getcontext().prec = 40
BUDGETS = (Fraction(0), Fraction(1, 2), Fraction(2), Fraction(10))


@cache
def columns(n, constant=False):
    """Every way in which n records can lie on a feature, ties included, as ranks; 0 is the least."""
    found = [c for c in product(range(n), repeat=n) if set(c) == set(range(max(c) + 1))]
    return [c for c in found if constant or max(c)]


def labellings(n):
    """Every labelling with two labels of which both occur, the first record's label 0."""
    return [y for y in product((0, 1), repeat=n) if y[0] == 0 and any(y)]


def gini(labels):
    """Gini impurity in fractions; an empty node has none."""
    n = len(labels)
    return 1 - sum(Fraction(labels.count(c), n) ** 2 for c in set(labels)) if n else Fraction(0)


def decrease(column, y, cut):
    """Equation 4: what the cut takes from the impurity."""
    sides = [tuple(c for v, c in zip(column, y) if (v <= cut) == low) for low in (True, False)]
    return gini(y) - sum(Fraction(len(side), len(y)) * gini(side) for side in sides)


@cache
def decreases(column, y):
    """Decrease of every cut of a feature, from left to right: one between each two values."""
    return tuple(decrease(column, y, value) for value in sorted(set(column))[:-1])


def scores(values):
    """Section 3.2: decreases stretched to [0, 1], and 0 where the paper has 0/0."""
    low, spread = min(values), max(values) - min(values)
    return [(v - low) / spread if spread else Fraction(0) for v in values]


def decimal(fraction):
    """A fraction with forty digits."""
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


@cache
def law(values, budget):
    """Softmax of half the budget times the scores, as decimals."""
    weights = [decimal(budget * s / 2).exp() for s in scores(values)]
    total = sum(weights)
    return tuple(w / total for w in weights)


def features_law(node, budget):
    """Each feature's probability, by its best cut; features without a cut have none."""
    able = [j for j, cuts in enumerate(node) if cuts]
    chosen = dict(zip(able, law(tuple(max(node[j]) for j in able), budget)))
    return [chosen.get(j, Decimal(0)) for j in range(len(node))]


def joint(node, feature_budget, value_budget):
    """Every cut's probability, a list for each feature."""
    return [
        [share * p for p in law(cuts, value_budget)] if cuts else []
        for share, cuts in zip(features_law(node, feature_budget), node)
    ]


def nodes(n, features, constant=False):
    """(y, columns, decreases) of every data set of n records, features in the order of `columns`."""
    kinds = columns(n, constant)
    for y in labellings(n):
        for some in product(range(len(kinds)), repeat=features):
            if list(some) == sorted(some):
                chosen = [kinds[i] for i in some]
                yield y, chosen, [decreases(c, y) for c in chosen]


def two_features(n):
    """Labels in two halves; one binary feature that separates them, one that is wrong on a record."""
    y = (0,) * (n // 2) + (1,) * (n - n // 2)
    return y, [tuple(int(i >= n // 2 + late) for i in range(n)) for late in (0, 1)]


def floats(node):
    """The decreases of a node as the package takes them."""
    return [list(map(float, cuts)) for cuts in node]


def shown(y, chosen):
    """A data set as plain data."""
    return {"y": list(y), "columns": [list(c) for c in chosen]}


def at_least(exact, stated, met=True, **data):
    """``exact >= stated``; `met` says whether the statement is loose where no case attains it."""
    case = at_most(stated, exact, met=met, **data)
    both = {"exact": case.stated, "stated": case.exact}
    return case._replace(**both, relation=">=", data=both | data)


def nearest(cases):
    """The cases of a lower bound, of which the nearest to it is decisive; 0 against 0 is the farthest."""
    cases = list(cases)
    best = max(cases, key=lambda c: (c.stated / c.exact if c.exact else -1.0, -c.exact))
    return (decisive(case) if case is best else case for case in cases)
