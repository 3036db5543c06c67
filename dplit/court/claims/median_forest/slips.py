"""Claims of both DiPriMe papers on single lines: a sign, a set that is everything, noise and signal."""

import math
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.integrate import quad

from dplit.budget import Parallel, Sequence, Spend
from dplit.court.claims.median_forest._nodes import sse
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, below, decisive, need, note, same
from dplit.mechanisms import Exponential, Laplace

SIGN = Box("thm-forest-sign", "mechanisms.Exponential")
SIGNAL = Box("thm-forest-leaf-signal", "mechanisms.Laplace")
SCORE = Box("thm-forest-score", "mechanisms.Exponential")
UNIFORM = Box("thm-forest-uniform", "budget.Sequence", "budget.Parallel")
RATIO = tuple(f"diprime-v2/signal-to-noise{part}" for part in (":size", ":low", ""))
SHARES = ("diprime-v2/settings-budget", "diprime-v2/settings-budget:one-choice")
MEANS = "means of 1 to 1000 records, epsilon_l 0.1, 1 and 10"


@SIGN("diprime-v2/attribute-sign", "Algorithm 1, line 30; section 3.1", "fails")
def attribute_sign(effort, rng):
    r"""The score $MSE_a$, as printed, makes the exponential mechanism of equation (3) prefer the
    attribute whose cut explains more. (Section 3.1 says that splits are scored "based on" it.)"""
    nodes = _nodes(effort)
    better, other, targets = max(nodes, key=lambda case: case[1] - case[0])
    printed, negated = (_better(better, other, len(targets), sign) for sign in (1, -1))
    data = {"targets": [int(y) for y in targets], "errors": [better, other], "epsilon": 1.0}
    yield need(printed >= 0.5, printed, ">=", 0.5, **data)
    return note(
        "Targets {targets}, B = 1, epsilon_a = 1: the cut with mean squared error "
        f"{float(better):g} wins with probability {{exact:.4f}} against one with {float(other):g}; with a "
        f"minus sign, as in v1, with {negated:.4f}.",
        cases=len(nodes),
        quantity="probability of the better of two attributes",
        range="all nodes of up to 4 records with targets -1, 0, 1, two cuts each",
    )


@SIGN.corrected(attribute_sign, where="ours; v1, section 3", quantity="least probability of the better of two")
def attribute_sign_negated(effort, rng):
    """With the score $-MSE_a$, the better of two attributes is always the more likely one."""
    chances = (_better(a, b, len(targets), -1) for a, b, targets in _nodes(effort))
    for chance in sorted(chances, reverse=True):
        yield need(chance > 0.5, chance, ">", 0.5)
    return note(
        "{cases} pairs of cuts of different errors; least {exact:.4f}.",
        range=f"all nodes of up to {effort.pick(4, 5, 6)} records with targets -1, 0, 1, two cuts each",
    )


def _nodes(effort):
    """(smaller error, larger error, targets): mean squared errors of any two cuts of small nodes."""
    found = []
    for n in range(2, effort.pick(4, 5, 6) + 1):
        for targets in combinations_with_replacement(map(Fraction, (-1, 0, 1)), n):
            sides = list(product((0, 1), repeat=n))
            errors = sorted({_mse(targets, side) for side in sides})
            found += [(a, b, targets) for i, a in enumerate(errors) for b in errors[i + 1 :]]
    return found


def _mse(targets, side):
    """Mean squared error of the two sides, each about its own mean."""
    parts = [[y for y, s in zip(targets, side) if s == at] for at in (0, 1)]
    return sum(map(sse, parts)) / len(targets)


def _better(a, b, n, sign):
    """Probability of the first by the exponential mechanism, sensitivity 4 B^2 / n with B = 1."""
    return float(Exponential(1.0, 4 / n).pmf([sign * float(a), sign * float(b)])[0])


@SIGN("diprime-v1/whole-side", "Algorithm 3, line 35", "assumes")
def whole_side(effort, rng):
    r"""The draw over all $B \subset R_a$, $B \ne \emptyset$, splits a categorical attribute. (This assumes that $B
    = R_a$, whose other side is empty, is left out too.)"""
    chance = {}
    for counts in product(range(1, 5), repeat=2):
        sizes = [*counts, sum(counts)]  # of the three sets that are not empty
        scores = [-abs(2 * size - sum(counts)) for size in sizes]
        chance[counts] = float(Exponential(0.5).pmf(scores)[-1])
    for counts in sorted(chance, key=chance.get, reverse=True):
        yield same(chance[counts], 0.0, counts=counts, epsilon_1=0.5)
    return note(
        "Levels {counts} at epsilon_1 = 1/2: B = R_a has probability {exact:.4f}, and then the "
        "level is spent and nothing is split. The package leaves it out, as v2 does.",
        quantity="probability that all levels are on one side",
        range="one to four records of each of two levels, epsilon_1 = 1/2",
    )


