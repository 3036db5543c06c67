"""Who gets which records, and what that makes of the epsilon of one tree and of each of its levels.

A way of giving records to trees returns what it drew together with its account: a function that takes the node of
one tree, under add-remove neighbours, to that of all trees. A fit can draw in no other way than the one that its
budget shows. ``keeps_n=False`` says that replace-one neighbours may have another number of records.
"""

import math
from dataclasses import dataclass

import numpy as np

from dplit.budget import Bootstrap, EqualParts, Group, Parallel, Sequence

REPLACED = "one replaced record is one removed and one added"


@dataclass(frozen=True)
class _Way:
    n_trees: int
    neighbours: str = "add-remove"
    keeps_n: bool = True

    readers = 1  # trees that read a record

    def share(self, epsilon):
        """The most that each tree may spend so that those which read a record cost `epsilon`."""
        return at_most(epsilon / self.readers, lambda share: self.readers * share, epsilon)

    def account(self, tree, name="trees", replaced=REPLACED):
        """Node of all trees; `name` is what they release, `replaced` why a replacement is two steps."""
        trees = self._together(tree, name)
        if self.neighbours == "add-remove":
            return trees
        return Group(f"{name} after a replacement", trees, 2, "replace-one", replaced)


class Independent(_Way):
    """Each record's tree is an independent uniform draw: parallel composition."""

    def assign(self, n_records, rng):
        """The tree of each record, int array of shape (n_records,), and the account."""
        return rng.integers(self.n_trees, size=n_records), self.account

    def parts(self, n_records, rng):
        """Positions of the records of each tree, a list of int arrays, and the account."""
        assigned, account = self.assign(n_records, rng)
        return by_tree(assigned, self.n_trees), account

    def _together(self, tree, name):
        return Parallel(name, (tree,), "a record is used in one tree", self.n_trees)


class ShuffledParts(Independent):
    """The records are shuffled and cut into equal parts, as published.

    A replaced record keeps its place in the shuffle, and so its tree. One more moves others.
    """

    def assign(self, n_records, rng):
        """The tree of each record, dealt in turn over a shuffle, and the account."""
        return rng.permutation(n_records) % self.n_trees, self.account

    def parts(self, n_records, rng):
        """Positions of the records of each tree, a shuffle cut into stretches, and the account."""
        return np.array_split(rng.permutation(n_records), self.n_trees), self.account

    def _together(self, tree, name):
        if self.neighbours == "replace-one" and self.keeps_n:
            return super()._together(tree, name)
        why = "one record more can move another one from tree to tree"
        return EqualParts(name, tree, self.n_trees, why)


class AllRecords(_Way):
    """Every tree reads all records: sequential composition."""

    @property
    def readers(self):
        """All trees read a record."""
        return self.n_trees

    def parts(self, n_records, rng):
        """Positions of the records of each tree, here one array for all, and the account."""
        return [np.arange(n_records)] * self.n_trees, self.account

    def _together(self, tree, name):
        return Sequence(name, (tree,), "every tree reads all records", self.n_trees)


class Resampled(AllRecords):
    """Every tree reads as many records as there are, drawn from all of them with replacement."""

    def parts(self, n_records, rng):
        """Positions of the draws of each tree, and the account."""
        draws = [rng.integers(n_records, size=n_records) for _ in range(self.n_trees)]
        return draws, self.account

    def _together(self, tree, name):
        why = "its sample may hold a record many times"
        return super()._together(Bootstrap(tree.name, tree, why), name)


def by_tree(assigned, n_trees):
    """Positions of the records that are assigned to each tree, a list of int arrays."""
    sizes = np.bincount(assigned, minlength=n_trees)
    return np.split(np.argsort(assigned, kind="stable"), np.cumsum(sizes)[:-1])


@dataclass(frozen=True)
class Coins:
    """Each record is a structure or an estimation point by a coin of its own: parallel composition.

    The `rate` is that of structure points to one estimation point.
    """

    rate: float

    parts = 1  # of a tree that read a record

    def __call__(self, n_records, rng):
        """Whether each record is a structure point, and whether it is an estimation point."""
        is_structure = rng.random(n_records) < self.rate / (1 + self.rate)
        return is_structure, ~is_structure

    def account(self, structure, labels):
        """Node of one tree from those of its structure and of its labels."""
        why = "a record is a structure or an estimation point, by a coin of its own"
        return Parallel("a tree", (*structure, labels), why)


@dataclass(frozen=True)
class ShuffledHalves(Coins):
    """The records are shuffled and cut in two parts of fixed size, as published (MRF, section 3.1).

    A replaced record keeps its place in the shuffle. One more moves others: where the parts are not
    equal, at most three steps, one record more in one and one exchanged in the other.
    """

    neighbours: str = "add-remove"
    keeps_n: bool = True

    def __call__(self, n_records, rng):
        n_structure = round(n_records * self.rate / (1 + self.rate))
        is_structure = rng.permutation(n_records) < n_structure
        return is_structure, ~is_structure

    def account(self, structure, labels):
        parts = Parallel("structure or labels", (*structure, labels), "the parts are disjoint")
        if self.neighbours == "replace-one" and self.keeps_n:
            return parts
        why = "one record more can move another one to the other part"
        if self.rate == 1:
            return EqualParts("a tree", parts, 2, why)
        return Group("a tree", parts, 3, "add-remove", why)


class Undivided:
    """Every record is a structure and an estimation point: sequential composition."""

    parts = 2

    def __call__(self, n_records, rng):
        """Whether each record is a structure point, and whether it is an estimation point."""
        return np.ones((2, n_records), dtype=bool)

    def account(self, structure, labels):
        """Node of one tree from those of its structure and of its labels."""
        return Sequence("a tree", (*structure, labels), "both read all records of the tree")


def at_most(value, total, limit):
    """`value`, or the next floats below it until ``total(value)`` is no more than `limit`.

    Shares that are right in real numbers can add up to an ulp too much in floats.
    """
    while total(value) > limit:
        value = math.nextafter(value, 0.0)
    return value


def rest_of(epsilon, spent):
    """What is left of epsilon, so that no rounding makes the sum more."""
    if not spent or math.isinf(epsilon):
        return epsilon
    return at_most(epsilon - spent, lambda rest: math.fsum([spent, rest]), epsilon)


def level_shares(epsilon, depth, rho):
    """What each of `depth` levels of a tree gets, and its leaves: together at most `epsilon`.

    The share `rho` goes to the levels in equal parts (DiPriMe v2, section 4); with none, all of it
    goes to the leaves. An infinite `epsilon` is infinite in every part.
    """
    if depth == 0 or math.isinf(epsilon):
        return math.inf, epsilon
    level = rho * epsilon / depth
    return level, at_most(epsilon - depth * level, lambda leaf: depth * level + leaf, epsilon)
