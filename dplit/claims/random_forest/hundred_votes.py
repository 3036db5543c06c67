r"""Claims of Fletcher and Islam (2017), section 4.4, on the hundred votes for one record.

The model is that of `dplit.depth.best`: Poisson records, features of two signs, the sign of one of them as
class, labels by permute-and-flip on shares. Derived in :doc:`/book/random_forest`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import binom, poisson

from dplit import depth, majority
from dplit.claims.random_forest._printed import synthetic_shapes
from dplit.ledger import Evidence, claim, of_equality, verdict_of

TREES, RECORDS, RIGHT = 100, 30_000, 0.8


@claim(
    "rdf/eighty-percent",
    "section 4.4, after figure 8",
    "assumes",
    "rem-forest-hundred",
    ("majority.gap_error", "depth.parity_accuracy"),
    quantity="share of the votes of nonempty leaves that are right about the new record",
)
def eighty_percent(effort, rng):
    r"""80 % of the predictions are as accurate as possible, given the training data, and with 100 trees at
    least 80 % of the votes from nonempty leaves are likely to be correct (assuming that a vote is correct
    if it is the most frequent label of its leaf, whatever the record's own label is)."""
    shapes, kept, right, checked = synthetic_shapes(), {}, {}, []
    for m, d in shapes:
        tested, records = 1 - ((m - 1) / m) ** d, RECORDS / TREES / 2**d
        one_class, mixed, empty = _kept(records)
        kept[m, d] = (tested * one_class + (1 - tested) * mixed) / (1 - empty)
        right[m, d] = (tested * one_class + (1 - tested) * (1 - empty) / 2) / (1 - empty)
        by_law = right[m, d] * (1 - empty) + empty / 2
        checked.append((by_law, depth.parity_accuracy(d, RECORDS, m, 1, 1.0, TREES)))
    same = of_equality(*zip(*checked), rtol=1e-7)
    m, d = worst = min(right, key=right.get)
    if same == "fails" or min(kept.values()) < RIGHT:
        return Evidence("fails", "exact", "Fewer are kept.", counterexample={"kept": str(kept)})
    return Evidence(
        "assumes" if right[worst] < RIGHT else "holds",
        "exact",
        f"30,000 records, 100 trees, epsilon 1, {m} features, depth {d}: {kept[worst]:.1%} of the labels of "
        f"nonempty leaves are the leaf's most frequent one, {right[worst]:.1%} are right about a new record, "
        f"since {((m - 1) / m) ** d:.0%} of the paths do not test the feature that decides.",
        cases=2 * len(shapes),
        published=RIGHT,
        computed=right[worst],
        relation=">=",
        range=f"{len(shapes)} shapes of table 4, in the model",
        counterexample={"features": m, "depth": d, "kept": kept[worst]},
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
        stays = np.where(
            gaps > 0, 1 - majority.gap_error(gaps, epsilon), 1.0
        )  # no label flips a tie
        mixed += p * (binom.pmf(first, n, 0.5) @ stays)
    return one_class, mixed, poisson.pmf(0, mean)


@claim(
    "rdf/empty-votes-cancel",
    "section 4.4, after figure 8",
    "holds",
    "rem-forest-hundred",
    ("depth.empty_leaf_visited",),
    quantity="least probability that the vote is right, over the shapes",
)
def empty_votes(effort, rng):
    """Even if the unseen record falls into a lot of empty leaves, 100 votes is a large enough sample that
    the random votes cast by empty leaves cancel each other out in most cases (for independent votes of two
    classes, of which 80 % are right where the leaf is not empty)."""
    found = {}
    for m, d in synthetic_shapes():
        empty = float(depth.empty_leaf_visited([RECORDS // TREES], d)[0])
        found[m, d] = empty, _vote(empty)
    (m, d), (empty, right) = min(found.items(), key=lambda item: item[1][1])
    most = next(e for e in range(100, -1, -1) if _vote(e / 100) >= 0.95)
    return verdict_of(
        right > 0.95 and all(_vote(e / 100) > 0.5 for e in range(100)),
        f"Uniform records at table 4's shapes: with {m} features at depth {d} {empty:.0%} of the votes are of "
        f"empty leaves, and the vote is right with probability {right:.4f}. It is so with 0.95 or more up to "
        f"{most} % of such votes; with 90 % of them with {_vote(0.9):.4f}.",
        {"shapes": {str(k): v for k, v in found.items()}},
        cases=100 + len(found),
        published=0.95,
        computed=right,
        relation=">=",
        range=f"{len(found)} shapes of table 4 and every whole percentage",
    )


def _vote(empty):
    """Probability that a majority of the votes is right, a tie counted half."""
    share = empty / 2 + (1 - empty) * RIGHT
    return binom.sf(TREES / 2, TREES, share) + binom.pmf(TREES / 2, TREES, share) / 2
