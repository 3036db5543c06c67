"""The layout of the package: a module imports only from modules above it, and none is long."""

import ast
from pathlib import Path

import pytest

import dplit

PACKAGE = Path(__file__).resolve().parents[1] / "dplit"
LONGEST_FILE = 400
ORDER = """
errors
domain budget printed neighbours loss work
mechanisms
sensitivity median balance occupancy utility median_forest
majority depth random_forest
multinomial consistency
matrix
boosting
datasets
trees
forests
baselines
audit
experiments
ledger
claims
plotting cli
""".split()
FILES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE or p.stem[:2] != "__")


def name(path):
    return path.relative_to(PACKAGE).as_posix()


def top(path):
    """The module or package of `dplit` that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path):
    """Tops of the modules of `dplit` that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (home(n.split(".")[1]) for n in names if n.startswith("dplit."))


def home(name):
    """Top of the module that defines `name`, where ``from dplit import name`` reexports it."""
    return getattr(dplit, name).__module__.split(".")[1] if name in dplit.__all__ else name


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_module_imports_only_from_above(path):
    own = top(path)
    above = {*ORDER[: ORDER.index(own)], own}
    assert set(imported(path)) <= above


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=name)
def test_files_are_short_and_documented(path):
    source = path.read_text("utf-8")
    assert source.count("\n") <= LONGEST_FILE
    assert ast.get_docstring(ast.parse(source))
