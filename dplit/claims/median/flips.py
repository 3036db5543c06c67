"""Claims of both DiPriMe papers on categorical splits and on permute-and-flip for the median.

v1, section 3 and algorithm 3; v2, sections 2, 3.1 and 4.1; derived in :doc:`/book/median`. The
references are written here from the definitions, in fractions, at a rational w = e^(-epsilon/2).
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, permutations, product

import numpy as np

from dplit import median
from dplit.ledger import Evidence, claim, of_privacy, of_upper_bound
from dplit.mechanisms import Exponential, PermuteAndFlip

HALF = Fraction(1, 2)
CUTS = ((0.25, 0.5, 0.5, 0.75), (0.125, 0.25, 0.875), (0.5,) * 4 + (0.75,) * 2)


# Categorical splits --------------------------------------------------------------------------


def subset_weights(counts, w, sign=-1):
    """Weight of every split, w to the power -sign times its sides' difference, keyed by its levels."""
    n = sum(counts)
    sets = [c for c in product((0, 1), repeat=len(counts)) if 0 < sum(c) < len(counts)]
    return {c: w ** (-sign * abs(n - 2 * sum(np.multiply(c, counts).tolist()))) for c in sets}


def subset_ratio(counts, other, w):
    """Largest ratio of a split's probabilities on two vectors of counts."""
    one, two = (subset_weights(c, w) for c in (counts, other))
    scale = sum(two.values()) / sum(one.values())
    return max(max(r, 1 / r) for r in (one[c] / two[c] * scale for c in one))


def _count_vectors(levels, n):
    found = (x for x in product(range(n + 1), repeat=levels) if sum(x) <= n)
    return sorted(found, key=lambda x: (sum(x), x))


def _steps(counts):
    return [
        (*counts[:i], counts[i] + 1, *counts[i + 1 :])
        for i in range(len(counts))
    ]  # fmt: skip


@claim(
    "diprime-v1/categorical-split",
    "Section 3; algorithm 3, lines 35 to 40",
    "holds",
    "thm-subset-law",
    ("median.subset_law",),
)
def categorical_split(effort, rng):
    r"""Drawing a set $B$ of levels with $\Pr \propto e^{-\frac{\epsilon_1}{2}|N_i - 2|B||}$ is
    $\epsilon_1$-private (under add-remove)."""
    sizes = effort.pick({2: 4, 3: 4, 4: 2}, {2: 6, 3: 6, 4: 3}, {2: 10, 3: 10, 4: 5, 5: 3})
    pairs = [(c, d) for m, n in sizes.items() for c in _count_vectors(m, n - 1) for d in _steps(c)]
    ratios = [subset_ratio(c, d, HALF) for c, d in pairs]
    family = [subset_ratio((k, k - 1, 0), (k, k, 0), HALF) for k in (1, 2, 4, 20)]
    worst = max(range(len(pairs)), key=ratios.__getitem__)
    strict = max(*ratios, *family) < 4
    verdict = of_privacy([math.log(r) for r in (*ratios, *family)], math.log(4))
    return Evidence(
        verdict if strict else "leaks", "exact",
        f"{len(pairs)} pairs of two to {max(sizes)} levels, every split: all below e^epsilon = 4, the "
        f"largest {float(ratios[worst]):.4f} between {pairs[worst][0]} and {pairs[worst][1]}. From "
        "(k, k - 1, 0) to (k, k, 0) it is 4 times "
        + ", ".join(f"1 - {float(1 - r / 4):.2g}" for r in family) + " at k = 1, 2, 4, 20: the supremum.",
        len(pairs) + len(family), published=math.log(4), computed=math.log(max(*ratios, *family)),
        counterexample=None if strict else
        {"counts": list(pairs[worst][0]), "neighbour": list(pairs[worst][1])},
    )  # fmt: skip


@claim(
    "diprime-v1/categorical-law",
    "ours; section 3",
    "holds",
    "thm-subset-law",
    ("median.subset_sizes", "median.subset_law"),
    ours=True,
)
def categorical_law(effort, rng):
    """The law of $|B|$ is a subset-sum dynamic programme over the levels, exact for any number
    of them."""
    few = [rng.integers(0, 9, m).tolist() for m in range(2, effort.pick(8, 11, 14))]
    many = [rng.integers(0, 60, m).tolist() for m in effort.pick((40,), (40, 80), (40, 80, 200))]
    wrong = [c for c in few if _enumerated_sizes(c) != median.subset_sizes(c)]
    wrong += [c for c in many if _product_sizes(c) != median.subset_sizes(c)]
    far = [c for c in few if _law_distance(c) > 1e-12]
    good = not wrong and not far
    return Evidence(
        "holds" if good else "fails", "exact",
        f"Equal to the enumeration of all sets for 2 to {len(few[-1])} levels, and to the product of "
        f"1 + x^n, read off one long integer, for {', '.join(str(len(c)) for c in many)} levels.",
        len(few) + len(many), counterexample=None if good else {"counts": (wrong + far)[0]},
    )  # fmt: skip


