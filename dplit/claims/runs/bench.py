"""Our sentences about the bench, each with its rule; decided on the stored runs as `dplit.claims.runs` says.

They were written, with their limits, before the first run, and every verdict was declared after it. They are
about the sets that the boosted forest's rules were chosen on, so that they say what it was made for: what it
does elsewhere, the sets that are held out say (`dplit.claims.runs.bench_held_out`). "The other private
forests" are those of `dplit.experiments.bench.FORESTS` and `RIVALS`; a method that is not run on a set is not
compared there.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from dplit.bench import peer_scores, scores
from dplit.boosting.sets import CHOOSING
from dplit.claims.runs import reproduced
from dplit.datasets.registry import entry
from dplit.experiments import rule
from dplit.experiments.bench import FORESTS, REGRESSORS, RIVALS, task
from dplit.experiments.curves import NotRun
from dplit.experiments.papers import get
from dplit.printed import table

CHAPTER = {"chapter": "bench", "box": "def-bench-rules", "ours": True, "where": "ours"}
CLASSES, TARGETS = "bench/classification", "bench/regression"
MIDDLE, LATER = (0.5, 1.0, 2.0, 4.0), (1.0, 2.0, 4.0, 10.0)
OURS, CONSTANT, CEILING = "Boosted", "Constant", "Gradient boosting"
FIVE = 0.05
OVERLAP = 0.25
OTHERS_FOREST, MACHINE = "diffprivlib forest", "private EBM"
OTHERS_MODELS = ("diffprivlib logistic regression", "diffprivlib naive Bayes")


def said(id, verdict, **fields):
    """A sentence of ours: its claim is ``ours/bench-...``."""
    word = id.removeprefix("bench/").replace("/", "-")
    return reproduced.said(id, verdict, name=f"ours/bench-{word}", **CHAPTER, **fields)


@cache
def planned():
    """(data, method) of every cell of the bench."""
    ids = [f"{id}{held_out}" for id in (CLASSES, TARGETS) for held_out in ("", "-held-out")]
    return {(c.data, c.method) for id in ids for c in get(id).cells}


def gains(found, first, second, sets, by=0.0):
    """That `first` is better than `second` by more than `by` on each set that has both in the bench's list.

    Returns
    -------
    dict of data set to dplit.experiments.rule.Part

    Raises
    ------
    NotRun
        If a cell of the list is not there, or no set has both.
    """
    parts = {}
    for data in sets:
        pair = found.get((data, first)), found.get((data, second))
        if any(one is None for one in pair):
            lost = {(data, m) for m in (first, second)} & planned() - set(found)
            if lost:
                raise NotRun(f"not stored: {' on '.join(reversed(min(lost)))}")
            continue
        n = min(len(one) for one in pair)
        apart = 0.0 if data.startswith("synth-") else OVERLAP
        name = f"gain of {first} over {second} on {data}"
        parts[data] = rule.above(pair[0][:n] - pair[1][:n], by, overlap=apart, name=name)
    if not parts:
        raise NotRun(f"no set has both {first} and {second}")
    return parts


def everywhere(by_epsilon, first, rivals, sets, by=0.0):
    """That `first` is better than each rival by more than `by` on each set, at each epsilon."""
    return rule.all_of(
        part
        for found in by_epsilon.values()
        for m in rivals
        for part in gains(found, first, m, sets, by).values()
    )


def points(found, first, second, sets):
    """Mean gain on each set, in words."""
    both = [d for d in sets if (d, first) in found and (d, second) in found]
    mean = {d: float(found[d, first].mean() - found[d, second].mean()) for d in both}
    return ", ".join(f"{d} {100 * g:+.1f}" for d, g in mean.items())


def sets_of(split, kind="classification", n_classes=None):
    """Names of the sets of one side of the bench with that task, and so many classes."""
    sets = task(split, kind)
    return [d for d in sets if n_classes is None or len(entry(d).classes) == n_classes]


_sets = partial(sets_of, CHOOSING)


def _won(found, rivals, sets):
    """On how many sets the mean of ours is higher than each rival's: in words."""
    won = {
        m: [found[d, OURS].mean() > found[d, m].mean() for d in sets if (d, m) in found]
        for m in rivals
    }
    return ", ".join(f"{m} {sum(w)} of {len(w)}" for m, w in won.items())


def over_all(by_epsilon, rivals, sets):
    """That ours is better than each rival on more than half of the sets, at each epsilon."""
    part = rule.all_of(
        rule.most(gains(found, OURS, m, sets).values())
        for found in by_epsilon.values()
        for m in rivals
    )
    return part, "; ".join(
        f"at {e:g} better than {_won(found, rivals, sets)}" for e, found in by_epsilon.items()
    )


def worst_of(by_epsilon, ours, rivals, sets):
    """Where rivals' means are furthest ahead of ours, in words: in hundredths of the measure."""
    ahead = sorted(
        (
            (f[d, m].mean() - f[d, ours].mean(), f"{m} on {d} at {e:g}")
            for e, f in by_epsilon.items()
            for m in rivals
            for d in sets
            if m != ours and (d, m) in f and (d, ours) in f
        ),
        reverse=True,
    )
    return "furthest ahead: " + ", ".join(f"{where} {100 * g:+.1f}" for g, where in ahead[:5])


def _others(methods):
    return tuple(m for m in methods if m != OURS)


