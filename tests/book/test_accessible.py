"""What axe-core finds in the built book, light and dark: nothing of the book's own."""

from pathlib import Path

import axe_core_python
import pytest
from browser_tools import problems, visit, wait

pytestmark = pytest.mark.browser

SECONDS = 300  # at most, for a look at each element of a page, on a machine that is busy

AXE = Path(axe_core_python.__file__).with_name("axe.min.js")
PAGES = {  # one of each kind; of the ledger what one asks for, since all its rows take minutes
    "landing": "book/index.html",
    "guide": "book/guide/officer.html",
    "chapter": "book/majority.html",
    "bench": "book/bench.html",
    "ledger": "book/ledger.html?paper=rdf&verdict=leaks",
    "errata": "book/errata/rdf.html",
    "entry": "book/entries/mrf-lemma-4.html",
    "theorems": "book/theorems.html",
    "reference": "book/api/majority.html",
}
# The theme's brand stands in its side bar, outside of what the theme marks as a region.
RUN = """
const done = arguments[arguments.length - 1];
(async () => {
document.querySelectorAll("details").forEach((folded) => (folded.open = true));
document.querySelectorAll(".ledger [hidden]").forEach((row) => row.remove()); // it would look there, too
await Promise.all(document.getAnimations().map((change) => change.finished)); // of colours, at loading
axe.run({exclude: [[".navbar-brand"]]}, {resultTypes: ["violations"], ...arguments[0]}).then(
  (found) => done(found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html}`))),
  (error) => done([String(error)]),
);
})();
"""


# The other theme has other colours. What else it shows and hides is the frame's, so one page is asked for all.
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}


def violations(driver, options=()):
    """What axe-core finds on the page that is open, list of str."""
    driver.execute_script(AXE.read_text("utf-8"))
    driver.set_script_timeout(SECONDS)
    return driver.execute_async_script(RUN, dict(options))


@pytest.mark.parametrize("kind", PAGES)
def test_axe_finds_nothing(driver, site, kind):
    """Where the reader prefers the dark, and when that changes while the page is open."""
    for theme in ("dark", "light"):
        prefers = [{"name": "prefers-color-scheme", "value": theme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": prefers})
        if theme == "dark":
            visit(driver, f"{site.as_uri()}/{PAGES[kind]}")
            assert problems(driver) == []
        wait(driver, f"return document.documentElement.dataset.theme === '{theme}'")
        assert violations(driver, COLOURS if theme == "light" and kind != "landing" else ()) == []


def test_axe_finds_what_is_wrong(driver, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><html lang=en><title>t</title><main><h1>h</h1>"
        "<p style='color: #999; background: #fff'>pale</p><img src='x.png'></main>"
    )
    visit(driver, page.as_uri())
    assert [found.split(":")[0] for found in violations(driver)] == ["color-contrast", "image-alt"]
    assert [found.split(":")[0] for found in violations(driver, COLOURS)] == ["color-contrast"]
