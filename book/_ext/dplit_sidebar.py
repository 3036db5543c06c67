"""A sidebar of pages alone.

Sphinx copies the headings and the documented names of every page into the sidebar of every page, and then leaves
them out there. Half of a build went into that. So the headings are taken from the sidebar's tree before pages are
written, and "on this page" is made from what was taken.
"""

from __future__ import annotations

from sphinx import addnodes
from sphinx.environment.adapters.toctree import document_toc

_whole = {}  # of a build: the headings and names of each page whose tree was cut


def keep_titles(app, env):
    """Cut each page's part of the tree to its title, unless further pages hang on it."""
    _whole.clear()
    for name, tree in env.tocs.items():
        if any(True for _ in tree.findall(addnodes.toctree)):
            continue
        _whole[name], env.tocs[name] = tree, tree.deepcopy()
        for item in env.tocs[name].children:
            del item[1:]


def on_this_page(app, pagename, templatename, context, doctree):
    """Give a page the list of its own headings and names."""
    if pagename in _whole:
        short, app.env.tocs[pagename] = app.env.tocs[pagename], _whole[pagename]
        found = document_toc(app.env, pagename, app.tags)
        app.env.tocs[pagename] = short
        context["toc"] = app.builder.render_partial(found)["fragment"]


def setup(app):
    app.connect("env-check-consistency", keep_titles)
    app.connect("html-page-context", on_this_page, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
