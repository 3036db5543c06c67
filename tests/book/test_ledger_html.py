"""The ledger's tables as HTML, from made-up claims."""

import json
import re
import sys
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from book_tools import BOOK
from bs4 import BeautifulSoup

from dplit.court import claims
from dplit.court.ledger import RUN_VERDICTS, VERDICTS, Claim, evidence_files
from dplit.court.ledger.evidence_files import Change
from dplit.court.ledger.export import is_erratum
from dplit.ground.printed import data_file

sys.path.insert(0, str(BOOK / "_ext"))
import attack_picture
import ledger_counts
import ledger_entry
import ledger_map
import ledger_page
import ledger_words

sys.path.remove(str(BOOK / "_ext"))


def make(id, verdict="holds", **fields):
    fields = {"where": "Theorem 1", "says": "It is so.", **fields}
    return Claim(id, id.split("/")[0], verdict=verdict, check_function=print, **fields)


CLAIMS = [
    make(
        "rdf/theorem-1",
        "fails",
        says="The loss is $j < \\epsilon & more$ for `counts`.",
        holds_instead="rdf/theorem-1/corrected",
        functions=("majority.smooth_sensitivity", "mechanisms.Laplace"),
        chapter="majority",
        anchor="thm-smooth",
    ),
    make("rdf/theorem-1/corrected", ours=True, kind="simulated", intervals=3),
    make("mrf/lemma-3", "loose"),
]


@pytest.fixture
def table():
    return BeautifulSoup(ledger_page.ledger_html(CLAIMS), "html.parser")


def cell(table, row, label):
    return table.select("#" + row + " > *")[ledger_page.COLUMNS.index(label)]


def test_a_row_a_claim_by_paper_and_chapter(table):
    rows = table.select("tbody tr[data-verdict]")
    assert [row["id"] for row in rows] == ["mrf-lemma-3", "rdf-theorem-1", "rdf-theorem-1-corrected"]
    assert [row["data-paper"] for row in rows] == ["mrf", "rdf", "rdf"]
    assert [row["data-verdict"] for row in rows] == ["loose", "fails", "holds"]
    heads = [row.text for row in table.select("tbody tr.ledger-group")]
    assert heads == ["MRF", "RDF: majority", "RDF"]


def test_the_worst_come_first_and_a_correction_follows_what_it_corrects():
    verdicts = dict(zip("abcdefgh", reversed(ledger_page.WORST_FIRST)))
    made = [make(f"rdf/{name}", verdict) for name, verdict in verdicts.items()]
    made += [make("rdf/g/corrected", ours=True), make("rdf/z", "fails", chapter="depth")]
    made += [make("rdf/y", "leaks", chapter="depth"), make("rdf/x", "leaks", chapter="depth")]
    found = BeautifulSoup(ledger_page.ledger_html(made), "html.parser").select("tr[data-verdict]")
    rest = ["h", "g", "g-corrected", "f", "e", "d", "c", "b", "a"]
    assert [row["id"][4:] for row in found] == ["y", "x", "z", *rest]
    assert set(ledger_page.WORST_FIRST) == {*VERDICTS, *RUN_VERDICTS}


FOUND = {
    "summary": "At 2 it costs 3 < 4.", "quantity": "loss", "computed": 3.00000001, "relation": "<=",
    "published": 2.0, "range": "n up to 5", "cases": 1200, "counterexample": {"n": 2, "at": "<x>"},
    "intervals": [[0.1, 0.2]] * 5,
}  # fmt: skip


SINCE = Change("rdf/theorem-1", "fails", "0.3.0", "2026-01-02")


@pytest.fixture
def said():
    """What the page of a made-up entry says, dict of name to the part of the page."""
    of = {c.id: c for c in CLAIMS}
    html = ledger_entry.page(of["rdf/theorem-1"], of, FOUND, SINCE, "ask <b>us</b>", "<p>dplit 1</p>")
    found = BeautifulSoup(html, "html.parser")
    assert found.h1.text == "RDF, Theorem 1 fails" and found.title.text == "RDF, Theorem 1 — dplit"
    return dict(zip((name.text for name in found.select("dt")), found.select("dd")))


def test_an_entry_says_what_it_rests_on(said):
    text = {name: part.text for name, part in said.items()}
    assert text["Evidence"] == "Exact, a search of small leaves for a counterexample. At 2 it costs 3 < 4."
    assert text["Must hold"] == "Loss: must be at most 2, is 3."
    assert text["Computed"] == "n up to 5 (cases: 1,200); intervals [0.1, 0.2], [0.1, 0.2], [0.1, 0.2] and 2 more"
    assert text["Counterexample"] == "n = 2; at: <x>"
    assert "false, as a counterexample shows, since version 0.3.0 (2026-01-02)" in text["Verdict"]
    assert 'claims.get("rdf/theorem-1").check()' in text["Compute it again"]
    assert "dplit verify --claim rdf/theorem-1 --seed 0" in text["Compute it again"]
    assert "@misc{dplit-rdf-theorem-1," in text["Cite"] and "Theorem 1" in text["Cite"]
    assert text["Are you an author?"] == "ask us"
    assert "Corrects" not in text and "Derived from" not in text, "of made-up claims nothing is derived"


