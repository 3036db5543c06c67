"""A boosted forest that is fitted block by block in this process: what Dask's workers do, without Dask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from dplit.forests.base import parameters
from dplit.forests.blocks import whole
from dplit.forests.boosted import BoostedForestClassifier
from dplit.ground.errors import check_integer, check_kind, check_rng

MOST = 10**9  # records of a table in this process, and blocks of it


class Blocks:
    """Records that lie in blocks.

    `records`: shape (n_records, n_features); `blocks`: positions of the records of each block; `tally`: takes
    the bytes of each sum that a block sends.
    """

    def __init__(self, records: np.ndarray, blocks: Sequence[np.ndarray], tally: list) -> None:
        self.records, self.blocks, self.tally = records, blocks, tally

    def __len__(self) -> int:
        return len(self.records)

    def in_parts(self, labels: np.ndarray, build: Callable, *told, beside=None, kept: bool = True) -> Summed:
        """As `dplit.forests.blocks.in_parts`; nothing lies beside these records."""
        made = [build(self.records[block], labels[block], *told) for block in self.blocks]
        return Summed(made, self.tally)


class Summed:
    """Parts in this process, which take the steps that `dplit.forests.blocks.Here` takes."""

    def __init__(self, parts: list, tally: list) -> None:
        self.parts, self.tally = parts, tally

    def advance(self, step: Callable, *told) -> None:
        """Replace each part by ``step(part, *told)``."""
        self.parts = [step(part, *told) for part in self.parts]

    def total(self, ask: Callable, *told) -> np.ndarray:
        """Sum over the parts of ``ask(part, *told)``, in their order."""
        sums = [whole(ask(part, *told)) for part in self.parts]
        self.tally.append((ask.__name__, sums[0].nbytes))
        return reduce(add, sums)


@parameters
class CutForest(BoostedForestClassifier):
    """A `BoostedForestClassifier` whose records lie in blocks.

    `blocks`: Positions of the records of each block, each record in one. Left out, one block. `epsilon`,
    `domain`, `classes`: and all others, as of `BoostedForestClassifier`.

    Attributes
    ----------
    tally_ : what was asked of the blocks, and the bytes that each of them sent
    """

    blocks: Any = None

    def _encoded(self, domain, X: np.ndarray) -> Blocks:
        self.tally_ = []
        records = domain.encode(X)
        blocks = [np.arange(len(records))] if self.blocks is None else self.blocks
        return Blocks(records, blocks, self.tally_)


def random_blocks(n_records: int, n_blocks: int, rng: np.random.Generator) -> list:
    """The records in random order, cut at random: a list of int arrays, of which some may be empty.

    `n_records`: at least 0, and no more than `MOST`, as the positions are held in memory; `n_blocks`: from 1 to
    `MOST`. Raises ValueError: a number is not a whole one of its range. Raises TypeError: `rng` is no generator.
    """
    n_records = check_integer(n_records, "n_records", 0, MOST)
    n_blocks, rng = check_integer(n_blocks, "n_blocks", 1, MOST), check_rng(rng)
    ends = np.sort(rng.integers(0, n_records + 1, n_blocks - 1))
    return np.split(rng.permutation(n_records), ends)


def same_release(one: BoostedForestClassifier | CutForest, other: CutForest) -> bool:
    """Whether two fitted forests released the same, to the last bit.

    `one`, Raises ValueError: one of them is no such forest, or is not fitted.
    """
    for name, forest in (("one", one), ("other", other)):
        if not hasattr(check_kind(forest, BoostedForestClassifier, name), "trees_"):
            raise ValueError(f"{name} must be fitted, got a forest that is not")
    pairs = [(one.trees_.feature, other.trees_.feature)]
    pairs += [(one.trees_.threshold, other.trees_.threshold)]
    pairs += [(vars(one)[name], vars(other)[name]) for name in ("initial_", "leaf_values_", "pair_sums_")]
    same = all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)
    return same and one.budget_.epsilon == other.budget_.epsilon
