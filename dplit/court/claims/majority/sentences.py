r"""What RDF says of its query beside noisy counts, which have Laplace noise of scale :math:`1/\epsilon`."""

import math
from itertools import pairwise, product

import numpy as np
from scipy.integrate import quad

from dplit import majority
from dplit.court.claims.majority._leaves import score
from dplit.court.claims.majority._printed import smooth_sensitivities
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, below, decisive, need, note, same

EPSILONS = (0.01, 0.1, 0.2, 1.0)  # the paper's budgets, section 2.4
ENOUGH = 0.75  # at this epsilon and above no gap is worse with the published label than with noisy counts
NOISY = Box("rem-majority-noisy-counts", "majority.smooth_exponential_law")
SMOOTH = Box("thm-smooth-sensitivity", "majority.searched_smooth_sensitivity", "ground.printed.table")
LOCAL = Box("rem-majority-local", "majority.neighbouring")
EMPTY = Box("rem-majority-empty", "mechanisms.Exponential")
SEARCH = "majority.searched_smooth_sensitivity"
FEWER = tuple(f"rdf/less-noise-than-counts{part}" for part in ("", ":enough", ":beyond"))
MORE = ("rdf/counts-many-classes", "rdf/counts-many-classes:rosnam")


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


@NOISY(
    "rdf/less-noise-than-counts",
    "abstract; sections 1 and 3.1",
    "assumes",
    about="reading",
    quantity="2 e^(epsilon j) over the error, of noisy counts and of the published label",
    **over(*FEWER),
)
def less_noise(effort, rng):
    r"""Frequency queries are inherently expensive and should be avoided if possible. It is possible, by a less
    sensitive query that outputs a similar answer and results in less noise overall. (Read for two classes at the
    same $\epsilon$, and assuming $\epsilon \ge \frac34$, as in most of the experiments: at no gap is the published
    label wrong more often than the larger of two counts with Laplace noise. At the paper's smaller $\epsilon$ the
    published label is wrong more often at small gaps.)"""
    yield from certified(FEWER[1:], effort, broken="fails")
    for e, j in product((ENOUGH, 1.0, 2.0), (1, 2, 5)):
        wrong = majority.smooth_exponential_law([j, 0], e)[1]
        yield at_most(wrong, counts_error((j, 0), e), met=False, broken="fails", gap=j, epsilon=e)
    for e, j in product((0.1, 0.2), (1, 2)):
        wrong = majority.smooth_exponential_law([j, 0], e)[1]
        yield at_most(wrong, counts_error((j, 0), e), counts=[j, 0], epsilon=e)
    yield from certified(FEWER[0], effort)
    return (
        "On {counts} at epsilon {epsilon:g} the published label is wrong with probability {exact:.4f}, the larger "
        f"noisy count with {{stated:.4f}}; at {ENOUGH:g} and more it is worse at no gap."
    )


@NOISY.corrected(
    less_noise, "majority.gap_error", where="abstract; sections 1 and 3.1", quantity="error over that of ROSNAM"
)
def less_noise_rosnam(effort, rng):
    r"""With ROSNAM, the addendum's label, there is less noise: at every gap $j$ the larger of two noisy counts is
    wrong $1 + \epsilon j/2$ times as often as ROSNAM."""
    most = effort.pick(7, 12, 24)
    for e, j in product(EPSILONS, range(1, most + 1)):
        times = counts_error((j, 0), e) / float(majority.gap_error(j, e))
        yield same(times, 1 + e * j / 2, 1e-6, gap=j, epsilon=e)
    return note(
        "{cases} gaps and budgets: at gap {gap} and epsilon {epsilon:g} {exact:.4f} times",
        range=f"gaps 1 to {most}, two classes, epsilon {EPSILONS}",
    )


@NOISY(
    "rdf/counts-many-classes",
    "section 3.1",
    "holds",
    "majority.unanimous_error",
    proved=False,
    quantity="probability of a wrong label, ten classes over two",
    **over(*MORE),
)
def many_classes(effort, rng):
    r"""Laplace noise on each count scales poorly with multiple labels, since it is added independently
    to each: on a leaf of one class, more classes make the label wrong more often. (This is true of every
    label: ROSNAM's error grows by nearly the same factor.)"""
    yield from certified(MORE, effort)
    two, ten = (counts_error((10, *[0] * (k - 1)), 1.0) for k in (2, 10))
    rosnam = [float(majority.unanimous_error(10, k, 1.0)) for k in (2, 10)]
    for k, found in zip((2, 10), rosnam):
        right = sum((1 - math.exp(-10)) ** i for i in range(k)) / k
        yield same(found, 1 - right, 1e-6, classes=k)
    yield decisive(need(ten > two, ten / two, ">", 1.0, classes=10))
    return (
        f"Ten records of one class at epsilon 1: with ten classes instead of two noisy counts are wrong "
        f"{ten / two:.2f} times as often, ROSNAM {rosnam[1] / rosnam[0]:.2f} times."
    )


