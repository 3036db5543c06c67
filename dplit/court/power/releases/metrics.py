"""What private scores and choices by held-out records draw: votes, records of a cell, and the best candidate."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from dplit import metrics
from dplit.court.power import laws
from dplit.court.power.drawn import Release
from dplit.court.power.releases.matrix import BOUND, EDGES, RATE
from dplit.court.power.releases.mechanisms import KINDS
from dplit.court.power.sampling import until, watched


def told(view=lambda X: X >= 0.5):
    """A model that is told the probabilities of the second of two classes, and predicts by a view of them."""
    says = {"predict": lambda X: view(X) * 1, "predict_proba": lambda X: np.stack([1 - X, X], axis=1)}
    return SimpleNamespace(classes_=np.array([0, 1]), **says)


X, Y = np.array([0.9, 0.2, 0.2]), np.array([1, 1, 1])  # what the model is told, and the classes
VIEWS = told(), told(lambda X: X < 0.5), told(lambda X: X < 0)  # right about the first, the others, and none
WAYS = (  # node, the law in words, its mechanism, the function that draws, the call, and its outcomes
    ("votes for a score", "geometric noise in small steps", "BoundedMean", "noisy_votes",
     lambda held: held.scores(VIEWS[0], RATE), lambda votes: laws.binned(votes[1:] - 1, EDGES / RATE)),
    ("records of a cell", "two-sided geometric noise", "Geometric", "noisy_cells",
     lambda held: held.scores(VIEWS[0], RATE, "calibration"),
     lambda counts: [int(np.clip(counts[2 * np.searchsorted(metrics.EDGES, X[0]) + 1] - 1, -BOUND, BOUND))]),
    ("best of the candidates", "permute-and-flip, with coins in a random order", "PermuteAndFlip",
     "best_candidate", lambda held: held.best(VIEWS, 1.0), lambda place: [place]),
)  # fmt: skip


def _drawn(place, call, outcomes, n, rng):
    """Outcomes of as many calls as it takes."""

    def once():
        with watched(f"metrics.{place}") as seen:
            call(metrics.HeldOut(X, Y, rng=rng))
        return outcomes(seen[0][0])

    return until(n, once)


def registered():
    """The releases of this file."""
    for node, says, kind, *way in WAYS:
        _, _, law, _, bounds = KINDS[kind]
        law = partial(law, move=1.0) if kind == "BoundedMean" else law
        yield Release(f"HeldOut, {node}", "metrics.HeldOut", node, "mechanisms", says, law, partial(_drawn, *way),
                      is_number=kind != "PermuteAndFlip", bounds=bounds)  # fmt: skip
