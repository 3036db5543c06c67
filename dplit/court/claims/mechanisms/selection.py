"""Selection: privacy, law and errors (DiPriMe, section 2; RDF, definition 4, and its addendum)."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from dplit.court.claims.mechanisms._laws import FAR, RDF, V1, V2, loss
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import need, note, private, same
from dplit.mechanisms import Exponential, PermuteAndFlip, whole_weights
from dplit.mechanisms.exact_gaussian import exact_factors

LOSS, ERROR = "privacy loss", "probability of an error"
EXPONENTIAL = Box("thm-exponential", "mechanisms.Exponential", quantity=LOSS)
FLIP_PRIVATE = Box("thm-permute-and-flip-private", "mechanisms.PermuteAndFlip", quantity=LOSS)
FLIP_LAW = Box("thm-permute-and-flip-law", "mechanisms.PermuteAndFlip")
DOMINANCE = Box("thm-dominance", "mechanisms.PermuteAndFlip", "mechanisms.Exponential")
TAILS = ("all-but-one", "last-two", "last")


def _whole_scores(k, most):
    """Scores of k candidates, whole numbers below `most`; and some with candidates that lie far behind."""
    far = [(0, *[-FAR] * (k - 1)), (0, -FAR, *[-2 * FAR] * (k - 2))]
    return [*product(range(most), repeat=k), *far]


def _moved_scores(most, mechanism, moves):
    """Losses of a mechanism at epsilon 1 as each score moves by one of `moves`, one case a score vector."""
    for k in range(2, most + 1):
        change = np.array(list(product(moves, repeat=k)))
        for scores in _whole_scores(k, 4):
            log_law, log_others = mechanism.logpmf(scores), mechanism.logpmf(scores + change)
            losses = np.abs(log_law - log_others).max(axis=-1)
            other = np.add(scores, change[losses.argmax()]).tolist()
            yield private(losses.max(), 1.0, scores=list(scores), neighbour=other)


UP, DOWN = "exponential-mechanism:up", "exponential-mechanism:down"
FLIPS = tuple(f"permute-and-flip-private:{part}" for part in ("best", "others", "best-of-others"))
WEIGHTS = "coin", "coin-stopped", "weight", "price"
NORMAL = tuple(f"gaussian{part}" for part in ("", "-cost", "-deviation", "-ends"))
EXACT = tuple(f"rdf/exact-laws:{part}" for part in (*WEIGHTS, *NORMAL))
MONOTONIC = "rdf/exponential-monotonic:up", "rdf/exponential-monotonic:down"
WORDS = "A record multiplies a candidate's weight w by f and the others' total T by g, with s the largest factor"
LAWS = WORDS + " up or down: for every number of candidates {statement}."


@EXPONENTIAL(
    "exponential-mechanism", {V1: "Equation (4)", V2: "Equation (3)", RDF: "definition 4"}, **over(UP, DOWN)
)
def exponential(effort, rng, paper):
    r"""Reporting $r$ with probability proportional to $e^{\epsilon q(r)/(2\Delta(q))}$ is $\epsilon$-private."""
    yield from _both(effort)
    yield from _moved_scores(2, Exponential(1.0), (-1, 0, 1))
    return LAWS


def _both(effort, names=(UP, DOWN)):
    """That a candidate's chance neither rises nor falls by more than a factor e^epsilon."""
    for name in names:
        yield from certified(name, effort, broken="leaks")


@EXPONENTIAL(
    "rdf/exponential-monotonic",
    "addendum, table 5, third row, read as the exponential mechanism",
    ours=True,
    **over(*MONOTONIC),
)
def exponential_monotonic(effort, rng):
    r"""If a record moves all scores in one direction, as it moves counts under add-remove, selection with
    probabilities proportional to $e^{\epsilon u/\Delta(u)}$ is $\epsilon$-private."""
    yield from _both(effort, MONOTONIC)
    yield from _moved_scores(2, Exponential(1.0, monotonic=True), (0, 1))
    return LAWS


