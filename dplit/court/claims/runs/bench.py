"""Our sentences about the bench (:doc:`/book/bench`), written with their limits before its first run.

They are about the sets that the boosted forest's rules were chosen on; the others are in
`dplit.court.claims.runs.bench_held_out`. "The other private forests" are `FORESTS` and `RIVALS` of
`dplit.court.experiments.bench`; a method that is not run on a set is not compared there.
"""

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from dplit.boosting.sets import CHOOSING, HELD_OUT
from dplit.court.bench import peer_scores, scores
from dplit.court.claims.runs import reproduced
from dplit.court.claims.runs.cells import Decided, none_of
from dplit.court.experiments import rule
from dplit.court.experiments.bench import FORESTS, FORMER, REGRESSORS, RIVALS, task
from dplit.court.experiments.curves import NotRun
from dplit.court.experiments.registry import get
from dplit.court.experiments.result import Result
from dplit.datasets.registry import entry
from dplit.ground.printed import table

CHAPTER = {"chapter": "bench", "box": "def-bench-rules", "ours": True, "where": "ours"}
CLASSES, TARGETS = "bench/classification", "bench/regression"
EARLY, MIDDLE, LATER = (0.5, 1.0, 2.0), (0.5, 1.0, 2.0, 4.0), (1.0, 2.0, 4.0, 10.0)
ACCURACY, AUC = 0, 1  # columns of a run of the measure "ranking"
OURS, CONSTANT, CEILING = "Boosted", "Constant", "Gradient boosting"
FIVE = 0.05
TABLES = 10  # 10 of 10 signs have p = .001; 9 of 9, p = .002, is above the level of one sentence
OVERLAP = 0.25
OTHERS_FOREST, MACHINE = "diffprivlib forest", "private EBM"
OTHERS_MODELS = ("diffprivlib logistic regression", "diffprivlib naive Bayes")
PRIVATE = FORESTS + RIVALS
OTHERS = tuple(m for m in PRIVATE if m != OURS)


@dataclass(frozen=True)
class Side:
    """One side of the bench: its sets, the end of its experiments' ids, and what its sets are called."""

    split: tuple
    end: str
    name: str
    regressions: str

    def sets(self, kind: str = "classification", n_classes: int | None = None) -> list[str]:
        """Names of its sets with that task, and so many classes."""
        sets = task(self.split, kind)
        return [d for d in sets if n_classes is None or len(entry(d).classes) == n_classes]


FOR_CHOOSING = Side(CHOOSING, "", "for choosing", "all three")
ARE_HELD_OUT = Side(HELD_OUT, "-held-out", "held out", "both")


def said(id, verdict, **fields):
    """A sentence of ours: its claim is ``ours/bench-...``."""
    word = id.removeprefix("bench/").replace("/", "-")
    return reproduced.said(id, verdict, name=f"ours/bench-{word}", **CHAPTER, **fields)


def on_both_sides(figure, word, verdict="undecided", held_out="undecided"):
    """Decorator: register ``test(result, side)`` as a sentence about either side of the bench.

    "{side}" in its docstring is what the side's sets are called, "{all}" how many regressions these are.
    """

    def register(test):
        for side, declared in ((FOR_CHOOSING, verdict), (ARE_HELD_OUT, held_out)):
            says = inspect.getdoc(test).replace("{side}", side.name)
            says = says.replace("{all}", side.regressions)
            said(f"bench/{figure}{side.end}/{word}", declared, says=says, side=side)(test)
        return test

    return register


@cache
def planned():
    """(data, method) of every cell of the bench."""
    ids = [f"{id}{held_out}" for id in (CLASSES, TARGETS) for held_out in ("", "-held-out")]
    return {(c.data, c.method) for id in ids for c in get(id).cells}


def gains(found, first, second, sets, by=0.0):
    """That `first` is better than `second` by more than `by` on each set that has both in the bench's list.

    Returns a dict of data set to `dplit.court.experiments.rule.Part`. Raises `NotRun` if a cell of the list is not
    there, or no set has both.
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
        parts[data] = rule.beyond(pair[0][:n] - pair[1][:n], by, overlap=apart, name=name)
    if not parts:
        raise NotRun(f"no set has both {first} and {second}")
    return parts


def nowhere_behind(by_epsilon, first, rivals, sets, by=0.0) -> Decided:
    """That `first` is better than each rival by more than `by` on each set, at each epsilon; in words, where
    rivals' means are furthest ahead: in hundredths of the measure."""
    rivals = [m for m in rivals if m != first]
    pairs = [(e, found, m) for e, found in by_epsilon.items() for m in rivals]
    parts = [p for _, found, m in pairs for p in gains(found, first, m, sets, by).values()]
    leads = [
        (f[d, m].mean() - f[d, first].mean(), f"{m} on {d} at {e:g}")
        for e, f, m in pairs
        for d in sets
        if (d, m) in f and (d, first) in f
    ]
    worst = sorted(leads, reverse=True)[:5]
    words = ", ".join(f"{where} {100 * gain:+.1f}" for gain, where in worst)
    return rule.all_of(parts), f"furthest ahead: {words}"


