r"""The exact law of a node's split, and what it costs to draw candidates that are not released.

A cut between two neighbouring values is one outcome, since its density is constant there. `epsilon` is that of one
median, :math:`\kappa` (`rate`) the weight of a unit of the sum of squared errors (SSE), and targets lie in [0, 1].
All budgets are add-remove. Derived in :doc:`/book/median_forest`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from dplit.ground import errors
from dplit.loss import compare_laws
from dplit.mechanisms import PermuteAndFlip
from dplit.median_forest import split

MAX_COMBINATIONS = 2**20
MECHANISMS = ("exponential", "permute-and-flip")


class Node(NamedTuple):
    """Records of a node: `columns` of shape (n, K) in [0, 1], `targets` of shape (n,) in [0, 1]."""

    columns: np.ndarray
    targets: np.ndarray

    def without(self, record: int) -> Node:
        """The node without one of its records."""
        return Node(np.delete(self.columns, record, axis=0), np.delete(self.targets, record))


def winner_law(candidates: Sequence, choose: Callable | None = None) -> list:
    r"""Law of (column, cut) when each column draws a cut and one column wins, by enumeration.

    .. math:: \Pr(a, r) = \sum_{r_1, \dots, r_K:\, r_a = r} \prod_b p_b(r_b)\,
              \frac{u_a(r_a)}{\sum_b u_b(r_b)}

    `candidates` has for each column the law of its cut, and the weight with which each cut is then chosen; floats,
    or fractions for an exact law. `choose`: from the odds of K cuts to the law of the winner; left out, the
    exponential mechanism's, in proportion to the odds. Returns K lists, the probabilities of each column's cuts.
    """
    choose = None if choose is None else errors.check_callable(choose, "choose")
    try:
        sizes = {(len(law), len(odds)) for law, odds in candidates}
    except (TypeError, ValueError):
        sizes = set()
    if not sizes or any(m != n or not m for m, n in sizes):
        raise ValueError("candidates must be pairs (probabilities, odds) of one length, at least one of them")
    if math.prod(len(law) for law, _ in candidates) > MAX_COMBINATIONS:
        raise ValueError(f"candidates must have at most {MAX_COMBINATIONS:,} combinations of cuts")
    found = [[0 * law[0]] * len(law) for law, _ in candidates]
    for cuts in product(*(range(len(law)) for law, _ in candidates)):
        chance = math.prod(law[r] for (law, _), r in zip(candidates, cuts))
        odds = [u[r] for (_, u), r in zip(candidates, cuts)]
        law = [u / sum(odds) for u in odds] if choose is None else choose(odds)
        for a, r in enumerate(cuts):
            found[a][r] += chance * law[a]
    return found


def candidates_law(node: Node, epsilon: float, rate: float, mechanism: str = "exponential") -> np.ndarray:
    """Law of the published split, all columns' cuts in one array: K private medians, one winner.

    `epsilon`: budget of each median; `rate`: weight of a unit of SSE in the choice; `mechanism`:
    of the choice among the K, "exponential" or "permute-and-flip".
    """
    node, rate = errors.check_kind(node, Node, "node"), errors.check_between(rate, "rate", 0, errors.MOST)
    errors.check_choice(mechanism, MECHANISMS, "mechanism")
    columns = _columns(node)
    least = min(c.errors.min() for c in columns)
    widest = max(c.errors.max() for c in columns) - least
    if rate * widest > split.LARGEST:
        raise ValueError(
            f"rate must keep the exponents below {split.LARGEST:g}, got {rate!r}, which makes "
            f"them {rate * widest:g}"
        )
    found = [(split.median_law(c, epsilon), np.exp(-rate * (c.errors - least))) for c in columns]
    choose = _flip if mechanism == "permute-and-flip" else None
    return np.concatenate(winner_law(found, choose))


def _flip(odds: np.ndarray) -> np.ndarray:
    return PermuteAndFlip(1.0, monotonic=True).pmf(np.log(odds))


def joint_law(node: Node, epsilon: float, rate: float, mechanism: str = "exponential") -> np.ndarray:
    r"""Law of column and cut drawn at once, with density proportional to :math:`e^{u}`,

    .. math:: u(a, r) = -\frac{\epsilon}{2} \bigl|n - 2 n_L\bigr| - \kappa S_{a,r} .

    With ``"permute-and-flip"`` the column is drawn by permute-and-flip at rate 1 on
    :math:`\log Z_a`, :math:`Z_a = \int e^{u(a, r)} dr`, and then the cut by its density. Either
    costs :math:`\epsilon + \kappa`, for any K. Parameters and value as `candidates_law`.
    """
    node, epsilon = errors.check_kind(node, Node, "node"), errors.check_positive(epsilon, "epsilon")
    rate = errors.check_between(rate, "rate", 0, errors.MOST)
    scores = [np.log(c.lengths) - epsilon / 2 * c.gaps - rate * c.errors for c in _columns(node)]
    top = max(s.max() for s in scores)
    weights = [np.exp(s - top) for s in scores]
    masses = np.array([w.sum() for w in weights])
    columns = masses / masses.sum()
    if errors.check_choice(mechanism, MECHANISMS, "mechanism") == "permute-and-flip":
        columns = _flip(masses)
    return np.concatenate([p * w / m for p, w, m in zip(columns, weights, masses)])


def _columns(node: Node) -> list:
    return [split.column(values, node.targets, 0.0, 1.0) for values in node.columns.T]


def mirror(zeros: int, ones: int, columns: int, gap: float, first: float | None = None) -> Node:
    """A node whose columns are alike: the ones at 0, the zeros at `gap`.

    Two cuts a column: inside the gap, which explains everything, and above all records, which explains nothing.
    The last record has target 1. `gap`: between 0 and 1, both excluded; a narrow one makes the useless cut
    likelier; `first`: another gap for column 0.
    """
    first = gap if first is None else first
    for name, value in (("zeros", zeros), ("ones", ones), ("columns", columns)):
        errors.check_integer(value, name, 1)
    _check_gap(gap)
    _check_gap(first)
    targets = np.repeat([0.0, 1.0], [zeros, ones])
    return Node(np.outer(1 - targets, [first, *[gap] * (columns - 1)]), targets)


def crossed(half: int, few: int, fewer: int, columns: int, gaps: tuple[float, float]) -> Node:
    """A node on which K medians and the choice among them all show the last record.

    `half` zeros and `half` ones. On each column one cut, in a narrow gap, separates them. A second one leaves
    `few` ones with the zeros on column 0, and `fewer` zeros with the ones on the others. The last record is one
    of the `few`. As ``half >> few >> fewer >> 1`` and the second cuts become unlikely, its removal costs K
    medians and one unit of SSE. `half`, `few`, `fewer`: half > few > fewer >= 1; `gaps`: length of the first gap
    on column 0 and on the others, between 0 and 1, both excluded.
    """
    half, few = errors.check_integer(half, "half", 3), errors.check_integer(few, "few", 2)
    fewer = errors.check_integer(fewer, "fewer", 1)
    if not half > few > fewer:
        raise ValueError(f"half > few > fewer must hold, got {half!r}, {few!r}, {fewer!r}")
    columns = errors.check_integer(columns, "columns", 1)
    for gap in errors.check_numbers(gaps, "gaps", 0, 1, ndim=1):
        _check_gap(float(gap))
    if len(gaps) != 2:
        raise ValueError(f"gaps must be two, of column 0 and of the others, got {len(gaps)}")
    targets = np.repeat([0.0, 1.0], half)
    first = np.repeat([0.0, 1.0, gaps[0]], [half, half - few, few])
    other = np.repeat([1.0, gaps[1], 0.0], [half - fewer, fewer, half])
    return Node(np.column_stack([first, *[other] * (columns - 1)]), targets)


def _check_gap(gap: float) -> None:
    if not 0 < errors.check_between(gap, "gap", 0, 1) < 1:
        raise ValueError(f"gap must be between 0 and 1, both excluded, got {gap!r}")


def removal_loss(
    law: Callable, node: Node, epsilon: float, rate: float, mechanism: str = "exponential", record: int = -1
) -> float:
    """Exact loss of `law`, `candidates_law` or `joint_law`, as one record leaves `node`.

    The record must share its values with others, so that every cut stays where it is.
    """
    law, node = errors.check_callable(law, "law"), errors.check_kind(node, Node, "node")
    record = errors.check_integer(record, "record", -len(node.targets), len(node.targets) - 1)
    epsilon = errors.check_epsilon(epsilon)
    pair = (law(n, epsilon, rate, mechanism) for n in (node, node.without(record)))
    return compare_laws(*pair).loss
