"""Claims on sums over blocks: of doubles in all orders, and of forests that are fitted block by block."""

from fractions import Fraction
from itertools import product

import numpy as np

from dplit import scale
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import note, same
from dplit.domain import Categorical, Continuous, Domain
from dplit.forests import blocks_boosted
from dplit.forests.boosted import BoostedForestClassifier
from dplit.forests.targets import class_codes

ORDER = Box("thm-scale-order", "scale.cuttings", "scale.best_test")
SAME = Box("thm-scale-same", "scale.CutForest", "scale.random_blocks", "scale.most_records")
COST = Box("thm-scale-cost", "scale.record_bytes", "scale.level_bytes", "scale.sent_bytes")
DOMAIN = Domain([Continuous(0, 1), Continuous(0, 1), Categorical(["a", "b", "c"])])


def _records(n, classes, rng):
    """A table in which the first column tells something of the class."""
    X = np.column_stack([rng.random((n, 2)), rng.integers(3, size=n)]).astype(object)
    X[:, 2] = np.array(["a", "b", "c"])[X[:, 2].astype(int)]
    y = np.floor(classes * np.clip(X[:, 0].astype(float) + rng.normal(0, 0.2, n), 0, 0.999))
    return X, y.astype(int)


@ORDER("ours/scale-order", "ours", "fails", quantity="tests chosen", range="every cutting of three records")
def order(effort, rng):
    """If residuals are added as doubles, cutting the records into blocks does not change which test has the
    largest mass."""
    exact = [Fraction(r) for r in scale.THREE]
    chosen, true = (
        {blocks: scale.best_test(r, scale.TESTS, blocks) for blocks in scale.cuttings(3)}
        for r in (scale.THREE, exact)
    )
    one = next(iter(chosen))
    other = next((b for b in chosen if chosen[b] != chosen[one]), one)
    n, n_exact = (len(set(tests.values())) for tests in (chosen, true))
    yield same(n_exact, 1)
    data = {"residuals": scale.THREE, "blocks": [one, other], "tests": [chosen[one], chosen[other]]}
    yield same(n, 1, **data)
    return note(
        f"{len(chosen)} cuttings choose {n} tests; exact sums of the same doubles choose {n_exact}.",
        cases=len(chosen),
    )


@SAME.corrected(
    order,
    quantity="fits in blocks that release something else than the fit in one piece",
    range="two and three classes, up to 7 random blocks, epsilon 1 and infinite",
)
def in_whole_steps(effort, rng):
    """Let all machines be of one kind and have the same NumPy. If residuals are added in whole steps and there are
    fewer than $2^{46}$ records, a boosted forest with a given seed releases the same bits however its records are
    cut into blocks."""
    differ, fits, steps = 0, 0, scale.in_steps(scale.THREE)
    yield same(len({scale.best_test(steps, scale.TESTS, b) for b in scale.cuttings(3)}), 1)
    for classes, epsilon in product((2, 3), (1.0, np.inf)):
        X, y = _records(effort.pick(300, 1000, 3000), classes, rng)
        options = dict(domain=DOMAIN, classes=range(classes), n_estimators=3, max_depth=3)
        options["random_state"] = int(rng.integers(2**31))
        here = BoostedForestClassifier(epsilon, **options).fit(X, y)
        for n_blocks in effort.pick((2, 7), (2, 3, 7), (2, 3, 7, 50)):
            blocks = scale.random_blocks(len(y), n_blocks, rng)
            there = scale.CutForest(epsilon, blocks=blocks, **options).fit(X, y)
            differ, fits = differ + (not scale.same_release(here, there)), fits + 1
    yield same(differ, 0)
    return note(f"{differ} of {fits} fits over random blocks differ.", cases=fits)


@COST("ours/scale-cost", "ours", range="arrays of forests that run, two to four classes, depth 1 to 4")
def cost(effort, rng):
    """When a boosted forest with $m$ columns, $C$ codes in all, $K$ outputs and depth $d$ is fitted in blocks, a
    worker keeps $m + 5 + 12 K$ bytes per record within a round and, per block, up to $8 K C 2^{d-1}$ bytes of the
    last level's sums. A block sends $8 K (C (2^d - 1) + 2^{d+1})$ bytes in a round, for any number of records."""
    for classes, depth in product((2, 3, 4), effort.pick((1, 4), (1, 2, 4), (1, 2, 3, 4, 6))):
        outputs = 1 if classes == 2 else classes
        X, y = _records(200, classes, rng)
        blocks = scale.random_blocks(200, 3, rng)
        options = dict(domain=DOMAIN, classes=range(classes), n_estimators=2, max_depth=depth)
        forest = scale.CutForest(1.0, blocks=blocks, random_state=1, **options).fit(X, y)
        tally = forest.tally_[1:]  # after the class counts
        second = [size for _, size in tally[len(tally) // 2 :]]
        data, codes = {"classes": classes, "depth": depth}, 2 * scale.column_codes() + 3
        yield same(sum(second), scale.sent_bytes(codes, depth, outputs), **data)
        held, level = _held(DOMAIN.encode(X), y, outputs, depth)
        yield same(held, scale.record_bytes(3, outputs, depth), **data)
        yield same(level, scale.level_bytes(codes, depth, outputs), **data)
    return note(
        "{cases} sizes of arrays and messages are as stated, the last with {classes} classes and depth {depth}.",
        quantity="bytes of a record, of a block's last level, and of what a block sends in a round",
    )


def _held(records, y, outputs, depth):
    """Bytes of a part's arrays at the last level of a tree: those of a record, and those of the level's sums."""
    from dplit.trees.oblivious import Grid, Test  # compiled: slow to import

    labels = class_codes(y, np.unique(y))
    part = blocks_boosted.encoded(records, labels, Grid(DOMAIN, 64), DOMAIN, [])
    part = blocks_boosted.started(part, np.zeros(outputs))
    part = blocks_boosted.opened(part, blocks_boosted.residuals_of_classes, depth)
    for level in range(depth):
        part = blocks_boosted.summed(part, 2**level)
        part = blocks_boosted.divided(part, Test(0, 30, np.zeros(0, dtype=bool)))
    arrays = (part.codes, part.labels, part.scores, part.residuals, part.cells)
    return sum(array.nbytes for array in arrays) / len(y), part.sums.nbytes
