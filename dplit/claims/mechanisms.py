r"""The mechanisms as the papers state them: noise, selection, and how budgets add up.

DiPriMe v1, section 2.1; v2, section 2; RDF, section 2.1 and its addendum. A law is written here from
its definition, in fractions where they reach; losses are maxima over every listed pair of inputs.
Derived in :doc:`/book/mechanisms`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from dplit.budget import Parallel, Sequence, Spend
from dplit.ledger import Case, Evidence, bounded, claim, equal, private, verdict_of
from dplit.mechanisms import Exponential, Geometric, Laplace, PermuteAndFlip

V1, V2, RDF = "diprime-v1", "diprime-v2", "rdf"
EPSILONS = (0.1, 1.0, 3.0)
FAR = 60.0  # a candidate that this many nats lie behind has no weight in a double


def _loss(log_law, log_other):
    """Privacy loss of two laws, given by their logarithms."""
    return float(np.abs(np.asarray(log_law) - log_other).max())


# Noise ---------------------------------------------------------------------------------------


@claim(
    "laplace-number",
    {V1: "Equation (3), for one number", V2: "Equation (2), for one number"},
    "holds",
    "thm-laplace",
    ("mechanisms.Laplace",),
    ours=True,
    proof="thm-laplace",
)
def laplace(effort, rng, paper):
    r"""Laplace noise of scale $\Delta(f)/\epsilon$ on a number that changes by at most
    $\Delta(f)$ is $\epsilon$-private, and a pair that attains $\Delta(f)$ costs exactly
    $\epsilon$."""
    outputs = np.linspace(-5, 5, effort.pick(201, 1001, 10001))
    cases = []
    for epsilon, reach in product(EPSILONS, (0.5, 1.0, 3.0)):
        noise = Laplace(epsilon, reach)
        for change in (reach / 4, reach / 2, reach):
            laws = [np.log(noise.pdf(outputs - f)) for f in (0.3, 0.3 + change)]
            data = {"epsilon": epsilon, "sensitivity": reach, "change": change}
            cases.append(Case(_loss(*laws), epsilon, data))
    note = "{cases} pairs of numbers: sensitivity {sensitivity} costs {exact:.6g} at {stated}"
    attained = equal([c for c in cases if c.data["change"] == c.data["sensitivity"]], note)
    return private(cases, note) if attained.verdict == "holds" else attained


@claim(
    "diprime-v1/geometric-counts",
    "ours; section 3, in place of Laplace noise",
    "holds",
    "thm-geometric",
    ("mechanisms.Geometric",),
    ours=True,
    proof="thm-geometric",
)
def geometric(effort, rng):
    r"""Counts of L1 sensitivity $\Delta$ with noise of probability
    $\frac{1-\alpha}{1+\alpha}\alpha^{|z|}$, $\alpha = e^{-\epsilon/\Delta}$, are $\epsilon$-private,
    and a pair that attains $\Delta$ costs exactly $\epsilon$."""
    alphas = [Fraction(p, 10) for p in (1, 5, 9)]
    noises = [Geometric(-math.log(alpha)) for alpha in alphas]
    z = np.arange(-effort.pick(20, 50, 200), effort.pick(20, 50, 200) + 1)
    law = [
        Case(noise.pmf(k), (1 - alpha) / (1 + alpha) * alpha ** abs(k), {"alpha": alpha, "z": k})
        for alpha, noise in zip(alphas, noises)
        for k in z.tolist()
    ]
    same = equal(law, "at alpha = {alpha} the noise {z} has probability {exact}, not {stated}")
    if same.verdict == "fails":
        return same
    losses = []
    for epsilon, reach in product(EPSILONS, (1, 2, 3)):
        log_law = np.log(Geometric(epsilon, reach).pmf(z))
        for change in range(1, reach + 1):
            data = {"epsilon": epsilon, "sensitivity": reach, "change": change}
            losses.append(Case(_loss(log_law[change:], log_law[:-change]), epsilon, data))
    note = "{cases} pairs of counts: sensitivity {sensitivity} costs {exact:.6g} at {stated}"
    attained = equal([c for c in losses if c.data["change"] == c.data["sensitivity"]], note)
    return private(losses, note) if attained.verdict == "holds" else attained


# Selection: privacy --------------------------------------------------------------------------


def _moved_scores(effort, mechanism, moves):
    """Losses of a mechanism at epsilon 1 as each score moves by one of `moves`, one case a score vector."""
    for k in range(2, effort.pick(4, 5, 5)):
        change = np.array(list(product(moves, repeat=k)))
        far = [(0, *[-FAR] * (k - 1)), (0, -FAR, *[-2 * FAR] * (k - 2))]
        for scores in [*product(range(effort.pick(4, 4, 6)), repeat=k), *far]:
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
)
def permute_and_flip(effort, rng, paper):
    r"""Permute-and-flip, which accepts $r$ with probability $e^{\epsilon(q(r) -
    q_*)/(2\Delta(q))}$, is $\epsilon$-private (read as noisy arg-max with exponential noise of
    rate $\epsilon/(2\Delta(q))$, which is the same law)."""
    return private(_moved_scores(effort, PermuteAndFlip(1.0), (-1, 0, 1)), NOTE)


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


def _score_vectors(effort, rng):
    """(epsilon, scores): all small gaps, random vectors, and one candidate far behind."""
    for epsilon in (0.02, 0.5, 0.86, 5.0):
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
)
def two_fold(effort, rng):
    """Permute-and-flip offers up to a two-fold improvement in the expected score (read as the
    distance from the best score): the exponential mechanism's is at most twice as large."""
    cases = []
    for epsilon, scores in _score_vectors(effort, rng):
        gaps = scores.max() - scores
        flip, em = (kind(epsilon).pmf(scores) @ gaps for kind in (PermuteAndFlip, Exponential))
        cases.append(Case(float(em / flip), 2.0, {"epsilon": epsilon, "scores": scores.tolist()}))
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
)
def dominates(effort, rng):
    r"""At the same $\epsilon$ permute-and-flip reports a score of at least $x$ with no smaller
    probability than the exponential mechanism, for every $x$. The odds of its error are between
    half and once those of the exponential mechanism."""
    cases = []
    for epsilon, scores in _score_vectors(effort, rng):
        flip, em = (kind(epsilon).pmf(scores) for kind in (PermuteAndFlip, Exponential))
        data = {"epsilon": epsilon, "scores": scores.tolist()}
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
)
def best_of_two(effort, rng):
    r"""With counts 0 and $f_c$ the exponential mechanism reports the wrong one with probability at
    most $2e^{-f_c\epsilon/2}$."""
    note = "{cases} cases: nearest at a count of {count}, epsilon {epsilon}"
    cases = _wrong(effort, lambda x: 2 * math.exp(-x / 2))
    return bounded(cases, note, quantity="probability of an error")


