"""Certificates: a statement over whole ranges of its parameters, decided box by box in exact or ball arithmetic.

``data/certificates/CHAPTER.toml`` holds each statement as text, written from the paper's words and not from the
code that it is held against: ``holds``, two formulas and what must hold between them; ``where``, the range of
each parameter; ``let``, names for parts of the formulas; ``whole``, parameters that count; ``means``, what the
parameters stand for. Names of statements are ids of claims, with a word after a colon if a claim has several.

Rational formulas are decided in fractions: the numerator of right - left is written in the Bernstein basis of a
box, where coefficients of one sign prove the sign of the polynomial on all of it, its edges too. Ranges without
an end are mapped to the unit interval, ``x = lower + t/(1 - t)``. An equality holds where the numerator is zero.
Other formulas are enclosed in balls; where both sides meet at the end of a range, the first terms of the series
there must vanish exactly and the next one have a sign on the whole box. What is not decided is cut in halves, one
parameter after the other. ``<`` is meant inside the ranges, ``<=`` at their ends too where both sides are defined.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import operator
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from dplit.court.ledger.compare import Compared, same
from dplit.ground.printed import data_file
from dplit.ground.work import Effort
from dplit.ground.writing import write_whole

try:
    import flint
except ImportError:  # `certified` says so
    flint = None

DEPTHS = (0, 3, 6, 9, 12, 15)  # halvings, until a statement is decided
SERIES = 6  # terms of the series at the end of a range
PLACES = (Fraction(1, 3), Fraction(3, 4), Fraction(9, 10))  # where code is compared, on the unit interval
HOLDS, REFUTED, OPEN = 1, -1, 0
CUBE = [(Fraction(0), Fraction(1))]
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.Pow: operator.pow}  # fmt: skip
RELATIONS = {ast.LtE: "<=", ast.Lt: "<", ast.Eq: "=", ast.GtE: ">=", ast.Gt: ">"}


class Ratio:
    """A rational function: a pair of polynomials with rational coefficients."""

    def __init__(self, top, bottom):
        self.top, self.bottom = top, bottom

    def __add__(self, other):
        return Ratio(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __sub__(self, other):
        return self + Ratio(-other.top, other.bottom)

    def __mul__(self, other):
        return Ratio(self.top * other.top, self.bottom * other.bottom)

    def __truediv__(self, other):
        return Ratio(self.top * other.bottom, self.bottom * other.top)

    def __pow__(self, n):
        return Ratio(self.top**n, self.bottom**n) if n >= 0 else Ratio(self.bottom**-n, self.top**-n)

    def reduced(self):
        shared = self.top.gcd(self.bottom)
        return self.top / shared, self.bottom / shared


def _value(node, names, number):
    """A formula's value in the arithmetic of `names`; `number` makes constants."""
    if isinstance(node, ast.Constant):
        return number(Fraction(str(node.value)))
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.UnaryOp):
        return number(Fraction(0)) - _value(node.operand, names, number)
    if isinstance(node, ast.Call):
        return getattr(_value(node.args[0], names, number), node.func.id)()
    left = _value(node.left, names, number)
    if isinstance(node.op, ast.Pow):
        return left ** int(ast.literal_eval(node.right))
    return OPERATORS[type(node.op)](left, _value(node.right, names, number))


@dataclass(frozen=True)
class Found:
    """What became of a statement: `state`, the boxes as a tree, and the box that refutes it or stays open.

    `tree`: "." is a box that is decided, "/" one that is cut in halves, which follow; along the first
    parameter, then the second, and round again. `middle` is a point inside of `box`.
    """

    state: int
    tree: str = ""
    box: dict = field(default_factory=dict)
    middle: dict = field(default_factory=dict)

    @property
    def boxes(self):
        return self.tree.count(".")


class _Refuted(Exception):
    pass