def _enumerated_sizes(counts):
    sizes = Counter(
        sum(n for n, inside in zip(counts, c) if inside) for c in subset_weights(counts, HALF)
    )
    return [sizes[s] for s in range(sum(counts) + 1)]


def _product_sizes(counts):
    """Coefficients of the product of 1 + x^n at x = 2^(levels + 1), which separates them."""
    bits = len(counts) + 1
    value = math.prod(1 + (1 << bits * n) for n in counts)
    sizes = [(value >> bits * s) % (1 << bits) for s in range(sum(counts) + 1)]
    return [v - (s == 0) - (s == sum(counts)) for s, v in enumerate(sizes)]


def _law_distance(counts):
    exact = np.zeros(sum(counts) + 1)
    weights = subset_weights(counts, HALF)
    total = sum(weights.values())
    for c, weight in weights.items():
        exact[np.dot(c, counts)] += float(weight / total)
    return np.abs(exact - median.subset_law(counts, math.log(4))).max()


def difference(counts, w, sign):
    """Expected difference of the two sides under `subset_weights`, as a fraction."""
    weights, n = subset_weights(counts, w, sign), sum(counts)
    gaps = {c: abs(n - 2 * sum(k for k, inside in zip(counts, c) if inside)) for c in weights}
    return sum(weights[c] * gaps[c] for c in weights) / sum(weights.values())


def _differences(effort):
    sizes = effort.pick({2: 4, 3: 4}, {2: 6, 3: 6, 4: 3}, {2: 10, 3: 10, 4: 6})
    cases = [c for m, n in sizes.items() for c in _count_vectors(m, n)]
    cases.sort(key=lambda c: (sum(c), len(c), c))
    return {c: [difference(c, HALF, sign) for sign in (-1, 0, 1)] for c in cases}


@claim(
    "diprime-v2/categorical-score", "Section 3.1", "fails", "thm-subset-law", ("median.subset_law",)
)
def categorical_score(effort, rng):
    r"""The score $q(C) = \bigl||C| - |X \setminus C|\bigr|$, as printed, makes the exponential
    mechanism prefer balanced splits."""
    found = _differences(effort)
    worse = [c for c, (_, uniform, printed) in found.items() if printed > uniform]
    counts = worse[0] if worse else next(iter(found))
    balanced, uniform, printed = found[counts]
    return Evidence(
        "fails" if worse else "holds", "exact",
        f"Levels {counts} at epsilon = log 4: the sides differ by {printed} on average with the printed "
        f"score, by {uniform} if C is drawn at random, by {balanced} with a minus sign. The printed "
        f"score is worse than chance in {len(worse)} of {len(found)} cases and better in "
        f"{sum(p < u for _, u, p in found.values())}.",
        len(found), published=float(balanced), computed=float(printed),
        counterexample={"counts": list(counts), "epsilon": math.log(4), "printed": str(printed),
                        "uniform": str(uniform)} if worse else None,
    )  # fmt: skip


@categorical_score.corrected(functions=("median.subset_law",), where="ours; v1, section 3")
def categorical_score_corrected(effort, rng):
    r"""With $q(C) = -\bigl||C| - |X \setminus C|\bigr|$ the expected difference of the sides is
    at most that of a random split, and equal only if all splits are equally balanced."""
    found = _differences(effort)
    wrong = [c for c, (minus, uniform, _) in found.items()
             if minus > uniform or (minus == uniform) != (len(_gaps(c)) == 1)]  # fmt: skip
    best = min(found, key=lambda c: found[c][0] - found[c][1])
    return Evidence(
        "fails" if wrong else "holds", "exact",
        f"{len(found)} count vectors in fractions; the most is gained at {best}: {found[best][0]} "
        f"instead of {found[best][1]}.",
        len(found), published=float(found[best][1]), computed=float(found[best][0]),
        counterexample={"counts": list(wrong[0])} if wrong else None,
    )  # fmt: skip


def _gaps(counts):
    return {abs(sum(counts) - 2 * np.dot(c, counts)) for c in subset_weights(counts, HALF)}


