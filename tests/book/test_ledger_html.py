"""The ledger's tables as HTML, from made-up claims."""

import sys
from urllib.parse import parse_qsl, urlsplit

import pytest
from book_tools import BOOK
from bs4 import BeautifulSoup

from dplit.court.ledger import RUN_VERDICTS, VERDICTS, Claim
from dplit.court.ledger.evidence_files import Change

sys.path.insert(0, str(BOOK / "_ext"))
import ledger_counts
import ledger_entry
import ledger_page

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
    return table.select_one(f'#{row} td[data-label="{label}"]')


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


def test_a_row_unfolds_to_its_evidence():
    since = {"rdf/theorem-1": Change("rdf/theorem-1", "fails", "0.3.0", "2026-01-02")}
    html = ledger_page.ledger_html(CLAIMS, {"rdf/theorem-1": FOUND}, since)
    more = BeautifulSoup(html, "html.parser").select_one("#rdf-theorem-1 details")
    names = [name.text for name in more.select("dt")]
    said = dict(zip(names, (dd.text for dd in more.select("dd"))))
    assert said["Found"] == "At 2 it costs 3 < 4."
    assert said["Must hold"] == "loss: must be at most 2, is 3"
    assert said["Range"] == "n up to 5 (cases: 1,200)"
    assert said["Counterexample"] == '{"n": 2, "at": "<x>"}'
    assert said["Intervals"] == "[0.1, 0.2], [0.1, 0.2], [0.1, 0.2] and 2 more"
    assert 'claims.get("rdf/theorem-1").check()' in said["Compute it again"]
    assert "dplit verify --claim rdf/theorem-1 --seed 0" in said["Compute it again"]
    assert "fails since version 0.3.0, 2026-01-02" in said["Cite"]
    assert "dplit-rdf-theorem-1" in said["Cite"] and "Theorem 1" in said["Cite"]
    assert not more.select("pre"), "of which the theme measures each in a layout of its own"
    assert len(more.select("code.block")) == 3 and more.select_one(".highlight > code.block")


def test_a_counterexample_is_without_the_last_bits_of_a_computation():
    assert ledger_entry.in_brief({"a": [0.1 + 0.2, 0.9470999999999999, 5e-324], "b": 2}) == (
        '{"a": [0.3, 0.9471, 5e-324], "b": 2}'
    )


def test_a_command_in_what_was_found_is_code():
    parts = dict(ledger_entry.evidence_parts({**FOUND, "summary": "`dplit verify` says a < b"}))
    assert parts["Found"] == "<code>dplit verify</code> says a &lt; b"


def test_a_long_counterexample_is_cut():
    assert ledger_entry.in_brief({"n": "1" * 999}).endswith("…")
    assert len(ledger_entry.in_brief({"n": "1" * 999})) <= ledger_entry.LONGEST + 1


def test_every_row_has_a_cell_for_every_column(table):
    heads = [head.text for head in table.select("thead th")]
    for row in table.select("tbody tr[data-verdict]"):
        cells = ["Claim", *(td["data-label"] for td in row.select("td"))]
        assert cells == heads


def test_formulas_are_left_to_mathjax_and_escaped(table):
    says = cell(table, "rdf-theorem-1", "Statement")
    assert says.text.startswith(r"The loss is \(j < \epsilon & more\) for counts.")
    assert says.select_one("code").text == "counts"
    assert says.select_one("span.math").text == r"\(j < \epsilon & more\)"
    assert table.select_one(".ledger.mathjax_process")
    assert "&lt; \\epsilon &amp;" in ledger_page.ledger_html(CLAIMS)


def test_a_line_that_says_nothing_is_marked(table):
    assert cell(table, "mrf-lemma-3", "Holds instead")["class"] == ["nothing"]
    assert not cell(table, "rdf-theorem-1", "Holds instead").has_attr("class")


def test_an_unpaired_dollar_is_an_error():
    with pytest.raises(ValueError, match="pairs of dollar signs"):
        ledger_page.typeset("costs $5")


def test_links_lead_to_box_function_and_correction(table):
    links = [a["href"] for a in cell(table, "rdf-theorem-1", "Computed by").select("a")]
    assert links == [
        "majority.html#thm-smooth",
        "api/majority.html#dplit.majority.smooth_sensitivity",
        "api/mechanisms.html#dplit.mechanisms.Laplace",
    ]
    correction = cell(table, "rdf-theorem-1", "Holds instead").select_one("a")["href"]
    assert table.select_one(correction)["data-verdict"] == "holds"


def test_ours_and_simulated_are_said(table):
    assert "ours" in table.select_one("#rdf-theorem-1-corrected th").text
    assert "ours" not in table.select_one("#rdf-theorem-1 th").text
    both = ledger_page.ledger_html([make("rdf/ours", about="reading", ours=True)])
    assert "<small>ours, our reading</small>" in both
    assert cell(table, "rdf-theorem-1-corrected", "Evidence").text == "simulated, 3 intervals"
    assert cell(table, "rdf-theorem-1", "Evidence").text == "exact"


def test_whose_an_entry_is_stands_once_and_one_interval_is_one():
    own = make("rdf/x/corrected", where="ours", ours=True, kind="simulated", intervals=1)
    table = BeautifulSoup(ledger_page.ledger_html([own]), "html.parser")
    assert cell(table, "rdf-x-corrected", "Where").text == "RDF"
    assert cell(table, "rdf-x-corrected", "Evidence").text == "simulated, 1 interval"


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


def test_the_pages_colours_are_the_figures():
    from matplotlib.colors import to_hex

    from dplit.plotting import VERDICT_COLORS

    style = (BOOK / "_static" / "dplit.css").read_text("utf-8")
    for verdict in VERDICTS + RUN_VERDICTS:
        assert f"--verdict-{verdict.replace(' ', '-')}: {to_hex(VERDICT_COLORS[verdict])};" in style
