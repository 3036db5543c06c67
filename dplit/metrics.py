r"""Private scores of held-out records, and private choices by them: each draws noise, and is charged.

A record moves the votes for a score by 1 in L1 norm, since a score in :math:`[0, 1]` is its vote for 1 and the
rest is one for 0; the numbers of records of cells by 1, in one cell; and the sum of each candidate of a choice by
at most 1, all in one direction. So one record more or less; a replaced one moves twice that, and sums either way.
Noise is geometric, choices are by permute-and-flip (:doc:`/book/mechanisms`). A model is taken for public.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dplit import budget
from dplit.budget import accountant
from dplit.domain import GRID
from dplit.forests.noise import EXACT, SIMULATED
from dplit.forests.targets import checked_target
from dplit.ground import errors
from dplit.mechanisms import BoundedMean, Geometric, PermuteAndFlip
from dplit.mechanisms.secure import is_secure, secure_generator

EDGES = 1 / (1 + np.exp(-np.linspace(-5, 5, 21)))  # of cells of probability, and thresholds
FLOOR = 0.01  # of a probability, in the log-loss
COPIES = 200  # of a release, with noise once more
KNOWS_NOTHING = {"accuracy": 0, "log_loss": 0, "mse": 0, "auc": 0.5, "r2": 0, "count": 0}  # or all, of an error
STEPS = 2**20  # of a record, in which a regression's sums are whole
CELLS, LOSS, ERROR, TARGET, SQUARE = "cells", "log-loss", "squared error", "target", "squared target"
NEEDS = {"accuracy": ["accuracy"], "log_loss": [LOSS], "auc": [CELLS], "calibration": [CELLS], "mse": [ERROR],
         "r2": [ERROR, TARGET, SQUARE]}  # fmt: skip


class Released(NamedTuple):
    """What was drawn, and what it spends; its repr says how far noise moves it."""

    value: Any
    budget: budget.Budget
    #: Of a score: what computes it from what was drawn, that, and the epsilon of each part. Of a choice: words.
    noise: Any = ""

    @property
    def interval(self) -> dict | None:
        """Ends between which noise alone moves each score in 19 of 20 draws, by its name; None of a choice.

        From what was released and public numbers: noise is added once more to what was drawn, `COPIES` times. That
        the records are a sample is not in it.
        """
        if isinstance(self.noise, str):
            return None
        compute, drawn, epsilon = self.noise
        rng, beats = np.random.default_rng(0), -math.expm1(-epsilon)

        def again(v):
            if v.dtype.kind in "iu":
                return v + rng.geometric(beats, v.shape) - rng.geometric(beats, v.shape)
            return np.maximum(v, 0) + rng.laplace(0, 1 / epsilon, v.shape)  # votes are at least 0

        copies = [dict(_flat(compute({k: again(v) for k, v in drawn.items()}))) for _ in range(COPIES)]
        return {k: tuple(np.quantile([copy[k] for copy in copies], (0.025, 0.975)).tolist()) for k in copies[0]}

    def __repr__(self):
        if isinstance(self.noise, str):
            return f"{self.value}: {self.noise}\n{self.budget!r}"
        interval, lines = self.interval, ["calibration: a table"] * ("calibration" in self.value)
        for name, value in _flat(self.value):
            (low, high), zero = interval[name], KNOWS_NOTHING.get(name, math.inf)
            hidden = f": noise hides it, it cannot be told from {zero:g}" if low <= zero <= high else ""
            lines.append(f"{name} {value:.4g}, noise alone from {low:.4g} to {high:.4g}{hidden}")
        return "\n".join([*lines, repr(self.budget)])


def noisy_votes(shares: np.ndarray, epsilon: float, rng: np.random.Generator) -> tuple:
    """Votes for 0 and for 1 of numbers in [0, 1], one a record, float64 of shape (2,), and the node."""
    accountant.has_drawn()
    whole = np.rint(shares * GRID).astype(np.int64).sum()
    node = budget.Spend("votes for a score", epsilon, "geometric noise on the votes for both ends")
    return BoundedMean(epsilon, 0, GRID).sample(whole, len(shares), rng=rng), node


def noisy_cells(counts: np.ndarray, epsilon: float, rng: np.random.Generator) -> tuple:
    """Number of records in each cell, as `counts`, whole numbers, and the node."""
    accountant.has_drawn()
    node = budget.Parallel(CELLS, (budget.Spend("records of a cell", epsilon, "geometric noise"),))
    return Geometric(epsilon).sample(counts, rng=rng), node


def best_candidate(totals: np.ndarray, most: int, epsilon: float, rng: np.random.Generator) -> tuple:
    """Place of a candidate, and the node; a record adds from 0 to `most` to each of the whole `totals`."""
    accountant.has_drawn()
    node = budget.Spend("best of the candidates", epsilon, "permute-and-flip on sums over records")
    return int(PermuteAndFlip(epsilon, most, monotonic=True).sample(totals, rng=rng)), node


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut:
    """Private records that a model is judged by, best those that it was not fitted to.

    `X`: what the models take, n_records of them; `y`: array_like, shape (n_records,). `target_bounds`: public
    bounds of a regression's targets, to which targets and predictions are clipped. `neighbours`, "add-remove" or
    "replace-one", and `records_per_person`, the most that one person has: what `epsilon` holds for, all that a
    call costs. `rng`: left out, noise is exact and from the operating system. Methods return a `Released`. They
    raise a ValueError where an argument is not as it must be, and a BudgetError where an account refuses.
    """

    X: Any
    y: ArrayLike
    target_bounds: tuple[float, float] | None = None
    neighbours: str = "add-remove"
    records_per_person: int = 1
    rng: np.random.Generator | None = None

    def scores(self, model: Any, epsilon: float, *metrics: str) -> Released:
        """Private scores of a fitted model, a dict; those of one call share epsilon equally.

        `metrics`: "accuracy", left out; "log_loss", with probabilities of at least `FLOOR`; of two classes "auc",
        where records in one of the cells between `EDGES` tie, and "calibration", a data frame of these cells, both
        of one release (a cell without records has the share NaN); of a regression "mse", and "r2", at least -1, of
        three releases.
        """
        metrics = [errors.check_choice(name, tuple(NEEDS), "metrics") for name in metrics or ("accuracy",)]
        needed = list(dict.fromkeys(part for name in metrics for part in NEEDS[name]))
        with self._charged("scores of held-out records", epsilon, len(needed)) as (share, rng, released):
            found, nodes = {part: self._asked(model, part) for part in needed}, []
            for part, values in found.items():
                found[part], node = (noisy_cells if part == CELLS else noisy_votes)(values, share, rng)
                nodes.append(node if part == CELLS else replace(node, name=part))
            compute = partial(_scores, metrics, self.target_bounds)
            return released(compute(found), *nodes, noise=(compute, found, share))

    def threshold(
        self, model: Any, epsilon: float, thresholds: ArrayLike = EDGES, weights: Sequence[int] = (1, 1)
    ) -> Released:
        """A private choice of the probability from which on the second of two classes is predicted.

        By the number of records that are classified rightly, one of either class weighed by its whole number of
        `weights`. `thresholds`: public. For ``FixedThresholdClassifier(FrozenEstimator(model), threshold=...)``.
        """
        thresholds = errors.check_numbers(thresholds, "thresholds", 0, 1, ndim=1)
        if np.shape(weights) != (2,):
            raise ValueError(f"weights must be two whole numbers, one a class, got shape {np.shape(weights)}")
        first, second = errors.check_whole(weights, "weights", 1, STEPS).tolist()
        with self._charged("choice of a threshold", epsilon) as (share, rng, released):
            chance, positive = self._second(model)
            said = chance[:, None] >= thresholds
            totals = first * (~said[~positive]).sum(axis=0) + second * said[positive].sum(axis=0)
            place, node = best_candidate(totals, max(first, second), share, rng)
            return released(float(thresholds[place]), node, noise=_short(max(first, second), share, len(totals)))

    def best(self, models: Sequence, epsilon: float) -> Released:
        """A private choice among fitted models, its place in `models`.

        By the number of records that are classified rightly, of which those of a rare class are few; with
        `target_bounds`, by the sum of one less the squared error in units of their length.
        """
        part, unit = ("accuracy", 1) if self.target_bounds is None else (ERROR, STEPS)
        with self._charged("choice of a model", epsilon) as (share, rng, released):
            found = [self._asked(model, part) for model in models]
            totals = [int(np.rint(v if unit == 1 else unit * (1 - v)).sum()) for v in found]
            place, node = best_candidate(np.array(totals), unit, share, rng)
            return released(place, node, noise=_short(1, share, len(totals)))

    @contextmanager
    def _charged(self, name: str, epsilon: float, parts: int = 1) -> Iterator[tuple]:
        """Charged to the accounts: each part's share of epsilon, the generator, and what makes a `Released`."""
        epsilon, steps = errors.check_epsilon(epsilon), {"add-remove": 1, "replace-one": 2}
        steps = steps[errors.check_neighbours(self.neighbours)]
        several = errors.check_integer(self.records_per_person, "records_per_person", 1)
        why, steps = f"one person has up to {several} records" if several > 1 else "", steps * several
        rng = secure_generator() if self.rng is None else errors.check_rng(self.rng)
        share = epsilon / (steps * parts)
        share = share if share == epsilon else math.nextafter(share, 0.0)  # no sum is an ulp too much

        def released(value, *nodes, noise):
            node = budget.Sequence(name, nodes, "all read the same records")
            node = budget.Group(name, node, steps, self.neighbours, why) if steps > 1 else node
            settle(node)
            return Released(value, budget.Budget(node, [EXACT if is_secure(rng) else SIMULATED]), noise)

        with accountant.charged(name, self.neighbours, lambda: (epsilon, 0.0)) as settle:
            yield share, rng, released

    def _bounds(self):
        if self.target_bounds is None:
            raise ValueError("target_bounds must be (lower, upper), public bounds of y, got None")
        errors.check_interval(*self.target_bounds)
        return self.target_bounds

    def _said(self, model, method, are_classes=True):
        """What a model says of the records, and their targets: as of a fit, classes that it knows."""
        said, y = np.asarray(getattr(model, method)(self.X)), np.asarray(self.y)
        if y.shape != said.shape[:1]:
            raise ValueError(f"y must have a target for each record, shape {said.shape[:1]}, got {y.shape}")
        if said.dtype.kind == "f" and not np.isfinite(said).all():
            raise ValueError(f"model must say finite numbers by {method}, got one that is none")
        known = getattr(model, "classes_", None) if are_classes else None
        found = pd.Index(pd.unique(checked_target(self.y)), dtype=object) if are_classes else []
        if known is not None and (pd.Index(known, dtype=object).get_indexer(found) < 0).any():
            raise ValueError(f"y must hold classes of the model, got another; classes are {errors.few(known)}")
        return said, y

    def _second(self, model):
        """Probability of the second of two classes, and whether it is a record's."""
        said, y = self._said(model, "predict_proba")
        if len(model.classes_) != 2:
            raise ValueError(f"model must have two classes, got {len(model.classes_)}")
        return said[:, 1], y == model.classes_[1]

    def _asked(self, model, part):
        """Records of each cell; or, from 0 to 1 for each record, what a mean is of."""
        if part == CELLS:
            chance, positive = self._second(model)
            cells = 2 * np.searchsorted(EDGES, chance, side="right") + positive
            return np.bincount(cells, minlength=2 * len(EDGES) + 2)
        if part == LOSS:
            said, y = self._said(model, "predict_proba")
            told = np.where(y[:, None] == model.classes_, said, 0.0).sum(axis=1)
            return np.log(np.clip(told, FLOOR, 1)) / math.log(FLOOR)
        said, y = self._said(model, "predict", are_classes=part == "accuracy")
        if part == "accuracy":
            return (said == y).astype(float)
        lower, upper = self._bounds()
        both = (np.clip(errors.check_numbers(v, "y"), lower, upper) for v in (y, said))
        target, told = ((v - lower) / (upper - lower) for v in both)
        if np.isnan(target).any():
            raise ValueError("y must hold finite numbers, got one that is none")
        return {TARGET: target, SQUARE: target**2, ERROR: (target - told) ** 2}[part]


