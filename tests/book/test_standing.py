"""What lets the site stand alone, without building it: addresses, citation, icons, help."""

import re
import sys
import tomllib
from collections import namedtuple
from types import SimpleNamespace

import book_tools
import pytest
import yaml
from book_tools import BOOK, ROOT
from sphinx.ext.napoleon import Config, NumpyDocstring

import dplit
from dplit.court.ledger import cite

sys.path.insert(0, str(BOOK / "_ext"))
import dplit_book
import dplit_boxes
import dplit_ledger
import dplit_run
import dplit_site
import ledger_words

sys.path.remove(str(BOOK / "_ext"))


def config(**settings):
    return SimpleNamespace(html_theme_options={}, html_baseurl="", **settings)


def test_without_an_address_nothing_refers_to_one():
    found = config(site_url="", repository_url="")
    dplit_site.use_addresses(None, found)
    assert found.html_baseurl == "" and set(found.html_theme_options) == {"extra_footer"}
    assert found.version == found.release == dplit.__version__


def test_two_settings_turn_on_links_and_canonical_addresses():
    found = config(site_url="https://example.org/dplit", repository_url="https://example.org/code/")
    dplit_site.use_addresses(None, found)
    assert found.html_baseurl == "https://example.org/dplit/"
    assert found.html_theme_options["repository_url"] == "https://example.org/code"
    assert all(found.html_theme_options[button] for button in dplit_site.BUTTONS)


def test_both_settings_are_there_and_empty():
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]["config"]
    assert (settings["repository_url"], settings["site_url"]) == ("", "")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project.get("urls", {}).get("Documentation", "") == settings["site_url"]


def test_the_footer_needs_no_git():
    assert dplit_site.footer(()) == f"<p>dplit {dplit.__version__}</p>"
    assert "commit abc of 2026-01-02" in dplit_site.footer(("abc", "2026-01-02"))


def test_a_page_has_a_preview_once_the_site_has_an_address():
    from docutils import nodes

    doctree = nodes.document(None, None)
    needs = nodes.paragraph("", "About 20 minutes. " * 3, classes=["chapter-needs"])
    doctree += nodes.section("", needs, nodes.paragraph("", "Five words & forty letters " * 3))
    app = SimpleNamespace(
        config=SimpleNamespace(html_title="dplit", html_baseurl="https://example.org/"),
        builder=SimpleNamespace(get_target_uri=lambda page: f"{page}.html"),
    )
    context = {"title": "<em>Depth</em>", "body": "", "metatags": '<meta name="viewport" content="x">'}
    dplit_site.describe_page(app, "book/depth", "", context, doctree)
    tags = context["metatags"]
    assert '<meta property="og:url" content="https://example.org/book/depth.html">' in tags
    assert 'content="https://example.org/_static/bound.png"' in tags and "viewport" not in tags
    assert 'name="description" content="Five words &amp; forty' in tags
    assert "url = {https://example.org/book/depth.html}" in context["body"]


def test_the_citation_is_complete():
    work = dplit_site.citation()
    assert work["version"] == work["preferred-citation"]["version"] == dplit.__version__
    assert work["authors"] == work["preferred-citation"]["authors"]
    assert " and ".join(map(dplit_site._author, work["authors"])) == cite.AUTHORS and work["title"] == cite.BOOK
    assert len(work["references"]) == 5
    for paper in work["references"]:
        assert paper["title"] and paper["authors"] and paper["year"]
        assert paper.get("doi") or paper.get("url")


