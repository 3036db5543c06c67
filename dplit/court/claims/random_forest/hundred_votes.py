"""Claims of RDF, section 4.4, on the hundred votes for one record, in the model of `dplit.depth.best`."""

import math

import numpy as np
from scipy.stats import binom, poisson

from dplit import depth, majority
from dplit.court.claims.random_forest._printed import synthetic_shapes
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import need, note, same

TREES, RECORDS, RIGHT = 100, 30_000, 0.8
HUNDRED = Box("rem-forest-hundred")


@HUNDRED(
    "rdf/eighty-percent", "section 4.4, after figure 8", "assumes", "majority.gap_error", "depth.parity_accuracy"
)
def eighty_percent(effort, rng):
    r"""80 % of the predictions are as accurate as possible, given the training data, and with 100 trees at least
    80 % of the votes from nonempty leaves are likely to be correct. (This counts a vote as correct if it is the
    most frequent label of its leaf, even if the record's own label differs.)"""
    shapes, right = synthetic_shapes(), []
    for m, d in shapes:
        tested, records = 1 - ((m - 1) / m) ** d, RECORDS / TREES / 2**d
        one_class, mixed, empty = _kept(records)
        kept = (tested * one_class + (1 - tested) * mixed) / (1 - empty)
        of_nonempty = tested * one_class + (1 - tested) * (1 - empty) / 2
        shape = {"features": m, "depth": d, "kept": float(kept), "untested": 1 - tested}
        accuracy = depth.parity_accuracy(d, RECORDS, m, 1, 1.0, TREES)
        yield same(of_nonempty + empty / 2, accuracy, 1e-7, broken="fails", **shape)
        yield need(kept >= RIGHT, kept, ">=", RIGHT, broken="fails", **shape)
        share = of_nonempty / (1 - empty)
        right.append(need(share >= RIGHT, share, ">=", RIGHT, **shape))
    yield from sorted(right, key=lambda case: case.exact)
    return note(
        "30,000 records, 100 trees, epsilon 1, {features} features, depth {depth}: {kept:.1%} of the labels of "
        "nonempty leaves are the leaf's most frequent one, {exact:.1%} are right about a new record, "
        "since {untested:.0%} of the paths do not test the feature that decides.",
        range=f"{len(shapes)} shapes of table 4, in the model",
        quantity="share of the votes of nonempty leaves that are right about the new record",
    )


def _kept(mean, epsilon=1.0):
    """Over leaves of a Poisson number of records: kept labels where all records are of one class, kept labels
    where each is of either class, both with nonempty leaves alone; and the probability of an empty leaf."""
    sizes = np.arange(1, int(mean + 12 * math.sqrt(mean) + 40))
    chance = poisson.pmf(sizes, mean)
    one_class = chance @ (1 - majority.gap_error(sizes, epsilon))
    mixed = 0.0
    for n, p in zip(sizes.tolist(), chance):
        first = np.arange(n + 1)
        gaps = np.abs(2 * first - n)
        stays = np.where(gaps > 0, 1 - majority.gap_error(gaps, epsilon), 1.0)  # no label flips a tie
        mixed += p * (binom.pmf(first, n, 0.5) @ stays)
    return one_class, mixed, poisson.pmf(0, mean)


@HUNDRED(
    "rdf/empty-votes-cancel", "section 4.4, after figure 8", "holds", "depth.empty_leaf_visited", proved=False
)
def empty_votes(effort, rng):
    """Even if the unseen record falls into a lot of empty leaves, 100 votes is a large enough sample that the
    random votes cast by empty leaves cancel each other out in most cases. (Read for independent votes of two
    classes, if 80 % of the votes from nonempty leaves are right.)"""
    for percent in range(100):
        right = _vote(percent / 100)
        yield need(right > 0.5, right, ">", 0.5, percent=percent)
    found = []
    for m, d in synthetic_shapes():
        empty = float(depth.empty_leaf_visited([RECORDS // TREES], d)[0])
        right, shape = _vote(empty), {"features": m, "depth": d, "empty": empty}
        found.append(need(right > 0.95, right, ">=", 0.95, **shape))
    yield from sorted(found, key=lambda case: -case.exact)  # the least is the last, and shown
    most = next(e for e in range(100, -1, -1) if _vote(e / 100) >= 0.95)
    return note(
        "Uniform records at table 4's shapes: with {features} features at depth {depth} {empty:.0%} of the votes "
        "are of empty leaves, and the vote is right with probability {exact:.4f}. This is 0.95 or more for up "
        f"to {most} % of such votes; for 90 % of them it is {_vote(0.9):.4f}.",
        range=f"{len(found)} shapes of table 4 and every whole percentage",
        quantity="least probability that the vote is right, over the shapes",
    )


def _vote(empty):
    """Probability that a majority of the votes is right, a tie counted half."""
    share = empty / 2 + (1 - empty) * RIGHT
    return binom.sf(TREES / 2, TREES, share) + binom.pmf(TREES / 2, TREES, share) / 2
