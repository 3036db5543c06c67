r"""Claims on sums over blocks: of doubles in all orders, and of forests that are fitted block by block.

Derived in :doc:`/book/scale`. A forest fitted over random blocks is held against the same fit in one piece, and
bytes against the arrays of one that runs.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dplit import scale
from dplit.court.ledger import Case, claim, equal, verdict_of
from dplit.domain import Categorical, Continuous, Domain
from dplit.forests import boosted_parts
from dplit.forests.boosted import BoostedForestClassifier
from dplit.forests.targets import class_codes

DOMAIN = Domain([Continuous(0, 1), Continuous(0, 1), Categorical(["a", "b", "c"])])


def _records(n, classes, rng):
    """A table in which the first column tells something of the class."""
    X = np.column_stack([rng.random((n, 2)), rng.integers(3, size=n)]).astype(object)
    X[:, 2] = np.array(["a", "b", "c"])[X[:, 2].astype(int)]
    y = np.floor(classes * np.clip(X[:, 0].astype(float) + rng.normal(0, 0.2, n), 0, 0.999))
    return X, y.astype(int)


@claim(
    "ours/scale-order",
    "ours",
    "fails",
    "thm-scale-order",
    ("scale.cuttings", "scale.best_test"),
    ours=True,
    quantity="different tests that are chosen",
    range="all cuttings of three records, two tests",
)
def order(effort, rng):
    """Where residuals are added as doubles, the test of the largest mass does not depend on how the records are
    cut into blocks."""
    chosen = {
        blocks: scale.best_test(scale.THREE, scale.TESTS, blocks) for blocks in scale.cuttings(3)
    }
    exact = [Fraction(r) for r in scale.THREE]
    true = {scale.best_test(exact, scale.TESTS, blocks) for blocks in chosen}
    one = next(iter(chosen))
    other = next((b for b in chosen if chosen[b] != chosen[one]), one)
    n = len(set(chosen.values()))
    return verdict_of(
        n == 1 and len(true) == 1,
        f"{len(chosen)} cuttings choose {n} tests; exact sums of the same doubles choose {len(true)}.",
        {"residuals": scale.THREE, "blocks": [one, other], "tests": [chosen[one], chosen[other]]},
        cases=len(chosen), published=1, computed=n, relation="=",
    )  # fmt: skip


@order.corrected(
    box="thm-scale-same",
    functions=("scale.CutForest", "scale.random_blocks", "scale.most_records"),
    proof="thm-scale-same",
    quantity="fits in blocks that release something else than the fit in one piece",
    range="two and three classes, up to 7 random blocks, epsilon 1 and infinite",
)
def same(effort, rng):
    """In whole steps, and with fewer than $2^{46}$ records, a boosted forest of the same seed releases the same to
    the last bit however its records are cut into blocks, if all of it is computed on machines of one kind with
    the same NumPy."""
    differ, cases = 0, 0
    steps = scale.in_steps(scale.THREE)
    differ += len({scale.best_test(steps, scale.TESTS, b) for b in scale.cuttings(3)}) - 1
    for classes in (2, 3):
        for epsilon in (1.0, np.inf):
            X, y = _records(effort.pick(300, 1000, 3000), classes, rng)
            options = {
                "domain": DOMAIN, "classes": range(classes), "n_estimators": 3, "max_depth": 3,
                "random_state": int(rng.integers(2**31)),
            }  # fmt: skip
            here = BoostedForestClassifier(epsilon, **options).fit(X, y)
            for n_blocks in effort.pick((2, 7), (2, 3, 7), (2, 3, 7, 50)):
                blocks = scale.random_blocks(len(y), n_blocks, rng)
                there = scale.CutForest(epsilon, blocks=blocks, **options).fit(X, y)
                differ, cases = differ + (not scale.same_release(here, there)), cases + 1
    return verdict_of(
        differ == 0, f"{differ} of {cases} fits over random blocks differ.", {"differ": differ},
        cases=cases, published=0, computed=differ, relation="=",
    )  # fmt: skip


@claim(
    "ours/scale-cost",
    "ours",
    "holds",
    "thm-scale-cost",
    ("scale.record_bytes", "scale.level_bytes", "scale.sent_bytes"),
    ours=True,
    proof="thm-scale-cost",
    quantity="bytes of a record, of a block's last level, and of what a block sends in a round",
    range="arrays of forests that run, two to four classes, depth 1 to 4",
)
def cost(effort, rng):
    """Within a round a worker keeps $m + 5 + 12 K$ bytes of a record and, for each block, up to
    $8 K C 2^{d-1}$ bytes of the last level's sums; a block sends $8 K (C (2^d - 1) + 2^{d+1})$ bytes,
    whatever its number of records."""
    cases = []
    for classes in (2, 3, 4):
        outputs = 1 if classes == 2 else classes
        for depth in effort.pick((1, 4), (1, 2, 4), (1, 2, 3, 4, 6)):
            X, y = _records(200, classes, rng)
            blocks = scale.random_blocks(200, 3, rng)
            options = {"n_estimators": 2, "max_depth": depth, "random_state": 1}
            forest = scale.CutForest(
                1.0, domain=DOMAIN, classes=range(classes), blocks=blocks, **options
            )
            forest.fit(X, y)
            tally = forest.tally_[1:]  # after the class counts
            second = [size for _, size in tally[len(tally) // 2 :]]
            data = {"classes": classes, "depth": depth}
            codes = 2 * scale.column_codes() + 3
            cases.append(Case(sum(second), scale.sent_bytes(codes, depth, outputs), data))
            held, level = _held(DOMAIN.encode(X), y, outputs, depth)
            cases.append(Case(held, scale.record_bytes(3, outputs, depth), data))
            cases.append(Case(level, scale.level_bytes(codes, depth, outputs), data))
    return equal(cases, "{cases} sizes, the last with {classes} classes and depth {depth}")


def _held(records, y, outputs, depth):
    """Bytes of a part's arrays at the last level of a tree: those of a record, and those of the level's sums."""
    from dplit.trees.oblivious import Grid, Test  # compiled: slow to import

    labels = class_codes(y, np.unique(y))
    part = boosted_parts.encoded(records, labels, Grid(DOMAIN, 64), DOMAIN, [])
    part = boosted_parts.started(part, np.zeros(outputs))
    part = boosted_parts.opened(part, boosted_parts.residuals_of_classes, depth)
    for level in range(depth):
        part = boosted_parts.summed(part, 2**level)
        part = boosted_parts.divided(part, Test(0, 30, np.zeros(0, dtype=bool)))
    arrays = (part.codes, part.labels, part.scores, part.residuals, part.cells)
    return sum(array.nbytes for array in arrays) / len(y), part.sums.nbytes
