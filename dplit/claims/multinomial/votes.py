r"""Claims of MRF on its vote, and on what consistency means: equation 6 and definition 3.

Derived in :doc:`/book/multinomial`. The exact side lists every vote.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from dplit import multinomial
from dplit.ledger import Case, Evidence, claim, equal, verdict_of


def _counted_votes(voters, share):
    """(right, tied, wrong) by listing every vote, in fractions."""
    found = [Fraction(0)] * 3
    for votes in product((0, 1), repeat=voters):
        lead = 2 * sum(votes) - voters
        chance = math.prod(share if v else 1 - share for v in votes)
        found[0 if lead > 0 else 1 if lead == 0 else 2] += chance
    return found


@claim(
    "mrf/equation-6",
    "Equation (6)",
    "assumes",
    "thm-multinomial-vote",
    ("multinomial.vote_outcomes",),
    proof="thm-multinomial-vote",
    quantity="probability of a tie among 100 trees",
    range="all votes of up to 10 trees, and 100 trees",
)
def equation_6(effort, rng):
    r"""The forest predicts the label of most trees. (Which one if two have as many is not said: with
    100 trees and labels no better than a coin, one vote in twelve.)"""
    cases = []
    for voters in range(1, effort.pick(10, 12, 14) + 1):
        for share in (Fraction(1, 2), Fraction(2, 3), Fraction(9, 10)):
            counted = _counted_votes(voters, share)
            found = multinomial.vote_outcomes(voters, float(share))
            cases += [Case(a, b, {"trees": voters}) for a, b in zip(found, counted)]
    agree = equal(cases, "votes", atol=1e-12)
    tie = Fraction(math.comb(100, 50), 2**100)
    same = math.isclose(multinomial.vote_outcomes(100, 0.5).tied, tie, rel_tol=1e-9)
    if agree.verdict != "holds" or not same:
        return verdict_of(
            False, "the package's vote is another", agree.counterexample or {"trees": 100}
        )
    return Evidence(
        "assumes" if tie else "holds",
        "exact",
        f"{agree.cases} probabilities by listing all votes; 100 trees of two labels tie with probability "
        f"{float(tie):.4f} at even odds, 101 trees never",
        cases=agree.cases,
        published=0.0,
        computed=float(tie),
        relation="=",
    )


@claim(
    "mrf/definition-3",
    "Definition 3",
    "holds",
    "thm-multinomial-vote",
    ("multinomial.vote_outcomes",),
    proof="thm-multinomial-vote",
    quantity="error probability of the majority of n labels, less Bayes's",
)
def definition_3(effort, rng):
    r"""Classifiers are consistent if $\mathbb{E}(L) = \Pr(h(X, Z, D) \ne Y)$ tends to the Bayes risk. The
    majority of $n$ labels at one point is: its error exceeds $L^*$ by $|1 - 2\eta|$ times the
    probability that the majority is wrong, and never falls below it."""
    cases, gaps, sizes = [], [], (1, 3, 5, 9, 11)
    for eta in (Fraction(1, 2), Fraction(3, 5), Fraction(9, 10)):
        for n in sizes:
            error = Fraction(0)  # over all labels and the new one, as the definition has it
            for labels in product((0, 1), repeat=n):
                said = 2 * sum(labels) > n
                chance = math.prod(eta if v else 1 - eta for v in labels)
                error += chance * (1 - eta if said else eta)
            wrong = multinomial.vote_outcomes(n, float(eta)).wrong
            stated = float(1 - eta) + float(2 * eta - 1) * wrong
            cases.append(Case(error, stated, {"n": n, "eta": str(eta)}))
        gaps.append(multinomial.vote_outcomes(10**5 + 1, float(eta)).wrong * float(2 * eta - 1))
    found = equal(cases, "{cases} errors over all labels equal the formula; at n = 100,001 ")
    if found.verdict != "holds":
        return found
    return verdict_of(
        max(gaps) < 1e-9 and all(c.exact >= 0 for c in cases),
        found.summary + f"the excess is {max(gaps):.0e} at most",
        {"gaps": gaps},
        cases=len(cases),
        published=0.0,
        computed=max(gaps),
        relation="=",
        range="n = 1 to 11 and 100,001, eta = 1/2, 3/5, 9/10",
    )
