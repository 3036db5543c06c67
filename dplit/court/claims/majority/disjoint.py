r"""Claims of RDF, sections 4.2 and 5.1, and ours: all data or a share; :math:`\tau` is the number of trees."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.polynomial import Polynomial
from scipy.stats import binom, poisson

from dplit import majority
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import Statement, certified, over
from dplit.court.ledger.compare import at_most, decisive, need, note, same
from dplit.mechanisms import PermuteAndFlip, SmoothExponential

ALL_DATA = Box("thm-all-data", "majority.all_data_error", "majority.disjoint_error", quantity="error of a label")
CLASSES = Box("thm-shares-classes", "majority.unanimous_disjoint_error", "majority.unanimous_error")
SCALING = Box("rem-scaling", "majority.gap_error", "majority.smooth_exponential_law")


@ALL_DATA(
    "rdf/inequality-14",
    "section 4.2, inequality 14",
    "holds",
    "majority.smooth_exponential_law",
    quantity="exponent of the left side, against that of the right",
    **over("rdf/inequality-14"),
)
def inequality_14(effort, rng):
    r"""When $\mathrm{E}[j] \propto n$, $\exp(\epsilon/(2e^{-j\epsilon/\tau})) >
    \exp((\epsilon/\tau)/(2e^{-j\epsilon/\tau}))$. (Read for a label of score 1, $\tau > 1$, and a part with gap
    exactly $j/\tau$. The left side is the $\tau$-th power of the right, so this says that $\tau > 1$.)"""
    yield from certified("rdf/inequality-14", effort)
    for trees, e, i in product((2, 10), (0.1, 2.0), range(3)):  # gap i in a share, gap tau i in all data
        yield same(_exponent(i, e), trees * _exponent(trees * i, e / trees), trees=trees, epsilon=e, gap=trees * i)
    words = "At every gap and budget e the left exponent is t times the right one, t being the number of trees and"
    return words + " x = e^(-j epsilon/t): {statement}."


def _exponent(gap, epsilon):
    """Log-odds that the published mechanism gives the majority; its score over a tie's at gap 0."""
    return float(-SmoothExponential(epsilon).log_odds([gap, 0])[1]) if gap else epsilon / 2


@ALL_DATA("rdf/disjoint-better", "section 4.2, kept by the addendum", "fails", about="reading")
def disjoint_better(effort, rng):
    r"""When $\mathrm{E}[j] \propto n$, good-scoring labels have a higher chance with disjoint subsets at
    $\epsilon$ than with all data at $\epsilon/\tau$. (Read for the label of a leaf from a random subset, and also
    for ROSNAM, the addendum's mechanism, with which "the remainder of the original paper's algorithm is
    unaffected". For the paper's mechanism at gaps of exactly $j$ and $j/\tau$ it is true: `rdf/inequality-14`.)"""
    n = effort.pick(6, 9, 16)
    for a, trees, epsilon in product(range(1, n), (2, 3, 10), (0.1, 1.0, 3.0)):
        share, all_data, data = _label_errors(a, 0, trees, epsilon)
        yield at_most(share, all_data, 1e-12, **data)  # a share's mean gap is the gap over tau
    smooth = {j: _published_errors(j, 2, 1.0) for j in range(1, 20)}
    turn = 1 + max(j for j, (full, part) in smooth.items() if part <= full)  # more on all after it
    return note(
        "With ROSNAM, on the leaf {counts} with {trees} trees at epsilon {epsilon:g}, the label of a share is "
        "wrong with probability {exact:.5f}, that of all data with {stated:.5f}; this is one of {cases} cases. "
        "With the published mechanism, two trees and epsilon 1, the share errs less on (1, 0), "
        f"{smooth[1][1]:.5f} against {smooth[1][0]:.5f}, and more from ({turn}, 0) on.",
        range=f"leaves of one class, of two, with fewer than {n} records, so that the mean "
        "gap is proportional to them, 2, 3 and 10 trees, epsilon 0.1, 1 and 3",
    )


