"""What a page of the book depends on, and whether its stored outputs belong to that.

The inputs of a notebook are the sources of its cells, every module of `dplit` whose names they use, directly or
through other modules, the dockets of the chapters whose claims they ask for, and the files of `data/` that one
of these reads or a cell names; their digest is kept in the notebook's metadata. Comments, docstrings and blank
lines do not count, except the statements of claims where a cell prints statements.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
COURT = ROOT / "dplit" / "court"
DOCKETS = COURT / "claims"
LOADERS = ("dplit", "claims", "cli", "subjects")  # packages that find their modules
STAMP = "dplit_inputs"
REGISTRY = ROOT / "dplit" / "datasets" / "registry.py"  # reads what is public about the data sets
PRINTED = ROOT / "dplit" / "ground" / "printed.py"  # reads the papers' printed cells
EXPERIMENTS = COURT / "experiments" / "result.py"  # reads the stored results
TALLIES = COURT / "audit" / "seeds.py"  # reads the stored audits
ROWS = DOCKETS / "runs" / "reproduced.py"  # reads the rows of sentences about runs
CERTIFY = COURT / "ledger" / "certify.py"  # reads the certificates of the dockets that import it
RELEASES = COURT / "power" / "releases"  # whose files the registry finds
ASKS = {COURT / "power" / "registry.py", COURT / "ledger" / "drawn.py"}  # for releases by name
OWNER = re.compile(r"(?:[a-z]+\.)?([A-Z]\w*[a-z]\w*)|(matrix\.release)")  # what a name begins with
SAYS = re.compile(
    r"\.says\b|\bclaims\.sentences\("
)  # what prints statements, the docstrings of dockets
NAMED = re.compile(r"\.\./data/[\w/.-]+\.json")  # a file that a cell reads by its name


def notebooks():
    """Every notebook of the book, in alphabetical order."""
    return sorted(BOOK.glob("*.ipynb"))


def digest(path):
    """Digest of a notebook's inputs: its code cells and the modules that they import."""
    cells, found = code(path), modules(path)
    source = "\n".join(cells)
    files = [BOOK / name for name in NAMED.findall(source)]
    return fingerprint([*cells, *(said(found) if SAYS.search(source) else ())], found, files)


def said(found):
    """The statements of the claims of the dockets among the modules `found`, in order."""
    trees = [ast.parse(path.read_text("utf-8")) for path in found if DOCKETS in path.parents]
    checks = [
        n for t in trees for n in t.body if isinstance(n, ast.FunctionDef) and n.decorator_list
    ]
    return [" ".join((ast.get_docstring(check) or "").split()) for check in checks]


def fingerprint(cells, found, files=()):
    """Digest of cells, of the code of the modules `found`, of the data that these read, of files."""
    parts = [*cells, *(meaning(module.read_text("utf-8")) for module in found)]
    if REGISTRY in found:
        parts.append((ROOT / "data" / "registry.toml").read_text("utf-8"))
    if PRINTED in found:
        parts += [path.read_text("utf-8") for path in data_files(EXPERIMENTS in found)]
    if ROWS in found:
        parts += [
            path.read_text("utf-8") for path in sorted((ROOT / "data" / "sentences").glob("*.toml"))
        ]
    if TALLIES in found:
        parts += [path.read_text("utf-8") for path in audit_files()]
    if CERTIFY in found:
        parts += [path.read_text("utf-8") for path in certificates(found)]
    parts += [path.read_text("utf-8") for path in files]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def code(path):
    """Sources of a notebook's code cells, list of str."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def modules(path):
    """The files of `dplit` that a notebook depends on, sorted."""
    return modules_of("\n".join(code(path)))


def modules_of(source):
    """The files of `dplit` that `source` depends on, and the dockets that it asks for, sorted."""
    return sorted(closure(imports(source) | dockets(source)))


def data_files(results=True):
    """The papers' printed cells and, if asked for, the stored results, in order."""
    data = ROOT / "data"
    runs = set(data.glob("results/*/*.json")) - set(data.glob("results/verify/*.json"))
    stored = runs - set(audit_files()) if results else ()
    return sorted([*data.glob("printed/*.toml"), *stored])


def audit_files():
    """The stored audits, in order."""
    return sorted((ROOT / "data" / "results" / "audit").glob("*.json"))


def certificates(found):
    """The statements of the chapters whose dockets are among the modules `found`, in order."""
    chapters = {path.relative_to(DOCKETS).parts[0] for path in found if DOCKETS in path.parents}
    stored = sorted((ROOT / "data" / "certificates").glob("*.toml"))
    return [path for path in stored if path.stem in chapters]


