"""Each chapter runs at other values of its parameters, not at those alone whose outputs are stored."""

import ast
import re
import sys

import nbformat
import pytest
from book_tools import BOOK, chapters

sys.path.insert(0, str(BOOK))
import rerun

sys.path.remove(str(BOOK))

QUICK = "majority"  # the one that runs in every test; the others are deep
OTHERS = (0.5, 2.0)


def notebook(*sources, tags=("parameters",)):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = list(tags)
    return nbformat.v4.new_notebook(cells=cells)


FIRST = "epsilon = 1.0  # change me: of one label\nfixed = 2\ncounts = (3, 1)  # change me"


def test_parameters_are_read_from_the_first_cell_with_the_tag():
    assert rerun.parameters(notebook(FIRST, "b = 2  # change me")) == {
        "epsilon": (1.0, "of one label"),
        "counts": ((3, 1), ""),
    }
    assert rerun.parameters(notebook(FIRST, tags=())) == {}
    assert rerun.parameters(notebook("1 + 1", FIRST, tags=())) == {}


def test_values_are_changed_and_remarks_stay():
    changed = notebook(FIRST, "epsilon")
    rerun.change(changed, {"epsilon": 0.5})
    assert changed.cells[0].source == FIRST.replace("1.0", "0.5")
    assert changed.cells[1].source == "epsilon"
    with pytest.raises(ValueError, match="no parameter delta; the chapter has epsilon, counts"):
        rerun.change(changed, {"delta": 1})
    with pytest.raises(ValueError, match="has none"):
        rerun.change(notebook("1 + 1"), {"delta": 1})


TYPED = re.compile(r"\bepsilon \d")


def fixed(notebook):
    """What would not follow a changed epsilon: its value in a later cell, or typed in what is printed."""
    found = []
    for cell in (c for c in notebook.cells if c.cell_type == "code"):
        tree = ast.parse(cell.source)
        named = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and _sets_epsilon(n)]
        if "parameters" not in cell.metadata.get("tags", ()):
            found += map(ast.unparse, named)
        words = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
        found += [w for w in words if isinstance(w, str) and TYPED.search(w)]
    return found


def _sets_epsilon(node):
    """True of ``epsilon = 1.0``, also beside other names, and not of ``epsilon = share / 2``."""
    pairs = []
    for target in node.targets:
        many = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
        pairs += zip(target.elts, node.value.elts) if many else [(target, node.value)]
    return any(ast.unparse(n) == "epsilon" and isinstance(v, ast.Constant) for n, v in pairs)


@pytest.mark.parametrize("stem", chapters())
def test_what_a_chapter_prints_follows_its_parameters(stem):
    read = rerun.read(stem)
    assert fixed(read) == []
    code = [cell for cell in read.cells if cell.cell_type == "code"]
    tagged = [i for i, cell in enumerate(code) if "parameters" in cell.metadata.get("tags", ())]
    assert tagged in ([], [0]), "the parameters are in the first cell"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["epsilon = 1.0  # change me", "print(f'at epsilon {epsilon:g}')"], []),
        (["epsilon = 1.0", "print(f'loss {2:.1f} at epsilon 1')"], [" at epsilon 1"]),
        (["n = 5", "m, epsilon = 2, 0.5"], ["m, epsilon = (2, 0.5)"]),
        (["n = 5", "epsilon = 0.5"], ["epsilon = 0.5"]),
        (["n = 5", "for epsilon in (1, 2):\n    print(epsilon)", "epsilon = n / 2"], []),
    ],
)
def test_fixed_values_are_found(cells, expected):
    assert fixed(notebook(*cells)) == expected


def test_a_copy_is_executed_and_an_assert_that_fails_is_an_error(tmp_path, monkeypatch, capsys):
    from nbclient.exceptions import CellExecutionError

    monkeypatch.setattr(rerun, "BOOK", tmp_path)
    monkeypatch.setattr(rerun, "RERUN", tmp_path / "_build")
    monkeypatch.setattr(rerun, "BOOK", tmp_path / "book")
    rerun.BOOK.mkdir()
    own = notebook(FIRST, "print('epsilon', epsilon)", "assert epsilon < 2\ncounts")
    nbformat.write(own, rerun.BOOK / "made.ipynb")
    before = (rerun.BOOK / "made.ipynb").read_bytes()
    assert rerun.main(["made", "epsilon=0.25"]) == 0
    assert capsys.readouterr().out == "epsilon 0.25\n(3, 1)\nexecuted: _build/made.ipynb\n"
    assert (rerun.BOOK / "made.ipynb").read_bytes() == before
    assert "epsilon = 0.25" in (tmp_path / "_build" / "made.ipynb").read_text("utf-8")
    with pytest.raises(CellExecutionError, match="AssertionError"):
        rerun.run("made", {"epsilon": 2})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such_chapter"], "there is no chapter 'no_such_chapter'"),
        (["majority", "epsilon"], "must be NAME=VALUE with a number, got 'epsilon'"),
        (["majority", "epsilon=x"], "must be NAME=VALUE with a number, got 'epsilon=x'"),
        (["majority", "no_such=1"], "there is no parameter no_such"),
    ],
)
def test_bad_arguments_are_named(capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        rerun.main(arguments)
    assert stop.value.code == 2 and message in capsys.readouterr().err


def rerun_at(stem, epsilon):
    if "epsilon" not in rerun.parameters(rerun.read(stem)):
        pytest.skip(f"the chapter {stem} has no parameter epsilon in its first cell")
    done = rerun.run(stem, {"epsilon": epsilon})
    assert all(cell.execution_count for cell in done.cells if cell.cell_type == "code")


def test_a_chapter_runs_at_another_epsilon():
    rerun_at(QUICK, OTHERS[1])


@pytest.mark.deep
@pytest.mark.parametrize("epsilon", OTHERS)
@pytest.mark.parametrize("stem", chapters())
def test_every_chapter_runs_at_other_epsilons(stem, epsilon):
    rerun_at(stem, epsilon)
