"""Our sentences about the bench (:doc:`/book/bench`), each written with its limits before its first run.

Most are about many tables, and are decided by the sign test; two ask the records of one table.
"""

from __future__ import annotations

import numpy as np

from dplit.boosting.sets import CHOOSING, HELD_OUT
from dplit.court.bench import peer_scores, scores
from dplit.court.claims.runs import reproduced
from dplit.court.claims.runs.cells import Decided, none_of
from dplit.court.experiments import curves, rule
from dplit.court.experiments.bench import FORESTS, RIVALS, task
from dplit.court.experiments.curves import NotRun
from dplit.court.experiments.result import Result
from dplit.court.experiments.tables import of_kind
from dplit.ground.printed import table

CHAPTER = {"chapter": "bench", "box": "def-bench-rules", "ours": True, "where": "ours"}
CONSTANT = "Constant"
MIDDLE = (0.5, 1.0, 2.0, 4.0)
OVERLAP = 0.25
PRIVATE = FORESTS + RIVALS


def said(id, verdict, **fields):
    """A sentence of ours: its claim is ``ours/bench-...``."""
    word = id.removeprefix("bench/").replace("/", "-")
    return reproduced.said(id, verdict, name=f"ours/bench-{word}", **CHAPTER, **fields)


def higher(
    *results: Result, kinds=(), rivals, epsilons=MIDDLE, method: str = "Boosted", column: int | None = None,
    peer: str = "", by: float = 0.0, lower: bool = False,
) -> Decided:  # fmt: skip
    """That a method's score is above each rival's by more than `by` on more than half of all tables like these, at
    each epsilon; with `lower` it is below.

    `kinds`: of the tables by the rule; left out, the sets of classes that are held out. `peer`: the measure of
    other libraries' scores that are read beside ours. `column`: of our scores; of the peers' "ranking" it is the
    one before, since they lack the first.
    """
    names = of_kind(*kinds) if kinds else task(HELD_OUT, "classification")
    place, before = ..., ...
    if column is not None:
        place, before = (slice(None), column), ... if peer == "scores" else (slice(None), column - 1)
    parts, words, than = {m: [] for m in rivals}, [], "below" if lower else "above"
    for e in epsilons:
        found = {at: of[place].mean() for one in results for at, of in scores(one, e).items()}
        if peer:
            beside = peer_scores(e, of="tables" if kinds else "held-out", measure=peer)
            found |= {at: of[before].mean() for at, of in beside.items() if at[0] in names}
        for rival in rivals:
            both = [d for d in names if (d, method) in found and (d, rival) in found]
            if not both:
                raise NotRun(f"no table has both {method} and {rival} at {e:g}")
            gains = [(found[d, method] - found[d, rival]) * (-1 if lower else 1) - by for d in both]
            parts[rival].append(rule.signs(gains, f"tables on which {method} is {than} {rival} at {e:g}"))
            words.append(f"{rival} at {e:g} on {sum(g > 0 for g in gains)} of {len(gains)}")
    return rule.all_of(map(rule.throughout, parts.values())), f"{method} is {than} {', '.join(words)}"


def nobody(*results: Result, kinds, epsilon: float = 0.1) -> Decided:
    """That no private forest is more accurate than the constant on more than half of all tables like these."""
    found = {at: of.mean() for one in results for at, of in scores(one, epsilon).items()}
    gains = {m: [found[d, m] - found[d, CONSTANT] for d in of_kind(*kinds) if (d, m) in found] for m in PRIVATE}
    words = ", ".join(f"{m} {sum(g > 0 for g in of)} of {len(of)}" for m, of in gains.items())
    parts = (rule.signs(of, f"tables on which {m} is above the constant") for m, of in gains.items() if of)
    return none_of(parts), f"tables with a higher mean: {words}"


def gains(found, first, second, sets, by=0.0) -> dict[str, rule.Part]:
    """That `first` is better than `second` by more than `by` on each set that has both, by the corrected t."""
    return {
        d: rule.beyond(
            found[d, first] - found[d, second],
            by,
            overlap=0.0 if d.startswith("synth-") else OVERLAP,
            name=f"gain of {first} over {second} on {d}",
        )
        for d in sets
        if (d, first) in found and (d, second) in found
    }


def points(found, first, second, sets) -> str:
    """Mean gain on each set, in words."""
    both = [d for d in sets if (d, first) in found and (d, second) in found]
    return ", ".join(f"{d} {100 * float(np.mean(found[d, first] - found[d, second])):+.1f}" for d in both)


@said("bench/classification/random-decision", "differs")
def random_decision(result):
    r"""At $\epsilon = 1$, on at least half of the sets that serve to choose rules, the random decision forest is
    at most one point more accurate than the constant prediction."""
    found, sets = scores(result, 1.0), task(CHOOSING, "classification")
    parts = gains(found, "RDF", CONSTANT, sets, rule.POINT).values()
    part = rule.at_least(-(-len(parts) // 2), [~p for p in parts])
    return part, f"in points: {points(found, 'RDF', CONSTANT, sets)}"


@said("bench/printed/abalone", "differs")
def abalone(result):
    r"""On Abalone the boosted forest with $\delta = 0$ has a higher $R^2$ than the paper of S-GBDT prints for
    S-GBDT with a positive $\delta$, which is 0.39 at $\epsilon = 0.15$ and 0.47 at $\epsilon = 0.54$."""
    return beyond_print(result, "abalone", "R2", float, "{:.3f}".format)


@said("bench/printed/adult", "agrees")
def adult(result):
    r"""On Adult the boosted forest with $\delta = 0$ has a smaller error than the paper of S-GBDT prints for
    S-GBDT with a positive $\delta$, which is 18.7 % at $\epsilon = 0.07$ and 17.1 % at $\epsilon = 0.54$."""
    shown = lambda score: f"an error of {100 * (1 - score):.1f} %"  # noqa: E731
    return beyond_print(result, "adult", "accuracy", lambda error: 1 - error, shown)


def beyond_print(result: Result, data: str, measure: str, score_of, shown) -> Decided:
    """That ours is, on these records, above the scores that S-GBDT's paper prints, at its epsilons.

    `score_of` makes a score of a printed number, and `shown` words of a mean score of ours.
    """
    parts, words = [], []
    for (_, row), cell in table(f"bench/s-gbdt-{data}").cells.items():
        key = f"{data}/Boosted/proved/epsilon={row.removeprefix('ε = ')}"
        parts.append(curves.higher(result, key, score_of(cell.value)))
        words.append(f"{measure} at {row.removeprefix('ε = ')}: {shown(result.mean(key))}, printed {cell.text}")
    return rule.all_of(parts), "; ".join(words)


def versions(result, earlier, method):
    """That a regression's method is at each epsilon on no set held out lower than in earlier runs, the last of
    which counts, by more than a point."""
    parts, words, of = [], [], task(HELD_OUT, "regression")
    ours, former = f"{method} 2", f"{method} 1"
    for e in MIDDLE:
        before = {at: found for id in earlier for at, found in scores(id, e).items()}
        both = {(d, ours): found for (d, m), found in scores(result, e).items() if m == method}
        both |= {(d, former): found for (d, m), found in before.items() if m == method}
        parts += gains(both, ours, former, of, -rule.POINT).values()
        words.append(f"at {e:g} {points(both, ours, former, of)}")
    return rule.all_of(parts), "; ".join(words)


reproduced.rows("bench", higher, nobody, versions, **CHAPTER)