@best_of_two.corrected(functions=("mechanisms.Exponential",))
def best_of_two_exact(effort, rng):
    r"""The probability is exactly $1/(1 + e^{f_c\epsilon/2})$, less than half of the bound."""
    cases = _wrong(effort, lambda x: 1 / (1 + math.exp(x / 2)))
    note = "{cases} cases: at a count of {count}, epsilon {epsilon}, it is {exact:.6g}"
    return equal(cases, note, quantity="probability of an error")


def _wrong(effort, stated):
    """Chance of the wrong one of two counts, beside ``stated(f_c epsilon)``."""
    for epsilon in (0.1, 0.5, 1.0):
        for count in range(1, effort.pick(11, 51, 201)):
            law = Exponential(epsilon).pmf([0, count])
            yield Case(float(law[0]), stated(count * epsilon), {"count": count, "epsilon": epsilon})


# Composition ---------------------------------------------------------------------------------


@claim(
    "sequential-composition",
    {V1: "Section 2.1", V2: "Section 2", RDF: "definition 2"},
    "holds",
    "thm-composition",
    ("budget.Sequence",),
    proof="thm-composition",
)
def sequential(effort, rng, paper):
    r"""Mechanisms that are each $\epsilon_i$-private are together $\sum_i\epsilon_i$-private."""
    cases = []
    for first, second in product(EPSILONS, repeat=2):
        stated = Sequence("both", [Spend("number", first), Spend("label", second)]).epsilon
        for counts in product(range(effort.pick(4, 5, 8)), repeat=2):
            for neighbour in ((counts[0] + 1, counts[1]), (counts[0], counts[1] + 1)):
                laws = [_noisy_number_then_label(c, first, second) for c in (counts, neighbour)]
                data = {"counts": list(counts), "neighbour": list(neighbour)}
                data |= {"epsilons": [first, second]}
                cases.append(Case(_loss(*laws), stated, data))
    return private(cases, "{cases} pairs of counts: {counts} and {neighbour} cost {exact:.6g}")


