r"""Claims of the MRF paper on what the two choices of a node cost: lemmas 5 and 6, and a layer.

:math:`b = B/2`. Losses are searched over all small data sets, whose laws are made here from fractions.
"""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np

import dplit.court.claims.multinomial_privacy._records as small
from dplit import multinomial
from dplit.court.ledger import Case, claim, equal, private, verdict_of
from dplit.loss import compare_laws, smallest_violation, worst_privacy_loss
from dplit.neighbours import data_sets

BUDGETS = (0.1, 1.0, 10.0)
CHOICE = {"quantity": "privacy loss of the choice"}


@cache
def _worst_choice(features, budget, neighbours, n):
    """Worst pair over data sets of at most n records in which every feature has a cut."""
    law = partial(small.feature_law, features=features, budget=budget)
    return worst_privacy_loss(law, small.splittable(n), small.near(small.TWO_FEATURES, neighbours))


def _choices(effort, budgets):
    """(features, budget, relation, most records): three replaced, or four and one."""
    features = effort.pick((2, 3, 9), (2, 3, 5, 9, 100), (2, 3, 4, 5, 9, 30, 100, 1000))
    for d, budget, (neighbours, n) in product(
        features, budgets, (("replace-one", 3), ("add-remove", 5))
    ):
        yield d, budget, neighbours, n


@claim(
    "mrf/lemma-5",
    "lemma 5, appendix A.4",
    "loose",
    "thm-mprivacy-feature",
    ("multinomial.selection_loss", "multinomial.feature_law"),
    range="2 to 9 features, B1 from 0.1 to 10, up to 5 records, both relations",
    **CHOICE,
)
def lemma_5(effort, rng, epsilon=BUDGETS):
    r"""The impurity-based multinomial distribution of feature selection is essentially the exponential
    mechanism of differential privacy, and satisfies $B_1$-differential privacy, provided that every feature has
    a cut in the node, on both data sets."""
    cases = []
    for d, budget, neighbours, n in _choices(effort, epsilon):
        worst = _worst_choice(d, budget, neighbours, n)
        data = {"features": d, "B1": budget, "neighbours": neighbours, "data": str(worst.data)}
        cases.append(Case(worst.loss, budget, data | {"neighbour": str(worst.neighbour)}))
    return private(cases, "Of {cases} searches the nearest to B1 loses {exact:.4f} of {stated:g}.")


@lemma_5.corrected(
    functions=("multinomial.selection_loss",),
    proof="thm-mprivacy-feature",
    range="2 to 9 features, B1 from 0.1 to 10, 3 records replace-one and 4 + 1 add-remove",
    **CHOICE,
)
def lemma_5_exact(effort, rng, epsilon=BUDGETS):
    r"""With D features, each with a cut on both data sets, the choice of a feature costs $\ln\frac{e^b(1 +
    (D-1)e^b)}{e^b + D - 1}$, $b = B_1/2$, under both relations, and no less for all data."""
    return equal(
        (
            Case(
                _worst_choice(d, budget, neighbours, n).loss,
                multinomial.selection_loss(d, budget),
                {"features": d, "B1": budget, "neighbours": neighbours},
            )
            for d, budget, neighbours, n in _choices(effort, epsilon)
        ),
        "In {cases} searches over all data sets the worst pair attains the formula.",
    )


def _choice_with_constants(records, budget):
    """The package's own law, by which a feature without a cut is never chosen."""
    columns = np.array(records, dtype=float).reshape(-1, 3)
    cuts = multinomial.decreases_of(columns[:, :2], columns[:, 2]) if records else []
    if not any(c.size for c in cuts):
        return np.array([0.0, 0.0, 1.0])
    return np.append(multinomial.feature_law(cuts, budget), 0.0)