def describe(column: HeldOut, epsilon: float, *quantiles: float, bins: int = 64) -> Released:
    """Private description of the numbers `y`, a dict: "count", "missing", "mean" and "quantiles".

    As ``describe(HeldOut(None, ages, (0, 120)), 0.1)``: `target_bounds` are wide ones that need no look at the
    numbers, which are clipped to them; NaN is missing, and "missing" its share. "quantiles" has the number of
    each of `quantiles`, left out the quartiles. All are read off one noisy count in each of equal `bins`: none is
    finer than a bin, and each bin brings noise, of the count a standard deviation of ``sqrt(2 * bins) / epsilon``
    records. So the numbers should fill many bins, and more bins help where records are many; in bounds a hundred
    times too wide, noise of the empty bins moves the mean and the outer quantiles.
    """
    (lower, upper), n = column._bounds(), errors.check_integer(bins, "bins", 1, 2**20)
    wanted = errors.check_numbers(quantiles or (0.25, 0.5, 0.75), "quantiles", 0, 1, ndim=1)
    with column._charged("description of a column", epsilon) as (share, rng, released):
        y = np.clip(errors.check_numbers(column.y, "y", ndim=1), lower, upper)  # or what is large would overflow
        place = np.clip((np.nan_to_num(y, nan=lower) - lower) / (upper - lower) * n, 0, n - 1).astype(int)
        counts = np.bincount(np.where(np.isnan(y), n, place), minlength=n + 1)
        counts, node = noisy_cells(counts, share, rng)
        compute = partial(_described, lower, upper, wanted)
        return released(compute({CELLS: counts}), node, noise=(compute, {CELLS: counts}, share))