@NOISY(
    "rdf/orders-of-magnitude",
    "abstract; section 1",
    "assumes",
    SEARCH,
    "majority.smooth_sensitivity",
    quantity="least gap at which the sensitivity is a hundredth of a count's, at epsilon 1",
)
def orders(effort, rng):
    r"""The single query is often several orders of magnitude less sensitive than the count query of others, and
    equally sensitive in the worst-case scenario. (This assumes that gaps $\ge 2 \ln 10/\epsilon$ are common.)"""
    n = effort.pick(8, 12, 20)
    searched = {x: majority.searched_smooth_sensitivity(x, 1.0) for x in majority.leaves(n, 2)}
    least = {e: next(j for j in range(10**6) if majority.smooth_sensitivity((j, 0), e) <= 0.01) for e in EPSILONS}
    yield same(max(searched.values()), 1, broken="fails")
    drawn = min(abs(x[0] - x[1]) for x, s in searched.items() if s <= 0.01)
    yield same(drawn, least[1.0], broken="fails")
    yield below(drawn, 1.0, gaps={str(e): j for e, j in least.items()})
    return note(
        "The smooth sensitivity is 1 at worst, like that of a count. To be a hundredth of this it needs a gap of "
        + ", ".join(f"{j} at epsilon {e:g}" for e, j in least.items())
        + "; a leaf of few records, or of two equally frequent classes, has no such gap.",
        cases=len(searched) + len(least),
        range=f"leaves of two classes, up to {n} records by search, any by the formula",
    )


@SMOOTH(
    "rdf/table-2-tenfold",
    "table 2, caption",
    "assumes",
    quantity="smooth sensitivity at gap 10 and epsilon 0.1, against gap 1 and epsilon 1",
    range="every printed pair of cells, and the same pairs by search up to gap 10",
)
def tenfold(effort, rng):
    r"""Increasing $j$ tenfold is the same as increasing $\epsilon$ tenfold: both have an equal impact on the
    result. (This assumes that the sensitivity is $e^{-j\epsilon}$, as theorem 1 prints it.)"""
    cells = {(j, e): cell.value for j, e, cell in smooth_sensitivities()}
    pairs = [((10 * j, e), (j, round(10 * e, 9))) for j, e in cells]
    pairs = [pair for pair in pairs if pair[0][0] and all(at in cells for at in pair)]
    for a, b in pairs:
        yield same(cells[a], cells[b], 0, broken="fails", cells=[a, b])
    equal = sum(cells[a] == cells[b] for a, b in pairs)
    gap, budget = (float(majority.searched_smooth_sensitivity((j, 0), e)) for j, e in ((10, 0.1), (1, 1.0)))
    yield same(gap, budget, cells=[(10, 0.1), (1, 1.0)])
    return (
        f"{equal} of {len(pairs)} printed pairs are equal. Smooth sensitivity, by search: {gap:.4f} at gap "
        f"10 and epsilon 0.1, {budget:.4f} at gap 1 and epsilon 1."
    )


def local_sensitivity(counts):
    """The most that a record changes the score of a class, by trying every neighbour."""
    here = np.array(score(counts))
    return max(np.abs(score(y) - here).max() for y in majority.neighbouring(counts))


@LOCAL("rdf/local-sensitivity", "section 2.2, after definition 6", quantity="privacy loss at local sensitivity")
def local_not_private(effort, rng):
    r"""Using local instead of global sensitivity is not differentially private: the label is then
    certain at gaps of 2 or more and uncertain at smaller gaps, and one record makes the difference."""
    n, losses = effort.pick(5, 8, 16), {}
    for x in majority.leaves(n, 2):
        for y in majority.neighbouring(x):
            if sum(y) <= n:
                losses[x, y] = _loss(_scaled(x), _scaled(y))
    worst = [pair for pair, loss in losses.items() if loss == math.inf]
    shown = min(worst, key=lambda p: sum(map(sum, p)), default=None)
    yield need(worst, max(losses.values()), ">", 1.0, pair=shown)
    return note(
        f"{len(worst)} of {len(losses)} pairs of neighbours cost infinity, first {shown}."
        if worst
        else "No pair of neighbours costs infinity.",
        cases=len(losses),
        range=f"leaves of two classes of up to {n} records, epsilon 1",
    )


