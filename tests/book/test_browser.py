"""The book in headless Chromium: opened from the disk, and served on loopback."""

import json
import re
import shutil
from urllib.parse import urlsplit
from urllib.request import urlopen

import book_tools
import pytest
from book_tools import NOTEBOOKS, PAGES
from browser_tools import SECONDS, problems, visit, wait

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
RAW_FORMULAS = r"""
const page = document.querySelector("article").cloneNode(true);
page.querySelectorAll("pre, code, script, style, mjx-container").forEach((e) => e.remove());
return page.textContent.match(/\\\(|\\\[|\\[a-z]+\{|\$[^$\n]+\$/g) || [];
"""
WIDE_SYMBOLS = """
return [...document.querySelectorAll("article table")]
  .filter((t) => t.querySelector("th")?.textContent.trim() === "symbol" && t.scrollWidth > t.clientWidth)
  .map((t) => t.scrollWidth);
"""


def requests(driver):
    """Addresses that were asked for since the last `visit`."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    sent = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
    return [e["request"]["url"] for e in sent]


def outside(driver, home):
    """Addresses on any network that were asked for since the last `visit`, but for those of `home`."""
    return [a for a in requests(driver) if a.startswith(("http", "ws")) and not a.startswith(home)]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_from_the_disk(driver, site, page):
    visit(driver, (site / page).as_uri())
    assert problems(driver) == []
    assert outside(driver, "file:") == []
    formulas = driver.execute_script(
        "return document.querySelectorAll('.math, .mathjax_process').length"
    )
    typeset = driver.execute_script("return document.querySelectorAll('mjx-container').length")
    if page != "book/ledger.html":
        assert bool(typeset) == bool(formulas)
    assert driver.execute_script(RAW_FORMULAS) == []
    assert driver.execute_script("return document.querySelectorAll('mjx-merror').length") == 0


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_a_phone(driver, site, page):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        visit(driver, (site / page).as_uri())
        width = driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= PHONE["width"]
        assert driver.execute_script(WIDE_SYMBOLS) == []
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("page", ["index.html", "book/index.html", "book/ledger.html"])
def test_a_served_page_loads_without_complaint(driver, server, page):
    visit(driver, server + page)
    wait(
        driver, "return location.pathname.endsWith('.html') && !!document.querySelector('article')"
    )
    assert problems(driver) == []
    assert outside(driver, server) == []


@pytest.mark.parametrize("where", ["disk", "server"])
def test_search_finds_permute(driver, site, server, where):
    home = site.as_uri() + "/" if where == "disk" else server
    visit(driver, home + "search.html?q=permute")
    found = "[...document.querySelectorAll('#search-results li a')].map((a) => a.textContent)"
    assert wait(driver, f"return {found}.some((title) => title.includes('Notation'))")


def test_dark_and_light(driver, site):
    visit(driver, (site / PAGES[0]).as_uri())
    theme = "return document.documentElement.dataset.theme"
    seen = {driver.execute_script(theme): _ground(driver)}
    for _ in range(3):
        driver.execute_script("document.querySelector('.theme-switch-button').click()")
        seen[driver.execute_script(theme)] = _ground(driver)
    assert seen["dark"] < 60 < 200 < seen["light"]


def _ground(driver):
    """Mean brightness of the page's ground, 0 to 255."""
    rgb = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    values = [float(v) for v in rgb[rgb.index("(") + 1 : -1].split(",")[:3]]
    return sum(values) / 3


def test_the_browser_turns_colours_around_as_computed(driver, site):
    from matplotlib.colors import to_rgb

    from dplit import plotting

    visit(driver, (site / "book" / "majority.html").as_uri())
    for color in ("#ffffff", plotting.INK, *plotting.PALETTE):
        seen = driver.execute_script(
            "const c = document.createElement('canvas').getContext('2d');"
            "c.filter = arguments[1]; c.fillStyle = arguments[0]; c.fillRect(0, 0, 9, 9);"
            "return [...c.getImageData(4, 4, 1, 1).data].slice(0, 3)",
            color,
            f"invert({plotting.style.DARKENED}) hue-rotate(180deg)",
        )
        expected = [round(255 * v) for v in to_rgb(plotting.in_the_dark(color))]
        assert max(abs(a - b) for a, b in zip(seen, expected)) <= 2, color


def test_pictures_are_shown_at_half_their_pixels(driver, site):
    visit(driver, (site / "book" / "median.html").as_uri())
    sizes = driver.execute_script(
        "return [...document.querySelectorAll('.cell_output figure img')]"
        ".map((i) => [i.naturalWidth, i.clientWidth, i.naturalHeight, i.clientHeight])"
    )
    assert sizes
    for wide, shown_wide, high, shown_high in sizes:
        assert wide >= 1.9 * shown_wide
        assert high / wide == pytest.approx(shown_high / shown_wide, rel=0.02)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_can_be_downloaded(driver, server, path):
    visit(driver, f"{server}book/{path.stem}.html")
    address = wait(driver, "return document.querySelector('a.btn-download-source-button').href")
    assert urlsplit(address).path.endswith(".ipynb")
    with urlopen(address, timeout=SECONDS) as reply:
        assert json.load(reply) == json.loads(path.read_text("utf-8"))


