"""Claims of ours on Fletcher's addendum (2021): how near ROSNAM is to the best private label."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import linprog

from dplit import majority
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, need, note, private, same
from dplit.mechanisms.smooth_exponential import gap

BOUND = Box(
    "thm-majority-lower-bound",
    "majority.error_lower_bound",
    "majority.gap_error",
    "majority.optimal_error",
    quantity="least probability of the wrong label",
    ours=True,
)
OPTIMUM = Box("thm-majority-optimum", "majority.optimal_error", "majority.one_sided_law", ours=True)
GAP_LAW = Box("thm-majority-gap-law", "majority.gap_law", quantity="privacy loss", ours=True)
ADDENDUM = "addendum, section 2"


def _enclosed(cases, neighbours, stated):
    """The proved interval's point nearest to ``stated(n, classes, epsilon)`` beside that; returns words."""
    for n, classes, epsilon in cases:
        low, high = majority.optimal_bounds(n, classes, epsilon, neighbours)
        closed = stated(n, classes, epsilon)
        data = {"n": n, "classes": classes, "epsilon": epsilon, "width": (high - low) / high}
        yield same(min(max(closed, low), high), closed, **data)
    return (
        f"In {len(cases)} linear programmes a dual and a primal solution enclose the closed form, in the last "
        "one with a relative distance of {width:.0e}"
    )


def _without_symmetry(n, epsilon):
    """Least average error on (a, b) and (b, a), a >= b, beside ROSNAM's: a programme each over all labels."""
    leaves = majority.leaves(n, 2)
    at = {x: i for i, x in enumerate(leaves)}  # variables: probability of the first label
    steps = [(at[x], at[y]) for x in leaves for y in majority.neighbouring(x) if y in at]
    rows, (here, there) = np.zeros((len(steps), len(leaves))), np.transpose(steps)
    rows[np.arange(len(steps)), here] = 1
    rows[np.arange(len(steps)), there] = -math.exp(epsilon)
    limits = np.repeat([0.0, math.expm1(epsilon)], len(steps))  # of the first label, of the second
    for a, b in (x for x in leaves if x[0] >= x[1]):
        cost = np.zeros(len(leaves))
        cost[at[b, a]] += 0.5
        cost[at[a, b]] -= 0.5
        least = 0.5 + linprog(cost, np.vstack([rows, -rows]), limits, bounds=(0, 1)).fun
        yield same(least, majority.gap_error(a - b, epsilon), 1e-6, counts=[a, b])


@BOUND("rdf/optimality", ADDENDUM)
def optimality(effort, rng):
    r"""For two classes under add-remove, ROSNAM's error $e^{-\epsilon j}/2$ is the least at every leaf among all
    $\epsilon$-private labels that treat class names alike. On average over a leaf and the leaf with the names
    swapped, no other $\epsilon$-private label has a smaller error."""
    most = effort.pick(6, 10, 20)
    rosnam, solved = list(_rosnam(most)), list(_without_symmetry(effort.pick(4, 6, 10), 1.0))
    yield from rosnam + solved
    cases = list(product(range(1, effort.pick(4, 6, 13)), (2,), (0.3, 1.0)))
    enclosed = yield from _enclosed(cases, "add-remove", majority.unanimous_error)
    return note(
        f"{enclosed}. The closed form is ROSNAM's error on {len(rosnam)} leaves, and on {len(solved)} a "
        "programme in floating point that does not assume symmetry gives it too.",
        range=f"(n, 0) for n up to {cases[-1][0]}, epsilon 0.3 and 1; all leaves of two classes up to "
        f"{most} records, epsilon 1, add-remove",
    )


def _rosnam(n):
    """Errors of ROSNAM on leaves of at most n records beside the bound, at epsilon 1."""
    for x in majority.leaves(n, 2):
        bound = majority.error_lower_bound(int(gap(x)), 1.0)
        yield same(min(majority.one_sided_law(x, 1.0)), bound, counts=list(x))


