"""RDF, section 4.3: how deep a random tree should be; means are of the exact law of untested features."""

from fractions import Fraction
from itertools import count, product
from math import comb, floor, log, log1p

from dplit import depth as depths
from dplit.court.claims.depth._printed import printed_rows
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, decisive, need, note, same

ONE = Fraction(1)
UNTESTED = Box("thm-depth-untested", "depth.untested_features")
RULE = Box("thm-depth-rule", "depth.expected_untested", "depth.published_depth")
PATH = Box("thm-depth-path", "depth.untested_features", "depth.published_depth", quantity="P(fewer than half)")
TABLE = Box("thm-depth-table", "depth.published_depth", "depth.table_depth")
MIXED = Box("thm-depth-mixed", "depth.expected_untested_mixed", "depth.published_depth")


def _mean_untested(s, depth):
    return sum(x * p for x, p in enumerate(depths.untested_features(s, depth, ONE)))


def _smallest_depth(s):
    """Smallest depth at which the exact mean is below half, by search."""
    return next(d for d in count() if s == 0 or 2 * _mean_untested(s, d) < s)


@UNTESTED(
    "rdf/theorem-2",
    "Theorem 2, equation (15)",
    "holds",
    "depth.untested_features",
    "depth.expected_untested",
    quantity="mean untested features",
    **over("rdf/theorem-2"),
)
def theorem_2(effort, rng):
    """A path of depth $d$ that picks one of $s$ continuous features per node, with replacement, leaves
    $s((s-1)/s)^d$ of them untested in expectation."""
    yield from certified("rdf/theorem-2", effort)
    for s, d in ((1, 0), (24, 40), (6, 4)):  # the last is the chapter's example
        yield decisive(same(_mean_untested(s, d), depths.expected_untested(s, d), 1e-12, s=s, d=d))
    words = "On average one more level tests the share 1/s of the features that are still untested, which gives"
    return words + " the formula at every depth; {s:g} features at depth {d:g} leave {exact:.4f} untested."


@UNTESTED("rdf/theorem-2-law", "Theorem 2", ours=True, quantity="laws that differ from the formula")
def theorem_2_law(effort, rng):
    r"""The number $X$ of features untested on a path of depth $d$ is distributed like the number of bins that
    remain empty when $d$ balls fall into $s$ bins: $\Pr(X = x) = \binom{s}{x} \sum_j (-1)^j \binom{s-x}{j}
    ((s-x-j)/s)^d$."""
    most, deepest, paths = effort.pick((8, 12, 4), (12, 20, 5), (20, 40, 6))
    for s, d in product(range(1, most + 1), range(deepest + 1)):
        law = list(depths.untested_features(s, d, ONE))
        yield same(law != _by_inclusion_exclusion(s, d), 0, s=s, d=d)
    for s, d in product(range(1, paths + 1), range(paths + 1)):
        left = [s - len(set(path)) for path in product(range(s), repeat=d)]
        counted = [Fraction(left.count(x), s**d) for x in range(s + 1)]
        yield same(counted != _by_inclusion_exclusion(s, d), 0, s=s, d=d)
    example = ", ".join(f"{p:.3f}" for p in depths.untested_features(6, 4))
    return note(
        f"For s up to {most} and d up to {deepest} both distributions are the same fractions; at s = 6 and d = 4 "
        f"the probabilities of X = 0 to 6 are {example}.",
        range=f"s up to {most}, d up to {deepest}; all paths for both up to {paths}",
    )


def _by_inclusion_exclusion(s, d):
    """Law of the untested features from counts of functions onto s - x features, a list of fractions."""
    return [
        Fraction(comb(s, x) * sum((-1) ** j * comb(s - x, j) * (s - x - j) ** d for j in range(s - x + 1)), s**d)
        for x in range(s + 1)
    ]


@RULE(
    "rdf/equation-16",
    "Theorem 2, equation (16)",
    "fails",
    quantity="mean untested features, and one level deeper",
    **over("rdf/equation-16"),
)
def equation_16(effort, rng):
    r"""By the combinatorial reasoning of Fan et al. the optimal depth is $\arg\min_{d: X < s/2} E[X | d]$, where
    $X$ is the number of untested features."""
    yield from certified("rdf/equation-16", effort)
    words = "Each further level multiplies the mean number of untested features by (s - 1)/s, so for two or more"
    return words + " features no depth attains the minimum."


@RULE.corrected(
    equation_16,
    "depth.published_depth",
    "depth.untested_features",
    where="Theorem 2, equation (16)",
    quantity="smallest depth for the most features",
)
def equation_16_corrected(effort, rng):
    r"""The intended depth is the smallest $d$ with $s((s-1)/s)^d < s/2$, which is $\lfloor \log 2 /
    \log(s/(s-1)) \rfloor + 1$ for $s \ge 2$ and 1 for $s = 1$."""
    searched = [_smallest_depth(s) for s in range(1, effort.pick(16, 24, 40) + 1)]
    for s, depth in enumerate(searched, 1):
        closed = floor(log(2) / -log1p(-1 / s)) + 1 if s > 1 else 1
        yield same(depth, closed, rtol=0, s=s)
        yield same(depth, depths.published_depth(s), rtol=0, s=s)
    return note(
        f"A search, whole numbers and the logarithm give the same depths for s up to {len(searched)}: {searched}.",
        range=f"s up to {len(searched)}",
    )