def _fake_ledger(folder):
    """A page with a ledger of a few made-up claims and the book's own script."""
    from dplit.ledger.page import ledger_html
    from dplit.ledger.registry import Claim

    rows = [
        ("rdf/one", "fails"),
        ("rdf/two", "leaks"),
        ("mrf/one", "holds"),
        ("mrf/one/corrected", "holds"),
    ]
    places = ["Theorem 2", "Theorem 21", "Lemma 3", "Section 2"]
    made = [
        Claim(i, i.split("/")[0], place, f"{place}, the {v} one", v, print, ours="corrected" in i)
        for (i, v), place in zip(rows, places)
    ]
    shutil.copy(book_tools.BOOK / "_static" / "ledger.js", folder)
    script = '<script src="ledger.js"></script>'
    page = folder / "ledger.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{ledger_html(made)}{script}", "utf-8")
    return page


def shown(driver):
    return driver.execute_script(
        "return [...document.querySelectorAll('.ledger tr[data-verdict]')]"
        ".filter((row) => row.offsetParent).map((row) => row.id)"
    )


def choose(driver, name, value):
    driver.execute_script(
        "const field = document.querySelector('.ledger-filter').elements[arguments[0]];"
        "field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true}));",
        name,
        value,
    )


def test_the_ledger_filters(driver, tmp_path):
    address = _fake_ledger(tmp_path).as_uri()
    visit(driver, address)
    everything = ["mrf-one", "mrf-one-corrected", "rdf-two", "rdf-one"]
    assert shown(driver) == everything
    choose(driver, "paper", "rdf")
    assert shown(driver) == ["rdf-two", "rdf-one"]
    assert _heads(driver) == ["RDF"]
    choose(driver, "verdict", "leaks")
    assert shown(driver) == ["rdf-two"]
    count = driver.execute_script("return document.querySelector('.ledger-count').textContent")
    assert count == "1 of 4 claims"
    choose(driver, "text", "no such words")
    assert shown(driver) == []
    driver.execute_script("document.querySelector('.ledger-filter button').click()")
    wait(driver, "return !document.querySelector('.ledger tbody tr[hidden]')")
    assert shown(driver) == everything


def _heads(driver):
    return driver.execute_script(
        "return [...document.querySelectorAll('.ledger-group')]"
        ".filter((row) => row.offsetParent).map((row) => row.textContent.trim())"
    )


def test_a_phrase_is_looked_for_in_the_place_first(driver, tmp_path):
    visit(driver, _fake_ledger(tmp_path).as_uri())
    for text, found in [
        ("theorem 2", ["rdf-one"]),
        ("THEOREM  2", ["rdf-one"]),
        ("section", ["mrf-one-corrected"]),
        ("the leaks one", ["rdf-two"]),
        ("one leaks", ["rdf-two"]),
        ("Thm. 2", ["rdf-one"]),
        ("Sec. (2)", ["mrf-one-corrected"]),
        ("What leaks, says the lemma?", ["mrf-one", "rdf-two"]),
        ("completely different", []),
        ("*+", []),
        ("Theorem 2. It says what no row says.", ["rdf-one"]),
    ]:
        choose(driver, "text", text)
        assert shown(driver) == found, text


SENTENCES = {  # as three papers print them
    "rdf": "Theorem 1. Given the leaf x of a decision tree, the most frequent label can be "
    "differentially-privately queried with the Exponential Mechanism",
    "mrf": "Theorem 2. The proposed MRF satisfies ϵ-differential privacy when the hyper-parameters",
    "m-rf": "Theorem 7 Algorithm 2 satisfies ϵ-DP.",
}


@pytest.mark.parametrize("paper", SENTENCES)
def test_a_pasted_sentence_finds_its_verdict_counterexample_and_citation(driver, tmp_path, paper):
    visit(driver, _ledger_of(paper, tmp_path).as_uri())
    choose(driver, "text", SENTENCES[paper])
    found = shown(driver)
    assert 1 <= len(found) <= 15, "a list that is read in a minute"
    text = "return document.getElementById(arguments[0]).textContent"
    worst = driver.execute_script(text, found[0])
    assert "leaks" in worst and "Counterexample" in worst and f"@misc{{dplit-{found[0]}," in worst


def _ledger_of(paper, folder):
    """The ledger of one paper, or of all, without the rest of the site."""
    from dplit import claims
    from dplit.ledger import store
    from dplit.ledger.page import ledger_html

    html = ledger_html(claims.all(paper), store.stored(), store.since())
    shutil.copy(book_tools.BOOK / "_static" / "ledger.js", folder)
    page = folder / "ledger.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8>{html}<script src=ledger.js></script>", "utf-8"
    )
    return page