def _label_errors(a, b, trees, epsilon):
    """Error of a share's label, that of all data, and the data of the case."""
    share = majority.disjoint_error(a, b, epsilon, trees)
    all_data = float(majority.all_data_error(a, b, epsilon, trees))
    return share, all_data, {"counts": [a, b], "trees": trees, "epsilon": epsilon}


def _published_errors(n, trees, epsilon):
    """Errors of the published mechanism on (n, 0), whose all-data gap is n: all data, share."""
    law = majority.smooth_exponential_law
    shares = law([[i, 0] for i in range(n + 1)], epsilon)[:, 1]
    all_data = law([n, 0], epsilon / trees)[1]
    return float(all_data), float(binom.pmf(np.arange(n + 1), n, 1 / trees) @ shares)


@ALL_DATA.corrected(disjoint_better, where="section 4.2")
def all_data_better(effort, rng):
    r"""With ROSNAM and two classes, a label from all data at $\epsilon/\tau$ is never wrong more often than a
    label at $\epsilon$ from a random one of $\tau$ parts, and on every leaf with a majority it is wrong less
    often."""
    n = effort.pick(10, 16, 40)
    counts = [(a, b) for a in range(1, n) for b in range(min(a + 1, n))]
    for (a, b), *rest in product(counts, (2, 3, 5, 10), (0.05, 0.3, 1.0, 3.0)):
        share, all_data, data = _label_errors(a, b, *rest)
        good = share > all_data if a > b else share >= all_data * (1 - 1e-12)
        yield need(good, share, ">=", all_data, **data)
    for x in ((1, 0, 2), (2, 2, 3), (5, 3, 3), (3, 1, 2)):
        all_data, share = _rational_label_errors(*x)
        *found, data = _label_errors(*x, x[2] * math.log(2))
        yield same(share, found[0], **data)
        yield same(all_data, found[1], **data)
        yield decisive(need(share >= all_data, share, ">=", all_data, **data))
    return note(
        "It is proved, and confirmed in {cases} comparisons with binomial shares; on (3, 1) with two "
        f"trees and e^(-epsilon/2) = 1/2 the errors are the fractions {all_data} and {share}.",
        range=f"leaves of two classes with fewer than {n} records each, 2 to 10 trees, epsilon 0.05 to 3",
    )


def _rational_label_errors(a, b, trees):
    """All data and share, in fractions, at the epsilon for which e^(-epsilon/trees) is 1/2."""
    q = Fraction(1, 2**trees)
    tails = {d: q**d / 2 if d >= 0 else 1 - q**-d / 2 for d in range(-b, a + 1)}
    share = sum(
        math.comb(a, i) * math.comb(b, k) * (trees - 1) ** (a + b - i - k) * tails[i - k]
        for i, k in product(range(a + 1), range(b + 1))
    )
    return Fraction(1, 2 ** (a - b)) / 2, share / trees ** (a + b)


@ALL_DATA("rdf/disjoint-vote", "section 4.2", "holds", "majority.all_data_vote_error",
          "majority.disjoint_vote_error", ours=True, proved=False, kind="certified",
          quantity="probability of a wrong vote, of all data against shares")  # fmt: skip
