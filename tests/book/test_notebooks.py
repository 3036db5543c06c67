"""The stored notebooks, as data: executed in order, quiet, short, and without logic of their own."""

import ast
import json

import book_tools
import pytest
from book_tools import BOOK, NOTEBOOKS, cells

LONGEST_CELL = 12
WIDEST_LINE = 90  # in characters: the width of the page between both side bars
LONGEST_FUNCTION = 6
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}


every_chapter = pytest.mark.parametrize("stem", book_tools.chapters())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_executed_quiet_short_and_checked_in_full(path):
    code = cells(path, "code")
    assert [c["execution_count"] for c in code] == list(range(1, len(code) + 1))
    outputs = [out for cell in code for out in cell["outputs"]]
    assert [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"] == []
    visible = [c["source"] for c in code if not HIDDEN & tags(c)]
    assert [source for source in visible if source.count("\n") >= LONGEST_CELL] == []
    lines = [line for cell in code for line in cell["source"].splitlines()]
    assert [line for line in lines if len(line) > WIDEST_LINE] == []
    assert [c["source"] for c in code if "NBVAL" in c["source"]] == []
    assert [t for c in code for t in tags(c) if t.startswith("nbval")] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_figures_have_an_alternative_text_and_metadata_names_no_version(path):
    for cell in cells(path, "code"):
        if any("image/png" in out.get("data", {}) for out in cell["outputs"]):
            settings = cell["metadata"].get("mystnb", {})
            assert settings.get("image", {}).get("alt"), cell["source"]
            assert settings.get("figure", {}).get("caption"), cell["source"]
    text = path.read_text("utf-8")
    assert '"jupytext"' not in text and '"version"' not in text


def tags(cell):
    return set(cell["metadata"].get("tags", ()))


@every_chapter
def test_a_chapter_imports_the_package_and_holds_no_logic(stem):
    trees = [ast.parse(cell["source"]) for cell in cells(BOOK / f"{stem}.ipynb", "code")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assert any(_imports_dplit(node) for node in nodes)
    assert [n.name for n in nodes if isinstance(n, ast.ClassDef)] == []
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef)]
    assert [f.name for f in functions if f.end_lineno - f.lineno >= LONGEST_FUNCTION] == []


INTERNALS = ("dplit.claims.", "dplit.experiments.", "dplit.ledger", "dplit.audit.", "dplit.printed")


@every_chapter
def test_a_chapter_imports_no_internals(stem):
    """Its module, claims, experiments and plotting, and what a reader would use."""
    source = "\n".join(cell["source"] for cell in cells(BOOK / f"{stem}.ipynb", "code"))
    lines = [
        line for line in source.splitlines() if line.startswith(("from dplit", "import dplit"))
    ]
    assert [line for line in lines if line.split()[1].startswith(INTERNALS)] == []
    assert "claims.get(" not in source and "claims.all(" not in source, f'claims.of("{stem}") it is'


@every_chapter
def test_a_chapter_checks_its_claims(stem):
    path = BOOK / f"{stem}.ipynb"
    trees = [ast.parse(cell["source"]) for cell in cells(path, "code")]
    assert any(isinstance(node, ast.Assert) for tree in trees for node in ast.walk(tree))
    outputs = [out for cell in cells(path, "code") for out in cell["outputs"]]
    assert any("verdict" in json.dumps(out) for out in outputs), "a printed table with verdicts"


def _imports_dplit(node):
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    return any(name.split(".")[0] == "dplit" for name in names)
