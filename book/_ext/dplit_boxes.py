"""Theorem boxes: a link to each, and the list of all by chapter, with number and title."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

BOX = re.compile(
    r'(<div class="proof [^"]*" id="([^"]+)">\s*<p class="admonition-title">)(.*?)(</p>)', re.DOTALL
)
END_MARK = (
    r"\blacksquare"  # typed at the end of some proofs; the style sheet sets one at every proof
)
LINK = '<a class="headerlink" href="#{id}" title="Link to this box">#</a>'


def link_boxes(app, pagename, templatename, context, doctree):
    """Put a link to itself into the title of each box that has a label."""
    context["body"] = with_links(context.get("body", ""))


def with_links(body):
    """The HTML of a page with links to its boxes."""
    return BOX.sub(lambda m: f"{m[1]}{m[3]}{LINK.format(id=m[2])}{m[4]}", body)


def drop_typed_marks(app, doctree, docname):
    """Leave out the end mark that is typed in a proof box."""
    for proof in doctree.findall(nodes.admonition):
        if "proof" in proof["classes"]:
            for formula in list(proof.findall(nodes.math)):
                if formula.astext() == END_MARK:
                    formula.parent.remove(formula)


class boxes(nodes.General, nodes.Element):
    """Where the list of all boxes goes."""


class Boxes(SphinxDirective):
    """The list of all theorem boxes."""

    def run(self):
        return [boxes("")]


def fill_list(app, doctree, docname):
    """Write the list, when every chapter has been read and numbered."""
    for place in list(doctree.findall(boxes)):
        place.replace_self(
            [part for page in pages(app.env) for part in _chapter(app, docname, page)]
        )


def pages(env):
    """The pages with boxes, in the order of the table of contents: list of (page, labels)."""
    found = {}
    for label, entry in getattr(env, "proof_list", {}).items():
        found.setdefault(entry["docname"], []).append(label)
    order = _in_order(env.toctree_includes, env.config.root_doc)
    return [(page, found[page]) for page in order if page in found]


def _in_order(includes, page):
    """A page and those below it, depth first."""
    return [page, *(p for below in includes.get(page, ()) for p in _in_order(includes, below))]


def _chapter(app, here, page):
    """A heading's line and the list of one page's boxes."""
    name, labels = page
    uri = app.builder.get_relative_uri(here, name)
    number = ".".join(map(str, app.env.toc_secnumbers.get(name, {}).get("", ())))
    title = f"{number} {app.env.titles[name].astext()}".strip()
    head = nodes.paragraph("", "", nodes.strong("", "", _to(uri, title)))
    found = {box.get("label"): box for box in app.env.get_doctree(name).findall(nodes.Element)}
    items = [nodes.list_item("", _entry(app.env, uri, name, found[label])) for label in labels]
    return [head, nodes.bullet_list("", *items)]


def _entry(env, uri, page, box):
    """ "Theorem 9.1 (The price of a label)", the first part a link to the box."""
    numbers = env.toc_fignumbers.get(page, {}).get(box["countertype"], {})
    number = ".".join(map(str, numbers.get(box["label"], ())))
    words = f"{box['realtype'].title()} {number}".strip()
    title = next(box.findall(nodes.title)).deepcopy()  # with its brackets, and formulas
    return nodes.paragraph("", "", _to(f"{uri}#{box['label']}", words), *title.children)


def _to(uri, words):
    return nodes.reference("", words, refuri=uri, internal=True)


def setup(app):
    app.add_node(boxes)
    app.add_directive("list-of-boxes", Boxes)
    app.connect("doctree-resolved", fill_list, priority=600)
    app.connect("doctree-resolved", drop_typed_marks)
    app.connect("html-page-context", link_boxes, priority=530)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
