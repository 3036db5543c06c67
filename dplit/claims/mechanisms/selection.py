"""Selection: privacy, law and errors (DiPriMe, section 2; RDF, definition 4, and its addendum)."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from dplit.claims.mechanisms._laws import FAR, RDF, V1, V2, loss
from dplit.ledger import Case, bounded, claim, equal, private, verdict_of
from dplit.mechanisms import Exponential, PermuteAndFlip

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
            yield Case(float(losses.max()), 1.0, {"scores": list(scores), "neighbour": other})


NOTE = "{cases} score vectors and all their neighbours: {scores} and {neighbour} cost {exact:.6g}"


@claim(
    "exponential-mechanism",
    {V1: "Equation (4)", V2: "Equation (3)", RDF: "definition 4"},
    "holds",
    "thm-exponential",
    ("mechanisms.Exponential",),
    proof="thm-exponential",
    range="2 and 3 candidates, scores 0 to 3 and far behind, every neighbour",
)
def exponential(effort, rng, paper):
    r"""To report $r$ with probability proportional to $e^{\epsilon q(r)/(2\Delta(q))}$ is
    $\epsilon$-private."""
    return private(_moved_scores(effort, Exponential(1.0), (-1, 0, 1)), NOTE)


@claim(
    "rdf/exponential-monotonic",
    "addendum, table 5, third row, read as the exponential mechanism",
    "holds",
    "thm-exponential",
    ("mechanisms.Exponential",),
    ours=True,
    proof="thm-exponential",
    range="2 and 3 candidates, scores 0 to 3 and far behind, every neighbour",
)
def exponential_monotonic(effort, rng):
    r"""For scores that a record moves all in one direction, as counts under add-remove,
    probabilities proportional to $e^{\epsilon u/\Delta(u)}$ are $\epsilon$-private."""
    return private(_moved_scores(effort, Exponential(1.0, monotonic=True), (0, 1)), NOTE)


@claim(
    "permute-and-flip-private",
    {V2: "Section 2", RDF: "addendum, section 2, nonmonotonic utility"},
    "holds",
    "thm-permute-and-flip-private",
    ("mechanisms.PermuteAndFlip",),
    proof="thm-permute-and-flip-private",
    range="2 and 3 candidates, scores 0 to 3 and far behind, every neighbour",
)
def permute_and_flip(effort, rng, paper):
    r"""Permute-and-flip, which accepts $r$ with probability $e^{\epsilon(q(r) -
    q_*)/(2\Delta(q))}$, is $\epsilon$-private (read as noisy arg-max with exponential noise of
    rate $\epsilon/(2\Delta(q))$, which is the same law)."""
    return private(_moved_scores(effort, PermuteAndFlip(1.0), (-1, 0, 1)), NOTE)


@claim(
    "base-measure",
    {V1: "Equation (4)", V2: "Equation (3)"},
    "holds",
    "thm-exponential",
    ("mechanisms.Exponential",),
    proof="thm-exponential",
    range="three candidates, scores 0 to 3 and far behind, every neighbour, three base measures",
)
def base_measure(effort, rng, paper):
    r"""With any base measure, selecting $r$ with probability proportional to $e^{\epsilon
    q(r)/(2\Delta(q))} \times \mu(r)$ ensures $\epsilon$-differential privacy: a $\mu$ that does not depend
    on the data costs nothing."""
    change, cases = np.array(list(product((-1, 0, 1), repeat=3))), []
    for mu in ((1.0, 1.0, 1.0), (1.0, 10.0, 0.1), (1e-3, 1.0, 5.0)):
        for scores in _whole_scores(3, effort.pick(4, 5, 6)):
            weights = (
                Exponential(1.0).logpmf(s) + np.log(mu) for s in (scores, np.add(scores, change))
            )
            laws = [w - np.logaddexp.reduce(w, axis=-1, keepdims=True) for w in weights]
            data = {"scores": list(scores), "measure": list(mu)}
            cases.append(Case(loss(*laws), 1.0, data))
    return private(cases, "{cases} score vectors, all their neighbours: {scores} costs {exact:.6g}")


# Selection: law and errors -------------------------------------------------------------------


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


def _odds(effort, rng):
    """Random odds in fractions, the best candidate first, for up to 10 candidates."""
    for k in range(1, effort.pick(8, 10, 12)):
        for _ in range(5):
            yield [Fraction(1), *(Fraction(int(p), 1000) for p in rng.integers(1, 1001, k - 1))]


@claim(
    "diprime-v2/permute-and-flip-law",
    "ours; section 2",
    "holds",
    "thm-permute-and-flip-law",
    ("mechanisms.PermuteAndFlip",),
    ours=True,
    proof="thm-permute-and-flip-law",
    range="35 random odds of 1 to 7 candidates, in fractions",
)
def flip_law(effort, rng):
    r"""With the odds $q_r$ of acceptance it reports $r$ with probability $q_r\int_0^1\prod_{i\ne
    r}(1-q_it)\,dt$, and Gauss-Legendre quadrature with half as many nodes as candidates is exact."""
    cases = []
    for odds in _odds(effort, rng):
        walk, integral = _flip_law(odds), PermuteAndFlip.rational_law(odds)
        if walk != integral:
            case = {"odds": [str(q) for q in odds], "walk": [str(p) for p in walk]}
            return verdict_of(False, "the walk through all orders has another law", case)
        quadrature = PermuteAndFlip(1.0, monotonic=True).pmf([math.log(q) for q in odds])
        cases += [Case(float(p), float(e), {"k": len(odds)}) for p, e in zip(quadrature, integral)]
    note = "{cases} probabilities of up to {k} candidates, in fractions"
    return equal(cases, note, rtol=1e-12, quantity="probability of a candidate")


def _score_vectors(effort, rng, budgets):
    """(epsilon, scores): all small gaps, random vectors, and one candidate far behind."""
    for epsilon in budgets:
        for scores in product((0.0,), range(4), range(4)):
            if any(scores):
                yield epsilon, -np.array(scores)
        for _ in range(effort.pick(50, 500, 5000)):
            yield epsilon, rng.exponential(5, size=6).round(1)
        yield epsilon, np.array([0.0, -FAR / epsilon])


@claim(
    "diprime-v2/pfm-two-fold",
    "Section 2",
    "holds",
    "thm-dominance",
    ("mechanisms.PermuteAndFlip", "mechanisms.Exponential"),
    proof="thm-dominance",
    range="four budgets, all small gaps of three candidates, 50 random vectors of six",
)
def two_fold(effort, rng, epsilon=SCORED):
    """Permute-and-flip offers up to a two-fold improvement in the expected score (read as the
    distance from the best score): the exponential mechanism's is at most twice as large."""
    cases = []
    for budget, scores in _score_vectors(effort, rng, epsilon):
        gaps = scores.max() - scores
        flip, em = (kind(budget).pmf(scores) @ gaps for kind in (PermuteAndFlip, Exponential))
        cases.append(Case(float(em / flip), 2.0, {"epsilon": budget, "scores": scores.tolist()}))
    note = "{cases} score vectors: {exact:.6g} times at epsilon {epsilon}, scores {scores}"
    return bounded(cases, note, quantity="ratio of expected errors")


