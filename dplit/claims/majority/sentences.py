r"""What Fletcher and Islam (2017) say of their query beside the query that others ask, for counts.

Abstract, sections 1, 2.2, 3.1 and 4.2.1. A leaf is a tuple of class counts and :math:`j` its gap; noisy
counts have Laplace noise of scale :math:`1/\epsilon`. Derived in :doc:`/book/majority`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.integrate import quad

from dplit import majority
from dplit.claims.majority._printed import smooth_sensitivities
from dplit.ledger import Case, Evidence, bounded, claim, equal, verdict_of
from dplit.ledger.evidence import RTOL

EPSILONS = (0.01, 0.1, 0.2, 1.0)  # the paper's budgets, section 2.4
ENOUGH = 0.75  # at this epsilon and above no gap is worse with the published label than with noisy counts
GAPS = (1, 2, 3, 5, 8, 10, 20, 30, 50, 100, 300, 500)


def counts_error(counts, epsilon):
    """Probability that the largest of noisy counts is not the first one's, by quadrature."""
    edges = sorted({*counts, min(counts) - 45 / epsilon, max(counts) + 45 / epsilon})

    def wins(x, i):
        others = (_below(x - c, epsilon) for j, c in enumerate(counts) if j != i)
        return epsilon / 2 * math.exp(-epsilon * abs(x - counts[i])) * math.prod(others)

    ways = ((i, piece) for i in range(1, len(counts)) for piece in pairwise(edges))
    return sum(quad(wins, *piece, args=(i,), epsabs=1e-60, limit=200)[0] for i, piece in ways)


def _below(x, epsilon):
    """Probability that Laplace noise is at most x."""
    tail = math.exp(-epsilon * abs(x)) / 2
    return tail if x < 0 else 1 - tail


# Against noisy counts ----------------------------------------------------------------------------


@claim(
    "rdf/less-noise-than-counts",
    "abstract; sections 1 and 3.1",
    "assumes",
    "rem-majority-noisy-counts",
    ("majority.smooth_exponential_law",),
    about="reading",
    quantity="probability of a wrong label, against noisy counts",
)
def less_noise(effort, rng):
    r"""Frequency queries are inherently expensive and should be avoided if possible; it is possible, by a
    less sensitive query that outputs a similar answer and results in less noise overall. (Read for two
    classes at the same $\epsilon$, and assuming $\epsilon \ge \frac34$, as in most of the experiments: at no
    gap is the published label wrong more often than the larger of two counts with Laplace noise. At the
    paper's smaller $\epsilon$ it is, at small gaps.)"""
    gaps, cases = (*GAPS, *effort.pick((), (800, 1000), range(501, 1000))), {}
    for e in (0.2, 0.1, 0.01, ENOUGH, 1.0, 2.0):
        pairs = [(j, majority.smooth_exponential_law([j, 0], e)[1]) for j in gaps if e * j < 200]
        cases[e] = [Case(float(p), counts_error((j, 0), e), {"counts": [j, 0], "epsilon": e})
                    for j, p in pairs]  # fmt: skip
    worse = {e: [c for c in of if c.exact > c.stated * (1 + RTOL)] for e, of in cases.items()}
    last = ", ".join(f"{of[-1].data['counts'][0]} at {e:g}" for e, of in worse.items() if of)
    found = bounded(
        [case for of in cases.values() for case in of],
        "On {counts} at epsilon {epsilon:g} the published label is wrong with probability {exact:.4f}, "
        f"the larger noisy count with {{stated:.4f}}. Of the computed gaps it is worse up to {last}, and at "
        f"{ENOUGH:g} and more at none.",
        range=f"{len(gaps)} gaps from 1 to {max(gaps)}, two classes, epsilon {(*cases,)}",
    )
    assumed = all(bool(of) == (e < ENOUGH) for e, of in worse.items())
    return replace(found, verdict="assumes") if assumed else found


