"""That each mechanism draws its law, simulated and exactly; and what scores of held-out records lose and draw."""

from itertools import product

from dplit.court.audit.subjects.held_out import CALLS, EPSILON, RECORDS, lost
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import private
from dplit.court.ledger.drawn import claim_on_release, claims_on_releases

RELEASES = {
    "geometric": (Box("thm-geometric"), "Geometric, noise on a count"),
    "bounded-mean": (Box("thm-geometric"), "BoundedMean, votes for both ends"),
    "discrete-gaussian": (Box("rem-mechanisms-gaussian"), "DiscreteGaussian, noise on a count"),
    "exponential": (Box("thm-exponential"), "Exponential, candidate"),
    "permute-and-flip": (Box("thm-permute-and-flip-law"), "PermuteAndFlip, candidate"),
}

claim_on_release(Box("thm-laplace"), "rdf/drawn/laplace", "Laplace, noise on a number")
for words, (box, name) in RELEASES.items():
    claim_on_release(box, f"rdf/drawn/{words}", name)
    claim_on_release(box, f"rdf/drawn/{words}-exact", f"{name}, exact noise")

NODES = ("votes for a score", "records of a cell", "best of the candidates")
claims_on_releases("rdf", "HeldOut", {"thm-held-out": {f"held-out-{node.split()[0]}": node for node in NODES}})


@Box("thm-held-out", "metrics.HeldOut", quantity="privacy loss, at most")("rdf/held-out", "ours")
def held_out(effort, rng):
    r"""A score of held-out records, a choice by them and a column's description lose at most $\epsilon$ between
    neighbours, add-remove or replace-one, persons of several records among them."""
    for name, *case in product(CALLS, ("add-remove", "replace-one"), range(1, effort.pick(2, 3, 5)), RECORDS):
        yield private(lost(name, *case), EPSILON, call=name, neighbours=case[0], records=case[1])
    return "{cases} pairs, in lockstep; the most is {exact:.4f}, of {call} under {neighbours} neighbours"
