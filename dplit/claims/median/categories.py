"""Both DiPriMe papers on the private split of a categorical column.

v1, section 3 and algorithm 3; v2, section 3.1; derived in :doc:`/book/median`. The laws are written
here from the definitions, in fractions, over every set of levels.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np

from dplit import median
from dplit.claims.median._ratios import EPSILON, HALF, below
from dplit.ledger import claim, verdict_of


def _splits(counts):
    """Every set of levels that is neither empty nor all, as (indicator, records in it)."""
    for chosen in product((0, 1), repeat=len(counts)):
        if 0 < sum(chosen) < len(counts):
            yield chosen, sum(n for n, inside in zip(counts, chosen) if inside)


def _weights(counts, sign=-1):
    """Weight of every split, e^(sign epsilon/2) to the power of its sides' difference."""
    total = sum(counts)
    return {chosen: HALF ** (-sign * abs(total - 2 * n)) for chosen, n in _splits(counts)}


def _count_vectors(levels, n):
    """Counts of so many levels with at most n records, fewest first."""
    found = (x for x in product(range(n + 1), repeat=levels) if sum(x) <= n)
    return sorted(found, key=lambda x: (sum(x), x))


# Privacy and law -----------------------------------------------------------------------------


def _split_ratio(counts, neighbour):
    """Largest ratio of a split's probabilities on two vectors of counts, and these."""
    one, two = _weights(counts), _weights(neighbour)
    scale = sum(two.values()) / sum(one.values())
    shown = {"counts": list(counts), "neighbour": list(neighbour)}
    return max(max(r, 1 / r) for r in (one[c] / two[c] * scale for c in one)), shown


def _one_more(counts):
    return [(*counts[:i], n + 1, *counts[i + 1 :]) for i, n in enumerate(counts)]


@claim(
    "diprime-v1/categorical-split",
    "Section 3; algorithm 3, lines 35 to 40",
    "holds",
    "thm-subset-law",
    ("median.subset_law",),
    proof="thm-subset-law",
    range="add-remove, all counts of 2 to 4 levels with few records, in fractions",
)
def categorical_split(effort, rng):
    r"""Drawing a set $B$ of levels with $\Pr \propto e^{-\frac{\epsilon_1}{2}|N_i - 2|B||}$, $|B|$ being the
    number of their records, is $\epsilon_1$-private (under add-remove)."""
    sizes = effort.pick({2: 4, 3: 4, 4: 2}, {2: 6, 3: 6, 4: 3}, {2: 10, 3: 10, 4: 5, 5: 3})
    small = [c for levels, n in sizes.items() for c in _count_vectors(levels, n - 1)]
    pairs = [(c, d) for c in small for d in _one_more(c)]
    pairs += [((k, k - 1, 0), (k, k, 0)) for k in (1, 2, 4, 20)]  # the supremum, as k grows
    note = (
        "{cases} pairs, every split: all below epsilon, the nearest from {counts} to {neighbour}."
    )
    return below((_split_ratio(*pair) for pair in pairs), 4, note)


@claim(
    "diprime-v1/categorical-law",
    "ours; section 3",
    "holds",
    "thm-subset-law",
    ("median.subset_sizes", "median.subset_law"),
    ours=True,
    proof="thm-subset-law",
    range="2 to 7 levels by listing all sets, 40 levels by a product of integers",
)
def categorical_law(effort, rng):
    """The law of $|B|$ is a subset-sum dynamic programme over the levels, exact for any number
    of them."""
    few = [rng.integers(0, 9, m).tolist() for m in range(2, effort.pick(8, 11, 14))]
    many = [rng.integers(0, 60, m).tolist() for m in effort.pick((40,), (40, 80), (40, 80, 200))]
    wrong = [c for c in few if _enumerated_sizes(c) != median.subset_sizes(c)]
    wrong += [c for c in many if _product_sizes(c) != median.subset_sizes(c)]
    wrong += [c for c in few if _law_distance(c) > 1e-12]
    return verdict_of(
        not wrong,
        f"Equal to the enumeration of all sets for 2 to {len(few[-1])} levels, and to the product "
        f"of 1 + x^n, read off one long integer, for {', '.join(str(len(c)) for c in many)} levels.",
        {"counts": wrong},
        cases=len(few) + len(many),
    )


