r"""Claims of MRF on what the two choices of a node cost: lemmas 5 and 6, and a layer; :math:`b = B/2`."""

import math
from functools import cache, partial
from itertools import product

import numpy as np

from dplit import multinomial
from dplit.court.claims.multinomial_privacy import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, need, note, private, same
from dplit.loss import compare_laws, worst_privacy_loss
from dplit.neighbours import data_sets

BUDGETS = (0.1, 1.0, 10.0)
LOSS, CHOICE = "multinomial.selection_loss", "privacy loss of the choice"
FEATURE = Box("thm-mprivacy-feature", LOSS, quantity=CHOICE)
VALUE = Box("thm-mprivacy-value", LOSS, "multinomial.normalised_split_law", quantity=CHOICE)
LAYER = Box("thm-mprivacy-layer", "multinomial.nodes_changed")


@cache
def _worst_choice(features, budget, neighbours, n):
    """Worst pair over data sets of at most n records in which every feature has a cut."""
    law = partial(small.feature_law, features=features, budget=budget)
    return worst_privacy_loss(law, small.splittable(n), small.near(small.TWO_FEATURES, neighbours))


WORST = "mrf/lemma-5/corrected"


def _certified(effort, names, **options):
    """The statements, held against the package's loss."""
    worst = lambda D, S, **_: math.exp(multinomial.selection_loss(D, 2 * math.log(S)))  # noqa: E731
    for name in names:
        side = {"left" if name == "mrf/lemma-5" else "right": worst}
        yield from certified(name, effort, **side, **options)


@FEATURE(
    "mrf/lemma-5",
    "lemma 5, appendix A.4",
    "loose",
    LOSS,
    "multinomial.feature_law",
    proved=True,
    **over(WORST, "mrf/lemma-5"),
)
def lemma_5(effort, rng):
    r"""Let every feature have a cut in the node on both data sets. Then the impurity-based multinomial
    distribution of feature selection is essentially the exponential mechanism of differential privacy, and
    satisfies $B_1$-differential privacy."""
    yield from _certified(effort, (WORST,))
    yield from _certified(effort, ("mrf/lemma-5",), met=False)
    return "No scores cost as much as B1, at any number of features and budget: {statement} wherever {where}"


@FEATURE.corrected(lemma_5, **over(WORST))
def lemma_5_exact(effort, rng):
    r"""With D features that each have a cut on both data sets, choosing one costs $\ln\frac{e^b(1 + (D-1)e^b)}{e^b
    + D - 1}$ with $b = B_1/2$ under add-remove and replace-one, and no smaller bound holds for all data."""
    yield from _certified(effort, (WORST,))
    for d, (neighbours, n) in product((2, 9), ((small.REPLACE, 3), (small.ADD, 5))):
        stated = multinomial.selection_loss(d, 1.0)
        yield same(_worst_choice(d, 1.0, neighbours, n).loss, stated, features=d, neighbours=neighbours)
    return "No scores cost more than the formula at any budget, and some small data cost as much: {statement}"


def _choice_with_constants(records, budget):
    """The package's own law, by which a feature without a cut is never chosen."""
    columns = np.array(records, dtype=float).reshape(-1, 3)
    cuts = multinomial.decreases_of(columns[:, :2], columns[:, 2]) if records else []
    if not any(c.size for c in cuts):
        return np.array([0.0, 0.0, 1.0])
    return np.append(multinomial.feature_law(cuts, budget), 0.0)


@FEATURE(
    "mrf/lemma-5-constant-feature",
    "lemma 5",
    "leaks",
    "multinomial.feature_law",
    "multinomial.candidate_cuts",
    about="reading",
    holds_instead="mrf/lemma-5/corrected",
    range="all data sets of up to 3 records, two binary features",
)
def constant_feature(effort, rng):
    r"""The choice of a feature is $B_1$-private for all data. A feature that has one value in a node has no cut
    there and cannot be chosen; one more record can give it a cut."""
    law, space = partial(_choice_with_constants, budget=1.0), data_sets(small.TWO_FEATURES, 3)
    yield small.violation(law, space, 1.0, small.near(small.TWO_FEATURES, small.ADD))
    return "The first pair, {data} and {neighbour}, has an outcome that is possible on one alone."