@FLIP_PRIVATE(
    "permute-and-flip-private", {V2: "Section 2", RDF: "addendum, section 2, nonmonotonic utility"}, **over(*FLIPS)
)
def permute_and_flip(effort, rng, paper):
    r"""Permute-and-flip, which accepts $r$ with probability $e^{\epsilon(q(r) - q_*)/(2\Delta(q))}$, is
    $\epsilon$-private. (Read as noisy arg-max with exponential noise of rate $\epsilon/(2\Delta(q))$, which has
    the same distribution.)"""
    yield from _both(effort, FLIPS)
    yield from _moved_scores(effort.pick(2, 4, 4), PermuteAndFlip(1.0), (-1, 0, 1))
    words = "Shown for every step with which one of up to four candidates gains on the others; from the scores"
    return words + " {scores} to {neighbour} the loss is {exact:.6g}, where epsilon is 1."


@EXPONENTIAL("rdf/exact-laws", "ours; the samplers of exact noise", "holds", "mechanisms.whole_weights.weight",
             "mechanisms.exact.bernoulli_exp", "mechanisms.exact_gaussian.exact_factors", proved=False,
             quantity="weight of a candidate, of 2^92", **over(*EXACT))  # fmt: skip
def exact_laws(effort, rng):
    r"""A coin of probability $e^{-x}$ made of coins of probability $x/k$ is exact up to the $x^2/2$ that two
    tosses leave open. A whole weight of $2^{92}e^{-d} + 2^{40}$ has a relative error of at most $2^{-40}$ if the
    exponential function has one of at most $2^{-48}$, so a privacy loss grows by less than $2^{-36}$. A discrete
    Gaussian has weights $e^{-fk^2}$, where $f \le 1/(2\sigma^2)$ has a relative error of at most $2^{-24}$."""
    for name in EXACT:
        yield from certified(name, effort)
    for sigma in (0.3, 2.5, 1e6 / 3, 2.0**50):
        f, h = exact_factors(sigma)
        share = 2 * Fraction(f) * Fraction(sigma) ** 2
        yield need(1 - Fraction(1, 2**24) <= share <= 1, share, "<=", 1, sigma=sigma)
        yield need(Fraction(f) * h == Fraction(f * h), sigma=sigma)  # fh is not rounded
    for distance in (0.0, 0.7, 30.0, 60.0, 65.0):
        high, low = map(int, whole_weights.weight(distance))
        yield same(high * 2**62 + low, 2**92 * math.exp(-distance) + 2**40, 2**-40, distance=distance)
    yield same(whole_weights.PRICE, 1 / 2**36)
    words = "The probability of a coin lies between the partial sums of its series; whole weights add at most"
    return words + " 2^-36 to a privacy loss, and discrete Gaussian numbers add nothing."


@EXPONENTIAL("base-measure", {V1: "Equation (4)", V2: "Equation (3)"}, **over(UP, DOWN))
def base_measure(effort, rng, paper):
    r"""With any base measure, selecting $r$ with probability proportional to $e^{\epsilon q(r)/(2\Delta(q))}
    \times \mu(r)$ ensures $\epsilon$-differential privacy: a $\mu$ that ignores the data costs nothing."""
    yield from _both(effort)
    change = np.array([[1, -1], [-1, 1]])
    for scores, mu in product(_whole_scores(2, 3), ((1.0, 1.0), (1e-3, 5.0))):
        weights = (Exponential(1.0).logpmf(s) + np.log(mu) for s in (scores, np.add(scores, change)))
        laws = (w - np.logaddexp.reduce(w, axis=-1, keepdims=True) for w in weights)
        yield private(loss(*laws), 1.0, scores=list(scores), measure=list(mu))
    return LAWS


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


