"""The ledger at a glance: how many claims of each paper have which verdict, as declared, counted and drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dplit.court.ledger.evidence import RUN_VERDICTS, VERDICTS
from dplit.court.ledger.registry import OURS, PAPERS, Claim

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHORT_NAMES = {
    "diprime-v1": "DiPriMe v1",
    "diprime-v2": "DiPriMe v2",
    "mrf": "MRF",
    "rdf": "RDF",
    "m-rf": "M-RF",
    OURS: "Ours",
}


def glance(claims: Sequence[Claim], ax: Axes, colors: Mapping[str, str]):
    """Draw the number of claims by paper and verdict: a bar for statements, one for experiments.

    `ax` is drawn on: its y-axis names the papers, its x-axis counts claims. `colors`: by verdict, as
    `dplit.plotting.VERDICT_COLORS`.
    """
    rows = [(SHORT_NAMES[paper], counts) for paper, counts in tally(claims).items()]
    runs = tally(claims, ("experiment",), RUN_VERDICTS)
    rows += [(f"{SHORT_NAMES[p]}, experiments", counts) for p, counts in runs.items() if any(counts.values())]
    seen = set()
    for row, (_, counts) in enumerate(rows):
        left = 0
        for verdict, count in counts.items():
            label = None if verdict in seen else verdict
            seen.add(verdict)
            ax.barh(row, count, left=left, height=0.62, lw=0, color=colors[verdict], label=label)
            if count:
                ink = _ink(colors[verdict])
                ax.text(left + count / 2, row, count, ha="center", va="center", color=ink)
            left += count
    ax.set_yticks(range(len(rows)), [name for name, _ in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, max(1, *(sum(counts.values()) for _, counts in rows)))
    ax.grid(visible=False)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, columnspacing=1.2)


def tally(claims, about=("statement",), verdicts=VERDICTS):
    """Number of claims by paper, then by verdict: a dictionary of dictionaries, every key present.

    Counts what the papers say: claims `about` these things that are not `ours`. Steps of proofs,
    readings of ours and sentences about experiments are counted apart.
    """
    counts = {paper: dict.fromkeys(verdicts, 0) for paper in PAPERS if paper != OURS}
    for claim in claims:
        if not claim.ours and claim.about in about:
            counts[claim.paper][claim.verdict] += 1
    return counts


def _ink(color):
    """Black or white, whichever has more contrast with `color`, an RGB triple in [0, 1]."""
    from matplotlib.colors import to_rgb  # which the words do without

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if luminance > 0.179 else "white"
