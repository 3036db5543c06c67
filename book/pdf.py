"""The book as one PDF, ``_build/pdf/dplit.pdf``, from the pages of the built site: ``make pdf``.

The pages are put one after the other into one page of HTML, in the order of the table of contents.
Each id gets its page's name in front, so that a link to another page becomes one within the document.
What only a screen has is left out: side bars, buttons, folded code, and the pages of the ledger's entries,
in the place of which their rows are linked. Folded proofs and solutions are unfolded. Headless Chromium typesets
and prints it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
TARGET = ROOT / "_build" / "pdf" / "dplit.pdf"
MINUTES = 60  # after which printing has failed; on a machine that does nothing else it takes few
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking "
    "--no-first-run --no-pdf-header-footer --generate-pdf-document-outline "
    "--virtual-time-budget=3600000"  # it prints when every formula is typeset
).split()
REFERENCE = "book/api"  # some hundred pages to look things up in, not to read: the site has them
ENTRIES, LEDGERS = "book/entries/", ("book/ledger", "book/own")
SCREEN_ONLY = (
    "a.headerlink, a.chapter-slides, .cite-page, .run-page, .ledger-filter, .ledger-exports, script, "
    "style, button, details.hide, a.sd-stretched-link, .toctree-wrapper.compound-hidden"
)
SHEETS = ("styles/theme.css", "styles/pydata-sphinx-theme.css", "pygments.css",
          "styles/sphinx-book-theme.css", "mystnb.*.css", "proof.css", "sphinx-design.min.css",
          "dplit.css", "print.css")  # fmt: skip
MATHJAX = """window.MathJax = {options: {processHtmlClass: "tex2jax_process|mathjax_process|math|output_area",
  enableMenu: false, enableAssistiveMml: false}};"""


def pages(toc):
    """The book's pages in order, list of str such as ``book/majority``.

    Parameters
    ----------
    toc : mapping
        What ``_toc.yml`` says.
    """
    found = [toc["root"]]
    for part in toc["parts"]:
        found += _below(part.get("chapters", ()))
    return [page for page in found if not page.startswith(REFERENCE)]


def _below(entries):
    """The pages of some entries and of the sections below them."""
    found = []
    for entry in entries:
        if "glob" in entry:
            files = sorted(ROOT.glob(f"{entry['glob']}.md"))
            found += [p.relative_to(ROOT).with_suffix("").as_posix() for p in files]
        else:
            found += [entry["file"], *_below(entry.get("sections", ()))]
    return found


def assemble(site, names):
    """All pages as one page of HTML, str.

    Parameters
    ----------
    site : Path
        The built site.
    names : sequence of str
        As `pages` gives them.
    """
    home = site.as_uri()
    articles = {name: _article(site, name) for name in names}
    rows = {
        row["id"]: name
        for name in names
        if name in LEDGERS
        for row in articles[name].select("tr[id]")
    }
    for name, article in articles.items():
        _adapt(article, name, articles, home, rows)
    body = "\n".join(
        f'<article class="bd-article" id="{key(name)}">{article.decode_contents()}</article>'
        for name, article in articles.items()
    )
    sheets = "\n".join(
        f'<link rel="stylesheet" href="{path.as_uri()}">'
        for pattern in SHEETS
        for path in sorted((site / "_static").glob(pattern))
    )
    first = BeautifulSoup((site / f"{names[0]}.html").read_text("utf-8"), "html.parser")
    built = first.select_one("footer .extra_footer").get_text(" ", strip=True)
    return (
        '<!doctype html>\n<html lang="en" data-theme="light" data-mode="light">\n<head>'
        f'<meta charset="utf-8"><title>{escape(_title(first))}</title>\n{sheets}\n'
        f'<script>{MATHJAX}</script><script src="{home}/mathjax/tex-chtml.js"></script></head>\n'
        f'<body><div class="bd-main"><div class="bd-content"><h1 class="pdf-title">'
        f'{escape(_title(first))}</h1><p class="built">{escape(built)}</p>\n'
        f"{_contents(articles)}\n{body}</div></div></body></html>\n"
    )


def _title(page):
    """The book's title, which ends the title of each page."""
    return page.title.get_text().rpartition("—")[2].strip()


def key(name, fragment=""):
    """The id in the document of a page, or of what is on it."""
    stem = PurePosixPath(name).relative_to("book").as_posix().replace("/", "-")
    return f"{stem}--{fragment}" if fragment else f"page-{stem}"


def _article(site, name):
    page = BeautifulSoup((site / f"{name}.html").read_text("utf-8"), "html.parser")
    return page.select_one("article.bd-article")


def _adapt(article, name, names, home, rows):
    """Leave out what only a screen has, and let links, ids and pictures be those of the document.

    `home` is the site's address on the disk.
    """
    for part in article.select(SCREEN_ONLY):
        part.decompose()
    for folded in article.select("details"):
        folded["open"] = ""
    for tag in article.find_all(id=True):
        tag["id"] = key(name, tag["id"])
    for picture in article.find_all("img", src=True):
        picture["src"] = f"{home}/{_from_root(name, picture['src'])}"
        picture["loading"] = "eager"
    for link in article.find_all("a", href=True):
        target = _target(name, link["href"], names, rows)
        if target:
            link["href"] = target
        else:
            link.unwrap()


def _target(name, href, names, rows=()):
    """Where a link of a page leads in the document; None for what is not in it, as a file to load."""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc:
        return href
    if parts.query:
        return None
    page = _from_root(name, parts.path).removesuffix(".html") if parts.path else name
    if page.startswith(ENTRIES):  # an entry's own page is not printed, its row is
        row = page.removeprefix(ENTRIES)
        return f"#{key(rows[row], row)}" if row in rows else None
    return f"#{key(page, unquote(parts.fragment))}" if page in names else None


def _from_root(name, path):
    """A path that a page has, from the site's root."""
    return os.path.normpath(PurePosixPath(name).parent / unquote(path)).replace(os.sep, "/")


def _contents(articles):
    """The table of contents: the first heading of each page."""
    items = []
    for name, article in articles.items():
        title = " ".join(article.find("h1").get_text(" ", strip=True).split())
        items.append(f'<li><a href="#{key(name)}">{escape(title)}</a></li>')
    return f'<nav class="pdf-contents"><h2>Contents</h2><ul>{"".join(items)}</ul></nav>'


def write(site, target):
    """Print the book to a file.

    Raises
    ------
    SystemExit
        If there is no Chromium, or it fails.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        raise SystemExit("a PDF needs Chromium on the path: chromium, or google-chrome")
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    target.parent.mkdir(parents=True, exist_ok=True)
    page = target.with_suffix(".html")
    page.write_text(assemble(site, pages(toc)), "utf-8")
    with tempfile.TemporaryDirectory() as profile:
        made = subprocess.run(
            [
                browser,
                *FLAGS,
                f"--user-data-dir={profile}",
                f"--print-to-pdf={target}",
                page.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=60 * MINUTES,
        )
    if made.returncode or not target.is_file():
        raise SystemExit(f"Chromium could not print the book:\n{made.stderr}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--site", type=Path, default=SITE, help="the built site")
    parser.add_argument("--out", type=Path, default=TARGET, help="the file to write")
    options = parser.parse_args(arguments)
    write(options.site.resolve(), options.out.resolve())
    print(f"The book is at {options.out.resolve().as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
