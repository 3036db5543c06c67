"""Claims of MRF, section 3.2, equation 5 and algorithm 1: what a leaf holds and how deep it lies."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from scipy.stats import poisson

from dplit import consistency
from dplit.court.claims.consistency._counted import BUDGETS, depth_law, leaf_law
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, below, decisive, frequency, need, note, same

OCCUPANCY = Box("thm-consistency-occupancy", "consistency.leaf_count_law")
DEPTH = Box("thm-consistency-depth", "consistency.depth_law", "consistency.ideal_paths")
TAIL = Box("thm-consistency-tail", "consistency.leaf_tail_bound", "consistency.observed_paths")
ORDERINGS = "k up to 5, every small n, all orderings of the cut and the points"
INDUCTION = "mrf/stopping/corrected", "mrf/stopping/corrected:sum"


def _small(ks, most, least=1):
    """(k, n) of every small node that is split."""
    return [(k, n) for k, n in product(ks, range(least, most)) if n > k]


def _few(k):
    """Stated probability of at most k/2 points in X's leaf."""
    return consistency.leaf_count_law(k)[: k // 2 + 1].sum()


@OCCUPANCY(
    "mrf/stopping", "Section 3.2; the proof of theorem 1", "assumes", quantity="P(fewer than k)", range=ORDERINGS
)
def stopping(effort, rng):
    """The number of estimation points is required to be at least $k$ for every leaf. This assumes that a cut is a
    candidate only if both children keep $k$ estimation points, as the text can be read; algorithm 1 asks for more
    than $k$ points before a cut, not after it."""
    nodes = _small(range(1, 6), effort.pick(9, 14, 20), least=2)
    for k, n in nodes:
        yield at_most(_fewer_by_the_text(n, k), 0.0, broken="fails", k=k, n=n)
    for k, n in nodes:
        yield at_most(sum(leaf_law(n, k)[:k]), 0.0)
    k, n = nodes[0]
    return (
        f"by algorithm 1, n = {n} points, k = {k}: the leaf holds fewer with probability {{exact:.4f}}, cuts "
        "uniform in ranks; by the text's rule it never does"
    )


@cache
def _fewer_by_the_text(n, k):
    """Probability that X's leaf holds fewer than k of n points where both children of a cut keep k."""
    places = list(product(range(k, n - k + 1), range(n + 1)))  # points left of the cut, and of X
    if not places:
        return float(n < k)
    return sum(_fewer_by_the_text(j if x <= j else n - j, k) for j, x in places) / len(places)


@OCCUPANCY.corrected(stopping, quantity="probability of m points in X's leaf", **over(*INDUCTION))
def stopping_corrected(effort, rng):
    r"""Leaves of algorithm 1 hold at most $k$ points. If cuts are uniform in the cell's ranks ($B_1 = B_2 = 0$),
    then for every distribution without atoms and any $n > k$, $X$'s leaf holds $m \le k$ points with probability
    $2(m+1)/((k+1)(k+2))$, so it holds $k$ points with probability only $2/(k+2)$."""
    law = lambda n, k, m: 2 * (m + 1) / ((k + 1) * (k + 2))  # noqa: E731
    yield from certified(INDUCTION[0], effort, right=law)
    yield from certified(INDUCTION[1], effort)
    for k, n in ((0, 3), (2, 7), (5, 9)):
        for m, (true, stated) in enumerate(zip(leaf_law(n, k), consistency.leaf_count_law(k))):
            yield same(true, stated, k=k, n=n, m=m)
    return "For every n, k and m, by induction over n: {statement}"


@OCCUPANCY(
    "mrf/occupancy",
    "ours",
    "holds",
    "consistency.leaf_count_law",
    "consistency.ideal_paths",
    intervals=9,
    quantity="probability of at most k/2 points in X's leaf",
    proved=False,
)
def occupancy(effort, rng):
    r"""Drawn paths whose cuts are uniform in ranks end in a leaf of $m$ points with probability
    $2(m+1)/((k+1)(k+2))$, for 200 and 100,000 records, with one feature and with five."""
    draws = effort.pick(20_000, 200_000, 10**6)
    for (n, features), k in product(((200, 1), (200, 5), (100_000, 2)), (5, 20, 100)):
        counts = consistency.ideal_paths(n, k, features, draws, rng=rng).counts
        yield frequency(counts <= k // 2, _few(k), n=n, D=features, k=k)
    return note(
        "In {cases} settings the interval holds the exact probability of at most k/2 points; for n = {n}, "
        "D = {D}, k = {k} the simulated one is {exact:.4f} and the exact one {stated:.4f}.",
        range=f"n = 200 and 100,000, k = 5, 20, 100, {draws} paths each",
    )


@OCCUPANCY(
    "mrf/occupancy/observed",
    "ours; algorithm 1",
    "holds",
    "consistency.leaf_count_law",
    "consistency.observed_paths",
    intervals=6,
    quantity="distance of the share of leaves with at most k/2 points",
    proved=False,
)
def occupancy_observed(effort, rng):
    """With cuts at midpoints of structure points and $B_1 = B_2 = 0$, the share of leaves with at most $k/2$
    points is within .1 of that in `mrf/occupancy` for $k$ = 5, 20 and 100. The share with more than $k$ points,
    whose structure points allow no cut, is between .3 % and 6 % at $k = 5$, and below 1 % at the other two."""
    draws, spans = effort.pick(3000, 30_000, 200_000), {}
    for k, more in {5: (0.003, 0.06), 20: (-1, 0.01), 100: (-1, 0.01)}.items():
        counts, stated = consistency.observed_paths(250, 250, k, 1, draws, rng=rng).counts, _few(k)
        few = frequency(counts <= k // 2, (stated - 0.1, stated + 0.1), k=k)
        off = max(abs(end - stated) for end in few.span)
        yield decisive(few._replace(exact=off, relation="<=", stated=0.1))
        yield (case := frequency(counts > k, more, k=k))
        spans[k] = case.span
    return note(
        "Leaves with more than k points have a share of {:.4f} to {:.4f} at k = 5 "
        "and of at most {:.4f} at k = 20. ".format(*spans[5], spans[20][1])
        + "Those with at most k/2 points have a share within {exact:.3f} of that in mrf/occupancy.",
        range=f"k = 5, 20, 100, 250 records in each half, {draws} data sets each",
    )


@OCCUPANCY(
    "mrf/equation-5",
    "Equation 5",
    "assumes",
    "consistency.empty_leaf",
    proved=True,
    quantity="probability that X's leaf is empty",
    range="k up to 5, every small n",
)
def equation_5(effort, rng):
    """The share of a class among the leaf's estimation points is well defined. This needs a leaf that is not
    empty. By section 3.2 no leaf is empty; by algorithm 1, with cuts uniform in ranks, $X$'s leaf is empty with
    probability $2/((k+1)(k+2))$, which is 1/21 at $k = 5$."""
    most = effort.pick(11, 16, 24)
    for k, n in _small(range(1, 6), most):
        yield same(leaf_law(n, k)[0], consistency.empty_leaf(k), broken="fails", k=k, n=n)
    empty = leaf_law(most, 5)[0]
    yield need(empty == Fraction(1, 21), empty, "=", 1 / 21, broken="fails", k=5)
    yield same(empty, 0)
    return f"k = 5: empty with probability {empty}, for every n; {{cases}} cases in fractions"


@DEPTH(
    "mrf/depth-law",
    "ours",
    "holds",
    "consistency.depth_law",
    "consistency.expected_depth",
    "consistency.poisson_distance_bound",
    quantity="probability of so many cuts above X's leaf",
    range="every small n and k in fractions; means and distances up to n = 100,000",
)
def depth(effort, rng):
    r"""With cuts uniform in ranks, for every distribution without atoms and $n > k$, the number of cuts above
    $X$'s leaf is 1 plus a sum of independent geometric numbers with means $2/j$, $j = k+1, \dots, n$. Its mean is
    $1 + 2(H_n - H_k)$. The number is within $8/k$ of 1 plus a Poisson number of mean $2(H_n - H_k)$ in total
    variation."""
    off = {}
    for k, n in _small(range(5), effort.pick(9, 13, 18)):
        law = np.append(consistency.depth_law(n, k), np.zeros(7))
        for i, p in enumerate(depth_law(n, k, 6)):
            yield decisive(same(p, law[i], atol=1e-14, n=n, k=k, cuts=i))
    for k, n in product((1, 10, 100, 1000), (2000, 100_000)):
        law = consistency.depth_law(n, k)
        mean = 1 + 2 * math.fsum(1 / j for j in range(k + 1, n + 1))
        yield same(law @ np.arange(law.size), mean, n=n, k=k)
        yield same(consistency.expected_depth(n, k), mean, n=n, k=k)
        model = np.append(0.0, poisson.pmf(np.arange(law.size - 1), mean - 1))
        off[k, n] = (np.abs(law - model).sum() + 1 - model.sum()) / 2
        yield below(off[k, n], consistency.poisson_distance_bound(k), n=n, k=k)
    return (
        "{cases} probabilities, means and distances are as stated. The Poisson distribution is at a distance of "
        f"{off[10, 2000]:.4f} at k = 10 and of {off[100, 2000]:.5f} at k = 100."
    )


@DEPTH(
    "mrf/depth-law/drawn",
    "ours",
    intervals=4,
    quantity="probability of at most the mean number of cuts",
    proved=False,
)
def depth_drawn(effort, rng):
    """For 1,000 and 1,000,000 records and for $k = 5$ and $k = 50$, the depths of drawn paths with cuts uniform in
    ranks have the distribution of `mrf/depth-law`."""
    draws = effort.pick(5000, 200_000, 10**6)
    for n, k in product((1000, 10**6), (5, 50)):
        law, cut = consistency.depth_law(n, k), round(consistency.expected_depth(n, k))
        shallow = consistency.ideal_paths(n, k, 3, draws, rng=rng).depth <= cut
        yield frequency(shallow, law[: cut + 1].sum(), n=n, k=k, cuts=cut)
    return note(
        "{cases} settings; n = {n}, k = {k}: at most {cuts} cuts {exact:.4f}, exact {stated:.4f}",
        range=f"n = 1,000 and 1,000,000, k = 5 and 50, {draws} paths each",
    )


@TAIL("mrf/leaf-tail", "ours", intervals=12, quantity="probability that X's leaf holds at most a k points")
def leaf_tail(effort, rng):
    r"""For every distribution without atoms, finite budgets, $k/\log n \to \infty$ and $k/n \to 0$, the count
    $|N^E(X)|$ of $X$'s leaf has $\limsup \Pr(|N^E(X)| \le ak) \le ra^2/(1 + (r-1)a^2)$ with $r = e^{B_2/2}$. (At
    the simulated sizes, $(m+1)(m+2)/((k+1)(k+2))$ with $m = ak$ replaces $a^2$, and a tenth is added. The step
    from equally likely candidates to weights within a factor $r$ of each other is tight.)"""
    draws, settings = effort.pick(400, 10_000, 100_000), [*product(BUDGETS, (20, 100), (0.0, 1.0))]
    for b, k, trend in settings:
        found, m = (consistency.observed_paths(400, 400, k, 2, draws, b, b, trend=trend, rng=rng), k // 5)
        share = math.sqrt((m + 1) * (m + 2) / ((k + 1) * (k + 2)))
        stated = min(1.0, 1.1 * float(consistency.leaf_tail_bound(share, b)))
        yield frequency(found.counts <= m, stated, "<=", B=b, k=k, trend=trend)
    for i, b in product((1, 2, 5, 9), BUDGETS):
        yield same(_worst_share(10, i, b), consistency.leaf_tail_bound(i / 10, b), i=i, B=b)
    return note(
        f"With a = 1/5 no interval lies above the bound in {len(settings)} settings; nearest is B1 = B2 = "
        "{B:g}, k = {k}: simulated {exact:.4f}, bound {stated:.4f}. "
        f"The worst of all weights attains the bound of the step in {4 * len(BUDGETS)} cases.",
        range=f"k = 20 and 100, noise and a trend, 400 records in each half, {draws} data sets each",
    )


def _worst_share(m, few, budget):
    """Largest probability of one of the first `few` of m even candidates, given that X falls to their side
    (in proportion to its size), over all weights that are 1 or r."""
    sizes, odds = np.arange(m) + 0.5, math.exp(budget / 2)
    weights = np.array(list(product((1.0, odds), repeat=m))) * sizes
    return float((weights[:, :few].sum(axis=1) / weights.sum(axis=1)).max())