@SIGNAL(
    "diprime-v2/leaf-signal",
    "Section 3, after the leaf parameters",
    quantity="range of the mean over the expected size of the noise",
    range="1 to 1000 records, epsilon_l up to 1/N_i",
)
def leaf_signal(effort, rng):
    r"""If $\epsilon_\ell < 1/N_i$, the expected magnitude of the Laplace noise is greater than that of the signal,
    because $2B/(N_i\epsilon_\ell) > 2B$, which is the whole range of the mean."""
    for n, part in product((1, 10, 1000), (0.1, 0.5, 0.9, 1.0)):
        noise = _size(Laplace(part / n, 2 / n))  # B = 1
        yield at_most(2 / noise, 1.0, rtol=1e-7, records=n, epsilon_l=part / n)
    words = "In {cases} leaves the noise has at least the size of the mean's range on average"
    return words + ", and exactly this size at epsilon_l = 1/N_i alone."


@SIGNAL("diprime-v2/noise-order", "Section 3, estimating leaf node parameters", "assumes", proved=True)
def noise_order(effort, rng):
    r"""In both cases, means and class counts, the expected value of the noise added is on the order of the
    contribution of a single data point. (This assumes that the magnitude of the noise is meant and that
    $\epsilon_\ell$ is near 1: the expected magnitude is $1/\epsilon_\ell$ contributions.)"""
    sizes = {
        (n, e): _size(Laplace(e, reach)) / reach
        for e in (0.1, 1.0, 10.0)
        for n, reach in ((1, 1.0), (1, 2.0), (10, 0.2), (100, 0.02))
    }
    for (n, e), size in sizes.items():
        yield same(size * e, 1.0, rtol=1e-7, broken="fails", records=n, epsilon_l=e)
    for (n, e), size in sizes.items():
        yield need(size <= 3, size, "=", 1.0, records=n, epsilon_l=e)  # of its order
    return note(
        f"The noise has mean 0 and an expected size of {sizes[10, 0.1]:.4g} contributions of a record at "
        f"epsilon_l = 0.1, {sizes[10, 1.0]:.4g} at 1 and {sizes[10, 10.0]:.4g} at 10, whatever the number of "
        "records.",
        quantity="expected size of the noise, in contributions of a record, at epsilon_l = 0.1",
        range="counts and means of 1, 10 and 100 records, epsilon_l 0.1, 1 and 10",
    )


def _size(noise):
    """Expected magnitude of a noise, by quadrature."""
    return 2 * quad(lambda x: x * noise.pdf(x), 0, np.inf)[0]


@SIGNAL("diprime-v2/signal-to-noise", "Abstract", "assumes", quantity="signal to noise", **over(*RATIO))
def signal_to_noise(effort, rng):
    """By avoiding low-occupancy leaf nodes, we avoid high signal-to-noise ratios when privatizing the leaf node
    sufficient statistics. (This assumes that low ratios are meant, as in the rest of the paper.)"""
    ratio = lambda N, k, e, B: 2 * B / _size(Laplace(e, 2 * B / N))  # noqa: E731
    yield from certified(RATIO[0], effort, broken="fails")
    yield from certified(RATIO[1], effort, broken="fails", left=ratio)
    yield from certified(RATIO[2], effort)
    words = "The ratio of signal to noise is N epsilon_l (e = epsilon_l), so a leaf of N records has a lower ratio"
    return words + " than one of N + k, and not a higher one, for targets from -B to B and all {refuted}."


@SIGNAL.corrected(signal_to_noise, quantity="signal to noise over N epsilon_l", range=MEANS)
def low_ratios(effort, rng):
    r"""Low signal-to-noise ratios are avoided: the ratio of the mean's range to the expected size of its noise is
    $N_i\epsilon_\ell$, which is small where there are few records."""
    for e, row in _ratios().items():
        for n, ratio in row.items():
            yield same(ratio / (n * e), 1.0, rtol=1e-7, records=n, epsilon_l=e)
    return "{cases} leaves: the ratio is N epsilon_l in each"


def _ratios():
    """Range of a mean in [-1, 1] over the expected size of its noise, by budget and number of records."""
    return {e: {n: 2 / _size(Laplace(e, 2 / n)) for n in (1, 10, 100, 1000)} for e in (0.1, 1.0, 10.0)}


