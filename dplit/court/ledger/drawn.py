"""The ledger's claims on releases: that a fit's release follows the law of its proof, by `dplit.court.power`.

`claim_on_release` registers one; `as_drawn` makes it a condition of a claim on the law itself.
"""

from collections.abc import Iterator

import numpy as np

from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import Compared, counted, need
from dplit.court.ledger.evidence import INTERVAL_ERROR
from dplit.court.power import drawn, drawn_test, release


def claim_on_release(box: Box, id: str, name: str) -> None:
    """Register the claim that the release of this name is drawn by the law that its proof speaks of.

    Each event of its test has an interval at the ledger's error, which the number of draws allows for.
    """
    one = release(name)
    test = None

    def check(effort, rng):
        nonlocal test
        test = test or drawn_test(name, INTERVAL_ERROR * len(one.bugs))
        n, counts, excluded = test.counted(rng)
        yield need(not excluded, excluded, "=", 0)
        for event, hits in zip(test.events, counts, strict=True):
            seen = f"{event.bug}, seen with probability {event.power:.4f}"
            yield counted(hits, n, event.chance, bug=seen)
        return (
            f"{n:,} draws: each event that a bug makes likelier comes as often as without it; for the last bug, "
            "{bug}: {exact:.4f}, expected {stated:.4f}."
        )

    check.__doc__ = one.statement
    fields = {"intervals": len(one.bugs), "quantity": "probability of an event"}
    fields["range"] = "records made for power, of one law without a bug and one with each"
    box(id, "ours", "holds", one.estimator, proved=False, chapter=one.chapter, **fields)(check)


def claims_on_releases(paper: str, of: str, boxes: dict[str, dict[str, str]]) -> None:
    """Register the claims on the releases of an estimator.

    `boxes` maps the label of a theorem box to its releases, of short words to the release's name without `of`.
    """
    for label, names in boxes.items():
        for words, name in names.items():
            claim_on_release(Box(label), f"{paper}/drawn/{words}", f"{of}, {name}")


def as_drawn(rng: np.random.Generator, *names: str) -> Iterator[Compared]:
    """That fits draw these releases by their laws, at the false-alarm rate of their tests."""
    for name in names:
        refused = drawn(name, rng).refused
        yield need(not refused, len(refused), "=", 0, release=name, refused="; ".join(refused))
