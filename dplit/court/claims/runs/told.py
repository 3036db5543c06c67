"""One table a paper: each sentence about its runs, what decides it, and what an open one would take."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dplit.court import experiments
from dplit.court.claims.runs import reproduced
from dplit.court.claims.runs.until_decided import look
from dplit.court.experiments import authors
from dplit.court.experiments.result import stored_path
from dplit.court.ledger.registry import Claim
from dplit.court.ledger.table import Whole


def sentences(claims: Sequence[Claim]) -> pd.DataFrame:
    """The sentences about runs among these claims, a row each, index the claim's id.

    Columns: sentence; compared, what decides it: of "on all sets" the set that is least sure; must be; ours, our
    mean and its interval, which holds at every look; runs, independent repetitions; verdict; open, what would
    decide it: hours of one core, or why no number of runs does. And authors, what their own runs have, if any has.
    """
    reproduced.levels()
    results = {id: experiments.stored(id) for id in experiments.ids() if stored_path(id).is_file()}
    rows = {}
    for c in claims:
        if c.id not in reproduced.SENTENCES:
            continue
        verdicts, still = look(results, [c.id])
        part, words = reproduced.SENTENCES[c.id]()
        found = part.decided_by(reproduced.levels()[c.id])
        theirs = words.partition(authors.OWN)[2].partition(";")[0]
        rows[c.id] = (c.says, *_compared(found), verdicts[c.id], _needed(still[0], found) if still else "", theirs)
    columns = ["sentence", "compared", "must be", "ours", "runs", "verdict", "open", "authors"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("claim")
    return Whole(table if table["authors"].any() else table.drop(columns="authors"))


def _compared(found):
    if not found:
        return "", "", "", 0
    seen, ends = found
    if np.isnan(seen.mean):
        return seen.name, f"{seen.relation} {seen.limit:.4g}", "", seen.n
    low, high = ("" if np.isinf(end) else f"{end:.4g}" for end in ends)
    ours = f"{seen.mean:.4g} ({low} to {high})" if low and high else f"{seen.mean:.4g}"
    return seen.name, f"{seen.relation} {seen.limit:.4g}", ours, seen.n


def _needed(one, found):
    """What would decide an open sentence, in words."""
    if not found:
        return "no cell of ours is about it"
    if found[0].within_room:
        return "what is printed is of a single draw or of few runs: more of ours do not say which"
    if not one.wanted:
        return "its data or its method is not here"
    if np.isnan(found[0].mean):
        return f"too few runs; {one.hours:.1f} h give more"
    return f"about {one.to_decide:.1f} h" if np.isfinite(one.to_decide) else f"more than {one.hours:.1f} h"