@less_noise.corrected(
    functions=("majority.gap_error",),
    where="abstract; sections 1 and 3.1",
    proof="rem-majority-noisy-counts",
    quantity="error of noisy counts over that of ROSNAM",
)
def less_noise_rosnam(effort, rng):
    r"""With the addendum's label, ROSNAM, the sentence is true: the larger of two noisy counts is wrong
    $1 + \epsilon j/2$ times as often, at every gap $j$."""
    cases = [
        Case(
            counts_error((j, 0), e) / float(majority.gap_error(j, e)),
            1 + e * j / 2,
            {"gap": j, "epsilon": e},
        )
        for e in EPSILONS
        for j in range(1, effort.pick(8, 13, 25))
    ]
    note = "{cases} gaps and budgets: at gap {gap} and epsilon {epsilon:g} {exact:.4f} times"
    found = f"gaps 1 to {effort.pick(7, 12, 24)}, two classes, epsilon {EPSILONS}"
    return equal(cases, note, rtol=1e-6, range=found)


@claim(
    "rdf/counts-many-classes",
    "section 3.1",
    "holds",
    "rem-majority-noisy-counts",
    ("majority.unanimous_error",),
    quantity="probability of a wrong label, ten classes over two",
)
def many_classes(effort, rng):
    r"""Laplace noise on each count scales poorly with multiple labels, since it is added independently
    to each: on a leaf of one class the label is wrong more often, the more classes there are. (So is
    every label: ROSNAM's error grows by nearly the same factor.)"""
    sizes = (2, 3, 4, 10) if effort.pick(1, 0, 0) else (2, 3, 4, 6, 10, 20)
    leaves = [(n, e) for e in (0.1, 1.0) for n in (1, 5, 10)]
    errors = {(n, e): [counts_error((n, *[0] * (k - 1)), e) for k in sizes] for n, e in leaves}
    ours = {(n, e): [float(majority.unanimous_error(n, k, e)) for k in sizes] for n, e in leaves}
    worse = [errors[at][i] >= ours[at][i] for at in leaves for i in range(len(sizes))]
    grows = [a < b for found in (errors, ours) for row in found.values() for a, b in pairwise(row)]
    counts, label = (
        found[10, 1.0][sizes.index(10)] / found[10, 1.0][0] for found in (errors, ours)
    )
    return verdict_of(
        all(grows) and all(worse),
        f"Ten records of one class at epsilon 1: with ten classes instead of two noisy counts are wrong "
        f"{counts:.2f} times as often, ROSNAM {label:.2f} times.",
        {"errors": {str(at): row for at, row in errors.items()}},
        cases=len(grows),
        published=1.0,
        computed=counts,
        relation=">",
        range=f"1, 5 and 10 records of one class, {', '.join(map(str, sizes))} classes, epsilon 0.1 and 1",
    )


@claim(
    "rdf/orders-of-magnitude",
    "abstract; section 1",
    "assumes",
    "rem-majority-noisy-counts",
    ("majority.searched_smooth_sensitivity", "majority.smooth_sensitivity"),
    quantity="least gap at which the sensitivity is a hundredth of a count's, at epsilon 1",
)
def orders(effort, rng):
    r"""The single query is often several orders of magnitude less sensitive than the count query of
    others, and equally sensitive in the worst-case scenario (assuming that the gaps of the leaves are often
    $2 \ln 10/\epsilon$ or more)."""
    small = majority.leaves(effort.pick(8, 12, 20), 2)
    searched = [float(majority.searched_smooth_sensitivity(x, 1.0)) for x in small]
    least = {
        e: next(j for j in range(10**6) if majority.smooth_sensitivity((j, 0), e) <= 0.01)
        for e in EPSILONS
    }
    drawn = min(abs(x[0] - x[1]) for x, s in zip(small, searched) if s <= 0.01)
    verdict = "fails" if max(searched) != 1 or drawn != least[1.0] else "assumes"
    return Evidence(
        verdict if least[1.0] > 1 else "holds",
        "exact",
        "It is 1 at worst, as a count's. A hundredth takes a gap of "
        + ", ".join(f"{j} at epsilon {e:g}" for e, j in least.items())
        + "; a leaf of few records, or of two even classes, has no such gap.",
        cases=len(small) + len(least),
        published=1.0,
        computed=float(drawn),
        relation="<=",
        range=f"leaves of two classes, up to {effort.pick(8, 12, 20)} records by search, any by the formula",
        counterexample={"gaps": {str(e): j for e, j in least.items()}},
    )


