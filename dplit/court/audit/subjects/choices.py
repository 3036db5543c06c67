"""The choices of greedy trees in ``dplit audit``: roots drawn many times, against laws summed by hand.

Each tree of a forest draws from a stream of its own, so that the roots of many trees on the same records are as
many draws.
"""

import math
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product

import numpy as np

from dplit.court.audit.subject import AgainstLaw, Lawful, subject
from dplit.court.audit.subjects.exact_noise import exactly
from dplit.court.power.laws import flipped
from dplit.domain import Categorical, Continuous, Domain
from dplit.trees.rules import ENTROPY, LOCAL_GINI, MAJORITY, SQUARES

DRAWS = (4000, 30_000, 200_000)
LABELS = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2)
TARGETS = (0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0)
COLUMNS = (  # codes of each record's level; no record has the last level of the second column
    (0, 0, 0, 0, 1, 1, 1, 1, 1, 0), (0, 0, 1, 1, 0, 0, 1, 1, 2, 2), (1, 1, 0, 0, 1, 0, 1, 0, 1, 1),
)  # fmt: skip
ARITY = (2, 4, 2)
PLACES = (0.125, 0.125, 0.25, 0.25, 0.375, 0.5, 0.5, 0.75, 0.75, 0.875)
BITS = 1.25  # the most that a record counts by entropy in a path that can end early
FEWEST, NOISE = 2.0, 2.0  # of records, for each child; and the scale of the noise on their number
STOPPED = -1
SCORES = {"squares": (SQUARES, 1.5), "entropy": (ENTROPY, 0.6), "majority": (MAJORITY, 0.8)}


def cost(children, score, bits=math.inf):
    """What a test leaves unexplained, from the labels or targets of the records in each child."""
    return sum(_unexplained(child, score, bits) for child in children if child)


def _unexplained(child, score, bits):
    n, counts = len(child), Counter(child).values()
    if score == "targets":
        return -(sum(child) ** 2) / n
    if score == "majority":
        return n - max(counts)
    if score == "entropy":
        return sum(c * min(math.log2(n / c), bits) for c in counts)
    return n - sum(c**2 for c in counts) / n


def children(codes, arity, y):
    """The labels or targets of each level's records."""
    return [[t for code, t in zip(codes, y) if code == level] for level in range(arity)]


def shares(costs, rate):
    """The law of a draw by the exponential mechanism, a dict as `costs` is."""
    least = min(costs.values())
    weights = {name: math.exp(-rate * (c - least)) for name, c in costs.items()}
    return {name: w / sum(weights.values()) for name, w in weights.items()}


# Levels -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KaryRoots:
    """Mechanism: the column that is tested at the root, of trees with a child for each level."""

    rule: tuple
    n_classes: int
    exact: bool

    def draw_many(self, data, size, rng):
        """`size` columns."""
        from dplit.trees.greedy_levels import Rule, grow_greedy_level_trees

        codes, y = np.array(COLUMNS, dtype=np.int32), np.array(data)
        parts = [np.arange(len(y))] * size
        rng = exactly(rng) if self.exact else rng
        rule = Rule(1, *self.rule)
        trees, _ = grow_greedy_level_trees(codes, np.array(ARITY), y, self.n_classes, parts, rule, rng=rng)
        return trees.feature[trees.roots]


def _levels(score, code, rate, exact):
    """Two of three columns compete, those that come first in a shuffle."""
    y = TARGETS if score == "targets" else LABELS
    roots = KaryRoots((2, code, rate, 0.0), 0 if score == "targets" else 3, exact)
    return Lawful(roots, y, columns_law(y, score, rate))


def columns_law(y, score, rate, most=2, bits=math.inf):
    """The law of the column that is tested: `most` of all columns compete, any as likely as others."""
    costs = [cost(children(c, k, y), score, bits) for c, k in zip(COLUMNS, ARITY)]
    told = rate * ((len(y) + 1) / len(y)) ** 2 if score == "local Gini" else rate
    law, several = Counter(), list(combinations(range(len(ARITY)), most))
    for some in several:
        for column, share in shares({j: costs[j] for j in some}, told).items():
            law[column] += share / len(several)
    return dict(law)


