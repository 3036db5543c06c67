"""RDF, section 4.3: how deep a random tree should be.

Means are taken of the exact law of untested features, in fractions, and set beside the formulas.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count, product
from math import comb, floor, log, log1p

from dplit import depth as depths
from dplit.ledger import Evidence, claim, of_equality

# RDF, tables 3 and 4: records, continuous and discrete features, depth, and the percentage of
# empty leaves with one tree and with thirty.
PRINTED = {
    "SynthA": (30000, 5, 0, 5, 49.8, 68.5),
    "SynthB": (30000, 10, 0, 8, 79.1, 90.3),
    "SynthC": (30000, 15, 0, 12, 95.0, 98.5),
    "SynthD": (30000, 15, 0, 12, 95.7, 98.5),
    "SynthE": (30000, 15, 0, 12, 63.3, 73.7),
    "SynthF": (30000, 10, 0, 8, 79.2, 89.9),
    "SynthG": (30000, 20, 0, 15, 98.7, 99.7),
    "WallSensor": (5456, 4, 0, 4, 48.6, 65.1),
    "PenWritten": (10992, 16, 0, 12, 92.4, 97.7),
    "GammaTele": (19014, 10, 0, 8, 86.2, 93.5),
    "Adult": (30162, 6, 8, 9, 99.8, 99.9),
    "Mushroom": (5644, 0, 22, 11, 99.9, 99.9),
    "Claves": (10800, 0, 16, 8, 0.0, 28.7),
    "Nursery": (12960, 0, 8, 4, 0.2, 7.2),
}
ONE = Fraction(1)


def mean_untested(s, depth):
    """Mean of the exact law, a fraction."""
    return sum(x * p for x, p in enumerate(depths.untested_features(s, depth, ONE)))


def smallest_depth(s):
    """Smallest depth at which the exact mean is below half, by search."""
    return next(d for d in count() if s == 0 or 2 * mean_untested(s, d) < s)


@claim(
    "rdf/theorem-2",
    "Theorem 2, equation (15)",
    "holds",
    "thm-depth-untested",
    ("depth.untested_features", "depth.expected_untested"),
)
def theorem_2(effort, rng):
    """Of $s$ continuous features, a path of depth $d$ that picks one a node, with replacement,
    leaves $s((s-1)/s)^d$ untested in expectation."""
    most, deepest = effort.pick((8, 12), (12, 20), (24, 40))
    cases = [(s, d) for s in range(1, most + 1) for d in range(deepest + 1)]
    exact = [float(mean_untested(s, d)) for s, d in cases]
    published = [depths.expected_untested(s, d) for s, d in cases]
    verdict = of_equality(exact, published, rtol=1e-12)
    worst = max(range(len(cases)), key=lambda i: abs(exact[i] - published[i]))
    case = dict(zip("sd", cases[worst]), exact=exact[worst], published=published[worst])
    return Evidence(
        verdict,
        "exact",
        f"the mean of the exact law is the formula for s up to {most}, d up to {deepest}",
        cases=len(cases),
        published=depths.expected_untested(6, 4),
        computed=float(mean_untested(6, 4)),
        counterexample=None if verdict == "holds" else case,
    )


def by_inclusion_exclusion(s, d):
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
    "rdf/theorem-2-law",
    "Theorem 2",
    "holds",
    "thm-depth-untested",
    ("depth.untested_features",),
    ours=True,
)
def theorem_2_law(effort, rng):
    r"""The number $X$ of untested features has the law of empty bins, $P(X = x) = \binom{s}{x}
    \sum_j (-1)^j \binom{s-x}{j} ((s-x-j)/s)^d$."""
    most, deepest, paths = effort.pick((8, 12, 4), (12, 20, 5), (20, 40, 6))
    cases = [(s, d) for s in range(1, most + 1) for d in range(deepest + 1)]
    wrong = [
        c for c in cases if list(depths.untested_features(*c, ONE)) != by_inclusion_exclusion(*c)
    ]
    for s, d in product(range(1, paths + 1), range(paths + 1)):
        left = [s - len(set(path)) for path in product(range(s), repeat=d)]
        counted = [Fraction(left.count(x), s**d) for x in range(s + 1)]
        wrong += [] if counted == by_inclusion_exclusion(s, d) else [(s, d)]
    law = depths.untested_features(6, 4)
    return Evidence(
        "fails" if wrong else "holds",
        "exact",
        f"equal fractions for s up to {most}, d up to {deepest}; s = 6, d = 4: "
        + ", ".join(f"{p:.3f}" for p in law),
        cases=len(cases) + paths * (paths + 1),
        counterexample={"s and d": wrong} if wrong else None,
    )


@claim(
    "rdf/equation-16",
    "Theorem 2, equation (16)",
    "fails",
    "thm-depth-rule",
    ("depth.expected_untested", "depth.published_depth"),
)
def equation_16(effort, rng):
    r"""The optimal depth is $\arg\min_{d: X < s/2} E[X | d]$."""
    most, horizon = effort.pick((20, 40), (40, 80), (100, 200))
    without = []
    for s in range(1, most + 1):
        means = [s * Fraction(s - 1, s) ** d for d in range(horizon + 2)]
        allowed = [d for d in range(horizon + 1) if 2 * means[d] < s]
        if not any(means[d] <= means[d + 1] for d in allowed):
            d = allowed[0]
            without.append({"s": s, "d": d, "mean": means[d], "mean one deeper": means[d + 1]})
    first = without[0] if without else None
    return Evidence(
        "fails" if without else "holds",
        "exact",
        f"no depth up to {horizon} minimises: one level more always leaves fewer untested "
        f"({len(without)} of {most} values of s; with s = 1 every d >= 1 does)",
        cases=most * horizon,
        published=float(first["mean"]) if first else None,
        computed=float(first["mean one deeper"]) if first else None,
        counterexample=first,
    )


@equation_16.corrected(
    functions=("depth.published_depth", "depth.untested_features"), where="Theorem 2, equation (16)"
)
def equation_16_corrected(effort, rng):
    r"""The depth that is meant is the smallest $d$ with $s((s-1)/s)^d < s/2$, which is $\lfloor
    \log 2 / \log(s/(s-1)) \rfloor + 1$ for $s \ge 2$ and 1 for $s = 1$."""
    sizes = range(1, effort.pick(16, 24, 40) + 1)
    rule = [depths.published_depth(s) for s in sizes]
    searched = [smallest_depth(s) for s in sizes]
    closed = [1, *(floor(log(2) / -log1p(-1 / s)) + 1 for s in sizes if s > 1)]
    same = of_equality([searched, searched], [rule, closed], rtol=0)
    lists = {"s": list(sizes), "searched": searched, "rule": rule, "closed form": closed}
    return Evidence(
        same,
        "exact",
        f"search, integers and logarithm agree for s up to {sizes[-1]}: {searched}",
        cases=len(sizes),
        published=rule[-1],
        computed=searched[-1],
        counterexample=None if same == "holds" else lists,
    )


def less_than_half(s, depth):
    """Probability that a path leaves fewer than half of s features untested, a fraction."""
    return sum(p for x, p in enumerate(by_inclusion_exclusion(s, depth)) if 2 * x < s)


@claim(
    "rdf/equation-16-path",
    "Theorem 2, equation (16)",
    "fails",
    "thm-depth-path",
    ("depth.untested_features", "depth.published_depth"),
)
def equation_16_path(effort, rng):
    """At the depth of Theorem 2 a path is more likely than not to leave $X < s/2$ features
    untested; (16) puts the condition on $X$, the proof bounds its mean."""
    sizes = range(1, effort.pick(24, 40, 80) + 1)
    chance = {s: less_than_half(s, depths.published_depth(s)) for s in sizes}
    below = [s for s in sizes if chance[s] < Fraction(1, 2)]
    s = min(below, default=1)
    case = {"s": s, "d": depths.published_depth(s), "probability": chance[s], "all such s": below}
    return Evidence(
        "fails" if below else "holds",
        "exact",
        f"s = {s}: {float(chance[s]):.3f} at depth {case['d']}; below one half for {len(below)} of "
        f"{len(sizes)} values of s, least {float(min(chance.values())):.3f}",
        cases=len(sizes),
        published=0.5,
        computed=float(chance[s]),
        counterexample=case if below else None,
    )


@equation_16_path.corrected(
    functions=("depth.untested_features", "depth.table_depth"), where="Theorem 2, equation (16)"
)
def equation_16_path_corrected(effort, rng):
    """One level deeper, at the depth of Table 4, it is, for every $s$ up to 24; at the depth of
    Theorem 2 its mean is below half, as the proof says."""
    sizes = range(1, effort.pick(24, 40, 80) + 1)
    chance = {s: less_than_half(s, depths.table_depth(s)) for s in sizes}
    wrong = [s for s in sizes if 2 * chance[s] <= 1]
    wrong += [s for s in sizes if 2 * mean_untested(s, depths.published_depth(s)) >= s]
    least = min(sizes, key=chance.get)
    return Evidence(
        "fails" if wrong else "holds",
        "exact",
        f"for every s up to {sizes[-1]}; least at s = {least}: {float(chance[least]):.3f}",
        cases=2 * len(sizes),
        published=0.5,
        computed=float(chance[least]),
        counterexample={"s": wrong} if wrong else None,
    )


def theorem_depth(continuous, discrete):
    """Theorem 2 by search over the exact law, plus half of the discrete features."""
    return smallest_depth(continuous) + discrete // 2


@claim(
    "rdf/table-4",
    "Table 4",
    "fails",
    "thm-depth-table",
    ("depth.published_depth", "depth.table_depth"),
)
def table_4(effort, rng):
    """The depths of Table 4 are calculated by Theorem 2."""
    printed = {name: row[3] for name, row in PRINTED.items()}
    computed = {name: theorem_depth(*row[1:3]) for name, row in PRINTED.items()}
    wrong = {
        n: {"printed": d, "theorem 2": computed[n]} for n, d in printed.items() if d != computed[n]
    }
    small = min(wrong, key=lambda n: PRINTED[n][1], default="SynthA")
    case = {"dataset": small, "continuous": PRINTED[small][1], "discrete": PRINTED[small][2]}
    return Evidence(
        of_equality([*computed.values()], [*printed.values()], rtol=0),
        "exact",
        f"{len(wrong)} of {len(printed)} depths differ; {small}: printed {printed[small]}, "
        f"theorem {computed[small]}",
        cases=len(printed),
        published=printed[small],
        computed=computed[small],
        counterexample=case | {"all that differ": wrong} if wrong else None,
    )


@table_4.corrected(functions=("depth.table_depth", "depth.published_depth"), where="Table 4")
def table_4_corrected(effort, rng):
    """Table 4 has one level more than Theorem 2 in every row with a continuous feature, and
    Theorem 2's depth in the others."""
    shapes = [row[1:3] for row in PRINTED.values()]
    searched = [theorem_depth(s, r) + (s > 0) for s, r in shapes]
    printed = [row[3] for row in PRINTED.values()]
    function = [depths.table_depth(s, r) for s, r in shapes]
    same = of_equality([searched, searched], [printed, function], rtol=0)
    rows = {"searched": searched, "printed": printed, "function": function}
    return Evidence(
        same,
        "exact",
        f"all {len(shapes)} rows: {searched}",
        cases=len(shapes),
        counterexample=None if same == "holds" else rows,
    )


