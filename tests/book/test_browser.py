"""The book in headless Chromium: opened from the disk, and served on loopback."""

import json
import re
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

import pytest
from book_tools import NOTEBOOKS, PAGES
from browser_tools import SECONDS, problems, settle, visit, wait

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
RAW_FORMULAS = r"""
const page = document.querySelector("article").cloneNode(true);
page.querySelectorAll("pre, code, script, style, mjx-container").forEach((e) => e.remove());
return page.textContent.match(/\\\(|\\\[|\\[a-z]+\{|\$[^$\n]+\$/g) || [];
"""
CUT_FORMULAS = """
document.querySelectorAll("details").forEach((d) => (d.open = true));
document.querySelectorAll(".toggle-hidden").forEach((d) => d.classList.remove("toggle-hidden"));
const scrolls = (box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
function cut(math) {
  const right = math.getBoundingClientRect().right;
  for (let box = math.parentElement; box.tagName !== "ARTICLE"; box = box.parentElement) {
    if (scrolls(box)) return box.getBoundingClientRect().right > innerWidth + 1;
    const inLine = box.tagName === "MJX-CONTAINER" || getComputedStyle(box).display === "inline";
    if (!inLine && right > box.getBoundingClientRect().right + 1) return true;
  }
  return right > innerWidth;
}
const settled = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
return new Promise((done) =>
  settled(() => {
    const all = [...document.querySelectorAll("article mjx-container > mjx-math")];
    done(all.filter(cut).map((m) => m.closest("p, li, dd, dt, td, div").textContent.slice(0, 80)));
  }),
);
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


@pytest.fixture
def phone(driver):
    """The browser as a phone. It changes its size on an empty page: on one with everything unfolded that takes as
    long as opening the page."""
    driver.get("about:blank")
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    yield driver
    driver.get("about:blank")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


LEDGERS = ("book/ledger.html", "book/own.html")  # whose formulas wait until they are seen
OF_THE_REFERENCE = [page for page in PAGES if page.startswith("book/api/")]  # one frame: a few stand for all
WIDER = [pytest.param(page, marks=pytest.mark.deep) for page in OF_THE_REFERENCE[4:]]
OPENED = [page for page in PAGES if page not in OF_THE_REFERENCE[4:]]


@pytest.mark.parametrize("page", [*OPENED, *WIDER])
def test_a_page_opens_from_the_disk_and_fits_a_phone(phone, site, page):
    """One look at each page, as it takes seconds to open: at the width of a desk it is opened from the server."""
    visit(phone, (site / page).as_uri())
    assert problems(phone) == []
    assert outside(phone, "file:") == []
    formulas = phone.execute_script("return document.querySelectorAll('.math, .mathjax_process').length")
    typeset = phone.execute_script("return document.querySelectorAll('mjx-container').length")
    if page not in LEDGERS:
        assert bool(typeset) == bool(formulas)
    phone.execute_script("dispatchEvent(new Event('beforeprint'))" if page in LEDGERS else "")  # typesets all
    assert wait(phone, "return !document.querySelector('.tex')")
    settle(phone)
    assert phone.execute_script(RAW_FORMULAS) == []
    assert phone.execute_script("return document.querySelectorAll('mjx-merror').length") == 0
    if page in OF_ENTRIES:
        check_formulas_of_entries(phone)
    width = "return document.documentElement.scrollWidth"
    assert phone.execute_script(width) <= PHONE["width"]
    assert phone.execute_script(WIDE_SYMBOLS) == []
    assert phone.execute_script(CUT_FORMULAS) == []
    assert phone.execute_script(width) <= PHONE["width"], "with everything unfolded"


GOING_ON = """
const boxes = [...document.querySelectorAll("article div.math")].filter((box) => box.offsetParent);
return boxes.map((box) => {
  const formula = box.querySelector("mjx-container"), words = getComputedStyle(box, "::before").content;
  const number = box.querySelector(".eqno");
  const [one, other] = [formula, number || formula].map((part) => part.getBoundingClientRect());
  const beside = one.right <= other.left + 1;
  const apart = !number || beside || one.bottom <= other.top + 1 || other.bottom <= one.top + 1;
  return [formula.scrollWidth > formula.clientWidth + 1, words.includes("Swipe"), apart];
});
"""


def test_a_formula_that_is_cut_off_says_so(phone, site):
    """On a phone the first equal sign of an odds may stand where the last one does."""
    visit(phone, (site / "book" / "balance.html").as_uri())
    assert wait(phone, "return !!document.querySelector('.goes-on')")
    found = phone.execute_script(GOING_ON)
    assert {cut for cut, _, _ in found} == {True, False}
    assert all(cut == said and apart for cut, said, apart in found)
    phone.get("about:blank")
    phone.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    visit(phone, (site / "book" / "balance.html").as_uri())
    assert not any(said for _, said, _ in phone.execute_script(GOING_ON))


MARKED = """
return [...document.querySelectorAll('article mjx-container:not([display="true"])')]
  .filter((formula) => formula.firstElementChild.offsetWidth)
  .map((formula) => {
    const box = formula.closest("td, dd, p, li, div"), style = getComputedStyle(box);
    const room = box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const edge = getComputedStyle(formula).borderRightStyle === "dotted";
    const onLine = getComputedStyle(formula).overflowX === "visible";
    return [formula.firstElementChild.offsetWidth > room, edge, onLine];
  });
