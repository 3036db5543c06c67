"""A step of both DiPriMe papers' proofs on squared errors, and what v2 says of one record in a leaf.

v1, appendix A.2.1; v2, appendix B.1 and section 3.
"""

from fractions import Fraction
from itertools import combinations_with_replacement, product

from dplit import sensitivity
from dplit.court.claims.sensitivity._searched import exactly, plain
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, note
from dplit.mechanisms import Laplace

PROOF = Box("rem-sensitivity-sse-proof", "sensitivity.published_sse", range="-1, -1/2, 0, 1/2, 1, up to 4 records")
SPLIT = Box("thm-sensitivity-split", "sensitivity.counts", "sensitivity.worst_case", "mechanisms.Laplace")
GRID = tuple(Fraction(i, 2) for i in range(-2, 3))  # targets in [-B, B], B = 1


def _removals(effort):
    """(change of the summed squared error, sum of the three norms, data), all grid data."""
    for n in range(2, effort.pick(5, 6, 7)):
        for gone in range(1, n):
            stays = [*combinations_with_replacement(GRID, n - gone)]
            for out, stay in product(combinations_with_replacement(GRID, gone), stays):
                change = abs(_sse(out + stay) - _sse(stay))
                data = {"removed": [float(y) for y in out], "stay": [float(y) for y in stay]}
                yield change, _norms(out, stay), data


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


@PROOF(
    "sensitivity-sse-proof",
    {
        "diprime-v1": "Appendix A.2.1, sensitivity of objective, first line",
        "diprime-v2": "Appendix B.1, sensitivity of SSE, first line",
    },
    "fails",
    about="step",
)
def sse_proof(effort, rng, paper):
    r"""The change of the summed squared error as $\delta$ records are excluded equals the sum of the
    three norms $\|\frac{\delta}{c(c-\delta)}(\sum_{i>\delta} y_i)^2\|_1$, $\|\sum_{i\le\delta} y_i^2 -
    \frac1c(\sum_{i\le\delta} y_i)^2\|_1$ and $\|\frac2c\sum_{i\le\delta} y_i\sum_{i>\delta} y_i\|_1$.
    (v1 writes $M$ for $c$.)"""
    for change, norms, data in _removals(effort):
        yield exactly(change, norms, **data)
    return note(
        "Without {removed}, {stay} stay: the change is {found}, the norms add up to {formula}",
        quantity="change of the summed squared error, B = 1",
    )


@PROOF.corrected(sse_proof)
def sse_proof_triangle(effort, rng, paper):
    r"""With $\le$ instead of $=$ the line is right, and so is the rest of the chain: the change is at most the sum
    of the norms, which is at most $4B^2\delta$."""
    removals = 0
    for change, norms, data in _removals(effort):
        removals += 1
        yield below(change, norms, **data)
        stated = sensitivity.published_sse(len(data["removed"]), -1, 1)
        yield decisive(below(norms, stated, **data))
    return note(
        f"{removals} removals: the norms of {{removed}} and {{stay}} are {{exact:g}} of {{stated:g}}",
        quantity="sum of the three norms, B = 1",
    )


@SPLIT(
    "diprime-v2/leaf-counts",
    "Section 3, estimating leaf node parameters",
    "assumes",
    proved=True,
    quantity="privacy loss of the noisy counts as one record changes its class, in epsilon_l",
    range="both relations, two classes, all leaves of up to 4 records",
)
def leaf_counts(effort, rng):
    r"""To render the count query at a node $\epsilon_\ell$-private, add Laplace$(0, 1/\epsilon_\ell)$
    noise to each class count: changing the value of a data point changes each class count by at most 1
    (assuming add-remove; a value that is changed moves two counts, and costs $2\epsilon_\ell$)."""
    losses = {}
    for relation, broken in (("add-remove", "leaks"), ("replace-one", "assumes")):
        losses[relation] = 0.0
        for n in range(1, effort.pick(5, 6, 7)):
            worst = sensitivity.worst_case(_two_counts, n, 0, 1, relation, grid=2)
            here, there = _two_counts(worst.data), _two_counts(worst.neighbour)
            loss = sum(abs(a - b) / Laplace(1.0).scale for a, b in zip(here, there))
            losses[relation] = max(losses[relation], loss)
            shown = {"labels": plain(worst.data), "neighbour": plain(worst.neighbour)}
            yield below(loss, 1.0, broken=broken, **shown)
    kept, changed = losses.values()
    return f"A record that joins costs {kept:g} epsilon_l, a record that changes its class {changed:g}."


def _two_counts(labels):
    return sensitivity.counts_of(labels, 2)
