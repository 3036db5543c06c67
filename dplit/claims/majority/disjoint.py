r"""Claims of Fletcher and Islam (2017), sections 4.2 and 5.1: all data or a share, and how much of it.

The last two are ours, on three or more classes: where a share is better, and where ten times the data is not
enough. A leaf is a tuple of class counts, :math:`j` its gap, :math:`\tau` the number of trees.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.stats import binom, poisson

from dplit import majority
from dplit.ledger import Case, bounded, claim, of_equality, verdict_of
from dplit.mechanisms import PermuteAndFlip, SmoothExponential


@claim(
    "rdf/inequality-14",
    "section 4.2, inequality 14",
    "holds",
    "thm-all-data",
    ("majority.smooth_exponential_law",),
    proof="thm-all-data",
    quantity="exponent of the right side, against that of the left",
)
def inequality_14(effort, rng):
    r"""When $\mathrm{E}[j] \propto n$, $\exp(\epsilon/(2e^{-j\epsilon/\tau})) >
    \exp((\epsilon/\tau)/(2e^{-j\epsilon/\tau}))$ (read of a label of score 1, $\tau > 1$, and a share whose
    gap is $j/\tau$ exactly). (The left side is the
    $\tau$-th power of the right: the inequality says that $\tau > 1$.)"""
    grid = product((2, 3, 10, 100), (0.1, 0.5, 1.0, 2.0), range(effort.pick(4, 8, 16)))
    rows = [  # gap i at epsilon in a share, gap tau i at epsilon / tau in all data
        (tau, e, tau * i, _exponent(i, e), _exponent(tau * i, e / tau)) for tau, e, i in grid
    ]
    wrong = [row for row in rows if not row[3] > row[4]]
    power = of_equality([row[3] for row in rows], [row[0] * row[4] for row in rows])
    _, _, _, left, right = rows[1]
    return verdict_of(
        power == "holds" and not wrong,
        f"In all {len(rows)} cases the left exponent is tau times the right one, whatever the gap.",
        {"tau, epsilon, j, left, right": wrong[:1], "powers": power},
        cases=len(rows),
        published=left,
        computed=right,
        relation="<",
        range=f"2, 3, 10 and 100 trees, epsilon 0.1 to 2, gaps up to {effort.pick(3, 7, 15)} in a share",
    )


def _exponent(gap, epsilon):
    """Log-odds that the published mechanism gives the majority; its score over a tie's at gap 0."""
    return float(-SmoothExponential(epsilon).log_odds([gap, 0])[1]) if gap else epsilon / 2


@claim(
    "rdf/disjoint-better",
    "section 4.2, kept by the addendum",
    "fails",
    "thm-all-data",
    ("majority.all_data_error", "majority.disjoint_error"),
    about="reading",
    quantity="probability of the wrong label, of a share against all data",
)
def disjoint_better(effort, rng):
    r"""When $\mathrm{E}[j] \propto n$, good-scoring labels have a higher chance with disjoint subsets at
    $\epsilon$ than with all data at $\epsilon/\tau$ (read of the label of a leaf from a random share, and of
    the addendum's mechanism, ROSNAM, too, with which "the remainder of the original paper's algorithm is
    unaffected". Of the paper's mechanism at gaps of exactly $j$ and $j/\tau$ it is true, `rdf/inequality-14`)."""
    counts = [
        (a, 0) for a in range(1, effort.pick(6, 9, 16))
    ]  # a share's mean gap is the gap over tau
    cases = (_label_errors(*x, t, e) for x, t, e in product(counts, (2, 3, 10), (0.1, 1.0, 3.0)))
    smooth = {n: _published_errors(n, 2, 1.0) for n in range(1, 20)}
    turn = 1 + max(n for n, (full, part) in smooth.items() if part <= full)  # more on all after it
    return bounded(
        cases,
        "With ROSNAM, on {counts} with {trees} trees at epsilon {epsilon:g}, the share errs with "
        "{exact:.5f}, all data with {stated:.5f}, of {cases} cases. With the published mechanism, two "
        f"trees, epsilon 1, the share errs less on (1, 0), {smooth[1][1]:.5f} to {smooth[1][0]:.5f}, "
        f"and more from ({turn}, 0) on.",
        rtol=1e-12,
        range=f"leaves of one class, of two, with fewer than {effort.pick(6, 9, 16)} records, so that the mean "
        "gap is proportional to them, 2, 3 and 10 trees, epsilon 0.1, 1 and 3",
    )