def test_an_entry_links_to_box_function_and_correction(said):
    assert [a["href"] for a in said["In the book"].select("a")] == [
        "../majority.html#thm-smooth",
        "../api/majority.html#dplit.majority.smooth_sensitivity",
        "../api/mechanisms.html#dplit.mechanisms.Laplace",
    ]
    assert said["Holds instead"].a["href"] == "rdf-theorem-1-corrected.html"


def test_a_correction_says_what_it_corrects_and_asks_no_author():
    of = {c.id: c for c in CLAIMS}
    page = BeautifulSoup(ledger_entry.page(of["rdf/theorem-1/corrected"], of, answers="ask"), "html.parser")
    names = [name.text for name in page.select("dt")]
    assert "Corrects" in names and "Are you an author?" not in names
    assert page.select('nav a[href="../own.html"]')


@pytest.mark.parametrize(
    ("where", "repository", "begins"),
    [
        ("a@b.org", "https://x.org/r", '<a href="mailto:a@b.org?subject=entry%20rdf/theorem-1">Answer here</a>'),
        ("https://b.org/form", "", '<a href="https://b.org/form">'),
        ("", "https://x.org/r/", '<a href="https://x.org/r/issues/new?title=entry%20rdf/theorem-1">'),
        ("", "", "An answer names the entry, <code>rdf/theorem-1</code>"),
    ],
)
def test_an_author_answers_where_the_setting_says(where, repository, begins):
    assert ledger_entry.answers(CLAIMS[0], where, repository).startswith(begins)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"exact": "2.0", "epsilon_1": 0.1 + 0.2, "counts": [0, 1]}, "ε_1 = 0.3; class counts: 0, 1"),
        ({"data": [], "neighbour": [[0, -1.0]] * 4}, "data set: empty; its neighbour: (0, -1) (4 times)"),
        ({"data": "((0, 0, 0),)", "neighbour": "((0, 0, 0), (0, 0, 1))"},
         "data set: (0, 0, 0); its neighbour: (0, 0, 0), (0, 0, 1)"),
        ({"gap": "299201473/892206222147", "ratio": "5/2"}, "gap: 0.0003354; ratio: 5/2"),
        ({"all": list(range(30))}, "all: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (30 in all)"),
        ({"statement": "a**2 < a", "where": "a > 1", "boxes": 0, "refuted": {"a": [2, "inf"]}},
         "a^2 < a is false for every a from 2 on; it is stated for all a > 1"),
        ({"one_column": {"n": 8, "leaf": 122244}}, "one column (n = 8; leaf = 122,244)"),
        ({"loss": float("inf"), "sharp": True, "interval": [0.1, 0.25]},
         "privacy loss = infinite; sharp: True; interval from 0.1 to 0.25"),
    ],
)  # fmt: skip
def test_a_counterexample_is_words_and_short_numbers(data, words):
    assert ledger_words.in_words(data) == words


def test_no_counterexample_of_the_ledger_has_a_number_of_many_digits():
    from dplit.court.ledger.evidence_files import stored

    said = [ledger_words.in_words(found["counterexample"] or {}) for found in stored().values()]
    assert sum(map(bool, said)) > 150
    assert not [text for text in said if re.search(r"\d\.0*[1-9]\d{5}|[\[{]", text)]


def test_a_command_in_what_was_found_is_code():
    assert ledger_words.with_code("`dplit verify` says a < b") == "<code>dplit verify</code> says a &lt; b"


def test_every_row_has_a_cell_for_every_column(table):
    heads = [head.text for head in table.select("thead th")]
    for row in table.select("tbody tr[data-verdict]"):
        assert len(row.select("th, td")) == len(heads) == 4


def test_formulas_are_left_to_mathjax_and_escaped(table):
    says = cell(table, "rdf-theorem-1", "Statement")
    assert says.text == r"The loss is \(j < \epsilon & more\) for counts."
    assert says.select_one("code").text == "counts"
    assert says.select_one("span.tex").text == r"\(j < \epsilon & more\)", "for when the row is seen"
    assert "&lt; \\epsilon &amp;" in ledger_page.ledger_html(CLAIMS)
    assert ledger_words.typeset("$j$") == r'<span class="math">\(j\)</span>'


def test_an_unpaired_dollar_is_an_error():
    with pytest.raises(ValueError, match="pairs of dollar signs"):
        ledger_words.typeset("costs $5")


