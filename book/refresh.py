"""Bring the notebooks and the API pages up to date with the code.

``python book/refresh.py`` re-executes each notebook whose inputs have changed since its outputs
were stored, writes the pages of the API reference, and keeps the evidence of the ledger and the
history of its verdicts (`evidence.py`). The inputs of a notebook are the sources of
its cells, every module of `dplit` whose names they use, directly or through other modules, the
dockets of the chapters whose claims they ask for, and the files of `data/` that one of these reads
or a cell names; their digest is kept in the notebook's metadata.
Comments, docstrings and blank lines do not count. The README's picture is a chapter's figure, copied
out of its notebook.

``--check`` changes nothing, lists what is stale, and exits with 1 if anything is.
``--all`` re-executes every notebook.
"""

from __future__ import annotations

import argparse
import ast
import base64
import hashlib
import json
import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
DOCKETS = ROOT / "dplit" / "claims"
LOADERS = ("dplit", "claims", "cli", "mutants", "subjects")  # packages that find their modules
STAMP = "dplit_inputs"
REGISTRY = ROOT / "dplit" / "datasets" / "registry.py"  # reads what is public about the data sets
PRINTED = ROOT / "dplit" / "printed.py"  # reads the papers' printed cells
CELLS = ROOT / "dplit" / "experiments" / "cells.py"  # loads the papers' experiments
EXPERIMENTS = ROOT / "dplit" / "experiments" / "result.py"  # reads the stored results
TALLIES = ROOT / "dplit" / "audit" / "seeds.py"  # reads the stored audits
STORE = ROOT / "dplit" / "ledger" / "store.py"  # reads the stored evidence and verdicts
NAMED = re.compile(r"\.\./data/[\w/.-]+\.json")  # a file that a cell reads by its name
PICTURES = {BOOK / "_static" / "bound.png": (BOOK / "majority.ipynb", "fig-majority-bound")}


def notebooks():
    """Every notebook of the book, in alphabetical order."""
    return sorted(BOOK.glob("*.ipynb"))


def digest(path):
    """Digest of a notebook's inputs: its code cells and the modules that they import."""
    files = [BOOK / name for name in NAMED.findall("\n".join(code(path)))]
    found = modules(path)
    return fingerprint(code(path), found, [*files, *(evidence_files() if STORE in found else ())])


def fingerprint(cells, found, files=()):
    """Digest of cells, of the code of the modules `found`, of the data that these read, of files."""
    parts = [*cells, *(meaning(module.read_text("utf-8")) for module in found)]
    if REGISTRY in found:
        parts.append((ROOT / "data" / "registry.toml").read_text("utf-8"))
    if PRINTED in found:
        parts += [path.read_text("utf-8") for path in data_files(EXPERIMENTS in found)]
    if TALLIES in found:
        parts += [path.read_text("utf-8") for path in audit_files()]
    parts += [path.read_text("utf-8") for path in files]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def evidence_files():
    """The stored evidence and the history of verdicts, in order."""
    data = ROOT / "data"
    return sorted([*data.glob("evidence/*.json"), *data.glob("verdicts.csv")])


def code(path):
    """Sources of a notebook's code cells, list of str."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def modules(path):
    """The files of `dplit` that a notebook depends on, sorted."""
    return modules_of("\n".join(code(path)))


def modules_of(source):
    """The files of `dplit` that `source` depends on, and the dockets that it asks for, sorted."""
    found = closure(imports(source) | dockets(source))
    if CELLS in found:  # each paper's experiments are loaded when they are asked for
        found |= closure(CELLS.parent.glob("papers/*.py"))
    return sorted(found)


def data_files(results=True):
    """The papers' printed cells and, if asked for, the stored results, in order."""
    data = ROOT / "data"
    stored = set(data.glob("results/*/*.json")) - set(audit_files()) if results else ()
    return sorted([*data.glob("printed/*.toml"), *stored])