@said("bench/classification/half", "undecided")
def half(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than each other private forest of this
    book on more than half of the sets for choosing."""
    by_epsilon = {e: scores(result, e) for e in MIDDLE}
    return over_all(by_epsilon, _others(FORESTS + RIVALS), _sets())


@said("bench/classification/point", "undecided")
def point(result):
    r"""For $\epsilon \ge 1$ no other private forest of this book is more than a point above the boosted forest
    on any set for choosing."""
    by_epsilon, others = {e: scores(result, e) for e in LATER}, _others(FORESTS + RIVALS)
    part = everywhere(by_epsilon, OURS, others, _sets(), -rule.POINT)
    return part, worst_of(by_epsilon, OURS, others, _sets())


@said("bench/classification/tenth", "undecided")
def tenth(result):
    r"""At $\epsilon = 0.1$ no private forest of this book is above the constant prediction on more than half of
    the sets for choosing."""
    found, methods = scores(result, 0.1), FORESTS + RIVALS
    parts = {m: rule.most(gains(found, m, CONSTANT, _sets()).values()) for m in methods}
    above = {
        m: sum(found[d, m].mean() > found[d, CONSTANT].mean() for d in _sets() if (d, m) in found)
        for m in methods
    }
    words = ", ".join(f"{m} {n}" for m, n in above.items())
    return rule.all_of(~p for p in parts.values()), f"sets with a higher mean: {words}"


@said("bench/classification/constant", "undecided")
def constant(result):
    r"""For $\epsilon \ge 1$ the boosted forest is above the constant prediction on every set for choosing."""
    return above_constant(result, _sets())


def above_constant(result, sets):
    """That ours is above the constant prediction on each set at every epsilon of 1 or more."""
    by_epsilon = {e: scores(result, e) for e in LATER}
    part = everywhere(by_epsilon, OURS, (CONSTANT,), sets)
    return part, f"at 1, in points: {points(by_epsilon[1.0], OURS, CONSTANT, sets)}"


@said("bench/classification/random-decision", "differs")
def random_decision(result):
    r"""At $\epsilon = 1$ the random decision forest is at most a point above the constant prediction on half of
    the sets for choosing or more."""
    found = scores(result, 1.0)
    parts = gains(found, "RDF", CONSTANT, _sets(), rule.POINT).values()
    part = rule.at_least(-(-len(parts) // 2), [~p for p in parts])
    return part, f"in points: {points(found, 'RDF', CONSTANT, _sets())}"


@said("bench/classification/ceiling", "undecided")
def ceiling(result):
    r"""At $\epsilon = 4$ the boosted forest is within five points of scikit-learn's gradient boosting without
    privacy on more than half of the sets for choosing with two classes."""
    return near_ceiling(result, _sets(n_classes=2))


def near_ceiling(result, sets):
    """That ours is within five points of boosting without privacy on more than half of the sets."""
    found = scores(result, 4.0)
    part = rule.most(gains(found, OURS, CEILING, sets, -FIVE).values())
    return part, f"in points: {points(found, OURS, CEILING, sets)}"


@said("bench/regression/all", "undecided")
def regression(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest has a higher $R^2$ than each other private forest of
    this book on all three sets for choosing."""
    sets, rivals = _sets("regression"), _others(REGRESSORS)
    by_epsilon = {e: scores(result, e) for e in MIDDLE}
    words = "; ".join(f"at {e:g} above {_won(f, rivals, sets)}" for e, f in by_epsilon.items())
    return everywhere(by_epsilon, OURS, rivals, sets), words


@said("bench/regression/abalone", "undecided")
def abalone(result):
    r"""On Abalone the boosted forest has with $\delta = 0$ an $R^2$ above what S-GBDT prints with a positive
    $\delta$: 0.39 at $\epsilon = 0.15$ and 0.47 at $\epsilon = 0.54$."""
    parts, words = [], []
    for (_, row), cell in table("bench/s-gbdt-abalone").cells.items():
        epsilon = float(row.removeprefix("ε = "))
        mine = scores(result, epsilon)["abalone", OURS]
        name = f"R2 of ours at {epsilon:g}"
        parts.append(rule.above(mine, cell.value, overlap=OVERLAP, name=name))
        words.append(f"at {epsilon:g} {mine.mean():.3f}, printed {cell.text}")
    return rule.all_of(parts), "; ".join(words)


def beside_peers(result, held_out=False):
    """Our scores and the peers', at each epsilon."""
    return {e: scores(result, e) | peer_scores(e, held_out=held_out) for e in MIDDLE}


@said("bench/classification/peer-forest", "undecided")
def peer_forest(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than diffprivlib's forest on more
    than half of the sets for choosing."""
    return over_all(beside_peers(result), (OTHERS_FOREST,), _sets())


@said("bench/classification/peer-models", "undecided")
def peer_models(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than diffprivlib's logistic regression
    and its naive Bayes on more than half of the sets for choosing."""
    return over_all(beside_peers(result), OTHERS_MODELS, _sets())


@said("bench/classification/peer-machine", "undecided")
def peer_machine(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is with $\delta = 0$ more accurate than interpret's
    private additive model with $\delta = 10^{-6}$ on more than half of the sets for choosing with two classes."""
    return over_all(beside_peers(result), (MACHINE,), _sets(n_classes=2))


@said("bench/regression/peer-machine", "agrees")
def peer_machine_targets(result):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest has with $\delta = 0$ a higher $R^2$ than interpret's
    private additive model with $\delta = 10^{-6}$ on all three sets for choosing."""
    by_epsilon, sets = beside_peers(result), _sets("regression")
    words = [
        f"at {e:g} "
        + ", ".join(f"{d} {np.mean(f[d, OURS]) - np.mean(f[d, MACHINE]):+.3f}" for d in sets)
        for e, f in by_epsilon.items()
    ]
    return everywhere(by_epsilon, OURS, (MACHINE,), sets), "; ".join(words)
