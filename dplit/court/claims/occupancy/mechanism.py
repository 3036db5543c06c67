r"""Claims of DiPriMe v1 on leaf counts of the rank mechanism: theorem 2, and the worst of all leaves.

The reference of the worst leaf is an enumeration of all trees in fractions, at rational :math:`e^{-\epsilon_1/2}`.
"""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import brentq

from dplit import occupancy
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, below, decisive, frequency, need, note, same
from dplit.occupancy.bounds import rounding

LAW = Box("thm-occupancy-law", quantity="probability that some leaf is off")
TAIL = {"quantity": "probability that a leaf is t off"}
PUBLISHED = Box(
    "thm-occupancy-published", "occupancy.leaf_law", "occupancy.leaf_tail", "occupancy.published_bound", **TAIL
)
MECHANISM = Box("thm-occupancy-mechanism", "occupancy.corrected_bound", "occupancy.leaf_tail", **TAIL)
LINE = Box("thm-occupancy-line", "occupancy.tied_bound", "occupancy.leaf_tail", **TAIL)
PROVED = Box(
    "thm-occupancy-proved",
    "occupancy.proved_cells",
    "occupancy.divisible_bound",
    "occupancy.published_bound",
    quantity="tail over the published bound",
)
SYMMETRY = Box("rem-occupancy-symmetry", "occupancy.leaf_law", quantity="chance of one record too few or fewer")

EPSILONS = (0.05, 0.2, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0)


def _distances(n, depth):
    """Every distance from n / 2^d that a count can have, but 0: between them no tail changes."""
    off = np.unique(np.abs(np.arange(n + 1) - n / 2**depth))
    return off[off > 0]


def _nearest(n, depth, epsilon, bound, *given, compare=below):
    """Of every t, the tail that comes nearest to ``bound(t, *given)``, or is furthest beyond it."""
    t = _distances(n, depth)
    exact, stated = occupancy.leaf_tail(t, n, depth, epsilon), bound(t, *given)
    i = int(np.argmax(exact / np.maximum(stated, 1e-300)))  # both may underflow
    return compare(exact[i], stated[i], n=n, depth=depth, epsilon=epsilon, t=float(t[i]))


def _published(n, depth, epsilon):
    """`_nearest` to the bounds of theorem 2."""
    return _nearest(n, depth, epsilon, occupancy.published_bound, depth, epsilon)


def _over(case):
    return case.exact / case.stated if case.stated else 0.0


def _ratio(n, depth, epsilon):
    """Largest ratio of a tail to theorem 2's bound."""
    return _over(_published(n, depth, epsilon))


def _least_epsilon(n, depth):
    """Least epsilon at which theorem 2 fails for this n, of those below the grid's first failure."""
    first = next(i for i, e in enumerate(EPSILONS) if _ratio(n, depth, e) > 1)
    ends = EPSILONS[first - 1], EPSILONS[first]
    return brentq(lambda e: _ratio(n, depth, e) - 1, *ends, xtol=1e-9)


@PUBLISHED("diprime-v1/theorem-2-mechanism", "Theorem 2; figure 2", "assumes", proof="thm-occupancy-proved")
def theorem_2(effort, rng):
    r"""The bounds of theorem 2 hold for the deviation $|\tilde N_i - N/2^d|$ of a leaf made by the rank mechanism.
    This assumes that the values of each column are distinct and above its lower bound, that the column is chosen
    without the targets, and that $2^d$ divides $N$ or $\epsilon_1 \le 2.26$. (Section 3.1 restricts itself to
    continuous features and to data that are divisible into the leaves; the theorem repeats neither.)"""
    depths, blocks = range(1, effort.pick(4, 5, 7)), effort.pick(4, 8, 12)
    worst = {(n, d): max(_ratio(n, d, e) for e in EPSILONS) for d in depths for n in range(1, blocks * 2**d + 1)}
    failing = [size for size in worst if worst[size] > 1 + 1e-9]
    divisible = [worst[n, d] for n, d in worst if n % 2**d == 0]
    yield from (need(ratio <= 1 + 1e-9, ratio, "<=", 1, broken="fails") for ratio in divisible)
    if not failing:
        return "no size breaks it"
    n, depth = failing[0]
    threshold = _least_epsilon(n, depth)
    yield _published(n, depth, math.ceil(threshold * 100) / 100)
    return note(
        f"For {len(divisible)} sizes that 2^d divides the tail is at most {max(divisible):.3f} of the bound. Of "
        f"the other {len(worst) - len(divisible)} sizes {len(failing)} break it, the smallest, N={n}, d={depth}, "
        f"from epsilon {threshold:.4f} on. Equal values, or a column chosen by the targets, break it too.",
        cases=len(worst) * len(EPSILONS),
        range=f"N up to {blocks} times 2^d, d up to {depths[-1]}, {len(EPSILONS)} budgets, every t",
    )


