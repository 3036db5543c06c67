r"""What one record moves in the numbers that noise is added to: fits in lockstep, exactly.

A fit on neighbouring records gets, from every mechanism, what the first one got: adaptive composition made to run.
The loss of a draw is at most what the record moves times its rate. The sum is held to the budget; where that has a
delta, in zero-concentrated privacy. Noise from another generator than the fit's, or from a state that was drawn
from before, costs without limit, and so does what the fits store, warn of or refuse and is not the same.
Trees whose tests are chosen in compiled code are handed on, too: each one that reads another table costs what the
budget says of its levels. A record's tree or coin is the same in both fits.
"""

import io
import math
import warnings
from collections import Counter
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from copy import copy
from importlib import import_module
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from dplit.budget import Budget, Spend, epsilon_of
from dplit.domain import Domain
from dplit.forests import releases
from dplit.forests.noise import WithNoise
from dplit.forests.randomness import SOURCES
from dplit.mechanisms import DiscreteGaussian, Exponential, Geometric, Laplace, PermuteAndFlip
from dplit.mechanisms.secure import SecureGenerator

EPSILON = 0.7  # of what is audited; not 1: at 1 a product with epsilon is a quotient
GROWERS = (  # where they are looked up, and their names
    ("trees.median", "grow_median_trees"), ("baselines.fs_rgv", "grow_greedy_trees"),
    ("baselines._shared", "grow_greedy_level_trees"),
)  # fmt: skip
WATCHED = Geometric, Laplace, PermuteAndFlip, Exponential, DiscreteGaussian
SAID = str, int, float, np.generic, Budget, Domain
BORROWED = "noise that is not the fit's own"


class Coupled(np.random.Generator):
    """Where the other fit drew a number for each record, the same ones come again, and new ones for the others."""

    drawn, given, first = [], None, False  # whether the other records come first

    def _coupled(self, name, *asked, size=None, **more):
        drawn = getattr(super(), name)(*asked, size=size, **more)
        if np.ndim(drawn) != 1 or np.ndim(size) or size is None:
            return drawn
        place, state = len(self.drawn), self.bit_generator.state
        if self.given is not None and place < len(self.given):
            same, before, after = self.given[place]
            if same == (name, *asked) and before.dtype == drawn.dtype:
                state, n = after, min(len(before), len(drawn))
                same = slice(len(drawn) - n, None) if self.first else slice(n)
                drawn[same], self.bit_generator.state = before[:n], after
        self.drawn.append(((name, *asked), drawn.copy(), state))
        return drawn

    def integers(self, *ends, **options):
        """As of NumPy."""
        return self._coupled("integers", *ends, **options)

    def random(self, size=None, **options):
        """As of NumPy."""
        return self._coupled("random", size=size, **options)


class OfTheFit(Coupled):
    """The generator of a fit, and the streams spawned from it: no other noise is the fit's own."""


class ExactOfTheFit(Coupled, SecureGenerator):
    """The same where noise is drawn exactly; both fits get the same bits."""


class Call(NamedTuple):
    """One draw of a mechanism: what it is, what it was drawn from, and what came."""

    mechanism: str
    weight: float
    values: np.ndarray
    released: object
    after: dict  #: State of the generator, which the other fit goes on from.


class Calls(list):
    """Each `Call` of a fit, what it drew for records, the trees that were grown, and what their levels cost."""

    def __init__(self):
        super().__init__()
        self.drawn, self.grown, self.levels, self.sources = [], [], [], 0


class Apart(Exception):
    """A fit that draws or grows more than the first one did, or draws from other numbers."""


class Grown(NamedTuple):
    """Trees that compiled code has grown: by which rule, what it read for each tree, and what it returned."""

    rule: str
    read: list
    trees: object
    after: dict