@OPTIMUM("rdf/optimality-replace-one", ADDENDUM, quantity="least probability of the wrong label")
def optimality_replace_one(effort, rng):
    r"""Under replace-one in one leaf, the least error on counts $(n, 0)$ of any private label that treats class
    names alike is $e^{-\epsilon n/2}/2$ for even $n$ and $e^{-\epsilon(n-1)/2}/(1+e^\epsilon)$ for odd $n$. ROSNAM
    at rate $\epsilon/2$ attains the former and exceeds the latter by the factor $\cosh(\epsilon/2)$."""
    cases = list(product(range(1, effort.pick(6, 9, 16)), (2,), (0.3, 1.0, 2.0)))
    for n, classes, e in cases:
        factor = math.cosh(e / 2) if n % 2 else 1.0
        rosnam = majority.one_sided_law([n, 0], e, "replace-one")[1]
        yield same(rosnam, factor * _replace_one_error(n, classes, e), n=n, epsilon=e)
    enclosed = yield from _enclosed(cases, "replace-one", _replace_one_error)
    optimum, error = _replace_one_error(3, 2, 1.0), majority.gap_error(3, 0.5)
    return note(
        f"{enclosed}. On (3, 0) at epsilon 1 the least error is {optimum:.6f}, and that of ROSNAM is {error:.6f}.",
        range=f"(n, 0) for n up to {cases[-1][0]}, epsilon 0.3, 1 and 2, one leaf, replace-one",
    )


