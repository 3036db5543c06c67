"""Both DiPriMe papers on the private split of a categorical column; laws are over every set of levels."""

import math
from collections import Counter
from itertools import product

import numpy as np

from dplit import median
from dplit.court.claims.median._ratios import EPSILON, HALF
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, decisive, need, note, same

SUBSETS = Box("thm-subset-law", "median.subset_law")
SMALL = "all counts of 2 and 3 levels with up to 4 records"


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


BOUNDS = "diprime-v2/median-by-value:up", "diprime-v2/median-by-value:down"


@SUBSETS("diprime-v1/categorical-split", "Section 3; algorithm 3, lines 35 to 40", **over(*BOUNDS))
def categorical_split(effort, rng):
    r"""Let $|B|$ be the number of records whose levels are in the set $B$. Under add-remove, drawing $B$ with $\Pr
    \propto e^{-\frac{\epsilon_1}{2}|N_i - 2|B||}$ in a node of $N_i$ records is $\epsilon_1$-private."""
    for name in BOUNDS:
        yield from certified(name, effort, broken="leaks")
    yield same(_law_distance((3, 1, 2)), 0.0, atol=1e-12)
    return note(
        "If a record multiplies a split's weight w by f, and the weight T of all others together by g, both "
        "between 1/s and s = e^(epsilon_1/2), then for any number of levels, with l = 1, {statement}.",
        quantity="probability of a split",
    )


@SUBSETS("diprime-v1/categorical-law", "ours; section 3", "holds", "median.subset_sizes", "median.subset_law")
def categorical_law(effort, rng):
    """A subset-sum dynamic programme over all levels gives the exact distribution of the size $|B|$ of one side of
    a categorical split."""
    few = [rng.integers(0, 9, m).tolist() for m in range(2, effort.pick(8, 11, 14))]
    many = [rng.integers(0, 60, m).tolist() for m in effort.pick((40,), (40, 80), (40, 80, 200))]
    for c in many:
        yield need(_product_sizes(c) == median.subset_sizes(c), counts=c)
    for c in few:
        listed = Counter(n for _, n in _splits(c))
        yield need([listed[s] for s in range(sum(c) + 1)] == median.subset_sizes(c), counts=c)
        yield same(_law_distance(c), 0.0, atol=1e-12, counts=c)
    return note(
        f"Equal to the enumeration of all sets for 2 to {len(few[-1])} levels, and to the product "
        f"of 1 + x^n, read off one long integer, for {', '.join(str(len(c)) for c in many)} levels.",
        quantity="probability of a subset",
        range="2 to 7 levels by listing all sets, 40 levels by a product of integers",
    )


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


@SUBSETS("diprime-v2/categorical-score", "Section 3.1", "fails", range=SMALL)
def categorical_score(effort, rng):
    r"""The score $q(C) = \bigl||C| - |X \setminus C|\bigr|$, as printed, makes the exponential mechanism prefer
    balanced splits."""
    found = _differences(effort)
    for counts, (balanced, uniform, printed) in found.items():
        sides = {"printed": str(printed), "uniform": str(uniform), "balanced": str(balanced)}
        yield at_most(printed, uniform, counts=counts, epsilon=EPSILON, **sides)
    worse = sum(printed > uniform for _, uniform, printed in found.values())
    return note(
        "Levels {counts} at epsilon = log 4: the sides differ by {printed} on average with the "
        "printed score, by {uniform} if C is drawn at random, by {balanced} with a minus sign. "
        f"The printed score is worse than chance in {worse} of {len(found)} cases.",
        quantity="expected difference of the sides",
    )


@SUBSETS.corrected(categorical_score, where="ours; v1, section 3", range=SMALL)
def categorical_score_negated(effort, rng):
    r"""With the score $q(C) = -\bigl||C| - |X \setminus C|\bigr|$ the expected difference between the sizes of the
    sides is at most that of a random split, with equality only if all splits are equally balanced."""
    found = _differences(effort)
    best = min(found, key=lambda counts: found[counts][0] - found[counts][1])
    for counts, (minus, uniform, _) in found.items():
        gaps = {abs(sum(counts) - 2 * n) for _, n in _splits(counts)}
        shown = {"counts": counts, "minus": str(minus), "uniform": str(uniform)}
        case = need(minus <= uniform, minus, "<=", uniform, **shown)
        yield decisive(case) if counts == best else case
        yield need((minus == uniform) == (len(gaps) == 1), minus, "=", uniform, **shown)
    return note(
        f"{len(found)} count vectors in fractions; the most is gained at {{counts}}: {{minus}} instead "
        "of {uniform}.",
        quantity="expected difference of the sides",
    )
