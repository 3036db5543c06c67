"""What a strategy costs, and which member of the portfolio costs least (M-RF, definition 3).

It does not depend on the records, and what is selected by it is free. Derived in :doc:`/book/matrix_strategies`.
"""

import math
from collections.abc import Sequence

from dplit.ground.errors import check_between, check_choice, check_epsilon, check_kind, check_sequence
from dplit.matrix.paths import Paths
from dplit.matrix.strategies.base import Strategy, asks_leaves
from dplit.matrix.strategies.designs import optimise_marginals
from dplit.matrix.strategies.members import DistinctLeaves, Identity, PerTree, WeightedLeaves
from dplit.matrix.strategies.p_identity import optimise_p, regions
from dplit.matrix.strategies.trees import AgreeingTrees, DisjointTrees, feasible, several_trees
from dplit.matrix.tested import below, dimensions, tested_sets
from dplit.matrix.workload import Workload

MECHANISMS = ("laplace", "geometric")
TARGETS = ("leaves", "votes")
MEMBERS = (
    "per-tree",
    "weighted",
    "merged",
    "identity",
    "regions",
    "marginals",
    "p-identity",
    "disjoint",
    "tree-norm",
)
LARGEST = math.nextafter(math.inf, 0)  # of the floats
MOST_ENTRIES = 20_000_000  # of a workload whose regions are looked for unasked
MOST_COEFFICIENTS = 50_000_000  # of boxes, that marginals for votes need
MOST_TABLE = 20_000_000  # of eigenvalues, a space in each candidate of the search for marginals
MOST_REGIONS = 100  # that p-identity strategies are searched on unasked


def sensitivity(
    strategy: Strategy, neighbours: str = "add-remove", classes: int = 2, signed: bool = False
) -> float:
    """L1 sensitivity of what a strategy releases; see `Strategy.sensitivity`."""
    strategy = check_kind(strategy, Strategy, "strategy")
    return strategy.sensitivity(neighbours, classes, signed)


def fitting(strategy: Strategy, mechanism: str) -> str:
    """The mechanism that a strategy's noise comes from: "geometric" only if its entries are whole."""
    strategy = check_kind(strategy, Strategy, "strategy")
    check_choice(mechanism, MECHANISMS, "mechanism")
    return mechanism if strategy.integer else "laplace"


def noise_scale(
    strategy: Strategy,
    epsilon: float,
    mechanism: str = "laplace",
    neighbours: str = "add-remove",
    classes: int = 2,
    signed: bool = False,
) -> float:
    r"""Scale of the noise, :math:`b = \Delta/\epsilon`: Laplace's own, and :math:`\alpha = e^{-1/b}`.

    It is that of both mechanisms; the argument is checked, so that it can be handed on.
    """
    fitting(strategy, mechanism)
    return strategy.sensitivity(neighbours, classes, signed) / check_epsilon(epsilon)


def noise_variance(scale: float, mechanism: str = "laplace") -> float:
    r"""Variance of the noise of a scale b: :math:`2b^2`, or geometric :math:`\frac{1}{2\sinh^2(1/2b)}`.

    With :math:`x = 1/b` the ratio of the second to the first is :math:`(x/2)^2/\sinh^2(x/2) \le 1`. Derived in
    :doc:`/book/matrix_strategies`.
    """
    scale = check_between(scale, "scale", 0, LARGEST)
    laplace = 2 * scale * scale  # infinite where a power would be an OverflowError
    if check_choice(mechanism, MECHANISMS, "mechanism") == "laplace" or not 0 < scale < 1e6:
        return laplace
    half = 1 / (2 * scale)
    return 0.0 if half > 300 else 1 / (2 * math.sinh(half) ** 2)


def error(
    workload: Workload,
    strategy: Strategy,
    epsilon: float,
    mechanism: str = "laplace",
    neighbours: str = "add-remove",
    classes: int = 2,
    signed: bool = False,
    target: str = "leaves",
) -> float:
    """Total expected squared error of all queries, copies included, for one class, in squared records.

    It is infinite if some query is not determined. Geometric noise is taken where it fits, see `fitting`. If
    `signed`, it is the error of the difference of two classes.
    """
    workload = check_kind(workload, Workload, "workload")
    strategy = check_kind(strategy, Strategy, "strategy")
    scale = noise_scale(strategy, epsilon, mechanism, neighbours, classes, signed)
    total = _variance(workload, strategy, target)
    return noise_variance(scale, fitting(strategy, mechanism)) * total