def disjoint_vote(effort, rng):
    r"""With ROSNAM, let at most ten trees share one leaf of two classes with at most 12 records of each. In every
    leaf that was computed, at every $\epsilon$, the vote of these trees is wrong no more often with all data than
    with parts."""
    n, trees = effort.pick((6, (2, 3, 5)), (8, (2, 3, 5)), (13, (2, 3, 4, 5, 7, 10)))
    for (a, b, t), shares in _share_votes(n, trees).items():
        full, data = _all_data_votes(a - b, t), {"counts": [a, b], "trees": t}
        one = Statement(f"{t ** (a + b)}*({_text(full)}) <= {_text(shares, t)}", {"r": [0, 1]}, means=str(data))
        yield from certified(one, effort)
        stated = full(Fraction(math.exp(-1 / t))) / 2 ** (t + 1)  # epsilon 1
        yield same(majority.all_data_vote_error(a, b, 1.0, t), stated, **data)
        stated = shares(Fraction(math.exp(-1))) / (2 ** (t + 1) * t ** (a + b))
        yield decisive(same(majority.disjoint_vote_error(a, b, 1.0, t), stated, **data))
    return note(
        "For each leaf and number t of trees a polynomial in e^(-epsilon/t) shows that the vote errs no more "
        "often with all data; on {counts} the vote of {trees} trees from shares errs with probability "
        "{exact:.4f} at epsilon 1.",
        range=f"every epsilon; leaves of two classes with fewer than {n} records each, up to {max(trees)} trees",
    )


ODDS = Polynomial(np.array([0, 1], dtype=object))  # coefficients are whole numbers


def _share_votes(n, trees):
    """Chance of a wrong vote, a tie half a one, times 2^(t + 1) t^(a + b), in powers of e^-epsilon."""
    law, found = {(0, 0, 0): ODDS**0}, {}
    twice = {d: ODDS**d if d >= 0 else 2 - ODDS**-d for d in range(-n, n)}  # the chance of a wrong label
    for t in range(1, max(trees) + 1):
        dealt = defaultdict(int)
        for (i, k, wrong), ways in law.items():
            for a, b in product(range(i, n), range(k, n)):
                part = ways * (math.comb(a, i) * math.comb(b, k))  # a - i and b - k records are this tree's
                errs = part * twice[a - i - b + k]
                dealt[a, b, wrong] += 2 * part - errs
                dealt[a, b, wrong + 1] += errs
        law = dealt
        for b, a in combinations(range(n), 2) if t in trees else ():
            found[a, b, t] = _of_more_than_half({w: law[a, b, w] for w in range(t + 1)}, t)
    return found


def _all_data_votes(gap, trees):
    """The same of all data, times 2^(trees + 1), in powers of e^(-epsilon/trees)."""
    twice = ODDS**gap
    law = {w: math.comb(trees, w) * twice**w * (2 - twice) ** (trees - w) for w in range(trees + 1)}
    return _of_more_than_half(law, trees)


def _of_more_than_half(law, trees):
    """Twice the mass of more than half, and that of a half."""
    return sum(((2 * wrong > trees) + (2 * wrong >= trees)) * ways for wrong, ways in law.items())


def _text(polynomial, step=1):
    """In powers of r^step."""
    return " + ".join(f"{c}*r**{step * k}" for k, c in enumerate(polynomial.coef) if c)


@SCALING("rdf/scaling", "section 5.1, figure 9", "loose", about="reading", proved=True, quantity="factor of data")
def scaling(effort, rng):
    r"""3,000,000 records at $\epsilon = 0.1$ can achieve results comparable to those of 30,000 at $\epsilon = 1$:
    a hundred times the data make up for a tenth of the budget. (Read for the label of one leaf of two classes
    whose gap grows with the data. The forests of figure 9 are an experiment with an entry of its own.)"""
    errors = {
        "ROSNAM": lambda j, e: math.log(2 * majority.gap_error(j, e)),
        "the published mechanism": lambda j, e: -math.log(e / 2) - e * j,
    }
    most = effort.pick(9, 19, 34)
    for (label, error), j in product(errors.items(), range(1, most + 1)):
        yield at_most(_data_needed(error, j), 100.0, label=label, gap=j)
    return note(
        "A leaf's gap must grow by a factor of 10 for ROSNAM, and by more for the published mechanism "
        "at small gaps; of {cases} cases the most is {exact:.2f}, for {label} at gap {gap}.",
        range=f"two classes, gaps 1 to {most} at epsilon 1, both labels",
    )


