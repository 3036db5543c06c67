r"""Claims of ours on Fletcher's addendum (2021): how near ROSNAM is to the best private label.

The best is a linear programme over all private mechanisms, enclosed by a dual and a primal solution in
rational arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import linprog

from dplit import majority
from dplit.ledger import Case, bounded, claim, equal, of_equality, private, verdict_of
from dplit.mechanisms.smooth_exponential import gap


def _enclosed(cases, neighbours, stated):
    """The proved interval's point nearest to ``stated(n, classes, epsilon)`` beside that: equal inside."""
    for case in cases:
        low, high = majority.optimal_bounds(*case, neighbours)
        data = {"n, classes, epsilon": case, "width": (high - low) / high}
        yield Case(min(max(stated(*case), low), high), stated(*case), data)


ENCLOSED = (
    "In {cases} programmes a dual and a primal solution enclose the closed form, in the last "
    "{width:.0e} apart"
)


def _every(*found):
    """The first that does not hold, or else the last."""
    return next((evidence for evidence in found if evidence.verdict != "holds"), found[-1])


def _without_symmetry(n, epsilon):
    """Least average error on (a, b) and (b, a), a >= b, beside ROSNAM's; leaves of at most n records.

    One programme each over all private labels of two classes, without symmetry, in floats.
    """
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
        yield Case(least, majority.gap_error(a - b, epsilon), {"counts": [a, b]})


@claim(
    "rdf/optimality",
    "addendum, section 2",
    "holds",
    "thm-majority-lower-bound",
    ("majority.error_lower_bound", "majority.gap_error", "majority.optimal_error"),
    ours=True,
    proof="thm-majority-lower-bound",
    quantity="least probability of the wrong label",
)
def optimality(effort, rng):
    r"""For two classes under add-remove no $\epsilon$-private label that treats class names
    alike errs less than ROSNAM, $e^{-\epsilon j}/2$, at any leaf; nor does any other, on
    average over a leaf and the leaf with the names swapped."""
    solved = equal(
        _without_symmetry(effort.pick(4, 6, 10), 1.0),
        "The least error by a programme without symmetry, on {counts}, is {exact:.6f}.",
        rtol=1e-6,
    )
    rosnam = equal(_rosnam(effort.pick(6, 10, 20)), "On {counts} it errs with {exact:.6f}.")
    cases = [(n, 2, e) for n in range(1, effort.pick(4, 6, 13)) for e in (0.3, 1.0)]
    found = equal(
        _enclosed(cases, "add-remove", lambda *case: majority.unanimous_error(*case)),
        f"{ENCLOSED}. It is ROSNAM's error on {rosnam.cases} leaves, and a programme in floats, without "
        f"symmetry, gives it on {solved.cases}.",
        range=f"(n, 0) for n up to {cases[-1][0]}, epsilon 0.3 and 1; all leaves of two classes up to "
        f"{effort.pick(6, 10, 20)} records, epsilon 1, add-remove",
    )
    return _every(rosnam, solved, found)


def _rosnam(n):
    """Errors of ROSNAM on leaves of at most n records beside the bound, at epsilon 1."""
    for x in majority.leaves(n, 2):
        bound = majority.error_lower_bound(int(gap(x)), 1.0)
        yield Case(min(majority.one_sided_law(x, 1.0)), bound, {"counts": list(x)})


