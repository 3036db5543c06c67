r"""Claims of MRF on its vote and its labels, and on what consistency means: equation 6, definition 3.

Derived in :doc:`/book/multinomial`. The exact side lists every vote.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from dplit import multinomial
from dplit.court.claims.multinomial._records import decimal
from dplit.court.ledger import Case, Evidence, claim, equal, verdict_of


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
    r"""The final prediction of the MRF is the majority vote over all the trees. (Which label if two have as
    many is not said: with 100 trees and labels no better than a coin, one vote in twelve.)"""
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


@claim(
    "mrf/diversity",
    "Appendix F.1",
    "holds",
    "thm-multinomial-vote",
    ("multinomial.vote_outcomes",),
    proof="thm-multinomial-vote",
    quantity="probability that the vote of worse, independent trees is right, against better, equal ones",
    range="3, 7 and 11 trees by listing all votes; trees right with 3/5 against 7/10, 101 of them by the law",
)
def diversity(effort, rng):
    r"""A good performance over individual trees does not necessarily lead to a good performance of a forest,
    since the performance of a forest may also be affected by the diversity of the trees. (With trees that are
    right with .7 and all alike a vote is right with .7; with 101 independent ones of .6 it is with .979.)"""
    worse, better, cases = Fraction(3, 5), Fraction(7, 10), []
    for voters in (3, 7, effort.pick(11, 13, 15)):
        counted = _counted_votes(voters, worse)
        found = multinomial.vote_outcomes(voters, float(worse))
        cases += [Case(a, b, {"trees": voters}) for a, b in zip(found, counted)]
    agree = equal(cases, "votes", atol=1e-12)
    many = multinomial.vote_outcomes(101, float(worse)).right  # equal ones: the vote of any of them
    return verdict_of(
        agree.verdict == "holds" and many > better and round(many, 3) == 0.979,
        f"{agree.cases} probabilities by listing all votes; 101 independent trees that are right with 0.6 vote "
        f"right in {many:.4f}, 101 equal ones with 0.7 in {float(better):.4f}",
        agree.counterexample or {"independent": many, "equal": float(better)},
        cases=agree.cases + 1,
        published=float(better),
        computed=many,
        relation=">",
    )


def _label_in_decimals(counts, budget):
    """Section 3.3's law of a leaf's label, with forty digits, from shares in fractions."""
    weights = [decimal(budget * Fraction(c, sum(counts)) / 2).exp() for c in counts]
    return [w / sum(weights) for w in weights]


@claim(
    "mrf/majority-limit",
    "Proof of theorem 1, first sentence; appendix C",
    "holds",
    "thm-multinomial-majority",
    ("multinomial.label_law",),
    about="step",
    proof="thm-multinomial-majority",
    quantity="probability that a label is not the majority's over its bound, at B3 = 200",
)
def majority_limit(effort, rng):
    r"""When $B_3 \to \infty$, the prediction in each node is based on majority vote, so that it meets the
    prerequisite of lemma 2; the larger $B_3$, the smaller the noise of the label selection. Every other label has
    at most $e^{-B_3g/2}$ times the probability of the majority's, which is ahead by a share of $g$."""
    cases, falls, rest, most = [], [], [], effort.pick(6, 9, 12)
    budgets = (Fraction(1), Fraction(20), Fraction(200))
    for counts in product(range(most + 1), repeat=3):
        if 0 < sum(counts) <= most and counts.count(max(counts)) == 1:
            top, off = counts.index(max(counts)), []
            for budget in budgets:
                chances, ours = (
                    _label_in_decimals(counts, budget),
                    multinomial.label_law(counts, float(budget)),
                )
                cases += [Case(q, p, {"counts": list(counts)}) for p, q in zip(chances, ours)]
                off.append(sum(p for i, p in enumerate(chances) if i != top))  # 1 - p cancels
            gap = Fraction(max(counts) - sorted(counts)[-2], sum(counts))
            falls.append(off[0] > off[1] > off[2])
            rest.append(float(off[2] / (2 * decimal(-100 * gap).exp())))
            limit = multinomial.label_law(counts, math.inf)
            cases += [Case(q, i == top, {"counts": list(counts)}) for i, q in enumerate(limit)]
    agree = equal(cases, "labels", rtol=1e-9, atol=1e-12)
    return verdict_of(
        agree.verdict == "holds" and all(falls) and max(rest) <= 1,
        f"{len(falls)} leaves with one largest class: another label becomes less likely with each budget, and has "
        f"at most {max(rest):.4f} of the bound at B3 = 200",
        agree.counterexample or {"of the bound": max(rest), "falls": all(falls)},
        cases=agree.cases,
        published=1.0,
        computed=max(rest),
        relation="<=",
        range=f"leaves of up to {most} records of three classes, B3 = 1, 20, 200 and infinite",
    )
