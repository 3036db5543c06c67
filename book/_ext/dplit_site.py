"""What lets the site stand alone: version and date, description, preview, citation, small icons.

The settings are explained in one place, the recipe "Give the book an address, authors and a DOI": `site_url` and
`repository_url` of ``_config.yml``, authors and DOI of ``CITATION.cff``. Without them nothing refers to any
address, and a citation names version, commit and date.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from functools import cache
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import dplit

ROOT = Path(__file__).resolve().parents[2]
PREVIEW = "_static/bound.png"
LONGEST_DESCRIPTION = 200
BUTTONS = (
    "use_repository_button",
    "use_issues_button",
    "use_edit_page_button",
    "use_source_button",
)
ICON = re.compile(
    r'("[a-z0-9-]+"|[a-z0-9]+):\[\d+,\d+,\[([^\]]*)\],"[0-9a-f]+",(?:"[^"]*"|\[[^\]]*\])\],?'
)
USED_ICON = re.compile(r"\bfa-([a-z0-9-]+)")


# Where the project lives -----------------------------------------------------------------------


def use_addresses(app, config):
    """Say version and date in the footer, and turn on what the two addresses allow."""
    config.version = config.release = dplit.__version__
    options = config.html_theme_options
    options["extra_footer"] = footer(commit())
    if config.site_url:
        config.html_baseurl = config.site_url.rstrip("/") + "/"
    if config.repository_url:
        options["repository_url"] = config.repository_url.rstrip("/")
        options.setdefault("repository_branch", "main")
        options.update(dict.fromkeys(BUTTONS, True))


@cache
def commit():
    """(short name, date) of the commit that the site is built from; empty where there is none."""
    ask = ["git", "-C", str(ROOT), "log", "-1", "--format=%h %cs"]
    try:
        found = subprocess.run(ask, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(found.stdout.split()) if found.returncode == 0 else ()


def footer(commit):
    """The line with version, commit and date."""
    built = f", commit {commit[0]} of {commit[1]}" if commit else ""
    return f"<p>dplit {dplit.__version__}{built}</p>"


# Each page -------------------------------------------------------------------------------------


def describe_page(app, pagename, templatename, context, doctree):
    """Give a page its description, its preview, and the way to cite it."""
    tags = context.get("metatags", "")
    tags = re.sub(r'<meta name="viewport"[^>]*>', "", tags)  # the theme has one
    if doctree is None:
        context["metatags"] = tags
        return
    title, about = _title(context), description(doctree)
    named = {"description": about}
    shown = {"og:title": title, "og:description": about, "og:type": "article"}
    shown["og:site_name"] = app.config.html_title
    if app.config.html_baseurl:
        shown["og:url"] = app.config.html_baseurl + app.builder.get_target_uri(pagename)
        shown["og:image"] = app.config.html_baseurl + PREVIEW
        named["twitter:card"] = "summary_large_image"
    tags += "".join(f'\n<meta name="{k}" content="{escape(v)}">' for k, v in named.items())
    tags += "".join(f'\n<meta property="{k}" content="{escape(v)}">' for k, v in shown.items())
    context["metatags"] = tags
    url = app.config.html_baseurl and shown["og:url"]
    context["body"] = context.get("body", "") + cite_page(title, pagename, url)


def _title(context):
    return re.sub(r"<[^>]*>", "", context.get("title", "")).strip()


def description(doctree):
    """The page's first sentences, as plain text; the line of what a chapter needs is none."""
    for paragraph in doctree.findall(nodes.paragraph):
        inside = isinstance(paragraph.parent, nodes.section) and not paragraph["classes"]
        text = " ".join(paragraph.astext().split())
        if inside and len(text) > 40:
            if len(text) <= LONGEST_DESCRIPTION:
                return text
            return text[:LONGEST_DESCRIPTION].rsplit(" ", 1)[0] + " …"
    return "Five papers on differentially private random forests, every claim computed."


def cite_page(title, page, url=""):
    """A folded box that says how to cite a page, as text and as BibTeX."""
    work, name = citation(), page.rpartition("/")[2].replace("_", "-")
    said = (
        f"{escape(_authors(work))}: “{title}”. In <em>{escape(work['title'])}</em>, {_edition(work, commit())}, "
        f"{_year(work)}."
    )
    return (
        '<details class="cite-page"><summary>Cite this page</summary>'
        f'<p>{said}</p><div class="highlight">'  # of this class a block has a button that copies it
        f"<pre>{escape(bibtex(work, f'dplit-{name}', title, url, commit()))}</pre></div></details>"
    )


