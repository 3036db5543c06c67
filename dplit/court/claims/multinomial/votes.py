"""Claims of MRF on its vote and its labels, and on what consistency means: equation 6, definition 3."""

import math
from fractions import Fraction
from itertools import pairwise, product

from dplit import multinomial
from dplit.court.claims.multinomial.small import decimal
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, need, note, same

VOTE = Box("thm-multinomial-vote", "multinomial.vote_outcomes")
MAJORITY = Box("thm-multinomial-majority", "multinomial.label_law", about="step")


def _counted_votes(voters, share):
    """(right, tied, wrong) by listing every vote, in fractions."""
    found = [Fraction(0)] * 3
    for votes in product((0, 1), repeat=voters):
        lead = 2 * sum(votes) - voters
        chance = math.prod(share if v else 1 - share for v in votes)
        found[0 if lead > 0 else 1 if lead == 0 else 2] += chance
    return found


def _beside_the_list(voters, share):
    """The package's vote beside the list of all votes."""
    found = multinomial.vote_outcomes(voters, float(share))
    for a, b in zip(found, _counted_votes(voters, share)):
        yield same(a, b, atol=1e-12, broken="fails", trees=voters)


@VOTE("mrf/equation-6", "Equation (6)", "assumes", proved=True, quantity="probability of a tie among 100 trees")
def equation_6(effort, rng):
    """The final prediction of the MRF is the majority vote over all the trees. (The paper does not say which label
    wins a tie: with 100 trees whose labels are fair coins, one vote in twelve is tied.)"""
    most, shares = effort.pick(10, 12, 14), (Fraction(1, 2), Fraction(2, 3), Fraction(9, 10))
    for voters, share in product(range(1, most + 1), shares):
        yield from _beside_the_list(voters, share)
    tie = Fraction(math.comb(100, 50), 2**100)
    yield same(multinomial.vote_outcomes(100, 0.5).tied, tie, broken="fails", trees=100)
    yield same(tie, 0)
    return note(
        f"{9 * most} probabilities by listing all votes; 100 trees of two labels tie with probability "
        "{exact:.4f} at even odds, 101 trees never",
        range="all votes of up to 10 trees, and 100 trees",
    )


@VOTE("mrf/definition-3", "Definition 3", quantity="error probability of the majority of n labels, less Bayes's")
def definition_3(effort, rng):
    r"""Classifiers are consistent if $\mathbb{E}(L) = \Pr(h(X, Z, D) \ne Y)$ tends to the Bayes risk. The majority
    of $n$ labels at one point is consistent: its error exceeds $L^*$ by $|1 - 2\eta|$ times the probability that
    the majority is wrong, and never falls below $L^*$."""
    for eta, n in product((Fraction(1, 2), Fraction(3, 5), Fraction(9, 10)), (1, 3, 5, 9, 11)):
        error = Fraction(0)  # over all labels and the new one, as the definition has it
        for labels in product((0, 1), repeat=n):
            chance = math.prod(eta if v else 1 - eta for v in labels)
            error += chance * (1 - eta if 2 * sum(labels) > n else eta)
        wrong = multinomial.vote_outcomes(n, float(eta)).wrong
        stated = float(1 - eta) + float(2 * eta - 1) * wrong
        yield same(error, stated, n=n, eta=str(eta))
        yield need(error >= 1 - eta, error, ">=", 1 - eta, n=n, eta=str(eta))
        gap = multinomial.vote_outcomes(10**5 + 1, float(eta)).wrong * float(2 * eta - 1)
        yield decisive(need(gap < 1e-9, gap, "=", 0, eta=str(eta)))
    return note(
        "15 errors over all labels equal the formula; at n = 100,001 the excess is {exact:.0e} at most",
        range="n = 1 to 11 and 100,001, eta = 1/2, 3/5, 9/10",
    )


@VOTE("mrf/diversity", "Appendix F.1")
def diversity(effort, rng):
    """A good performance over individual trees does not necessarily lead to a good performance of a forest, since
    the performance of a forest may also be affected by the diversity of the trees. (If all trees are alike and
    each is right with probability .7, so is their vote, but the vote of 101 independent trees that are each right
    with probability .6 is right with probability .979.)"""
    for voters in (3, 7, effort.pick(11, 13, 15)):
        yield from _beside_the_list(voters, Fraction(3, 5))
    many = multinomial.vote_outcomes(101, 0.6).right  # equal ones: the vote of any of them
    yield decisive(need(many > 0.7, many, ">", 0.7))
    yield same(round(many, 3), 0.979)
    return note(
        "{cases} probabilities are as stated, most of them by a list of all votes. The vote of 101 independent "
        "trees that are each right with probability 0.6 is right with probability {exact:.4f}, and that of 101 "
        "equal trees, each right with probability 0.7, with {stated:.4f}.",
        quantity="probability that the vote of worse, independent trees is right, against better, equal ones",
        range="3, 7 and 11 trees by listing all votes; trees right with 3/5 against 7/10, 101 of them by the law",
    )


def _label_in_decimals(counts, budget):
    """Section 3.3's law of a leaf's label, with forty digits, from shares in fractions."""
    weights = [decimal(budget * Fraction(c, sum(counts)) / 2).exp() for c in counts]
    return [w / sum(weights) for w in weights]


@MAJORITY("mrf/majority-limit", "Proof of theorem 1, first sentence; appendix C")
def majority_limit(effort, rng):
    r"""When $B_3 \to \infty$, the prediction in each node is the majority vote, as lemma 2 requires; the larger
    $B_3$ is, the smaller is the noise of the label selection. If the majority label leads by a share of $g$ of the
    points, every other label has at most $e^{-B_3g/2}$ times the majority label's probability."""
    leaves, most = 0, effort.pick(6, 9, 12)
    for counts in product(range(most + 1), repeat=3):
        if 0 < sum(counts) <= most and counts.count(max(counts)) == 1:
            top, off, data, leaves = counts.index(max(counts)), [], {"counts": counts}, leaves + 1
            for budget in (Fraction(1), Fraction(20), Fraction(200)):
                chances = _label_in_decimals(counts, budget)
                for p, q in zip(chances, multinomial.label_law(counts, float(budget))):
                    yield same(q, p, atol=1e-12, **data)
                off.append(sum(p for i, p in enumerate(chances) if i != top))  # 1 - p cancels
            yield from (need(b < a, b, "<", a, **data) for a, b in pairwise(off))
            gap = Fraction(max(counts) - sorted(counts)[-2], sum(counts))
            yield decisive(below(off[2] / (2 * decimal(-100 * gap).exp()), 1, 0, **data))
            for i, q in enumerate(multinomial.label_law(counts, math.inf)):
                yield same(q, i == top, atol=1e-12, **data)
    return note(
        f"{leaves} leaves with one largest class: another label becomes less likely with each budget, and has "
        "at most {exact:.4f} of the bound at B3 = 200",
        range=f"leaves of up to {most} records of three classes, B3 = 1, 20, 200 and infinite",
        quantity="probability that a label is not the majority's over its bound, at B3 = 200",
    )
