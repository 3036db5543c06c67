"""RDF, section 4.3: how deep a random tree should be.

Means are taken of the exact law of untested features, in fractions, and set beside the formulas.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count, product
from math import comb, floor, log, log1p

from dplit import depth as depths
from dplit.claims.depth._printed import printed_rows
from dplit.ledger import Case, bounded, claim, equal, verdict_of

ONE = Fraction(1)


def _mean_untested(s, depth):
    """Mean of the exact law, a fraction."""
    return sum(x * p for x, p in enumerate(depths.untested_features(s, depth, ONE)))


def _smallest_depth(s):
    """Smallest depth at which the exact mean is below half, by search."""
    return next(d for d in count() if s == 0 or 2 * _mean_untested(s, d) < s)


@claim(
    "rdf/theorem-2",
    "Theorem 2, equation (15)",
    "holds",
    "thm-depth-untested",
    ("depth.untested_features", "depth.expected_untested"),
    proof="thm-depth-untested",
    quantity="expected untested features",
)
def theorem_2(effort, rng):
    """Of $s$ continuous features, a path of depth $d$ that picks one a node, with replacement,
    leaves $s((s-1)/s)^d$ untested in expectation."""
    most, deepest = effort.pick((8, 12), (12, 20), (24, 40))
    shapes = list(product(range(1, most + 1), range(deepest + 1)))
    shapes.sort(key=lambda shape: shape == (6, 4))  # the chapter's example is shown
    return equal(
        (
            Case(float(_mean_untested(s, d)), depths.expected_untested(s, d), {"s": s, "d": d})
            for s, d in shapes
        ),
        f"the mean of the exact law is the formula for s up to {most}, d up to {deepest}",
        rtol=1e-12,
        range=f"s up to {most}, d up to {deepest}",
    )


@claim(
    "rdf/theorem-2-law",
    "Theorem 2",
    "holds",
    "thm-depth-untested",
    ("depth.untested_features",),
    ours=True,
    proof="thm-depth-untested",
    quantity="laws that differ from the formula",
)
def theorem_2_law(effort, rng):
    r"""The number $X$ of untested features has the law of empty bins, $P(X = x) = \binom{s}{x}
    \sum_j (-1)^j \binom{s-x}{j} ((s-x-j)/s)^d$."""
    most, deepest, paths = effort.pick((8, 12, 4), (12, 20, 5), (20, 40, 6))
    cases = list(product(range(1, most + 1), range(deepest + 1)))
    wrong = [
        c for c in cases if list(depths.untested_features(*c, ONE)) != _by_inclusion_exclusion(*c)
    ]
    for s, d in product(range(1, paths + 1), range(paths + 1)):
        left = [s - len(set(path)) for path in product(range(s), repeat=d)]
        counted = [Fraction(left.count(x), s**d) for x in range(s + 1)]
        wrong += [] if counted == _by_inclusion_exclusion(s, d) else [(s, d)]
    law = ", ".join(f"{p:.3f}" for p in depths.untested_features(6, 4))
    return verdict_of(
        not wrong,
        f"equal fractions for s up to {most}, d up to {deepest}; s = 6, d = 4: {law}",
        {"s and d": wrong},
        cases=len(cases) + paths * (paths + 1),
        relation="=",
        published=0.0,
        computed=float(len(wrong)),
        range=f"s up to {most}, d up to {deepest}; all paths for both up to {paths}",
    )


def _by_inclusion_exclusion(s, d):
    """Law of the untested features from counts of functions onto s - x features, a list of fractions."""
    return [
        Fraction(
            comb(s, x)
            * sum((-1) ** j * comb(s - x, j) * (s - x - j) ** d for j in range(s - x + 1)),
            s**d,
        )
        for x in range(s + 1)
    ]


@claim(
    "rdf/equation-16",
    "Theorem 2, equation (16)",
    "fails",
    "thm-depth-rule",
    ("depth.expected_untested", "depth.published_depth"),
    quantity="expected untested features, one level deeper",
)
def equation_16(effort, rng):
    r"""By the combinatorial reasoning of Fan et al. the optimal depth is $\arg\min_{d: X < s/2} E[X | d]$."""
    most, horizon = effort.pick((20, 40), (40, 80), (100, 200))
    without = []
    for s in range(1, most + 1):
        means = [s * Fraction(s - 1, s) ** d for d in range(horizon + 2)]
        allowed = [d for d in range(horizon + 1) if 2 * means[d] < s]
        if not any(means[d] <= means[d + 1] for d in allowed):
            d = allowed[0]
            now, deeper = (float(mean) for mean in means[d : d + 2])
            without.append({"s": s, "d": d, "mean": now, "mean one deeper": deeper})
    first = without[0] if without else {"mean": None, "mean one deeper": None}
    return verdict_of(
        not without,
        f"no depth up to {horizon} minimises: one level more always leaves fewer untested "
        f"({len(without)} of {most} values of s; with s = 1 every d >= 1 does)",
        first,
        cases=most * horizon,
        range=f"s up to {most}, d up to {horizon}",
        relation=">=",
        published=first["mean"],
        computed=first["mean one deeper"],
    )


@equation_16.corrected(
    functions=("depth.published_depth", "depth.untested_features"),
    where="Theorem 2, equation (16)",
    proof="thm-depth-rule",
    quantity="smallest depth for the most features",
)
def equation_16_corrected(effort, rng):
    r"""The depth that is meant is the smallest $d$ with $s((s-1)/s)^d < s/2$, which is $\lfloor
    \log 2 / \log(s/(s-1)) \rfloor + 1$ for $s \ge 2$ and 1 for $s = 1$."""
    sizes = range(1, effort.pick(16, 24, 40) + 1)
    rule = [depths.published_depth(s) for s in sizes]
    searched = [_smallest_depth(s) for s in sizes]
    closed = [1, *(floor(log(2) / -log1p(-1 / s)) + 1 for s in sizes if s > 1)]
    return verdict_of(
        searched == rule == closed,
        f"search, integers and logarithm agree for s up to {sizes[-1]}: {searched}",
        {"s": list(sizes), "searched": searched, "rule": rule, "closed form": closed},
        cases=len(sizes),
        range=f"s up to {sizes[-1]}",
        relation="=",
        published=rule[-1],
        computed=searched[-1],
    )


@claim(
    "rdf/equation-16-path",
    "Theorem 2, equation (16)",
    "fails",
    "thm-depth-path",
    ("depth.untested_features", "depth.published_depth"),
    about="reading",
    quantity="probability of fewer than half untested",
)
def equation_16_path(effort, rng):
    """Read as a condition on $X$ itself, as (16) prints it, and not on its mean, as the proof bounds
    it: at the depth of Theorem 2 a path is more likely than not to leave $X < s/2$ features
    untested."""
    sizes = range(1, effort.pick(24, 40, 80) + 1)
    chance = {s: _less_than_half(s, depths.published_depth(s)) for s in sizes}
    below = [s for s in sizes if chance[s] < Fraction(1, 2)]
    s = min(below, default=1)
    case = {"s": s, "d": depths.published_depth(s), "probability": chance[s], "all such s": below}
    return verdict_of(
        not below,
        f"s = {s}: {float(chance[s]):.3f} at depth {case['d']}; below one half for {len(below)} of "
        f"{len(sizes)} values of s, least {float(min(chance.values())):.3f}",
        case,
        cases=len(sizes),
        range=f"s up to {sizes[-1]}",
        relation=">=",
        published=0.5,
        computed=float(chance[s]),
    )


@equation_16_path.corrected(
    functions=("depth.untested_features", "depth.table_depth"),
    where="Theorem 2, equation (16)",
    quantity="probability of fewer than half untested",
)
def equation_16_path_corrected(effort, rng):
    """One level deeper, at the depth of Table 4, a path is more likely than not to leave fewer than
    half of the features untested, for every $s$ up to 24; at the depth of Theorem 2 the mean is
    below half, as the proof says."""
    sizes = range(1, effort.pick(24, 40, 80) + 1)
    chance = {s: _less_than_half(s, depths.table_depth(s)) for s in sizes}
    wrong = [s for s in sizes if 2 * chance[s] <= 1]
    wrong += [s for s in sizes if 2 * _mean_untested(s, depths.published_depth(s)) >= s]
    least = min(sizes, key=chance.get)
    return verdict_of(
        not wrong,
        f"for every s up to {sizes[-1]}; least at s = {least}: {float(chance[least]):.3f}",
        {"s": wrong},
        cases=2 * len(sizes),
        range=f"every s up to {sizes[-1]}",
        relation=">",
        published=0.5,
        computed=float(chance[least]),
    )


def _less_than_half(s, depth):
    """Probability that a path leaves fewer than half of s features untested, a fraction."""
    return sum(p for x, p in enumerate(_by_inclusion_exclusion(s, depth)) if 2 * x < s)


@claim(
    "rdf/table-4",
    "Table 4",
    "fails",
    "thm-depth-table",
    ("depth.published_depth", "depth.table_depth"),
    quantity="depth",
)
def table_4(effort, rng):
    """The depths of Table 4 are calculated by Theorem 2."""
    rows = sorted(printed_rows().items(), key=lambda item: item[1].continuous)
    cases = []
    for name, row in rows:
        data = {"dataset": name, "continuous": row.continuous, "discrete": row.discrete}
        cases.append(Case(_theorem_depth(row.continuous, row.discrete), row.depth, data))
    differ = sum(c.exact != c.stated for c in cases)
    note = f"{differ} of {len(cases)} depths differ; {{dataset}}: printed {{stated}}, theorem {{exact}}"
    return equal(cases, note, rtol=0, range="all 14 rows")


@table_4.corrected(
    functions=("depth.table_depth", "depth.published_depth"),
    where="Table 4",
    quantity="rows that differ",
)
def table_4_corrected(effort, rng):
    """Table 4 has one level more than Theorem 2 in every row with a continuous feature, and
    Theorem 2's depth in the others."""
    rows = printed_rows().values()
    shapes = [(row.continuous, row.discrete) for row in rows]
    searched = [_theorem_depth(s, r) + (s > 0) for s, r in shapes]
    printed = [row.depth for row in rows]
    function = [depths.table_depth(s, r) for s, r in shapes]
    return verdict_of(
        searched == printed == function,
        f"all {len(shapes)} rows: {searched}",
        {"searched": searched, "printed": printed, "function": function},
        cases=len(shapes),
        range="all 14 rows",
        relation="=",
        published=0.0,
        computed=float(sum(a != b for a, b in zip(searched, printed))),
    )