"""


OF_ENTRIES = ("book/ledger.html", "book/own.html", "book/errata/mrf.html")


def check_formulas_of_entries(driver):
    """A formula of an entry is on its line or has an edge; one that could scroll would stand on the line with
    its lower edge."""
    assert wait(driver, "return !!document.querySelector('.measured')")
    found = driver.execute_script(MARKED)
    assert {cut for cut, _, _ in found} >= ({False} if "errata" not in driver.current_url else {True, False})
    assert all(edge == cut and on_line != cut for cut, edge, on_line in found)


def test_the_servers_root_is_the_first_page(driver, server):
    visit(driver, f"{server}index.html")
    wait(driver, "return location.pathname === '/book/index.html' && document.querySelector('article')")
    assert problems(driver) == []
    assert outside(driver, server) == []


@pytest.mark.parametrize("where", ["disk", "server"])
def test_search_finds_permute(driver, site, server, where):
    home = site.as_uri() + "/" if where == "disk" else server
    visit(driver, home + "search.html?q=permute")
    found = "[...document.querySelectorAll('#search-results li a')].map((a) => a.textContent)"
    assert wait(driver, f"return {found}.some((title) => title.includes('Notation'))")


@pytest.mark.parametrize(
    "asked, leads",
    [("MRF lemma 3", "paper=mrf&text=lemma+3"), ("M-RF", "paper=m-rf"), ("permute", "text=permute")],
)
def test_search_leads_to_the_claims(driver, server, asked, leads):
    visit(driver, f"{server}search.html?q={asked}")
    address = wait(driver, "return document.querySelector('.ask-ledger a')?.href")
    assert address == f"{server}book/ledger.html?{leads}"
    said = wait(driver, "return document.querySelector('#search-results p.context')?.textContent")
    assert len(said) > 60 and "\\" not in said and "  " not in said, "words, no code of formulas"


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


DOWNLOAD = re.compile(r'<a href="([^"]+)"[^>]*?\bbtn-download-source-button\b')
SERVED = ("bench", "majority", "matrix_bounds")  # a figure that moves, one that does not, a bare chapter


@pytest.mark.parametrize(
    "stem", [p.stem if p.stem in SERVED else pytest.param(p.stem, marks=pytest.mark.deep) for p in NOTEBOOKS]
)
def test_a_served_chapter_loads_without_complaint(driver, server, stem):
    """Every chapter is opened from the disk above: a server adds what all chapters have in common."""
    visit(driver, f"{server}book/{stem}.html")
    assert problems(driver) == []
    assert outside(driver, server) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_served_chapter_can_be_downloaded(server, path):
    page = f"{server}book/{path.stem}.html"
    with urlopen(page, timeout=SECONDS) as reply:
        link = DOWNLOAD.search(reply.read().decode())
    address = urljoin(page, link[1])
    assert urlsplit(address).path.endswith(".ipynb")
    with urlopen(address, timeout=SECONDS) as reply:
        assert json.load(reply) == json.loads(path.read_text("utf-8"))


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
