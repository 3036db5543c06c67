r"""The best private label there is: a linear programme over all private mechanisms.

One variable for each (sorted leaf, own count) loses nothing (:doc:`/book/majority`). What is minimised is the
probability of a wrong label on the unanimous leaf :math:`(n, 0, \dots, 0)`; without symmetry, its average over
which class it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.sparse import csr_array

from dplit.ground.errors import check_between, check_counts, check_epsilon, check_integer, check_neighbours
from dplit.mechanisms.smooth_exponential import gap

LEAST, LARGEST = 1e-6, 30.0  # an epsilon beyond them leaves no digits to the linear programme


def optimal_error(n: int, classes: int, epsilon: float, neighbours: str = "add-remove") -> float:
    r"""Least probability of a wrong label on :math:`(n, 0, \dots, 0)` over all private mechanisms.

    The domain is every leaf of at most `n` records under add-remove, and of exactly `n` under replace-one. A
    larger domain has more constraints, so this bounds it from below; under add-remove, and for a single leaf of
    two classes under replace-one, the optimum extends to leaves of all sizes unchanged
    (:prf:ref:`thm-majority-optimum`). `epsilon` is from 1e-6 to 30; the value is the middle of `optimal_bounds`.
    """
    return sum(optimal_bounds(n, classes, epsilon, neighbours)) / 2


def optimal_bounds(n: int, classes: int, epsilon: float, neighbours: str = "add-remove") -> tuple:
    r"""Certified interval of `optimal_error`, as two floats.

    HiGHS only proposes. Its dual solution is repaired to be feasible, which proves the lower bound, and
    its mechanism is mixed with a little of the uniform one until it is private, which proves the
    upper bound. Both in rational arithmetic, for the double nearest to :math:`e^\epsilon`.
    """
    program = _Program(n, classes, epsilon, neighbours)
    found = linprog(
        program.cost, program.ratios(program.scale), np.zeros(len(program.pairs)),
        program.totals, np.ones(len(program.leaves)),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    if not found.success:
        raise RuntimeError(f"HiGHS stopped without a solution: {found.message}")
    return program.lower(found.eqlin.marginals, found.ineqlin.marginals), program.upper(found.x)


def chain_error(n: int, classes: int, epsilon: float) -> float:
    r"""`optimal_error` under add-remove in closed form, step by step from the empty leaf.

    The right label has probability :math:`1/k` on the empty leaf, and each record more can raise
    it to :math:`\min(e^\epsilon h,\ 1 - e^{-\epsilon}(1 - h))`. `gap_law`, which reads off :math:`h` at the
    gap, attains it. With :math:`\delta = 0` this is the recursion of optimal partition selection
    (Desfontaines, Voss, Gipson and Mandayam, PoPETs 2022), which starts from another :math:`h_0`.
    """
    return float(_chain(n, classes, epsilon)[-1])


def gap_law(counts: ArrayLike, epsilon: float) -> np.ndarray:
    r"""The label that attains `chain_error`, at cost `epsilon` under add-remove.

    At gap :math:`j` the most frequent class has probability :math:`h_j` and the others share the rest. One
    record moves :math:`j` by at most one, and another class takes the lead only through a tie, where the law is
    uniform. It errs least where all records are of one class; where two classes lead it can be worse than
    permute-and-flip, since a class without records is as likely as any other that is not the first. For two
    classes the two are one. The law has the shape of `counts`; derived in :prf:ref:`thm-majority-gap-law`.
    """
    counts = check_counts(counts)
    top, k, j = counts.argmax(axis=-1), counts.shape[-1], gap(counts)
    wrong = _chain(int(j.max(initial=0)), k, epsilon)[j]
    law = np.repeat((wrong / max(k - 1, 1))[..., None], k, axis=-1)
    np.put_along_axis(law, top[..., None], (1 - wrong)[..., None], axis=-1)
    return law


def _chain(n: int, classes: int, epsilon: float) -> np.ndarray:
    """:math:`1 - h_l` for l = 0, ..., n."""
    q = np.exp(-check_epsilon(epsilon))
    wrong = np.empty(check_integer(n, "n", 0) + 1)
    wrong[0] = 1 - 1 / check_integer(classes, "classes", 1)
    for lead in range(n):
        wrong[lead + 1] = max(1 - (1 - wrong[lead]) / q, q * wrong[lead])
    return wrong


class _Program:
    """Variables are (leaf, own count); pairs hold indices whose ratio is at most e^epsilon."""

    def __init__(self, n: int, classes: int, epsilon: float, neighbours: str) -> None:
        n, k = check_integer(n, "n", 1), check_integer(classes, "classes", 2)
        epsilon = check_between(check_epsilon(epsilon), "epsilon", LEAST, LARGEST)
        self.scale = float(np.exp(epsilon))
        add_remove = check_neighbours(neighbours) == "add-remove"
        every = combinations_with_replacement(range(n, -1, -1), k)
        self.leaves = [x for x in every if sum(x) == n or (add_remove and sum(x) < n)]
        self.classes = k
        keys = [(x, own) for x in self.leaves for own in sorted(set(x))]
        self.index = {key: i for i, key in enumerate(keys)}
        self.leaf_of = np.array([self.leaves.index(x) for x, _ in keys])
        self.multiplicity = np.array([x.count(own) for x, own in keys])
        top = (n, *[0] * (k - 1))
        self.cost = self.multiplicity * np.array([x == top and own < n for x, own in keys], float)
        self.pairs = sorted(set(self._pairs(self._added if add_remove else self._replaced)))
        shape = (len(self.leaves), len(keys))
        self.totals = csr_array((self.multiplicity, (self.leaf_of, np.arange(shape[1]))), shape)

    def _added(self, leaf: tuple) -> list:
        return [(*leaf[:c], leaf[c] + 1, *leaf[c + 1 :]) for c in range(self.classes)]

    def _replaced(self, leaf: tuple) -> Iterator:
        for a in range(self.classes):
            for other in self._added(leaf):
                if leaf[a] and other != leaf:
                    yield (*other[:a], other[a] - 1, *other[a + 1 :])

    def _pairs(self, moves: Callable) -> Iterator:
        for leaf in self.leaves:
            for other in moves(leaf):
                target = tuple(sorted(other, reverse=True))
                for own, owned in zip(leaf, other):
                    i, j = self.index[leaf, own], self.index.get((target, owned))
                    if j is not None and i != j:
                        yield from ((i, j), (j, i))

    def ratios(self, scale: float) -> csr_array:
        """Rows p_i - e^epsilon p_j, one a pair."""
        rows = np.repeat(np.arange(len(self.pairs)), 2)
        entries = np.tile([1.0, -scale], len(self.pairs))
        columns = np.array(self.pairs, dtype=int).reshape(-1)
        return csr_array((entries, (rows, columns)), (len(self.pairs), len(self.index)))

    def lower(self, totals: np.ndarray, ratios: np.ndarray) -> float:
        """Dual objective after repair: drop ratios of the wrong sign, lower totals to feasibility."""
        scale, totals = Fraction(self.scale), [Fraction(t) for t in totals]
        slack = [Fraction(c) - Fraction(int(m)) * totals[x]
                 for c, m, x in zip(self.cost, self.multiplicity, self.leaf_of)]  # fmt: skip
        for (i, j), ratio in zip(self.pairs, ratios):
            weight = Fraction(min(float(ratio), 0.0))
            slack[i] -= weight
            slack[j] += scale * weight
        room = [[] for _ in totals]
        for x, s, m in zip(self.leaf_of, slack, self.multiplicity):
            room[x].append(s / int(m))
        return float(sum(t + min(r) for t, r in zip(totals, room)))

    def upper(self, mechanism: np.ndarray) -> float:
        """Error after repair: normalise, then mix with the uniform mechanism until private."""
        law = [max(Fraction(float(p)), Fraction(0)) for p in mechanism]
        mass = [Fraction(0)] * len(self.leaves)
        for p, m, x in zip(law, self.multiplicity, self.leaf_of):
            mass[x] += int(m) * p
        law = [p / mass[x] for p, x in zip(law, self.leaf_of)]
        excess = max([law[i] - Fraction(self.scale) * law[j] for i, j in self.pairs], default=0)
        room = (Fraction(self.scale) - 1) / self.classes
        share = max(excess, Fraction(0)) / (max(excess, Fraction(0)) + room)
        law = [(1 - share) * p + share / self.classes for p in law]
        return float(sum(Fraction(c) * p for c, p in zip(self.cost, law)))