def audit_files():
    """The stored audits, in order."""
    return sorted((ROOT / "data" / "results" / "audit").glob("*.json"))


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
    found, tree = set(), ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {module_file(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            for alias in node.names:
                inside = f"{base}.{alias.name}"
                whole = not passes_on(module_file(inside))
                names = () if whole else used(tree, alias.asname or alias.name)
                if names:
                    found |= {origin(inside, name) for name in names}
                else:
                    found.add(origin(base, alias.name))
        elif isinstance(node, ast.Call):
            found |= {module_file(name) for name in _by_name(node)}
    return found - {None}


def _by_name(call):
    """The module that a call of ``import_module`` names: list of one str, or of none."""
    is_import = ast.unparse(call.func).split(".")[-1] == "import_module"
    name = call.args[0] if is_import and call.args else None
    known = isinstance(name, ast.Constant) and isinstance(name.value, str)
    return [name.value] if known else []


def used(tree, package):
    """The names that `tree` takes from `package`; none if it uses the package in any other way."""
    plain = sum(isinstance(node, ast.Name) and node.id == package for node in ast.walk(tree))
    names = [
        node.attr
        for node in ast.walk(tree)
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
    for node in _body(path):
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


def _body(path):
    """The statements of a package's file; none of a module's, which passes nothing on."""
    return ast.parse(path.read_text("utf-8")).body if path and path.stem == "__init__" else []


def _absolute(node, package):
    parents = package.split(".")
    stem = parents[: len(parents) - node.level + 1] if node.level else []
    return ".".join([*stem, *([node.module] if node.module else [])])


def module_file(module):
    """The file of a module or package of `dplit`; None if there is none."""
    stem = ROOT.joinpath(*module.split("."))
    found = (f for f in (stem.with_suffix(".py"), stem / "__init__.py") if f.is_file())
    return next(found, None) if module.split(".")[0] == "dplit" else None


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
    for node in ast.walk(ast.parse(source)):
        if _is_docstring(node):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _is_docstring(node):
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_stale(path):
    """True if a notebook's stored outputs belong to other inputs than it has now."""
    return json.loads(path.read_text("utf-8"))["metadata"].get(STAMP) != digest(path)


def execute(path):
    """Run a notebook from top to bottom in the book's folder and store its outputs and its stamp."""
    import nbformat
    from nbclient import NotebookClient

    from dplit.writing import write_whole

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # else the timing of a flush would split an output in two
        resources={"metadata": {"path": str(BOOK)}},
    ).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        STAMP: digest(path),
    }
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.metadata.pop("execution", None)
    write_whole(path, f"{nbformat.writes(notebook).rstrip()}\n".encode())


def api_pages():
    """Text of each page of the API reference, by path: one page a top-level module of `dplit`."""
    tops = sorted(p for p in (ROOT / "dplit").iterdir() if _is_public(p))
    pages = {BOOK / "api" / f"{top.stem}.md": _api_page(top) for top in tops}
    listing = "\n".join(f"   dplit.{top.stem}" for top in tops)
    pages[BOOK / "api.md"] = API_OVERVIEW.replace("MODULES", listing)
    return pages


API_OVERVIEW = """# API reference

What is public, from the docstrings of the package. Each module has a page; the names that
`import dplit` gives are documented where they are defined. Every function says which paper and
which statement it computes, and links to the chapter that derives it.

```{eval-rst}
.. autosummary::

MODULES
```
"""


COMMANDS = [
    "What each command prints with `--help`, and then the modules behind it.",
    *(
        f"## dplit {command}\n\n```{{command-help}} {command}\n```"
        for command in ("verify", "claims", "audit", "experiment", "datasets")
    ),
    "## The modules",
]


def _is_public(path):
    if path.name.startswith("_"):
        return False
    return (path / "__init__.py").is_file() if path.is_dir() else path.suffix == ".py"


def _api_page(top):
    name = f"dplit.{top.stem}"
    sections = [f"# {name}", *(COMMANDS if name == "dplit.cli" else ()), _automodule(name)]
    if top.is_dir() and top != DOCKETS:  # what the dockets state is in the ledger
        exported = _exported(top / "__init__.py")
        for path in sorted(filter(_is_public, top.iterdir())):
            if path.stem in exported - _modules_of(top / "__init__.py", name):
                continue  # a function of the module's own name is documented with the package
            sections += [f"## {name}.{path.stem}", _automodule(f"{name}.{path.stem}", exported)]
    return "\n\n".join(sections) + "\n"


def _automodule(name, exclude=()):
    lines = [f".. automodule:: {name}", "   :members:"]
    if exclude:
        lines.append(f"   :exclude-members: {', '.join(sorted(exclude))}")
    return "\n".join(["```{eval-rst}", *lines, "```"])


def _exported(init):
    """The names in ``__all__`` of a package: documented on the package, not again in its modules."""
    for node in ast.parse(init.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def _modules_of(init, package):
    """The names in a package's file that are its modules themselves."""
    nodes = [n for n in _body(init) if isinstance(n, ast.ImportFrom) and n.module == package]
    return {alias.name for node in nodes for alias in node.names}


def stale_api_pages():
    """Paths of API pages that are missing, differ from the code, or belong to no module."""
    pages = api_pages()
    wrong = [p for p, text in pages.items() if not p.is_file() or p.read_text("utf-8") != text]
    return wrong + [p for p in sorted((BOOK / "api").glob("*.md")) if p not in pages]


def write_api_pages():
    """Write the API pages that are stale and remove those that belong to no module."""
    from dplit.writing import write_whole

    pages = api_pages()
    for path in stale_api_pages():
        if path in pages:
            path.parent.mkdir(exist_ok=True)
            write_whole(path, pages[path].encode())
        else:
            path.unlink()
        print(f"{path.relative_to(ROOT)}: written")


def picture(path, name):
    """Bytes of the stored PNG of a notebook's figure."""
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        figure = cell["metadata"].get("mystnb", {}).get("figure", {})
        if figure.get("name") == name:
            (image,) = (o["data"]["image/png"] for o in cell["outputs"] if "data" in o)
            return base64.b64decode("".join(image))
    raise KeyError(f"{path.name} has no figure {name}")


def stale_pictures():
    """Paths of pictures that are missing or differ from the figures that they show."""
    return [p for p, of in PICTURES.items() if not p.is_file() or p.read_bytes() != picture(*of)]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="list what is stale, change nothing")
    parser.add_argument("--all", action="store_true", help="re-execute every notebook")
    options = parser.parse_args(arguments)
    import evidence  # which imports this module

    from dplit.writing import write_whole

    if options.check:
        stale = [path for path in notebooks() if options.all or is_stale(path)]
        stale += stale_api_pages() + stale_pictures()
        stale += [evidence.path(chapter) for chapter in evidence.stale()] + evidence.orphans()
        stale += [evidence.HISTORY] if evidence.missing_verdicts() else []
        for path in stale:
            print(f"{path.relative_to(ROOT)}: stale")
        return bool(stale)
    evidence.bring_up_to_date()
    due = [path for path in notebooks() if options.all or is_stale(path)]
    write_api_pages()
    for path in due:
        print(f"{path.relative_to(ROOT)}: executing", flush=True)
        execute(path)
    for path in stale_pictures():
        write_whole(path, picture(*PICTURES[path]))
        print(f"{path.relative_to(ROOT)}: written")
    print(f"{len(due)} of {len(notebooks())} notebooks executed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