@claim(
    "rdf/table-2-tenfold",
    "table 2, caption",
    "assumes",
    "thm-smooth-sensitivity",
    ("majority.searched_smooth_sensitivity", "printed.table"),
    quantity="smooth sensitivity at gap 10 and epsilon 0.1, against gap 1 and epsilon 1",
    range="every printed pair of cells, and the same pairs by search up to gap 10",
)
def tenfold(effort, rng):
    r"""Increasing $j$ tenfold is the same as increasing $\epsilon$ tenfold: both have an equal impact on
    the result (assuming that the sensitivity is $e^{-j\epsilon}$, as theorem 1 prints it)."""
    cells = {(j, e): cell.value for j, e, cell in smooth_sensitivities()}
    pairs = [((10 * j, e), (j, round(10 * e, 9))) for j, e in cells]
    pairs = [pair for pair in pairs if pair[0][0] and all(at in cells for at in pair)]
    same = [cells[a] == cells[b] for a, b in pairs]
    gap, budget = (
        float(majority.searched_smooth_sensitivity((j, 0), e)) for j, e in ((10, 0.1), (1, 1.0))
    )
    return Evidence(
        "fails" if not all(same) else "holds" if math.isclose(gap, budget) else "assumes",
        "exact",
        f"{sum(same)} of {len(same)} printed pairs are equal. Smooth sensitivity, by search: {gap:.4f} at gap "
        f"10 and epsilon 0.1, {budget:.4f} at gap 1 and epsilon 1.",
        cases=len(same) + 1,
        published=budget,
        computed=gap,
        relation="=",
        counterexample={"pairs": [list(map(list, pair)) for pair in pairs]},
    )


# Local sensitivity, and empty leaves -------------------------------------------------------------


def local_sensitivity(counts):
    """The most that a record changes the score of a class, by trying every neighbour."""
    here = _scores(counts)
    return max(np.abs(_scores(y) - here).max() for y in majority.neighbouring(counts))


def _scores(counts):
    """Equation 7: 1 for each most frequent class."""
    return (np.asarray(counts) == max(counts)).astype(float)


@claim(
    "rdf/local-sensitivity",
    "section 2.2, after definition 6",
    "holds",
    "rem-majority-local",
    ("majority.neighbouring",),
    proof="rem-majority-local",
    quantity="privacy loss of the label scaled by local sensitivity",
)
def local_not_private(effort, rng):
    r"""Local sensitivity in the place of the global one is not differentially private: the label is then
    certain at gaps of 2 or more and uncertain below, which one record shows."""
    n, losses = effort.pick(5, 8, 16), {}
    for x in majority.leaves(n, 2):
        for y in majority.neighbouring(x):
            if sum(y) <= n:
                losses[x, y] = _loss(_scaled(x), _scaled(y))
    worst = [pair for pair, loss in losses.items() if loss == math.inf]
    shown = min(worst, key=lambda p: sum(map(sum, p)), default=None)
    return verdict_of(
        bool(worst),
        f"{len(worst)} of {len(losses)} pairs of neighbours cost infinity, first {shown}."
        if worst else "No pair of neighbours costs infinity.",
        {"losses": max(losses.values())},
        cases=len(losses),
        published=1.0,
        computed=max(losses.values()),
        relation=">",
        range=f"leaves of two classes of up to {n} records, epsilon 1",
    )  # fmt: skip


def _scaled(x, epsilon=1.0):
    """The exponential mechanism's law with the local sensitivity of this very leaf; 0 is certainty."""
    score, local = _scores(x), local_sensitivity(x)
    weights = np.exp(epsilon * score / (2 * local)) if local else score
    return weights / weights.sum()


def _loss(p, q):
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.log(p) - np.log(q))
    return float(np.where(p == q, 0.0, ratios).max())


@claim(
    "rdf/definition-7",
    "section 2.2, definition 7",
    "holds",
    "rem-majority-local",
    ("majority.searched_smooth_sensitivity", "majority.neighbouring"),
    about="reading",
    proof="rem-majority-local",
    quantity="largest ratio of two neighbours' smooth sensitivities",
)
def smooth_bound(effort, rng):
    r"""Smooth sensitivity, equations (5) and (6), is a method for making local sensitivity differentially
    private (read of the number, and not of a mechanism: it is nowhere below the local sensitivity and changes
    by a factor of at most $e^\epsilon$ from neighbour to neighbour, what fits it for noise that changes
    little with its scale)."""
    n, epsilon, cases, above = effort.pick(7, 10, 16), 1.0, [], []
    found = {
        x: float(majority.searched_smooth_sensitivity(x, epsilon)) for x in majority.leaves(n, 2)
    }
    for x, here in found.items():
        above.append(here >= local_sensitivity(x))
        for y in majority.neighbouring(x):
            if y in found:
                data = {"counts": list(x), "neighbour": list(y)}
                cases.append(Case(here / found[y], math.exp(epsilon), data))
    words = f"leaves of two classes of up to {n} records, epsilon 1"
    if not all(above):
        return verdict_of(False, "Below the local sensitivity.", {"leaves": n}, range=words)
    return bounded(cases, "{cases} pairs: {counts} and {neighbour} have the ratio {exact:.4f}.",
                   range=words)  # fmt: skip