def test_the_version_has_one_source():
    """`dplit.__version__`: the project's file reads it, and all that repeats it says the same."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"] and "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "dplit/__init__.py"
    released = dplit_site.citation()["date-released"]
    newest = re.search(r"^## (\d.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest[1] == f"{dplit.__version__} ({released})"
    wheels = re.findall(r"dplit-([\d.]+)-py3", (BOOK / "guide" / "install.md").read_text("utf-8"))
    assert set(wheels) == {dplit.__version__}


def test_the_changelog_of_verdicts_has_every_change():
    from dplit.court.ledger import evidence_files

    history = evidence_files.changes()
    found = dplit_ledger.by_version(history)
    assert sum(len(new) + len(changed) for new, changed in found.values()) == len(history)
    made = [("a", "fails", "1", "d", ""), ("b", "agrees", "1", "d", "0.3, must be > 0.2")]
    made += [("a", "loose", "2", "e", ""), ("b", "differs", "2", "e", "0.1, must be > 0.2")]
    assert dplit_ledger.by_version(made) == {
        ("1", "d"): (["a", "b"], []),
        ("2", "e"): (
            [],
            [("a", "fails", "loose"), ("b", "agrees (0.3, must be > 0.2)", "differs (0.1, must be > 0.2)")],
        ),
    }


def test_withdrawn_claims_share_a_line_and_errata_are_counted(monkeypatch):
    first = [(name, "holds", "1", "d", "") for name in "abc"]
    later = [("a", "withdrawn"), ("b", "fails"), ("c", "withdrawn")]
    later = [(*change, "2", "e", "") for change in later]
    monkeypatch.setattr(dplit_ledger.evidence_files, "changes", lambda: first + later)
    ((newest, _),) = (items.children for items in dplit_ledger.VerdictChanges.run(None))
    lines = [line.astext() for line in newest[1]]
    assert lines == ["b was holds, is fails.", "2 withdrawn: a (was holds), c (was holds)."]
    found = [{"verdict": v} for v in ("leaks", "fails", "fails")]
    assert dplit_ledger._counted(found) == "3 errata: 1 leaks, 2 fails."


@pytest.mark.parametrize(
    ("text", "begun"), [("the sum < 2", "The sum < 2"), ("e^(-epsilon) is 1", "e^(-epsilon) is 1"), ("", "")]
)
def test_a_sentence_of_the_errata_begins_large_and_a_symbol_stays(text, begun):
    assert ledger_words.begun(text) == begun


def test_no_work_is_in_the_bibliography_twice():
    titles = re.findall(r"(?m)^ *title *= \{(.+)\}", (BOOK / "references.bib").read_text("utf-8"))
    plain = [re.sub(r"[^a-z]", "", title.lower()) for title in titles]
    assert len(plain) > 50 and sorted(plain) == sorted(set(plain))


def test_the_reference_leaves_out_fields_and_keeps_colons():
    Pair = namedtuple("Pair", "first")
    skip = dplit_book.skip_what_says_nothing
    assert skip(None, "attribute", "first", Pair.first, False, None) is True
    assert skip(None, "method", "set_fit_request", print, False, None) is True
    assert skip(None, "property", "first", property(lambda self: 1), False, None) is False
    for what in ("property", "attribute"):
        lines = ["What it needs: nothing."]
        dplit_book.keep_colons(None, what, "a.b", None, None, lines)
        assert NumpyDocstring(lines, Config(), what=what, name="a.b").lines() == lines
        assert lines[-1] == "What it needs: nothing."


def test_the_references_are_those_of_the_bibliography():
    books = (BOOK / "references.bib").read_text("utf-8")
    for paper in dplit_site.citation()["references"]:
        key = next(k for k in ("doi", "url") if k in paper)
        assert re.search(rf"{key} = {{{re.escape(paper[key])}}}", books), paper["title"]


def test_the_bibtex_is_that_of_the_citation():
    text = dplit_site.bibtex(dplit_site.citation())
    assert text.startswith("@misc{dplit,") and text.count("{") == text.count("}")
    for part in (f"author = {{{cite.AUTHORS}}}", "year = {2026}", f"Version {dplit.__version__}"):
        assert part in text
    assert "url" not in text and "commit" not in text and "doi" not in text


def test_until_there_is_a_doi_a_citation_names_version_commit_and_date():
    work = dplit_site.citation()
    assert f"note = {{Version {dplit.__version__}, commit abc of 2026-01-02}}" in dplit_site.bibtex(
        work, built=("abc", "2026-01-02")
    )
    named = work | {"doi": "10.5281/1", "authors": [{"family-names": "Doe", "given-names": "Ann"}, {"name": "We"}]}
    text = dplit_site.bibtex(named, built=("abc", "2026-01-02"))
    assert "doi = {10.5281/1}" in text and "commit" not in text
    assert "author = {Doe, Ann and {We}}" in text and dplit_site._authors(named) == "Ann Doe, We"


def test_nothing_sends_a_reader_to_whom_nobody_knows():
    """A copy of the book says itself which one it is; how to set the rest is one recipe."""
    sources = [p.read_text("utf-8") for p in (*book_tools.SOURCES, ROOT / "README.md", ROOT / "CONTRIBUTING.md")]
    assert [text[:80] for text in sources if re.search("ask whoever|whoever gave you", text)] == []
    recipe = (BOOK / "recipes.md").read_text("utf-8").partition("## Give the book an address")[2]
    for setting in ("site_url", "repository_url", "authors", "doi"):
        assert f"| `{setting}`" in recipe


SCRIPT = (
    'var p={sun:[512,512,[9728],"f185","M1"],"magnifying-glass":[512,512,[128269,"search"],"f002","M2"],'
    'moon:[384,512,[],"f186",["M3","M4"]]};go(p)'
)


@pytest.mark.parametrize(
    ("used", "kept"),
    [
        ({"sun"}, 'var p={sun:[512,512,[9728],"f185","M1"],};go(p)'),
        ({"search"}, 'var p={"magnifying-glass":[512,512,[128269,"search"],"f002","M2"],};go(p)'),
        ({"moon"}, 'var p={moon:[384,512,[],"f186",["M3","M4"]]};go(p)'),
        (set(), "var p={};go(p)"),
    ],
)
def test_only_the_icons_in_use_are_kept(used, kept):
    assert dplit_site.subset(SCRIPT, used) == kept


@pytest.mark.parametrize("command", ["verify", "claims"])
def test_help_is_of_one_width_whatever_the_terminal(command, monkeypatch):
    texts = set()
    for columns in ("40", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        texts.add(dplit_site.help_of(command))
    (text,) = texts
    assert text.startswith(f"usage: dplit {command}") and "examples:" in text


def test_a_box_with_a_label_has_a_link_to_itself():
    box = '<div class="proof {0} admonition" id="{1}">\n<p class="admonition-title">Title</p>'
    body = box.format("theorem", "thm-a") + '<div class="proof admonition"><p>Proof. So.</p></div>'
    linked = dplit_boxes.with_links(body)
    assert linked.count("headerlink") == 1
    assert 'Title<a class="headerlink" href="#thm-a"' in linked


def test_a_long_name_breaks_after_a_dot_or_an_underscore_only():
    body = '<code><span class="pre">leaf_mean.clamped_loss()</span> <span class="pre">a_b</span></code>'
    page = {"body": f"{body}<p>leaf_mean.clamped_loss, 0.123456789012</p>"}
    dplit_book.let_names_break(None, None, None, page, None)
    assert page["body"].replace("<wbr>", "") == f"{body}<p>leaf_mean.clamped_loss, 0.123456789012</p>"
    assert "leaf_<wbr>mean.<wbr>clamped_<wbr>loss()" in page["body"]
    assert page["body"].count("<wbr>") == 3


def test_a_typed_end_mark_is_left_out_of_a_proof_and_of_nothing_else():
    from docutils import nodes

    doctree = nodes.document(None, None)
    for kind in (["proof"], ["note"]):
        marks = [nodes.math("", text) for text in ("x", r"\blacksquare")]
        doctree += nodes.admonition("", nodes.paragraph("", "", *marks), classes=kind)
    dplit_boxes.drop_typed_marks(None, doctree, "book/depth")
    assert [m.astext() for m in doctree.findall(nodes.math)] == ["x", "x", r"\blacksquare"]


def test_the_box_on_running_a_page_names_its_parameters():
    box = dplit_run.run_page("depth", {"epsilon": (1.0, "of a label"), "n": (5, "")}, True)
    assert "rerun.py depth epsilon=2.0</pre>" in box and "verify --chapter depth</pre>" in box
    assert "<code>epsilon = 1.0</code>, <code>n = 5</code>" in box
    assert "rerun.py data</pre>" in dplit_run.run_page("data", {}, False)
    assert "verify" not in dplit_run.run_page("data", {}, False)