@MECHANISM.corrected(theorem_2)
def every_size(effort, rng):
    r"""If a column has distinct values above its lower bound and is chosen without the targets, then $\Pr(|\tilde
    N - N/2^d| \ge t) \le \min(1, B_d(t))$ for every $N$, $d$ and $\epsilon_1$, with $B_d(t) = \kappa M
    (e^{-\epsilon_1 t_+} + e^{-\epsilon_1 t_-}) + B_{d-1}(2t)/(1 + e^{\epsilon_1})$."""
    depths, largest = range(1, effort.pick(4, 6, 8)), effort.pick(24, 80, 300)
    sizes = [*range(1, largest), *effort.pick((257,), (257, 1000), (257, 1000, 4096, 10_001))]
    for d, n, e in product(depths, sizes, EPSILONS):
        yield _nearest(n, d, e, occupancy.corrected_bound, n, d, e, compare=at_most)
    tails = len(EPSILONS) * sum(_distances(n, d).size for d, n in product(depths, sizes))
    return note(
        f"For {tails} tails, of {len(sizes)} sizes at depths 1 to {depths[-1]} and every t, the tail is never "
        "above the bound, and some tails attain it.",
        range=f"{len(sizes)} sizes up to {sizes[-1]}, d up to {depths[-1]}, {len(EPSILONS)} budgets, every t",
        cases=tails,
    )


def _without_recursion(t, n, depth, epsilon):
    """The first term of B_d: what is left if the term for a parent that is far off is dropped."""
    over, under = np.ceil(n / 2**depth + t), np.floor(n / 2**depth - t)
    sides = (over <= n) * np.exp(-epsilon * (over - n / 2**depth))
    sides = sides + (under >= 0) * np.exp(-epsilon * (n / 2**depth - under))
    return rounding(n, depth, epsilon) * sides


@LINE("diprime-v1/theorem-2-mechanism/one-line", "ours")
def one_line(effort, rng):
    r"""If a column has distinct values above its lower bound and is chosen without the targets, the tail of a
    leaf's deviation is at most $2\kappa M/(e^{\epsilon_1 t} - 1/(1 + e^{\epsilon_1}))$, with $\kappa$ and $M$ as
    in corrected theorem 2 for odd $N$. For $\epsilon_1 \ge 2 \ln 2$ the first term of that theorem's $B_d(t)$
    alone is a bound."""
    depths, largest = range(1, effort.pick(4, 5, 7)), effort.pick(30, 60, 200)
    settings = list(product(depths, range(1, largest), EPSILONS))
    most, small = 0.0, 0.0
    for d, n, e in settings:
        line = _nearest(n, d, e, occupancy.tied_bound, 1, d, e)
        most = max(most, _over(line))
        yield decisive(line)
        first = _nearest(n, d, e, _without_recursion, n, d, e)
        if e >= 2 * math.log(2):
            yield first
        else:
            small = max(small, _over(first))
    return note(
        f"In {len(settings)} settings and at every t the tail is at most {most:.4f} of this bound. For epsilon_1 "
        f"below 2 ln 2 it is at most {small:.4f} of the first term of B_d(t), not proved to be a bound there.",
        range=f"N up to {largest - 1}, d up to {depths[-1]}, {len(EPSILONS)} budgets, every t",
    )


