r"""Claims of Fletcher's addendum (2021): report one-sided noisy arg-max.

:math:`q = e^{-\epsilon}`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np

from dplit import majority
from dplit.claims.majority._printed import label_probabilities
from dplit.ledger import Case, claim, equal, private, verdict_of
from dplit.mechanisms import Exponential

# The law ----------------------------------------------------------------------------------------


def _by_size(n, classes):
    """Leaves of at most n records, majority first."""
    return [x for x in majority.leaves(n, classes) if list(x) == sorted(x, reverse=True)]


def _permute_and_flip(weights):
    """Its law from the definition: every order of the candidates, every flip, in fractions."""
    law, orders = [Fraction(0)] * len(weights), list(permutations(range(len(weights))))
    for order in orders:
        reached = Fraction(1, len(orders))
        for r in order:
            accepted = weights[r] / max(weights)
            law[r] += reached * accepted
            reached *= 1 - accepted
    return law


def _doubling(x):
    """The weights at the epsilon for which e^epsilon is 2."""
    return [Fraction(2) ** count for count in x]


@claim(
    "rdf/rosnam-is-em",
    "addendum, section 2, table 5",
    "fails",
    "thm-rosnam-law",
    ("majority.one_sided_law",),
    quantity="probability of the other label",
)
def rosnam_is_em(effort, rng):
    r"""ROSNAM is a special case of the exponential mechanism, the one of table 5: with weights
    $e^{\epsilon c_r}$."""
    cases, rates = [], {}
    for x in _by_size(effort.pick(5, 8, 12), 2):
        rosnam, other = _permute_and_flip(_doubling(x)), Exponential.rational_law(_doubling(x))
        data = {"rosnam": [str(p) for p in rosnam], "exponential": [str(p) for p in other]}
        cases.append(Case(rosnam[1], other[1], {"counts": list(x), "epsilon": math.log(2)} | data))
        if x[0] > x[1] == 0:
            rates[x[0]] = math.log(rosnam[0] / rosnam[1]) / x[0]
    return equal(
        cases,
        "At e^(-epsilon) = 1/2 the leaf {counts} gives the other class {exact}, not {stated}. The "
        f"rate that would make an exponential mechanism fit is {rates[1]:.4f} at gap 1 and "
        f"{rates[2]:.4f} at gap 2: none fits.",
        range=f"leaves of two classes up to {effort.pick(5, 8, 12)} records, e^epsilon 2, in fractions",
    )


@rosnam_is_em.corrected(
    functions=("majority.one_sided_law",),
    where="addendum, section 2",
    proof="thm-rosnam-law",
    quantity="probability of a label",
)
def rosnam_is_permute_and_flip(effort, rng):
    r"""ROSNAM is permute-and-flip: label $r$ has probability $w_r\int_0^1\prod_{i\ne
    r}(1-w_it)\,dt$."""
    n2, n3 = effort.pick((4, 3), (6, 4), (9, 6))
    leaves = [*_by_size(n2, 2), *_by_size(n3, 3)]
    cases = []
    for x in leaves:
        law = majority.one_sided_law(x, math.log(2))
        others = _noisy_argmax(x, math.log(2)), _permute_and_flip(_doubling(x))
        cases += [Case(p, q, {"counts": list(x)}) for other in others for p, q in zip(other, law)]
    return equal(
        cases,
        "Quadrature of the exponential noise, enumeration of all orders and flips in fractions, and "
        f"the integral agree on {len(leaves)} leaves of two and three classes.",
        atol=1e-9,
        range=f"leaves of two classes up to {n2} records and of three up to {n3}, e^epsilon 2",
    )


def _noisy_argmax(x, epsilon):
    """Law of the arg-max of counts plus one-sided exponential noise at rate epsilon, by quadrature."""
    from scipy.integrate import quad

    def density(z, c):
        others = [
            -math.expm1(-max(z + epsilon * (x[c] - n), 0.0)) for i, n in enumerate(x) if i != c
        ]
        return math.exp(-z) * math.prod(others)

    law = []
    for c, m in enumerate(x):
        kinks = sorted({max(epsilon * (n - m), 0.0) for n in x})
        ends = pairwise([*kinks, kinks[-1] + 40])
        law.append(sum(quad(density, a, b, args=(c,), epsabs=1e-12)[0] for a, b in ends))
    return law


# What is printed --------------------------------------------------------------------------------


def _published_row():
    """Sensitivity and weight of B on the first row of table 6, as the published mechanism has them."""
    sensitivity = float(majority.published_smooth_sensitivity([5, 10], 0.1))
    return sensitivity, math.exp(0.1 / 2 / sensitivity)


@claim(
    "rdf/equation-18",
    "addendum, equation 18",
    "fails",
    "thm-rosnam-law",
    ("majority.published_smooth_sensitivity",),
    quantity="smooth sensitivity by equation 8",
    range="the sensitivity and the weight, as printed",
)
def equation_18(effort, rng):
    r"""For gap 5 at $\epsilon = 0.1$ the sensitivity is 0.36 and $\Pr(B) \propto 1.14$."""
    by_gap = {j: majority.published_smooth_sensitivity([j, 0], 0.1) for j in range(50)}
    own = [j for j, value in by_gap.items() if 0.36 <= value < 0.37]
    sensitivity, weight = _published_row()
    data = {"counts": [5, 10], "epsilon": 0.1, "sensitivity": sensitivity, "weight": weight}
    return equal(
        (Case(sensitivity, 0.36, data), Case(weight, 1.14, data)),
        "By the paper's own formula it is {sensitivity:.4f} and the weight {weight:.4f}; 0.36 "
        f"belongs to gap {own}.",
        rtol=0,
        atol=0.01,
    )


@equation_18.corrected(
    functions=("majority.published_smooth_sensitivity", "majority.smooth_exponential_law"),
    where="addendum, equation 18",
    quantity="Pr(B) in percent",
    range="the sensitivity, the weight and the cell of table 6",
)
def equation_18_by_its_formula(effort, rng):
    r"""The sensitivity as published is 0.6065, $\Pr(B) \propto 1.0859$, and table 6's 52.1%
    comes from it."""
    sensitivity, weight = _published_row()
    law = float(majority.smooth_exponential_law([5, 10], 0.1)[1])
    rounded = round(sensitivity, 4), round(weight, 4), round(100 * law, 1)
    return verdict_of(
        rounded == (0.6065, 1.0859, 52.1) and math.isclose(law, weight / (1 + weight)),
        f"{weight:.4f}/(1 + {weight:.4f}) = {law:.5f}; with 1.14 it would be {1.14 / 2.14:.5f}.",
        {"rounded": rounded},
        published=52.1,
        computed=100 * law,
        relation="within",
    )


def _table_6(column, probability, room):
    """Evidence on one column of table 6, each cell within `room` units of its last digit."""
    rows = []
    for x, cell in label_probabilities(column):
        computed = float(probability(x))
        rows.append((abs(cell.value - computed) / (2 * cell.rounding), x, cell.text, computed))
    off, x, printed, computed = max(rows, key=lambda row: row[0])
    right = sum(units <= 0.5 + 1e-9 for units, *_ in rows)
    return verdict_of(
        off <= room,
        f"{right} of {len(rows)} cells are rounded right; the farthest is {x}: {printed} printed, "
        f"{100 * computed:.2f} computed. In all they are "
        f"{', '.join(f'{100 * p:.1f}' for *_, p in rows)}.",
        {"counts": list(x), "epsilon": 0.1, "printed": float(printed), "computed": 100 * computed},
        cases=len(rows),
        published=float(printed),
        computed=100 * computed,
        relation="within",
        range="every cell of the column",
    )


@claim(
    "rdf/table-6-original",
    "addendum, table 6",
    "holds",
    "thm-rosnam-law",
    ("majority.smooth_exponential_law",),
    quantity="Pr(B) in percent",
)
def table_6_original(effort, rng):
    """Original Pr(B) is that of the published mechanism, within one unit of the last digit (one
    cell is truncated)."""
    return _table_6("original", lambda x: majority.smooth_exponential_law(x, 0.1)[1], room=1)


@claim(
    "rdf/table-6",
    "addendum, table 6",
    "fails",
    "thm-rosnam-law",
    ("majority.one_sided_law", "majority.gap_error"),
    quantity="Pr(B) in percent",
)
def table_6_new(effort, rng):
    """New Pr(B) is the probability that ROSNAM reports the majority label B."""
    return _table_6("new", lambda x: 1 - majority.gap_error(abs(x[0] - x[1]), 0.1), room=1)


@table_6_new.corrected(
    functions=("majority.one_sided_law", "majority.gap_error"),
    where="addendum, table 6",
    quantity="Pr(B) in percent",
)
def table_6_is_exponential(effort, rng):
    r"""The new cells are those of the exponential mechanism at rate $\epsilon$, rounded.
    ROSNAM's are 69.7, 69.7, 54.8, 81.6, 99.1 and 99.7: higher in every row."""
    found = _table_6("new", lambda x: Exponential(0.1, monotonic=True).pmf(x)[1], room=0.5)
    rosnam = [100 * majority.one_sided_law(x, 0.1)[1] for x, _ in label_probabilities("new")]
    rounded = [round(float(p), 1) for p in rosnam]
    return verdict_of(
        found.verdict == "holds" and rounded == [69.7, 69.7, 54.8, 81.6, 99.1, 99.7],
        f"Exponential mechanism: {found.summary} ROSNAM: {rounded}.",
        {"rosnam": rounded},
        cases=2 * found.cases,
        published=69.7,
        computed=float(rosnam[0]),
        relation="within",
        range="every cell of the column, by both laws",
    )


