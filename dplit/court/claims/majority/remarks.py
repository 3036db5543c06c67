"""What Fletcher and Islam (2017) and the addendum (2021) say beside their theorems, with a number."""

import math
from functools import partial
from itertools import product

from dplit import majority
from dplit.court.claims.majority._leaves import score, two_and_three
from dplit.court.claims.majority._printed import label_probabilities
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, below, decisive, need, note, same
from dplit.ground import printed

COUNTS = Box("rem-majority-counts", "majority.neighbouring")
SEARCH = "majority.searched_smooth_sensitivity"
SMOOTH = Box("thm-smooth-sensitivity", SEARCH, quantity="smooth sensitivity")
EXPECTED = Box("thm-expected-gap", "majority.expected_gap")
ROSNAM = Box("thm-rosnam-law", "majority.one_sided_law", "majority.smooth_exponential_law")


@COUNTS("rdf/counts-sensitivity", "section 3.1", quantity="local sensitivity of the counts")
def counts_sensitivity(effort, rng):
    r"""The Laplace noise that a frequency query such as label counts needs cannot be reduced by using smooth
    instead of global sensitivity: one record can always change a count by 1, even for a specific dataset."""
    leaves, words = two_and_three(effort)
    for x in leaves:
        most = max(sum(abs(a - b) for a, b in zip(x, y)) for y in majority.neighbouring(x))
        yield same(most, 1, counts=list(x))
    return note("At each of {cases} leaves it is {exact:g}, as at {counts}.", range=f"{words}, add-remove")


@SMOOTH(
    "rdf/equation-9",
    "proof of theorem 1, equation 9",
    "holds",
    "majority.neighbouring",
    quantity="most that one step changes a score",
)
def equation_9(effort, rng):
    r"""The global sensitivity of the score is 1. (Equation 9, in the text that we extracted, has $\|x - y\|_1 \ge
    1$, where $\le$ is meant; over all pairs the largest change is 1 as well.)"""
    leaves, words = two_and_three(effort)
    for x in leaves:
        most = max(_apart(x, y) for y in majority.neighbouring(x))
        yield at_most(most, 1, counts=list(x))
    yield same(max(_apart(x, y) for x, y in product(leaves[:40], repeat=2)), 1)
    return note(
        f"Over {len(leaves)} leaves the most is {{exact:g}}, as at {{counts}}.",
        cases=len(leaves),
        range=f"{words}, add-remove",
    )


def _apart(x, y):
    """The most that the score of a class differs between two leaves."""
    return max(abs(a - b) for a, b in zip(score(x), score(y)))


@SMOOTH("rdf/least-frequent", "after theorem 1, and section 6", "fails")
def least_frequent(effort, rng):
    r"""The proof of theorem 1 also holds for the least frequent class: its score has the smooth sensitivity
    $e^{-j\epsilon}$ for the gap $j$ between the two least frequent classes."""
    words = yield from _least(effort, lambda j: math.exp(-j))
    return note(
        "Of {cases} leaves the first difference is at {counts}: {exact:.5f} by search, {stated:.5f} by the "
        "formula.",
        range=words,
    )


@SMOOTH.corrected(least_frequent, "majority.smooth_sensitivity", SEARCH, where="after theorem 1, and section 6")
def least_frequent_late(effort, rng):
    r"""Under add-remove, the rarest of two or more classes has smooth sensitivity $e^{-\epsilon\max(j-1,0)}$."""
    words = yield from _least(effort, lambda j: majority.smooth_sensitivity([j, 0], 1.0))
    return note("Search gives the formula on all {cases} leaves.", range=words)


def _least(effort, formula):
    """Smooth sensitivity of the least frequent class's score by search beside ``formula(gap)``."""
    leaves, words = two_and_three(effort)
    for x in leaves:
        true = majority.searched_smooth_sensitivity(x, 1.0, score=partial(score, best=min))
        first, second, *_ = sorted(x)
        yield same(true, formula(second - first), counts=list(x), epsilon=1.0)
    return f"{words}, add-remove, epsilon 1"


@SMOOTH(
    "rdf/improvement",
    "section 4.1, on table 2",
    "holds",
    "majority.published_smooth_sensitivity",
    proved=False,
    quantity="factor of the exponent, to one digit",
    range="both factors that are printed",
)
def improvement(effort, rng):
    r"""With $j = 10$ the published sensitivity raises the exponent 20,000-fold at $\epsilon = 1$, and
    three-fold at $\epsilon = 0.1$."""
    large, small = (float(1 / majority.published_smooth_sensitivity([10, 0], e)) for e in (1.0, 0.1))
    yield decisive(need(f"{large:.0e}" == "2e+04", large, "within", 20_000))
    yield need(f"{small:.0e}" == "3e+00", small, "within", 3)
    return (
        f"The factors are {large:.0f} and {small:.2f}, so each is right to the one digit that is printed. With "
        "the true smooth sensitivity each would be smaller by a factor e^epsilon."
    )


