"""The law of a whole small forest, structures and labels, by going through all that can happen.

Derived in :doc:`/book/multinomial_privacy`.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from dplit.ground.errors import check_choice

WAYS = ("coin", "halves")


@dataclass(frozen=True)
class SmallForestLaw:
    """The law of a whole forest, structures and labels, as a callable for `dplit.audit.privacy_loss`.

    Its inputs are tuples of record kinds, numbers below ``len(labels)``; `universe` lists them. Its
    outcomes are tuples of trees; a tree is ``(candidate, left, right)``, and a leaf its label.

    `left`: whether a record of a kind goes left, shape (candidates, kinds). `labels`: class of each kind, length
    kinds. `node_law`: ``node_law(left, labels, classes)`` gives the pmf of a node's candidates, as `split_law`
    does. `label_law`: counts of a leaf to the pmf of its label. `way`: "coin" or "halves". "coin": each record
    draws one of all trees, and structure or estimation. "halves": the records of the one tree are shuffled, and
    the first half of them, rounded up, are structure points.
    """

    left: tuple
    labels: tuple
    classes: int
    depth: int
    node_law: Callable
    label_law: Callable
    n_trees: int = 1
    way: str = "coin"

    def __post_init__(self) -> None:
        if check_choice(self.way, WAYS, "way") == "halves" and self.n_trees != 1:
            raise ValueError(f"n_trees must be 1 where records are halved, got {self.n_trees}")
        object.__setattr__(self, "_known", {})  # laws of trees and leaves that data sets share

    @property
    def universe(self):
        """Every kind of record."""
        return tuple(range(len(self.labels)))

    def __call__(self, records):
        """Mapping from every forest to its probability."""
        law, deals, known = Counter(), Counter(), self._known
        for parts in self._deals(len(records)):
            key = tuple(
                tuple(sorted(r for r, part in zip(records, parts) if part == p)) for p in range(2 * self.n_trees)
            )
            deals[key] += 1
        total = sum(deals.values())
        for key, times in deals.items():
            trees = []
            for half in zip(key[::2], key[1::2]):
                if half not in known:
                    known[half] = self.tree_law(*half, self.depth)
                trees.append(known[half].items())
            for forest in product(*trees):
                law[tuple(tree for tree, _ in forest)] += math.prod(p for _, p in forest) * times / total
        return dict(law)

    def tree_law(self, structure: float, estimation, depth: int):
        """Mapping from every tree below a node to its probability, given the node's two parts."""
        if depth == 0:
            kept = [self.labels[r] for r in estimation]
            counts = tuple(kept.count(c) for c in range(self.classes))
            if counts not in self._known:
                law = np.asarray(self.label_law(np.array(counts))).tolist()
                self._known[counts] = dict(enumerate(law))
            return self._known[counts]
        left = np.array(self.left)
        labels = [self.labels[r] for r in structure]
        pmf = self.node_law(left[:, list(structure)], labels, self.classes)
        law = {}
        for c, p in enumerate(pmf.tolist()):
            sides = []
            for side in (True, False):
                parts = (tuple(r for r in part if left[c, r] == side) for part in (structure, estimation))
                sides.append(self.tree_law(*parts, depth - 1).items())
            law.update({(c, a, b): p * q * s for (a, q), (b, s) in product(*sides)})
        return law

    def _deals(self, n: int):
        """Equally likely parts of all records: 2t for structure of tree t, 2t + 1 for estimation."""
        if self.way == "coin":
            return product(range(2 * self.n_trees), repeat=n)
        halves = combinations(range(n), (n + 1) // 2)
        return ([int(i not in half) for i in range(n)] for half in map(set, halves))