@claim(
    "rdf/optimality-replace-one",
    "addendum, section 2",
    "holds",
    "thm-majority-optimum",
    ("majority.optimal_error", "majority.one_sided_law"),
    ours=True,
    proof="thm-majority-optimum",
    quantity="least probability of the wrong label",
)
def optimality_replace_one(effort, rng):
    r"""Under replace-one in one leaf, names alike, the least error on $(n, 0)$ is $e^{-\epsilon
    n/2}/2$ for even $n$, which ROSNAM at rate $\epsilon/2$ attains, and
    $e^{-\epsilon(n-1)/2}/(1+e^\epsilon)$ for odd $n$, which it exceeds by the factor
    $\cosh(\epsilon/2)$."""
    cases = [(n, 2, e) for n, e in product(range(1, effort.pick(6, 9, 16)), (0.3, 1.0, 2.0))]
    rosnam = equal(
        (_halved_rate(n, e) for n, _, e in cases), "On ({n}, 0) ROSNAM errs with {exact:.6f}."
    )
    optimum, error = _replace_one_error(3, 2, 1.0), majority.gap_error(3, 0.5)
    found = equal(
        _enclosed(cases, "replace-one", _replace_one_error),
        f"{ENCLOSED}; on (3, 0) at epsilon 1 it is {optimum:.6f}, ROSNAM errs with {error:.6f}.",
        range=f"(n, 0) for n up to {cases[-1][0]}, epsilon 0.3, 1 and 2, one leaf, replace-one",
    )
    return _every(rosnam, found)


def _halved_rate(n, epsilon):
    """Error of ROSNAM at rate epsilon / 2 on (n, 0) beside the stated multiple of the least one."""
    factor = math.cosh(epsilon / 2) if n % 2 else 1.0
    error = majority.one_sided_law([n, 0], epsilon, "replace-one")[1]
    return Case(error, factor * _replace_one_error(n, 2, epsilon), {"n": n, "epsilon": epsilon})


