"""Small changes of the code that decides privacy: every place where one operator, number or call could be another.

What only refuses a wrong argument is left alone, and so are annotations, decorators and texts.
"""

import ast
import copy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import dplit

DECIDING = (  # modules that decide what a record can change, and how much noise hides it
    "mechanisms.*", "budget.*", "domain.columns", "domain.schema", "matrix.release",
    "matrix.subsample", "matrix.gaussian", "matrix.knorm", "matrix.treenorm", "matrix.exact_treenorm",
    "matrix.strategies.*", "boosting.grid", "boosting.plan", "boosting.residuals", "boosting.step",
    "trees.cuts", "trees.exact_*", "trees.greedy*", "trees.grid", "trees.levels", "trees.median",
    "trees.multinomial", "trees.nodes", "trees.normalised", "trees.random*", "trees.rules",
    "trees.scores", "trees.subsets", "forests.*releases", "forests.blocks*", "forests.boosted*", "forests.base",
    "forests.cells", "forests.ensembles", "forests.histogram", "forests.matrix*", "forests.median",
    "forests.multinomial", "forests.noise", "forests.partition", "forests.preset", "metrics",
    "forests.random_decision", "forests.randomness", "forests.reading", "forests.targets", "baselines.*",
)  # fmt: skip
# The last four fit a strategy to public trees: what they find costs accuracy, and is held to its own norm.
NOT_DECIDING = ("*.__init__", "budget.statement", "baselines.comparison", "baselines.consistent",
                "baselines._plain", *(f"matrix.strategies.{name}" for name in (
                    "designs", "p_identity", "selection", "spectrum")))  # fmt: skip
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
         ast.FloorDiv: ast.Div}  # fmt: skip
EDGES = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
OTHERS = [("min", "max"), ("minimum", "maximum"), ("any", "all"), ("ceil", "floor"), ("exp", "expm1"),
          ("log", "log1p"), ("argmax", "argmin")]  # fmt: skip
OTHER = dict([*OTHERS, *(pair[::-1] for pair in OTHERS)])
LEFT_ALONE = {"annotation", "returns", "decorator_list", "type_comment", "ctx", "op", "ops", "pattern"}


@dataclass(frozen=True)
class Change:
    """One expression of the package, and what stands in its place."""

    module: str  #: As "trees.greedy_levels".
    function: str  #: As "Rule.of"; empty for what runs at import.
    line: int
    kind: str  #: What a careless hand does, in words.
    before: str  #: Source of the expression.
    after: str
    number: int  #: Which of the equal changes of the function, from 0.

    @property
    def key(self):
        """What names it as long as its function stays as it is; lines above it may come and go."""
        words = f"{self.module}:{self.function}: {self.before} -> {self.after}"
        return f"{words} #{self.number}" if self.number else words


def modules() -> list[str]:
    """Names of the modules that decide privacy, without ``dplit.``, in order."""
    root = Path(dplit.__file__).parent
    names = (".".join(p.relative_to(root).with_suffix("").parts) for p in root.rglob("*.py"))
    fits = lambda name, patterns: any(fnmatchcase(name, p) for p in patterns)  # noqa: E731
    return sorted(n for n in names if fits(n, DECIDING) and not fits(n, NOT_DECIDING))


@cache
def text_of(module: str) -> str:
    """Source of a module; empty of one that is there no more."""
    found = find_spec(f"dplit.{module}")
    return Path(found.origin).read_text("utf-8") if found else ""


@cache
def changes_of(module: str) -> tuple[Change, ...]:
    """Every `Change` of one module, in the order of its source."""
    seen, found = {}, []
    for _, _, node, function, kind, after in _places(ast.parse(text_of(module))):
        parts = (module, function, _brief(node), _brief(after))
        number = seen[parts] = seen.get(parts, -1) + 1
        found.append(Change(module, function, node.lineno, kind, *parts[2:], number))
    return tuple(found)


