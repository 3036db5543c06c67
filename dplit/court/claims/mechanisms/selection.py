"""Selection: privacy, law and errors (DiPriMe, section 2; RDF, definition 4, and its addendum)."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from dplit.court.claims.mechanisms._laws import FAR, RDF, V1, V2, loss
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, need, private, same
from dplit.mechanisms import Exponential, PermuteAndFlip

LOSS, ERROR = "privacy loss", "probability of an error"
EXPONENTIAL = Box("thm-exponential", "mechanisms.Exponential", quantity=LOSS)
FLIP_PRIVATE = Box("thm-permute-and-flip-private", "mechanisms.PermuteAndFlip", quantity=LOSS)
FLIP_LAW = Box("thm-permute-and-flip-law", "mechanisms.PermuteAndFlip")
DOMINANCE = Box(
    "thm-dominance",
    "mechanisms.PermuteAndFlip",
    "mechanisms.Exponential",
    range="gaps of three; 50 vectors of six",
)
SCORED = (0.02, 0.5, 0.86, 5.0)  # budgets at which vectors of scores are drawn
COUNTED = (0.1, 0.5, 1.0)  # and at which one count is far from the other


def _whole_scores(k, most):
    """Scores of k candidates, whole numbers below `most`; and some with candidates that lie far behind."""
    far = [(0, *[-FAR] * (k - 1)), (0, -FAR, *[-2 * FAR] * (k - 2))]
    return [*product(range(most), repeat=k), *far]


def _moved_scores(effort, mechanism, moves):
    """Losses of a mechanism at epsilon 1 as each score moves by one of `moves`, one case a score vector."""
    for k in range(2, effort.pick(4, 5, 5)):
        change = np.array(list(product(moves, repeat=k)))
        for scores in _whole_scores(k, effort.pick(4, 4, 6)):
            log_law, log_others = mechanism.logpmf(scores), mechanism.logpmf(scores + change)
            losses = np.abs(log_law - log_others).max(axis=-1)
            other = np.add(scores, change[losses.argmax()]).tolist()
            yield private(losses.max(), 1.0, scores=list(scores), neighbour=other)


NEIGHBOURS = "2 and 3 candidates, scores 0 to 3 and far behind, every neighbour"
NOTE = "{cases} score vectors and all their neighbours: {scores} and {neighbour} cost {exact:.6g}"


@EXPONENTIAL(
    "exponential-mechanism", {V1: "Equation (4)", V2: "Equation (3)", RDF: "definition 4"}, range=NEIGHBOURS
)
def exponential(effort, rng, paper):
    r"""To report $r$ with probability proportional to $e^{\epsilon q(r)/(2\Delta(q))}$ is $\epsilon$-private."""
    yield from _moved_scores(effort, Exponential(1.0), (-1, 0, 1))
    return NOTE


@EXPONENTIAL(
    "rdf/exponential-monotonic",
    "addendum, table 5, third row, read as the exponential mechanism",
    ours=True,
    range=NEIGHBOURS,
)
def exponential_monotonic(effort, rng):
    r"""For scores that a record moves all in one direction, as counts under add-remove,
    probabilities proportional to $e^{\epsilon u/\Delta(u)}$ are $\epsilon$-private."""
    yield from _moved_scores(effort, Exponential(1.0, monotonic=True), (0, 1))
    return NOTE


@FLIP_PRIVATE(
    "permute-and-flip-private",
    {V2: "Section 2", RDF: "addendum, section 2, nonmonotonic utility"},
    range=NEIGHBOURS,
)
def permute_and_flip(effort, rng, paper):
    r"""Permute-and-flip, which accepts $r$ with probability $e^{\epsilon(q(r) -
    q_*)/(2\Delta(q))}$, is $\epsilon$-private (read as noisy arg-max with exponential noise of
    rate $\epsilon/(2\Delta(q))$, which is the same law)."""
    yield from _moved_scores(effort, PermuteAndFlip(1.0), (-1, 0, 1))
    return NOTE


@EXPONENTIAL(
    "base-measure",
    {V1: "Equation (4)", V2: "Equation (3)"},
    range="three candidates, scores 0 to 3 and far behind, every neighbour, three base measures",
)
def base_measure(effort, rng, paper):
    r"""With any base measure, selecting $r$ with probability proportional to $e^{\epsilon
    q(r)/(2\Delta(q))} \times \mu(r)$ ensures $\epsilon$-differential privacy: a $\mu$ that does not depend
    on the data costs nothing."""
    change = np.array(list(product((-1, 0, 1), repeat=3)))
    for mu in ((1.0, 1.0, 1.0), (1.0, 10.0, 0.1), (1e-3, 1.0, 5.0)):
        for scores in _whole_scores(3, effort.pick(4, 5, 6)):
            weights = (Exponential(1.0).logpmf(s) + np.log(mu) for s in (scores, np.add(scores, change)))
            laws = (w - np.logaddexp.reduce(w, axis=-1, keepdims=True) for w in weights)
            yield private(loss(*laws), 1.0, scores=list(scores), measure=list(mu))
    return "{cases} score vectors, all their neighbours: {scores} costs {exact:.6g}"


def _flip_law(odds):
    """Permute-and-flip in fractions: r is accepted after exactly the candidates of a set have failed."""
    k, law = len(odds), []
    for r, own in enumerate(odds):
        others = [1 - q for i, q in enumerate(odds) if i != r]
        before = (
            Fraction(math.prod(failed), k * math.comb(k - 1, size))
            for size in range(k)
            for failed in combinations(others, size)
        )
        law.append(own * sum(before))
    return law


@FLIP_LAW(
    "diprime-v2/permute-and-flip-law",
    "ours; section 2",
    quantity="probability of a candidate",
    range="35 random odds of 1 to 7 candidates, in fractions",
)
def flip_law(effort, rng):
    r"""With the odds $q_r$ of acceptance it reports $r$ with probability $q_r\int_0^1\prod_{i\ne
    r}(1-q_it)\,dt$, and Gauss-Legendre quadrature with half as many nodes as candidates is exact."""
    for k in np.repeat(range(1, effort.pick(8, 10, 12)), 5):
        odds = [Fraction(1), *(Fraction(int(p), 1000) for p in rng.integers(1, 1001, k - 1))]
        walk, integral = _flip_law(odds), PermuteAndFlip.rational_law(odds)
        quadrature = PermuteAndFlip(1.0, monotonic=True).pmf([math.log(q) for q in odds])
        data = {"odds": [str(q) for q in odds], "k": len(odds)}
        for walked, p, found in zip(walk, integral, quadrature):
            yield need(walked == p, walked, "=", p, **data)
            yield same(found, p, 1e-12, **data)
    return (
        "{cases} comparisons of laws of up to {k} candidates: a walk through all orders in fractions, and "
        "quadrature, have the probabilities of the integral"
    )


def _score_vectors(effort, rng, budgets):
    """(epsilon, scores): all small gaps, random vectors, and one candidate far behind."""
    for epsilon in budgets:
        for scores in product((0.0,), range(4), range(4)):
            if any(scores):
                yield epsilon, -np.array(scores)
        for _ in range(effort.pick(50, 500, 5000)):
            yield epsilon, rng.exponential(5, size=6).round(1)
        yield epsilon, np.array([0.0, -FAR / epsilon])


@DOMINANCE("diprime-v2/pfm-two-fold", "Section 2", quantity="ratio of expected errors")
def two_fold(effort, rng, epsilon=SCORED):
    """Permute-and-flip offers up to a two-fold improvement in the expected score (read as the
    distance from the best score): the exponential mechanism's is at most twice as large."""
    for budget, scores in _score_vectors(effort, rng, epsilon):
        gaps = scores.max() - scores
        flip, em = (kind(budget).pmf(scores) @ gaps for kind in (PermuteAndFlip, Exponential))
        yield at_most(em / flip, 2.0, epsilon=budget, scores=scores.tolist())
    return "{cases} score vectors: {exact:.6g} times at epsilon {epsilon}, scores {scores}"


