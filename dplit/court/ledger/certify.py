"""Certificates: a statement over whole ranges of its parameters, decided box by box in exact or ball arithmetic.

``data/certificates/CHAPTER.toml`` holds each statement as text, written from the paper's words and not from the
code that it is held against: ``holds``, two formulas and what must hold between them; ``where``, the range of
each parameter; ``let``, names for parts of the formulas; ``whole``, parameters that count; ``means``, what the
parameters stand for. Names of statements are ids of claims, with a word after a colon if a claim has several.
``<`` is meant inside the ranges, ``<=``, and ``=`` of counts, at their ends too where both sides are defined.
Ranges without an end are mapped to the unit interval, ``x = lower + t/(1 - t)``. Derived in :doc:`/book/audit`.
"""

from __future__ import annotations

import ast
import json
import math
import operator
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property

from dplit.court.ledger.compare import Compared, same
from dplit.court.ledger.enclose import CUBE, HOLDS, OPEN, REFUTED, Balls, Polynomials, at_place, ball, fmpq
from dplit.ground.errors import MissingExtra
from dplit.ground.printed import data_file
from dplit.ground.work import Effort
from dplit.ground.writing import write_whole

try:
    import flint
except ImportError:  # `certified` says so
    flint = None

DEPTHS = (0, 3, 6, 9, 12, 15)  # halvings, until a statement is decided
PLACES = (Fraction(1, 3), Fraction(3, 4), Fraction(9, 10))  # where code is compared, on the unit interval
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


class _InWords(dict):
    """A box, in a note as "a from 0 to 1, n from 2 on"."""

    def __format__(self, spec):
        return ", ".join(f"{n} from {a:g} {'on' if math.isinf(b) else f'to {b:g}'}" for n, (a, b) in self.items())


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
        inside = {n: len(self.relation) == 1 and (n not in self.whole or self.relation != "=") for n in self.where}
        ends = (
            f"{name} {above} {low:g}" if math.isinf(high) else f"{low:g} {less} {name} {less} {high:g}"
            for name, (low, high) in self.where.items()
            for less, above in [("<", ">") if inside[name] else ("<=", ">=")]
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
        return {name: at_place(t, *self.where[name]) for name, t in zip(self.where, places)}

    def numbers(self, given):
        """Both sides as floats; `given` as numbers."""
        exact = {n: flint.arb(fmpq(Fraction(x))) for n, x in given.items()}
        return tuple(float(side.mid()) for side in self.values(exact, ball))

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
            left, right = self.values(names, lambda x: Ratio(context.constant(fmpq(x)), one))
        except AttributeError:
            return None
        return (left - right if self.relation.startswith(">") else right - left).reduced()

    def decided(self, tree: str = "") -> Found:
        """Verify the boxes of `tree`, or find boxes: what is decided, with the boxes, or the first that is not."""
        if self.relation == "=":
            return self._equality()
        prover = Balls(self) if self.exact is None else Polynomials(self)
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
        shown = {n: [float(at_place(t, *self.where[n])) for t in ends] for n, ends in zip(self.where, box)}
        return Found(state, "", shown, self.at([sum(ends) / 2 for ends in box]))


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
    name: str | Statement | tuple[str, ...],
    effort: Effort,
    met: bool | None = None,
    broken: str = "",
    **sides: Callable,
) -> Iterator[Compared]:
    """The statement `name` over its whole range, and at three points the code that computes its `left` or `right`.

    Quick effort verifies the stored boxes, deep effort finds them anew. The functions take the statement's
    parameters by name. `name` may be a statement itself, or several names. `met` and `broken` as of a `Compared`.
    """
    if isinstance(name, tuple):
        for one in name:
            yield from certified(one, effort, met, broken, **sides)
        return
    if flint is None:
        raise MissingExtra("certificates need python-flint: pip install 'dplit[certify]'")
    statement, tree = (name, ".") if isinstance(name, Statement) else (statements()[name], boxes().get(name, "."))
    found = statement.decided("" if effort == "deep" else tree)
    at = found.middle or statement.at([Fraction(1, 2)] * len(statement.where))
    data = {"statement": statement.holds.replace("**", "^"), "where": statement.words, "boxes": found.boxes}
    if found.state != HOLDS:
        data |= {"refuted" if found.state == REFUTED else "open": _InWords(found.box)}
    left, right = statement.numbers(at)
    shown = statement.relation != "<=" or met is not None  # before others, but the nearest of bounds
    yield Compared(left, statement.relation, right, found.state == HOLDS, data, met, broken, decisive=shown)
    for side, code in sides.items():
        for given in statement.points():
            stated = statement.numbers(given)[("left", "right").index(side)]
            plain = {n: x if n in statement.whole else float(x) for n, x in given.items()}
            yield same(code(**plain), stated, 1e-7, broken=broken, of=side, **plain)