# Citation --------------------------------------------------------------------------------------


@cache
def citation():
    """What ``CITATION.cff`` says."""
    return yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def _authors(work):
    return ", ".join(" ".join(reversed(_names(author))) for author in work["authors"])


def _names(author):
    """Family and given names of a person, or the one name of a group; list of str."""
    return [author[part] for part in ("name", "family-names", "given-names") if part in author]


def _author(author):
    """As BibTeX has it: "Family, Given", and a group in braces."""
    return f"{{{author['name']}}}" if "name" in author else ", ".join(_names(author))


def _edition(work, built=()):
    """Version, and the commit that the site is built from with its date, if there is one and no DOI says it."""
    commit = "commit {} of {}".format(*built) if built and not work.get("doi") else ""
    return ", ".join(filter(None, [f"version {work['version']}", commit]))


def _year(work):
    return str(work["date-released"])[:4]


def bibtex(work, key="dplit", part="", url="", built=()):
    """BibTeX of the book, or of one page of it.

    Parameters
    ----------
    work : dict
        As `citation`.
    key, part, url : str
        The entry's key; title and address of the page.
    built : tuple of (str, str)
        As `commit`.
    """
    title = f"{{{work['title']}}}"
    fields = {
        "author": " and ".join(map(_author, work["authors"])),
        "title": part or title,
        "howpublished": f"In: {title}" if part else "",
        "year": _year(work),
        "note": _edition(work, built).capitalize(),
        "doi": work.get("doi", ""),
        "url": url or work.get("url", ""),
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


class Citation(SphinxDirective):
    """The BibTeX of the book, as ``CITATION.cff`` has it."""

    def run(self):
        text = bibtex(citation(), url=self.config.site_url, built=commit())
        return [nodes.literal_block(text, text, language="bibtex")]


# The command line ------------------------------------------------------------------------------


class CommandHelp(SphinxDirective):
    """What ``dplit COMMAND --help`` prints; the argument is the command."""

    required_arguments = 1

    def run(self):
        text = help_of(self.arguments[0])
        return [nodes.literal_block(text, text, language="text")]


def help_of(command):
    """The help of one command at a fixed width and without colours, whatever the terminal's."""
    from dplit.cli import parser

    fixed = {"COLUMNS": "90", "TERM": "dumb"}
    before = {name: os.environ.get(name) for name in fixed}
    os.environ.update(fixed)
    try:
        top = parser()
        actions = (a for a in top._actions if isinstance(a, argparse._SubParsersAction))
        return next(actions).choices[command].format_help()
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            os.environ.update({name: value} if value else {})


# Icons -----------------------------------------------------------------------------------------


def shrink_search(app, error):
    """Search without the general index's entries: the names of the reference are in it once more."""
    path = Path(app.outdir) / "searchindex.js"
    if error or not path.is_file():
        return
    start, text = "Search.setIndex(", path.read_text("utf-8")
    index = json.loads(text.removeprefix(start).removesuffix(")"))
    index["indexentries"] = {}
    path.write_text(f"{start}{json.dumps(index, separators=(',', ':'))})", "utf-8")


def shrink_icons(app, error):
    """Keep of the theme's 2,000 icons those that a page or a script of the site names."""
    script = Path(app.outdir, "_static", "scripts", "fontawesome.js")
    if error or app.builder.format != "html" or not script.is_file():
        return
    scripts = [p for p in script.parent.glob("*.js") if p != script]
    pages = [*Path(app.outdir).rglob("*.html"), *scripts]
    used = {name for p in pages for name in USED_ICON.findall(p.read_text("utf-8"))}
    script.write_text(subset(script.read_text("utf-8"), used), "utf-8")


def subset(script, used):
    """The icon script with the icons of these names alone."""

    def keep(icon):
        names = {icon[1].strip('"'), *re.findall(r'"([^"]+)"', icon[2])}
        return icon[0] if names & used else ""

    return ICON.sub(keep, script)


def setup(app):
    app.add_config_value("repository_url", "", "env")
    app.add_config_value("site_url", "", "env")
    app.add_directive("bibtex-of-the-book", Citation)
    app.add_directive("command-help", CommandHelp)
    app.connect("config-inited", use_addresses, priority=100)
    app.connect("html-page-context", describe_page, priority=550)
    app.connect("build-finished", shrink_icons)
    app.connect("build-finished", shrink_search)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