@FEATURE("mrf/equation-16", "equation 16", "holds", "multinomial.normalised")
def equation_16(effort, rng):
    r"""One record changes a feature's weight $e^{B_1\hat I/2}$ by a factor of at most $e^{B_1/2}$, because the
    normalised score has sensitivity 1."""
    seen = {data: small.two_scores(data) for data in small.splittable(effort.pick(4, 5, 6))}
    for neighbours, data in product(small.RELATIONS, seen):
        for other in small.near(small.TWO_FEATURES, neighbours)(data):
            if other in seen:
                change = max(abs(a - b) for a, b in zip(seen[data], seen[other]))
                yield private(change, 1, data=str(data), neighbour=str(other))
    return note(
        "In {cases} pairs no score changes by more than 1, and between {data} and {neighbour} one changes by 1.",
        quantity="change of a normalised score",
        range="all data sets of up to 3 records, two binary features, both relations",
    )


GRID = (0.2, 0.4, 0.6, 0.8)
VALUES = tuple(product(GRID, (0, 1)))


def observed_law(records, budget):
    """The value choice as published: mapping from cut to probability."""
    [(cuts, gains)] = multinomial.candidate_cuts([[r[0]] for r in records], [r[1] for r in records])
    return dict(zip(cuts.round(6).tolist(), multinomial.selection_law(gains, budget).tolist()))


@VALUE("mrf/lemma-6", "lemma 6, appendix A.5", "leaks", "multinomial.candidate_cuts", "multinomial.selection_law")
def lemma_6(effort, rng):
    r"""The impurity-based multinomial distribution of split value selection is essentially the exponential
    mechanism of differential privacy, and satisfies $B_2$-differential privacy. Its candidates are cuts between
    the values of the node's records."""
    law = partial(observed_law, budget=1.0)
    for neighbours in (small.REPLACE, small.ADD):
        with_a_cut = (data for data in data_sets(VALUES, 3) if len({v for v, _ in data}) > 1)
        yield small.violation(law, with_a_cut, 1.0, small.near(VALUES, neighbours), neighbours=neighbours)
    return note(
        "The {neighbours} neighbours {data} and {neighbour} each have a cut that the other cannot have.",
        range="all data sets of up to 3 records, four values, replace-one and add-remove, B2 = 1",
    )


def _public_law(records, cuts, budget):
    """Law over fixed cuts, from fractions."""
    return small.softmax(small.normalised(records, [(0, cut) for cut in cuts]), budget)


def _range_density(records, budget, points):
    """Density at `points` of the value choice over the range [0, 1], scores over all its intervals."""
    columns = multinomial.range_cuts([[r[0]] for r in records], [0.0], [1.0])
    labels = [r[1] for r in records]
    law = multinomial.normalised_split_law(columns.left, labels, 2, budget / 2, columns.base)
    at = np.searchsorted(columns.low, points, side="right") - 1
    return law[at] / (columns.high - columns.low)[at]


@VALUE.corrected(lemma_6)
def lemma_6_public(effort, rng, epsilon=BUDGETS):
    """Over $m$ fixed public cuts, wherever the records are, the cost of choosing a value is given by lemma 5's
    formula with $m$ in place of $D$, and is at most $B_2$. Over a public range, with intervals weighted by length,
    the choice costs at most $B_2$, and no smaller bound holds for all data."""
    ends = tuple(product((0.0, 0.5, 1.0), (0, 1)))
    for m, budget in product(effort.pick((2, 30), (2, 3, 5, 30), (2, 3, 5, 30, 300)), epsilon):
        cuts = [0.25, *np.linspace(0.6, 0.9, m - 1).tolist()]
        law = partial(_public_law, cuts=cuts, budget=budget)
        worst = worst_privacy_loss(law, _with_records(ends), small.near(ends, small.REPLACE))
        stated = multinomial.selection_loss(m, budget)
        yield same(worst.loss, stated, cuts=m, B2=budget, data=str(worst.data))
    points = np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
    for budget, neighbours in product(epsilon, small.RELATIONS):
        law = partial(_range_density, budget=budget, points=points)
        worst = worst_privacy_loss(law, _with_records(VALUES), small.near(VALUES, neighbours))
        yield private(worst.loss, budget, met=False, B2=budget, neighbours=neighbours)
    for budget in epsilon:
        share = _narrow_gap(1e-9, budget) / budget
        yield decisive(need(0.999 < share <= 1, share, "<=", 1, B2=budget))
    return note(
        "{cases} comparisons: searches over fixed cuts attain the formula; over the range data of up to 3 "
        "records stay within B2, and with a gap of 1e-9 between two values the loss is {exact:.6f} of it.",
        range="2 to 30 fixed cuts, B2 from 0.1 to 10, up to 3 records; the range [0, 1] with gaps down to 1e-9",
    )