@EXPECTED(
    "rdf/gap-proportional",
    "section 4.2",
    "fails",
    quantity="mean gap with 1,000 records over that with 10",
    range="leaves of 10, 100 and 1,000 records of two classes, shares 0.5, 0.55, 0.7 and 1",
)
def gap_proportional(effort, rng):
    r"""As records of one population have approximately the same class ratios in a leaf for any $n$, $j$ changes
    accordingly, $\mathrm{E}[j] \propto n$: the premise of inequality 14. (We read this for a leaf of independent
    records; section 4.2 itself expects that some leaves do not follow it.)"""
    said = []
    for p in (0.5, 0.55, 0.7, 1.0):
        means = [float(majority.expected_gap(n, p)) for n in (10, 100, 1000)]
        yield same(means[2] / means[0], 100, share=p, records=[10, 100, 1000], mean_gaps=means)
        said.append(f"{', '.join(f'{j:.4g}' for j in means)} at share {p:g}")
    return f"With 10, 100 and 1,000 records it is {'; '.join(said)}."


@EXPECTED.corrected(gap_proportional, where="section 4.2", quantity="mean gap, two equal shares, 1,000 records")
def gap_between(effort, rng):
    r"""For two classes with share $p$, $\mathrm{E}[j]$ lies between $|2p-1|n$ and $\sqrt{(2p-1)^2n^2 + 4p(1-p)n}$.
    For $p = 1/2$ and even $n$ it equals $n\binom{n}{n/2}2^{-n}$, which grows like $\sqrt{2n/\pi}$."""
    sizes = (1, 2, 5, 10, 100, 1000, *effort.pick((), (5000,), (5000, 50000)))
    for n, p in product(sizes, (0.5, 0.55, 0.7, 1.0)):
        mean, least = majority.expected_gap(n, p), abs(2 * p - 1) * n
        yield need(mean >= least * (1 - 1e-9), mean, ">=", least, records=n, share=p)
        yield below(mean, math.hypot(least, math.sqrt(4 * p * (1 - p) * n)), records=n, share=p)
    found, root = majority.expected_gap(1000, 0.5), math.sqrt(2000 / math.pi)
    yield decisive(same(found, 1000 * math.comb(1000, 500) / 2**1000))
    yield same(found, root, 1e-3)
    return note(
        f"With 1,000 records and two equal shares it is {found:.4f}, and {root:.4f} by the square root.",
        range=f"leaves of 1 to {max(sizes)} records of two classes, shares 0.5, 0.55, 0.7 and 1",
    )


@ROSNAM(
    "rdf/equation-19",
    "addendum, equations 19 and 20",
    "holds",
    "mechanisms.Exponential",
    proved=False,
    quantity="weight of B, to one decimal",
    range="both printed weights",
)
def equation_19(effort, rng):
    r"""With counts 5 and 10 at $\epsilon = 0.1$ the weights are 1.6 and 2.7."""
    weights = [math.exp(0.1 * count) for count in (5, 10)]
    for weight, printed_weight in zip(weights, (1.6, 2.7)):
        yield need(round(weight, 1) == printed_weight, weight, "within", printed_weight)
    return f"They are {weights[0]:.4f} and {weights[1]:.4f}."


@ROSNAM("rdf/improves", "addendum, section 2, table 6", "assumes", quantity="Pr(B) in %, new against original")
def improves(effort, rng):
    """New empirical results will be required, but as can be seen in table 6, we can expect the results to improve.
    (This assumes that most rows are meant: the probability of the majority label rises in all but the last.)"""
    columns = zip(label_probabilities("original"), label_probabilities("new"))
    rows = [(x, *(round(100 * c.value, 1) for c in (old, new))) for (x, old), (_, new) in columns]
    worse = [row for row in rows if row[2] <= row[1]]
    yield need(2 * len(worse) < len(rows), len(rows) - len(worse), ">", len(worse), broken="fails")
    for x, old, new in rows:
        yield need(new > old, new, ">", old, counts=list(x), epsilon=0.1, original=old, new=new)
    x, old, new = (worse or rows)[0]
    laws = majority.smooth_exponential_law, majority.one_sided_law
    published, rosnam = (100 * float(law(x, 0.1)[1]) for law in laws)
    return note(
        f"{len(rows) - len(worse)} of {len(rows)} printed rows rise. On {x} the table falls from {old} to "
        f"{new}; the published mechanism has {published:.2f}, ROSNAM {rosnam:.2f}.",
        cases=len(rows),
        range=f"every row of {printed.table('rdf/table-6').where}",
    )


@ROSNAM.corrected(
    improves,
    "majority.gap_error",
    "majority.smooth_exponential_law",
    where="addendum, section 2, table 6",
    proof="rem-improves",
    quantity="first gap at which ROSNAM errs more",
)
def improves_where_allowed(effort, rng):
    r"""For two classes at $\epsilon = 0.1$ ROSNAM is wrong less often than the published mechanism at gaps 1 to
    46, and more often at gaps from 47 on, where the published mechanism errs less than any private label can."""
    most, more = effort.pick(100, 150, 300), []
    for j in range(1, most + 1):
        rosnam = majority.gap_error(j, 0.1)
        published = majority.smooth_exponential_law([j, 0], 0.1)[1]
        if rosnam > published:
            more.append(j)
        stated = ">" if j >= 47 else "<="
        yield need((rosnam > published) == (j >= 47), rosnam, stated, published, gap=j)
    yield decisive(same(more[0], 47))
    return note(
        f"Of the gaps up to {most} ROSNAM errs more at {more[0]} to {more[-1]}, and less at all others.",
        range=f"gaps 1 to {most}, two classes, epsilon 0.1",
    )
