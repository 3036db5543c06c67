"""Claims of MRF on the best split: its probability, figure 1, and its budget."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from dplit import multinomial
from dplit.court.claims.multinomial import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, need, note, same

LIKELIEST = Box("thm-multinomial-likeliest", "multinomial.joint_law")
BUDGET = Box("thm-multinomial-budget", "multinomial.selection_law")
HALF, TEN = Fraction(1, 2), Fraction(10)
PAIR = {"quantity": "difference of the probabilities of a better and of a worse cut"}


def _tops(node, feature_budget, value_budget):
    """(probability of the best cut, of the likeliest), in decimals; of several best ones, the likelier."""
    chances = small.joint(node, feature_budget, value_budget)
    best = max(max(cuts) for cuts in node)
    flat = [(v, p) for cuts, ps in zip(node, chances) for v, p in zip(cuts, ps)]
    return max(p for v, p in flat if v == best), max(p for _, p in flat)


def _in_a_row(n):
    """n records in a row, the second half of label 1; beside their rank a coarse feature and parity."""
    i = np.arange(n)
    features, y = (i, i > n // 2, i % 2), tuple((i >= n // 2).astype(int).tolist())
    return [small.decreases(tuple(column.astype(int).tolist()), y) for column in features]


@LIKELIEST("mrf/best-most-likely", "Sections 1 and 6; appendix D", "fails")
def best_most_likely(effort, rng):
    r"""The best split point has the highest probability of being chosen."""
    for n in (2, 3):
        for y, chosen, node in small.nodes(n, 2):
            yield small.at_least(*_tops(node, HALF, HALF), **small.shown(y, chosen))
    long = {n: _tops(_in_a_row(n), TEN, TEN) for n in (100, 200)}
    said = " and ".join(f"{best:.3f} against {top:.3f} with {n} records" for n, (best, top) in long.items())
    return note(
        "With labels {y}, features {columns} and B1 = B2 = 1/2 the best cut has probability {exact:.3f} and "
        f"another cut {{stated:.3f}}. At B1 = B2 = 10 these are {said}.",
        quantity="probability of the best cut, against that of the likeliest",
        range="all data of 2 and 3 records and 2 features at B1 = B2 = 1/2, and rows of 100 and 200 at 10",
    )


@LIKELIEST.corrected(
    best_most_likely, "multinomial.best_is_likeliest", "multinomial.counting_cuts", quantity="best is likeliest"
)
def best_most_likely_exactly(effort, rng):
    r"""The best split point is the likeliest if and only if $e^{B_1(1 - \hat I_j)/2} \ge S_*/S_j$ for every
    feature $j$, where $S_j = \sum_i e^{-B_2(1 - \hat I_{ij})/2}$ and $S_*$ is this sum for the best feature."""
    broken, most = 0, effort.pick(3, 3, 4)
    for n, features in [(n, 2) for n in range(2, most + 1)] + [(3, 3)]:
        for y, chosen, node in small.nodes(n, features):
            for b1, b2 in product((HALF, TEN), repeat=2):
                best, top = _tops(node, b1, b2)
                is_top = abs(best - top) < 1e-12
                said = multinomial.best_is_likeliest(small.floats(node), float(b1), float(b2))
                broken += not is_top
                yield same(is_top, said, **small.shown(y, chosen), B1=float(b1), B2=float(b2))
    return note(
        f"{{cases}} nodes and budgets, in {broken} of which the best cut is not the likeliest",
        range=f"all data of up to {most} records and 2 features, of 3 and 3, budgets 1/2 and 10",
    )


@LIKELIEST(
    "mrf/ours/golden-ratio",
    "ours; section 1",
    "holds",
    "multinomial.best_is_likeliest",
    quantity="lead of the best cut",
    **over("mrf/ours/golden-ratio"),
)
def golden_ratio(effort, rng):
    """Let the better of two features have two cuts with different decreases and the other a single cut, and let
    $B_1 = B_2 = B$. The best cut is the likeliest if and only if $e^{B/2}$ is at least the golden ratio."""
    yield from certified("mrf/ours/golden-ratio", effort)
    golden, node = multinomial.GOLDEN_BUDGET, [[0.2, 0.1], [0.15]]
    yield same(math.exp(golden), math.exp(golden / 2) + 1, B=golden)
    for budget in (golden - 1e-6, golden + 1e-6):
        law = multinomial.joint_law(node, budget, budget)
        lead = (math.exp(budget) - math.exp(budget / 2) - 1) / (math.exp(budget / 2) + 1) ** 2
        yield same(law[0][0] - law[1][0], lead, 1e-6, 1e-12, B=budget)
        yield same(multinomial.best_is_likeliest(node, budget, budget), budget > golden, B=budget)
    return "With S = e^(B/2) the best cut leads by {statement}, which is positive beyond the golden ratio."


@LIKELIEST("mrf/figure-1", "Figure 1, caption; appendix D", "fails", range="3 records, 2 features", **PAIR)
def figure_1(effort, rng):
    r"""The selection probability of a split point is positively related to its impurity decrease."""
    cases = [
        small.at_least(p - q, 0, **small.shown(y, chosen), B=float(b), gap=float(q - p))
        for y, chosen, node in small.nodes(3, 2)
        for b in (HALF, TEN)
        for p, q in _pairs(node, b, lambda j, k: j != k)
    ]
    yield from sorted(cases, key=lambda case: case.exact)
    return "B1 = B2 = {B:g}, labels {y}, features {columns}: the better cut is less likely by {gap:.3f}"


@LIKELIEST.corrected(figure_1, "multinomial.selection_law", **PAIR)
def figure_1_within(effort, rng):
    """Among the cuts of one feature, the selection probability of a split point is positively related to its
    impurity decrease. Among features, the probability is positively related to the best decrease."""
    cases = []
    for n in range(2, effort.pick(3, 3, 4) + 1):
        for y, chosen, node in small.nodes(n, 2):
            for b in (HALF, TEN):
                pairs = list(_pairs(node, b, lambda j, k: j == k))
                (one, other), (p, q) = map(max, node), small.features_law(node, b)
                pairs += [(p, q)] * (one > other) + [(q, p)] * (one < other)
                data = {**small.shown(y, chosen), "B": float(b)}
                cases += [need(p > q, p - q, ">", 0, **data) for p, q in pairs]
    yield from cases
    yield decisive(min(cases, key=lambda case: case.exact))
    return note(
        f"{len(cases)} pairs: the better one is always the likelier, by {{exact:.3f}} at least",
        range=f"all pairs in data of 2 to {effort.pick(3, 3, 4)} records and 2 features, B1 = B2 = 1/2 and 10",
    )


def _pairs(node, budget, among):
    """Probabilities (better cut, worse cut) of every two cuts of different decrease."""
    chances = small.joint(node, budget, budget)
    flat = [(v, p, j) for j in range(len(node)) for v, p in zip(node[j], chances[j])]
    for (v, p, j), (w, q, k) in combinations(flat, 2):
        if v != w and among(j, k):
            yield (p, q) if v > w else (q, p)


@BUDGET("mrf/monotone-in-budget", "Appendix C", **over("mrf/monotone-in-budget"))
def monotone(effort, rng):
    """With a larger $B_1$, the feature with the largest impurity decrease has a higher probability of being
    selected; with a larger $B_2$, the best split value has a higher probability of being selected."""
    yield from certified("mrf/monotone-in-budget", effort)
    for n in range(3, effort.pick(6, 7, 8)):
        for y in small.labellings(n):
            values = small.decreases(tuple(range(n)), y)
            for budget in (Fraction(1, 4), Fraction(9)):
                ours = multinomial.selection_law(list(map(float, values)), float(budget))
                yield same(max(ours), max(small.law(values, budget)), y=list(y), B=float(budget))
    return note(
        "A larger budget never lowers the probability of the best candidate: {statement} wherever {where}. "
        "In {cases} comparisons this and the distributions of the package are as stated.",
        quantity="probability of the best, at a budget and a larger one",
    )
