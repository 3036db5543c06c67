"""Claims of MRF, sections 3.1 and 4.1.1: voting keeps consistency, and when a partition is consistent."""

from itertools import combinations_with_replacement, pairwise, product
from math import factorial, prod

import numpy as np
from scipy.stats import binom

from dplit import consistency
from dplit.court.claims.consistency._counted import BUDGETS, counted_only
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, counted, decisive, frequency, need, note, same

VOTE = Box("thm-consistency-vote", "consistency.vote_excess_bound")
PATHS, BOUND = "consistency.observed_paths", "consistency.partition_excess_bound"
PARTITION = Box("thm-consistency-partition", BOUND, "consistency.grid_risk")
ONE_SET = Box("thm-consistency-one-set", BOUND)
OF_FOREST = {"proved": False, "intervals": 6}
BAYES = 0.25  # of the laws that are drawn here


@VOTE("mrf/lemma-1", "Lemma 1", quantity="excess risk of a vote over a tree's")
def lemma_1(effort, rng):
    r"""The voting classifier, which takes the majority vote over $M$ copies with different randomizing variables,
    is consistent if those classifiers are consistent. For $K$ classes and any number of trees, dependent or not,
    the excess risks satisfy $L(\text{vote}) - L^* \le K\,(L(\text{tree}) - L^*)$."""
    steps, most = effort.pick(6, 10, 14), effort.pick((9, 5), (15, 7), (31, 9))
    all_risks = [(0.0, 0.3), (0.0, 1.0)], [(0.0, 0.1, 0.5), (0.0, 0.4, 0.4)]
    for classes, trees, risks in zip((2, 3), most, all_risks):
        parts = (p for p in product(range(steps + 1), repeat=classes) if sum(p) == steps)
        shares = [np.array(p) / steps for p in parts]
        for share, loss, m in product(shares, risks, range(1, trees + 1)):
            stated = consistency.vote_excess_bound(share @ loss, classes)
            yield below(_worst_vote(tuple(share), loss, m), stated, share=share.tolist(), trees=m)
    worst = _worst_vote((0.48, 0.52), (0.0, 1.0), 9999) / 0.52
    yield need(worst > 1.9, worst, ">", 1.9)
    return note(
        "In {cases} distributions of the votes, with ties broken for the worst class, the excess risk of the "
        f"vote is at most K times that of a tree. It is {worst:.3f} times as large for 9999 trees that err with "
        "probability .52 each, where two classes allow 2.",
        range=f"2 and 3 classes, up to {most[0]} and {most[1]} trees, shares in steps of 1/{steps}",
    )


