"""Slides of a chapter, from its page."""

import sys

import pytest
from book_tools import BOOK
from bs4 import BeautifulSoup

sys.path.insert(0, str(BOOK))
import slides

sys.path.remove(str(BOOK))

PAGE = """<article><section><h1>1. T</h1><p>Why.</p><table><tr><td>x</td></tr></table>
<section><h2>1.1. S</h2><p>One.</p><p>Two.</p><div class="proof theorem admonition">Thm</div>
<div class="proof admonition">Proof</div><details class="audit-box"><summary>beside</summary></details>
<p>so three.</p><figure><img src="a.png"></figure></section>
<section><h2>1.2. The check</h2><table><tr><td>row</td></tr></table>
<div class="important admonition">End</div></section></section></article>"""


def test_a_slide_has_one_thing_and_the_words_that_lead_to_it():
    shown = [BeautifulSoup(s, "html.parser") for s in slides.slides(BeautifulSoup(PAGE, "html.parser").article)]
    assert [s.get_text(" ", strip=True) for s in shown] == [
        "1. T Why.", "1. T Why. x", "1.1. S Two. Thm", "1.1. S", "1.2. The check End"
    ]  # fmt: skip
    assert shown[3].img["src"] == "a.png"


@pytest.mark.parametrize("stem", ["majority", "boosting"])
def test_a_lecture_shows_the_theorems_of_the_main_line_and_links_to_the_chapter(site, stem):
    made = BeautifulSoup(slides.lecture(site, stem), "html.parser")
    whole = BeautifulSoup((site / "book" / f"{stem}.html").read_text("utf-8"), "html.parser")
    for folded in whole.select("details.audit-box"):
        folded.decompose()
    titles = {box.p.get_text().rstrip("#") for box in whole.select(".admonition.theorem")}
    assert titles and titles <= {box.p.get_text().rstrip("#") for box in made.select(".admonition.theorem")}
    assert 8 <= len(made.select(".slide")) <= 60 and not made.select("details, [id]")
    local = [t[n] for n in ("href", "src") for t in made.select(f".slide [{n}]") if "://" not in t[n]]
    assert local and [at for at in local if not (site / "slides" / at.split("#")[0]).resolve().is_file()] == []