def dockets(source):
    """Files of the dockets that ``claims.of("chapter")`` loads; of all, where `source` asks otherwise."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "claims.of":
            chapter = ast.literal_eval(node.args[0])
            stem = DOCKETS / chapter
            own = [f for f in (stem.with_suffix(".py"), *stem.glob("[!_]*.py")) if f.is_file()]
            found |= set(own or (DOCKETS / "runs").glob("*.py"))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("claims.all", "claims.get"):
            found |= set(DOCKETS.rglob("*.py"))
    return found


def imports(source, package=""):
    """Files of `dplit` that `source` imports, anywhere in it.

    A name that a package only passes on counts as the module that defines it, whether it is imported
    from the package or used as ``package.name``. A module that ``import_module`` loads when it is first
    needed counts, too, if its name is written there.
    """
    found, tree = set(), running(source)
    nodes = list(ast.walk(tree))
    named = [node for node in nodes if isinstance(node, (ast.Name, ast.Attribute))]
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {module_file(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            for alias in node.names:
                inside = f"{base}.{alias.name}"
                whole = not passes_on(module_file(inside))
                names = () if whole else used(named, alias.asname or alias.name)
                if names:
                    found |= {origin(inside, name) for name in names}
                else:
                    found.add(origin(base, alias.name))
        elif isinstance(node, ast.Call):
            found |= {module_file(name) for name in _by_name(node)}
    if found & ASKS and package not in ("dplit.court.power", "dplit.court.ledger"):
        found |= releases(tree)
    return found - {None}


def releases(tree):
    """The files of the releases whose estimators or mechanisms the texts of `tree` begin with."""
    asked = owners(tree)
    return {path for path in RELEASES.glob("[!_]*.py") if _meet(asked, owned(path))}


@cache
def owned(path):
    """What the texts of a file begin with."""
    return owners(ast.parse(path.read_text("utf-8")))


def owners(tree):
    """Names of classes that texts of `tree` begin with, or the first parts of them."""
    found = (OWNER.match(text) for text in texts(tree))
    return {match[1] or match[2] for match in found if match}


def _meet(some, others):
    """True if a name of the one set is the beginning of one of the other: names are put together."""
    return any(a.startswith(b) or b.startswith(a) for a in some for b in others)


def texts(tree):
    """Every text of `tree`; of one that is put together, its parts."""
    return [
        n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]


def running(source):
    """The syntax tree of `source` without what only a type checker reads."""
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if "TYPE_CHECKING" not in _condition(node)]
    return tree


def _condition(node):
    return ast.unparse(node.test) if isinstance(node, ast.If) else ""


def _by_name(call):
    """The module that a call of ``import_module`` names: list of one str, or of none."""
    is_import = "import_module" in (getattr(call.func, "id", ""), getattr(call.func, "attr", ""))
    name = call.args[0] if is_import and call.args else None
    known = isinstance(name, ast.Constant) and isinstance(name.value, str)
    return [name.value] if known else []


def used(named, package):
    """What these names and attributes take from `package`; none if it is used in any other way."""
    plain = sum(isinstance(node, ast.Name) and node.id == package for node in named)
    names = [
        node.attr
        for node in named
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == package
    ]
    return set(names) if len(names) == plain else set()


@cache
def passes_on(path):
    """True for a package that defines nothing itself and loads no module by its name."""
    if path is None or path.stem != "__init__" or path.parent.name in LOADERS:
        return False
    body = ast.parse(path.read_text("utf-8")).body
    made = [n.name for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    return not {*made} - {"__getattr__", "__dir__"}


@cache
def origin(base, name):
    """The file that `name` of ``from base import name`` comes from; None if it is not of `dplit`."""
    path = module_file(base)
    for node in body(path):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    found = _absolute(node, base)
                    own = found == base
                    return module_file(f"{base}.{name}") if own else origin(found, alias.name)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "HOMES":
            homes = ast.literal_eval(node.value)  # names that are imported when they are first used
            if name in homes:
                return module_file(f"{base}.{homes[name]}")
    return module_file(f"{base}.{name}") or path


@cache
def body(path):
    """The statements of a package's file; none of a module's, which passes nothing on."""
    return ast.parse(path.read_text("utf-8")).body if path and path.stem == "__init__" else []


def _absolute(node, package):
    parents = package.split(".")
    stem = parents[: len(parents) - node.level + 1] if node.level else []
    return ".".join([*stem, *([node.module] if node.module else [])])


def module_file(module):
    """The file of a module or package of `dplit`; None if there is none. ``dplit.claims`` is the court's."""
    package, *parts = module.split(".")
    stems = [home.joinpath(*parts) for home in (ROOT / "dplit", COURT)]
    files = [f for stem in stems for f in (stem.with_suffix(".py"), stem / "__init__.py")]
    return next((f for f in files if f.is_file()), None) if package == "dplit" else None


def closure(start):
    """`start` and every file of `dplit` that they import, directly or through others."""
    seen, left = set(), list(start)
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            left += imports_of(path)
    return seen


@cache
def imports_of(path):
    """Files of `dplit` that one of them imports."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    return imports(path.read_text("utf-8"), package)


@cache
def meaning(source):
    """`source` without docstrings, comment lines and blank lines."""
    lines = source.splitlines()
    for node in statements(ast.parse(source)):
        if _is_docstring(node):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def statements(node):
    """Every statement beneath a module, and the handlers and cases that hold some."""
    for place in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(node, place, ()):
            yield inner
            yield from statements(inner)


def _is_docstring(node):
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_stale(path):
    """True if a notebook's stored outputs belong to other inputs than it has now."""
    return json.loads(path.read_text("utf-8"))["metadata"].get(STAMP) != digest(path)