def _described(lower, upper, wanted, drawn):
    """A column's description, from released counts."""
    counts = drawn[CELLS]
    n = len(counts) - 1
    total, known, edges = max(counts.sum(), 1), max(counts[:n].sum(), 1), np.linspace(lower, upper, n + 1)
    below = np.maximum.accumulate([0, *counts[:n].cumsum()])
    return {
        "count": int(total), "missing": float(np.clip(counts[n] / total, 0, 1)),
        "mean": float(np.clip(counts[:n] @ (edges[1:] + edges[:-1]) / 2 / known, lower, upper)),
        "quantiles": dict(zip(wanted.tolist(), np.interp(wanted * known, below, edges).tolist())),
    }  # fmt: skip


def _flat(values):
    """Names and numbers of a value, quantiles too; a table has none."""
    return [(k, v) for k, v in {**values, **values.get("quantiles", {})}.items() if isinstance(v, (int, float))]


def _short(most, epsilon, candidates):
    """By how much a choice may miss the best: a candidate is chosen if its coin says so, and there are so many."""
    gap = most / epsilon * math.log(20 * candidates)
    return f"in 19 of 20 draws its sum is below the best one by {gap:.3g} at most"


def _scores(names, bounds, drawn):
    """Metrics by name, from what was released."""
    mean = BoundedMean(1, 0, 1).mean  # of votes, which no epsilon changes
    found = {part: v if part == CELLS else float(mean(v)) for part, v in drawn.items()}
    return {name: _metric(name, found, bounds) for name in names}


def _metric(name, found, bounds):
    """A metric, from what was released."""
    if name == "r2":
        return max(1 - found[ERROR] / max(found[SQUARE] - found[TARGET] ** 2, 1e-9), -1.0)
    if name not in ("auc", "calibration"):
        units = {"log_loss": -math.log(FLOOR), "mse": (bounds[1] - bounds[0]) ** 2 if bounds else 1.0}
        return units.get(name, 1.0) * found[NEEDS[name][0]]
    first, second = found[CELLS].reshape(-1, 2).T
    if name == "auc":
        pairs = second @ (first.cumsum() - first / 2)
        return float(np.clip(pairs / max(first.sum(), 1) / max(second.sum(), 1), 0, 1))
    records, share = np.maximum([first + second, second], 0)
    ends = {"lower": [0, *EDGES], "upper": [*EDGES, 1]}
    share = np.where(records > 0, np.clip(share / np.maximum(records, 1), 0, 1), np.nan)
    return pd.DataFrame({**ends, "records": records, "share": share})
