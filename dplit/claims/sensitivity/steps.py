r"""A step of both DiPriMe papers' proofs on squared errors, and what v2 says of one record in a leaf.

v1, appendix A.2.1; v2, appendix B.1 and section 3; derived in :doc:`/book/sensitivity`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product

from dplit import sensitivity
from dplit.claims.sensitivity._searched import exactly
from dplit.ledger import Case, Evidence, bounded, claim
from dplit.mechanisms import Laplace

GRID = tuple(Fraction(i, 2) for i in range(-2, 3))  # targets in [-B, B], B = 1


def _removals(effort):
    """(change of the summed squared error, sum of the three norms, 4 B^2 delta, data), all grid data."""
    for n in range(2, effort.pick(5, 6, 7)):
        for gone in range(1, n):
            stays = [*combinations_with_replacement(GRID, n - gone)]
            for out, stay in product(combinations_with_replacement(GRID, gone), stays):
                change = abs(_sse(out + stay) - _sse(stay))
                data = {"removed": [float(y) for y in out], "stay": [float(y) for y in stay]}
                yield change, _norms(out, stay), 4 * gone, data


def _sse(targets):
    """Sum of squares about the mean, in fractions."""
    mean = sum(targets) / Fraction(len(targets))
    return sum((y - mean) ** 2 for y in targets)


def _norms(out, stay):
    """The three norms of the chain: of the records that stay, of those removed, and of both."""
    c, delta, s, r = len(out) + len(stay), len(out), sum(stay), sum(out)
    first = Fraction(delta, c * (c - delta)) * s**2
    second = sum(y * y for y in out) - Fraction(r**2) / c
    return first + abs(second) + abs(Fraction(2, c) * r * s)


@claim(
    "sensitivity-sse-proof",
    {
        "diprime-v1": "Appendix A.2.1, sensitivity of objective, first line",
        "diprime-v2": "Appendix B.1, sensitivity of SSE, first line",
    },
    "fails",
    "rem-sensitivity-sse-proof",
    ("sensitivity.published_sse",),
    about="step",
    range="all data on -1, -1/2, 0, 1/2, 1, up to 4 records",
)
def sse_proof(effort, rng, paper):
    r"""The change of the summed squared error as $\delta$ records are excluded equals the sum of the
    three norms $\|\frac{\delta}{c(c-\delta)}(\sum_{i>\delta} y_i)^2\|_1$, $\|\sum_{i\le\delta} y_i^2 -
    \frac1c(\sum_{i\le\delta} y_i)^2\|_1$ and $\|\frac2c\sum_{i\le\delta} y_i\sum_{i>\delta} y_i\|_1$.
    (v1 writes $M$ for $c$.)"""
    cases = (Case(change, norms, data) for change, norms, _, data in _removals(effort))
    note = "Without {removed}, {stay} stay: the change is {exact}, the norms add up to {stated}"
    return exactly(cases, note, quantity="change of the summed squared error, B = 1")


@sse_proof.corrected(
    functions=("sensitivity.published_sse",),
    proof="rem-sensitivity-sse-proof",
    range="all data on -1, -1/2, 0, 1/2, 1, up to 4 records",
)
def sse_proof_triangle(effort, rng, paper):
    r"""With $\le$ in the place of $=$ the line is right, and the rest of the chain too: the change is at
    most the sum of the norms, and that is at most $4B^2\delta$."""
    found = list(_removals(effort))
    whole = bounded(
        (Case(change, norms, data) for change, norms, _, data in found),
        "Without {removed}, {stay} stay: the change is {exact}, the norms add up to {stated}",
    )
    if whole.verdict == "fails":
        return whole
    cases = [
        Case(norms, float(sensitivity.published_sse(len(data["removed"]), -1, 1)), data)
        for _, norms, _, data in found
    ]
    last = bounded(cases, "{cases} removals: the norms of {removed} and {stay} are {exact} of {stated}",
                   quantity="sum of the three norms, B = 1")  # fmt: skip
    return Evidence(**last.to_dict() | {"verdict": "fails" if last.verdict == "fails" else "holds"})


@claim(
    "diprime-v2/leaf-counts",
    "Section 3, estimating leaf node parameters",
    "assumes",
    "thm-sensitivity-split",
    ("sensitivity.counts", "sensitivity.worst_case", "mechanisms.Laplace"),
    proof="thm-sensitivity-split",
    quantity="privacy loss of the noisy counts as one record changes its class, in epsilon_l",
    range="both relations, two classes, all leaves of up to 4 records",
)
def leaf_counts(effort, rng):
    r"""To render the count query at a node $\epsilon_\ell$-private, add Laplace$(0, 1/\epsilon_\ell)$
    noise to each class count: changing the value of a data point changes each class count by at most 1
    (assuming add-remove; a value that is changed moves two counts, and costs $2\epsilon_\ell$)."""
    losses = {}
    for relation in ("add-remove", "replace-one"):
        moved = []
        for n in range(1, effort.pick(5, 6, 7)):
            worst = sensitivity.worst_case(_two_counts, n, 0, 1, relation, grid=2)
            here, there = _two_counts(worst.data), _two_counts(worst.neighbour)
            moved.append(sum(abs(a - b) / Laplace(1.0).scale for a, b in zip(here, there)))
        losses[relation] = max(moved)
    kept, changed = losses.values()
    return Evidence(
        "leaks" if kept > 1 else "assumes" if changed > 1 else "holds",
        "exact",
        f"A record that joins costs {kept:g} epsilon_l, a record that changes its class {changed:g}.",
        cases=2 * (effort.pick(5, 6, 7) - 1),
        published=1.0,
        computed=changed,
        relation="<=",
        counterexample={"labels": [0], "neighbour": [1]},
    )


def _two_counts(labels):
    return sensitivity.counts_of(labels, 2)
