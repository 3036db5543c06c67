"""Our sentences about the bench's sets that are held out, each with its rule; see `dplit.court.claims.runs.bench`.

They were written, with their limits, when nothing was chosen any more, while the run was under way: before its
scores were looked at, but for a few single ones that its progress showed. Nor did these sets choose the
preset's advice, so that it is compared here alone.

Two sentences are about a second run, of rules that were changed when the first was known. They were written before
it ran in full; of a first start, which was stopped, three or four single scores of Nursery were seen
(`dplit.experiments.bench`). The last two are about a third run, of a rule for many classes that was tried when
both were known, and not kept; they were written before any of it ran.
"""

from __future__ import annotations

from functools import partial

from dplit.boosting.sets import HELD_OUT
from dplit.court.bench import scores
from dplit.court.claims.runs.bench import (
    LATER,
    MACHINE,
    MIDDLE,
    OTHERS_FOREST,
    OTHERS_MODELS,
    OURS,
    OVERLAP,
    above_constant,
    beside_peers,
    everywhere,
    gains,
    near_ceiling,
    over_all,
    points,
    said,
    sets_of,
    worst_of,
)
from dplit.court.experiments import rule
from dplit.court.experiments.bench import (
    AGAIN,
    FORESTS,
    MANY_HELD_OUT,
    PRESET,
    REGRESSORS,
    RIVALS,
    task,
)
from dplit.ground.printed import table

_sets = partial(sets_of, HELD_OUT)
OTHERS = tuple(m for m in FORESTS + RIVALS if m != OURS)


