"""What the first page promises of the chapters, and of its own findings, holds today.

That every theorem has a proof, and that a table checks each claim, is in `test_notebooks.py`; that solutions are
folded in `test_site.py`.
"""

import re

import book_tools
import numpy as np
import pytest
from book_tools import BOOK, ROOT, cells

from dplit import attacks, claims

NOT_AS_PRINTED = {"fails", "leaks", "assumes", "loose", "differs"}
UNLESS = re.compile(r"(?:names?|treats them) alike")
LIMIT = re.compile(
    r"[Nn]o (?:\$\\epsilon\$-|`epsilon`-)?private (?:mechanism|label).*(?:err|cross)"
    r"|[Nn]othing private errs|none makes fewer|none errs less"
)


def prose(path):
    """Sentences of a page: Markdown, captions and alternative texts of a notebook, or a text file."""
    if path.suffix != ".ipynb":
        text = path.read_text("utf-8")
    else:
        parts = [cell["source"] for cell in cells(path, "markdown")]
        for cell in cells(path, "code"):
            shown = cell["metadata"].get("mystnb", {})
            parts += [shown.get("figure", {}).get("caption", ""), shown.get("image", {}).get("alt", "")]
        text = "\n\n".join(parts)
    return [" ".join(sentence.split()) for sentence in re.split(r"[.:*]\s|\n\n", text)]


def unconditional(path):
    """Sentences on what no private label can do that leave out its condition, class names treated alike."""
    return [s for s in prose(path) if LIMIT.search(s) and not UNLESS.search(s)]


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *book_tools.SOURCES], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_a_bound_on_private_labels_names_its_condition(path):
    """A label that is always "A" errs never where A leads: the bound needs class names to be treated alike."""
    assert unconditional(path) == []


def test_a_bound_without_its_condition_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "It lies on the line that no private mechanism can cross. Of those that\ntreat names alike none errs less."
    )
    assert unconditional(page) == ["It lies on the line that no private mechanism can cross"]


@pytest.mark.parametrize("path", [ROOT / "README.md", BOOK / "index.ipynb"], ids=lambda path: path.stem)
def test_the_first_figure_says_the_condition_in_text_and_alternative_text(path):
    text = " ".join(path.read_text("utf-8").split())
    assert len(re.findall(r"if it treats all class names alike", text)) >= 2


@pytest.mark.parametrize("stem", book_tools.chapters())
def test_what_holds_instead_stands_where_something_was_wrong(stem):
    """In a chapter on sentences of a paper that are not true as printed; a summary of ours is "In short"."""
    text = "\n".join(cell["source"] for cell in cells(BOOK / f"{stem}.ipynb", "markdown"))
    papers = {c.verdict for c in claims.of(stem) if not c.ours and c.paper != "ours"}
    others = {c.verdict for c in claims.of(stem)} & {"leaks"}  # as noise in doubles, of no paper here
    assert ("admonition} What holds instead" in text) == bool((papers | others) & NOT_AS_PRINTED)


def test_the_share_of_a_table_that_published_cuts_reveal_is_the_stored_one():
    (said,) = re.findall(r"reveals (\d+) % .*? more than (\d+) %", (BOOK / "index.ipynb").read_text("utf-8"))
    found = attacks.stored_attacks()["reconstruction", "published cuts", 0.1]
    allowed = attacks.recovery_bound(40, 128, 0.1)
    assert said == (f"{100 * np.mean(found['shares']):.0f}", f"{100 * allowed:.0f}")