def test_a_row_leads_to_its_entry_and_its_other_words_are_kept_for_the_filter():
    table = BeautifulSoup(ledger_page.ledger_html(CLAIMS, {"rdf/theorem-1": FOUND}), "html.parser")
    assert table.select_one("#rdf-theorem-1 a")["href"] == "entries/rdf-theorem-1.html"
    words = json.loads(table.select_one("script.ledger-words").text)
    assert "At 2 it costs 3 < 4." in words["rdf-theorem-1"] and set(words) == {
        r["id"] for r in table.select("tr[id]")
    }


def test_what_an_entry_is_about_is_said(table):
    assert cell(table, "rdf-theorem-1", "Where").text == "Theorem 1"
    read = BeautifulSoup(ledger_page.ledger_html([make("rdf/read", about="reading")]), "html.parser")
    assert cell(read, "rdf-read", "Where").text == "Theorem 1 (our reading)"
    ours = BeautifulSoup(
        ledger_page.ledger_html([make("rdf/x", ours=True, where="ours; section 3")]), "html.parser"
    )
    assert cell(ours, "rdf-x", "Where").text == "section 3"


def test_an_id_breaks_after_a_slash_and_its_paper_stays_whole(table):
    (link,) = table.select("#rdf-theorem-1-corrected th a")
    assert link.text == "rdf/theorem-1/corrected" and link.select_one(".key").text == "rdf"
    assert [str(mark.previous_sibling)[-1] for mark in link.select("wbr")] == ["/", "/"]


def test_every_control_has_a_label_and_the_count_is_announced(table):
    for control in table.select("select, input"):
        assert control.find_parent("label").text.strip()
    assert table.select_one(".ledger-count")["aria-live"] == "polite"
    options = [o["value"] for o in table.select('select[name="paper"] option')]
    assert options == ["", "mrf", "rdf"]


def test_no_claims_is_a_table_without_rows():
    assert not BeautifulSoup(ledger_page.ledger_html([]), "html.parser").select("tbody tr")


def test_each_number_of_the_table_leads_to_as_many_rows():
    run, step = {"about": "experiment"}, {"about": "step"}
    more = [make("rdf/a", "differs", **run), make("rdf/b", "fails"), make("rdf/c", "fails", **step)]
    more += [make("rdf/d", "holds", **step), make("rdf/e", "fails", about="reading")]
    rows = BeautifulSoup(ledger_page.ledger_html(CLAIMS + more), "html.parser").select("tr[data-verdict]")
    links = BeautifulSoup(ledger_counts.as_links(CLAIMS + more, "l.html"), "html.parser").select("a")
    assert [link.text for link in links] == ["1", "2", "1", "2", "1"]
    for link in links:
        chosen = parse_qsl(urlsplit(link["href"]).query)
        found = [row for row in rows if all(row[f"data-{k}"] == v for k, v in chosen)]
        assert link["href"].startswith("l.html?paper=") and len(found) == int(link.text)


def test_a_theorem_of_several_equations_is_named_by_each():
    names = {id: ledger_map.label(claims.get(id)) for id in ("rdf/theorem-1", "rdf/theorem-2", "rdf/equation-16")}
    assert list(names.values()) == ["Theorem 1", "Theorem 2, equation (15)", "Theorem 2, equation (16)"]


def test_the_sum_counts_what_the_papers_say():
    own = [make("rdf/a", verdict) for verdict in ("leaks", "fails", "fails", "holds", "loose", "assumes", "holds")]
    own += [make("mrf/b", "holds", ours=True), make("mrf/c", "fails", about="step")]
    met = ("agrees", "differs", "differs", "too close", "undecided")
    runs = [make("m-rf/d", verdict, about="experiment") for verdict in met]
    said = BeautifulSoup(ledger_counts.in_sum(own + runs, "errata.html"), "html.parser").text
    assert re.findall(r"\d+", said) == ["7", "3", "2", "1", "1", "1", "2", "5", "1", "2", "2"]


PAPERS = ("diprime-v1", "diprime-v2", "mrf", "rdf", "m-rf")


@pytest.mark.parametrize("paper", PAPERS)
def test_a_scorecard_has_every_entry_of_a_paper_once_in_its_order(paper):
    own = [c for c in claims.all(paper) if not c.ours]
    card = BeautifulSoup(ledger_map.scorecard(paper, claims.all(), "../"), "html.parser")
    links = [a["href"] for a in card.select("a")]
    assert sorted(links) == sorted(ledger_map.entry(c, "../") for c in own)
    order = [f"../entries/{i.replace('/', '-')}.html" for i in evidence_files.uses()]
    named = [a["href"] for a in card.select(".scores a")]
    assert named == [link for link in order if link in named] and len(named) > 6
    said = {a["href"]: a.text + a.get("aria-label", "") for a in card.select("a")}
    assert all(said[ledger_map.entry(c, "../")].endswith(c.verdict) for c in own), "in words, too"