@PATH("rdf/equation-16-path", "Theorem 2, equation (16)", "fails", about="reading")
def equation_16_path(effort, rng):
    """At the depth of Theorem 2 a path is more likely than not to leave $X < s/2$ features untested. (Read as a
    condition on $X$ itself, as (16) prints it, and not on the mean of $X$, which the proof bounds.)"""
    sizes = range(1, effort.pick(24, 40, 80) + 1)
    chance = {s: _less_than_half(s, depths.published_depth(s)) for s in sizes}
    below = [s for s in sizes if 2 * chance[s] < 1]
    for s, p in chance.items():
        case = {"s": s, "d": depths.published_depth(s), "probability": p, "all such s": below}
        yield need(2 * p >= 1, p, ">=", 0.5, **case)
    return note(
        f"With s = {{s}} features the probability is {{exact:.3f}} at depth {{d}}. It is below one half for "
        f"{len(below)} of {len(sizes)} values of s, and the least is {float(min(chance.values())):.3f}.",
        range=f"s up to {sizes[-1]}",
    )


@PATH.corrected(
    equation_16_path,
    "depth.untested_features",
    "depth.table_depth",
    where="Theorem 2, equation (16)",
    proved=False,
)
def equation_16_path_corrected(effort, rng):
    """One level deeper, at the depth of Table 4, a path is more likely than not to leave fewer than half of the
    features untested, for every $s$ up to 24. At Theorem 2's depth fewer than half are untested on average."""
    sizes = range(1, effort.pick(24, 40, 80) + 1)
    chance = {s: _less_than_half(s, depths.table_depth(s)) for s in sizes}
    for s in sorted(sizes, key=chance.get, reverse=True):  # the least is the last, and shown
        mean = _mean_untested(s, depths.published_depth(s))
        yield need(2 * mean < s, mean, "<", s / 2, s=s)
        yield need(2 * chance[s] > 1, chance[s], ">", 0.5, s=s)
    words = "The probability is least at s = {s}, where it is {exact:.3f}."
    return note(words, range=f"every s up to {sizes[-1]}")


def _less_than_half(s, depth):
    """Probability that a path leaves fewer than half of s features untested, a fraction."""
    return sum(p for x, p in enumerate(_by_inclusion_exclusion(s, depth)) if 2 * x < s)


@TABLE("rdf/table-4", "Table 4", "fails", quantity="depth")
def table_4(effort, rng):
    """The depths of Table 4 are calculated by Theorem 2."""
    rows = sorted(printed_rows().items(), key=lambda item: item[1].continuous)
    differ = 0
    for name, row in rows:
        depth = _theorem_depth(row.continuous, row.discrete)
        differ += depth != row.depth
        shape = {"continuous": row.continuous, "discrete": row.discrete}
        yield same(depth, row.depth, rtol=0, dataset=name, **shape)
    return note(
        f"{differ} of {len(rows)} depths differ; {{dataset}}: printed {{stated:g}}, theorem {{exact:g}}",
        range="all 14 rows",
    )


@TABLE.corrected(
    table_4, "depth.table_depth", "depth.published_depth", where="Table 4", proved=False, quantity="differing rows"
)
def table_4_corrected(effort, rng):
    """Table 4 has one level more than Theorem 2 in every row with a continuous feature, and the same
    depth as Theorem 2 in the others."""
    searched = []
    for name, row in printed_rows().items():
        shape = row.continuous, row.discrete
        searched.append(_theorem_depth(*shape) + (row.continuous > 0))
        alike = searched[-1] == row.depth == depths.table_depth(*shape)
        yield same(not alike, 0, dataset=name, searched=searched[-1], printed=row.depth)
    words = f"In all {len(searched)} rows the printed depth is as stated: {searched}."
    return note(words, range="all 14 rows")


def _theorem_depth(continuous, discrete):
    """Theorem 2 by search over the exact law, plus half of the discrete features."""
    return _smallest_depth(continuous) + discrete // 2


@MIXED("rdf/mixed-depth", "Section 4.3, after Theorem 2", "fails", about="reading", quantity="untested features")
def mixed_depth(effort, rng):
    """If a dataset has $r$ discrete features in addition to the $s$ continuous features, $r/2$ is added to the
    depth of Theorem 2 as per the combinatorial reasoning of Fan et al. (Read with the aim of Theorem 2: to keep
    the expected number of untested features below half of all.)"""
    most = effort.pick(18, 24, 32)
    for mean, half, mix in _mixes(depths.published_depth, most):
        yield at_most(mean, half, **mix)
    return note(
        "{continuous} continuous and {discrete} discrete features at depth {depth}: {exact:.4f} of them "
        "stay untested, half would be {stated:g}",
        range=f"every mix of up to {most} features, an even number of them discrete",
    )


@MIXED.corrected(
    mixed_depth,
    "depth.expected_untested_mixed",
    "depth.table_depth",
    where="Section 4.3, after Theorem 2",
    proved=False,
    quantity="expected untested features of Adult's 14",
)
def mixed_depth_corrected(effort, rng):
    """One level more than Theorem 2 plus $r/2$, which is the depth of Table 4, keeps the expected number of
    untested features below half of all, for every mix of up to 18 features of both kinds in which $r$ is even."""
    most = effort.pick(18, 24, 40)
    for mean, half, mix in _mixes(depths.table_depth, most):
        yield need(mean < half * (1 - 1e-9), mean, "<", half, **mix)
    adult = depths.expected_untested_mixed(6, 8, 9)
    yield need(adult < 7, adult, "<", 7)
    return note(
        f"every mix of up to {most} features; Adult, depth 9: {adult:.3f} of 14 stay untested",
        range=f"every mix of up to {most} features, an even number of them discrete",
    )


def _mixes(depth_rule, most):
    """Expected untested features, half of all, and the mix of both kinds, the fewest first."""
    for m in range(3, most + 1):
        for r in range(2, m, 2):
            depth = depth_rule(m - r, r)
            mean = depths.expected_untested_mixed(m - r, r, depth)
            yield mean, m / 2, {"continuous": m - r, "discrete": r, "depth": depth}
