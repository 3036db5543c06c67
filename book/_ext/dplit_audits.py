"""Audit boxes: what a chapter's main line leaves out, folded, under the sentence that it judges.

A box begins with the directive ``{audit} Title`` in one cell and ends with ``{audit-end}`` in the same or a later
one, so that it holds cells of code, too. It has no headings. A link to something in it opens it, and so does a
search within the page; in print all are open.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

LOG = logging.getLogger(__name__)
OPENS = "audits.js"


class audit(nodes.General, nodes.Element):
    """A box, its title first; before `Fold` the place where one begins."""


class audit_title(nodes.General, nodes.TextElement):
    """The sentence that a box judges."""


class audit_end(nodes.General, nodes.Element):
    """The place where a box ends."""


class Begin(SphinxDirective):
    """Begin a box: its title, which may have formulas and citations."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        words, problems = self.state.inline_text(self.arguments[0], self.lineno)
        box = audit("", audit_title("", "", *words))
        box["classes"].append("audit-box")
        self.set_source_info(box)
        name = f"audit-{nodes.make_id(self.arguments[0])}"
        box["ids"].append(name)
        return [box, *problems]


class End(SphinxDirective):
    """End a box."""

    def run(self):
        end = audit_end("")
        self.set_source_info(end)
        return [end]


class Fold(SphinxTransform):
    """Put what stands between the two places of a box into it."""

    default_priority = 15

    def apply(self):
        for box in list(self.document.findall(audit)):
            rest = box.parent[box.parent.index(box) + 1 :]
            kinds = [type(node) for node in rest]
            ended = kinds.index(audit_end) if audit_end in kinds else None
            if ended is None or {audit, nodes.section} & set(kinds[:ended]):
                LOG.warning("an audit box ends in its own section, before another", location=box)
                continue
            for node in rest[: ended + 1]:
                box.parent.remove(node)
            box.extend(rest[:ended])
        for end in list(self.document.findall(audit_end)):
            LOG.warning("no audit box ends here", location=end)
            end.parent.remove(end)


def _open(writer, node):
    writer.body.append(f'<details class="{" ".join(node["classes"])}" id="{node["ids"][0]}">')


def _close(writer, node):
    writer.body.append("</details>\n")


def _open_title(writer, node):
    writer.body.append("<summary>")


def _close_title(writer, node):
    writer.body.append("</summary>\n")


def add_script(app, pagename, templatename, context, doctree):
    """Give a page with boxes the script that opens them by a link, and in print."""
    if 'class="audit-box"' in context.get("body", ""):
        app.add_js_file(OPENS, defer="defer")


def setup(app):
    app.add_node(audit, html=(_open, _close))
    app.add_node(audit_title, html=(_open_title, _close_title))
    app.add_node(audit_end)
    app.add_directive("audit", Begin)
    app.add_directive("audit-end", End)
    app.add_transform(Fold)
    app.connect("html-page-context", add_script, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
