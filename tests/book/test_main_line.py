"""A chapter's main line is short: what only judges a sentence of a paper is in an audit box, folded."""

import re

import pytest
from book_tools import BOOK, cells, chapters

MOST = 2_500  # words, proofs included
MOST_THEOREMS = 4
AUDIT = re.compile(r"^`{3,}\{audit\}.*?^`{3,}\{audit-end\}\n`{3,}$", re.MULTILINE | re.DOTALL)
BOX = re.compile(r"^(`{3,}|:{3,})\{[^\n]*\n(?:.*\n)*?\1$", re.MULTILINE)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.DOTALL)
ROLE = re.compile(r"\{[\w:]+\}`[^`]*`")
PLUMBING = re.compile(r"^(?:`{3,}|:{3,}|:[\w-]+:|\|).*$", re.MULTILINE)  # fences, options, rows of tables


def main_line(text):
    """The text without audit boxes and without what is folded otherwise, as the solution of an exercise."""
    return BOX.sub(lambda box: "" if ":class: dropdown" in box[0] else box[0], AUDIT.sub("", text))


def words(text):
    """Number of words; a formula, a reference and a citation count as one each."""
    return len(PLUMBING.sub("", ROLE.sub("word", FORMULA.sub("word", text))).split())


def text_of(stem):
    return "\n".join(cell["source"] for cell in cells(BOOK / f"{stem}.ipynb", "markdown"))


@pytest.mark.parametrize("stem", chapters())
def test_the_main_line_of_a_chapter_is_read_in_one_evening(stem):
    told = main_line(text_of(stem))
    assert words(told) <= MOST, "judge what is beside the line in an audit box"
    assert told.count("{prf:theorem}") <= MOST_THEOREMS


@pytest.mark.parametrize("stem", chapters())
def test_each_audit_box_ends_and_is_titled(stem):
    text = text_of(stem)
    begun = re.findall(r"^`{3,}\{audit\} *(.*)$", text, re.MULTILINE)
    assert len(begun) == text.count("{audit-end}") == len(AUDIT.findall(text))
    assert all(len(title) > 8 for title in begun) and len(set(begun)) == len(begun)
    assert not any(re.search(r"^#", box[0], re.MULTILINE) for box in AUDIT.finditer(text)), "no heading inside"


def test_words_are_counted_without_audits_and_formulas_as_one():
    box = "```{audit} A title\n```\n\nnone\n\n```{prf:remark} R\nof this\n```\n\n```{audit-end}\n```\n"
    folded = "```{admonition} Solution\n:class: dropdown\nnor this\n```\n"
    assert words(main_line(f"one $a + b$ {{prf:ref}}`x` four\n\n$$\nc\n$$\n{box}{folded}| row |\nsix")) == 6