@FLIP_LAW("diprime-v2/permute-and-flip-law", "ours; section 2", quantity="probability of a candidate")
def flip_law(effort, rng):
    r"""With acceptance probabilities $q_r$, permute-and-flip reports $r$ with probability $q_r\int_0^1\prod_{i\ne
    r}(1-q_it)\,dt$. Gauss-Legendre quadrature with half as many nodes as candidates is exact."""
    for k in np.repeat(range(1, effort.pick(8, 10, 12)), 5):
        odds = [Fraction(1), *(Fraction(int(p), 1000) for p in rng.integers(1, 1001, k - 1))]
        walk, integral = _flip_law(odds), PermuteAndFlip.rational_law(odds)
        quadrature = PermuteAndFlip(1.0, monotonic=True).pmf([math.log(q) for q in odds])
        data = {"odds": [str(q) for q in odds], "k": len(odds)}
        for walked, p, found in zip(walk, integral, quadrature):
            yield need(walked == p, walked, "=", p, **data)
            yield same(found, p, 1e-12, **data)
    return note(
        "{cases} comparisons of laws of up to {k} candidates: a walk through all orders in fractions, and "
        "quadrature, have the probabilities of the integral",
        range="35 random odds of 1 to 7 candidates, in fractions",
    )


def _flip(p, y, z):
    """Permute-and-flip by the package at the odds of the statements."""
    odds = np.array([1, p, p * y, p * y * z])
    return PermuteAndFlip(2.0).pmf(np.log(odds))


@DOMINANCE("diprime-v2/pfm-two-fold", "Section 2", **over(*(f"diprime-v2/pfm-two-fold:{tail}" for tail in TAILS)))
def two_fold(effort, rng):
    """Permute-and-flip offers up to a two-fold improvement in the expected score. (Read as the distance from the
    best score, which is at most twice as large for the exponential mechanism as for permute-and-flip.)"""
    for k, tail in enumerate(TAILS, 1):
        right = lambda k=k, **odds: 2 * _flip(**odds)[k:].sum()  # noqa: E731
        yield from certified(f"diprime-v2/pfm-two-fold:{tail}", effort, right=right)
    return note(
        "Every tail of the exponential mechanism is at most twice that of permute-and-flip, and so is their sum",
        quantity="tail of the error",
    )


@DOMINANCE(
    "diprime-v2/pfm-dominates",
    "ours; section 4.1, on the two mechanisms",
    quantity="tail of the error, odds",
    **over(*(f"diprime-v2/pfm-dominates:{tail}" for tail in (*TAILS, "odds"))),
)
def dominates(effort, rng):
    r"""At the same $\epsilon$, and for every $x$, permute-and-flip is at least as likely as the exponential
    mechanism to report a score of $x$ or more. Its odds of reporting a non-optimal candidate lie between half and
    all of those of the exponential mechanism."""
    for k, tail in enumerate(TAILS, 1):
        left = lambda k=k, **odds: _flip(**odds)[k:].sum()  # noqa: E731
        yield from certified(f"diprime-v2/pfm-dominates:{tail}", effort, left=left)
    yield from certified("diprime-v2/pfm-dominates:odds", effort, right=lambda **odds: 2 - 2 * _flip(**odds)[0])
    words = "Shown for every tail and for the odds of an error, for candidates with odds 1, p, q, r of acceptance,"
    return words + " of which the best is reported with probability F: {statement}."


@EXPONENTIAL(
    "rdf/best-of-two", "addendum, section 2, example 3.6", "loose", quantity=ERROR, **over("rdf/best-of-two")
)
def best_of_two(effort, rng):
    r"""With exactly two candidates, whose counts are 0 and $f_c > 0$, and with $\Delta u = 1$, the exponential
    mechanism reports the wrong one with probability at most $2e^{-f_c\epsilon/2}$."""
    yield from certified("rdf/best-of-two", effort, met=False, left=_wrong)
    return "The exact probability is below the bound: {statement} wherever {where}."


@EXPONENTIAL.corrected(best_of_two, proved=False, quantity=ERROR, **over("rdf/best-of-two/corrected"))
def best_of_two_exact(effort, rng):
    r"""The wrong candidate has probability exactly $1/(1 + e^{f_c\epsilon/2})$, less than half of the published
    bound."""
    yield from certified("rdf/best-of-two/corrected", effort, left=_wrong)
    return "The exact probability is below half of the published bound: {statement} wherever {where}."


def _wrong(x):
    """Chance of the wrong one of two counts, 0 and 3, by the package."""
    return Exponential(-2 * math.log(x) / 3).pmf([0, 3])[0]
