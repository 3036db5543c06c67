r"""Claims of both DiPriMe papers on single lines: a sign, a set that is everything, noise and signal.

v2, algorithm 1, line 30, and section 3; v1, algorithm 3, line 35; derived in
:doc:`/book/median_forest`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.integrate import quad

from dplit.claims.median_forest._nodes import sse
from dplit.ledger import Case, Evidence, bounded, claim, verdict_of
from dplit.mechanisms import Exponential, Laplace


@claim(
    "diprime-v2/attribute-sign",
    "Algorithm 1, line 30; section 3.1",
    "fails",
    "thm-forest-sign",
    ("mechanisms.Exponential",),
    quantity="probability of the better of two attributes",
    range="all nodes of up to 4 records with targets -1, 0, 1, two cuts each",
)
def attribute_sign(effort, rng):
    r"""The score $MSE_a$, as printed, makes the exponential mechanism of equation (3) prefer the
    attribute whose cut explains more."""
    worst = max(_nodes(effort), key=lambda case: case[1] - case[0])
    better, other, targets = worst
    chosen = _better(better, other, len(targets), 1)
    return verdict_of(
        chosen >= 0.5,
        f"Targets {[int(y) for y in targets]}, B = 1, epsilon_a = 1: the cut with mean squared error "
        f"{float(better):g} wins with probability {chosen:.4f} against one with {float(other):g}; with a "
        f"minus sign, as in v1, with {_better(better, other, len(targets), -1):.4f}.",
        {"targets": [int(y) for y in targets], "errors": [better, other], "epsilon": 1.0},
        relation=">=",
        published=0.5,
        computed=chosen,
        cases=len(_nodes(effort)),
    )


@attribute_sign.corrected(
    functions=("mechanisms.Exponential",),
    where="ours; v1, section 3",
    proof="thm-forest-sign",
    quantity="least probability of the better of two attributes",
)
def attribute_sign_negated(effort, rng):
    """With the score $-MSE_a$ the better of two attributes is always the likelier."""
    nodes = _nodes(effort)
    least = min(_better(a, b, len(y), -1) for a, b, y in nodes)
    return verdict_of(
        least > 0.5,
        f"{len(nodes)} pairs of cuts of different errors; least {least:.4f}.",
        {"least": least},
        cases=len(nodes),
        range=f"all nodes of up to {effort.pick(4, 5, 6)} records with targets -1, 0, 1, two cuts each",
        relation=">",
        published=0.5,
        computed=least,
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


@claim(
    "diprime-v1/whole-side",
    "Algorithm 3, line 35",
    "assumes",
    "thm-forest-sign",
    ("mechanisms.Exponential",),
    quantity="probability that all levels are on one side",
    range="one to four records of each of two levels, epsilon_1 = 1/2",
)
def whole_side(effort, rng):
    r"""The draw over all $B \subset R_a$, $B \ne \emptyset$, splits a categorical attribute
    (assuming that $B = R_a$, which has nothing on its other side, is left out too)."""
    chance = {}
    for counts in product(range(1, 5), repeat=2):
        sizes = [*counts, sum(counts)]  # of the three sets that are not empty
        scores = [-abs(2 * size - sum(counts)) for size in sizes]
        chance[counts] = float(Exponential(0.5).pmf(scores)[-1])
    shown = max(chance, key=chance.get)
    return Evidence(
        "assumes" if chance[shown] > 0 else "holds",
        "exact",
        f"Levels {shown} at epsilon_1 = 1/2: B = R_a has probability {chance[shown]:.4f}, and then the "
        "level is spent and nothing is split. The package leaves it out, as v2 does.",
        cases=len(chance),
        relation="=",
        published=0.0,
        computed=chance[shown],
        counterexample={"counts": list(shown), "epsilon_1": 0.5},
    )


@claim(
    "diprime-v2/leaf-signal",
    "Section 3, after the leaf parameters",
    "holds",
    "thm-forest-leaf-signal",
    ("mechanisms.Laplace",),
    proof="thm-forest-leaf-signal",
    quantity="range of the mean over the expected size of the noise",
    range="1 to 1000 records, epsilon_l up to 1/N_i",
)
def leaf_signal(effort, rng):
    r"""If $\epsilon_\ell < 1/N_i$, the expected magnitude of the Laplace noise is greater than that
    of the signal: $2B/(N_i\epsilon_\ell) > 2B$, the whole range of the mean."""
    cases = []
    for n, part in product((1, 10, 1000), (0.1, 0.5, 0.9, 1.0)):
        law = Laplace(part / n, 2 / n)  # B = 1
        noise = 2 * quad(lambda x, law=law: x * law.pdf(x), 0, np.inf)[0]
        cases.append(Case(2 / noise, 1.0, {"records": n, "epsilon_l": part / n}))
    return bounded(cases, "{cases} leaves; equality at epsilon_l = 1/N_i alone", rtol=1e-7)