def _replace_one_error(n, classes, epsilon):
    return math.exp(-epsilon * (n // 2)) / (1 + math.exp(epsilon) if n % 2 else 2)


@claim(
    "rdf/optimality-classes",
    "addendum, section 2",
    "holds",
    "thm-majority-optimum",
    ("majority.optimal_error", "majority.chain_error", "majority.unanimous_error"),
    ours=True,
    proof="thm-majority-optimum",
    quantity="least probability of a wrong label",
)
def optimality_classes(effort, rng):
    r"""For $k \ge 3$ classes under add-remove, names alike, the least error on $(n, 0, \dots,
    0)$, $n \ge 1$, is $\frac{k-1}{k}e^{-\epsilon n}$ where $e^\epsilon \ge k - 1$, and ROSNAM's
    is larger, there by a factor that tends to $k/2$."""
    sizes = range(1, effort.pick(4, 5, 7))
    cases = [*product(sizes, effort.pick((3,), (3, 4), (3, 4, 5)), (0.3, 1.0, 1.5))]
    found = equal(_enclosed(cases, "add-remove", majority.chain_error), ENCLOSED)
    plain = [(n, k, e) for n, k, e in cases if math.exp(e) >= k - 1]
    formula = of_equality(
        [majority.chain_error(*c) for c in plain],
        [(k - 1) / k * math.exp(-e * n) for n, k, e in plain],
    )
    rosnam = {
        c: majority.unanimous_error(*c) for c in (*cases, (40, 3, 2.0), (40, 5, 2.0), (40, 8, 2.0))
    }
    excess = {c: float(error / majority.chain_error(*c)) for c, error in rosnam.items()}
    tends = of_equality([excess[40, k, 2.0] for k in (3, 5, 8)], [1.5, 2.5, 4])
    optimum = majority.optimal_error(3, 3, 1.0)
    return verdict_of(
        {found.verdict, formula, tends} == {"holds"} and min(excess.values()) > 1,
        f"{found.summary}; on (3, 0, 0) at epsilon 1 the optimum is {optimum:.6f}, ROSNAM errs with "
        f"{rosnam[3, 3, 1.0]:.6f}.",
        {"enclosed": found.counterexample, "ROSNAM's excess": [*excess.values()]},
        cases=len(cases),
        range=f"(n, 0, ..., 0) for n up to {max(sizes)}, up to {cases[-1][1]} classes, epsilon 0.3, 1 and "
        "1.5, add-remove; ROSNAM also at n = 40 with 3, 5 and 8 classes",
        published=majority.chain_error(3, 3, 1.0),
        computed=optimum,
        relation="=",
    )


def _lead(x):
    """The most frequent class's excess over all other records together, at least 0."""
    return max(0, 2 * max(x) - sum(x))


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


@claim(
    "rdf/gap-law",
    "addendum, section 2",
    "holds",
    "thm-majority-gap-law",
    ("majority.gap_law",),
    ours=True,
    proof="thm-majority-gap-law",
)
def gap_law_private(effort, rng, epsilon=(0.1, 0.7, 1.6)):
    r"""Let $h_0 = 1/k$ and $h_{j+1} = \min(e^\epsilon h_j, 1 - e^{-\epsilon}(1 - h_j))$. To report
    the most frequent class with probability $h_j$ at gap $j$, and each other class with
    $(1-h_j)/(k-1)$, is $\epsilon$-private under add-remove, on leaves of every size."""
    sizes, words = _sizes(effort)
    cases = []
    for (k, n), budget in product(sizes.items(), epsilon):
        inside = majority.leaves(n, k)
        laws = dict(zip(inside, np.log(majority.gap_law(inside, budget))))
        cases += [
            Case(
                float(np.abs(laws[x] - laws[y]).max()),
                budget,
                {"counts": list(x), "neighbour": list(y), "epsilon": budget},
            )
            for x in inside
            for y in majority.neighbouring(x)
            if y in laws
        ]
    return private(
        cases,
        "Over {cases} steps the largest loss is epsilon itself, as between {counts} and {neighbour}.",
        range=f"all steps between leaves of {words}, epsilon 0.1, 0.7 and 1.6, add-remove",
    )


@claim(
    "rdf/gap-law/optimal",
    "addendum, section 2",
    "holds",
    "thm-majority-gap-law",
    ("majority.gap_law", "majority.optimal_bounds"),
    ours=True,
    proof="thm-majority-gap-law",
    quantity="probability of a wrong label",
)
def gap_law_optimal(effort, rng):
    r"""On $(n, 0, \dots, 0)$ the label of `rdf/gap-law` errs least of all private labels that treat
    names alike, under add-remove."""
    sizes = range(1, effort.pick(4, 5, 7))
    cases = [*product(sizes, effort.pick((3,), (3, 4), (2, 3, 4, 5)), (0.3, 1.0, 1.5))]
    return equal(
        _enclosed(
            cases, "add-remove", lambda n, k, e: _wrong(majority.gap_law, (n, *[0] * (k - 1)), e)
        ),
        ENCLOSED,
        range=f"(n, 0, ..., 0) for n up to {cases[-1][0]}, up to {cases[-1][1]} classes, epsilon 0.3 to 1.5",
    )


def _wrong(law, x, epsilon):
    """Probability of a label other than the first, which is the most frequent."""
    return float(law(x, epsilon)[1:].sum())


@claim(
    "rdf/gap-law/leads",
    "addendum, section 2",
    "holds",
    "thm-majority-gap-law",
    ("majority.gap_law",),
    ours=True,
    proof="thm-majority-gap-law",
    quantity="probability of a wrong label, against that with the excess",
)
def gap_law_leads(effort, rng):
    r"""On no leaf with a majority does the label of `rdf/gap-law` err more than one that reads $h$ at $\max(0, 2
    \max c - \sum c)$, the excess over all other records together."""
    sizes, words = _sizes(effort)
    cases = []
    for (k, n), weight in product(sizes.items(), (Fraction(11, 10), Fraction(2), Fraction(5))):
        rights = _rights(n, k, weight)
        for x in majority.leaves(n, k):
            if max(x) == x[0] and x.count(x[0]) == 1:
                found = _wrong(majority.gap_law, x, math.log(weight))
                data = {"counts": list(x), "exp(epsilon)": str(weight)}
                cases.append(Case(found, float(1 - rights[_lead(x)]), data))
    better = sum(c.exact < c.stated * (1 - 1e-9) for c in cases)
    return bounded(
        cases,
        f"Of {{cases}} leaves with a majority it is better on {better} and worse on none.",
        range=f"leaves of {words}, e^epsilon 1.1, 2 and 5",
    )
