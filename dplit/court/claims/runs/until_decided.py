"""Run cells again until they decide the sentences of a paper, or its share of time is spent.

Where a sentence is open, the comparison that holds it open is repeated: of "on all sets" the set that is least
sure, of "on some" the surest. What decides soonest comes first, by how its evidence has grown so far.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dplit import datasets
from dplit.court import experiments
from dplit.court.claims.runs import reproduced
from dplit.court.experiments import images
from dplit.court.experiments.curves import of_cells
from dplit.court.experiments.registry import get
from dplit.court.experiments.result import in_hand, stored_path
from dplit.court.experiments.rule import Part

AT_LEAST, AT_MOST = 1.25, 3.0  # how much the repetitions of a comparison grow at once
SLICE = 0.1  # share of the time that is planned before sentences are looked at again


@dataclass(frozen=True)
class Open:
    """A sentence that is not decided, and what is run next for it."""

    id: str
    part: Part
    level: float
    wanted: dict[tuple[str, str], int]  #: Repetitions by (experiment, key); empty if no run can decide it.
    hours: float  #: Of one core that these take.
    to_decide: float  #: Estimate of the hours until it is decided; infinite where the runs do not say.


def look(results: dict, sentences: Sequence[str]) -> tuple[dict, list[Open]]:
    """The verdicts of sentences by these results, and those that are open, the cheapest first."""
    reproduced.levels()
    verdicts, still = {}, []
    with in_hand(results):
        for id in sentences:
            part, _ = reproduced.SENTENCES[id]()
            level = reproduced.levels()[id]
            verdicts[id] = part.verdict(level)
            if verdicts[id] == "undecided":
                still.append(_next(id, part, level, results))
    return verdicts, sorted(still, key=lambda one: (not one.wanted, min(one.hours, one.to_decide)))


def _next(id, part, level, results):
    sides = [side for side in (part.for_yes, part.for_no) if side]
    if part.yes != part.no and len(sides) == 2:
        sides = sides[:1] if part.yes < part.no else sides[1:]
    p = max(min(part.yes, part.no, max(part.near_yes, part.near_no)), 1e-300)
    growth = np.log(level) / np.log(p) if p < 1 else np.inf
    wanted = {}
    for seen, _ in sides:
        if seen.within_room:
            continue
        more = int(np.ceil(seen.n * np.clip(1.1 * growth, AT_LEAST, AT_MOST)))
        for cell in seen.cells:
            splits = _splits(cell)
            if splits and cell[0] in results and cell[1] in results[cell[0]].cells:
                n = max(of_cells(results[cell[0]], cell[1])["least"], more) * splits
                wanted[cell] = max(n, wanted.get(cell, 0))
    hours = sum(_hours(results, cell, n) for cell, n in wanted.items())
    once = sum(_hours(results, cell, 0) for cell in wanted)
    to_decide = once * max(growth - 1, 0) if np.isfinite(growth) else np.inf
    return Open(id, part, level, wanted, hours, to_decide)


def _splits(cell):
    """How many tasks make one independent repetition of a cell; 0 if it can't be run again here."""
    found = get(cell[0]).cell(cell[1])
    there = found.data == images.NAME or datasets.available(found.data)
    if found.not_run or found.superseded or not there:
        return 0
    return found.draws or found.folds or 1


def _hours(results, cell, n):
    """Hours of one core of the tasks that are missing to n; with n = 0 those that are there took."""
    id, key = cell
    there = len(results[id].scores(key))
    return results[id].cells[key]["seconds"] * (max(n - there, 0) if n else there) / 3600


def until_decided(
    about: str,
    outs: Callable[[str], Path],
    *,
    hours: float,
    jobs: int = 1,
    seed: int = 0,
    progress: Callable | None = None,
    report: Callable = lambda line: None,
    command: str = "",
) -> tuple[dict[str, str], list[Open]]:
    """Run what decides the sentences about a paper's runs, for so many hours of one core.

    `about`: a paper, as "m-rf", or one of its experiments; `outs`: an experiment's result file by its id, which is
    continued; if it is not there, what is stored is. The others as in `dplit.experiments.run`; `report` takes a
    line of words at each look. Returns each sentence's verdict, and those that are still open. Raises a ValueError
    if there is no sentence.
    """
    reproduced.levels()
    figures = reproduced.FIGURES
    sentences = [id for id, of in figures.items() if about in (of, reproduced.paper(of))]
    if not sentences:
        known = dict.fromkeys(map(reproduced.paper, figures.values()))
        raise ValueError(f"no sentence is about {about!r}: name {', '.join(known)}, or one of their experiments")
    results = {id: found for id in experiments.ids() if (found := _there(id, outs(id)))}
    left, tried = hours, set()
    while True:
        verdicts, still = look(results, sentences)
        report(f"{len(still)} of {len(sentences)} sentences are open, {left:.2f} hours are left")
        plan, planned = {}, 0.0
        for one in still:
            if one.wanted and one.hours <= left - planned and (not plan or planned < SLICE * hours):
                planned += one.hours
                plan |= {cell: max(n, plan.get(cell, 0)) for cell, n in one.wanted.items()}
        key = tuple(sorted(plan.items()))
        if not plan or key in tried:
            return verdicts, still
        tried.add(key)
        ids = sorted({id for id, _ in plan})
        before = _spent(results, ids)
        for id in ids:
            if not outs(id).is_file():
                results[id].write(outs(id))
        run = {"jobs": jobs, "seed": seed, "repetitions": plan, "progress": progress, "command": command}
        results |= experiments.run_together({id: outs(id) for id in ids}, **run)
        left -= _spent(results, ids) - before


def _there(id, out):
    """The result that is there: one of before, or the stored one; None if there is neither."""
    if out.is_file():
        return experiments.read(out)
    return experiments.stored(id) if stored_path(id).is_file() else None


def _spent(results, ids):
    """Hours of one core that the tasks of these results took."""
    cells = [(id, key) for id in ids for key in results[id].cells]
    return sum(_hours(results, cell, 0) for cell in cells)
