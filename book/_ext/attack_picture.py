"""The reconstruction picture: a table of records, and the cells that an attacker names, from two releases.

``data/reconstruction.json`` has one table of the stored run for each release, the first whose share is nearest
to the run's mean. ``python book/_ext/attack_picture.py`` draws them again.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from dplit.court.ledger.evidence_files import stored
from dplit.ground.printed import data_file

FILE = "reconstruction.json"
EPSILON = 0.1
RELEASES = {
    "published cuts": "The cuts of MRF as published",
    "noisy counts": "Private counts of all cells",
}
COLUMNS, CELL = 16, 19


def drawn(release):
    """One table of the stored run and what is guessed of it: dict of two lists, by cell."""
    import numpy as np

    from dplit.court.attacks import reconstruction, run
    from dplit.ground.work import stream

    mean = np.mean(run.stored_attacks()["reconstruction", release, EPSILON]["shares"])
    nearest = (
        min(range(run.RECORDS + 1), key=lambda hits: abs(hits / run.RECORDS - mean)) / run.RECORDS
    )
    rng = stream(f"release/{release}/{EPSILON:g}", run.SEED)
    while True:  # as `run.one_table`, which keeps the share alone
        X, y, table = reconstruction.random_table(run.RECORDS, run.COLUMNS, rng)
        guess = run.GUESSES[release](X, y, EPSILON, int(rng.integers(2**31)))
        if reconstruction.recovered(table, guess) == nearest:
            return {"records": table.tolist(), "named": guess.tolist()}


def picture():
    """Both tables beside each other, as HTML."""
    kept = json.loads(data_file(FILE).read_text("utf-8"))
    found = stored()["ours/reconstruction-published"]
    means = {
        "published cuts": found["computed"],
        "noisy counts": stored()["ours/reconstruction"]["computed"],
    }
    panels = "".join(_panel(RELEASES[name], **kept[name], mean=means[name]) for name in RELEASES)
    table = kept["published cuts"]["records"]
    return (
        f'<figure class="reconstruction"><div>{panels}</div><figcaption>Dots: {sum(table)} records in '
        f"{len(table)} cells. Frames: the cells that an attacker names from a release with a claimed epsilon of "
        f"{EPSILON:g}, filled where there is a record. No release that keeps it gives more than "
        f"{found['published']:.0%} of the records away on average.</figcaption></figure>"
    )


def _panel(title, records, named, mean):
    hits = sum(map(min, records, named))
    said = f"{title}: {hits} of {sum(records)} records named; {mean:.0%} on average"
    cells = "".join(_cell(i, *pair) for i, pair in enumerate(zip(records, named)))
    size = f"{COLUMNS * CELL + 2} {len(records) // COLUMNS * CELL + 2}"
    drawn = f'<svg viewBox="-1 -1 {size}" role="img" aria-label="{escape(said)}">{cells}</svg>'
    return f"<div><p>{escape(said)}</p>{drawn}</div>"


def _cell(i, records, named):
    """A cell's ground, its frame if it is named, filled for a hit, and a dot for each record."""
    x, y = i % COLUMNS * CELL, i // COLUMNS * CELL
    kind = "hit" if records and named else "named" if named else "cell"
    dots = "".join(
        f'<circle cx="{x + CELL * (k + 1) / (records + 1):g}" cy="{y + CELL / 2:g}" r="2.6"/>'
        for k in range(records)
    )
    return f'<rect class="{kind}" x="{x + 1.5}" y="{y + 1.5}" width="{CELL - 3}" height="{CELL - 3}"/>{dots}'


if __name__ == "__main__":
    path = Path(__file__).resolve().parents[2] / "data" / FILE
    lines = (f"{json.dumps(name)}: {json.dumps(drawn(name))}" for name in RELEASES)
    path.write_text("{" + ",\n ".join(lines) + "}\n", "utf-8")