def _with_records(universe):
    return (data for data in data_sets(universe, 3) if data)


def _narrow_gap(gap, budget):
    """Loss of three records at 0, `gap` and 1 whose middle one changes its class."""
    pair = [((0.0, 0), (gap, y), (1.0, 1)) for y in (1, 0)]
    laws = [_range_density(data, budget, np.array([gap / 2, 0.5])) for data in pair]
    return compare_laws(*laws).loss


@LAYER(
    "mrf/layer",
    "proof of theorem 2",
    "assumes",
    "multinomial.nodes_changed",
    LOSS,
    quantity="e to the privacy loss of a level",
    **over(WORST, "mrf/lemma-5", "mrf/layer"),
)
def layer(effort, rng):
    r"""The privacy budget consumed for each layer of a tree by the split mechanism is $B_1 + B_2$. This assumes
    add-remove, and candidates that are public: a record that is replaced leaves one node of the layer and enters
    another."""
    yield from _certified(effort, (WORST, "mrf/lemma-5"), broken="leaks")
    for d in (3, 30):
        for loss in _one_record_more(d, 1.0):
            yield same(loss, multinomial.selection_loss(d, 1.0), broken="leaks", features=d, B1=1)
    two = lambda D, S: math.exp(2 * multinomial.selection_loss(D, 2 * math.log(S)))  # noqa: E731
    yield from certified("mrf/layer", effort, left=two)
    return (
        "Under add-remove one node of the layer changes, and its feature costs at most B1. Under replace-one two "
        "nodes of up to 5 records change; if their values need no choice, their costs together exceed B1 wherever "
        "{refuted}."
    )


def _one_record_more(features, budget):
    """Most that one record more raises the log-probability of a feature, and most that it lowers one."""
    laws = {data: np.log(small.feature_law(data, features, budget)) for data in small.splittable(5)}
    steps = [
        laws[more] - laws[data]
        for data in laws
        for more in small.near(small.TWO_FEATURES, small.ADD)(data)
        if len(more) > len(data) and more in laws
    ]
    return float(np.max(steps)), float(-np.min(steps))


def _structure_law(records, depth, node_law):
    """Law over structures of a tree on two binary features, by recursion over its nodes."""
    if depth == 0:
        return {(): 1.0}
    law = {}
    for j, p in enumerate(node_law(records)):
        sides = [_structure_law(tuple(r for r in records if r[j] == v), depth - 1, node_law) for v in (0, 1)]
        for (a, pa), (b, pb) in product(*(side.items() for side in sides)):
            law[j, a, b] = p * pa * pb
    return law


@LAYER.corrected(layer, quantity="privacy loss of a tree's structure")
def layer_exact(effort, rng):
    """Over public candidates the structure of a tree with $d$ levels of splits costs $d(B_1 + B_2)$ under
    add-remove. It costs $(2d-1)(B_1 + B_2)$ under replace-one, where two paths that share the root change."""
    for depth in range(1, effort.pick(6, 8, 10)):
        changed = multinomial.nodes_changed(depth, small.REPLACE)
        yield same(_nodes_of_two_paths(depth), changed, depth=depth)
    for depth, neighbours in product((1, 2, 3), small.RELATIONS):
        law = cache(partial(_structure_law, depth=depth, node_law=_public_feature))
        space = data_sets(small.TWO_FEATURES, effort.pick(3, 4, 5) if depth < 3 else 2)
        worst = worst_privacy_loss(law, space, small.near(small.TWO_FEATURES, neighbours))
        stated = multinomial.nodes_changed(depth, neighbours)
        data = {"depth": depth, "neighbours": neighbours, "data": str(worst.data)}
        yield private(worst.loss, stated, met=False, **data)
    return note(
        "No pair of paths has more than 2d - 1 nodes, and no search finds a larger loss than stated; the nearest "
        "finds {exact:.3f}, where {stated:g} is stated, at depth {depth}.",
        range="all data sets of up to 4 records, two binary features, depths 1 to 3, both relations",
    )


@cache
def _public_feature(records):
    """Feature choice at B1 = 1 where a cut is public: a constant feature has the decrease 0."""
    return small.softmax(small.normalised(records, small.BOTH), 1.0)


def _nodes_of_two_paths(depth):
    """The most nodes on two paths from the root of a full binary tree, by going through all pairs."""
    paths = list(product((0, 1), repeat=depth - 1))
    nodes = [{p[:i] for i in range(depth)} for p in paths]
    return max(len(a | b) for a, b in product(nodes, nodes))
