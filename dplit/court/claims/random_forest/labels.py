"""Claims of Fletcher and Islam (2017), sections 4.2 and 4.4: labels from all records or from a share."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from scipy.optimize import brentq
from scipy.stats import poisson

from dplit import depth, majority, random_forest
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, need, note, same

RECORDS = Box("thm-all-data-records", "depth.effective_records", "majority.gap_error")
CLASSES = Box("thm-all-data-classes", "random_forest.poisson_error")
AVERAGE = Box("thm-average-sensitivity", "depth.effective_records")
FLIPS = Box("thm-flips")


POISSON = (0.5, 2, 0.1), (8, 10, 1.0), (120, 100, 1.0)  # records of all data on average, trees, epsilon
FEWER = "rdf/figure-5b/corrected"  # that all data are worth no fewer records than shares
WORTH = "rdf/all-data-records:near", "rdf/all-data-records:far"
WRONG = tuple(f"rdf/more-trees-more-flips/corrected{part}" for part in (":likely", ""))
CURVED = tuple(f"rdf/all-data-records/classes:{k}" for k in ("three", "four", "five", "more"))


def _poisson(mean):
    """Numbers of records and their probabilities, as far as the sums need them."""
    n = np.arange(int(mean + 12 * math.sqrt(mean)) + 40)
    return n, poisson.pmf(n, mean)


def _worth(mean, trees, epsilon):
    """What the records are worth to a share at epsilon, and to all data at epsilon / trees."""
    share = depth.effective_records(mean, epsilon, trees)
    return share, depth.effective_records(mean, epsilon / trees)


@RECORDS("rdf/all-data-records", "section 4.2", ours=True, **over(*WORTH, FEWER))
def all_data_records(effort, rng):
    r"""Let a leaf hold Poisson($\lambda$) records, all of one of two classes. Permute-and-flip mislabels it with
    probability $\frac12 e^{-\lambda\tau^{-1}(1-e^{-\epsilon})}$ from one of $\tau$ parts at $\epsilon$, and with
    probability $\frac12 e^{-\lambda(1-e^{-\epsilon/\tau})}$ from all data at $\epsilon/\tau$. Using all data is
    therefore worth up to $\epsilon/(1-e^{-\epsilon})$ times as many records."""
    for name in (*WORTH, FEWER):
        yield from certified(name, effort)
    for mean, trees, e in POISSON:
        share, full = _worth(mean, trees, e)
        data = {"records": mean, "trees": trees, "epsilon": e}
        yield same(_poisson_error(mean / trees, e), 0.5 * math.exp(-share), **data)
        yield decisive(same(_poisson_error(mean, e / trees), 0.5 * math.exp(-full), **data))
    at_one = -100 * math.expm1(-0.01) / -math.expm1(-1)
    return note(
        "At every epsilon and number of trees all data are worth 1 to epsilon/(1 - e^-epsilon) times the "
        f"records of the shares; with 100 trees at epsilon 1 {at_one:.3f} times.",
        quantity="probability of the wrong label",
    )


def _poisson_error(mean, epsilon):
    """Probability of the other label, summed over the number of records."""
    n, law = _poisson(mean)
    return float(law @ majority.gap_error(n, epsilon))


@CLASSES("rdf/all-data-records/classes", "section 4.2", ours=True, **over(*CURVED, FEWER))
def poisson_classes(effort, rng):
    r"""With $k$ classes permute-and-flip mislabels a leaf of Poisson($\lambda$) records of one class with
    probability $1 - \frac1k \sum_{i<k} (-1)^i \binom{k}{i+1} e^{-\lambda(1-e^{-i\epsilon})}$. For $k \ge 3$ and
    $\epsilon \le \ln\frac43$ one of $\tau$ parts at $\epsilon$ is better than all data at $\epsilon/\tau$ if
    $\lambda$ is small; for $k = 2$ it never is."""
    for name in (*CURVED, FEWER):
        yield from certified(name, effort)
    sums = list(product((2, 3, 10), (0.5, 20), (0.01, 1.0)))
    for k, mean, e in sums:
        n, law = _poisson(mean)
        counts = np.zeros((len(n), k))
        counts[:, 0] = n
        wrong = 1 - majority.one_sided_law(counts, e)[:, 0]
        yield same(law @ wrong, _error(mean, e, k), classes=k, records=mean, epsilon=e)
    share, full = _error(0.2, 1.0, 4), _error(20, 0.01, 4)
    yield decisive(need(share < full, share, "<", full, classes=4, records=20, trees=100))
    last = {k: brentq(lambda m, k=k: _error(m / 100, 1.0, k) - _error(m, 0.01, k), 1, 400) for k in (3, 4, 10)}
    widest = ", ".join(f"{m:.1f} with {k}" for k, m in last.items())
    return note(
        "What a few records are worth is convex in epsilon up to ln(4/3) with three classes or more. With 100 "
        f"trees at epsilon 1 shares are better up to a mean of {widest} classes.",
        quantity="probability of the wrong label, of a share against all data: 4 classes, 20 records, 100 trees",
    )


def _error(mean, epsilon, classes):
    return float(random_forest.poisson_error(mean, epsilon, classes))


@AVERAGE(
    "rdf/figure-5b",
    "section 4.2, figure 5b and footnote 3",
    "assumes",
    quantity="average over the nonempty leaves, of shares and of all data",
    **over("rdf/figure-5b:few", "rdf/figure-5b"),
)
def figure_5b(effort, rng):
    r"""The average of $e^{-j\epsilon}$ over the nonempty leaves is substantially smaller with disjoint data than
    with all data. (If each leaf has records of one class only, this holds as long as the records are few.)"""
    yield from certified("rdf/figure-5b:few", effort, broken="fails")
    yield from certified("rdf/figure-5b", effort)
    turn = brentq(lambda m: _average(m / 100, 1.0)[0] - _average(m, 0.01)[0], 1, 400)
    return (
        "Without empty leaves the order holds for few records: with 100 trees at epsilon 1 it turns at a mean of "
        f"m = {turn:.1f} records of all data in a leaf, and it is the other one for all {{refuted}}."
    )


def _average(mean, epsilon):
    """Mean of e^(-epsilon N), N Poisson: given N > 0, and without condition."""
    n, law = _poisson(mean)
    terms = law * np.exp(-epsilon * n)
    return float(terms[1:].sum() / -math.expm1(-mean)), float(terms.sum())


@AVERAGE.corrected(figure_5b, where="section 4.2, figure 5b", **over(FEWER))
def average_of_all_leaves(effort, rng):
    r"""For leaves of Poisson($\lambda$) records of one class, empty ones included, the mean of $e^{-j\epsilon}$ is
    $e^{-\lambda\tau^{-1}(1-e^{-\epsilon})}$ with disjoint parts, which is larger than
    $e^{-\lambda(1-e^{-\epsilon/\tau})}$ with all data at $\epsilon/\tau$."""
    yield from certified(FEWER, effort)
    for mean, t, e in POISSON:
        share, full = _average(mean / t, e)[1], _average(mean, e / t)[1]
        data = {"records": mean, "trees": t, "epsilon": e}
        for summed, worth in zip((share, full), _worth(mean, t, e)):
            yield same(summed, math.exp(-worth), **data)
    yield decisive(need(share > full, share, ">", full, **data))
    return note(
        "With more than one tree a share's exponent is the smaller one. With {records} records in a leaf on "
        "average, {trees} trees and epsilon {epsilon:g}, the mean is {stated:.4f} with all data and {exact:.4f} "
        "with shares.",
        quantity="average of shares, 120 records on average, 100 trees, epsilon 1",
    )


def _deals(a, b, trees):
    """(records of each class, probability) of a share of (a, b), in fractions."""
    stays = Fraction(1, trees)
    for i, k in product(range(a + 1), range(b + 1)):
        ways = math.comb(a, i) * math.comb(b, k)
        yield i, k, ways * stays ** (i + k) * (1 - stays) ** (a + b - i - k)


def _flips(a, b, trees):
    """Chance that a label of a nonempty share of (a, b) is not the share's majority, at e^(-epsilon) = 1/2."""
    flipped = sum(p / 2 ** (abs(i - k) + 1) for i, k, p in _deals(a, b, trees) if i != k)
    return flipped / (1 - (1 - Fraction(1, trees)) ** (a + b))