def _replace_one_error(n, classes, epsilon):
    return math.exp(-epsilon * (n // 2)) / (1 + math.exp(epsilon) if n % 2 else 2)


@OPTIMUM(
    "rdf/optimality-classes",
    ADDENDUM,
    "holds",
    "majority.optimal_error",
    "majority.chain_error",
    "majority.unanimous_error",
    quantity="least probability of a wrong label",
)
def optimality_classes(effort, rng):
    r"""For $k \ge 3$ classes under add-remove, the least error on $(n, 0, \dots, 0)$, $n \ge 1$, of any private
    label that treats class names alike is $\frac{k-1}{k}e^{-\epsilon n}$ if $e^\epsilon \ge k - 1$. ROSNAM's error
    is larger, in this case by a factor that tends to $k/2$ as $n$ grows."""
    sizes, classes = range(1, effort.pick(4, 5, 7)), effort.pick((3,), (3, 4), (3, 4, 5))
    cases = list(product(sizes, classes, (0.3, 1.0, 1.5)))
    for n, k, e in (*cases, (40, 3, 2.0), (40, 5, 2.0), (40, 8, 2.0)):
        data = {"n": n, "classes": k, "epsilon": e}
        rosnam, least = majority.unanimous_error(n, k, e), majority.chain_error(n, k, e)
        yield need(rosnam > least, rosnam, ">", least, **data)
        if n == 40:
            yield same(rosnam / least, k / 2, **data)
        elif math.exp(e) >= k - 1:
            yield same((k - 1) / k * math.exp(-e * n), least, **data)
    last = sorted(cases, key=lambda case: case == (3, 3, 1.0))  # the one that is shown
    enclosed = yield from _enclosed(last, "add-remove", majority.chain_error)
    optimum, rosnam = majority.optimal_error(3, 3, 1.0), majority.unanimous_error(3, 3, 1.0)
    return note(
        f"{enclosed}; on (3, 0, 0) at epsilon 1 the optimum is {optimum:.6f}, ROSNAM errs with {rosnam:.6f}.",
        range=f"(n, 0, ..., 0) for n up to {max(sizes)}, up to {max(classes)} classes, epsilon 0.3, 1 and "
        "1.5, add-remove; ROSNAM also at n = 40 with 3, 5 and 8 classes",
    )


def _rights(n, classes, weight):
    """h_0 to h_n of the recursion in fractions, where e^epsilon is `weight`."""
    rights = [Fraction(1, classes)]
    for _ in range(n):
        rights.append(min(weight * rights[-1], 1 - (1 - rights[-1]) / weight))
    return rights


def _sizes(effort):
    """Most records of a leaf by number of classes, and the same in words."""
    sizes = effort.pick({2: 8, 3: 6, 4: 4}, {2: 12, 3: 8, 4: 6}, {2: 30, 3: 15, 4: 10, 5: 8, 6: 7})
    return sizes, ", ".join(f"{k} classes up to {n} records" for k, n in sizes.items())


@GAP_LAW("rdf/gap-law", ADDENDUM)
def gap_law_private(effort, rng, epsilon=(0.1, 0.7, 1.6)):
    r"""Let $h_0 = 1/k$ and $h_{j+1} = \min(e^\epsilon h_j, 1 - e^{-\epsilon}(1 - h_j))$. Reporting the
    most frequent class with probability $h_j$ at gap $j$, and each other class with $(1-h_j)/(k-1)$, is
    $\epsilon$-private under add-remove, on leaves of every size."""
    sizes, words = _sizes(effort)
    for (k, n), budget in product(sizes.items(), epsilon):
        inside = majority.leaves(n, k)
        laws = dict(zip(inside, np.log(majority.gap_law(inside, budget))))
        for x in inside:
            for y in (y for y in majority.neighbouring(x) if y in laws):
                data = {"counts": list(x), "neighbour": list(y), "epsilon": budget}
                yield private(np.abs(laws[x] - laws[y]).max(), budget, **data)
    return note(
        "Over {cases} steps the largest loss is epsilon itself, as between {counts} and {neighbour}.",
        range=f"all steps between leaves of {words}, epsilon 0.1, 0.7 and 1.6, add-remove",
    )


@GAP_LAW(
    "rdf/gap-law/optimal",
    ADDENDUM,
    "holds",
    "majority.gap_law",
    "majority.optimal_bounds",
    quantity="probability of a wrong label",
)
def gap_law_optimal(effort, rng):
    r"""On $(n, 0, \dots, 0)$ the label of `rdf/gap-law` has the least error of all private labels that treat class
    names alike, under add-remove."""
    sizes, classes = range(1, effort.pick(4, 5, 7)), effort.pick((3,), (3, 4), (2, 3, 4, 5))
    cases = list(product(sizes, classes, (0.3, 1.0, 1.5)))
    reported = lambda n, k, e: _wrong((n, *[0] * (k - 1)), e)  # noqa: E731
    enclosed = yield from _enclosed(cases, "add-remove", reported)
    return note(
        enclosed,
        range=f"(n, 0, ..., 0) for n up to {max(sizes)}, up to {max(classes)} classes, epsilon 0.3 to 1.5",
    )


def _wrong(x, epsilon):
    """Probability of a label other than the first, which is the most frequent."""
    return float(majority.gap_law(x, epsilon)[1:].sum())


@GAP_LAW("rdf/gap-law/leads", ADDENDUM, quantity="probability of a wrong label, against that with the excess")
def gap_law_leads(effort, rng):
    r"""On every leaf with a majority, the label of `rdf/gap-law` is wrong at most as often as a label that uses
    $h_j$ at $j = \max(0, 2 \max c - \sum c)$, the excess of the majority over all other records together."""
    sizes, words = _sizes(effort)
    better = 0
    for (k, n), weight in product(sizes.items(), (Fraction(11, 10), Fraction(2), Fraction(5))):
        rights = _rights(n, k, weight)
        for x in majority.leaves(n, k):
            if max(x) == x[0] and x.count(x[0]) == 1:
                wrong = _wrong(x, math.log(weight))
                right = rights[max(0, 2 * max(x) - sum(x))]
                case = at_most(wrong, 1 - right, counts=list(x), weight=str(weight))
                better += not case.met
                yield case
    return note(
        f"In {{cases}} cases of a leaf with a majority and a budget the label is wrong less often than that with "
        f"the excess in {better} and more often in none.",
        range=f"leaves of {words}, e^epsilon 1.1, 2 and 5",
    )