@PROVED(
    "diprime-v1/theorem-2-mechanism/proved",
    "ours; theorem 2 with the assumption that opens section 3.1",
    kind="certified",
)
def proved(effort, rng):
    r"""Let a column have distinct values above its lower bound, and let it be chosen without the targets. If
    $\epsilon_1 \le 2.26$ or $2^d$ divides $N$, both bounds of theorem 2 hold for every $d$ and $t$. For other $N$
    it is open whether they hold for $\epsilon_1$ between 2.26 and $\sqrt8$, where the bounds first fail."""
    turn, deepest = occupancy.TURN, occupancy.DEEPEST
    cells = [occupancy.proved_cells(d) for d in range(1, deepest + 1)]
    margins = [left / right for left, right in occupancy.beyond_turn()]
    depths = range(1, effort.pick(5, 7, 8))
    blocks = effort.pick((1, 2, 5), (1, 2, 3, 7, 12), (1, 2, 3, 5, 9, 20, 50))
    divisible = [(k * 2**d, d, e) for d, k, e in product(depths, blocks, EPSILONS)]
    upto_turn = (*(e for e in EPSILONS if e < turn), turn)
    others = [(n, d, e) for d, n, e in product(depths, range(1, effort.pick(20, 40, 90)), upto_turn)]
    for d, count in enumerate(cells, 1):
        yield need(count > 0, count, ">", 0, depth=d)
    yield from (need(margin > 1, margin, ">", 1.0) for margin in margins)
    for n, d, e in divisible:
        yield _nearest(n, d, e, occupancy.divisible_bound, d, e)
    largest = [max(_ratio(*case) for case in cases) for cases in (divisible, others)]
    yield from (decisive(need(ratio < 1, ratio, "<", 1.0)) for ratio in largest)
    return note(
        f"At depths 1 to {deepest} and deeper the bounds are proved, for any N, on {sum(cells)} intervals up to "
        f"epsilon {turn} and, if 2^d divides N, beyond it by two inequalities with factors {margins[0]:.4f} and "
        f"{margins[1]:.4f} to spare. Exact tails are at most {largest[0]:.3f} of the published bound where 2^d "
        f"divides N, and {largest[1]:.3f} of it up to {turn}.",
        cases=sum(cells) + len(divisible) + len(others),
        range=f"every budget on cells; tails of {len(divisible)} settings that 2^d divides and of "
        f"{len(others)} up to {turn}, every t",
    )


@cache
def _trees(n, depth, root):
    """Every tuple of leaf counts with its probability, in fractions; `root` is e^(-epsilon/2)."""
    if depth == 0:
        return {(n,): Fraction(1)}
    weights = [root ** abs(n - 2 * j) for j in range(n + 1)]
    law = {}
    for j, weight in enumerate(weights):
        halves = _trees(j, depth - 1, root).items(), _trees(n - j, depth - 1, root).items()
        for (a, p), (b, q) in product(*halves):
            law[a + b] = law.get(a + b, 0) + weight * p * q / sum(weights)
    return law


def _worst_leaves(n, depth, root):
    """(P(some leaf is off), the same by the recursion, P(the first leaf is)): far off or empty."""
    law, mean, epsilon = _trees(n, depth, root), Fraction(n, 2**depth), -2 * math.log(root)
    off = {counts: [abs(k - mean) for k in counts] for counts in law}
    for t in sorted({x for xs in off.values() for x in xs} - {0}):
        some = sum(p for c, p in law.items() if max(off[c]) >= t)
        one = sum(p for c, p in law.items() if off[c][0] >= t)
        yield some, occupancy.any_leaf_tail(n, depth, epsilon, float(t)), one
    some = sum(p for c, p in law.items() if 0 in c)
    yield (some, occupancy.any_leaf_below(n, depth, epsilon), occupancy.leaf_law(n, depth, epsilon)[0])


