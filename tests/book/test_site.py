"""The built pages, read without a browser: links, addresses, pictures, and what a chapter has."""

from collections import Counter
from functools import cache, lru_cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import book_tools
import pytest
import yaml
from book_tools import PAGES
from bs4 import BeautifulSoup

import dplit

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
OUTSIDE = ("http:", "https:", "//")
NEEDS = yaml.safe_load((book_tools.BOOK / "chapters.yml").read_text("utf-8"))
CHAPTERS = {f"book/{path.stem}.html": path.stem for path in book_tools.NOTEBOOKS}
MARKERS = ".problematic, .system-message, .myst-unresolved, .output.stderr, .output.traceback"


@lru_cache(maxsize=2)  # the trees of all pages fill half a gigabyte
def soup(path):
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


@cache
def boxes(path):
    """Number of each theorem box, by its id."""
    return {box["id"]: box.select_one(".caption-number").text.strip() for box in soup(path).select(".proof[id]")}


class Addresses(HTMLParser):
    """Where a page leads, and where one can lead to within it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found.get("id"), found.get("name")} - {None, ""}
        if tag == "a" and found.get("href") is not None:
            self.links.append(found["href"])


addresses = cache(Addresses)


def internal(page):
    """Each link of a page that stays in the site, as (file, fragment)."""
    for link in addresses(page).links:
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            yield target, unquote(parts.fragment)


def test_links_and_fragments_resolve(site):
    wrong = []
    for page in [*PAGES, "index.html", "genindex.html", "search.html"]:
        for target, fragment in internal(site / page):
            if not target.is_file():
                wrong.append(f"{page}: {target.name} is missing")
            elif fragment and target.suffix == ".html" and fragment not in addresses(target).anchors:
                wrong.append(f"{page}: {target.name} has no #{fragment}")
    assert not wrong


@pytest.mark.parametrize("page", PAGES)
def test_a_page(site, page):
    """What it loads, its pictures, problems, ids and headings, and that it says what it is."""
    found = soup(site / page)
    loads = [tag[key] for name, key in LOADED.items() for tag in found.find_all(name) if tag.get(key)]
    assert loads
    assert [address for address in loads if address.startswith(OUTSIDE)] == []
    inside = [site / Path(page).parent / urlsplit(a).path for a in loads if ":" not in a]
    assert [path for path in inside if not path.is_file()] == []
    pictures = found.find_all("img")
    assert [i["src"] for i in pictures if not i.get("alt", "").strip()] == []
    assert found.select(MARKERS) == []
    ids = Counter(tag["id"] for tag in found.select("article [id]"))
    assert [i for i, times in ids.items() if times > 1] == []
    levels = [int(h.name[1]) for h in found.select("article :is(h1,h2,h3,h4,h5,h6)")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), "they descend one by one"
    about = found.select_one('meta[name="description"]')["content"]
    assert len(about) > 20 and "\\(" not in about
    assert found.select_one('meta[property="og:title"]')["content"].strip()
    assert f"dplit {dplit.__version__}" in found.select_one("footer .extra_footer").text
    assert "@misc{dplit-" in found.select_one("details.cite-page pre").text, "how to cite it"
    assert not found.select('link[rel="canonical"]'), "no address is set"
    if page in CHAPTERS:
        boxes(site / page)  # for the list of theorems, while the page is parsed
        check_a_notebook(found, CHAPTERS[page])


def test_no_style_sheet_imports_from_outside(site):
    sheets = [path for path in site.rglob("*.css") if "url(http" in path.read_text("utf-8")]
    assert sheets == []


def check_a_notebook(page, stem):
    """It says how to run it, and a chapter has its parts."""
    box = page.select_one("details.run-page")
    assert f"book/rerun.py {stem}" in box.text and "make lab" in box.text
    has_parameters = "# change me" in (book_tools.BOOK / f"{stem}.ipynb").read_text("utf-8")
    assert ("lines to change" in box.text) == has_parameters
    if stem not in NEEDS:
        return
    assert page.select(".proof"), "a theorem box"
    assert page.select("figure figcaption"), "a captioned figure"
    assert page.select(".dropdown"), "a folded solution"
    assert any("xercise" in h.text for h in page.select("h2, h3")), "exercises"
    assert "dplit verify" in page.select_one("article").text, "the command that checks with more cases"
    assert page.select('.proof a[href*="api/"]'), "a link from a theorem box to its function"
    line = page.select_one("p.chapter-needs")
    assert [a["href"] for a in line.select("a:not(.chapter-slides)")] == [f"{other}.html" for other in NEEDS[stem]]
    assert line.text.startswith("Needs")
    assert [a["href"] for a in line.select("a.chapter-slides")] == [f"../slides/{stem}.html"]


def test_every_entry_has_a_row_and_a_page_of_its_own(site):
    from dplit.court import claims
    from dplit.court.ledger.cite import row_id

    pages = {path.stem for path in (site / "book" / "entries").iterdir()}
    assert pages == {row_id(claim.id) for claim in claims.all()}
    for page, ours in (("ledger", False), ("own", True)):
        rows = soup(site / "book" / f"{page}.html").select("table.ledger-table tr[id]")
        assert {row["id"] for row in rows} == {row_id(c.id) for c in claims.all() if c.ours == ours}


def test_the_links_of_entries_resolve(site):
    wrong = []
    for page in sorted((site / "book" / "entries").iterdir()):
        for target, fragment in internal(page):
            if not target.is_file() or (fragment and fragment not in addresses(target).anchors):
                wrong.append(f"{page.stem}: {target.name}#{fragment}")
    assert not wrong
    light = sum(path.stat().st_size for path in (site / "book" / "entries").iterdir())
    assert light < 8e6, "bytes of all"


def test_a_table_of_claims_and_a_box_lead_to_the_ledger(site):
    page = soup(site / "book" / "majority.html")
    links = [a["href"] for a in page.select("table.dataframe tbody th a")]
    assert "entries/rdf-smooth-exponential.html" in links
    boxes = [a["href"] for a in page.select(".proof .in-ledger a")]
    assert "entries/rdf-smooth-exponential.html" in boxes
    reference = soup(site / "book" / "api" / "majority.html")
    assert reference.select('dd a[href="../entries/rdf-smooth-exponential.html"]')


def test_many_claims_under_a_box_are_folded(site):
    from dplit.court import claims

    page = soup(site / "book" / "bench.html")
    (folded,) = page.select(".proof details.in-ledger")
    assert len(folded.select("a")) == len(claims.of("bench")) > 8
    assert folded.summary.text.startswith(f"{len(claims.of('bench'))} claims")
    boxes = [
        box for name in ("mechanisms", "majority") for box in soup(site / f"book/{name}.html").select(".proof")
    ]
    many = [len(box.select("p.in-ledger a")) > 8 for box in boxes]
    assert many == [bool(box.select("details.in-ledger")) for box in boxes] and not all(many)


@pytest.mark.parametrize("paper", ["diprime-v1", "diprime-v2", "mrf", "rdf", "m-rf"])
def test_the_errata_of_a_paper_are_complete(site, paper):
    from dplit.court import claims
    from dplit.court.ledger.cite import row_id
    from dplit.court.ledger.export import is_erratum

    found = soup(site / "book" / "errata" / f"{paper}.html").select(".erratum")
    assert {e["id"] for e in found} == {row_id(c.id) for c in claims.all(paper) if is_erratum(c)}
    for erratum in found:
        names = [name.text for name in erratum.select("dt")]
        assert names[:2] == ["Printed", "Read as"] and names[3:] == ["Evidence", "Since"]
        assert names[2] in ("Correct", "Assumption to name")
        assert all(part.text.strip() for part in erratum.select("dd"))
        assert not erratum.h3.text[0].islower(), "a heading begins with a capital letter"


def test_the_ledger_lies_beside_its_page_as_files(site):
    import json

    from dplit.court import claims

    ids = [c.id for c in claims.all()]
    assert [r["id"] for r in json.loads((site / "book" / "claims.json").read_text("utf-8"))] == ids
    assert (site / "book" / "claims.bib").read_text("utf-8").count("@misc{") == len(ids)
    assert (site / "book" / "claims.csv").read_text("utf-8").count("\n") >= len(ids)
    assert set(json.loads((site / "book" / "errata.json").read_text("utf-8"))) == {
        "diprime-v1", "diprime-v2", "mrf", "rdf", "m-rf",
    }  # fmt: skip


def test_the_map_has_every_chapter_and_what_it_needs_stands_before_it(site):
    order = book_tools.chapters()
    assert list(NEEDS) == order, "book/chapters.yml has every chapter, in order"
    for stem, needed in NEEDS.items():
        assert all(order.index(other) < order.index(stem) for other in needed), stem
    rows = soup(site / "book" / "index.html").select("table.chapter-map tbody tr")
    assert [row.select_one("a")["href"] for row in rows] == [f"{stem}.html" for stem in order]


def test_the_list_of_theorems_has_every_box_and_leads_to_it(site):
    listed = soup(site / "book" / "theorems.html").select("article li a.reference")
    found = {a["href"]: a.text for a in listed}
    expected = {
        f"{stem}.html#{id}": number for page, stem in CHAPTERS.items() for id, number in boxes(site / page).items()
    }
    assert found == expected and len(found) > 200
    assert sum("(" in a.parent.text for a in listed) > len(listed) / 2, "titles"


def test_the_changelog_of_verdicts_is_on_the_page(site):
    from dplit.court.ledger import evidence_files

    text = soup(site / "book" / "errata.html").select_one("#changes-of-verdicts").text
    last, changed = {}, []
    for change in evidence_files.changes():
        now = f"{change.verdict} ({change.number})" if change.number else change.verdict
        if change.claim in last:
            old = last[change.claim]
            gone, kept = (f"{change.claim} (was {old})", f"{change.claim} was {old}, is {now}.")
            changed.append(gone if change.verdict == evidence_files.WITHDRAWN else kept)
        last[change.claim] = now
    assert any("must be" in line for line in changed), "with what decided a sentence about runs"
    assert changed and [line for line in changed if line not in text] == []


def test_on_this_page_lists_the_names_of_a_reference_page_and_the_sidebar_lists_pages(site):
    page = soup(site / "book" / "api" / "majority.html")
    names = {a["href"] for a in page.select("#pst-page-toc-nav a, .bd-toc nav a")}
    assert "#dplit.majority.gap_error" in names and len(names) > 30
    pages = [a["href"] for a in page.select("nav.bd-links a")]
    assert len(pages) > 30 and not [p for p in pages if "#dplit" in p]
