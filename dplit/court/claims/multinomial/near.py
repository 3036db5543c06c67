"""Claims of MRF on cuts that are nearly as good as the best one, and on the scale of the decreases."""

import math
from fractions import Fraction

import numpy as np

from dplit import multinomial
from dplit.court.claims.multinomial import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import note, same

NEAR_BOX = Box("thm-multinomial-near", "multinomial.joint_law")
PAPERS = Fraction(10)  # B1 and B2 of the experiments
NEAR = Fraction(99, 100)  # of the best decrease: what we call nearly as good
WEAK = (3, 1)  # a record of label c becomes three of label c and one of the other


def _one_feature(n):
    """Labels in two halves, and the record's rank."""
    return (0,) * (n // 2) + (1,) * (n - n // 2), [tuple(range(n))]


def _beside_the_best(y, chosen, budget):
    """(decrease, score of the feature, score of the cut, probability) of every cut; the best comes first."""
    node = [small.decreases(column, y) for column in chosen]
    chances = small.joint(node, budget, budget)
    flat = [(v, p, j, i) for j, ps in enumerate(chances) for i, (v, p) in enumerate(zip(node[j], ps))]
    return node, sorted(flat, key=lambda cut: (cut[0], cut[1]), reverse=True)


@NEAR_BOX("mrf/nearly-as-good", "Sections 1 and 6; appendix D", "fails", about="reading")
def nearly_as_good(effort, rng):
    """The best split point has the highest probability, but candidate split points that are nearly as good also
    have a good chance of being selected. (We read: a cut with at least .99 of the best decrease has at least half
    of the best cut's probability.)"""
    for name, (y, chosen) in (("two features", small.two_features(1024)), ("a row", _one_feature(200))):
        _, ((most, top, *_), *others) = _beside_the_best(y, chosen, PAPERS)
        for value, chance, *_ in others:
            if value >= NEAR * most:
                data = {"what": name, "n": len(y), "share": float(value / most)}
                yield small.at_least(chance, top / 2, **data, best=float(top))
    return note(
        "For {what} and {n} records a cut with {share:.4f} of the best decrease has probability {exact:.4f}, "
        "and the best cut has {best:.4f}.",
        quantity="probability of a cut with .99 of the best decrease or more, against half the best's",
        range="1024 records and two binary features, 200 records in a row; B1 = B2 = 10",
    )


@NEAR_BOX.corrected(nearly_as_good, "multinomial.joint_law", "multinomial.counting_cuts", "multinomial.normalised")
def nearly_as_good_exactly(effort, rng):
    r"""A cut has $e^{-[B_1(1-\hat I_j) + B_2(1-\hat I_{ij})]/2}\,S_*/S_j$ times the best cut's probability. In the
    best feature this factor is at least one half if and only if $1-\hat I \le 2\ln2/B_2$, which is .139 at $B_2 =
    10$, on the scale of that feature's decreases. If two features have one cut each, the factor of the worse cut
    is $e^{-B_1/2}$, .0067 at $B_1 = 10$, however close their decreases are."""
    data = [(y, chosen) for n in range(2, effort.pick(3, 3, 4) + 1) for y, chosen, _ in small.nodes(n, 2)]
    for y, chosen in [*data, _one_feature(60)]:
        for budget in (Fraction(1, 2), PAPERS):
            yield from _ratios(y, chosen, budget)
    _, ((_, top, *_), (_, second, *_)) = _beside_the_best(*small.two_features(1024), PAPERS)
    yield same(second / top, math.exp(-float(PAPERS) / 2), n=1024)
    return note(
        "In {cases} comparisons the ratios are as stated; the last, of two features with 1024 records, is e^-5.",
        quantity="probability of a cut over that of the best one",
        range="all data of 2 and 3 records and 2 features, and 60 in a row; budgets 1/2 and 10",
    )


def _ratios(y, chosen, budget):
    """Every cut beside the best: ratios, and in the best feature whether a ratio is one half or more."""
    node, ((_, top, best, _), *others) = _beside_the_best(y, chosen, budget)
    cuts_of, b = small.floats(node), float(budget)
    of_features = _gaps([max(cuts) for cuts in cuts_of])
    sums = [float(multinomial.counting_cuts(cuts, b)) for cuts in cuts_of]
    data = {**small.shown(y, chosen), "B": b}
    for _, chance, j, i in others:
        gap = float(_gaps(cuts_of[j])[i])
        stated = math.exp(-b * (float(of_features[j]) + gap) / 2) * sums[best] / sums[j]
        yield same(chance / top, stated, **data)
        if j == best:
            yield same(2 * chance >= top, gap <= 2 * math.log(2) / b, **data)


def _gaps(values):
    """How far the scores are below the largest one; 0 where all are alike."""
    scores = multinomial.normalised(values)
    return scores.max() - scores


def _weakened(y, chosen):
    """The same node with every record four times, once with the other label: all decreases a quarter."""
    times = sum(WEAK)
    labels = [label if i < WEAK[0] else 1 - label for label in y for i in range(times)]
    return [tuple(v for v in column for _ in range(times)) for column in chosen], tuple(labels)


@NEAR_BOX(
    "mrf/ours/scale-free", "ours; section 5.3", "holds", "multinomial.joint_law", "multinomial.selection_bounds"
)
def scale_free(effort, rng):
    r"""The distribution of the choice stays the same if all decreases of a node are multiplied by the same
    positive number. It does depend on the number of decreases: the best of $m$ cuts, if all others have equal
    decreases, has probability $e^{B_2/2}/(e^{B_2/2} + m - 1)$."""
    factor = Fraction((WEAK[0] - WEAK[1]) ** 2, sum(WEAK) ** 2)
    for n in range(2, effort.pick(3, 3, 4) + 1):
        for y, chosen, node in small.nodes(n, 2):
            weak, labels = _weakened(y, chosen)
            smaller = [tuple(v * factor for v in cuts) for cuts in node]
            if [small.decreases(column, labels) for column in weak] != smaller:
                raise ArithmeticError("the decreases are not a quarter of what they were")
            found = multinomial.decreases_of(np.transpose(weak), labels)
            for b in (Fraction(1, 2), PAPERS):
                ours = multinomial.joint_law(found, float(b), float(b))
                for ps, qs in zip(small.joint(node, b, b), ours):
                    yield from (same(p, q, **small.shown(y, chosen), B=float(b)) for p, q in zip(ps, qs))
    for m in (2, 3, 10, 40):
        values = [[0], [1], *[[0, 1]] * (m - 1)]  # labels of each value: the first cut alone helps
        column = tuple(i for i, labels in enumerate(values) for _ in labels)
        cuts = small.decreases(column, tuple(c for labels in values for c in labels))
        yield same(max(small.law(cuts, PAPERS)), multinomial.selection_bounds(m, float(PAPERS)).upper, m=m)
    return note(
        "{cases} probabilities are as stated; the last of them is {exact:.4f}, where {stated:.4f} is stated.",
        range=f"all data of up to {effort.pick(3, 3, 4)} records and 2 features; 2 to 40 cuts",
        quantity="probability of a cut",
    )