@claim(
    "rdf/empty-leaf-scores",
    "section 4.2.1, after example 1",
    "fails",
    "rem-majority-empty",
    ("mechanisms.Exponential",),
    about="step",
    quantity="score of each label of an empty leaf",
    range="empty leaves of two to ten classes",
)
def empty_scores(effort, rng):
    """A record that finishes at an empty leaf gets a class label chosen at random with uniform
    probability, due to all labels having a score of 0 in the exponential mechanism."""
    scores = {k: _scores([0] * k) for k in range(2, 11)}
    wrong = {k: s.tolist() for k, s in scores.items() if s.any()}
    return verdict_of(
        not wrong,
        f"By equation 7 every class of an empty leaf is a most frequent one: with {min(wrong, default=2)} "
        f"classes the scores are {wrong.get(2)}. The label is uniform for this other reason.",
        {"classes": 2, "scores": wrong.get(2)},
        cases=len(scores),
        published=0.0,
        computed=float(scores[2].max()),
        relation="=",
    )


@empty_scores.corrected(
    functions=("majority.smooth_exponential_law", "majority.searched_smooth_sensitivity"),
    where="section 4.2.1, after example 1; section 4.2, footnote 3",
    proof="rem-majority-empty",
    quantity="probability of each label of an empty leaf, times the number of classes",
    range="empty leaves of two to ten classes, epsilon 1",
)
def empty_uniform(effort, rng):
    """All labels of an empty leaf score 1, so that the label is uniform all the same, and the smooth
    sensitivity is 1, as footnote 3 says."""
    cases = []
    for k in range(2, 11):
        law = majority.smooth_exponential_law([0] * k, 1.0)
        cases += [Case(float(p) * k, 1.0, {"classes": k}) for p in law]
        sharp = float(majority.searched_smooth_sensitivity([0] * k, 1.0)) if k < 5 else 1.0
        cases.append(Case(sharp, 1.0, {"classes": k}))
    return equal(cases, "{cases} labels and sensitivities, up to {classes} classes: all are 1.")


@claim(
    "rdf/false-confidence",
    "section 4.2.1, after example 1",
    "holds",
    "rem-majority-empty",
    ("mechanisms.Laplace",),
    proof="rem-majority-empty",
    quantity="probability that an empty leaf reports a share of 0.9 or more",
    range="two classes, shares of 0.6 to 0.99, epsilon 0.1, 1 and 10",
)
def false_confidence(effort, rng):
    r"""In an empty leaf with noisy counts, where every label reports a purely random frequency, highly
    confident predictions could be falsely created: with Laplace noise, negative counts taken as 0, one of
    two classes has a share of $q$ or more with probability $\frac12 + \frac{1-q}{2}$, whatever
    $\epsilon$."""
    cases = [
        Case(_confident(q, e), 0.5 + (1 - q) / 2, {"share": q, "epsilon": e})
        for e in (0.1, 10.0, 1.0)
        for q in (0.6, 0.8, 0.99, 0.9)
    ]
    return equal(
        cases,
        "{cases} shares and budgets; a share of {share:g} or more at epsilon {epsilon:g} with probability "
        "{exact:.4f}. (A vote of the paper's own empty leaf counts as much as any other vote.)",
        rtol=1e-7,
    )


def _confident(share, epsilon):
    """Probability that a noisy count of 0 has this share of two of them or more, by quadrature."""

    def above(x):  # one count is x > 0, and the other at most this
        return epsilon * math.exp(-epsilon * x) * _below(x * (1 - share) / share, epsilon)

    return quad(above, 0, 60 / epsilon, epsabs=1e-12, limit=200)[0]