@LAW(
    "diprime-v1/worst-leaf",
    "ours; the event of corollary 1.1 and theorem 3",
    "holds",
    "occupancy.any_leaf_tail",
    "occupancy.any_leaf_below",
    "occupancy.leaf_tail",
)
def worst_leaf(effort, rng):
    """Let a column have distinct values above its lower bound, and let it be chosen without the targets. A
    recursion over sizes gives the probability that the size of at least one of the $2^d$ leaves deviates from
    $N/2^d$ by at least $t$. This probability is at most $2^d$ times that for a single leaf."""
    largest = effort.pick({1: 7, 2: 6}, {1: 9, 2: 8, 3: 4}, {1: 12, 2: 10, 3: 6})  # N of a depth
    unions = []
    roots = Fraction(1, 10), Fraction(1, 2), Fraction(19, 20)
    for depth, most in largest.items():
        for n, root in product(range(1, most + 1), roots):
            for some, ours, one in _worst_leaves(n, depth, root):
                shown = {"n": n, "depth": depth, "root": str(root)}
                union = below(some, 2**depth * float(one), **shown)
                unions.append(union.stated / union.exact)
                yield same(some, ours, 1e-10, **shown)
                yield union
    return note(
        f"{len(unions)} probabilities equal the enumeration of all trees in fractions; the union "
        f"bound is between {min(unions):.3f} and {max(unions):.3f} times the truth.",
        range=", ".join(f"N up to {n} at depth {d}" for d, n in largest.items()) + ", three budgets",
    )


@SYMMETRY(
    "diprime-v1/leaf-symmetry",
    "Appendix A.2.3, first line of the noise",
    "fails",
    about="step",
    **over("diprime-v1/leaf-symmetry"),
    nothing_instead="the mean is N/2^d, and at depth 1 the law is symmetric; the bound needs a sum of two tails",
)
def symmetry(effort, rng):
    r"""The distribution of the number $\tilde N_i$ of records in a leaf is symmetric about $N/2^d$."""
    law = lambda r: occupancy.leaf_law(4, 2, -2 * math.log(r))  # noqa: E731
    sides = {"left": lambda r: law(r)[0], "right": lambda r: law(r)[2:].sum()}
    yield from certified("diprime-v1/leaf-symmetry", effort, **sides)
    return (
        "With four records and depth 2, the probabilities that a leaf is empty and that it holds two or more "
        "records differ at every budget; at e^(-epsilon_1/2) = 1/2 they are {exact:.4f} and {stated:.4f}."
    )


@LAW(
    "diprime-v1/leaf-law",
    "ours",
    "holds",
    "occupancy.simulate",
    "occupancy.leaf_tail",
    "occupancy.any_leaf_tail",
    proved=False,
    intervals=16,
)
def leaf_law(effort, rng):
    """In simulated trees on distinct values above the lower bound, the size of one leaf and the size of the worst
    leaf have the tails that the exact distributions give."""
    trees = effort.pick(5000, 50_000, 1_000_000)
    for n, depth, epsilon in ((7, 2, 1.0), (1001, 4, 0.5), (64, 3, 3.0), (100, 5, 0.1)):
        off = np.abs(occupancy.simulate(n, depth, epsilon, trees, rng=rng) - n / 2**depth)
        for t in (1.0, 2 / epsilon):
            shown = {"n": n, "depth": depth, "epsilon": epsilon, "t": t}
            one, some = occupancy.leaf_tail, occupancy.any_leaf_tail
            yield frequency(off[:, -1] >= t, one(t, n, depth, epsilon), **shown)
            yield frequency((off >= t).any(axis=1), some(n, depth, epsilon, t), **shown)
    return note(
        f"{trees} trees in each of 4 settings, {{cases}} intervals; at N = {{n}}, depth {{depth}}, t = {{t:g}} "
        "some leaf is off in a share of {exact:.4f}, by the exact tail {stated:.4f}",
        range="four settings of N, d and epsilon_1, two distances",
    )