@said("bench/classification-held-out/half", "undecided")
def half(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than each other private forest of this
    book on more than half of the sets held out."""
    return over_all({e: scores(result, e) for e in MIDDLE}, OTHERS, _sets())


@said("bench/classification-held-out/point", "undecided")
def point(result):
    r"""For $\epsilon \ge 1$ no other private forest of this book is more than a point above the preset on any set
    held out."""
    by_epsilon = {e: scores(result, e) for e in LATER}
    part = everywhere(by_epsilon, PRESET, FORESTS + RIVALS, _sets(), -rule.POINT)
    return part, worst_of(by_epsilon, PRESET, FORESTS + RIVALS, _sets())


@said("bench/classification-held-out/advice", "undecided")
def advice(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the preset is on no set held out more than a point less accurate than the
    boosted forest."""
    by_epsilon = {e: scores(result, e) for e in MIDDLE}
    part = everywhere(by_epsilon, PRESET, (OURS,), _sets(), -rule.POINT)
    return part, f"at 1, in points: {points(by_epsilon[1.0], PRESET, OURS, _sets())}"


@said("bench/classification-held-out/constant", "undecided")
def constant(result):
    r"""For $\epsilon \ge 1$ the boosted forest is above the constant prediction on every set held out."""
    return above_constant(result, _sets())


@said("bench/classification-held-out/ceiling", "undecided")
def ceiling(result):
    r"""At $\epsilon = 4$ the boosted forest is within five points of scikit-learn's gradient boosting without
    privacy on more than half of the sets held out with two classes."""
    return near_ceiling(result, _sets(n_classes=2))


@said("bench/classification-held-out/adult", "undecided")
def adult(result):
    r"""On Adult the boosted forest has with $\delta = 0$ an error below what S-GBDT prints with a positive
    $\delta$: 18.7 % at $\epsilon = 0.07$ and 17.1 % at $\epsilon = 0.54$."""
    parts, words = [], []
    for (_, row), cell in table("bench/s-gbdt-adult").cells.items():
        epsilon = float(row.removeprefix("ε = "))
        mine = scores(result, epsilon)["adult", OURS]
        name = f"accuracy of ours at {epsilon:g}"
        parts.append(rule.above(mine, 1 - cell.value, overlap=OVERLAP, name=name))
        words.append(
            f"at {epsilon:g} an error of {100 * (1 - mine.mean()):.1f} %, printed {cell.text}"
        )
    return rule.all_of(parts), "; ".join(words)


@said("bench/regression-held-out/all", "undecided")
def regression(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest has a higher $R^2$ than each other private forest of
    this book on both sets held out."""
    sets, rivals = _sets("regression"), [m for m in REGRESSORS if m != OURS]
    by_epsilon = {e: scores(result, e) for e in MIDDLE}
    part = everywhere(by_epsilon, OURS, rivals, sets)
    return part, worst_of(by_epsilon, OURS, rivals, sets)


@said("bench/classification-held-out/peer-forest", "undecided")
def peer_forest(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than diffprivlib's forest on more
    than half of the sets held out."""
    return over_all(beside_peers(result, held_out=True), (OTHERS_FOREST,), _sets())


@said("bench/classification-held-out/peer-models", "undecided")
def peer_models(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than diffprivlib's logistic regression
    and its naive Bayes on more than half of the sets held out."""
    return over_all(beside_peers(result, held_out=True), OTHERS_MODELS, _sets())


@said("bench/classification-held-out/peer-machine", "undecided")
def peer_machine(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is with $\delta = 0$ more accurate than interpret's
    private additive model with $\delta = 10^{-6}$ on more than half of the sets held out with two classes."""
    return over_all(beside_peers(result, held_out=True), (MACHINE,), _sets(n_classes=2))


@said("bench/regression-held-out/peer-machine", "undecided")
def peer_machine_targets(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest has with $\delta = 0$ a higher $R^2$ than interpret's
    private additive model with $\delta = 10^{-6}$ on both sets held out."""
    by_epsilon, sets = beside_peers(result, held_out=True), _sets("regression")
    part = everywhere(by_epsilon, OURS, (MACHINE,), sets)
    return part, worst_of(by_epsilon, OURS, (MACHINE,), sets)


def _beside(by_epsilon, method, sets):
    """Scores of two runs of a method as of two methods, by epsilon."""
    return {
        e: {(d, f"{method} {run}"): f[d, method] for run, f in zip((1, 2), runs) for d in sets}
        for e, runs in by_epsilon.items()
    }


def _versions(by_epsilon, method, sets, by):
    """That the later run of a method is on no set lower than the first by `by` or more."""
    both = _beside(by_epsilon, method, sets)
    ours, before = f"{method} 2", f"{method} 1"
    parts = [p for f in both.values() for p in gains(f, ours, before, sets, -by).values()]
    return rule.all_of(parts), "; ".join(
        f"at {e:g} {points(f, ours, before, sets)}" for e, f in both.items()
    )


def _two_runs(result, first, epsilons=MIDDLE):
    return {e: (scores(first, e), scores(result, e)) for e in epsilons}


@said("bench/classification-held-out-2/again", "undecided")
def again(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the preset's second version is on neither set held out whose cells it
    counts more than a point less accurate than the first."""
    by_epsilon = _two_runs(result, "bench/classification-held-out")
    return _versions(by_epsilon, PRESET, task(AGAIN, "classification"), rule.POINT)


@said("bench/regression-held-out-2/again", "undecided")
def again_targets(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest's second version has on neither set held out an $R^2$
    that is lower than the first's by more than 0.01."""
    by_epsilon = _two_runs(result, "bench/regression-held-out")
    return _versions(by_epsilon, OURS, task(AGAIN, "regression"), rule.POINT)


@said("bench/classification-held-out-3/again", "undecided")
def again_many(result):
    r"""With the rule for four classes or more that was tried, the boosted forest is at $\epsilon$ = 0.5, 1, 2 and
    4 on no set held out of so many classes a point or more less accurate than in the first run."""
    by_epsilon = _two_runs(result, "bench/classification-held-out")
    return _versions(by_epsilon, OURS, MANY_HELD_OUT, rule.POINT)


@said("bench/classification-held-out-3/more", "undecided")
def more_many(result):
    r"""With the rule for four classes or more that was tried, the boosted forest is at $\epsilon$ = 0.1 and 0.5
    more accurate than in the first run on more than half of the sets held out of so many classes."""
    by_epsilon = _two_runs(result, "bench/classification-held-out", (0.1, 0.5))
    tried, before, parts, words = f"{OURS} 2", f"{OURS} 1", [], []
    for e, found in _beside(by_epsilon, OURS, MANY_HELD_OUT).items():
        parts.append(rule.most(gains(found, tried, before, MANY_HELD_OUT).values()))
        words.append(f"at {e:g} {points(found, tried, before, MANY_HELD_OUT)}")
    return rule.all_of(parts), "; ".join(words)