@claim(
    "mrf/lemma-5-constant-feature",
    "lemma 5",
    "leaks",
    "thm-mprivacy-feature",
    ("multinomial.feature_law", "multinomial.candidate_cuts"),
    about="reading",
    holds_instead="mrf/lemma-5/corrected",
    range="all data sets of up to 3 records, two binary features",
    **CHOICE,
)
def constant_feature(effort, rng):
    r"""The choice is $B_1$-private for all data. A feature that has one value in a node has no cut there,
    and cannot be chosen; one record more gives it a cut."""
    law = partial(_choice_with_constants, budget=1.0)
    space = data_sets(small.TWO_FEATURES, 3)
    found = smallest_violation(law, space, 1.0, small.near(small.TWO_FEATURES, "add-remove"))
    if found is None:
        return verdict_of(True, "No pair violates it.")
    return verdict_of(
        False,
        f"The first pair, {found.data} and {found.neighbour}, has an outcome that is possible on one alone.",
        {"data": str(found.data), "neighbour": str(found.neighbour), "outcome": found.outcome},
        broken="leaks",
        published=1.0,
        computed=found.loss,
        relation="<=",
    )


@claim(
    "mrf/equation-16",
    "equation 16",
    "holds",
    "thm-mprivacy-feature",
    ("multinomial.normalised",),
    proof="thm-mprivacy-feature",
    quantity="change of a normalised score",
    range="all data sets of up to 3 records, two binary features, both relations",
)
def equation_16(effort, rng):
    r"""One record changes a feature's weight $e^{B_1\hat I/2}$ by a factor of at most $e^{B_1/2}$: the
    normalised score has sensitivity 1."""
    cases = []
    for neighbours in small.RELATIONS:
        seen = {data: small.two_scores(data) for data in small.splittable(effort.pick(4, 5, 6))}
        for data in seen:
            for other in small.near(small.TWO_FEATURES, neighbours)(data):
                if other in seen:
                    change = max(abs(a - b) for a, b in zip(seen[data], seen[other]))
                    cases.append(Case(change, 1, {"data": str(data), "neighbour": str(other)}))
    return private(
        cases, "{cases} pairs; met by {data} and {neighbour}.", quantity="change of a score"
    )


# Lemma 6 ----------------------------------------------------------------------------------------

GRID = (0.2, 0.4, 0.6, 0.8)
VALUES = tuple(product(GRID, (0, 1)))


def observed_law(records, budget):
    """The value choice as published: mapping from cut to probability."""
    [(cuts, gains)] = multinomial.candidate_cuts([[r[0]] for r in records], [r[1] for r in records])
    return dict(zip(cuts.round(6).tolist(), multinomial.selection_law(gains, budget).tolist()))


def _both_cut(n):
    """Data sets of at most n records with a cut."""
    return (data for data in data_sets(VALUES, n) if len({v for v, _ in data}) > 1)


@claim(
    "mrf/lemma-6",
    "lemma 6, appendix A.5",
    "leaks",
    "thm-mprivacy-value",
    ("multinomial.candidate_cuts", "multinomial.selection_law"),
    range="all data sets of up to 3 records, four values, replace-one and add-remove, B2 = 1",
    **CHOICE,
)
def lemma_6(effort, rng):
    r"""The impurity-based multinomial distribution of split value selection is essentially the exponential
    mechanism of differential privacy, and satisfies $B_2$-differential privacy. Its candidates are cuts between
    the values of the node's records."""
    law, found = partial(observed_law, budget=1.0), []
    for neighbours in ("replace-one", "add-remove"):
        pair = smallest_violation(law, _both_cut(3), 1.0, small.near(VALUES, neighbours))
        if pair is not None:
            found.append((neighbours, pair))
    if not found:
        return verdict_of(True, "No pair violates it.")
    neighbours, first = found[0]
    return verdict_of(
        False,
        "; ".join(f"{relation}: {pair.data} and {pair.neighbour}" for relation, pair in found)
        + ": each has a cut that the other cannot have.",
        {"neighbours": neighbours, "data": str(first.data), "neighbour": str(first.neighbour)},
        broken="leaks",
        published=1.0,
        computed=first.loss,
        relation="<=",
    )


def _public_law(records, cuts, budget):
    """Law over fixed cuts, from fractions."""
    return small.softmax(small.stretched(small.decreases(records, 0, cuts)), budget)