def _worst_vote(share, loss, trees):
    """Expected loss of the plurality of independent votes; a tie goes to the class that loses most."""
    if len(share) == 2:
        return float(binom.sf((trees - 1) // 2, trees, share[1])) * loss[1]
    total = 0.0
    for chosen in combinations_with_replacement(range(len(share)), trees):
        counts = [chosen.count(c) for c in range(len(share))]
        ways = factorial(trees) // prod(map(factorial, counts))
        worst = max(loss[c] for c in range(len(share)) if counts[c] == max(counts))
        total += ways * prod(p**c for p, c in zip(share, counts)) * worst
    return total


@VOTE(
    "mrf/lemma-1/forest",
    "ours; lemma 1",
    "holds",
    PATHS,
    "consistency.vote_excess_bound",
    quantity="error of the vote of 9 trees",
    **OF_FOREST,
)
def lemma_1_forest(effort, rng):
    r"""The vote of nine trees of a multinomial forest has at most twice the excess risk of one of its
    trees, at $B_1 = B_2 = 0$, 2 and 10, on a distribution with a known Bayes risk."""
    draws, said = effort.pick(300, 4000, 30_000), []
    for b in BUDGETS:
        found = consistency.observed_paths(200, 200, 20, 2, draws, b, b, trend=1.0, trees=9, rng=rng)
        yield (tree := counted_only(found.votes[:, 0] != found.label))
        stated = BAYES + float(consistency.vote_excess_bound(tree.span[1] - BAYES))
        wrong = (found.votes.mean(1) > 0.5) != found.label
        yield (vote := frequency(wrong, stated, "<=", budget=b))
        yield need(vote.span[1] >= BAYES, vote.exact, ">=", BAYES, budget=b)
        said.append(f"{vote.exact:.3f} at B1 = B2 = {b:g}, where the bound is {stated:.3f}")
    words = f"The error of the vote is {'; '.join(said)}."
    return note(words, range=f"two features, k = 20, 400 records, {draws} data sets for each budget")


@PARTITION("mrf/lemma-2", "Lemma 2", intervals=9, quantity="error of a partition")
def lemma_2(effort, rng):
    r"""Let a classification rule partition the space and predict by a majority vote in each leaf node. If the
    labels of the voting data have no effect on the partition, or only the number of voting points along the path
    has an effect, the rule is consistent provided that diameters fall to 0 and counts grow to infinity in
    probability. For two classes the excess risk is $L - L^* \le 2\,\mathrm{E}|\eta(X) - \eta(X')| +
    \mathrm{E}\,N^{-1/2}$, with the count $N$ taken as at least 1 and $X'$ a second point of $X$'s cell."""
    draws, risks = effort.pick(4000, 40_000, 400_000), {}
    for records, cells in product((27, 216, 1000), (1, 6, 100)):
        risk = risks[records, cells] = consistency.grid_risk(cells, records)
        law = np.bincount(rng.binomial(records, 1 / cells, 20_000), minlength=records + 1) / 20_000
        bound = consistency.partition_excess_bound(1 / (3 * cells), np.arange(records + 1), law)
        data = {"records": records, "cells": cells}
        yield decisive(counted(_grid_errors(records, cells, draws, rng), draws, risk, **data))
        yield below(risk - BAYES, bound, **data)
    for more, fewer in pairwise((1000, 216, 27)):
        yield need(risks[more, 6] <= risks[fewer, 6], risks[more, 6], "<=", risks[fewer, 6])
    for useless in (risks[1000, 1], risks[27, 100]):
        yield need(useless - BAYES > 0.1, useless, ">", BAYES + 0.1)
    return note(
        f"With 1000 records the error is {risks[1000, 1]:.4f} in 1 cell, whose diameter stays, "
        f"{risks[1000, 6]:.4f} in 6 cells, and {risks[1000, 100]:.4f} in 100 cells, which hold few points. "
        "The Bayes risk is .25, and no error is above the bound.",
        range=f"27 to 1000 records, 1 to 100 equal cells, {draws} draws each",
    )


def _grid_errors(records, cells, draws, rng):
    """How often the majority of a fresh data set errs on a fresh point, Y = 1 with probability x."""
    x = rng.random(draws)
    left = np.floor(x * cells) / cells
    count = rng.binomial(records, 1 / cells, draws)
    ones = np.array([_ones_of(c, a, 1 / cells, rng) for c, a in zip(count, left)])
    vote = np.where(2 * ones == count, rng.random(draws) < 0.5, 2 * ones > count)
    return int((vote != (rng.random(draws) < x)).sum())


def _ones_of(count, left, width, rng):
    """Labels 1 of so many points of a cell, each with a place and a label of its own."""
    return int((rng.random(count) < left + width * rng.random(count)).sum())


@PARTITION("mrf/lemma-2/forest", "ours; lemma 2", "holds", PATHS, BOUND, quantity="error of one tree", **OF_FOREST)
def lemma_2_forest(effort, rng):
    r"""The bound of lemma 2 holds for trees of a multinomial forest, with the spread and the counts of
    their own leaves, at $B_1 = B_2 = 0$, 2 and 10, for one feature and for three."""
    draws = effort.pick(600, 5000, 40_000)
    for d, b in product((1, 3), BUDGETS):
        found = consistency.observed_paths(300, 300, 25, d, draws, b, b, trend=1.0, rng=rng)
        spread = np.abs(found.point - found.companion)[:, -1].mean()
        law = np.bincount(found.counts) / draws
        stated = BAYES + consistency.partition_excess_bound(spread, np.arange(law.size), law)
        yield frequency(found.votes[:, 0] != found.label, float(stated), "<=", features=d, B=b)
    return note(
        "In {cases} settings no error lies above the bound; the nearest is {exact:.3f} at D = {features}, "
        "B1 = B2 = {B:g}, where the bound is {stated:.3f}.",
        range=f"k = 25, 600 records, {draws} data sets for each setting",
    )


def _risk(n, cells, others=1):
    """Error of a majority of n estimation points, a coin for ties, where eta = x1 and cells are equal in size:
    `cells` along x1 times `others` along a feature that says nothing."""
    counts, error = np.arange(n + 1), 0.0
    held = binom.pmf(counts, n, 1 / (cells * others))
    for mean in (np.arange(cells) + 0.5) / cells:
        says_one = [binom.sf(m / 2, m, mean) + (m % 2 == 0) * binom.pmf(m // 2, m, mean) / 2 for m in counts]
        one = float(held @ says_one)
        error += (one * (1 - mean) + (1 - one) * mean) / cells
    return error


@PARTITION(
    "mrf/feature-chance-necessary",
    "Appendix D",
    "holds",
    "consistency.grid_risk",
    proved=False,
    quantity="error where the feature that matters is never cut",
)
def feature_chance(effort, rng):
    r"""For feature selection, all three RF variants have a procedure to ensure that every feature has a chance to
    be split, which is necessary for proving consistency. (A tree that never cuts the one feature that matters does
    not come near the Bayes risk, even if its cells are small in all other features: if $\eta = x_1$, the Bayes
    risk is .25 and the tree's error stays at .5.)"""
    sizes = effort.pick((30, 120), (30, 120, 500), (30, 120, 500, 1500))
    for n, cells in product(sizes, (1, 4, 16)):
        yield decisive(same(_risk(n, 1, cells), 0.5, n=n, cells=cells))
    for n in sizes:
        cut = _risk(n, 8)
        yield same(cut, consistency.grid_risk(8, n), n=n, cells=8)
    yield need(cut < 0.27, cut, "<", 0.27, n=n, cells=8)
    return note(
        f"Without a cut in the feature that matters all {3 * len(sizes)} errors are .5; with eight cells along "
        f"this feature the error is {cut:.4f} at n = {n}. The Bayes risk is .25.",
        range=f"eta = x1, n up to {n}, up to 16 cells",
    )


def _must_not_fall(excess):
    """Whether an excess risk does not fall each time by a third or more; it is stated not to fall at all."""
    falls = all(0 < b < a / 1.5 for a, b in pairwise(excess))
    return need(not falls, excess[-1] / excess[0], ">=", 1.0)


@PARTITION(
    "mrf/cut-chance-necessary",
    "Appendix D",
    "assumes",
    "consistency.grid_risk",
    BOUND,
    quantity="excess risk of cells that are halved, of the largest number of records over that of the smallest",
)
def cut_chance(effort, rng):
    """When determining the split point, all three RF variants have some level of randomness to ensure that every
    split point has a chance to be used, which is again necessary for proving consistency. This assumes cuts chosen
    by their decrease in impurity: a tree that always takes the largest decrease is not consistent
    (`mrf/greedy-limit`). A tree that halves its cells is consistent, although it can cut only in the middle."""
    levels, excess = effort.pick((1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 4)), {}
    for j in levels:
        risk = _risk(6**j, 2**j)
        excess[6**j] = risk - BAYES
        yield same(risk, consistency.grid_risk(2**j, 6**j), broken="fails", halved=j)
    yield _must_not_fall([*excess.values()])
    return note(
        f"With n = 6^j records in 2^j cells of equal size the excess risk is {_listed(excess)}.",
        range=f"one feature, eta = x, halved {levels[0]} to {levels[-1]} times",
    )


def _listed(excess):
    return ", ".join(f"{e:.4f} at n = {n}" for n, e in excess.items())


def _risk_of_one_set(n, k):
    """(error, mean of |eta - eta'| in a leaf, law of a leaf's records) where all n records cut and vote.

    Records lie in the middle of n equal intervals and have label 1 with probability eta = x; a node is cut
    if it holds more than k, halfway between two records, each place alike. The new point is uniform.
    """
    left, right = np.zeros(n), np.zeros(n)
    eta = (np.arange(n) + 0.5) / n
    votes = _majorities(eta, k)
    error, spread, law = 0.0, 0.0, np.zeros(n + 1)
    for size in range(n, 0, -1):
        first = np.arange(n - size + 1)
        here = left[first] + right[first + size - 1] if size < n else np.ones(1)
        if size > k:
            left[first] += here / (size - 1)
            right[first + size - 1] += here / (size - 1)
            continue
        for a, chance in zip(first, here):
            inside, one = eta[a : a + size], votes[a, size]
            error += chance * (one * (1 - inside) + (1 - one) * inside).sum() / n
            spread += chance * size / n * size / n / 3  # of two uniform points of the leaf
        law[size] += here.sum() * size / n
    return error, spread, law


def _majorities(eta, k):
    """Probability that the majority of the labels of records a, ..., a + size - 1 is 1, ties by a coin."""
    found = {}
    for a in range(len(eta)):
        law = np.ones(1)
        for size in range(1, min(k, len(eta) - a) + 1):
            law = np.convolve(law, [1 - eta[a + size - 1], eta[a + size - 1]])
            votes = np.arange(size + 1)
            found[a, size] = law[2 * votes > size].sum() + law[2 * votes == size].sum() / 2
    return found


def _sizes(effort):
    return [(k * k, k) for k in effort.pick((4, 8, 16), (4, 8, 16, 24), (4, 8, 16, 32))]


@ONE_SET(
    "mrf/partition-necessary",
    "Section 3.1; appendix D",
    "assumes",
    quantity="excess risk without a partition, of the largest number of records over that of the smallest",
    range="one feature, eta = x, B1 = B2 = 0, algorithm 1 with k = 4 to 16 and k^2 records",
)
def partition_necessary(effort, rng):
    """A partition of the training set replaces the bootstrap technique and is necessary for consistency, as
    suggested by Biau. (This assumes that the proof needs it, as in appendix D, and that cuts depend on labels. At
    $B_1 = B_2 = 0$ they do not: then all records can cut and vote, and the error tends to the Bayes risk.)"""
    excess = {n: _risk_of_one_set(n, k)[0] - BAYES for n, k in _sizes(effort)}
    yield _must_not_fall([*excess.values()])
    return f"If all n records cut and vote and k = sqrt(n), the excess risk is {_listed(excess)}."


@ONE_SET.corrected(partition_necessary, quantity="excess risk", range="eta = x, k = 4 to 16 and k^2 records")
def one_set(effort, rng):
    r"""Lemma 2 needs only that voting labels do not influence the cuts, so at $B_1 = B_2 = 0$ all records can both
    cut and vote. With one feature without atoms a record's leaf holds $m \le k$ records with probability
    $2m/(k(k+1))$, and for continuous $\eta$ errors tend to the Bayes risk if $k \to \infty$ and $k/n \to 0$."""
    bounds = []
    for n, k in _sizes(effort):
        error, spread, law = _risk_of_one_set(n, k)
        bounds.append(consistency.partition_excess_bound(spread, np.arange(n + 1), law))
        yield decisive(below(error - BAYES, bounds[-1], n=n, k=k))
        for m, p in enumerate(law):
            yield same(p, 2 * m / (k * (k + 1)) * (m <= k), atol=1e-12, n=n, m=m)
    yield need(bounds[-1] < bounds[0] / 1.5, bounds[-1], "<", bounds[0] / 1.5)
    return "The formulas hold in {cases} cases; at n = {n} the excess risk is {exact:.4f}, at most {stated:.4f}."
