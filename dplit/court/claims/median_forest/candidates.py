"""Claims of both DiPriMe papers on what a split costs: K candidates, one winner. Medians are by value."""

import math
from fractions import Fraction
from itertools import product

from dplit import median_forest as laws
from dplit.court.claims.median_forest._nodes import HALF_RATE, grid_losses, limit, sizes, sse
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, need, note, private

CANDIDATES = Box(
    "thm-forest-candidates", "median_forest.candidates_law", "median_forest.mirror", quantity="privacy loss"
)


@CANDIDATES("diprime-v1/split-budget", "Section 3", "leaks", range="mirror nodes, the fewest records first")
def split_budget(effort, rng):
    r"""With $\epsilon_1 = \rho\epsilon/d_{max}$ in the formulas of section 3, a split costs $\epsilon_1$ and the
    tree costs $\epsilon$."""
    yield _exact_mirror(2, effort.pick(2.0, 1.0, 0.5), 1, 60)
    return (
        "Where two columns are identical and the targets 0 and 1 occur {zeros} and {ones} times, one split costs "
        "{loss:.4f} at epsilon_1 = {epsilon:.4f}, computed in fractions. With the rates of section 3, any depth "
        "d and rho = 1/2, the tree would cost (K + 1/2) epsilon/2 + epsilon/2, which is 1.75 epsilon at K = 2."
    )


@CANDIDATES.corrected(split_budget, "median_forest.candidates_law", "median_forest.crossed")
def split_budget_corrected(effort, rng):
    r"""Let a tree have $K \ge 2$ candidates in each node, and let its leaves cost $(1 - \rho)\epsilon$. Under
    add-remove, the tree costs $\epsilon$ at $\epsilon_1 = \rho\epsilon / \bigl(d_{max}(K + R^2/(8B^2))\bigr)$.
    With any larger $\epsilon_1$ the cost is higher for some data set."""
    losses = []
    for columns in effort.pick((2, 3), (2, 3, 4), (2, 3, 4, 5)):
        share = 1 / (columns + HALF_RATE)  # of rho epsilon / d_max = 1
        loss = limit(laws.candidates_law, columns, share, effort)
        losses.append(loss)
        yield private(loss, 1.0, met=False, columns=columns)
        yield need(loss > 0.97, loss, ">", 0.97, columns=columns)
    return note(
        f"A level that is given 1 spends {min(losses):.4f} to {max(losses):.4f} of it on crossed nodes.",
        quantity="privacy loss of a level",
        range="a crossed node for each of K = 2, 3 (more with more effort), the same on all levels",
    )


@CANDIDATES(
    "diprime-v1/split-budget-algorithm",
    "Algorithm 1, line 12",
    "assumes",
    "median_forest.candidates_law",
    proved=True,
    quantity="privacy loss with two columns, in epsilon_1",
    range="crossed nodes of one and two columns, epsilon_1 = 1/2, 1, 2",
)
def split_budget_algorithm(effort, rng):
    r"""With $\epsilon_1 = \rho\epsilon/(2 d_{max})$ the median and the choice cost $\epsilon_1$ each, and the tree
    costs $\epsilon$. (This assumes $K = 1$.)"""
    one, two = (
        {e: limit(laws.candidates_law, columns, e, effort) / e for e in (0.5, 1.0, 2.0)} for columns in (1, 2)
    )
    for epsilon, loss in one.items():
        yield private(loss, 2.0, met=False, columns=1, epsilon=epsilon, loss=loss)
    for epsilon in sorted(two, key=two.get, reverse=True):
        data = {"epsilon": epsilon, "loss": two[epsilon], **sizes(effort, epsilon)}
        yield below(two[epsilon], 2.0, columns=2, **data)
    paid = f"The splits, for which 2 epsilon_1 are paid, cost up to {max(one.values()):.4f} epsilon_1 with one"
    return paid + " column and {exact:.4f} epsilon_1 with two."


@CANDIDATES("diprime-v1/k-candidates", "Algorithm 1, line 12; algorithm 3", "leaks")
def k_candidates(effort, rng):
    r"""The medians on $K$ attributes and the choice among them cost $2\epsilon_1$ for every $K$. Algorithm 1 sets
    $\epsilon_1 = \rho\epsilon/(2d_{max})$, which does not depend on $K$."""
    budgets = effort.pick((4.0,), (4.0, 2.0), (4.0, 2.0, 1.0))
    smallest = [_smallest_mirror(5, e, 2, 60) for e in budgets]
    yield _exact_mirror(5, 4.0, 2, 20)
    yield from smallest
    fewest = (f"{_records(c)} records at epsilon_1 = {c.data['epsilon']:g}" for c in smallest)
    return note(
        "With K = 5 columns in one order, {zeros} zeros and {ones} ones, the removal of a one costs {loss:.4f} > "
        "{stated:.4f} at epsilon_1 = {epsilon:.4f}, computed in fractions. The smallest mirror nodes that "
        f"break the claim have {', '.join(fewest)}.",
        range="mirror nodes of five columns and at most 60 records",
    )