@dataclass(frozen=True)
class Statement:
    """Two formulas, what must hold between them, and the ranges of their parameters, dict of name to (low, high).

    `means`: what the parameters stand for.
    """

    holds: str
    where: dict
    let: dict = field(default_factory=dict)
    whole: tuple = ()
    means: str = ""

    @cached_property
    def sides(self):
        """(left, relation, right), formulas as syntax trees."""
        comparison = ast.parse(self.holds.replace(" = ", " == "), mode="eval").body
        return comparison.left, RELATIONS[type(comparison.ops[0])], comparison.comparators[0]

    @property
    def relation(self):
        return self.sides[1]

    @property
    def words(self):
        """The ranges in words: "0 < a < 1, n > 2"."""
        less = "<" if len(self.relation) == 1 else "<="
        above = less.replace("<", ">")
        ends = (
            f"{name} {above} {low:g}" if math.isinf(high) else f"{low:g} {less} {name} {less} {high:g}"
            for name, (low, high) in self.where.items()
        )
        return ", ".join(ends) + (f"; {self.means}" if self.means else "")

    def values(self, given, number):
        """Both sides at `given`, dict of parameter to value, in the arithmetic of those."""
        names = dict(given)
        for name, text in self.let.items():
            names[name] = _value(ast.parse(text, mode="eval").body, names, number)
        left, _, right = self.sides
        return _value(left, names, number), _value(right, names, number)

    def at(self, places):
        """Parameters at places of the unit cube."""
        return {name: _at(t, *self.where[name]) for name, t in zip(self.where, places)}

    def numbers(self, given):
        """Both sides as floats; `given` as numbers."""
        exact = {n: flint.arb(_fmpq(Fraction(x))) for n, x in given.items()}
        return tuple(float(side.mid()) for side in self.values(exact, _ball))

    def points(self):
        """Parameters at which code is compared: three lists inside the ranges, counts as whole numbers."""
        for k in range(len(PLACES)):
            given = self.at([PLACES[(k + i) % len(PLACES)] for i in range(len(self.where))])
            for name in self.whole:
                low, high = self.where[name]
                given[name] = int(min(low + (0, 1, 4)[k], high))
            yield given

    @cached_property
    def exact(self):
        """(numerator, denominator) of right - left as polynomials, None if a formula is not rational."""
        context = flint.fmpq_mpoly_ctx.get(tuple(self.where), "lex")
        one = context.constant(1)
        names = {n: Ratio(g, one) for n, g in zip(self.where, context.gens())}
        try:
            left, right = self.values(names, lambda x: Ratio(context.constant(_fmpq(x)), one))
        except AttributeError:
            return None
        return (left - right if self.relation.startswith(">") else right - left).reduced()

    def decided(self, tree: str = "") -> Found:
        """Verify the boxes of `tree`, or find boxes: what is decided, with the boxes, or the first that is not."""
        if self.relation == "=":
            return self._equality()
        prover = _Balls(self) if self.exact is None else _Polynomials(self)
        try:
            for depth in (None,) if tree else DEPTHS:
                found = "".join(_search(prover, prover.whole, 0, depth, iter(tree)))
                if "?" not in found:
                    return Found(HOLDS, found)
                if tree:
                    return self.decided()
        except _Refuted as refuted:
            return self._at_box(REFUTED, refuted.args[0])
        return self._at_box(OPEN, prover.open[-1])

    def _equality(self):
        if self.exact is None:
            return Found(OPEN)
        if self.exact[0].is_zero():
            return Found(HOLDS, ".")
        for relation in (" < ", " > "):
            apart = Statement(self.holds.replace(" = ", relation), self.where, self.let).decided()
            if apart.state == REFUTED:
                return apart
        return self._at_box(REFUTED, CUBE * len(self.where))

    def _at_box(self, state, box):
        shown = {n: [float(_at(t, *self.where[n])) for t in ends] for n, ends in zip(self.where, box)}
        return Found(state, "", shown, self.at([sum(ends) / 2 for ends in box]))


def _at(t, low, high):
    """Where the unit interval's `t` lies on a range."""
    if math.isinf(high):
        return _exactly(low) + t / (1 - t) if t < 1 else math.inf
    return _exactly(low) + (_exactly(high) - _exactly(low)) * t


def _exactly(x):
    """A number of the file as it is written."""
    return Fraction(str(x))


def _fmpq(x):
    return flint.fmpq(x.numerator, x.denominator)


def _ball(x):
    return flint.arb(_fmpq(x))


def _search(prover, piece, depth, most, tree):
    """The tree of boxes under `piece`, as its letters; "?" is an open box at `most` halvings."""
    cut = next(tree, None) == "/" if most is None else None
    if not cut:
        state = prover.sign(piece)
        if state == REFUTED:
            raise _Refuted(piece[0])
        if state == HOLDS:
            yield "."
            return
        if most is None or depth >= most:
            prover.open.append(piece[0])
            yield "?"
            return
    yield "/"
    for half in prover.halves(piece, depth % len(piece[0])):
        yield from _search(prover, half, depth + 1, most, tree)