# Permute-and-flip ----------------------------------------------------------------------------


def flip_law(odds):
    """Permute-and-flip from its definition: every order, every flip."""
    law, orders = [Fraction(0)] * len(odds), list(permutations(range(len(odds))))
    for order in orders:
        reached = Fraction(1, len(orders))
        for r in order:
            law[r] += reached * odds[r]
            reached *= 1 - odds[r]
    return law


def flip_errors(w, gaps):
    """Expected distance from the best score: (permute-and-flip, exponential), in fractions."""
    odds = [w**g for g in gaps]
    laws = flip_law(odds), [q / sum(odds) for q in odds]
    return tuple(sum(p * g for p, g in zip(law, gaps)) for law in laws)


def _all_errors(effort):
    """Errors over score gaps, the best first, by (w, gaps); epsilon is -2 log w."""
    ws = [Fraction(p, 100) for p in (99, 90, 75, 65, 50, 10)]
    sizes = effort.pick({2: 5, 3: 3, 4: 2}, {2: 9, 3: 6, 4: 3}, {2: 20, 3: 10, 4: 5, 5: 3})
    gaps = [(0, *g) for k, top in sizes.items()
            for g in combinations_with_replacement(range(top + 1), k - 1) if any(g)]  # fmt: skip
    return {(w, g): flip_errors(w, g) for w in ws for g in gaps}


@claim(
    "diprime-v2/pfm-0.86",
    "Section 4.1",
    "fails",
    "thm-dominance-median",
    ("mechanisms.PermuteAndFlip", "mechanisms.Exponential"),
)
def pfm(effort, rng):
    r"""Permute-and-flip is guaranteed a lower error than the exponential mechanism only for
    $\epsilon > 0.86$."""
    below = {k: e for k, e in _all_errors(effort).items() if -2 * math.log(k[0]) <= 0.86}
    not_lower = [k for k, (flip, exponential) in below.items() if flip >= exponential]
    (w, gaps), (flip, exponential) = next(iter(below.items()))
    epsilon = -2 * math.log(w)
    return Evidence(
        "holds" if not_lower else "fails", "exact",
        f"Below 0.86 it is strictly lower in {len(below) - len(not_lower)} of {len(below)} cases with "
        f"unequal scores, down to epsilon = {epsilon:.4f}, in fractions.",
        len(below), published=float(exponential), computed=float(flip),
        counterexample=None if not_lower else {"epsilon": epsilon, "scores": [-g for g in gaps],
                                               "permute-and-flip": str(flip), "exponential": str(exponential)},
    )  # fmt: skip


@pfm.corrected(
    functions=("mechanisms.PermuteAndFlip", "mechanisms.Exponential"),
    where="ours; McKenna and Sheldon 2020",
)
def pfm_corrected(effort, rng):
    r"""At every $\epsilon$ its expected error is lower, unless all scores are equal, and at
    least half of the exponential mechanism's."""
    errors = _all_errors(effort)
    wrong = [k for k, (flip, exponential) in errors.items()
             if not exponential / 2 <= flip < exponential]  # fmt: skip
    apart = [k for k in errors if _mechanism_gap(*k) > 1e-12]
    ratio = {w: min(e / f for (v, _), (f, e) in errors.items() if v == w) for w, _ in errors}
    high = max(e / f for f, e in errors.values())
    bad = wrong + apart
    return Evidence(
        "fails" if bad else "holds", "exact",
        f"{len(errors)} cases from epsilon = 0.02 to 4.6: the exponential mechanism's error is the larger "
        "by a factor of at least " + ", ".join(f"{float(r):.5f}" for r in ratio.values())
        + f" (in the order of epsilon) and at most {float(high):.4f}.",
        len(errors), published=1.0, computed=float(min(ratio.values())),
        counterexample={"w": str(bad[0][0]), "gaps": list(bad[0][1])} if bad else None,
    )  # fmt: skip


def _mechanism_gap(w, gaps):
    """Distance of the package's two laws from the fractions."""
    odds, scores = [w**g for g in gaps], [-g for g in gaps]
    exact = flip_law(odds), [q / sum(odds) for q in odds]
    ours = [kind(-2 * math.log(w)).pmf(scores) for kind in (PermuteAndFlip, Exponential)]
    return np.abs(np.array(exact, float) - ours).max()


def grid_odds(values, cells, w):
    """Odds of each cell's midpoint, counted in fractions on [0, 1]."""
    records = [Fraction(v) for v in values]
    middles = [Fraction(2 * i + 1, 2 * cells) for i in range(cells)]
    gaps = [abs(len(records) - 2 * sum(x < r for x in records)) for r in middles]
    return [w ** (g - min(gaps)) for g in gaps]