def unit_error(workload: Workload, strategy: Strategy, target: str = "leaves") -> float:
    r"""`error` under add-remove with Laplace noise, in units of :math:`2/\epsilon^2`: no epsilon in it."""
    workload = check_kind(workload, Workload, "workload")
    strategy = check_kind(strategy, Strategy, "strategy")
    return strategy.norm**2 * _variance(workload, strategy, target)


def _variance(workload: Workload, strategy: Strategy, target: str) -> float:
    """Sum of the variances of all queries, or a vote's, for noise of variance 1."""
    if check_choice(target, TARGETS, "target") == "votes":
        return strategy.votes(workload)
    return float(strategy.variances(workload) @ workload.multiplicity)


def member(workload: Workload, name: str, target: str = "leaves") -> Strategy | None:
    """A member of the portfolio, one of `MEMBERS`, made for a workload; free weights are made for the target.

    None where the workload has no trees and the member needs them.
    """
    workload = check_kind(workload, Workload, "workload")
    check_choice(name, MEMBERS, "name")
    if name == "identity":
        n_levels = [workload.n_cells] if workload.boxes is None else workload.boxes.n_levels
        return Identity(n_levels)
    if name == "regions":
        return regions(workload)
    if name == "p-identity":
        return optimise_p(workload, target=target)
    if workload.boxes is None:
        return None
    if name == "marginals":
        return optimise_marginals(workload, target)
    if name == "weighted":
        return WeightedLeaves(workload)
    if name == "merged":
        return DistinctLeaves(workload.boxes)
    makers = {"per-tree": PerTree, "disjoint": DisjointTrees, "tree-norm": AgreeingTrees}
    return makers[name](workload.paths)


def portfolio(workload: Workload, target: str = "leaves") -> list[str]:
    r"""The members that `select` tries unasked: not those whose search would take long, or much memory.

    Nor disjoint training, whose error grows with the records: the draw of their trees adds :math:`(\tau - 1)c` to
    a leaf of c records, which may be more than all noise. Nor is `KNorm` a member at all: its polytope has as
    many dimensions as there are independent leaves, and more than eight are not triangulated. Of trees on
    disjoint columns, such as one on each feature of Tennis, "tree-norm" is that noise.
    """
    workload = check_kind(workload, Workload, "workload")
    found = [name for name in MEMBERS if name != "disjoint"]
    few = workload.n_cells * len(workload) <= MOST_ENTRIES
    n = len(regions(workload).s) if few else workload.n_cells
    if n == workload.n_cells:
        found.remove("regions")
    if n > MOST_REGIONS:
        found.remove("p-identity")
    if workload.boxes is None or not (feasible(workload.boxes) and several_trees(workload)):
        found.remove("tree-norm")
    closed = workload.boxes is None or (target == "leaves" and asks_leaves(workload))
    if not closed and not few_coefficients(workload.boxes):
        found.remove("marginals")
    elif workload.boxes is not None and not few_sets(workload.boxes):
        found.remove("marginals")
    return found


def few_coefficients(boxes: Paths) -> bool:
    """Whether the votes' errors of marginals can be had: they take all coefficients of all boxes."""
    return dimensions(boxes) * len(boxes) <= MOST_COEFFICIENTS


def few_sets(boxes: Paths) -> bool:
    """Whether the sets of columns that boxes test are few enough for a search among marginals."""
    sets = [columns for columns, _ in tested_sets(boxes)]
    return len(sets) ** 2 <= MOST_TABLE and len(sets) * len(below(sets)) <= MOST_TABLE


def select(
    workload: Workload,
    neighbours: str = "add-remove",
    mechanism: str = "laplace",
    target: str = "leaves",
    *,
    epsilon: float = 1.0,
    classes: int = 2,
    members: Sequence[str] | None = None,
) -> Strategy:
    """The member of the portfolio with the least expected error, which reads no record.

    Its ``considered`` has the error of each member in squared records, one class. Searched members are local
    optima. Of disjoint training, which takes part if it is named, the noise alone is counted: the draw of the
    records' trees adds to it what depends on the records. `epsilon` matters with geometric noise alone; `members`
    left out are those of `portfolio`.
    """
    workload = check_kind(workload, Workload, "workload")
    names = portfolio(workload, target) if members is None else check_sequence(members, "members")
    found, considered = [], {}
    for name in [check_choice(name, MEMBERS, "members") for name in names]:
        strategy = member(workload, name, target)
        if strategy is not None:
            considered[name] = error(workload, strategy, epsilon, mechanism, neighbours, classes, target=target)
            found.append(strategy)
    if not found:
        raise ValueError("members must name a strategy that the workload has, got none")
    best: Strategy = min(found, key=lambda s: considered[s.name])
    best.considered = considered
    return best