def _enumerated_sizes(counts):
    sizes = Counter(n for _, n in _splits(counts))
    return [sizes[s] for s in range(sum(counts) + 1)]


def _product_sizes(counts):
    """Coefficients of the product of 1 + x^n at x = 2^(levels + 1), which separates them."""
    bits = len(counts) + 1
    value = math.prod(1 + (1 << bits * n) for n in counts)
    sizes = [(value >> bits * s) % (1 << bits) for s in range(sum(counts) + 1)]
    return [v - (s == 0) - (s == sum(counts)) for s, v in enumerate(sizes)]


def _law_distance(counts):
    exact, weights = np.zeros(sum(counts) + 1), _weights(counts)
    for chosen, n in _splits(counts):
        exact[n] += float(weights[chosen] / sum(weights.values()))
    return np.abs(exact - median.subset_law(counts, EPSILON)).max()


# The score's sign ----------------------------------------------------------------------------


def _difference(counts, sign):
    """Expected difference of the two sides under `_weights`, as a fraction."""
    weights, total = _weights(counts, sign), sum(counts)
    gaps = (weights[chosen] * abs(total - 2 * n) for chosen, n in _splits(counts))
    return sum(gaps) / sum(weights.values())


def _differences(effort):
    """Expected differences (score with a minus sign, split at random, score as printed) by counts."""
    sizes = effort.pick({2: 4, 3: 4}, {2: 6, 3: 6, 4: 3}, {2: 10, 3: 10, 4: 6})
    cases = [c for levels, n in sizes.items() for c in _count_vectors(levels, n)]
    cases.sort(key=lambda c: (sum(c), len(c), c))
    return {c: [_difference(c, sign) for sign in (-1, 0, 1)] for c in cases}


@claim(
    "diprime-v2/categorical-score",
    "Section 3.1",
    "fails",
    "thm-subset-law",
    ("median.subset_law",),
    range="all counts of 2 and 3 levels with up to 4 records",
)
def categorical_score(effort, rng):
    r"""The score $q(C) = \bigl||C| - |X \setminus C|\bigr|$, as printed, makes the exponential
    mechanism prefer balanced splits."""
    found = _differences(effort)
    worse = [c for c, (_, uniform, printed) in found.items() if printed > uniform]
    counts = next(iter(worse or found))
    balanced, uniform, printed = found[counts]
    return verdict_of(
        not worse,
        f"Levels {counts} at epsilon = log 4: the sides differ by {printed} on average with the "
        f"printed score, by {uniform} if C is drawn at random, by {balanced} with a minus sign. "
        f"The printed score is worse than chance in {len(worse)} of {len(found)} cases.",
        {
            "counts": list(counts),
            "epsilon": EPSILON,
            "printed": str(printed),
            "uniform": str(uniform),
        },
        cases=len(found),
        published=float(balanced),
        computed=float(printed),
        quantity="expected difference of the sides",
        relation="=",
    )


@categorical_score.corrected(
    functions=("median.subset_law",),
    where="ours; v1, section 3",
    proof="thm-subset-law",
    range="all counts of 2 and 3 levels with up to 4 records",
)
def categorical_score_negated(effort, rng):
    r"""With $q(C) = -\bigl||C| - |X \setminus C|\bigr|$ the expected difference of the sides is
    at most that of a random split, and equal only if all splits are equally balanced."""
    found = _differences(effort)
    wrong = []
    for counts, (minus, uniform, _) in found.items():
        gaps = {abs(sum(counts) - 2 * n) for _, n in _splits(counts)}
        if minus > uniform or (minus == uniform) != (len(gaps) == 1):
            wrong.append(counts)
    best = min(found, key=lambda counts: found[counts][0] - found[counts][1])
    minus, uniform, _ = found[best]
    return verdict_of(
        not wrong,
        f"{len(found)} count vectors in fractions; the most is gained at {best}: {minus} instead "
        f"of {uniform}.",
        {"counts": wrong},
        cases=len(found),
        published=float(uniform),
        computed=float(minus),
        quantity="expected difference of the sides",
        relation="<=",
    )