def _grid_error(values, cells, w):
    """Distance of `median.grid_law` from the expanded integral over the grid, in fractions."""
    exact = PermuteAndFlip.rational_law(grid_odds(values, cells, w))
    law = median.grid_law(values, 0, 1, -2 * math.log(w), cells)
    return np.abs(np.array(exact, float) - law.probabilities).max()


def distances(values, epsilon, cells):
    """Total variation of permute-and-flip on each number of cells from the value law."""
    limit = median.interval_law(values, 0, 1, epsilon)
    return [median.total_variation(median.grid_law(values, 0, 1, epsilon, m), limit) for m in cells]


@claim(
    "diprime-v2/flip-continuous",
    "Sections 2 and 3.1, DiPriMeFlip",
    "assumes",
    "thm-flip-limit",
    ("median.grid_law", "median.total_variation"),
)
def flip_continuous(effort, rng):
    r"""A split $r \in [a_L, a_U]$ of a continuous attribute can be drawn $\epsilon_s$-privately
    by permute-and-flip (assuming a public, finite grid, which its law depends on)."""
    cells, epsilon = effort.pick((2, 4, 8), (2, 4, 8, 16), (2, 4, 8, 16, 32)), math.log(4)
    eighths = [i / 8 + 1 / 16 for i in range(8)]
    data = [
        d for n in range(effort.pick(2, 3, 4)) for d in combinations_with_replacement(eighths, n)
    ]
    losses = [
        median.density_loss(*(median.grid_law(v, 0, 1, epsilon, m) for v in (d, (*d, x))))
        for m in cells for d in data for x in eighths
    ]  # fmt: skip
    private = of_privacy(losses, epsilon) != "leaks"
    error = max(_grid_error(v, m, HALF) for v in CUTS for m in cells)
    laws = [median.grid_law(CUTS[0], 0, 1, epsilon, m) for m in (4, 8, 16, 64)]
    moved = [median.total_variation(a, b) for a, b in pairwise(laws)]
    defined = max(moved) < 1e-12
    verdict = "leaks" if not private else "holds" if defined else "assumes"
    verdict = verdict if error < 1e-12 else "fails"
    return Evidence(
        verdict, "exact",
        f"On grids of {', '.join(map(str, cells))} cells the largest loss is {max(losses):.4f}, epsilon "
        f"{epsilon:.4f}. Another number of cells is another law: from 4 to 8, 16 and 64 cells it moves by "
        f"{', '.join(f'{m:.4f}' for m in moved)} in total variation.",
        len(losses) + len(moved), published=epsilon, computed=max(losses),
        counterexample=None if verdict == "assumes" else {"losses": max(losses), "error": error},
    )  # fmt: skip


@flip_continuous.corrected(
    functions=("median.grid_law", "median.flip_rate", "median.total_variation")
)
def flip_limit(effort, rng):
    r"""On $m$ equal cells permute-and-flip is within $1/(m\bar q - 1)$ of the exponential
    mechanism in total variation, and $m$ times the distance tends to $E|q - Eq|/(2\bar q)$: the
    limit is the exponential mechanism."""
    cells = [2**k for k in range(3, effort.pick(12, 14, 17))]
    cases, bounds, exact, ends = [], [], [], []
    for values, epsilon in product(CUTS, (0.1, 1.0, 5.0)):
        found = distances(values, epsilon, cells)
        odds = [float(q) for q in grid_odds(values, 8, Fraction(math.exp(-epsilon / 2)))]
        sums = [sum(odds) * m / 8 for m in cells]
        kept = [(t, 1 / (s - 1)) for t, s in zip(found, sums) if s > 1]
        exact += [t for t, _ in kept]
        bounds += [b for _, b in kept]
        ends.append(cells[-1] * found[-1] / median.flip_rate(values, 0, 1, epsilon))
        cases.append((values, epsilon))
    close = [abs(r - 1) < 30 / cells[-1] + 1e-9 for r in ends]
    good = of_upper_bound(exact, bounds) != "fails" and all(close)
    return Evidence(
        "holds" if good else "fails", "exact",
        f"Three data sets at epsilon 0.1, 1 and 5, {cells[0]} to {cells[-1]} cells: the distance times the "
        f"cells is within {max(abs(r - 1) for r in ends):.1e} of its limit, and the bound is never passed.",
        len(exact) + len(ends), published=1.0, computed=ends[0],
        counterexample=None if good else {"ratios": ends},
    )  # fmt: skip
