"""The arithmetic of certificates: signs of formulas on a box, by Bernstein coefficients or by balls."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

try:
    import flint
except ImportError:  # `certify.certified` says so
    flint = None

HOLDS, REFUTED, OPEN = 1, -1, 0
CUBE = [(Fraction(0), Fraction(1))]
SERIES = 6  # terms of the series at the end of a range


def at_place(t, low, high):
    """Where the unit interval's `t` lies on a range."""
    if math.isinf(high):
        return exactly(low) + t / (1 - t) if t < 1 else math.inf
    return exactly(low) + (exactly(high) - exactly(low)) * t


def exactly(x):
    """A number of the file as it is written."""
    return Fraction(str(x))


def fmpq(x):
    return flint.fmpq(x.numerator, x.denominator)


def ball(x):
    return flint.arb(fmpq(x))


def cut_box(box, axis):
    """Both halves of a box of the unit cube."""
    low, high = box[axis]
    for ends in ((low, (low + high) / 2), ((low + high) / 2, high)):
        yield [*box[:axis], ends, *box[axis + 1 :]]


class Polynomials:
    """Signs of a rational function by the Bernstein coefficients of its numerator and denominator."""

    def __init__(self, statement):
        ranges = list(statement.where.values())
        self.strict, self.open = len(statement.relation) == 1, []
        self.whole = (CUBE * len(ranges), *(_bernstein(p, ranges) for p in statement.exact))

    def sign(self, piece):
        box, top, bottom = piece
        if _positive(-bottom, box, True):
            top, bottom = -top, -bottom
        if not _positive(bottom, box, True):
            return OPEN
        if _positive(top, box, self.strict):
            return HOLDS
        inside = (bottom > 0).all()
        return REFUTED if inside and ((top <= 0) if self.strict else (top < 0)).all() else OPEN

    def halves(self, piece, axis):
        box, *arrays = piece
        both = [_de_casteljau(array, axis) for array in arrays]
        for side, half in enumerate(cut_box(box, axis)):
            yield half, *(pair[side] for pair in both)


def _bernstein(polynomial, ranges):
    """Bernstein coefficients on the ranges, mapped to the unit cube; object array, an axis a parameter."""
    terms = {tuple(map(int, powers)): c for powers, c in polynomial.to_dict().items()}
    shape = [max((powers[i] for powers in terms), default=0) + 1 for i in range(len(ranges))]
    found = np.full(shape, flint.fmpq(0), dtype=object)
    for powers, c in terms.items():
        found[powers] = c
    for axis, (ends, length) in enumerate(zip(ranges, shape)):
        change = np.array([[_share(i, j, length - 1, *ends) for i in range(length)] for j in range(length)])
        found = np.moveaxis(np.tensordot(change, found, (1, axis)), 0, axis)
    return found


def _share(i, j, d, low, high):
    """What x^i on a range adds to coefficient j of degree d."""
    low, width = exactly(low), None if math.isinf(high) else exactly(high) - exactly(low)
    if width is None:
        return fmpq(Fraction(math.comb(i, j) * low ** max(i - j, 0)) / math.comb(d, j))
    powers = range(i + 1) if low else (i,)
    parts = (math.comb(i, k) * math.comb(j, k) * low ** (i - k) * width**k / math.comb(d, k) for k in powers)
    return fmpq(sum(parts, Fraction(0)))


def _de_casteljau(array, axis):
    """Coefficients on both halves of an axis."""
    rows = list(np.moveaxis(array, axis, 0))
    low, high = [rows[0]], [rows[-1]]
    while len(rows) > 1:
        rows = [(a + b) / flint.fmpq(2) for a, b in itertools.pairwise(rows)]
        low.append(rows[0])
        high.append(rows[-1])
    return [np.moveaxis(np.stack(half), 0, axis) for half in (low, high[::-1])]


def _positive(array, box, strict):
    """Whether the coefficients prove that a polynomial is nowhere negative; strictly positive inside the cube."""
    if not (array >= 0).all():
        return False
    faces = [[slice(None), *([slice(0, 1)] * (low > 0)), *([slice(-1, None)] * (high < 1))] for low, high in box]
    return not strict or all((array[face] > 0).any() for face in itertools.product(*faces))


class Balls:
    """Signs of formulas with exp, log and the like, by enclosures."""

    def __init__(self, statement):
        self.statement, self.open = statement, []
        self.whole = (CUBE * len(statement.where),)

    def sign(self, piece):
        box = piece[0]
        balls = [_hull(*ends) for ends in box]
        found = self._margin(balls)
        if not (found > 0 or found < 0):
            slopes = [self._series(balls, i, 2)[1] for i in range(len(box))]
            shift = sum((s * (b - b.mid()) for s, b in zip(slopes, balls)), flint.arb(0))
            found = self._margin([flint.arb(b.mid()) for b in balls]) + shift
        if found > 0:
            return HOLDS
        if found < 0:
            return REFUTED
        ends = [(i, end) for i in range(len(box)) for end in (0, 1) if box[i][end] == end]
        return HOLDS if any(self._touches(balls, *one) for one in ends) else OPEN

    def _touches(self, balls, axis, end):
        """Whether both sides meet at this end of a parameter, and the statement is true beside it."""
        there = [flint.arb(end) if i == axis else b for i, b in enumerate(balls)]
        at_end, beside = (self._series(where, axis, SERIES) for where in (there, balls))
        for k in range(1, SERIES):
            if not (at_end[k - 1].is_zero() and at_end[k - 1].is_exact()):
                return False
            if (-1) ** (k * end) * beside[k] > 0:
                return True
        return False

    def _margin(self, places):
        return self._difference([flint.arb_series([t], 1) for t in places], 1)[0]

    def _series(self, places, axis, length):
        """Taylor coefficients of right - left along a parameter, over all of `places`."""
        tops = [flint.arb_series([t, 1] if i == axis else [t], length) for i, t in enumerate(places)]
        return self._difference(tops, length)

    def _difference(self, places, length):
        number = lambda x: flint.arb_series([ball(x)], length)  # noqa: E731
        before, flint.ctx.cap = flint.ctx.cap, length  # so many terms of a series
        given = {}
        for (name, (low, high)), t in zip(self.statement.where.items(), places):
            span = t / (number(Fraction(1)) - t) if math.isinf(high) else t * number(exactly(high) - exactly(low))
            given[name] = number(exactly(low)) + span
        try:
            left, right = self.statement.values(given, number)
            found = left - right if self.statement.relation.startswith(">") else right - left
            return [found[k] for k in range(length)]
        except ValueError:  # a denominator that may be 0 on the box
            return [flint.arb("nan")] * length
        finally:
            flint.ctx.cap = before

    def halves(self, piece, axis):
        return ((half,) for half in cut_box(piece[0], axis))


def _hull(low, high):
    """The ball of an interval with dyadic ends."""
    return flint.arb(fmpq((low + high) / 2), fmpq((high - low) / 2))