def _scaled(x, epsilon=1.0):
    """The exponential mechanism's law with the local sensitivity of this very leaf; 0 is certainty."""
    scores, local = np.array(score(x), float), local_sensitivity(x)
    weights = np.exp(epsilon * scores / (2 * local)) if local else scores
    return weights / weights.sum()


def _loss(p, q):
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.log(p) - np.log(q))
    return float(np.where(p == q, 0.0, ratios).max())


@LOCAL(
    "rdf/definition-7",
    "section 2.2, definition 7",
    "holds",
    SEARCH,
    "majority.neighbouring",
    about="reading",
    quantity="largest ratio of two neighbours' smooth sensitivities",
)
def smooth_bound(effort, rng):
    r"""Smooth sensitivity, equations (5) and (6), is a method for making local sensitivity differentially private.
    (Read as a statement about the number, not about a mechanism: smooth sensitivity is never below the local one
    and changes by a factor of at most $e^\epsilon$ between neighbours, so it suits noise that changes little with
    its scale.)"""
    n, epsilon = effort.pick(7, 10, 16), 1.0
    found = {x: float(majority.searched_smooth_sensitivity(x, epsilon)) for x in majority.leaves(n, 2)}
    for x, here in found.items():
        local = local_sensitivity(x)
        yield need(here >= local, here, ">=", local, counts=list(x))
        for y in majority.neighbouring(x):
            if y in found:
                data = {"counts": list(x), "neighbour": list(y)}
                yield at_most(here / found[y], math.exp(epsilon), **data)
    return note(
        "In {cases} cases, leaves and pairs of neighbours, both bounds hold; the sensitivities of {counts} and "
        "{neighbour} have the ratio {exact:.4f}, which is e.",
        range=f"leaves of two classes of up to {n} records, epsilon 1",
    )


@EMPTY(
    "rdf/empty-leaf-scores",
    "section 4.2.1, after example 1",
    "fails",
    about="step",
    quantity="score of each label of an empty leaf",
    range="empty leaves of two to ten classes",
)
def empty_scores(effort, rng):
    """A record that finishes at an empty leaf gets a class label chosen at random with uniform
    probability, due to all labels having a score of 0 in the exponential mechanism."""
    for k in range(2, 11):
        scores = score([0] * k)
        yield same(max(scores), 0.0, classes=k, scores=list(scores))
    return (
        "By equation 7 every class of an empty leaf is a most frequent one: with {classes} "
        "classes the scores are {scores}. The label is uniform for this other reason."
    )


@EMPTY.corrected(
    empty_scores,
    "majority.smooth_exponential_law",
    SEARCH,
    where="section 4.2.1, after example 1; section 4.2, footnote 3",
    quantity="probability of each label of an empty leaf, times the number of classes",
    range="empty leaves of two to ten classes, epsilon 1",
)
def empty_uniform(effort, rng):
    """All labels of an empty leaf score 1, so the label is still uniform, and the smooth sensitivity is 1, as
    footnote 3 says."""
    for k in range(2, 11):
        for p in majority.smooth_exponential_law([0] * k, 1.0):
            yield same(p * k, 1.0, classes=k)
        if k < 5:
            yield same(majority.searched_smooth_sensitivity([0] * k, 1.0), 1.0, classes=k)
    return "{cases} labels and sensitivities, up to {classes} classes: all are 1."


@EMPTY(
    "rdf/false-confidence",
    "section 4.2.1, after example 1",
    "holds",
    "mechanisms.Laplace",
    quantity="probability that an empty leaf reports a share of 0.9 or more",
    range="two classes, shares of 0.6 to 0.99, epsilon 0.1, 1 and 10",
)
def false_confidence(effort, rng):
    r"""In an empty leaf with noisy counts, where every label reports a purely random frequency, highly confident
    predictions could be falsely created. If Laplace noise is added and negative counts become 0, one of two
    classes has a share of $q$ or more with probability $\frac12 + \frac{1-q}{2}$, for every $\epsilon$."""
    for e, q in product((0.1, 10.0, 1.0), (0.6, 0.8, 0.99, 0.9)):
        yield same(_confident(q, e), 0.5 + (1 - q) / 2, 1e-7, share=q, epsilon=e)
    return (
        "The formula holds for {cases} pairs of a share and a budget; a share of {share:g} or more at epsilon "
        "{epsilon:g} has probability {exact:.4f}. (A vote of the paper's own empty leaf counts as much as any "
        "other vote.)"
    )


def _confident(share, epsilon):
    """Probability that a noisy count of 0 has this share of two of them or more, by quadrature."""

    def above(x):  # one count is x > 0, and the other at most this
        return epsilon * math.exp(-epsilon * x) * _below(x * (1 - share) / share, epsilon)

    return quad(above, 0, 60 / epsilon, epsabs=1e-12, limit=200)[0]
