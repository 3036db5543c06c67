"""What the RDF paper writes when it compares methods: its figures 11 to 14, and section 5.2's tests.

The paper's p-values are shown as it has them; decided is whether the differences are none, and a sentence "all are
significant" may agree or stay undecided. See :doc:`/book/random_forest_experiments`.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np

from dplit.court.claims.runs import reproduced
from dplit.court.claims.runs.cells import Decided, better, none_of, together
from dplit.court.claims.runs.rdf import GROUPS, PAGE, best_between, gain, gain_up_to, many, said, up_to, versus
from dplit.court.experiments import rule
from dplit.court.experiments.curves import key, larger_deviation, named, outcome, signed_rank
from dplit.court.experiments.papers.rdf import BINARY, FOLDS, NAMES, REAL, SETS, SYNTHETIC
from dplit.court.experiments.result import Result
from dplit.court.experiments.rule import POINT

LEVEL = 0.05
ALMOST = 0.05  # our reading of "almost as good"
RANKS = {"functions": ("experiments.signed_rank",)}
TIES = {"functions": ("experiments.outcome",)}
SIGNS = [*product((1, -1), repeat=2)]
OUTCOMES = {"wins": "win", "ties": "tie", "losses": "loss"}


def exactly(m: int, parts: Iterable[rule.Part]) -> rule.Part:
    """That m of the parts are true, no more and no fewer."""
    parts = list(parts)
    return rule.all_of([rule.at_least(m, parts), ~rule.at_least(m + 1, parts)])


def outcomes(result: Result, method: str, sets: Iterable[str]) -> dict[str, list[str]]:
    """Names of the sets on which ours wins, ties and loses."""
    pairs = versus(result, method, sets).items()
    found = {name: outcome(result, *pair) for name, pair in pairs}
    return {k: [name for name in found if found[name] == one] for k, one in OUTCOMES.items()}


def clear(result: Result, method: str, sets: Iterable[str]) -> tuple[list, list]:
    """That ours wins, not by less than one deviation, on each set; and that it loses."""
    pairs = versus(result, method, sets)
    return pairs.parts(larger_deviation), pairs.turned().parts(larger_deviation)


@said("rdf/figure-11/jpw", "differs")
def but_claves(result):
    """RDF is more accurate than JPW on every set but Claves, where it is 2.5 points less accurate on average."""
    others = versus(result, "JPW", [d for d in SETS if d != "claves"])
    claves = versus(result, "JPW", ["claves"])
    lost = [~claves.parts(-0.025 + POINT)[0], *claves.parts(-0.025 - POINT)]
    words = f"{others.words()}, {claves} (on Claves we allow 1)"
    return rule.all_of([*others.parts(), *lost]), words


@said("rdf/figure-11/synth-a", "differs")
def synth_a(result):
    """On SynthA RDF is more accurate than JPW and than FS, by more than 35 points in each case."""
    both = [versus(result, m, ["synth-a"]) for m in ("JPW", "FS")]
    return together(pairs.that(by=0.35 - POINT, once=True) for pairs in both)


@said("rdf/figure-11/adult", "differs")
def adult(result):
    """On Adult RDF is 3.5 points more accurate than JPW."""
    return versus(result, "JPW", ["adult"]).are(0.035, POINT)


@said("rdf/figure-11/often", "differs")
def often(result):
    """For other datasets than Adult and SynthA, RDF is often more than 10 points more accurate than JPW, and often
    more than 30 points more accurate than FS."""
    others, found = [d for d in SETS if d not in ("adult", "synth-a")], []
    for m, by in (("JPW", 0.1), ("FS", 0.3)):
        pairs = versus(result, m, others)
        more = [name for name, gain in pairs.gains().items() if gain > by]
        words = f"{m} on {len(more)} of {len(others)}: {', '.join(more) or 'none'}"
        found.append((many(pairs.parts(by, once=True)), f"{words} (we call a third often)"))
    return together(found)


@said("rdf/figure-11/almost", "differs")
def almost(result):
    """RDF is almost as accurate as a random forest for some synthetic sets and for Adult, Mushroom and Nursery."""
    near = versus(result, ("RF", "exact"), ["adult", "mushroom", "nursery"])
    drawn = versus(result, ("RF", "exact"), SYNTHETIC)
    some = rule.any_of(drawn.parts(-ALMOST, once=True))
    allowed = f"we allow {100 * ALMOST:g}; of the synthetic sets one must be so near"
    return rule.all_of([*near.parts(-ALMOST), some]), f"{near.words()}, {drawn} ({allowed})"


def p_values(result: Result, methods: Iterable[str], sets: Iterable[str]) -> dict[str, float]:
    """The two-sided p-value of ours against each method on each set, by their names."""
    return {
        f"{m} on {NAMES[d]}": signed_rank(result, key(result, d, "RDF"), key(result, d, m))
        for m, d in product(methods, sets)
    }


def all_significant(result: Result, methods: Iterable[str], sets: str) -> Decided:
    """That no difference is none on a group of sets; nothing shows that one is."""
    sets = GROUPS[sets]
    found = p_values(result, methods, sets)
    weak = [f"{name} {p:.2g}" for name, p in found.items() if p >= LEVEL]
    parts = [part for m in methods for part in versus(result, m, sets).parts()]
    part = replace(rule.all_of(rule.any_of([p, ~p]) for p in parts), no=1.0, for_no=None)
    words = f"Wilcoxon: {len(found) - len(weak)} of {len(found)} have p < {LEVEL:g}"
    return part, f"{words}; not {', '.join(weak) or 'so: none'}"


def ranked(result: Result, data: str, method: str) -> np.ndarray:
    """Of each cut into folds the mean sign over pairs of our gains: a signed-rank statistic, from -1 to 1."""
    ours, other = (result.scores(key(result, data, m)) for m in ("RDF", method))
    n = min(len(ours), len(other)) // FOLDS * FOLDS
    gains, (i, j) = (ours[:n] - other[:n]).reshape(-1, FOLDS), np.triu_indices(FOLDS)
    return np.sign(gains[:, i] + gains[:, j]).mean(axis=1)


@said("rdf/figure-11/weakest", "differs", **RANKS)
def weakest(result):
    """RDF's least significant difference is from FS on GammaTele, with a p-value of 0.000057. (Read: no other
    difference from JPW or FS on the real sets has a signed-rank statistic nearer to zero, in expectation over
    cuts.)"""
    found = p_values(result, ("JPW", "FS"), SETS)
    name, stated = max(found, key=found.get), ("FS", "magic")
    weaker, strong = [], ranked(result, *stated[::-1])
    for m, d in (pair for pair in product(("JPW", "FS"), REAL) if pair != stated):
        share = ranked(result, d, m)
        n, cells = min(len(share), len(strong)), named(result, key(result, d, "RDF"), key(result, d, m))
        how = {"name": f"statistic of FS on GammaTele less {m} on {NAMES[d]}", "cells": cells}
        above = (rule.above(s * strong[:n] - t * share[:n], least=rule.LEAST_MEANS, **how) for s, t in SIGNS)
        weaker.append(rule.any_of(rule.all_of(both) for both in zip(above, above)))
    words = f"the weakest of all is {name}, p = {found[name]:.2g}; FS on GammaTele {found['FS on GammaTele']:.2g}"
    return none_of(weaker), words


@said("rdf/figure-12/counted", "differs", ["rdf/figure-13"], **TIES)
@said("rdf/figure-13/counted", "differs", ["rdf/figure-12"], **TIES)
def counted(*results):
    """In AUC and F1 together RDF wins 11 of 20 comparisons with JPW, ties 8 (the two are within one standard
    deviation) and loses only 1."""
    auc, f1 = sorted(results, key=lambda result: result.experiment)
    found = {name: outcomes(of, "JPW", BINARY) for name, of in (("AUC", auc), ("F1", f1))}
    words = ", ".join(f"{k} {sum(len(f[k]) for f in found.values())}" for k in OUTCOMES)
    lost = "; ".join(f"{m} losses: {', '.join(f['losses']) or 'none'}" for m, f in found.items())
    wins, losses = (a + b for a, b in zip(*(clear(of, "JPW", BINARY) for of in (auc, f1))))
    return rule.all_of([exactly(11, wins), exactly(1, losses)]), f"{words}; {lost}"


def at_most_one_loss(result: Result) -> Decided:
    """That JPW is clearly better on one set at most."""
    _, lost = clear(result, "JPW", BINARY)
    return ~rule.at_least(2, lost), "; ".join(
        f"{reproduced.counted(len(sets), OUTCOMES[k], k)}: {', '.join(sets) or 'none'}"
        for k, sets in outcomes(result, "JPW", BINARY).items()
    )


@said("rdf/figure-14/five", "differs", **TIES)
def five_wins(result):
    """RDF beats RGV on five sets, loses on four and ties on Adult."""
    others = versus(result, "RGV", [d for d in BINARY if d != "adult"])
    tied = [~part for (part,) in clear(result, "RGV", ["adult"])]
    words = f"{others.won()} of {len(others)} won; {versus(result, 'RGV', BINARY).words()}"
    return rule.all_of([exactly(5, others.parts()), *tied]), words


@said("rdf/figure-14/gains", "differs")
def rgv_gains(result):
    """RDF's accuracy gains over RGV range from 1.5 to 13.0 points, and RGV's gains over RDF range from 1.2 to 6.2
    points. (Read: the largest are 13.0 and 6.2; the text does not say on which sets.)"""
    pairs = versus(result, "RGV", [d for d in BINARY if d != "adult"])
    return together([up_to(pairs, 0.13), up_to(pairs.turned(), 0.062)])


reproduced.rows("rdf", gain, gain_up_to, best_between, better, all_significant, at_most_one_loss, **PAGE)
