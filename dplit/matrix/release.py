r"""What a matrix forest releases, and what that costs (M-RF, definition 2, algorithms 1 and 2).

Released is :math:`AD + Z` with independent noise on each entry, Laplace or geometric, of scale
:math:`\Delta/\epsilon`, :math:`\Delta` the most that a record changes :math:`AD` (table of
thm-release-sensitivity in :doc:`/book/matrix_release`). Leaves and votes are :math:`WA^+` of it, at no more cost.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.random import Generator

from dplit.budget import Spend
from dplit.ground import errors
from dplit.matrix.strategies import DisjointTrees
from dplit.matrix.strategies.base import Strategy
from dplit.matrix.treenorm import TreeNorm
from dplit.matrix.workload import Workload
from dplit.mechanisms import Geometric, Laplace
from dplit.mechanisms.geometric import rounded
from dplit.mechanisms.secure import is_secure

MECHANISMS = ("geometric", "laplace")
MAX_OUTCOMES = 2**20
BITS = 30  # of a step that exact noise of a strategy without whole entries is drawn in
SOURCE = "matrix_release"


def release(
    workload: Workload,
    strategy: Strategy,
    codes: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    epsilon: float,
    mechanism: str = "geometric",
    neighbours: str = "add-remove",
    signed: bool = False,
    *,
    rng: Generator,
) -> tuple[np.ndarray, Spend]:
    """Leaves or votes of a forest, from one noisy release :math:`AD + Z` (M-RF, algorithms 1 and 2), and its node.

    The answers have the shape (n_rows, k): a row for each distinct row of the workload, which is as public as the
    strategy: neither depends on the records.

    `n_classes`: k; with 1, all records are counted alike. `epsilon`: what the release costs, all in all, under
    `neighbours`; infinite: no noise. `mechanism`: geometric noise needs a strategy of whole numbers; any other
    gets Laplace noise, and the node says so. `signed`: release one column, records of the first class less those
    of the second; of two classes alone.
    """
    workload = errors.check_kind(workload, Workload, "workload")
    measured, node = measure(strategy, codes, classes, n_classes, epsilon, mechanism, neighbours, signed, rng=rng)
    return strategy.answer(workload, measured), node


def measure(
    strategy: Strategy,
    codes: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    epsilon: float,
    mechanism: str = "geometric",
    neighbours: str = "add-remove",
    signed: bool = False,
    *,
    rng: Generator,
) -> tuple[np.ndarray, Spend]:
    """The noisy release A D + Z alone, from which every answer is computed, and its node; arguments as of
    `release`.
    """
    n_classes = errors.check_integer(n_classes, "n_classes", 1)
    noise = noise_of(strategy, epsilon, mechanism, neighbours, n_classes, signed)
    columns = _difference if signed else np.asarray
    measured = measured_with(noise, strategy, codes, classes, n_classes, columns, rng=rng)
    return measured, spend(strategy, noise, neighbours, mechanism, in_steps=is_secure(rng))


def _difference(exact: np.ndarray) -> np.ndarray:
    """The first class less the second."""
    return exact[:, :1] - exact[:, 1:]


def measured_with(
    noise: Geometric | Laplace | TreeNorm,
    strategy: Strategy,
    codes: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    columns: Callable[[np.ndarray], np.ndarray],
    *,
    rng: Generator,
) -> np.ndarray:
    """Some columns of A D, or their difference, as `columns` gives them of the exact counts, with noise on each
    entry.

    From a secure generator noise is exact. What is not of whole numbers is released in steps then, of
    :math:`2^{-30}` or, where the norm is above 1, of about that share of it: the entries of A are cut to
    multiples of a step, so that counts and sensitivity are whole numbers of steps, and the noise is geometric in
    steps: Laplace noise on a grid, as exact as the rest. Noise on which trees agree has steps of its scale's
    :math:`2^{-24}` or so (`dplit.matrix.exact_treenorm`); one so large that it would overflow is a ValueError.
    """
    draw = {"rng": rng} if isinstance(strategy, DisjointTrees) else {}  # of each record's tree
    if isinstance(noise, Geometric) or not is_secure(rng):
        return noisy(columns(strategy.measure(codes, classes, n_classes, **draw)), noise, rng=rng)
    if isinstance(noise, TreeNorm):
        exact = np.rint(columns(strategy.measure(codes, classes, n_classes))).astype(np.int64)
        drawn = noise.sample_exactly(exact.shape[1], rng=rng).T
        return (exact * 2**noise.bits + drawn) / 2.0**noise.bits
    times = math.ceil(noise.sensitivity / strategy.norm)  # columns that a record moves
    bits = bits_of(strategy)
    exact = columns(strategy.measure_whole(codes, classes, n_classes, bits, **draw))
    steps = Geometric(noise.epsilon, times * strategy.whole_norm(bits))
    return steps.sample(exact, rng=rng) / 2.0**bits


def bits_of(strategy: Strategy) -> int:
    """Binary digits of the steps in which a strategy is released from a secure generator.

    They are `BITS`, or fewer where the norm is above 1, so that it has about so many digits.
    """
    return BITS - max(0, math.ceil(math.log2(strategy.norm or 1.0)))


def noise_of(
    strategy: Strategy,
    epsilon: float,
    mechanism: str = "geometric",
    neighbours: str = "add-remove",
    classes: int = 2,
    signed: bool = False,
) -> Geometric | Laplace | TreeNorm:
    """The noise of each released entry: `Geometric` or `Laplace` of the strategy's sensitivity.

    Of a strategy whose entries share their noise, that of all entries of a class: a `TreeNorm`. `classes` are the
    class columns of the table, other arguments those of `release`.
    """
    strategy = errors.check_kind(strategy, Strategy, "strategy")
    if signed and errors.check_integer(classes, "classes", 1) != 2:
        raise ValueError(f"signed needs classes=2, a difference of two, got classes={classes}")
    delta = strategy.sensitivity(errors.check_neighbours(neighbours), classes, signed)
    delta = delta or 1.0  # where nothing changes, any noise will do
    if not strategy.independent:
        errors.check_choice(mechanism, MECHANISMS, "mechanism")
        return strategy.noise(errors.check_epsilon(epsilon), delta)
    return noise_for(delta, epsilon, mechanism, strategy.integer)


def noise_for(
    sensitivity: float, epsilon: float, mechanism: str = "geometric", integer: bool = True
) -> Geometric | Laplace:
    """The noise for a sensitivity: `Geometric` for whole numbers, if asked for, else `Laplace`."""
    epsilon = errors.check_epsilon(epsilon)
    if errors.check_choice(mechanism, MECHANISMS, "mechanism") == "geometric" and integer:
        return Geometric(epsilon, round(errors.check_positive(sensitivity, "sensitivity")))
    return Laplace(epsilon, sensitivity)


def noisy(exact: np.ndarray, noise: Geometric | Laplace | TreeNorm, *, rng: Generator) -> np.ndarray:
    """Exact counts with noise on each entry; noise that is not of whole numbers is rounded to a public grid."""
    if isinstance(noise, Geometric):
        return noise.sample(np.rint(exact).astype(np.int64), rng=rng)
    if isinstance(noise, TreeNorm):
        return rounded(exact + noise.sample(exact.shape[1], rng=rng).T, noise.scale)
    return rounded(noise.sample(exact, rng=rng), noise.scale)


def spend(
    strategy: Strategy,
    noise: Geometric | Laplace | TreeNorm,
    neighbours: str,
    mechanism: str = "laplace",
    in_steps: bool = False,
) -> Spend:
    """The node of the budget tree: what one release of a strategy costs under a relation.

    `in_steps`: what is not of whole numbers was released in whole steps, from a secure generator.
    """
    kinds = {Geometric: "geometric", TreeNorm: "tree-norm"}
    kind = kinds.get(type(noise), "Laplace")
    note = f"{kind} noise for sensitivity {noise.sensitivity:g}"
    if in_steps and kind != "geometric":
        note += ", drawn in whole steps"
    if mechanism == "geometric" and kind == "Laplace":
        note += ", the strategy's entries are not whole numbers"
    return Spend(f"strategy {strategy.name}", noise.epsilon, note, neighbours, SOURCE)


@dataclass(frozen=True)
class ReleaseLaw:
    """The law of :math:`AD + Z` on a small domain, as a callable for `dplit.audit.privacy_loss`.

    Inputs are tuples of records, a record being ``(cell, class)``, all numbered from 0; `universe` lists every
    record there can be. The outcomes are all ways for each entry to be at one of `points`. One point below and
    one above all values that :math:`AD` takes are enough for the exact loss: the log-ratio of an entry is
    monotone between them and constant beyond.
    """

    matrix: object  #: A, array_like of shape (m, n_cells).
    noise: object  #: Geometric or Laplace.
    classes: int = 2  #: Columns of D.
    #: Sequence of numbers. Values at which each entry is looked at; whole ones for geometric noise.
    points: tuple = (-4, 4)
    signed: bool = False  #: Whether the two classes are one column, their difference.

    def __post_init__(self) -> None:
        A = np.atleast_2d(np.asarray(self.matrix, dtype=float))
        object.__setattr__(self, "matrix", A)
        errors.check_integer(self.classes, "classes", 1)
        entries = len(A) * (1 if self.signed else self.classes)
        if len(self.points) ** entries > MAX_OUTCOMES:
            raise ValueError(
                f"matrix must have few enough rows for {MAX_OUTCOMES:,} outcomes, "
                f"got {len(self.points)}**{entries}"
            )

    @property
    def universe(self) -> tuple[tuple[int, int], ...]:
        """Every record that there can be, as a tuple of tuples."""
        return tuple(product(range(self.matrix.shape[1]), range(self.classes)))

    def table(self, records: tuple) -> np.ndarray:
        """D of some records, or the difference of its columns; shape (n_cells, columns)."""
        D = np.zeros((self.matrix.shape[1], self.classes))
        for cell, label in records:
            D[cell, label] += 1
        return D[:, :1] - D[:, 1:] if self.signed else D

    @cached_property
    def _steps(self) -> np.ndarray:
        """For each outcome and entry, the number of its point."""
        entries = len(self.matrix) * (1 if self.signed else self.classes)
        return np.indices((len(self.points),) * entries).reshape(entries, -1)

    def logpmf(self, records: tuple) -> np.ndarray:
        """Logarithm of the probability, or density, of each outcome; shape (n_outcomes,)."""
        exact = (self.matrix @ self.table(records)).ravel()
        away = np.asarray(self.points)[None, :] - exact[:, None]
        logs = _log_density(self.noise, away)
        return np.take_along_axis(logs, self._steps, axis=1).sum(axis=0)


def _log_density(noise: Geometric | Laplace, away: np.ndarray) -> np.ndarray:
    """Logarithm of the noise's pmf or density, which does not underflow far out."""
    if isinstance(noise, Geometric):
        logs = np.log(np.tanh(noise.rate / 2)) - noise.rate * np.abs(away)
        return np.where(away == np.floor(away), logs, -np.inf)
    return -np.log(2 * noise.scale) - np.abs(away) / noise.scale