@claim(
    "diprime-v2/pfm-dominates",
    "ours; section 4.1, on the two mechanisms",
    "holds",
    "thm-dominance",
    ("mechanisms.PermuteAndFlip", "mechanisms.Exponential"),
    proof="thm-dominance",
    ours=True,
    range="four budgets, all small gaps of three candidates, 50 random vectors of six",
)
def dominates(effort, rng, epsilon=SCORED):
    r"""At the same $\epsilon$ permute-and-flip reports a score of at least $x$ with no smaller
    probability than the exponential mechanism, for every $x$. The odds of its error are between
    half and once those of the exponential mechanism."""
    cases = []
    for budget, scores in _score_vectors(effort, rng, epsilon):
        flip, em = (kind(budget).pmf(scores) for kind in (PermuteAndFlip, Exponential))
        data = {"epsilon": budget, "scores": scores.tolist()}
        for x in np.unique(scores)[:-1]:
            low = scores <= x
            cases.append(Case(float(flip[low].sum() / em[low].sum()), 1.0, data | {"up to": x}))
        best = scores == scores.max()
        odds = [law[~best].sum() / law[best].sum() for law in (em, flip)]
        cases.append(Case(float(odds[0] / odds[1]), 2.0, data | {"up to": "below the best"}))
    note = "{cases} ratios, the nearest to its bound {exact:.6g} at epsilon {epsilon}, {scores}"
    return bounded(cases, note, quantity="ratio of tails, or of odds")


@claim(
    "rdf/best-of-two",
    "addendum, section 2, example 3.6",
    "loose",
    "thm-exponential",
    ("mechanisms.Exponential",),
    range="counts of 1 to 10 at three budgets",
)
def best_of_two(effort, rng, epsilon=COUNTED):
    r"""Of exactly two, with counts 0 and $f_c > 0$ and $\Delta u = 1$, the exponential mechanism reports
    the wrong one with probability at most $2e^{-f_c\epsilon/2}$."""
    note = "{cases} cases: nearest at a count of {count}, epsilon {epsilon}"
    cases = _wrong(effort, epsilon, lambda x: 2 * math.exp(-x / 2))
    return bounded(cases, note, quantity="probability of an error")


@best_of_two.corrected(
    functions=("mechanisms.Exponential",), range="counts of 1 to 10 at three budgets"
)
def best_of_two_exact(effort, rng, epsilon=COUNTED):
    r"""The probability is exactly $1/(1 + e^{f_c\epsilon/2})$, less than half of the bound."""
    cases = _wrong(effort, epsilon, lambda x: 1 / (1 + math.exp(x / 2)))
    note = "{cases} cases: at a count of {count}, epsilon {epsilon}, it is {exact:.6g}"
    return equal(cases, note, quantity="probability of an error")


def _wrong(effort, budgets, stated):
    """Chance of the wrong one of two counts, beside ``stated(f_c epsilon)``."""
    for epsilon in budgets:
        for count in range(1, effort.pick(11, 51, 201)):
            law = Exponential(epsilon).pmf([0, count])
            yield Case(float(law[0]), stated(count * epsilon), {"count": count, "epsilon": epsilon})