@SIGN(
    "part-index",
    {"diprime-v1": "Algorithm 2, lines 12 to 16", "diprime-v2": "Algorithm 2, lines 10 to 14"},
    "assumes",
    "forests.MedianForestClassifier",
    about="reading",
    quantity="trees that are fitted to a part of their own",
    range="two to ten trees, line by line",
)
def part_index(effort, rng, paper):
    r"""Read line by line, the algorithm fits each tree to a part of its own: it takes $\{D_i\}_{i=1,\dots,N_T}$,
    sets $i \leftarrow 0$, and for every tree calls FITTREE$(T, D_i, \dots)$ and sets $i \leftarrow i + 1$. (This
    assumes that $i$ begins at 1; as printed the first tree is fitted to $D_0$, which does not exist, and no tree
    to $D_{N_T}$.)"""
    for trees in range(2, 11):
        yield same(_fitted(trees, 1), trees, broken="fails", trees=trees)
    for trees in range(10, 1, -1):
        yield same(_fitted(trees, 0), trees, trees=trees)
    return f"Counted from i = 0, {_fitted(10, 0)} of 10 trees have a part; counted from i = 1, {_fitted(10, 1)}."


def _fitted(trees, first):
    """How many trees the loop fits to a part that exists, each part once."""
    parts, i, found = {k: f"part {k}" for k in range(1, trees + 1)}, first, set()
    for _ in range(trees):
        if i in parts:
            found.add(parts[i])
        i += 1
    return len(found)


@SCORE("diprime-v2/low-counts", "Section 3, obtaining non-leaf node splits")
def low_counts(effort, rng):
    r"""Typically, the sensitivity of the scoring function is inversely proportional to the node count;
    sufficiently low counts would result in this selection, of the attribute to split on, being no better
    than random. (With v2's own score the log odds are at most $\epsilon_a N_i/8$.)"""
    cases = []
    for n in range(1, effort.pick(6, 7, 8)):
        for targets in combinations_with_replacement(map(Fraction, (-1, 0, 1)), n):
            errors = {_mse(targets, side) for side in product((0, 1), repeat=n)}
            for e in (0.1, 1.0, 5.0):
                scores = [-float(min(errors)), -float(max(errors))]
                better, other = Exponential(e, 4 / n).pmf(scores)
                odds = float(np.log(better / other))
                cases.append(below(odds, e * n / 8, records=n, epsilon_a=e))
                if n == 1:
                    yield decisive(same(odds, 0.0, records=n, epsilon_a=e))
    yield from cases
    near = max(cases, key=lambda case: case.exact / case.stated)
    return note(
        f"In {len(cases)} cases the bound holds; nearest to it, with {near.data['records']} records at epsilon_a "
        f"= {near.data['epsilon_a']:g}, the log odds are {near.exact:.4f} where the bound is {near.stated:.4f}. "
        "With one record both attributes are equally likely.",
        quantity="most that the better of two attributes gains on chance, one record, epsilon_a = 1",
        range="nodes of up to 5 records with targets -1, 0, 1, any two cuts; three budgets",
    )


@UNIFORM("diprime-v2/settings-budget", "Section 4", proved=False, **over(*SHARES))
def settings_budget(effort, rng):
    r"""The overall privacy budget $\epsilon$ is split by setting $\epsilon_\ell = (1 - \rho)\epsilon$ and
    $\epsilon_s = \epsilon_a = \rho\epsilon/2d_{max}$; for DiPriMe, $\epsilon_s$ is set to $\rho\epsilon/d_{max}$.
    The paper's count, $d_{max}(\epsilon_s + \epsilon_a) + \epsilon_\ell$, is then $\epsilon$.
    (`diprime-v2/budget-exp-flip` judges what the candidates of the other two variants cost beyond that.)"""
    for name, parts in zip(SHARES, ((2, 2), (1, math.inf))):
        yield from certified(name, effort, left=partial(_total, parts=parts))
    return note(
        "The choices of all levels and the leaves add up to {exact:.4g}, where epsilon is {stated:.4g}: "
        "{statement}, wherever {where}",
        quantity="total of section 3.1 at section 4's settings",
    )


def _total(d, r, e, parts):
    """Epsilon of the budget tree whose nodes have these parts of a level's budget."""
    node = [Spend(name, r * e / d / part) for name, part in zip(("median", "attribute"), parts)]
    level = Parallel("level", [Sequence("node", node)], copies=2)
    return Sequence("tree", [*[level] * d, Spend("leaf", (1 - r) * e)]).epsilon
