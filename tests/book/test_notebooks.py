"""The stored notebooks, as data: executed in order, quiet, short, and without logic of their own."""

import ast
import json
import re
from itertools import pairwise

import book_tools
import pytest
from book_tools import BOOK, NOTEBOOKS, cells, sources

LONGEST_CELL = 12
WIDEST_LINE = 90  # in characters: the width of the page between both side bars
LONGEST_FUNCTION = 6
LONGEST_RUN = 400  # in words of prose between two code cells
LONGEST_PROOF = 300  # in words of a proof that is not folded
BOX = re.compile(r"^(`{3,}|:{3,})\{([^}]*)\}.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
STATED = re.compile(r"\{prf:(?:theorem|lemma|proposition|corollary)\}.*\n:label: (\S+)")
PROVED = re.compile(r"\{prf:proof\}|^`{3,}\{admonition\} Proof", re.MULTILINE)
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
    # A cell ends with a block or with what returns nothing; so no artist is printed, or thrown away.
    assert [line for line in lines if line.lstrip().startswith("_ = ")] == []
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_run_of_prose_is_long(path):
    """Move a proof into its box, or put the cell that computes a theorem right after it."""
    assert max(runs_of_prose(sources(path))) <= LONGEST_RUN


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_long_proof_is_folded(path):
    """In an admonition of the class dropdown, whose title says what it proves.

    A proof box has no title, and the script that folds boxes stops with an error at one without.
    """
    boxes = [box for cell in cells(path, "markdown") for box in BOX.finditer(cell["source"])]
    proofs = [box[0] for box in boxes if box[2] == "prf:proof"]
    assert [proof[:80] for proof in proofs if len(proof.split()) > LONGEST_PROOF] == []
    assert [proof[:80] for proof in proofs if ":class: dropdown" in proof] == []


@every_chapter
def test_every_theorem_has_a_proof(stem):
    """The first page says so. It stands before the next theorem; what is only computed is an observation."""
    text = "\n".join(cell["source"] for cell in cells(BOOK / f"{stem}.ipynb", "markdown"))
    _, *parts = STATED.split(text)
    boxes = zip(parts[::2], parts[1::2], strict=True)
    assert [label for label, rest in boxes if not PROVED.search(rest)] == []


@every_chapter
def test_a_folded_proof_ends_with_the_mark(stem):
    """The style sheet marks the others; where a box continues the proof, the mark stands there."""
    text = "\n".join(cell["source"] for cell in cells(BOOK / f"{stem}.ipynb", "markdown"))
    proofs = re.findall(r"^(`{3,})\{admonition\} (Proof.*)\n([\s\S]*?)\n\1$", text, re.MULTILINE)
    titles = [title for _, title, _ in proofs]
    then = dict(pairwise([*titles, ""]))
    open_ends = [t for _, t, body in proofs if not (body.endswith("∎") or then[t].startswith("Proof, cont"))]
    assert open_ends == []


def runs_of_prose(sources):
    """Words between two code cells, and before the first and after the last; list of int.

    A figure is a code cell. A word is what white space ends, formulas included. Boxes (theorems,
    proofs, remarks, notes: every directive from fence to fence) and rows of tables do not count, and
    they do not end a run.
    """
    counts = [0]
    for kind, source in sources:
        if kind == "code":
            counts.append(0)
        lines = BOX.sub("", source).splitlines() if kind == "markdown" else ()
        counts[-1] += sum(len(line.split()) for line in lines if not line.startswith("|"))
    return counts


def test_runs_of_prose_are_counted_without_boxes_and_tables():
    box = "```{prf:proof}\nnone of these\n\n$$x$$ (eq-x)\n```\n"
    nested = "````{note}\n```{math}\nx\n```\nnor these\n````\n"
    one = ("markdown", f"## Two words\n\n{box}and three $a = b$\n\n| no | row |\n|---|---|\n{nested}")
    assert runs_of_prose([one, ("code", "1 + 1"), one, ("markdown", "one"), ("code", "")]) == [8, 9, 0]
    assert runs_of_prose([("markdown", "```{note}\nnever closed")]) == [3]


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


@every_chapter
def test_a_chapter_has_a_table_of_its_symbols(stem):
    """Before the first theorem, as rows under a head that begins with "symbol"."""
    text = "\n".join(cell["source"] for cell in cells(BOOK / f"{stem}.ipynb", "markdown"))
    head, _, rest = text.partition("\n| symbol |")
    assert rest, "a table of symbols"
    assert "{prf:theorem}" not in head
    rows = [line for line in rest.splitlines()[1:] if line.startswith("|")]
    assert len(rows) >= 3


INTERNALS = ("dplit.claims.", "dplit.experiments.", "dplit.ledger", "dplit.audit.", "dplit.court", "dplit.ground.")


@every_chapter
def test_a_chapter_imports_no_internals(stem):
    """Its module, claims, experiments and plotting, and what a reader would use."""
    source = "\n".join(cell["source"] for cell in cells(BOOK / f"{stem}.ipynb", "code"))
    lines = [line for line in source.splitlines() if line.startswith(("from dplit", "import dplit"))]
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


def test_the_template_of_a_chapter_has_what_every_chapter_must_have():
    path = BOOK / "_template" / "chapter.ipynb"
    test_no_run_of_prose_is_long(path)
    test_a_long_proof_is_folded(path)
    for test in (test_every_theorem_has_a_proof, test_a_chapter_has_a_table_of_its_symbols):
        test("_template/chapter")
    test_a_chapter_imports_the_package_and_holds_no_logic("_template/chapter")
    test_a_chapter_imports_no_internals("_template/chapter")
    (figure,) = [c for c in cells(path, "code") if "mystnb" in c["metadata"]]
    assert figure["metadata"]["mystnb"]["figure"]["caption"]
    assert figure["metadata"]["mystnb"]["image"]["alt"]
    first = cells(path, "code")[0]
    assert tags(first) == {"parameters"} and "# change me" in first["source"]
    assert "dplit verify" in cells(path, "markdown")[-1]["source"]
