"""That each mechanism draws its law, simulated and exactly."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

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