# Its privacy ------------------------------------------------------------------------------------


LOGS = (math.log(3), math.log(1.5))


def _losses(sizes, relation, rate, steps, budgets):
    """Loss of the label's law at ``relation="add-remove"`` or "replace-one" beside `steps` epsilon.

    Over neighbours under `relation` among leaves of as many classes and of at most as many records as
    `sizes` says; `rate` is the relation that the law was scaled for, and `budgets` are its epsilons.
    """
    for classes, n in sizes.items():
        inside = majority.leaves(n, classes)
        for epsilon in budgets:
            laws = dict(zip(inside, np.log(majority.one_sided_law(inside, epsilon, rate))))
            for x in inside:
                for y in majority.neighbouring(x, relation):
                    if y in laws:
                        data = {"counts": list(x), "neighbour": list(y), "epsilon": epsilon}
                        yield Case(float(np.abs(laws[x] - laws[y]).max()), steps * epsilon, data)


def _up_to(sizes):
    """Sizes of leaves, in words."""
    return "all steps between leaves of " + " and of ".join(
        f"{k} classes up to {n} records" for k, n in sizes.items()
    )


@claim(
    "rdf/monotone",
    "addendum, section 2",
    "holds",
    "thm-rosnam-law",
    ("majority.one_sided_law",),
    proof="thm-rosnam-law",
)
def monotone(effort, rng, epsilon=LOGS):
    r"""Counts are monotonic, so noise at rate $\epsilon$ makes ROSNAM $\epsilon$-private (under
    add-remove)."""
    sizes = effort.pick({2: 8, 3: 5}, {2: 12, 3: 7}, {2: 30, 3: 12, 4: 8})
    return private(
        _losses(sizes, "add-remove", "add-remove", 1, epsilon),
        "Over {cases} steps the largest loss is epsilon itself, as between {counts} and {neighbour}.",
        range=f"{_up_to(sizes)}, e^epsilon 3 and 1.5, add-remove",
    )


@claim(
    "rdf/monotone-replace-one",
    "addendum, section 2",
    "holds",
    "thm-rosnam-law",
    ("majority.one_sided_law",),
    ours=True,
    proof="thm-rosnam-law",
)
def monotone_replace_one(effort, rng, epsilon=LOGS):
    r"""Under replace-one, ROSNAM at rate $\epsilon$ costs $2\epsilon$, and at rate $\epsilon/2$
    it costs $\epsilon$: attained with two classes, and never more with more."""
    sizes = effort.pick({2: 6, 3: 4}, {2: 9, 3: 5}, {2: 20, 3: 9})
    full, halved = (
        private(
            _losses(sizes, "replace-one", rate, steps, epsilon),
            "Over {cases} steps at the rate for " + rate + " the largest loss is {exact:.4f} at "
            "epsilon {epsilon:.4f}, as between {counts} and {neighbour}.",
            range=f"{_up_to(sizes)}, e^epsilon 3 and 1.5, replace-one, both rates",
        )
        for rate, steps in (("add-remove", 2), ("replace-one", 1))
    )
    return halved if full.verdict == "holds" else full
