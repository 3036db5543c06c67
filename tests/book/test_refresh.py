"""The refresh tool: what makes a notebook stale, and that none is."""

import importlib.util
import json

import pytest
from book_tools import BOOK, NOTEBOOKS, ROOT

spec = importlib.util.spec_from_file_location("refresh", BOOK / "refresh.py")
refresh = importlib.util.module_from_spec(spec)
spec.loader.exec_module(refresh)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_notebook_is_stale(path):
    assert not refresh.is_stale(path), "its code has changed since it ran: `make refresh`"


def test_no_api_page_is_stale():
    assert refresh.stale_api_pages() == [], "the package's modules have changed: `make refresh`"


def test_no_picture_is_stale():
    assert refresh.stale_pictures() == [], "the README's picture has changed: `make refresh`"


def test_imports_are_found_wherever_they_are():
    code = "import numpy\ndef f():\n    from dplit.mechanisms import laplace\n    import dplit.budget\n"
    found = {path.relative_to(ROOT / "dplit").as_posix() for path in refresh.imports(code)}
    assert found == {"__init__.py", "mechanisms/__init__.py", "mechanisms/laplace.py", "budget.py"}


def test_relative_imports_are_found():
    found = {p.name for p in refresh.imports("from . import laplace", "dplit.mechanisms")}
    assert "laplace.py" in found


def test_the_closure_follows_imports():
    start = {ROOT / "dplit" / "mechanisms" / "laplace.py"}
    assert ROOT / "dplit" / "errors.py" in refresh.closure(start)


def test_only_code_counts():
    before = '"""Says so."""\n\n\ndef f(x):\n    """Twice."""\n    return 2 * x\n'
    after = "# A remark.\ndef f(x):\n    '''Two lines\n    of text.'''\n\n    return 2 * x\n"
    assert refresh.meaning(before) == refresh.meaning(after)
    assert refresh.meaning(before) != refresh.meaning(before.replace("2", "3"))


def test_a_changed_cell_changes_the_digest(tmp_path):
    path = tmp_path / "x.ipynb"
    digests = set()
    for source in ("1 + 1", "1 + 2", "import dplit", "from dplit import plotting"):
        path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}]}))
        digests.add(refresh.digest(path))
    assert len(digests) == 4


def test_changed_results_make_stale_what_reads_them_and_nothing_else(tmp_path, monkeypatch):
    path, data = tmp_path / "x.ipynb", tmp_path / "table.json"
    monkeypatch.setattr(refresh, "data_files", lambda: [data])
    for source, n in (("from dplit import experiments", 2), ("from dplit import depth", 1)):
        path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}]}))
        digests = set()
        for text in ("1", "2"):
            data.write_text(text)
            digests.add(refresh.digest(path))
        assert len(digests) == n


def test_stored_results_are_found():
    names = {path.name for path in refresh.data_files()}
    assert {"diprime-v1.toml", "table-1.json"} <= names
