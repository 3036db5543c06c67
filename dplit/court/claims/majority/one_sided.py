r"""Claims of Fletcher's addendum (2021): report one-sided noisy arg-max; :math:`q = e^{-\epsilon}`."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from dplit import majority
from dplit.court.claims.majority._printed import label_probabilities
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, need, note, private, same
from dplit.court.power.laws import flipped
from dplit.mechanisms import Exponential

PUBLISHED = "majority.published_smooth_sensitivity", "majority.smooth_exponential_law"
ROSNAM = Box("thm-rosnam-law", "majority.one_sided_law", quantity="privacy loss")
BY_GAP = "majority.one_sided_law", "majority.gap_error"
CELLS = {"quantity": "Pr(B) in percent", "range": "every cell of the column"}


def _by_size(n, classes):
    return [x for x in majority.leaves(n, classes) if list(x) == sorted(x, reverse=True)]


def _permute_and_flip(x):
    """Its law from the definition, in fractions, at the epsilon for which e^epsilon is 2."""
    return flipped([Fraction(2) ** (count - max(x)) for count in x])


@ROSNAM(
    "rdf/rosnam-is-em",
    "addendum, section 2, table 5",
    "fails",
    quantity="probability of the other label",
    **over("rdf/rosnam-is-em"),
)
def rosnam_is_em(effort, rng):
    r"""ROSNAM is a special case of the exponential mechanism, that of table 5 with weights $e^{\epsilon c_r}$."""
    exponential = lambda a: Exponential(-math.log(a), monotonic=True).pmf([1, 0])[1]  # noqa: E731
    rosnam = lambda a: majority.gap_error(1, -math.log(a))  # noqa: E731
    yield from certified("rdf/rosnam-is-em", effort, left=rosnam, right=exponential)
    words = "With two classes ROSNAM and the exponential mechanism differ at every gap and budget: the other label"
    return words + " has probability {exact:.4f} against {stated:.4f}, for example."


@ROSNAM.corrected(rosnam_is_em, where="addendum, section 2", quantity="probability of a label")
def rosnam_is_permute_and_flip(effort, rng):
    r"""ROSNAM is permute-and-flip: label $r$ has probability $w_r\int_0^1\prod_{i\ne r}(1-w_it)\,dt$."""
    n2, n3 = effort.pick((4, 3), (6, 4), (9, 6))
    leaves = [*_by_size(n2, 2), *_by_size(n3, 3)]
    for x in leaves:
        law = majority.one_sided_law(x, math.log(2))
        for other in (_noisy_argmax(x, math.log(2)), _permute_and_flip(x)):
            for p, q in zip(other, law):
                yield same(p, q, atol=1e-9, counts=list(x))
    return note(
        "Quadrature of the exponential noise, enumeration of all orders and flips in fractions, and "
        f"the integral agree on {len(leaves)} leaves of two and three classes.",
        range=f"leaves of two classes up to {n2} records and of three up to {n3}, e^epsilon 2",
    )


def _noisy_argmax(x, epsilon):
    """Law of the arg-max of counts plus one-sided exponential noise at rate epsilon, by quadrature."""
    from scipy.integrate import quad

    def density(z, c):
        others = [-math.expm1(-max(z + epsilon * (x[c] - n), 0.0)) for i, n in enumerate(x) if i != c]
        return math.exp(-z) * math.prod(others)

    law = []
    for c, m in enumerate(x):
        kinks = sorted({max(epsilon * (n - m), 0.0) for n in x})
        ends = pairwise([*kinks, kinks[-1] + 40])
        law.append(sum(quad(density, a, b, args=(c,), epsabs=1e-12)[0] for a, b in ends))
    return law


def _published_row():
    """Sensitivity and weight of B on the first row of table 6, as the published mechanism has them."""
    sensitivity = float(majority.published_smooth_sensitivity([5, 10], 0.1))
    return sensitivity, math.exp(0.1 / 2 / sensitivity)


@ROSNAM(
    "rdf/equation-18",
    "addendum, equation 18",
    "fails",
    PUBLISHED[0],
    quantity="smooth sensitivity by equation 8",
    range="the sensitivity and the weight, as printed",
)
def equation_18(effort, rng):
    r"""At gap 5 and $\epsilon = 0.1$ the smooth sensitivity is 0.36 and $\Pr(B) \propto 1.14$."""
    by_gap = {j: majority.published_smooth_sensitivity([j, 0], 0.1) for j in range(50)}
    own = [j for j, value in by_gap.items() if 0.36 <= value < 0.37]
    sensitivity, weight = _published_row()
    data = {"counts": [5, 10], "epsilon": 0.1, "sensitivity": sensitivity, "weight": weight}
    yield same(sensitivity, 0.36, rtol=0, atol=0.01, **data)
    yield same(weight, 1.14, rtol=0, atol=0.01, **data)
    return (
        "By the paper's own formula it is {sensitivity:.4f} and the weight {weight:.4f}; 0.36 "
        f"belongs to gap {own}."
    )


@ROSNAM.corrected(
    equation_18,
    *PUBLISHED,
    where="addendum, equation 18",
    proved=False,
    quantity="Pr(B) in percent",
    range="the sensitivity, the weight and the cell of table 6",
)
def equation_18_by_its_formula(effort, rng):
    r"""The published formula gives the sensitivity 0.6065, $\Pr(B) \propto 1.0859$ and hence table 6's 52.1%."""
    sensitivity, weight = _published_row()
    law = float(majority.smooth_exponential_law([5, 10], 0.1)[1])
    yield _rounds(sensitivity, 0.6065, 4)
    yield _rounds(weight, 1.0859, 4)
    yield same(law, weight / (1 + weight))
    yield decisive(_rounds(100 * law, 52.1, 1))
    return f"{weight:.4f}/(1 + {weight:.4f}) = {law:.5f}; with 1.14 it would be {1.14 / 2.14:.5f}."