def points(found, first, second, sets):
    """Mean gain on each set, in words."""
    both = [d for d in sets if (d, first) in found and (d, second) in found]
    mean = {d: float(found[d, first].mean() - found[d, second].mean()) for d in both}
    return ", ".join(f"{d} {100 * g:+.1f}" for d, g in mean.items())


def won(found, first, rival, sets):
    """On which of the sets that have both the first's mean is higher than the rival's, list of bool."""
    both = [d for d in sets if (d, first) in found and (d, rival) in found]
    return [found[d, first].mean() > found[d, rival].mean() for d in both]


def over_all(by_epsilon, rivals, side: Side, n_classes: int | None = None) -> Decided:
    """That ours is better than each rival on more than half of a side's sets, at each epsilon."""
    sets, words = side.sets(n_classes=n_classes), []
    for e, found in by_epsilon.items():
        counts = {m: won(found, OURS, m, sets) for m in rivals}
        each = ", ".join(f"{m} {sum(w)} of {len(w)}" for m, w in counts.items())
        words.append(f"at {e:g} better than {each}")
    return rule.all_of(over_one(by_epsilon, m, side, sets) for m in rivals), "; ".join(words)


def over_one(by_epsilon, rival, side: Side, sets) -> rule.Part:
    """That ours is better than one rival on more than half of these sets, at each epsilon.

    Of sets held out the sign test over tables, which stand for others like them, if the rival runs on `TABLES` or
    more: the signs of fewer could decide nothing. These, and sets for choosing, stand for none, and count one by
    one.
    """
    of = {e: gains(found, OURS, rival, sets) for e, found in by_epsilon.items()}
    if side is not ARE_HELD_OUT or min(map(len, of.values())) < TABLES:
        return rule.all_of(rule.most(by_set.values()) for by_set in of.values())
    return rule.throughout(
        rule.signs(
            [by_epsilon[e][d, OURS].mean() - by_epsilon[e][d, rival].mean() for d in by_set],
            f"tables on which ours is above {rival} at {e:g}",
        )
        for e, by_set in of.items()
    )


def at(result: Result, epsilons: Iterable[float]) -> dict:
    """Scores of a stored run by epsilon."""
    return {e: scores(result, e) for e in epsilons}


def beside_peers(result: Result, side: Side) -> dict:
    """Our scores and the peers', at each epsilon."""
    held_out = side is ARE_HELD_OUT
    return {e: scores(result, e) | peer_scores(e, held_out=held_out) for e in MIDDLE}


@on_both_sides("classification", "half")
def half(result, side=FOR_CHOOSING):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than every other private forest of this
    book on more than half of the sets {side}."""
    return over_all(at(result, MIDDLE), OTHERS, side)


@said("bench/classification/point", "undecided")
def point(result):
    r"""For $\epsilon \ge 1$ no other private forest of this book is more than a point above the boosted forest
    on any set for choosing."""
    return nowhere_behind(at(result, LATER), OURS, OTHERS, FOR_CHOOSING.sets(), -rule.POINT)


@said("bench/classification/tenth", "undecided")
def tenth(result):
    r"""At $\epsilon = 0.1$ no private forest of this book is more accurate than the constant prediction on more
    than half of the sets for choosing."""
    found, sets = scores(result, 0.1), FOR_CHOOSING.sets()
    above = ", ".join(f"{m} {sum(won(found, m, CONSTANT, sets))}" for m in PRIVATE)
    parts = (rule.most(gains(found, m, CONSTANT, sets).values()) for m in PRIVATE)
    return none_of(parts), f"sets with a higher mean: {above}"


@on_both_sides("classification", "constant")
def constant(result, side=FOR_CHOOSING):
    r"""For $\epsilon \ge 1$ the boosted forest beats the constant prediction on every set {side}."""
    by_epsilon, sets = at(result, LATER), side.sets()
    part, _ = nowhere_behind(by_epsilon, OURS, (CONSTANT,), sets)
    return part, f"at 1, in points: {points(by_epsilon[1.0], OURS, CONSTANT, sets)}"


@said("bench/classification/random-decision", "differs")
def random_decision(result):
    r"""At $\epsilon = 1$ the random decision forest is at most a point above the constant prediction on at least
    half of the sets for choosing."""
    found, sets = scores(result, 1.0), FOR_CHOOSING.sets()
    parts = gains(found, "RDF", CONSTANT, sets, rule.POINT).values()
    part = rule.at_least(-(-len(parts) // 2), [~p for p in parts])
    return part, f"in points: {points(found, 'RDF', CONSTANT, sets)}"


@on_both_sides("classification", "ceiling")
def ceiling(result, side=FOR_CHOOSING):
    r"""At $\epsilon = 4$ the boosted forest is within five points of scikit-learn's gradient boosting without
    privacy on more than half of the sets {side} with two classes."""
    found, sets = scores(result, 4.0), side.sets(n_classes=2)
    part = rule.most(gains(found, OURS, CEILING, sets, -FIVE).values())
    return part, f"in points: {points(found, OURS, CEILING, sets)}"


@on_both_sides("regression", "all")
def regression(result, side=FOR_CHOOSING):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest has a higher $R^2$ than every other private forest of
    this book on {all} sets {side}."""
    return nowhere_behind(at(result, MIDDLE), OURS, REGRESSORS, side.sets("regression"))