def _data_needed(error, j):
    """The factor of the gap at which epsilon 0.1 errs as little as epsilon 1 at gap j, by bisection."""
    low, high = 1.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = error(middle * j, 0.1) <= error(j, 1.0)
        low, high = (low, middle) if enough else (middle, high)
    return high


@SCALING.corrected(
    scaling,
    "majority.gap_error",
    "majority.second_label",
    where="section 5.1, figure 9",
    quantity="probability of the wrong label, at a tenth of the budget against the whole",
)
def ten_times_suffice(effort, rng):
    r"""With ROSNAM and two classes, ten times the data suffice for a tenth of the budget. The error depends on
    $\epsilon j$ only. On average, the label of a leaf with ten times the records at $\epsilon/10$ is wrong no more
    often than the label of the original leaf at $\epsilon$."""
    sizes = effort.pick((1, 5, 30), (1, 5, 30, 99), range(1, 200, 7))
    for share, n in product((0.55, 0.7, 0.9, 1.0), sizes):
        yield _tenfold(n, share)
    gaps = np.arange(300)
    errors = majority.gap_error(gaps, 1.0), majority.gap_error(10 * gaps, 0.1)
    for j, error, tenfold in zip(gaps.tolist(), *errors):
        yield same(tenfold, error, gap=j)
    yield decisive(_tenfold(30, 0.55))
    return note(
        "At proportional gaps the errors are equal. A leaf of {records} records, {share:.0%} of one class, "
        "misses that class with probability {stated:.4f} at epsilon 1; one of ten times as many at epsilon 0.1 "
        "with {exact:.4f}.",
        range=f"leaves of {sizes[0]} to {sizes[-1]} records of two classes, shares 0.55 to 1; gaps up to 299",
    )


def _tenfold(records, share):
    """A leaf of ten times the records at a tenth of the budget errs no more."""
    one, ten = (_drawn_error(records * m, share, 1.0 / m) for m in (1, 10))
    return need(ten <= one * (1 + 1e-9), ten, "<=", one, records=records, share=share)


def _drawn_error(records, share, epsilon):
    """Probability of the other label when each record is of the majority class with this chance."""
    majority_count = np.arange(records + 1)
    wrong = majority.second_label(2 * majority_count - records, epsilon)
    return float(binom.pmf(majority_count, records, share) @ wrong)


def _error(x, weight):
    """Probability of a label other than the first of leaf x, in fractions; e^epsilon is `weight`."""
    return 1 - PermuteAndFlip.rational_law([weight**c for c in x])[0]


def _share_error(x, weight, trees):
    """The same where each record of x stays with probability 1 / trees, over every part of x."""
    total = Fraction(0)
    for part in product(*(range(c + 1) for c in x)):
        ways = math.prod(map(math.comb, x, part)) * (trees - 1) ** (sum(x) - sum(part))
        total += ways * _error(part, weight)
    return total / trees ** sum(x)


