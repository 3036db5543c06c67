r"""Is a black box the mechanism that its proof speaks of? Its draws are held against the law of the proof.

So a bug is found that costs no more than the budget says, too. Derived in :doc:`/book/audit`.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from dplit.court.audit import blackbox
from dplit.ground.errors import check_integer, check_rng


def distance_from_law(
    mechanism: Callable, data: object, law: Mapping, *, n_draws: int = 10_000,
    confidence: float = 0.999, rng: np.random.Generator, summary: Callable | None = None
) -> blackbox.LowerBound:  # fmt: skip
    r"""Return how far a black box is from the law that it should have: a lower bound of a log-ratio.

    The same two halves, with the exact probability :math:`q = Q(E)` in place of the second sample:
    of draws from the law itself the bound exceeds 0 with a probability of at most 1 - confidence.
    It refutes a proof that speaks of another mechanism than the one that runs.

    `law` has the probability of each outcome; what it does not list is impossible. The other parameters are
    those of `epsilon_lower_bound`. The bound is of :math:`|\log P(E)/Q(E)|`; the second of its counts is what
    the law expects.
    """
    check_integer(n_draws, "n_draws", 4)
    drawn = blackbox.draw(mechanism, data, n_draws, rng=check_rng(rng), summary=summary)
    return distance_of_draws(drawn, law, confidence)


def distance_of_draws(drawn: Sequence, law: Mapping, confidence: float = 0.999) -> blackbox.LowerBound:
    """Return `distance_from_law` of outcomes already drawn, in random order."""
    drawn, n_draws = blackbox.outcomes(drawn), len(drawn)
    drawn, half = drawn.tolist() if isinstance(drawn, np.ndarray) else drawn, n_draws // 2
    error = (1 - blackbox.check_confidence(confidence)) / 2
    event, likelier = _pick_against(Counter(drawn[:half]), half, law, error)
    hits, m = blackbox.count(event, drawn[half:]), n_draws - half
    chance = min(1.0, math.fsum(law.get(o, 0.0) for o in event.members))
    if likelier == "data":
        low = blackbox.lower_limit(hits, m, error)
        epsilon = _log_ratio(low, chance)
    else:
        epsilon = _log_ratio(chance, blackbox.upper_limit(hits, m, error))
    counts = hits, round(chance * m, 1)
    return blackbox.LowerBound(max(0.0, epsilon), event, likelier, counts, float(confidence), n_draws)


def _pick_against(seen, draws, law, error):
    """The event, of outcomes ordered by how often they came and should have, that promises most."""
    names = [*law, *(o for o in seen if o not in law)]
    q = np.array([law.get(o, 0.0) for o in names], dtype=float)
    k = np.array([seen.get(o, 0) for o in names], dtype=float)
    best = (-np.inf, None, None)
    for likelier, order in (
        ("data", np.argsort(-(k + 0.5) / (q * draws + 0.5), kind="stable")),
        ("law", np.argsort((k + 0.5) / (q * draws + 0.5), kind="stable")),
    ):
        hits, chance = k[order].cumsum(), np.minimum(q[order].cumsum(), 1.0)
        with np.errstate(divide="ignore"):
            if likelier == "data":
                bounds = np.log(blackbox.lower_limit(hits, draws, error)) - np.log(chance)
            else:
                bounds = np.log(chance) - np.log(blackbox.upper_limit(hits, draws, error))
        bounds = np.where(np.isnan(bounds), -np.inf, bounds)
        i = int(bounds.argmax())
        if bounds[i] > best[0]:
            best = bounds[i], frozenset(names[j] for j in order[: i + 1].tolist()), likelier
    if best[1] is None:
        return blackbox.Event(frozenset(names)), "law"
    return blackbox.Event(best[1]), best[2]


def _log_ratio(low, high):
    if low <= 0:
        return -math.inf
    return math.log(low / high) if high > 0 else math.inf
