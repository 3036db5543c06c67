"""Our sentences about the bench's sets that are held out, and the preset's advice, which these did not choose.

:doc:`/book/bench` tells when each was written. `dplit.court.claims.runs.bench` has those about either side.
"""

import numpy as np

from dplit.court.bench import scores
from dplit.court.claims.runs import reproduced
from dplit.court.claims.runs.bench import (
    ACCURACY,
    ARE_HELD_OUT,
    CHAPTER,
    LATER,
    MIDDLE,
    OURS,
    PRIVATE,
    at,
    beyond_print,
    column,
    gains,
    nowhere_behind,
    points,
    said,
)
from dplit.court.experiments import rule
from dplit.court.experiments.bench import AGAIN, FORMER, HELD_OUT, PRESET, task

MANY_CLASSES = [d for d in ARE_HELD_OUT.sets() if d not in ARE_HELD_OUT.sets(n_classes=2)]
SETS = {"again": AGAIN, "held out": HELD_OUT, "many classes": MANY_CLASSES,
        "two classes": ARE_HELD_OUT.sets(n_classes=2)}  # in rows  # fmt: skip


@said("bench/classification-held-out/point", "undecided")
def point(result):
    r"""For $\epsilon \ge 1$ no other private forest of this book is more than a point above the preset on any set
    held out."""
    return nowhere_behind(at(result, LATER), PRESET, PRIVATE, ARE_HELD_OUT.sets(), -rule.POINT)


@said("bench/classification-held-out/advice", "undecided")
def advice(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the preset is at most a point less accurate than the boosted forest on
    every set held out."""
    by_epsilon, sets = at(result, MIDDLE), ARE_HELD_OUT.sets()
    part, _ = nowhere_behind(by_epsilon, PRESET, (OURS,), sets, -rule.POINT)
    return part, f"at 1, in points: {points(by_epsilon[1.0], PRESET, OURS, sets)}"


@said("bench/classification-held-out/adult", "undecided")
def adult(result):
    r"""On Adult the boosted forest with $\delta = 0$ has a smaller error than the paper of S-GBDT prints for a
    positive $\delta$: 18.7 % at $\epsilon = 0.07$ and 17.1 % at $\epsilon = 0.54$."""
    shown = lambda score: f"an error of {100 * (1 - score):.1f} %"  # noqa: E731
    return beyond_print(result, "adult", "accuracy", lambda error: 1 - error, shown)


def versions(result, earlier, method, sets, kind, epsilons=MIDDLE, column=0, more=False):
    """That a method is at each epsilon on no set lower than in earlier runs, the last of which counts, by more
    than a point; or, if `more`, higher on more than half of them. `column`: of a run of rankings."""
    parts, words, ours, before = [], [], f"{method} 2", f"{method} 1"
    for e in epsilons:
        former = {at: found for id in earlier for at, found in scores(id, e).items()}
        runs = {ours: scores(result, e), before: former}
        of = [d for d in task(SETS[sets], kind) if (d, method) in runs[ours]]
        both = {(d, run): np.array(found[d, method]).reshape(len(found[d, method]), -1)[:, column]
                for run, found in runs.items() for d in of}  # fmt: skip
        found = gains(both, ours, before, of, 0.0 if more else -rule.POINT).values()
        parts += [rule.most(found)] if more else found
        words.append(f"at {e:g} {points(both, ours, before, of)}")
    return rule.all_of(parts), "; ".join(words)


@said("bench/ranking-held-out/accuracy", "undecided")
def third_accuracy(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest with its present rule for two classes is at most a point
    less accurate than with the former rule on every set held out."""
    found, sets = column(result, MIDDLE, ACCURACY), ARE_HELD_OUT.sets(n_classes=2)
    part, _ = nowhere_behind(found, OURS, (FORMER,), sets, -rule.POINT)
    return part, "; ".join(f"at {e:g} {points(f, OURS, FORMER, sets)}" for e, f in found.items())


reproduced.rows("bench", versions, **CHAPTER)