def _range_density(records, budget, points):
    """Density at `points` of the value choice over the range [0, 1], scores over all its intervals."""
    columns = multinomial.range_cuts([[r[0]] for r in records], [0.0], [1.0])
    labels = [r[1] for r in records]
    law = multinomial.normalised_split_law(columns.left, labels, 2, budget / 2, columns.base)
    at = np.searchsorted(columns.low, points, side="right") - 1
    return law[at] / (columns.high - columns.low)[at]


@lemma_6.corrected(
    functions=("multinomial.selection_loss", "multinomial.normalised_split_law"),
    proof="thm-mprivacy-value",
    range="2 to 30 fixed cuts, B2 from 0.1 to 10, up to 3 records; the range [0, 1] with gaps down to 1e-9",
    **CHOICE,
)
def lemma_6_public(effort, rng):
    r"""Over $m$ fixed public cuts, at whatever values the records are, the choice of a value costs the
    formula of lemma 5 with $m$ for $D$, at most $B_2$. Over a public range, intervals weighted by their
    length, it costs $B_2$ at most, and no less for all data."""
    ends = tuple(product((0.0, 0.5, 1.0), (0, 1)))
    exact = []
    for m, budget in product(effort.pick((2, 5, 30), (2, 3, 5, 30), (2, 3, 5, 30, 300)), BUDGETS):
        cuts = [0.25, *np.linspace(0.6, 0.9, m - 1)]
        law = partial(_public_law, cuts=cuts, budget=budget)
        space = [data for data in data_sets(ends, 3) if data]
        worst = worst_privacy_loss(law, space, small.near(ends, "replace-one"))
        data = {"cuts": m, "B2": budget, "data": str(worst.data)}
        exact.append(Case(worst.loss, multinomial.selection_loss(m, budget), data))
    same = equal(exact, "{cases} searches attain the formula")
    points, within = np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]), []
    for budget in BUDGETS:
        law = partial(_range_density, budget=budget, points=points)
        for neighbours in small.RELATIONS:
            worst = worst_privacy_loss(law, _with_records(3), small.near(VALUES, neighbours))
            within.append(Case(worst.loss, budget, {"B2": budget, "neighbours": neighbours}))
    below = private(within, "the range")
    nearest = [_narrow_gap(1e-9, budget) / budget for budget in BUDGETS]
    return verdict_of(
        same.verdict == "holds" and below.verdict != "leaks" and 0.999 < min(nearest) <= 1,
        f"{same.cases} searches over fixed cuts attain the formula; over the range data of up to 3 records "
        f"stay within B2, and with a gap of 1e-9 between two values the loss is {min(nearest):.6f} of it.",
        {"fixed": same.counterexample, "range": below.counterexample, "nearest": nearest},
        cases=len(exact) + len(within) + len(nearest),
        published=1.0,
        computed=max(nearest),
        relation="<=",
    )


def _with_records(n):
    return (data for data in data_sets(VALUES, n) if data)


def _narrow_gap(gap, budget):
    """Loss of three records at 0, `gap` and 1 whose middle one changes its class."""
    pair = [((0.0, 0), (gap, y), (1.0, 1)) for y in (1, 0)]
    laws = [_range_density(data, budget, np.array([gap / 2, 0.5])) for data in pair]
    return compare_laws(*laws).loss


# A layer ----------------------------------------------------------------------------------------


@claim(
    "mrf/layer",
    "proof of theorem 2",
    "assumes",
    "thm-mprivacy-layer",
    ("multinomial.nodes_changed", "multinomial.selection_loss"),
    quantity="privacy loss of a level",
    range="one level of two nodes, 3 to 30 features, B1 from 0.1 to 10",
)
def layer(effort, rng, epsilon=BUDGETS):
    r"""The privacy budget consumed for each layer of a tree by the split mechanism is $B_1 + B_2$. This assumes
    add-remove, and candidates that are public: a record that is replaced leaves one node of the layer and
    enters another."""
    cases, single = [], []
    for d, budget in product(effort.pick((3, 30), (3, 9, 30), (3, 9, 30, 300)), epsilon):
        enters, leaves = _one_record_more(d, budget)
        data = {"features": d, "B1": budget}
        single.append(Case(max(enters, leaves), budget, data))
        cases.append(Case(enters + leaves, budget, data))
    add_remove = private(single, "one node")
    broken = [c for c in cases if c.exact > c.stated]
    worst = max(cases, key=lambda c: c.exact / c.stated)
    return verdict_of(
        not broken or add_remove.verdict == "leaks",
        f"Add-remove, one node of the layer changes, within B1. Replace-one, of two nodes of up to 5 records "
        f"with {worst.data['features']} features, whose values need no choice, a layer loses "
        f"{worst.exact:.3f} at B1 = {worst.stated:g}, B2 = 0.",
        broken="assumes",
        cases=len(cases),
        published=worst.stated,
        computed=worst.exact,
        relation="<=",
    )


