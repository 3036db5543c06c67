"""A lecture: the slides of chapters, ``_build/html/slides/CHAPTER.html``, from their pages.

``make book`` makes all of them, ``make slides ARGS=majority`` again those of a chapter.

A slide shows one thing of the chapter's main line, a box, a figure, a table or a cell, under the heading of its
section and the sentences that lead to it. Proofs, audit boxes and exercises stay in the chapter. The arrow keys
turn the slides; a browser prints one a page.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pdf
from bs4 import BeautifulSoup

from dplit.ground.writing import write_whole

FOLDER = pdf.SITE / "slides"
LEFT_OUT = (
    "details, .tag_hide-input > .cell_input, .dropdown, .chapter-needs, .tag_parameters, .in-ledger, "
    "div[class='proof admonition']"
)
SHOWN = "figure, table, .cell, .admonition, div.math, pre"  # what has a slide of its own
LAST = (
    "The check",
    "Exercises",
    "Check with more cases",
)  # of these sections only what holds in the end is shown
PAGE = """<!doctype html>
<html lang="en" data-theme="light" data-mode="light">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
{sheets}
<link rel="stylesheet" href="../_static/slides.css">
<script>{mathjax}</script><script defer src="../mathjax/tex-chtml.js"></script>
<script defer src="../_static/slides.js"></script></head>
<body class="slides"><main class="bd-article">
{slides}
<p class="turned">The arrow keys turn the slides.
<a href="../book/{stem}.html">The chapter</a> has proofs and exercises.</p>
</main></body></html>
"""


def slides(article):
    """The slides of a page, list of str of HTML; the first one has its title and what comes before the sections.

    Parameters
    ----------
    article : bs4.Tag
        The page's article; what no slide shows is taken out of it.
    """
    for part in article.select(f"{pdf.SCREEN_ONLY}, {LEFT_OUT}"):
        part.decompose()
    whole = article.find("section")
    found = _of_section(whole)
    for section in whole.find_all("section", recursive=False):
        ours = _of_section(section)
        last = section.h2.get_text(" ", strip=True).endswith(LAST)
        found += [slide for slide in ours if "important" in slide] if last else ours
    return found


def _of_section(section):
    """Slides of a section without those below it: the heading, the last words before a thing, the thing."""
    heading, words, found = section.find(["h1", "h2"]), [], []
    for part in section.find_all(True, recursive=False):
        if part is heading or part.name == "section" or not (part.get_text(strip=True) or part.img):
            continue
        if part.name in ("p", "ul", "ol"):
            words.append(part)
        elif part.select_one(SHOWN) or part.css.match(SHOWN):
            if not found and heading.name == "h1":
                found.append(words[:2])
            found.append([*(w for w in words[-1:] if not w.get_text()[:1].islower()), part])
            words = []
    found = found or [words[:2]]
    return [
        f'<section class="slide">{heading}{"".join(map(str, slide))}</section>' for slide in found
    ]


def lecture(site, stem):
    """The slides of a chapter as one page of HTML, str.

    Parameters
    ----------
    site : Path
        The built site.
    stem : str
        The chapter, as ``majority``.
    """
    page = BeautifulSoup((site / "book" / f"{stem}.html").read_text("utf-8"), "html.parser")
    article = page.select_one("article.bd-article")
    shown = "\n".join(slides(article))
    again = BeautifulSoup(shown, "html.parser")
    for tag, name in [(t, n) for n in ("href", "src") for t in again.find_all(attrs={n: True})]:
        if tag[name].startswith("#"):
            tag[name] = f"../book/{stem}.html{tag[name]}"
        elif "://" not in tag[name]:
            tag[name] = f"../{pdf._from_root(f'book/{stem}', tag[name])}"
    for tag in again.find_all(id=True):
        del tag["id"]
    sheets = [
        path for pattern in pdf.SHEETS[:-1] for path in sorted((site / "_static").glob(pattern))
    ]
    linked = (f'<link rel="stylesheet" href="../{p.relative_to(site).as_posix()}">' for p in sheets)
    title = page.h1.get_text(" ", strip=True).removesuffix("#")
    return PAGE.format(
        title=title, stem=stem, sheets="\n".join(linked), mathjax=pdf.MATHJAX, slides=again
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("chapter", nargs="+", help="chapters, as majority")
    for stem in parser.parse_args(arguments).chapter:
        if not (pdf.SITE / "book" / f"{stem}.html").is_file():
            parser.error(f"chapter must be one of the site's pages, got {stem!r}")
        FOLDER.mkdir(exist_ok=True)
        path = FOLDER / f"{stem}.html"
        write_whole(path, lecture(pdf.SITE, stem).encode())
        print(
            f"{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}: written"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
