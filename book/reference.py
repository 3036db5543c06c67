"""The pages of the API reference, one a room of `dplit`, from what is public in it."""

from __future__ import annotations

import ast

import depends
from depends import BOOK, COURT, DOCKETS, ROOT

from dplit.ground.writing import write_whole

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


def pages():
    """Text of each page of the API reference, by path: one page a room of `dplit`, under its public name."""
    rooms = (p for folder in (ROOT / "dplit", COURT) for p in folder.iterdir() if p != COURT)
    tops = sorted(filter(_is_public, rooms), key=lambda path: path.stem)
    listing = "\n".join(f"   dplit.{top.stem}" for top in tops)
    overview = {BOOK / "api.md": API_OVERVIEW.replace("MODULES", listing)}
    return {BOOK / "api" / f"{top.stem}.md": _api_page(top) for top in tops} | overview


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
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            sections += [f"## {module}", _automodule(module, exported)]
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
    nodes = [n for n in depends.body(init) if isinstance(n, ast.ImportFrom) and n.module == package]
    return {alias.name for node in nodes for alias in node.names}


def stale_pages():
    """Paths of API pages that are missing, differ from the code, or belong to no module."""
    texts = pages()
    wrong = [p for p, text in texts.items() if not p.is_file() or p.read_text("utf-8") != text]
    return wrong + [p for p in sorted((BOOK / "api").glob("*.md")) if p not in texts]


def write_pages():
    """Write the API pages that are stale and remove those that belong to no module."""
    texts = pages()
    for path in stale_pages():
        if path in texts:
            path.parent.mkdir(exist_ok=True)
            write_whole(path, texts[path].encode())
        else:
            path.unlink()
        print(f"{path.relative_to(ROOT)}: written")