@CANDIDATES.corrected(
    k_candidates, "median_forest.candidates_law", "median_forest.crossed", "median_forest.winner_law"
)
def k_candidates_corrected(effort, rng):
    r"""Under add-remove and for $K \ge 2$, the medians on $K$ attributes and the choice among them cost less than
    $K\epsilon_1 + \epsilon_1 R^2/(8B^2)$, and no smaller bound holds for all data."""
    many = effort.pick((1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 4))
    bounds = {k: k + HALF_RATE * (k > 1) for k in many}
    (worst, *_), pairs = grid_losses(effort, 1.0)
    yield need(worst < bounds[2], worst, "<", bounds[2], broken="leaks")
    said = []
    for k, bound in bounds.items():
        loss = limit(laws.candidates_law, k, 1.0, effort)
        case = need(0.97 * bound < loss < bound, loss, "<", bound, broken="leaks", columns=k)
        yield decisive(case) if k == 3 else case
        said.append(f"K = {k}: {loss:.4f} of {bound:g}")
    return note(
        f"Crossed nodes at epsilon_1 = 1: {', '.join(said)}. Over all {pairs} pairs of small grid nodes "
        f"with two columns at most {worst:.4f}.",
        cases=pairs + len(many),
        quantity="privacy loss of three candidates",
        range="crossed nodes of up to three columns or more, all neighbours on a small grid",
    )


def _exact_mirror(columns, epsilon, times, largest):
    """The smallest mirror node that costs more than `times` epsilon, its likelihood ratio in fractions."""
    near = _smallest_mirror(columns, epsilon, times, largest)
    zeros, ones, n = near.data["zeros"], near.data["ones"], _records(near)
    scale = n * (n - 1)
    v = Fraction(math.exp(-epsilon / (2 * scale))).limit_denominator(10**4)
    gaps = [Fraction(g).limit_denominator(10**12) for g in near.data["gaps"]]
    before, after = (_mirror_law(zeros, o, columns, gaps, v, scale) for o in (ones, ones - 1))
    epsilon = -2 * scale * math.log(v)  # v is e^(-epsilon / (2 scale)), so as rounded
    loss = math.log(after / before)
    data = near.data | {"gaps": [str(g) for g in gaps], "epsilon": epsilon, "loss": loss}
    return private(loss, times * epsilon, **data)


def _smallest_mirror(columns, epsilon, times, largest):
    """The first mirror node of at most `largest` records that costs more than `times` epsilon.

    The useless cut has log odds -12 on column 0, and 0, -1, ..., -6 on the others. Where none of the
    nodes does, the costliest.
    """
    costliest = private(0.0, times * epsilon)
    for n in range(2, largest + 1):
        for zeros in sorted({n // 2, (n - 1) // 2} - {0}):
            shift = epsilon * (n - abs(n - 2 * zeros)) / 2
            for k in range(7):
                gap, first = (1 / (1 + math.exp(shift - x)) for x in (k, 12))
                node = laws.mirror(zeros, n - zeros, columns, gap, first)
                loss = laws.removal_loss(laws.candidates_law, node, epsilon, HALF_RATE * epsilon)
                if loss > costliest.exact:
                    data = {"zeros": zeros, "ones": n - zeros, "columns": columns}
                    data |= {"gaps": [first, gap], "epsilon": epsilon, "loss": loss}
                    costliest = private(loss, times * epsilon, **data)
                if loss > times * epsilon * (1 + 1e-9):
                    return costliest
    return costliest


def _records(case):
    return case.data["zeros"] + case.data["ones"]


def _mirror_law(zeros, ones, columns, gaps, v, scale):
    """Probability that column 0 wins with the cut that explains nothing, in fractions.

    From the definition, over all combinations; v**scale is e^(-epsilon/2), and scale makes every
    exponent whole. `gaps` are those of column 0 and of the others.
    """
    n, useless = zeros + ones, []
    for gap in gaps:
        inner, outer = gap * v ** (scale * abs(zeros - ones)), (1 - gap) * v ** (scale * n)
        useless.append(outer / (inner + outer))
    odds = v ** int(scale * sse([0] * zeros + [1] * ones))
    total = Fraction(0)
    for others in product((True, False), repeat=columns - 1):  # True: also explains nothing
        bad, good = sum(others), columns - 1 - sum(others)
        chance = useless[0] * useless[1] ** bad * (1 - useless[1]) ** good
        total += chance * odds / ((bad + 1) * odds + good)
    return total
