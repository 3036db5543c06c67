"""That each mechanism draws its law, simulated and exactly; and what held-out records move."""

import math
from itertools import product

import numpy as np

from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import same
from dplit.court.ledger.drawn import claim_on_release, claims_on_releases
from dplit.court.power.releases.metrics import VIEWS
from dplit.court.power.sampling import watched
from dplit.metrics import HeldOut

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


@Box("thm-held-out", "metrics.HeldOut", quantity="what a record moves, in L1 norm",
     range="records of seven probabilities and three targets, four metrics")("rdf/held-out", "ours")  # fmt: skip
def held_out(effort, rng):
    """A held-out record changes the two votes of a score by 1 in L1 norm, and likewise the counts of cells."""
    records = list(product(np.linspace(0, 1, effort.pick(7, 21, 101)), (0, 1, 2)))
    for metric, record in product(("accuracy", "log_loss", "auc", "mse"), records):
        place = f"metrics.noisy_{'cells' if metric == 'auc' else 'votes'}"
        with watched(place) as seen:
            for rows in (records, [*records, record]):
                X, y = np.array(rows).T
                HeldOut(X, y if metric == "mse" else np.minimum(y, 1), (-1, 1)).scores(VIEWS[0], math.inf, metric)
        yield same(abs(seen[0][0] - seen[1][0]).sum(), 1, metric=metric, record=record)
    return "In {cases} cases of a record and a metric the votes or the counts change by 1 in L1 norm."
