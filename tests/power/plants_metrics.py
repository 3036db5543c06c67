"""Bugs of what private scores and choices by held-out records draw."""

import numpy as np

from dplit.court.power.registry import releases
from tests.power._planting import plants, rate_of, shifted, told
from tests.power.plants_mechanisms import GEOMETRIC, LAPLACE


def _first_twice(values):
    return np.append(values[:1], values)


BUGS = {
    "votes for a score": ("noisy_votes", told("shares", _first_twice), shifted(0.2 * LAPLACE)),
    "records of a cell": ("noisy_cells", told("counts", lambda counts: 2 * counts), shifted(0.2 * GEOMETRIC)),
    "best of the candidates": ("best_candidate", told("totals", lambda totals: np.add(totals, [1, 0, 0])), None),
}
for node, (place, copies, bias) in BUGS.items():
    plants(f"HeldOut, {node}", f"metrics.{place}", rate_of("epsilon"), copies=copies, bias=bias)
assert {f"HeldOut, {node}" for node in BUGS} <= releases().keys()