def _cut(box, axis):
    """Both halves of a box of the unit cube."""
    low, high = box[axis]
    for ends in ((low, (low + high) / 2), ((low + high) / 2, high)):
        yield [*box[:axis], ends, *box[axis + 1 :]]


class _Polynomials:
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
        for side, half in enumerate(_cut(box, axis)):
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
    low, width = _exactly(low), None if math.isinf(high) else _exactly(high) - _exactly(low)
    if width is None:
        return _fmpq(Fraction(math.comb(i, j) * low ** max(i - j, 0)) / math.comb(d, j))
    parts = (math.comb(i, k) * math.comb(j, k) * low ** (i - k) * width**k / math.comb(d, k) for k in range(i + 1))
    return _fmpq(sum(parts, Fraction(0)))


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


class _Balls:
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
        number = lambda x: flint.arb_series([_ball(x)], length)  # noqa: E731
        before, flint.ctx.cap = flint.ctx.cap, length  # so many terms of a series
        given = {}
        for (name, (low, high)), t in zip(self.statement.where.items(), places):
            span = (
                t / (number(Fraction(1)) - t) if math.isinf(high) else t * number(_exactly(high) - _exactly(low))
            )
            given[name] = number(_exactly(low)) + span
        try:
            left, right = self.statement.values(given, number)
            found = left - right if self.statement.relation.startswith(">") else right - left
            return [found[k] for k in range(length)]
        finally:
            flint.ctx.cap = before

    def halves(self, piece, axis):
        return ((half,) for half in _cut(piece[0], axis))


def _hull(low, high):
    """The ball of an interval with dyadic ends."""
    return flint.arb(_fmpq((low + high) / 2), _fmpq((high - low) / 2))


@cache
def statements():
    """Every statement, dict of name to `Statement`."""
    found = {}
    for path in sorted(_folder().glob("*.toml")):
        found |= {name: Statement(**(one | {"whole": tuple(one.get("whole", ()))}))
                  for name, one in tomllib.loads(path.read_text("utf-8")).items()}  # fmt: skip
    return found


@cache
def boxes():
    """The boxes of each statement that needs more than one, dict of name to a tree as of `Found`."""
    path = _folder() / "boxes.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def store_boxes() -> None:
    """Find the boxes of every statement anew and keep those that need more than one."""
    found = {name: one.decided() for name, one in statements().items()}
    kept = {name: one.tree for name, one in sorted(found.items()) if one.state == HOLDS and one.boxes > 1}
    write_whole(_folder() / "boxes.json", f"{json.dumps(kept, indent=1)}\n".encode())


def _folder():
    return data_file("verdicts.csv").parent / "certificates"


def over(*names: str) -> dict[str, str]:
    """Fields of a claim that rests on these statements: its kind of evidence, and the ranges with their boxes."""
    counts = [boxes().get(name, ".").count(".") for name in names]
    words = [f"{statements()[n].words} ({k} box{'es' * (k > 1)})" for n, k in zip(names, counts)]
    return {"kind": "certified", "range": "all " + "; all ".join(dict.fromkeys(words))}


def certified(
    name: str, effort: Effort, met: bool | None = None, broken: str = "", **sides: Callable
) -> Iterator[Compared]:
    """The statement `name` over its whole range, and at three points the code that computes its `left` or `right`.

    Quick effort verifies the stored boxes, deep effort finds them anew. The functions take the statement's
    parameters by name. `met` and `broken` as of a `Compared`.
    """
    if flint is None:
        raise ImportError("certificates need python-flint: pip install 'dplit[certify]'")
    statement = statements()[name]
    found = statement.decided("" if effort == "deep" else boxes().get(name, "."))
    at = found.middle or statement.at([Fraction(1, 2)] * len(statement.where))
    data = {"statement": statement.holds, "where": statement.words, "boxes": found.boxes}
    if found.state != HOLDS:
        data |= {"refuted" if found.state == REFUTED else "open": found.box}
    left, right = statement.numbers(at)
    shown = statement.relation != "<=" or met is not None  # before others, but the nearest of bounds
    yield Compared(left, statement.relation, right, found.state == HOLDS, data, met, broken, decisive=shown)
    for side, code in sides.items():
        for given in statement.points():
            stated = statement.numbers(given)[("left", "right").index(side)]
            plain = {n: x if n in statement.whole else float(x) for n, x in given.items()}
            yield same(code(**plain), stated, 1e-7, broken=broken, of=side, **plain)