def _watched_growth(original, calls, first):
    """A grower of trees, of a table or of columns of codes; the second fit gets the trees of the first."""

    def grow(table, codes, y, n_classes, parts, rule, *, rng, n_jobs=None):
        X = np.asarray(codes if isinstance(table, Domain) else table.T, dtype=np.float64)
        parts = [np.arange(len(y)) if part is None else part for part in parts]
        rows = [row.tobytes() for row in np.column_stack([X, y])]
        read = [Counter(rows[i] for i in part) for part in parts]
        if first is not None and len(calls.grown) == len(first.grown):
            raise Apart
        if first is None:
            trees, stats = original(table, codes, y, n_classes, parts, rule, rng=rng, n_jobs=n_jobs)
        else:
            trees = first.grown[len(calls.grown)].trees
            stats = import_module("dplit.baselines._shared").leaf_stats(trees, X, y, n_classes, parts)
            rng.bit_generator.state = first.grown[len(calls.grown)].after
        calls.grown.append(Grown(repr(rule), read, trees, rng.bit_generator.state))
        return trees, stats

    return grow


def _growth(one, other):
    """What two fits lose by trees that read other records: each record costs what a tree's levels do."""
    pairs = list(zip(one.grown, other.grown))
    alike = all(a.rule == b.rule and len(a.read) == len(b.read) for a, b in pairs)
    if not alike or len(one.grown) != len(other.grown) or one.levels != other.levels:
        return math.inf
    moved = sum(((p - q) + (q - p)).total() for a, b in pairs for p, q in zip(a.read, b.read))
    return moved * one.levels[-1] if moved and one.levels else 0.0  # the last are those of the budget


@contextmanager
def lockstep(first=None):
    """The draws of all mechanisms while it lasts, as `Calls`; released is what came in `first`."""
    calls, originals = Calls(), {kind: kind.sample for kind in WATCHED}
    drawn_at, drawing, generator = set(), set(), WithNoise._generator

    def watched(original):
        def sample(self, values, *rest, rng):
            if drawing:  # one mechanism proposes what another one takes: theirs is one draw
                return original(self, values, *rest, rng=rng)
            if first is not None and (
                len(calls) == len(first) or np.shape(values) != first[len(calls)].values.shape
            ):
                raise Apart
            at = str(rng.bit_generator.state)
            own = isinstance(rng, (OfTheFit, ExactOfTheFit)) and at not in drawn_at
            drawn_at.add(at)
            drawing.add(at)
            released = original(self, values, *rest, rng=rng)
            drawing.clear()
            if first is not None:
                released = copy(first[len(calls)].released)
                if own:
                    rng.bit_generator.state = first[len(calls)].after
            weight = self.rate if hasattr(self, "rate") else 1 / _width(self)
            words, values = repr(self) if own else BORROWED, np.array(values, dtype=np.float64)
            calls.append(Call(words, weight, values, copy(released), rng.bit_generator.state))
            return released

        return sample

    def fresh(forest):
        if forest.noise == "secure":
            calls.sources += 1  # a fit inside of this one has bits of its own
            return ExactOfTheFit(np.random.PCG64(calls.sources))
        return OfTheFit(generator(forest).bit_generator)

    def levels(node, depth):
        found = levels_of(node, depth)
        calls.levels.append(found.epsilon)
        return found

    levels_of = releases.levels
    with ExitStack() as patches:
        places = [(WithNoise, "_generator", fresh), (releases, "levels", levels), (Coupled, "drawn", calls.drawn)]
        places.append((Coupled, "given", None if first is None else first.drawn))
        places += [(kind, "sample", watched(original)) for kind, original in originals.items()]
        for module, name in GROWERS:
            module = import_module(f"dplit.{module}")
            places.append((module, name, _watched_growth(getattr(module, name), calls, first)))
        for place in places:
            patches.enter_context(patch.object(*place))
        yield calls


def _width(noise):
    """Scale of Laplace noise, deviation of Gaussian noise."""
    return noise.sigma if isinstance(noise, DiscreteGaussian) else noise.scale


