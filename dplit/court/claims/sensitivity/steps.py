"""A step of both DiPriMe papers' proofs on squared errors, and what v2 says of one record in a leaf."""

from dplit import sensitivity
from dplit.court.claims.sensitivity._searched import plain
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, note
from dplit.mechanisms import Laplace

PROOF = Box("rem-sensitivity-sse-proof", "sensitivity.published_sse")
SPLIT = Box("thm-sensitivity-split", "sensitivity.counts", "sensitivity.worst_case", "mechanisms.Laplace")


PARTS = tuple(f"sensitivity-sse-proof/corrected:{part}" for part in ("triangle", "bound"))


@PROOF(
    "sensitivity-sse-proof",
    {
        "diprime-v1": "Appendix A.2.1, sensitivity of objective, first line",
        "diprime-v2": "Appendix B.1, sensitivity of SSE, first line",
    },
    "fails",
    about="step",
    quantity="change of the summed squared error, B = 1",
    **over("sensitivity-sse-proof"),
)
def sse_proof(effort, rng, paper):
    r"""The change of the summed squared error as $\delta$ records are excluded equals the sum of the
    three norms $\|\frac{\delta}{c(c-\delta)}(\sum_{i>\delta} y_i)^2\|_1$, $\|\sum_{i\le\delta} y_i^2 -
    \frac1c(\sum_{i\le\delta} y_i)^2\|_1$ and $\|\frac2c\sum_{i\le\delta} y_i\sum_{i>\delta} y_i\|_1$.
    (v1 writes $M$ for $c$.)"""
    yield from certified("sensitivity-sse-proof", effort)
    words = "The norms add up to more than the change for all {refuted}, where d of s + d records go (y their"
    return words + " mean, z their spread) and x is the others' mean: in the middle {stated:.4f}, not {exact:.4f}."


@PROOF.corrected(sse_proof, quantity="sum of the three norms, B = 1", **over(*PARTS))
def sse_proof_triangle(effort, rng, paper):
    r"""If the line's $=$ is replaced by $\le$, it holds, and so does the rest of the chain: the change is at most
    the sum of the norms, which is at most $4B^2\delta$."""
    triangle, bound = PARTS
    yield from certified(triangle, effort)
    yield from certified(bound, effort, right=lambda d, **_: d * sensitivity.published_sse(1, -1, 1))
    words = "For all data, if d of c = s + d records go, whose mean is y and mean square q, and the others have"
    return words + " the mean x: {statement}."


@SPLIT("diprime-v2/leaf-counts", "Section 3, estimating leaf node parameters", "assumes", proved=True)
def leaf_counts(effort, rng):
    r"""To render the count query at a node $\epsilon_\ell$-private, add Laplace$(0, 1/\epsilon_\ell)$ noise to
    each class count: changing the value of a data point changes each class count by at most 1. (This assumes
    add-remove; a record that changes its value moves two counts and costs $2\epsilon_\ell$.)"""
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
    return note(
        f"A record that joins costs {kept:g} epsilon_l, a record that changes its class {changed:g}.",
        quantity="privacy loss of the noisy counts as one record changes its class, in epsilon_l",
        range="both relations, two classes, all leaves of up to 4 records",
    )


def _two_counts(labels):
    return sensitivity.counts_of(labels, 2)