def _rounds(value, printed, digits):
    return need(round(float(value), digits) == printed, value, "within", printed)


def _table_6(column, probability, room):
    """One column of table 6, each cell within `room` units of its last digit, the farthest first."""
    rows = []
    for x, cell in label_probabilities(column):
        computed = float(probability(x))
        rows.append((abs(cell.value - computed) / (2 * cell.rounding), computed, x, cell.text))
    for off, computed, x, text in sorted(rows, key=lambda row: -row[0]):
        data = {"counts": list(x), "epsilon": 0.1, "printed": text}
        yield decisive(need(off <= room, 100 * computed, "within", float(text), **data), off == max(rows)[0])
    right = sum(off <= 0.5 + 1e-9 for off, *_ in rows)
    computed = ", ".join(f"{100 * p:.1f}" for _, p, *_ in rows)
    return (
        f"{right} of {len(rows)} cells are rounded right; the farthest is {{counts}}: {{printed}} printed, "
        f"{{exact:.2f}} computed. In all they are {computed}."
    )


@ROSNAM("rdf/table-6-original", "addendum, table 6", "holds", PUBLISHED[1], proved=False, **CELLS)
def table_6_original(effort, rng):
    """The original Pr(B) in table 6 is the published mechanism's probability of the majority label B to within one
    unit of the last digit (one cell is truncated)."""
    published = lambda x: majority.smooth_exponential_law(x, 0.1)[1]  # noqa: E731
    return (yield from _table_6("original", published, room=1))


@ROSNAM("rdf/table-6", "addendum, table 6", "fails", *BY_GAP, **CELLS)
def table_6_new(effort, rng):
    """The new Pr(B) in table 6 is the probability that ROSNAM reports the majority label B."""
    rosnam = lambda x: 1 - majority.gap_error(abs(x[0] - x[1]), 0.1)  # noqa: E731
    return (yield from _table_6("new", rosnam, room=1))


@ROSNAM.corrected(
    table_6_new,
    *BY_GAP,
    where="addendum, table 6",
    proved=False,
    quantity=CELLS["quantity"],
    range="every cell of the column, by both laws",
)
def table_6_is_exponential(effort, rng):
    r"""The new cells of table 6 are the rounded probabilities of the exponential mechanism at rate $\epsilon$. The
    probabilities of ROSNAM are 69.7, 69.7, 54.8, 81.6, 99.1 and 99.7 %, which are higher in every row."""
    exponential = lambda x: Exponential(0.1, monotonic=True).pmf(x)[1]  # noqa: E731
    found = yield from _table_6("new", exponential, room=0.5)
    rosnam = [100 * majority.one_sided_law(x, 0.1)[1] for x, _ in label_probabilities("new")]
    for value, stated in zip(rosnam, (69.7, 69.7, 54.8, 81.6, 99.1, 99.7), strict=True):
        yield _rounds(value, stated, 1)
    return f"Exponential mechanism: {found} ROSNAM: {[round(float(p), 1) for p in rosnam]}."


LOGS = (math.log(3), math.log(1.5))


PARTS = "loser-gains-first", "loser-gains-other", "winner-gains-first", "winner-gains-other", "winner-gains-least"
ONE_MORE = tuple(f"rdf/monotone:{part}" for part in PARTS)


def _losses(pairs, rate, steps):
    """Loss of the package's label on some neighbours beside `steps` epsilon, scaled for the relation `rate`."""
    for epsilon, (x, y) in product(LOGS, pairs):
        loss = np.abs(np.subtract(*(np.log(majority.one_sided_law(z, epsilon, rate)) for z in (x, y)))).max()
        yield private(loss, steps * epsilon, counts=list(x), neighbour=list(y), epsilon=epsilon, rate=rate)


@ROSNAM("rdf/monotone", "addendum, section 2", **over(*ONE_MORE))
def monotone(effort, rng):
    r"""Counts are monotonic, so noise at rate $\epsilon$ makes ROSNAM $\epsilon$-private (under add-remove)."""
    yield from certified(ONE_MORE, effort, broken="leaks")
    pairs = ((2, 0), (2, 1)), ((3, 1, 0), (3, 2, 0)), ((1, 1, 1, 0), (2, 1, 1, 0))
    yield from _losses(pairs, "add-remove", 1)
    return "No chance changes by more than a factor e^epsilon; from {counts} to {neighbour} one changes by it."


@ROSNAM("rdf/monotone-replace-one", "addendum, section 2", ours=True, **over(*ONE_MORE))
def monotone_replace_one(effort, rng):
    r"""Under replace-one, ROSNAM costs $2\epsilon$ at rate $\epsilon$ and $\epsilon$ at rate
    $\epsilon/2$. Two classes attain this, and more classes never cost more."""
    yield from certified(ONE_MORE, effort, broken="leaks")
    pairs = ((2, 0), (1, 1)), ((3, 1, 0), (2, 2, 0))
    for rate, steps in (("add-remove", 2), ("replace-one", 1)):
        cases = list(_losses(pairs, rate, steps))
        yield from cases
        yield need(any(case.met for case in cases), broken="loose")
    return "A replaced record is one removed and one added: twice the budget, as from {counts} to {neighbour}."