@CLASSES(
    "rdf/disjoint-better/classes",
    "section 4.2, kept by the addendum",
    ours=True,
    quantity="probability of a wrong label, of a share against all data",
)
def shares_of_three_classes(effort, rng):
    r"""Let ROSNAM label leaves of $k \ge 3$ classes. A label at $\epsilon$ from one of $\tau$ parts is wrong less
    often than a label from all data at $\epsilon/\tau$ on every unanimous leaf of $n \ge 1$ records with small
    enough $\epsilon n$ (below $\log\frac43$ for $k = 3$). The same holds on some mixed leaves, such as $(2, 1, 0)$
    with 2 trees at $e^{\epsilon/2} = 11/10$."""
    tenth = Fraction(11, 10)  # e^(epsilon / 2)
    epsilon, small, most = 2 * math.log(1.1), [], effort.pick(20, 40, 80)
    for x in ((1, 0, 0), (2, 1, 0)):
        share, full = _share_error(x, tenth**2, 2), _error(x, tenth)
        data = {"counts": list(x), "trees": 2, "epsilon": epsilon}
        yield decisive(need(share < full, share, "<", full, **data), x == (1, 0, 0))
        small.append(f"{float(share):.6f} from a share and {float(full):.6f} from all data")
        if x == (1, 0, 0):
            yield same(share, majority.unanimous_disjoint_error(1, 3, epsilon, 2), **data)
    for n, trees in product(range(1, most), (2, 10, 100)):
        epsilon = 0.999 * math.log(4 / 3) / n
        share = majority.unanimous_disjoint_error(n, 3, epsilon, trees)
        full = majority.unanimous_error(n, 3, epsilon / trees)
        data = {"counts": [n, 0, 0], "trees": trees, "epsilon": epsilon}
        yield need(share < full, share, "<", full, **data)
    wins = {k: _last_win(k, effort.pick(200, 300, 400)) for k in (4, 10)}
    for k, stated in {4: 46, 10: 154}.items():
        yield same(wins[k], stated, classes=k)
    return note(
        f"In fractions, (1, 0, 0) errs with {small[0]}, (2, 1, 0) with {small[1]}. At epsilon 1 and 100 "
        f"trees shares are better on unanimous leaves up to {wins[4]} records of 4 classes, and up to "
        f"{wins[10]} of 10.",
        range=f"(1, 0, 0) and (2, 1, 0) in fractions; (n, 0, 0) for n below {most}, 2, 10 and 100 trees",
    )


def _last_win(classes, most):
    """Records up to which shares are better on every unanimous leaf, at epsilon 1 and 100 trees."""
    better = [
        majority.unanimous_disjoint_error(n, classes, 1.0, 100) < majority.unanimous_error(n, classes, 0.01)
        for n in range(1, most)
    ]
    return better.index(False) if not any(better[better.index(False) :]) else -1


@SCALING(
    "rdf/scaling/classes",
    "section 5.1, figure 9",
    "holds",
    "majority.unanimous_error",
    "majority.one_sided_law",
    ours=True,
    quantity="probability of a wrong label, at a tenth of the budget against the whole",
)
def ten_times_with_classes(effort, rng):
    r"""With ten classes, the label of a unanimous leaf with a Poisson number of records of mean 0.1, 0.5 or 1 at
    $\epsilon = 1$ is wrong less often than with ten times the mean at $\epsilon = 0.1$. If every count is exactly
    ten times as large, the distribution of the label is the same, for any number of classes."""
    drawn = []
    for mean in (0.1, 0.5, 1.0):
        one, ten = _poisson_error(mean, 10, 1.0), _poisson_error(10 * mean, 10, 0.1)
        yield decisive(need(ten > one, ten, ">", one, mean=mean), mean == 0.5)
        drawn.append(f"{one:.4f} and {ten:.4f} for the mean {mean:g}")
    leaves = np.array(majority.leaves(effort.pick(4, 5, 7), 4))
    laws = majority.one_sided_law(10 * leaves, 0.1), majority.one_sided_law(leaves, 1.0)
    for x, *law in zip(leaves.tolist(), *laws):
        for tenfold, p in zip(*law):
            yield same(tenfold, p, counts=x)
    return note(
        "Labels at epsilon 1, and at 0.1 with ten times the mean, are wrong with probability "
        f"{', '.join(drawn)}. At ten times the counts the distributions of {len(leaves)} leaves of four classes "
        "are the same.",
        range=f"ten classes with means 0.1, 0.5 and 1; leaves of four classes up to {leaves[-1].sum()} records",
    )


def _poisson_error(mean, classes, epsilon):
    """Error on a unanimous leaf with a Poisson number of records, up to 40 + 20 times the mean."""
    n = np.arange(40 + int(20 * mean))
    return float(poisson.pmf(n, mean) @ majority.unanimous_error(n, classes, epsilon))