@said("bench/regression/abalone", "undecided")
def abalone(result):
    r"""On Abalone the boosted forest with $\delta = 0$ has a higher $R^2$ than the paper of S-GBDT prints for a
    positive $\delta$: 0.39 at $\epsilon = 0.15$ and 0.47 at $\epsilon = 0.54$."""
    return beyond_print(result, "abalone", "R2", float, "{:.3f}".format)


def beyond_print(result: Result, data: str, measure: str, score_of, shown) -> Decided:
    """That ours is above the scores that S-GBDT's paper prints, at its epsilons.

    `score_of` makes a score of a printed number, and `shown` words of a mean score of ours.
    """
    parts, words = [], []
    for (_, row), cell in table(f"bench/s-gbdt-{data}").cells.items():
        epsilon = float(row.removeprefix("ε = "))
        mine, name = scores(result, epsilon)[data, OURS], f"{measure} of ours at {epsilon:g}"
        parts.append(rule.beyond(mine, score_of(cell.value), overlap=OVERLAP, name=name))
        words.append(f"at {epsilon:g} {shown(mine.mean())}, printed {cell.text}")
    return rule.all_of(parts), "; ".join(words)


@on_both_sides("classification", "peer-forest", held_out="agrees")
def peer_forest(result, side=FOR_CHOOSING):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than diffprivlib's forest on more
    than half of the sets {side}."""
    return over_all(beside_peers(result, side), (OTHERS_FOREST,), side)


@on_both_sides("classification", "peer-models")
def peer_models(result, side=FOR_CHOOSING):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest is more accurate than diffprivlib's logistic regression
    and its naive Bayes on more than half of the sets {side}."""
    return over_all(beside_peers(result, side), OTHERS_MODELS, side)


@on_both_sides("classification", "peer-machine")
def peer_machine(result, side=FOR_CHOOSING):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest with $\delta = 0$ is more accurate than interpret's
    private additive model with $\delta = 10^{-6}$ on more than half of the sets {side} with two classes."""
    return over_all(beside_peers(result, side), (MACHINE,), side, n_classes=2)


@on_both_sides("regression", "peer-machine")
def peer_machine_targets(result, side=FOR_CHOOSING):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest with $\delta = 0$ has a higher $R^2$ than interpret's
    private additive model with $\delta = 10^{-6}$ on {all} sets {side}."""
    return nowhere_behind(beside_peers(result, side), OURS, (MACHINE,), side.sets("regression"))


def column(result: Result, epsilons: Iterable[float], place: int) -> dict:
    """One measure of a run of rankings, by epsilon."""
    return {e: {of: values[:, place] for of, values in scores(result, e).items()} for e in epsilons}


@on_both_sides("ranking", "former")
def ranking_former(result, side=FOR_CHOOSING):
    r"""At $\epsilon$ = 0.5, 1 and 2 the boosted forest has a larger area under the ROC curve with its present rule
    for two classes than with the former rule on more than half of the sets {side} with two classes."""
    found, sets = column(result, EARLY, AUC), side.sets(n_classes=2)
    parts = [rule.most(gains(f, OURS, FORMER, sets).values()) for f in found.values()]
    return rule.all_of(parts), "; ".join(f"at {e:g} {points(f, OURS, FORMER, sets)}" for e, f in found.items())


@on_both_sides("ranking", "machine")
def ranking_machine(result, side=FOR_CHOOSING):
    r"""At $\epsilon$ = 0.5, 1, 2 and 4 the boosted forest with $\delta = 0$ has a larger area under the ROC curve
    than interpret's private additive model with $\delta = 10^{-6}$ on more than half of the sets {side} with two
    classes."""
    found = column(result, MIDDLE, AUC)
    for e, f in found.items():
        peers = peer_scores(e, held_out=side is ARE_HELD_OUT, measure="ranking")
        f.update({of: values[:, 0] for of, values in peers.items()})
    return over_all(found, (MACHINE,), side, n_classes=2)