def changed(change: Change) -> str:
    """Return the source of its module with one change made.

    ValueError if the module does not hold it, since its function was rewritten.
    """
    keys = [c.key for c in changes_of(change.module)]
    if change.key not in keys:
        raise ValueError(f"no such place in the present source: {change.key}")
    tree = ast.parse(text_of(change.module))
    owner, place, *_, after = list(_places(tree))[keys.index(change.key)]
    if isinstance(place, tuple):
        getattr(owner, place[0])[place[1]] = after
    else:
        setattr(owner, place, after)
    return ast.unparse(ast.fix_missing_locations(tree))


def _brief(node):
    """Source of an expression, and of a statement its first line."""
    if isinstance(node, ast.If):
        return f"if {ast.unparse(node.test)}:"
    return ast.unparse(node)


def _places(node, function=""):
    """(owner, field or (field, index), node, function, kind, replacement) of every change below `node`."""
    for field, value in ast.iter_fields(node):
        if field in LEFT_ALONE:
            continue
        many = isinstance(value, list)
        for i, child in enumerate(value if many else [value]):
            if not isinstance(child, ast.AST) or _only_refuses(child):
                continue
            place = (field, i) if many else field
            for kind, after in _alternatives(child):
                yield node, place, child, function, kind, after
            yield from _places(child, _inside(node, field, child, function))


def _inside(node, field, child, function):
    """The function that runs `child`: defaults are computed outside of it, and a class's body at import."""
    if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
        return f"{function}.{child.name}".lstrip(".")
    if isinstance(child, ast.arguments):
        return function.rpartition(".")[0]
    return function


def _only_refuses(node):
    """Whether a statement or call is there to refuse a wrong argument, or to say something."""
    if isinstance(node, ast.If):
        return all(isinstance(step, ast.Raise) for step in node.body) and not node.orelse
    if isinstance(node, ast.Expr):
        return _only_refuses(node.value)
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).split(".")[-1].startswith("check_")
    return isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom))


def _alternatives(node):
    """(kind, replacement) for each careless change of one node."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in SIGNS:
            yield "another sign", ast.BinOp(left, SIGNS[type(op)](), right)
            if isinstance(op, (ast.Mult, ast.Div, ast.Add, ast.Sub)):
                yield "a part is left out", left
            if isinstance(op, (ast.Mult, ast.Add)):
                yield "a part is left out", right
        case ast.AugAssign(target, op, value) if type(op) in SIGNS:
            yield "another sign", ast.AugAssign(target, SIGNS[type(op)](), value)
        case ast.Compare(left, [op], [right]) if type(op) in EDGES:
            yield "the edge of a comparison", ast.Compare(left, [EDGES[type(op)]()], [right])
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and for or", ast.BoolOp(other, values)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield "a sign or a not is left out", operand
        case ast.Constant(bool(value)):
            yield "the other of True and False", ast.Constant(not value)
        case ast.Constant(int(value)):
            yield "off by one", ast.Constant(value + 1)
        case ast.Constant(float(value)):
            yield "twice a number", ast.Constant(2 * value)
        case ast.If() | ast.IfExp():
            turned = copy.copy(node)
            turned.test = ast.UnaryOp(ast.Not(), node.test)
            yield "a condition is turned round", turned
        case ast.Expr(ast.Call()):
            yield "a call is left out", ast.Pass()
        case ast.Call(func, args, keywords):
            yield from _calls(func, args, keywords)


def _calls(func, args, keywords):
    """(kind, replacement) for a call: another function, or its first two arguments exchanged."""
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    if name in OTHER:
        other = copy.copy(func)
        setattr(other, "attr" if isinstance(func, ast.Attribute) else "id", OTHER[name])
        yield "another function", ast.Call(other, args, keywords)
    plain = len(args) > 1 and not any(isinstance(a, ast.Starred) for a in args[:2])
    if plain and ast.dump(args[0]) != ast.dump(args[1]) and name not in OTHER:
        yield "two arguments exchanged", ast.Call(func, [args[1], args[0], *args[2:]], keywords)