@FLIPS(
    "rdf/more-trees-more-flips",
    "section 4.4, figure 8, read for a single leaf",
    "fails",
    "majority.one_sided_law",
    "majority.disjoint_error",
    about="reading",
    quantity="probability of a flip",
)
def more_flips(effort, rng):
    """With more trees the label of a nonempty leaf is more often not the most frequent one in the leaf. (Read for
    each leaf; the paper's sentence is about the mean over a forest.)"""
    leaves = [x for x in majority.leaves(effort.pick(5, 7, 10), 2) if x[0] >= x[1] and sum(x)]
    numbers = effort.pick((1, 2, 3, 5, 10), (1, 2, 3, 5, 10, 30), range(1, 31))
    steps = list(product(sorted(leaves, key=sum), pairwise(numbers)))
    fewer = 0
    for x, (s, t) in steps:
        before, after = _flips(*x, s), _flips(*x, t)
        data = {"counts": list(x), "trees": [s, t], "exp(-epsilon)": "1/2"}
        yield need(after >= before, after, ">=", before, **data, flipped=[before, after])
        fewer += after < before
    return note(
        f"In {fewer} of {len(steps)} steps it becomes rarer: the label of ({{counts[0]}}, {{counts[1]}}) flips "
        "with probability {flipped[0]} with {trees[0]} tree and {flipped[1]} with {trees[1]}, at e^(-epsilon) = "
        "1/2. A share can tie, and no label of a tie is wrong.",
        range=f"two classes, up to {sum(leaves[-1])} records and {max(numbers)} trees, e^epsilon = 2",
    )


