r"""Claims of ours on Fletcher's addendum (2021): how near ROSNAM is to the best private label.

The best is a linear programme over all private mechanisms, enclosed by a dual and a primal solution in
rational arithmetic.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy.optimize import linprog

from dplit import majority
from dplit.ledger import Case, claim, equal, of_equality, verdict_of
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
    kind="certified",
    quantity="probability of the wrong label",
)
def optimality(effort, rng):
    r"""For two classes under add-remove no $\epsilon$-private label that treats class names
    alike errs less than ROSNAM, $e^{-\epsilon j}/2$, at any leaf; nor does any other, on
    average over a leaf and the leaf with the names swapped."""
    solved = equal(
        _without_symmetry(effort.pick(4, 6, 10), 1.0),
        "The least error by a programme without symmetry, on {counts}, is {exact:.6f}.",
        kind="certified",
        rtol=1e-6,
    )
    rosnam = equal(_rosnam(effort.pick(6, 10, 20)), "On {counts} it errs with {exact:.6f}.")
    cases = [(n, 2, e) for n in range(1, effort.pick(4, 6, 13)) for e in (0.3, 1.0)]
    found = equal(
        _enclosed(cases, "add-remove", lambda *case: majority.unanimous_error(*case)),
        f"{ENCLOSED}. It is ROSNAM's error on {rosnam.cases} leaves, and a programme in floats, without "
        f"symmetry, gives it on {solved.cases}.",
        kind="certified",
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
    kind="certified",
    quantity="probability of the wrong label",
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
        kind="certified",
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
    kind="certified",
    quantity="probability of a wrong label",
)
def optimality_classes(effort, rng):
    r"""For $k \ge 3$ classes under add-remove, names alike, the least error on $(n, 0, \dots,
    0)$, $n \ge 1$, is $\frac{k-1}{k}e^{-\epsilon n}$ where $e^\epsilon \ge k - 1$, and ROSNAM's
    is larger, there by a factor that tends to $k/2$."""
    sizes = range(1, effort.pick(4, 5, 7))
    cases = [*product(sizes, effort.pick((3,), (3, 4), (3, 4, 5)), (0.3, 1.0, 1.5))]
    found = equal(_enclosed(cases, "add-remove", majority.chain_error), ENCLOSED, kind="certified")
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
        kind="certified",
        cases=len(cases),
        published=majority.chain_error(3, 3, 1.0),
        computed=optimum,
        relation="=",
    )