@pytest.mark.parametrize("paper", PAPERS)
def test_a_map_has_every_use_as_an_arrow_and_in_words(paper):
    page = BeautifulSoup(ledger_map.map_html(paper, claims.all()), "html.parser")
    used = {i: u for i, u in evidence_files.uses().items() if i.startswith(f"{paper}/")}
    assert len(page.select("g.uses path")) == sum(map(len, used.values()))
    joined = {*(i for i, u in used.items() if u), *(i for u in used.values() for i in u)}
    shown = {a["href"].removeprefix("entries/").removesuffix(".html") for a in page.select("svg a")}
    assert shown == {i.replace("/", "-") for i in joined}
    places = [tuple(map(int, re.findall(r"-?\d+", a["transform"]))) for a in page.select("svg a")]
    assert len(set(places)) == len(places), "no box lies on another one"
    right, bottom = map(float, page.svg["viewbox"].split()[2:])
    assert all(-2 <= x <= right - ledger_map.WIDE and -2 <= y <= bottom - ledger_map.HIGH for x, y in places)
    assert right <= 800, "it fits a desk"
    assert len(page.select(".map-words li")) == len(joined)


def test_what_rests_on_a_broken_statement_is_marked():
    of = {c.id: c for c in claims.all()}
    rests = ledger_map.shaken(of)
    assert rests["mrf/theorem-2"] == {"mrf/theorem-2-max", "mrf/lemma-6"}
    assert "rdf/theorem-1" in rests["rdf/smooth-exponential"] and not rests["mrf/lemma-3"]
    page = BeautifulSoup(ledger_map.map_html("mrf", claims.all()), "html.parser")
    marked = {a["href"] for a in page.select("a.rests")}
    assert "entries/mrf-theorem-1.html" in marked and "entries/mrf-lemma-4.html" not in marked


def test_of_each_erratum_of_an_older_version_it_is_said_what_became_of_it():
    of, later = {c.id: c for c in claims.all()}, ledger_map.later()
    assert all(id in of and (not now or now in of) for id, now in later.items())
    assert {i for i, c in of.items() if c.paper == "diprime-v1" and is_erratum(c)} <= set(later)
    assert {now.partition("/")[0] for now in later.values()} == {"", "diprime-v2", "rdf"}
    said = [
        ledger_entry._later(of[f"diprime-v1/{name}"], of)
        for name in ("median-by-rank", "k-candidates", "divisible")
    ]
    assert [words.split()[0] for words in said] == ["Yes:", "No:", "Version"]


def test_the_reconstruction_picture_shows_tables_of_the_stored_run():
    """`python book/_ext/attack_picture.py` draws them again."""
    kept = json.loads(data_file(attack_picture.FILE).read_text("utf-8"))
    assert kept == {name: attack_picture.drawn(name) for name in attack_picture.RELEASES}
    page = BeautifulSoup(attack_picture.picture(), "html.parser")
    for panel, (name, mean) in zip(
        page.select("figure > div > div"), [("published cuts", 46), ("noisy counts", 29)]
    ):
        records, named = np.array(kept[name]["records"]), np.array(kept[name]["named"])
        assert (
            len(panel.select("circle")) == records.sum() == 40 >= named.sum() and len(panel.select("rect")) == 128
        )
        assert len(panel.select(".hit")) == (named * records > 0).sum() >= 10
        assert panel.p.text.endswith(f"{np.minimum(named, records).sum()} of 40 records named; {mean}% on average")
        assert panel.svg["aria-label"] == panel.p.text
    assert "128 cells" in page.figcaption.text and "more than 35% of the records" in page.figcaption.text


def test_the_pages_colours_are_the_figures():
    from matplotlib.colors import to_hex

    from dplit.plotting import VERDICT_COLORS

    style = (BOOK / "_static" / "dplit.css").read_text("utf-8")
    for verdict in VERDICTS + RUN_VERDICTS:
        assert f"--verdict-{verdict.replace(' ', '-')}: {to_hex(VERDICT_COLORS[verdict])};" in style


def test_a_row_that_says_why_it_is_a_grid_has_no_certificate_and_no_proof():
    words = ledger_entry.grids()
    assert list(words) == sorted(claim.id for claim in claims.all() if claim.kind == "exact")
    assert all(0 < len(text) <= 80 and text[-1] != "." for text in words.values())
    assert ledger_entry._grid(claims.get("m-rf/noise-cost")) == ", a count of draws"
    for kind in ("certified", "proved"):
        assert {ledger_entry._grid(claim) for claim in claims.all() if claim.kind == kind} == {""}