@FLIPS.corrected(more_flips, "majority.disjoint_error", where="section 4.4, figure 8", **over(*WRONG))
def more_wrong_labels(effort, rng):
    """In every leaf of two classes with a majority and at most six records of the other class, a label from one
    tree's part of the data differs from the majority of the whole leaf more often if there are more trees."""
    for name in WRONG:
        yield from certified(name, effort)
    one, many = (float(majority.disjoint_error(3, 1, 1.0, t)) for t in (1, 100))
    yield decisive(need(many > one, many, ">", one, counts=[3, 1], epsilon=1.0))
    tails = {d: Fraction(1, 2 ** (abs(d) + 1)) for d in range(-1, 4)}  # at e^(-epsilon) = 1/2
    exact = sum(p * (tails[i - k] if i >= k else 1 - tails[i - k]) for i, k, p in _deals(3, 1, 2))
    yield same(exact, majority.disjoint_error(3, 1, math.log(2), 2))
    return note(
        "On (3, 1) at epsilon 1 a label differs from the majority with probability {stated:.4f} with one tree and "
        "{exact:.4f} with 100.",
        quantity="probability of the wrong label",
    )


@FLIPS(
    "rdf/flips-20", "section 4.4, figure 8", "holds", "majority.smooth_exponential_law", "majority.one_sided_law"
)
def flips_20(effort, rng):
    r"""At $\epsilon = 1$ the proportion of labels changed to preserve privacy remains around 5 to 20%, even with
    30,000 records split among 100 trees. (Read for the upper end, as an average over nonempty leaves of two
    classes, with the published mechanism and with ROSNAM: it is about 20% for any number of trees.)"""
    leaves = [x for x in majority.leaves(effort.pick(10, 30, 100), 2) if x[0] != x[1]]
    rosnam = max(float(majority.one_sided_law(x, 1.0).min()) for x in leaves)
    for x in leaves:
        changed = float(majority.smooth_exponential_law(x, 1.0).min())
        gap = abs(x[0] - x[1])
        yield need(round(changed, 2) <= 0.2, round(changed, 2), "<=", 0.2, gap=gap, changed=changed)
    yield need(round(rosnam, 2) <= 0.2, round(rosnam, 2), "<=", 0.2)
    ten = 1 - float(majority.smooth_exponential_law([1] + 9 * [0], 1.0)[0])
    return note(
        f"Of {len(leaves)} leaves with a majority the worst has gap {{gap}}: it is "
        f"changed with probability {{changed:.4f}}, by ROSNAM with {rosnam:.4f}. Leaves of one record "
        f"have this gap, so it is also the limit of many trees. With ten classes it would be {ten:.4f}.",
        range=f"leaves of two classes of up to {sum(leaves[-1])} records, epsilon 1",
        cases=2 * len(leaves),
        quantity="probability of a flip, to two digits",
    )