def most_untested(depth_rule, most):
    """First (s, r), smallest s + r first, whose depth leaves half of all features untested or more."""
    shapes = [(m - r, r) for m in range(3, most + 1) for r in range(2, m, 2)]
    for s, r in shapes:
        depth = depth_rule(s, r)
        if 2 * depths.expected_untested_mixed(s, r, depth) > (s + r) * (1 - 1e-9):
            return (s, r, depth), len(shapes)
    return None, len(shapes)


@claim(
    "rdf/mixed-depth",
    "Section 4.3, after Theorem 2",
    "fails",
    "thm-depth-mixed",
    ("depth.expected_untested_mixed", "depth.published_depth"),
)
def mixed_depth(effort, rng):
    """With $r$ discrete features beside $s$ continuous ones, $r/2$ more levels serve the aim of
    Theorem 2: they keep the expected number of untested features below half of all."""
    most = effort.pick(18, 24, 32)
    found, cases = most_untested(depths.published_depth, most)
    if found is None:
        summary = f"below half for every mix of up to {most} features"
        return Evidence("holds", "exact", summary, cases=cases)
    s, r, depth = found
    mean = depths.expected_untested_mixed(s, r, depth, ONE)
    case = {
        "continuous": s,
        "discrete": r,
        "depth": depth,
        "untested": float(mean),
        "half": (s + r) / 2,
    }
    return Evidence(
        "fails" if 2 * mean >= s + r else "holds",
        "exact",
        f"{s} continuous and {r} discrete features at depth {depth}: {float(mean):.4f} of "
        f"{s + r} stay untested, half would be {(s + r) / 2:g}",
        cases=cases,
        published=(s + r) / 2,
        computed=float(mean),
        counterexample=case,
    )


@mixed_depth.corrected(
    functions=("depth.expected_untested_mixed", "depth.table_depth"),
    where="Section 4.3, after Theorem 2",
)
def mixed_depth_corrected(effort, rng):
    """One level more than Theorem 2 plus $r/2$, the depth of Table 4, keeps the expected number
    of untested features below half of all, for every mix of both kinds of up to 18 features,
    $r$ even."""
    most = effort.pick(18, 24, 40)
    found, cases = most_untested(depths.table_depth, most)
    adult = depths.expected_untested_mixed(6, 8, 9)
    return Evidence(
        "fails" if found else "holds",
        "exact",
        f"every mix of up to {most} features; Adult, depth 9: {adult:.3f} of 14 stay untested",
        cases=cases,
        published=7,
        computed=adult,
        counterexample=dict(zip(("continuous", "discrete", "depth"), found)) if found else None,
    )