def _label_errors(a, b, trees, epsilon):
    """Error of a share's label beside that of all data."""
    share = majority.disjoint_error(a, b, epsilon, trees)
    all_data = float(majority.all_data_error(a, b, epsilon, trees))
    return Case(share, all_data, {"counts": [a, b], "trees": trees, "epsilon": epsilon})


def _published_errors(n, trees, epsilon):
    """Errors of the published mechanism on (n, 0), whose all-data gap is n: all data, share."""
    law = majority.smooth_exponential_law
    shares = law([[i, 0] for i in range(n + 1)], epsilon)[:, 1]
    all_data = law([n, 0], epsilon / trees)[1]
    return float(all_data), float(binom.pmf(np.arange(n + 1), n, 1 / trees) @ shares)


@disjoint_better.corrected(
    functions=("majority.all_data_error", "majority.disjoint_error"),
    where="section 4.2",
    proof="thm-all-data",
    quantity="probability of the wrong label, of a share against all data",
)
def all_data_better(effort, rng):
    r"""With ROSNAM and two classes all data at $\epsilon/\tau$ never errs more than a share
    dealt at random at $\epsilon$, on any leaf; it errs less wherever there is a majority."""
    n = effort.pick(10, 16, 40)
    counts = [(a, b) for a in range(1, n) for b in range(min(a + 1, n))]
    cases = [
        _label_errors(*x, t, e) for x, t, e in product(counts, (2, 3, 5, 10), (0.05, 0.3, 1.0, 3.0))
    ]
    wrong = [
        c.data
        for c in cases
        if c.exact < c.stated * (1 - 1e-12)
        or (c.data["counts"][0] > c.data["counts"][1] and c.exact <= c.stated)
    ]
    for x in ((1, 0, 2), (2, 2, 3), (5, 3, 3), (3, 1, 2)):
        all_data, share = _rational_label_errors(*x)
        found = _label_errors(*x, x[2] * math.log(2))
        if of_equality([found.exact, found.stated], [share, all_data]) == "fails":
            wrong.append(found.data)
    return verdict_of(
        not wrong,
        f"It is proved, and confirmed in {len(cases)} cases of binomial shares; on (3, 1) with two "
        f"trees and e^(-epsilon/2) = 1/2 the errors are the fractions {all_data} and {share}.",
        wrong and wrong[0],
        cases=len(cases),
        published=float(all_data),
        computed=float(share),
        relation=">=",
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


@claim(
    "rdf/disjoint-vote",
    "section 4.2",
    "holds",
    "thm-all-data",
    ("majority.all_data_vote_error", "majority.disjoint_vote_error"),
    ours=True,
    quantity="probability of a wrong vote, of shares against all data",
)
def disjoint_vote(effort, rng):
    r"""Nor does the vote of $\tau$ trees that share one leaf of two classes err more with all
    data, in every computed case of at most 12 records a class and 20 trees."""
    n, trees = effort.pick((6, (2, 3, 5)), (8, (2, 3, 5, 8)), (13, (2, 3, 4, 5, 7, 10, 20)))
    counts = [(a, b) for a in range(1, n) for b in range(a)]
    cases = [(*x, e, t) for x, t, e in product(counts, trees, (0.1, 1.0, 4.0))]
    votes = [(majority.all_data_vote_error(*c), majority.disjoint_vote_error(*c)) for c in cases]
    wrong = [c for c, (all_data, shares) in zip(cases, votes) if all_data > shares + 1e-12]
    all_data, shares = votes[cases.index((3, 0, 1.0, 3))]
    return verdict_of(
        not wrong,
        f"{len(wrong)} exceptions in {len(cases)} leaves of fewer than {2 * n} records with up to "
        f"{max(trees)} trees; on (3, 0), three trees, epsilon 1: {all_data:.4f} with all data, "
        f"{shares:.4f} with shares.",
        {"a, b, epsilon, trees": wrong[:1]},
        cases=len(cases),
        published=all_data,
        computed=shares,
        relation=">=",
        range=f"leaves of two classes with fewer than {n} records each, up to {max(trees)} trees, epsilon "
        "0.1, 1 and 4",
    )


@claim(
    "rdf/scaling",
    "section 5.1, figure 9",
    "loose",
    "rem-scaling",
    ("majority.gap_error", "majority.smooth_exponential_law"),
    about="reading",
    proof="rem-scaling",
    quantity="factor of the data",
)
def scaling(effort, rng):
    r"""3,000,000 records at $\epsilon = 0.1$ can achieve results comparable to those of 30,000 at
    $\epsilon = 1$: a hundred times the data for a tenth of the budget. Here this is read of the label of one
    leaf of two classes whose gap grows with the data; what the forests of figure 9 do is a sentence about
    runs, with a claim of its own."""
    errors = {
        "ROSNAM": lambda j, e: math.log(2 * majority.gap_error(j, e)),
        "the published mechanism": lambda j, e: -math.log(e / 2) - e * j,
    }
    cases = (
        Case(_data_needed(error, j), 100.0, {"label": label, "gap": j})
        for label, error in errors.items()
        for j in range(1, effort.pick(10, 20, 35))
    )
    return bounded(
        cases,
        "A leaf's gap must grow by a factor of 10 for ROSNAM, and by more for the published mechanism "
        "at small gaps; of {cases} cases the most is {exact:.2f}, for {label} at gap {gap}.",
        range=f"two classes, gaps 1 to {effort.pick(9, 19, 34)} at epsilon 1, both labels",
    )


def _data_needed(error, j):
    """The factor of the gap at which epsilon 0.1 errs as little as epsilon 1 at gap j, by bisection."""
    low, high = 1.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = error(middle * j, 0.1) <= error(j, 1.0)
        low, high = (low, middle) if enough else (middle, high)
    return high


@scaling.corrected(
    functions=("majority.gap_error", "majority.second_label"),
    where="section 5.1, figure 9",
    proof="rem-scaling",
    quantity="probability of the wrong label, at a tenth of the budget against the whole",
)
def ten_times_suffice(effort, rng):
    r"""With ROSNAM and two classes ten times the data suffice for a tenth of the budget: only
    $\epsilon j$ matters, and a leaf drawn from ten times the records errs no more on average."""
    sizes = effort.pick((1, 5, 30), (1, 5, 30, 99), range(1, 200, 7))
    drawn = [
        (share, n, *(_drawn_error(n * m, share, 1.0 / m) for m in (1, 10)))
        for share, n in product((0.55, 0.7, 0.9, 1.0), sizes)
    ]
    wrong = [row for row in drawn if row[3] > row[2] * (1 + 1e-9)]
    gaps = np.arange(300)
    same = of_equality(majority.gap_error(10 * gaps, 0.1), majority.gap_error(gaps, 1.0))
    small, large = (_drawn_error(30 * m, 0.55, 1.0 / m) for m in (1, 10))
    return verdict_of(
        not wrong and same == "holds",
        "At proportional gaps the errors are equal. A leaf of 30 records, 55 percent of one class, "
        f"misses that class with probability {small:.4f} at epsilon 1; one of 300 at epsilon 0.1 "
        f"with {large:.4f}.",
        {"share, records, errors": wrong[:1], "at proportional gaps": same},
        cases=len(drawn) + len(gaps),
        published=small,
        computed=large,
        relation="<=",
        range=f"leaves of {sizes[0]} to {sizes[-1]} records of two classes, shares 0.55 to 1; gaps up to 299",
    )


def _drawn_error(records, share, epsilon):
    """Probability of the other label when each record is of the majority class with this chance."""
    majority_count = np.arange(records + 1)
    wrong = majority.second_label(2 * majority_count - records, epsilon)
    return float(binom.pmf(majority_count, records, share) @ wrong)


# Three or more classes ---------------------------------------------------------------------------


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


@claim(
    "rdf/disjoint-better/classes",
    "section 4.2, kept by the addendum",
    "holds",
    "thm-shares-classes",
    ("majority.unanimous_disjoint_error", "majority.unanimous_error"),
    ours=True,
    proof="thm-shares-classes",
    quantity="probability of a wrong label, of a share against all data",
)
def shares_of_three_classes(effort, rng):
    r"""With ROSNAM and $k \ge 3$ classes a share at $\epsilon$ errs less than all data at
    $\epsilon/\tau$ on every unanimous leaf of $n \ge 1$ records whose $\epsilon n$ is small enough, for
    $k = 3$ below $\log\frac43$; also on some mixed leaves, as $(2, 1, 0)$ with two trees and
    $e^{\epsilon/2} = 11/10$."""
    tenth = Fraction(11, 10)  # e^(epsilon / 2)
    small = [(x, _share_error(x, tenth**2, 2), _error(x, tenth)) for x in ((1, 0, 0), (2, 1, 0))]
    cases = [
        Case(
            float(share), float(full), {"counts": list(x), "trees": 2, "epsilon": 2 * math.log(1.1)}
        )
        for x, share, full in small
    ]
    for n, trees in product(range(1, effort.pick(20, 40, 80)), (2, 10, 100)):
        epsilon = 0.999 * math.log(4 / 3) / n
        share = majority.unanimous_disjoint_error(n, 3, epsilon, trees)
        full = float(majority.unanimous_error(n, 3, epsilon / trees))
        cases.append(Case(share, full, {"counts": [n, 0, 0], "trees": trees, "epsilon": epsilon}))
    law = majority.unanimous_disjoint_error(1, 3, 2 * math.log(1.1), 2)
    wins = {k: _last_win(k, effort.pick(200, 300, 400)) for k in (4, 10)}
    good = all(c.exact < c.stated for c in cases) and wins == {4: 46, 10: 154}
    return verdict_of(
        good and of_equality(law, cases[0].exact) == "holds",
        f"In fractions, (1, 0, 0) errs with {float(small[0][1]):.6f} from a share and "
        f"{float(small[0][2]):.6f} from all data, (2, 1, 0) with {float(small[1][1]):.6f} and "
        f"{float(small[1][2]):.6f}. At epsilon 1 and 100 trees shares are better on unanimous leaves up to "
        f"{wins[4]} records of 4 classes, and up to {wins[10]} of 10.",
        {
            "worse": [c.data for c in cases if c.exact >= c.stated][:1],
            "wins": str(wins),
            "law": law,
        },
        cases=len(cases),
        published=cases[0].stated,
        computed=cases[0].exact,
        relation="<",
        range=f"(1, 0, 0) and (2, 1, 0) in fractions; (n, 0, 0) for n below {effort.pick(20, 40, 80)}, 2, 10 and "
        "100 trees",
    )


def _last_win(classes, most):
    """Records up to which shares are better on every unanimous leaf, at epsilon 1 and 100 trees."""
    better = [
        majority.unanimous_disjoint_error(n, classes, 1.0, 100)
        < majority.unanimous_error(n, classes, 0.01)
        for n in range(1, most)
    ]
    return better.index(False) if not any(better[better.index(False) :]) else -1


@claim(
    "rdf/scaling/classes",
    "section 5.1, figure 9",
    "holds",
    "rem-scaling",
    ("majority.unanimous_error", "majority.one_sided_law"),
    ours=True,
    proof="rem-scaling",
    quantity="probability of a wrong label, at a tenth of the budget against the whole",
)
def ten_times_with_classes(effort, rng):
    r"""With ten classes a unanimous leaf of a Poisson number of records with mean 0.1, 0.5 or 1 at
    $\epsilon = 1$ errs less than one with ten times the mean at $\epsilon = 0.1$. At counts ten times
    as large the law is the same, for any number of classes."""
    drawn = [
        (mean, _poisson_error(mean, 10, 1.0), _poisson_error(10 * mean, 10, 0.1))
        for mean in (0.1, 0.5, 1.0)
    ]
    leaves = majority.leaves(effort.pick(4, 5, 7), 4)
    same = of_equality(
        majority.one_sided_law(10 * np.array(leaves), 0.1), majority.one_sided_law(leaves, 1.0)
    )
    few, many = drawn[1][1:]
    return verdict_of(
        all(b > a for _, a, b in drawn) and same == "holds",
        "With means "
        + ", ".join(f"{mean:g}: {a:.4f} at epsilon 1, {b:.4f} at 0.1" for mean, a, b in drawn)
        + f". At ten times the counts the laws of {len(leaves)} leaves of four classes are the same.",
        {"drawn": str(drawn), "same": same},
        cases=len(drawn) + len(leaves),
        published=few,
        computed=many,
        relation=">",
        range=f"ten classes with means 0.1, 0.5 and 1; leaves of four classes up to {sum(leaves[-1])} records",
    )


def _poisson_error(mean, classes, epsilon):
    """Error on a unanimous leaf with a Poisson number of records, up to 40 + 20 times the mean."""
    n = np.arange(40 + int(20 * mean))
    return float(poisson.pmf(n, mean) @ majority.unanimous_error(n, classes, epsilon))
