r"""Claims of ours on three or more classes: where a share is better, and where ten times the data is not enough.

A leaf is a tuple of class counts, and :math:`\tau` the number of trees.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.stats import poisson

from dplit import majority
from dplit.ledger import Case, claim, of_equality, verdict_of
from dplit.mechanisms import PermuteAndFlip


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