@DOMINANCE("diprime-v2/pfm-dominates", "ours; section 4.1, on the two mechanisms", quantity="ratio of tails, odds")
def dominates(effort, rng, epsilon=SCORED):
    r"""At the same $\epsilon$ permute-and-flip reports a score of at least $x$ with no smaller
    probability than the exponential mechanism, for every $x$. The odds of its error are between
    half and once those of the exponential mechanism."""
    for budget, scores in _score_vectors(effort, rng, epsilon):
        flip, em = (kind(budget).pmf(scores) for kind in (PermuteAndFlip, Exponential))
        data = {"epsilon": budget, "scores": scores.tolist()}
        for x in np.unique(scores)[:-1]:
            low = scores <= x
            yield at_most(flip[low].sum() / em[low].sum(), 1.0, up_to=x, **data)
        best = scores == scores.max()
        odds, other = (law[~best].sum() / law[best].sum() for law in (em, flip))
        yield at_most(odds / other, 2.0, up_to="below the best", **data)
    return "{cases} ratios, the nearest to its bound {exact:.6g} at epsilon {epsilon}, {scores}"


@EXPONENTIAL("rdf/best-of-two", "addendum, section 2, example 3.6", "loose", quantity=ERROR, range="counts to 10")
def best_of_two(effort, rng, epsilon=COUNTED):
    r"""Of exactly two, with counts 0 and $f_c > 0$ and $\Delta u = 1$, the exponential mechanism reports
    the wrong one with probability at most $2e^{-f_c\epsilon/2}$."""
    for wrong, x, data in _wrong(effort, epsilon):
        yield at_most(wrong, 2 * math.exp(-x / 2), **data)
    return "{cases} cases: nearest at a count of {count}, epsilon {epsilon}"


@EXPONENTIAL.corrected(best_of_two, proved=False, quantity=ERROR, range="counts to 10")
def best_of_two_exact(effort, rng, epsilon=COUNTED):
    r"""The probability is exactly $1/(1 + e^{f_c\epsilon/2})$, less than half of the bound."""
    for wrong, x, data in _wrong(effort, epsilon):
        yield same(wrong, 1 / (1 + math.exp(x / 2)), **data)
    return "{cases} cases: at a count of {count}, epsilon {epsilon}, it is {exact:.6g}"


def _wrong(effort, budgets):
    """Chance of the wrong one of two counts, f_c epsilon, and the data of the case."""
    for epsilon, count in product(budgets, range(1, effort.pick(11, 51, 201))):
        chance = Exponential(epsilon).pmf([0, count])[0]
        yield chance, count * epsilon, {"count": count, "epsilon": epsilon}
