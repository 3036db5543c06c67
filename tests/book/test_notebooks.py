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


def by_stem(path):
    return path.stem


every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=by_stem)
every_chapter = pytest.mark.parametrize("stem", book_tools.chapters())


@every_notebook
def test_executed_from_top_to_bottom(path):
    counts = [cell["execution_count"] for cell in cells(path, "code")]
    assert counts == list(range(1, len(counts) + 1))


@every_notebook
def test_no_errors_and_nothing_on_stderr(path):
    outputs = [out for cell in cells(path, "code") for out in cell["outputs"]]
    assert [out for out in outputs if out["output_type"] == "error"] == []
    assert [out for out in outputs if out.get("name") == "stderr"] == []


@every_notebook
def test_visible_cells_are_short(path):
    visible = [c for c in cells(path, "code") if not HIDDEN & set(c["metadata"].get("tags", ()))]
    assert [c["source"] for c in visible if c["source"].count("\n") >= LONGEST_CELL] == []


@every_notebook
def test_code_fits_the_page(path):
    lines = [line for cell in cells(path, "code") for line in cell["source"].splitlines()]
    assert [line for line in lines if len(line) > WIDEST_LINE] == []


@every_notebook
def test_figures_have_an_alternative_text(path):
    for cell in cells(path, "code"):
        if any("image/png" in out.get("data", {}) for out in cell["outputs"]):
            settings = cell["metadata"].get("mystnb", {})
            assert settings.get("image", {}).get("alt"), cell["source"]
            assert settings.get("figure", {}).get("caption"), cell["source"]


@every_notebook
def test_the_outputs_are_checked_in_full(path):
    for cell in cells(path, "code"):
        assert "NBVAL" not in cell["source"]
        assert not [t for t in cell["metadata"].get("tags", ()) if t.startswith("nbval")]


@every_notebook
def test_metadata_names_no_version(path):
    text = path.read_text("utf-8")
    assert '"jupytext"' not in text
    assert '"version"' not in text


@every_chapter
def test_a_chapter_imports_the_package_and_holds_no_logic(stem):
    if book_tools.is_placeholder(stem):
        pytest.skip("the chapter is not written yet")
    trees = [ast.parse(cell["source"]) for cell in cells(BOOK / f"{stem}.ipynb", "code")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assert any(_imports_dplit(node) for node in nodes)
    assert [n.name for n in nodes if isinstance(n, ast.ClassDef)] == []
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef)]
    assert [f.name for f in functions if f.end_lineno - f.lineno >= LONGEST_FUNCTION] == []


@every_chapter
def test_a_chapter_checks_its_claims(stem):
    if book_tools.is_placeholder(stem):
        pytest.skip("the chapter is not written yet")
    path = BOOK / f"{stem}.ipynb"
    trees = [ast.parse(cell["source"]) for cell in cells(path, "code")]
    assert any(isinstance(node, ast.Assert) for tree in trees for node in ast.walk(tree))
    outputs = [out for cell in cells(path, "code") for out in cell["outputs"]]
    assert any("verdict" in json.dumps(out) for out in outputs), "a printed table with verdicts"


def _imports_dplit(node):
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    return any(name.split(".")[0] == "dplit" for name in names)