def _theorem_depth(continuous, discrete):
    """Theorem 2 by search over the exact law, plus half of the discrete features."""
    return _smallest_depth(continuous) + discrete // 2


@claim(
    "rdf/mixed-depth",
    "Section 4.3, after Theorem 2",
    "fails",
    "thm-depth-mixed",
    ("depth.expected_untested_mixed", "depth.published_depth"),
    about="reading",
    quantity="expected untested features",
)
def mixed_depth(effort, rng):
    """If a dataset has $r$ discrete features in addition to the $s$ continuous features, $r/2$ is added to
    the depth of Theorem 2 as per the combinatorial reasoning of Fan et al. (read with the aim of Theorem 2:
    to keep the expected number of untested features below half of all)."""
    return bounded(
        _mixes(depths.published_depth, most := effort.pick(18, 24, 32)),
        "{continuous} continuous and {discrete} discrete features at depth {depth}: {exact:.4f} of them "
        "stay untested, half would be {stated:g}",
        range=f"every mix of up to {most} features, an even number of them discrete",
    )


@mixed_depth.corrected(
    functions=("depth.expected_untested_mixed", "depth.table_depth"),
    where="Section 4.3, after Theorem 2",
    quantity="expected untested features of Adult's 14",
)
def mixed_depth_corrected(effort, rng):
    """One level more than Theorem 2 plus $r/2$, the depth of Table 4, keeps the expected number
    of untested features below half of all, for every mix of both kinds of up to 18 features,
    $r$ even."""
    most = effort.pick(18, 24, 40)
    found = bounded(
        _mixes(depths.table_depth, most), "half or more with {continuous} and {discrete}"
    )
    adult = depths.expected_untested_mixed(6, 8, 9)
    return verdict_of(
        found.verdict == "loose",  # never met: below half
        f"every mix of up to {most} features; Adult, depth 9: {adult:.3f} of 14 stay untested",
        found.counterexample or {"nearest": found.computed},
        cases=found.cases,
        range=f"every mix of up to {most} features, an even number of them discrete",
        relation="<",
        published=7,
        computed=adult,
    )


def _mixes(depth_rule, most):
    """Expected untested features against half of all, for each mix of both kinds, the fewest first."""
    for m in range(3, most + 1):
        for r in range(2, m, 2):
            depth = depth_rule(m - r, r)
            mean = depths.expected_untested_mixed(m - r, r, depth)
            yield Case(mean, m / 2, {"continuous": m - r, "discrete": r, "depth": depth})