# Cuts ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GreedyRoots:
    """Mechanism: the test at the root of trees that cut, or that there is none.

    A test is (column, how many records are below the cut); a path ends by a noisy number of records.
    """

    rule: tuple
    exact: bool

    def draw_many(self, data, size, rng):
        """`size` tests."""
        from dplit.trees.greedy import Rule, grow_greedy_trees

        domain = Domain([Continuous(0, 1), Categorical(range(ARITY[1]))])
        X, y = np.column_stack([PLACES, COLUMNS[1]]).astype(float), np.array(data, dtype=float)
        parts = [np.arange(len(y))] * size
        rng = exactly(rng) if self.exact else rng
        trees, _ = grow_greedy_trees(domain, X, y, 3, parts, Rule(1, 2, *self.rule), rng=rng)
        columns, cuts = trees.feature[trees.roots], trees.threshold[trees.roots]
        below = np.where(columns == 0, np.searchsorted(PLACES, cuts), 0)
        return [(int(j), int(n)) if j >= 0 else STOPPED for j, n in zip(columns, below)]


def _cuts(score, code, rate, exact):
    """A cut by its interval's length and cost, and then its column against the other one."""
    edges, law = (0.0, *PLACES, 1.0), Counter()
    other = cost(children(COLUMNS[1], ARITY[1], LABELS), score, BITS)
    costs, lengths = {}, {}
    for n in range(len(PLACES) + 1):
        costs[n] = cost((LABELS[:n], LABELS[n:]), score, BITS)
        lengths[n] = edges[n + 1] - edges[n]
    drawn = {n: lengths[n] * share for n, share in shares(costs, rate).items()}
    ends = math.exp((FEWEST * max(ARITY) - len(LABELS)) / NOISE) / 2
    assert FEWEST * max(ARITY) <= len(LABELS), "the law of the noise is that of its lower tail"
    for n, weight in drawn.items():
        chance = (1 - ends) * weight / sum(drawn.values())
        for column, share in shares({0: costs[n], 1: other}, rate).items():
            law[(0, n) if column == 0 else (1, 0)] += chance * share
    roots = GreedyRoots((code, BITS, rate, NOISE, FEWEST), exact)
    return Lawful(roots, LABELS, dict(law) | {STOPPED: ends})


# Sets of levels -------------------------------------------------------------------------------------

BALANCE = 0.25  # what a record out of balance weighs


@dataclass(frozen=True)
class EvenSets:
    """Mechanism: a set of levels drawn by its balance, a tuple of booleans."""

    flips: bool

    def draw_many(self, data, size, rng):
        """`size` sets."""
        from dplit.trees.subsets import draw_even_subset

        found, chosen = [], np.zeros(len(data), dtype=bool)
        for _ in range(size):
            draw_even_subset(np.array(data), sum(data), BALANCE, self.flips, rng, chosen)
            found.append(tuple(chosen.tolist()))
        return found


def _sets(records, flips):
    """Each set that is neither empty nor all; by permute-and-flip over all orders of them."""
    every = [s for s in product((False, True), repeat=len(records)) if 0 < sum(s) < len(s)]
    uneven = {s: abs(sum(n if inside else -n for n, inside in zip(records, s))) for s in every}
    law = shares(uneven, BALANCE)
    if flips:
        most = max(law.values())
        law = dict(zip(law, flipped([share / most for share in law.values()])))
    return Lawful(EvenSets(flips), records, law)


def registered():
    """The subjects of this file."""
    by_levels = {**SCORES, "targets": (SQUARES, 3.0), "local Gini": (LOCAL_GINI, 1.0)}
    laws = {
        "a choice of a set of levels draws its law": partial(_sets, (1, 1, 0, 0), False),
        "a choice of a set of levels draws its law, permute-and-flip": partial(_sets, (1, 1, 0), True),
    }
    for words, law, scores in (
        ("a choice of a column", _levels, by_levels),
        ("a choice of a cut and a column", _cuts, SCORES),
    ):
        for (score, (code, rate)), exact in product(scores.items(), (False, True)):
            if not (exact and score == "local Gini"):  # there is no exact draw by it
                name = f"{words} draws its law, {score}{', exact noise' if exact else ''}"
                laws[name] = partial(law, score, code, rate, exact)
    yield from (subject(name, AgainstLaw(law, DRAWS)) for name, law in laws.items())