def lost(one, other):
    r"""The most that a draw loses between the inputs of two calls: epsilon, and rho of zero-concentrated privacy.

    Both are infinite if the calls are not of one kind. A choice by the exponential mechanism whose log-ratios lie
    within a range of :math:`\eta` is :math:`\eta^2/8`-zCDP (Cesar and Rogers 2021).
    """
    if BORROWED in (one.mechanism, other.mechanism):
        return math.inf, math.inf
    if one.mechanism != other.mechanism or one.values.shape != other.values.shape:
        return math.inf, math.inf
    moved = one.weight * (other.values - one.values)
    kind = one.mechanism.partition("(")[0]
    if kind == "DiscreteGaussian":
        return math.inf if moved.any() else 0.0, float(np.square(moved).sum()) / 2
    if kind not in ("PermuteAndFlip", "Exponential"):
        epsilon = float(abs(moved).sum())
        return epsilon, epsilon**2 / 2
    rows = moved.reshape(-1, moved.shape[-1])  # a row is a choice of its own
    if kind == "Exponential":
        ranges = np.ptp(rows, axis=1)
        return float(ranges.sum()), float(np.square(ranges).sum()) / 8
    up, down = np.maximum(rows, 0).max(axis=1), np.maximum(-rows, 0).max(axis=1)
    return float((up + down).sum()), float(np.square(up + down).sum()) / 2


def in_lockstep(fit, data, neighbour, more_first=False):
    """The loss of a fit between two inputs, at most, and its budget; where that has a delta, at this delta."""
    with lockstep() as first:
        one, *said = _said(fit, data)
    other, *saying = None, "it draws more"
    with lockstep(first) as second, patch.object(Coupled, "first", more_first), suppress(Apart):
        other, *saying = _said(fit, neighbour)
    if one is None or other is None:  # refused, in words that tell neither from the other
        return 0.0 if said == saying else math.inf, Budget(Spend("nothing", EPSILON))
    budget = one.budget_
    if len(first) != len(second) or not first or said != saying or stored(one) != stored(other):
        return math.inf, budget
    epsilon, rho = map(math.fsum, zip(*map(lost, first, second)))
    return min(epsilon + _growth(first, second), epsilon_of(rho, budget.delta)), budget


def _said(fit, data):
    """What is fitted, None if it is refused, and all that is printed, errors and warnings."""
    out = io.StringIO()
    with warnings.catch_warnings(record=True) as said, redirect_stdout(out), redirect_stderr(out):
        warnings.simplefilter("always")
        try:
            fitted, error = fit(*data), ""
        except (TypeError, ValueError) as refused:
            fitted, error = None, f"{type(refused).__name__}: {refused}"
    return fitted, error + out.getvalue(), sorted(str(w.message) for w in said)


def stored(fitted):
    """All that a fit holds but its seed, by name, and what is fitted inside of it: arrays as bytes, else text."""
    found = {}
    for name, value in vars(fitted).items():
        if name == "forest_":
            found |= stored(value)
        elif name == "trees_":
            found |= {part: np.asarray(a).tobytes() for part, a in vars(value).items()}
        elif name != "random_state":
            found[name] = held(value)
    return found


def held(value):
    """What is compared of a value; a source of randomness is like no other one, since noise can be had from it."""
    if isinstance(value, SOURCES):
        return object()
    if isinstance(value, np.ndarray):
        return str(value.tolist()) if value.dtype == object else value.tobytes()
    if isinstance(value, SAID):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [held(part) for part in value]
    inside = type(value).__module__.startswith("dplit.") and vars(value)
    parts = value if isinstance(value, dict) else inside or {}
    return type(value).__name__, {name: held(part) for name, part in parts.items()}


def in_turn(one, other):
    """The loss of what ``one(rng)`` and ``other(rng)`` draw, at most, and what the second has returned.

    It has no bound where they return other things, though the same was released to them.
    """
    with lockstep() as first:
        before = one(OfTheFit(np.random.PCG64(0)))
    returned, same = before, False
    with lockstep(first) as second, suppress(Apart):
        returned = other(OfTheFit(np.random.PCG64(0)))
        same = len(first) == len(second) and first and held(before) == held(returned)
    return math.fsum(lost(*pair)[0] for pair in zip(first, second)) if same else math.inf, returned
