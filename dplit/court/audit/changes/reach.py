"""Which subjects of ``dplit audit`` run a change: lines are traced, compiled code is followed by names.

Python tells which lines it runs. Of compiled functions it does not, so that a subject counts as running one if it
runs a Python function that names it, or names another compiled one from which it can be called.
"""

import ast
import sys
import threading
from functools import cache
from pathlib import Path
from typing import NamedTuple

import dplit
from dplit.court.audit.changes.sites import Change
from dplit.court.audit.suite import every_subject
from dplit.ground.work import Effort, stream

PACKAGE = Path(dplit.__file__).parent
AUDIT = str(Path(__file__).parents[1])
COMPILERS = ("njit", "overload", "register_jitable", "vectorize")
DRAWS = 16  # on each input, while lines are traced: one for each block of `dplit.court.audit.blackbox`
CALLS = 100_000  # of functions; a subject is traced no longer, and not asked about what it runs later


class Trace(NamedTuple):
    """What one subject runs: (module, line) pairs, and (module, function or class) pairs."""

    lines: frozenset
    functions: frozenset


def traced(name: str, wanted: dict[str, set]) -> Trace:
    """Run one subject with few draws; `wanted` has the lines of each module that are looked for."""
    check, watch = every_subject()[name].check, _Watch(wanted)
    threading.settrace(watch)
    sys.settrace(watch)
    try:
        if hasattr(check, "drawn"):
            check.drawn(DRAWS, stream(name))
        else:
            check(Effort("quick"), stream(name))
    except _Enough:
        pass
    finally:
        sys.settrace(None)
        threading.settrace(None)
    return Trace(frozenset(watch.lines), frozenset(watch.functions))


class _Enough(Exception):
    """A subject has been traced for long enough."""


class _Watch:
    """A trace function: lines are followed only as long as a function has wanted ones that did not run."""

    def __init__(self, wanted):
        self.wanted, self.left, self.module = wanted, {}, {}
        self.lines, self.functions, self.calls = set(), set(), 0

    def __call__(self, frame, event, arg):
        self.calls += 1
        if self.calls > CALLS and frame.f_code.co_filename.startswith(AUDIT):
            raise _Enough  # from the audit's own code, for a compiler would not take it well
        code = frame.f_code
        left = self.left.get(code)
        if left is None:
            left = self.left[code] = self._first(code)
        return self._line if left else None

    def _first(self, code):
        """Lines of a function that is called for the first time, none of them run yet."""
        module = self.module[code] = module_of(code.co_filename)
        if module is None:
            return set()
        self.functions.add((module, code.co_qualname.split(".")[0]))
        own = {line for _, _, line in code.co_lines()}
        return own & self.wanted.get(module, frozenset())

    def _line(self, frame, event, arg):
        left, line = self.left[frame.f_code], frame.f_lineno
        if line in left:
            left.discard(line)
            self.lines.add((self.module[frame.f_code], line))
        return self._line if left else None


@cache
def module_of(filename: str) -> str | None:
    """Module of the package that a file is, without ``dplit.``; None for all other files."""
    try:
        inside = Path(filename).relative_to(PACKAGE)
    except ValueError:
        return None
    return ".".join(inside.with_suffix("").parts).removesuffix(".__init__")


@cache
def _names():
    """For each (module, function or class): what it names of the package; and the compiled ones."""
    edges, compiled, loose = {}, set(), set()
    for path in PACKAGE.rglob("*.py"):
        module, tree = module_of(str(path)), ast.parse(path.read_text("utf-8"))
        known = {node.name: (module, node.name) for node in tree.body if hasattr(node, "name")}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dplit."):
                home = node.module.removeprefix("dplit.")
                known |= {a.asname or a.name: (home, a.name) for a in node.names}
        for node in tree.body:
            if not hasattr(node, "name"):
                continue
            here = (module, node.name)
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            edges.setdefault(here, set()).update(known[n] for n in names & known.keys())
            for decorator in getattr(node, "decorator_list", ()):
                words = ast.unparse(decorator)
                if words.split("(")[0] in COMPILERS:
                    compiled.add(here)
                if words.startswith("overload("):  # calls of the stub are calls of this
                    stub = known[ast.unparse(decorator.args[0])]
                    edges.setdefault(stub, set()).add(here)
                    compiled.add(stub)
                    loose |= edges[here]
    return edges, compiled | {n for n in loose & edges.keys() if not n[1][:1].isupper()}


def is_compiled(change: Change) -> bool:
    """Whether a change is in code that numba compiles."""
    return (change.module, change.function.split(".")[0]) in _names()[1]


@cache
def _callers(target):
    """Every (module, function or class) from which a compiled function is called, through compiled ones alone."""
    edges, compiled = _names()
    found, left = {target}, [target]
    while left:
        here = left.pop()
        for caller, named in edges.items():
            if here in named and caller not in found:
                found.add(caller)
                left += [caller] if caller in compiled else []
    return frozenset(found)


def runs(trace: Trace, change: Change) -> bool:
    """Whether a subject runs a change, by its `Trace`."""
    if is_compiled(change):
        return bool(_callers((change.module, change.function.split(".")[0])) & trace.functions)
    at_import = not change.function or (change.function[0].isupper() and "." not in change.function)
    if at_import:
        return any(module == change.module for module, _ in trace.functions)
    return (change.module, change.line) in trace.lines


@cache
def importers(module: str) -> tuple[str, ...]:
    """Names of the modules that a module's compiled code may stand in, with ``dplit.``: those that import it."""
    found, left = {module}, [module]
    imports = {}
    for here, named in _names()[0].items():
        imports.setdefault(here[0], set()).update(home for home, _ in named)
    while left:
        one = left.pop()
        new = {m for m, named in imports.items() if one in named} - found
        found |= new
        left += new
    return tuple(sorted(f"dplit.{m}" for m in found))