def _noisy_number_then_label(counts, first, second):
    """Logarithm of the law of a noisy total and a label, whose scores depend on the noisy total."""
    total, rows = sum(counts), np.arange(-4, 22)
    handicap = np.where(rows % 2, 0, 2)  # an even total favours class 0
    scores = np.column_stack([counts[0] + handicap, np.full(len(rows), counts[1])])
    label = PermuteAndFlip(second, monotonic=True).logpmf(scores)
    return np.log(Geometric(first).pmf(rows - total))[:, None] + label


@claim(
    "parallel-composition",
    {V1: "Section 2.1", V2: "Section 2"},
    "assumes",
    "thm-composition",
    ("budget.Parallel", "mechanisms.Geometric"),
    proof="thm-composition",
)
def parallel(effort, rng, paper):
    r"""Mechanisms that are each $\epsilon_i$-private and read disjoint subsets of the data are
    together $\max_i\epsilon_i$-private (assuming that the subset of a record depends on that
    record and its own draw alone, under add-remove)."""
    cases, cut = [], []
    for epsilon in EPSILONS:
        stated = Parallel("parts", [Spend("counts", epsilon)], copies=2).epsilon
        for split, losses in ((_by_record, cases), (_own_draw, cases), (_shuffled, cut)):
            laws = [_two_parts(split(records), epsilon) for records in ((0,), (0, 1))]
            data = {"split": split.__name__, "records": [0], "neighbour": [0, 1]}
            losses.append(Case(_loss(*laws), stated, data | {"epsilon": epsilon}))
    found = private(cases, "{split}: {records} and {neighbour} cost {exact:.6g}")
    if found.verdict != "holds":
        return found
    shown = cut[1]
    return Evidence(
        "holds" if all(c.exact <= c.stated for c in cut) else "assumes",
        "exact",
        "One record, and then a second one of the other class: parts fixed by the record or by a draw "
        f"of its own cost epsilon; cut from a shuffled list they cost {shown.exact:.6g} at epsilon 1.",
        cases=len(cases) + len(cut),
        published=shown.stated,
        computed=shown.exact,
        quantity="privacy loss",
        relation="<=",
    )


def _by_record(records):
    """Which two parts of records there are, and how likely: the class decides."""
    return [(1.0, [[r for r in records if r == part] for part in (0, 1)])]


def _own_draw(records):
    """Each record draws its part."""
    choices = list(product((0, 1), repeat=len(records)))
    return [(1 / len(choices), _by_place(records, places)) for places in choices]


def _shuffled(records):
    """The list is shuffled and dealt out in turn: the first to part 0, the second to part 1."""
    orders = [range(len(records)), range(len(records))[::-1]]
    return [(1 / 2, _by_place(records, places)) for places in orders]


def _by_place(records, places):
    return [[r for r, place in zip(records, places) if place == part] for part in (0, 1)]


def _two_parts(splits, epsilon):
    """Logarithm of the law of the noisy counts of two classes in each of two parts."""
    seen = np.array(list(product(range(-1, 3), repeat=4)))  # beyond, the ratios stay the same
    noise, law = Geometric(epsilon), 0.0
    for chance, parts in splits:
        held = [part.count(label) for part in parts for label in (0, 1)]
        law = law + chance * noise.pmf(seen - np.array(held)).prod(axis=1)
    return np.log(law)