def _one_record_more(features, budget):
    """Most that one record more raises the log-probability of a feature, and most that it lowers one."""
    laws = {data: np.log(small.feature_law(data, features, budget)) for data in small.splittable(5)}
    near = small.near(small.TWO_FEATURES, "add-remove")
    steps = [
        laws[more] - laws[data]
        for data in laws
        for more in near(data)
        if len(more) > len(data) and more in laws
    ]
    return float(np.max(steps)), float(-np.min(steps))


def _structure_law(records, depth, node_law):
    """Law over structures of a tree on two binary features, by recursion over its nodes."""
    if depth == 0:
        return {(): 1.0}
    law = {}
    for j, p in enumerate(node_law(records)):
        sides = [
            _structure_law(tuple(r for r in records if r[j] == v), depth - 1, node_law)
            for v in (0, 1)
        ]
        for (a, pa), (b, pb) in product(*(side.items() for side in sides)):
            law[j, a, b] = p * pa * pb
    return law


@layer.corrected(
    functions=("multinomial.nodes_changed",),
    proof="thm-mprivacy-layer",
    quantity="privacy loss of a tree's structure",
    range="all data sets of up to 4 records, two binary features, depths 1 to 3, both relations",
)
def layer_exact(effort, rng):
    r"""Over public candidates the structure of a tree with $d$ levels of splits costs $d(B_1 + B_2)$ under
    add-remove, and $(2d-1)(B_1 + B_2)$ under replace-one: two paths that share the root."""
    cases, budget = [], 1.0

    def node_law(records):
        """Feature choice where a cut is public: a constant feature has the decrease 0."""
        found = [small.decreases(records, j, [0.5])[0] if records else 0 for j in (0, 1)]
        return small.softmax(small.stretched(found), budget)

    for depth, neighbours in product((1, 2, 3), small.RELATIONS):
        law = cache(partial(_structure_law, depth=depth, node_law=cache(node_law)))
        space = data_sets(small.TWO_FEATURES, effort.pick(3, 4, 5) if depth < 3 else 2)
        worst = worst_privacy_loss(law, space, small.near(small.TWO_FEATURES, neighbours))
        stated = multinomial.nodes_changed(depth, neighbours) * budget
        data = {"depth": depth, "neighbours": neighbours, "data": str(worst.data)}
        cases.append(Case(worst.loss, stated, data))
    paths = [
        Case(_nodes_of_two_paths(d), multinomial.nodes_changed(d, "replace-one"), {"depth": d})
        for d in range(1, effort.pick(6, 8, 10))
    ]
    counted = equal(paths, "{cases} depths")
    below = private(cases, "{cases} searches; nearest {exact:.3f} of {stated:g} at depth {depth}.")
    return verdict_of(
        counted.verdict == "holds" and below.verdict != "leaks",
        f"{counted.cases} depths: two paths have 2d - 1 nodes at most. {below.summary}",
        {"paths": counted.counterexample, "losses": below.counterexample},
        cases=counted.cases + below.cases,
        published=below.published,
        computed=below.computed,
        relation="<=",
    )


def _nodes_of_two_paths(depth):
    """The most nodes on two paths from the root of a full binary tree, by going through all pairs."""
    paths = list(product((0, 1), repeat=depth - 1))
    nodes = [{p[:i] for i in range(depth)} for p in paths]
    return max(len(a | b) for a, b in product(nodes, nodes))