COPIED = {  # sentences without a number, each with the row that judges it
    "diprime-v1/parallel-composition": "If F_i each provide differential privacy, and D_i are "
    "arbitrary disjoint subsets of the dataset D, then the sequence provides differential privacy",
    "diprime-v2/parallel-composition": "Since the data points assigned to leaf nodes are disjoint, the "
    "set of all leaf-node queries is also DP, following the parallel composition theorem.",
    "mrf/stopping": "the number of estimation points is required to be at least k for every leaf.",
    "rdf/parallel-parts": "we propose using parallel composition, and using disjoint data in each tree",
    "rdf/improvement": "even with a modest j of 10, the exponent of the Exponential Mechanism is "
    "improved 20,000-fold",
    "m-rf/single-tree": "In both cases, the predictive power of a single tree is inversely proportional "
    "to the total number of trees.",
}


@pytest.mark.parametrize("row", COPIED)
def test_a_sentence_without_a_number_finds_its_row_among_few(driver, tmp_path, row):
    """In the whole ledger, with the paper chosen."""
    visit(driver, _ledger_of(None, tmp_path).as_uri())
    choose(driver, "paper", row.split("/")[0])
    choose(driver, "text", COPIED[row])
    found = shown(driver)
    assert row.replace("/", "-") in found and len(found) <= 5


def test_the_filter_is_in_the_address(driver, server):
    from dplit import claims

    visit(driver, f"{server}book/ledger.html?paper=rdf&verdict=leaks")
    assert set(shown(driver)) == {"rdf-smooth-exponential", "rdf-parallel-parts"}
    choose(driver, "verdict", "")
    assert len(shown(driver)) > 20
    choose(driver, "text", "theorem 2")
    query = driver.execute_script("return location.search")
    assert query == "?paper=rdf&text=theorem+2"
    visit(driver, f"{server}book/ledger.html{query}")
    places = {c.id.replace("/", "-"): c.where.lower() for c in claims.all("rdf")}
    assert set(shown(driver)) == {i for i, p in places.items() if re.search(r"\btheorem 2\b", p)}
    driver.execute_script("document.querySelector('.ledger-filter button').click()")
    wait(driver, "return location.search === ''")


@pytest.mark.parametrize("row", ["mrf-lemma-6", "rdf-smooth-exponential-corrected"])
def test_a_link_to_a_filtered_row_scrolls_to_it(driver, site, row):
    """To the top of the window, below the header, and unfolded."""
    visit(driver, (site / "book" / "ledger.html").as_uri())
    choose(driver, "paper", "ours")
    driver.execute_script("location.hash = arguments[0]", row)
    assert wait(driver, "return !!document.querySelector('tr:target').offsetParent")
    place = "return document.querySelector('tr:target').getBoundingClientRect().top"
    assert 0 <= driver.execute_script(place) <= 200
    assert driver.execute_script("return document.querySelector('tr:target details').open")


def test_without_script_every_row_shows_and_no_control(driver, tmp_path):
    page = _fake_ledger(tmp_path)
    (tmp_path / "ledger.js").write_text("")
    visit(driver, page.as_uri())
    assert len(shown(driver)) == 4
    assert driver.execute_script("return !document.querySelector('.ledger-filter').offsetParent")


def test_the_books_ledger_filters(driver, site):
    visit(driver, (site / "book" / "ledger.html").as_uri())
    rows = driver.execute_script(
        "return [...document.querySelectorAll('.ledger tr[data-verdict]')].map((r) => [r.id, r.dataset.verdict])"
    )
    assert not driver.execute_script("return document.querySelector('.ledger-filter').hidden")
    for verdict in ("holds", "leaks"):
        choose(driver, "verdict", verdict)
        assert shown(driver) == [row for row, has in rows if has == verdict]


MOST_BYTES = 1_500_000  # of the first page, without formulas and plots


def test_the_first_page_is_light(driver, server, site):
    visit(driver, f"{server}book/index.html")
    own = [a for a in requests(driver) if a.startswith(server)]
    paths = {urlsplit(a).path.lstrip("/") for a in own}
    files = [p for p in paths if "mathjax" not in p and not p.startswith("_images/")]
    weight = sum((site / p).stat().st_size for p in files)
    assert weight <= MOST_BYTES, sorted((-(site / p).stat().st_size, p) for p in files)[:5]


def test_the_icons_that_a_page_shows_are_drawn(driver, site):
    visit(driver, (site / "book" / "median.html").as_uri())
    wait(driver, "return !!document.querySelector('svg.svg-inline--fa')")
    drawn = "return [...document.querySelectorAll('svg.svg-inline--fa')].map((i) => i.dataset.icon)"
    assert {"magnifying-glass", "download", "expand", "bars"} <= set(driver.execute_script(drawn))
    missing = "[class*='fa-']:not(svg, path), svg[data-icon='circle-question']"
    assert driver.execute_script(f'return document.querySelectorAll("{missing}").length') == 0
