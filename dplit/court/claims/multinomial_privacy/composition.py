r"""Claims of the MRF paper on composition: properties 1 and 2, and two halves of the records.

Laws of two mechanisms on one leaf, and on two, are enumerated.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from dplit import random_forest
from dplit.court.ledger import Case, claim, private, verdict_of
from dplit.loss import smallest_violation, worst_privacy_loss
from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.neighbours import count_vectors, data_sets, neighbouring_data

ADD = "add-remove"
ODDS = 8  # e^epsilon at which a coin for the odd record does not help


# Properties 1 and 2 -----------------------------------------------------------------------------


def _in_turn(counts, first, second):
    """Joint law of two labels of one leaf, the second with the rate that the first decides."""
    labels = PermuteAndFlip(first, monotonic=True).pmf(counts)
    after = [Exponential(e, monotonic=True).pmf(counts) for e in (second, second / 2)]
    return np.stack([p * after[i % 2] for i, p in enumerate(labels)])


@claim(
    "mrf/property-1",
    "property 1",
    "holds",
    "thm-mprivacy-composition",
    ("mechanisms.PermuteAndFlip", "mechanisms.Exponential"),
    proof="thm-mprivacy-composition",
    quantity="privacy loss of two releases in turn",
    range="leaves of up to 8 records of two classes, three pairs of epsilons, add-remove",
)
def property_1(effort, rng):
    r"""Suppose mechanisms are sequentially performed on a dataset: then together they provide the sum of their
    epsilons, $(\sum_i\epsilon_i)$-differential privacy, even if a later one depends on what earlier ones
    gave."""
    cases = []
    for first, second in ((0.5, 1.0), (1.0, 1.0), (2.0, 0.1)):
        law = partial(_in_turn, first=first, second=second)
        worst = worst_privacy_loss(law, count_vectors(effort.pick(8, 12, 20), 2), ADD)
        cases.append(Case(worst.loss, first + second, {"epsilons": [first, second]}))
    found = private(cases, "{cases} pairs; nearest {exact:.6f} of {stated:g} at {epsilons}.")
    near = max(case.exact / case.stated for case in cases)
    return verdict_of(
        found.verdict != "leaks" and near > 0.99,
        found.summary,
        {"cases": [str(c) for c in cases]},
        cases=len(cases),
        published=found.published,
        computed=found.computed,
        relation="<=",
    )


def _two_leaves(records, epsilons):
    """Joint law of the labels of two leaves; a record is (leaf, class)."""
    laws = [
        PermuteAndFlip(e, monotonic=True).pmf(
            [sum(r == (leaf, c) for r in records) for c in (0, 1)]
        )
        for leaf, e in enumerate(epsilons)
    ]
    return np.multiply.outer(*laws)


@claim(
    "mrf/property-2",
    "property 2",
    "holds",
    "thm-mprivacy-composition",
    ("mechanisms.PermuteAndFlip",),
    proof="thm-mprivacy-composition",
    quantity="privacy loss of two releases side by side",
    range="two leaves, up to 4 records of two classes, three pairs of epsilons; both relations",
)
def property_2(effort, rng):
    r"""Suppose mechanisms are performed on disjointed subsets of the entire dataset: then they provide the
    largest of their epsilons, $(\max_i\epsilon_i)$-differential privacy, under add-remove and if a record's
    subset depends on nothing but the record itself. (Replaced, a record may leave one for another: the sum.)"""
    universe = tuple(product((0, 1), repeat=2))
    cases, replaced = [], []
    for epsilons in ((1.0, 1.0), (0.5, 2.0), (2.0, 0.1)):
        law = partial(_two_leaves, epsilons=epsilons)
        for neighbours, stated, into in (
            (ADD, max(epsilons), cases),
            ("replace-one", sum(sorted(epsilons)[-1:] * 2), replaced),
        ):
            near = partial(neighbouring_data, universe=universe, neighbours=neighbours)
            worst = worst_privacy_loss(law, data_sets(universe, effort.pick(4, 5, 6)), near)
            into.append(Case(worst.loss, stated, {"epsilons": list(epsilons)}))
    beyond = max(case.exact - max(case.data["epsilons"]) for case in replaced)
    found = private(cases, f"{{cases}} pairs; replaced, a record costs up to {beyond:.2f} more.")
    twice = private(replaced, "replaced")
    return twice if twice.verdict == "leaks" else found


@claim(
    "mrf/property-2-halves",
    "section 3.1 with property 2",
    "leaks",
    "thm-mprivacy-composition",
    ("random_forest.ForestLaw",),
    about="reading",
    holds_instead="mrf/theorem-2-max/corrected",
    quantity="privacy loss of both halves",
    range="up to 3 records at e^epsilon = 2, the odd record in the first half; 6 and one more at 8, by a coin",
)
def halves(effort, rng):
    r"""Structure and estimation points are disjoint, so property 2 applies. The records are shuffled and
    divided at a fixed ratio of sizes, read as halves whose sizes differ by at most one; an odd record goes to
    the first half, or to either by a coin."""
    found = {}
    for way in ("equal-parts", "independent"):
        label = random_forest.rational_label_law(2)
        law = random_forest.ForestLaw((1, 1), 2, label, way)
        near = partial(neighbouring_data, universe=law.universe, neighbours=ADD)
        found[way] = smallest_violation(law, data_sets(law.universe, 3), math.log(2), near)
    pair = found["equal-parts"]
    if pair is None or found["independent"] is not None:
        return verdict_of(
            pair is None, "No pair of equal halves violates it.", {"found": str(found)}
        )
    ratio = Fraction(5, 2)
    coin = _by_a_coin([(0, 0, 0)] * 6 + [(0, 0, 1)])[0, 1] / _by_a_coin([(0, 0, 0)] * 6)[0, 1]
    if coin <= ODDS:
        return verdict_of(True, f"With a coin for the odd record the ratio is {float(coin):g}.")
    return verdict_of(
        False,
        f"{len(pair.data)} record and {len(pair.neighbour)}, the odd one in the first half: the likelihood "
        f"ratio is {math.exp(pair.loss):g}, where each half's is at most 2. With a coin for the odd record 6 and "
        f"one more have {float(coin):.2f}, where each half's is at most {ODDS}. Halves by a fair coin for each "
        "record stay within it.",
        {
            "data": str(pair.data),
            "neighbour": str(pair.neighbour),
            "ratio": str(ratio),
            "ratio of 7 and 6 by a coin": str(coin),
        },
        broken="leaks",
        published=math.log(2),
        computed=pair.loss,
        relation="<=",
    )


def _by_a_coin(records):
    """Law of the two halves' labels at e^epsilon = `ODDS`, a fair coin for the half of an odd record."""
    label = random_forest.rational_label_law(ODDS)
    law = random_forest.ForestLaw((1, 1), 2, label, "equal-parts")(records)
    return (law + law.T) / 2
