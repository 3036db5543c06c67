"""Claims of the MRF paper on composition: properties 1 and 2, and two halves of the records."""

import math
from functools import partial
from itertools import product

import numpy as np

from dplit import random_forest
from dplit.court.claims.multinomial_privacy.small import ADD, REPLACE, near
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import need, note, private
from dplit.loss import smallest_violation, worst_privacy_loss
from dplit.mechanisms import Exponential, PermuteAndFlip
from dplit.neighbours import count_vectors, data_sets

COMPOSITION = Box("thm-mprivacy-composition", "mechanisms.PermuteAndFlip")
ODDS = 8  # e^epsilon at which a coin for the odd record does not help


def _in_turn(counts, first, second):
    """Joint law of two labels of one leaf, the second with the rate that the first decides."""
    labels = PermuteAndFlip(first, monotonic=True).pmf(counts)
    after = [Exponential(e, monotonic=True).pmf(counts) for e in (second, second / 2)]
    return np.stack([p * after[i % 2] for i, p in enumerate(labels)])


@COMPOSITION("mrf/property-1", "property 1", "holds", "mechanisms.PermuteAndFlip", "mechanisms.Exponential")
def property_1(effort, rng):
    r"""Mechanisms performed one after the other on a dataset together provide $(\sum_i\epsilon_i)$-differential
    privacy, the sum of their epsilons, even if a later one depends on what earlier ones released."""
    shares = []
    for first, second in ((0.5, 1.0), (1.0, 1.0), (2.0, 0.1)):
        law = partial(_in_turn, first=first, second=second)
        loss = worst_privacy_loss(law, count_vectors(effort.pick(8, 12, 20), 2), ADD).loss
        shares.append(loss / (first + second))
        yield private(loss, first + second, met=False, epsilons=[first, second])
    yield need(max(shares) > 0.99, max(shares), ">", 0.99)
    return note(
        "For three pairs of epsilons the loss is within their sum; the nearest is {exact:.6f} of {stated:g}, at "
        "{epsilons}.",
        quantity="privacy loss of two releases in turn",
        range="leaves of up to 8 records of two classes, three pairs of epsilons, add-remove",
    )


def _two_leaves(records, epsilons):
    """Joint law of the labels of two leaves; a record is (leaf, class)."""
    laws = [
        PermuteAndFlip(e, monotonic=True).pmf([records.count((leaf, c)) for c in (0, 1)])
        for leaf, e in enumerate(epsilons)
    ]
    return np.multiply.outer(*laws)


@COMPOSITION("mrf/property-2", "property 2", quantity="privacy loss of two releases side by side")
def property_2(effort, rng):
    r"""Under add-remove, if a record's subset depends on the record alone, mechanisms on disjoint subsets of a
    dataset together provide $(\max_i\epsilon_i)$-differential privacy, the largest of their epsilons. (A replaced
    record may leave one subset for another; that costs the sum.)"""
    universe, beyond = tuple(product((0, 1), repeat=2)), []
    for epsilons in ((1.0, 1.0), (0.5, 2.0), (2.0, 0.1)):
        most, law = max(epsilons), partial(_two_leaves, epsilons=epsilons)
        for times, relation in ((1, ADD), (2, REPLACE)):
            space = data_sets(universe, effort.pick(4, 5, 6))
            loss = worst_privacy_loss(law, space, near(universe, relation)).loss
            yield private(loss, times * most, met=times == 1, epsilons=list(epsilons))
            beyond.append(loss - most)
    return note(
        "For three pairs of epsilons an added record costs at most the larger one, and a replaced record up to "
        f"{max(beyond):.2f} more.",
        range="two leaves, up to 4 records of two classes, three pairs of epsilons; both relations",
    )


@COMPOSITION(
    "mrf/property-2-halves",
    "section 3.1 with property 2",
    "leaks",
    "random_forest.ForestLaw",
    about="reading",
    holds_instead="mrf/theorem-2-max/corrected",
    quantity="privacy loss of both halves",
    range="up to 3 records at e^epsilon = 2, the odd record in the first half; 6 and one more at 8, by a coin",
)
def halves(effort, rng):
    r"""Structure and estimation points are disjoint, so property 2 applies. The records are shuffled and divided
    at a fixed ratio of sizes, read as halves whose sizes differ by at most one; an odd record goes to the first
    half, or to either half by a coin."""
    coin = _by_a_coin([(0, 0, 0)] * 6 + [(0, 0, 1)])[0, 1] / _by_a_coin([(0, 0, 0)] * 6)[0, 1]
    for way in ("independent", "equal-parts"):
        law = _two_halves(2, way)
        space, near_by = data_sets(law.universe, 3), near(law.universe, ADD)
        pair = smallest_violation(law, space, math.log(2), near_by)
        yield need(pair is None or way == "equal-parts", broken="fails")
        if pair and coin > ODDS:
            p, q = (law(data)[pair.outcome] for data in (pair.data, pair.neighbour))
            shown = {"data": str(pair.data), "neighbour": str(pair.neighbour)}
            ratios = {"ratio": str(max(p / q, q / p)), "ratio of 7 and 6 by a coin": str(coin)}
            yield private(pair.loss, math.log(2), **shown, **ratios)
    return (
        "If the odd record goes to the first half, {data} and {neighbour} have a likelihood ratio of {ratio}, "
        f"where each half has at most 2. If a coin decides, 6 records and one more have {float(coin):.2f}, where "
        f"each half has at most {ODDS}. If a fair coin assigns each record, the ratio stays within that of a half."
    )


def _two_halves(odds, way):
    """The law of the labels of two leaves, halves of the records, at this e^epsilon."""
    return random_forest.ForestLaw((1, 1), 2, random_forest.rational_label_law(odds), way)


def _by_a_coin(records):
    """Law of the two halves' labels at e^epsilon = `ODDS`, a fair coin for the half of an odd record."""
    law = _two_halves(ODDS, "equal-parts")(records)
    return (law + law.T) / 2
