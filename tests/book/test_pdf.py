"""The book as one PDF: the page that is printed, and what Chromium makes of it."""

import sys

import pytest
import yaml
from book_tools import BOOK, ROOT, chapters
from browser_tools import CHROMIUM
from bs4 import BeautifulSoup

sys.path.insert(0, str(BOOK))
import pdf

sys.path.remove(str(BOOK))

NAMES = pdf.pages(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8")))
SOME = ["book/index", "book/majority", "book/errata/rdf", "book/bibliography"]


def test_the_pages_are_those_of_the_table_of_contents_without_the_reference():
    assert NAMES[0] == "book/index" and len(set(NAMES)) == len(NAMES)
    stems = [name.removeprefix("book/") for name in NAMES]
    assert [stem for stem in stems if stem in chapters()] == chapters()
    assert {"notation", "ledger", "errata/rdf", "theorems", "bibliography"} <= set(stems)
    assert not [stem for stem in stems if stem.startswith("api")]
    entries = {"root": "a", "parts": [{"chapters": [{"file": "b", "sections": [{"file": "c"}]}]}]}
    assert pdf.pages(entries) == ["a", "b", "c"]


def test_a_link_leads_within_the_document_to_the_site_or_nowhere():
    target = lambda href: pdf._target("book/majority", href, SOME)  # noqa: E731
    assert target("#sec") == "#majority--sec"
    assert target("bibliography.html#id3") == "#bibliography--id3"
    assert target("errata/rdf.html") == "#page-errata-rdf"
    assert target("https://example.org/x#y") == "https://example.org/x#y"
    assert target("depth.html#thm") is None and target("api/majority.html") is None
    assert target("ledger.html?paper=rdf") is None and target("claims.csv") is None
    entry, rows = "entries/rdf-table-4.html", {"rdf-table-4": "book/ledger"}
    assert target(entry) is None and pdf._target("book/depth", entry, SOME, rows) == "#ledger--rdf-table-4"


def test_pages_become_one_whose_links_and_ids_fit(site):
    page = BeautifulSoup(pdf.assemble(site, SOME), "html.parser")
    ids = [tag["id"] for tag in page.find_all(id=True)]
    assert len(set(ids)) == len(ids)
    links = [a["href"] for a in page.find_all("a", href=True)]
    inside = [href[1:] for href in links if href.startswith("#")]
    assert set(inside) <= set(ids)
    across = [i for i in inside if i.startswith("bibliography--")]
    assert len(inside) > 50 and across, "citations lead to the bibliography"
    assert [href for href in links if not href.startswith(("#", "http"))] == []
    assert page.html["data-theme"] == "light"
    assert page.select("button, nav.bd-links, .cite-page, .run-page, a.headerlink") == []
    assert page.select(".admonition.dropdown p"), "solutions are there"
    assert all(i["src"].startswith("file://") for i in page.find_all("img"))
    assert len(page.select("link[rel=stylesheet]")) == len(pdf.SHEETS)


@pytest.mark.deep
@pytest.mark.timeout(60 * pdf.MINUTES)
def test_the_whole_book_is_printed(site, tmp_path):
    """Minutes, since every formula is typeset."""
    if not CHROMIUM:
        pytest.skip("needs chromium on the path")
    import pypdf

    pdf.write(site, tmp_path / "dplit.pdf")
    book = pypdf.PdfReader(tmp_path / "dplit.pdf")
    assert len(book.pages) > 100
    pages = [page.extract_text().split() for page in book.pages]
    blank = [i for i, words in enumerate(pages, 1) if len(words) < 3]  # a number and no more
    assert blank == []
    text = " ".join(word for words in pages for word in words)
    for name in NAMES:
        html = BeautifulSoup((site / f"{name}.html").read_text("utf-8"), "html.parser")
        words = html.select_one("article h1").find_all(string=True, recursive=False)
        assert " ".join("".join(words).split())[:40] in text.replace("ﬀ", "ff"), name
    assert "\\(" not in text and "\\frac" not in text, "formulas are typeset"
    notes = [note.get_object() for page in book.pages for note in page.get("/Annots", ())]
    targets = [note["/Dest"] for note in notes if "/Dest" in note]
    assert len(targets) > 1000 and set(targets) <= set(book.named_destinations)
    assert [n for n in notes if "file:" in str(n.get("/A", ""))] == []
    titles = {entry.title for entry in book.outline if not isinstance(entry, list)}
    assert len(titles) >= 1 and book.outline, "bookmarks"
