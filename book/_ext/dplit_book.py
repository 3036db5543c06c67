"""What the book asks of Sphinx: formulas without a network, the ledger's script, names of the package.

MathJax comes from the package sphinx-mathjax-offline and is copied to ``mathjax/`` in the site. It
must not lie under ``_static``, since Jupyter Book may load every script it finds there.
"""

from __future__ import annotations

import gc
import importlib
import os
import re
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from pybtex import plugin
from sphinx import addnodes

MATHJAX = "mathjax"
SHIPPED = ("tex-chtml.js", "input/tex/extensions", "output/chtml/fonts/woff-v2", "a11y")
LEDGER_CLASS = 'class="ledger"'
MATH_CLASS = "mathjax_process"
FORMULA_CLASS = 'class="math'
NAME = re.compile(r'(<span class="pre">)([\w.]{8,}\b)')
ENTRANCE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={first}">
<link rel="icon" href="_static/favicon.svg">
<title>{title}</title>
<p><a href="{first}">{title}</a></p>
</html>
"""


def use_shipped_mathjax(app, config):
    """Let every page with formulas load MathJax from the site itself."""
    config.mathjax_path = f"../{MATHJAX}/tex-chtml.js"  # Sphinx reads it as relative to _static


def remember_plugins(app, config):
    """Look for each plug-in of pybtex once: a search reads what every installed package declares."""
    plugin.find_plugin = cache(plugin.find_plugin)


def write_in_parallel(app, env):
    """Write pages in as many processes as there are cores; reading them is left to one, as some extensions ask.

    Sphinx counts the one that resolves what they refer to as one more.
    """
    app.parallel = (os.cpu_count() or 1) + 1


def copy_mathjax(app, error):
    """Copy the parts of MathJax that typeset TeX into the finished site."""
    if error or app.builder.format != "html":
        return
    source = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
    for part in SHIPPED:
        target = Path(app.outdir, MATHJAX, part)
        target.parent.mkdir(parents=True, exist_ok=True)
        if (source / part).is_dir():
            shutil.copytree(source / part, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(source / part, target)


def write_entrance(app, error):
    """Let the site's own address lead to the first page; a plain link remains where that is not done."""
    first = app.config.root_doc
    if not error and app.builder.format == "html" and first != "index":
        page = ENTRANCE.format(first=f"{first}.html", title=app.config.html_title)
        Path(app.outdir, "index.html").write_text(page, "utf-8")


def add_page_scripts(app, pagename, templatename, context, doctree):
    """Give a page the scripts that it needs: the ledger's filter, the formulas' marks, MathJax, the search's."""
    body = context.get("body", "")
    if pagename == "search":
        app.add_js_file("search.js", defer="defer")
    if LEDGER_CLASS in body:
        app.add_js_file("ledger.js", defer="defer")
    if FORMULA_CLASS in body or LEDGER_CLASS in body:  # the ledger's are typeset when they are seen
        app.add_js_file("punctuation.js", defer="defer")
        app.add_js_file("formulas.js", defer="defer")
    if (MATH_CLASS in body or LEDGER_CLASS in body) and not app.env.get_domain(
        "math"
    ).has_equations(pagename):
        app.add_js_file(app.config.mathjax_path, defer="defer")


def drop_repeated_ids(app, pagename, templatename, context, doctree):
    """Leave out the ids that sphinx-proof gives to every box alike; those of labels stay."""
    context["body"] = re.sub(r' id="proof(-content)?"', "", context.get("body", ""))


def let_names_break(app, pagename, templatename, context, doctree):
    """Let a long name break after a dot, an underscore, or a word of several, and not within a word."""
    context["body"] = NAME.sub(_breakable, context.get("body", ""))


def _breakable(name):
    return name[1] + re.sub(r"(?<=\w[._])(?=\w)|(?<=[a-z])(?=[A-Z][a-z])", "<wbr>", name[2])


def drop_thebe_scripts(app, pagename, templatename, context, doctree):
    """Leave out thebe, which runs code on somebody's server: the book has no button for it."""
    for files in ("script_files", "css_files"):
        context[files] = [f for f in context.get(files, ()) if not _is_of_thebe(f)]


def _is_of_thebe(file):
    return "thebe" in f"{file.filename} {file.attributes.get('body')}"


def drop_thebe_settings(app, doctree, docname):
    """Leave out what thebe writes into each page."""
    for node in list(doctree.findall(nodes.raw)):
        if "x-thebe-config" in node.astext() or "kernelName =" in node.astext():
            node.parent.remove(node)


def skip_what_says_nothing(app, what, name, obj, skip, options):
    """Leave out the metadata-routing setters of every estimator, and the fields of a named tuple.

    Scikit-learn adds the former; of the latter Python knows the number, and the class says what they are.
    """
    field = str(getattr(obj, "__doc__", None)).startswith("Alias for field number")
    return True if field or re.fullmatch(r"set_\w+_request", name) else skip


def keep_colons(app, what, name, obj, options, lines):
    """Let the first sentence of a property or field have a colon, for napoleon the end of a type."""
    if what in ("property", "attribute") and lines and ":" in lines[0]:
        lines.insert(0, "\\")  # nothing, and the line break with it


def keep_types_plain(app, doctree):
    """Show the types of a signature as text: most are of libraries, which have no page here."""
    for signature in doctree.findall(addnodes.desc_signature):
        for reference in list(signature.findall(addnodes.pending_xref)):
            reference.parent.replace(reference, reference.children)


def resolve_reexported(app, env, node, contnode):
    """Let ``dplit.Domain`` and ``dplit.domain.Domain`` both refer to the one that is documented."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target.startswith("dplit."):
        return None
    domain = env.get_domain("py")
    for name in _other_names(target):
        if name in domain.objects:
            page = node["refdoc"]
            return domain.resolve_xref(env, page, app.builder, "obj", name, node, contnode)
    return None


def _other_names(target):
    """Every dotted name under which the object `target` could be documented."""
    path, name, tail = target, "", []
    while "." in path:
        path, name = path.rsplit(".", 1)
        tail.insert(0, name)
        try:
            module = importlib.import_module(path)
        except ImportError:
            continue
        home = getattr(getattr(module, tail[0], None), "__module__", "").split(".")
        return [".".join([*home[:n], *tail]) for n in range(len(home), 0, -1)]
    return []


def setup(app):
    # Trees of pages are kept: going through them again and again took a third of the time.
    gc.set_threshold(100_000, 50, 50)
    app.connect("config-inited", use_shipped_mathjax)
    app.connect("config-inited", remember_plugins)
    app.connect("env-check-consistency", write_in_parallel)
    app.connect("html-page-context", add_page_scripts, priority=600)
    app.connect("html-page-context", drop_thebe_scripts, priority=900)
    app.connect("html-page-context", drop_repeated_ids)
    app.connect("html-page-context", let_names_break)
    app.connect("doctree-resolved", drop_thebe_settings, priority=900)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", write_entrance)
    app.connect("autodoc-skip-member", skip_what_says_nothing)
    app.connect(
        "autodoc-process-docstring", keep_colons, priority=400
    )  # before napoleon, which has 500
    app.connect("doctree-read", keep_types_plain)
    app.connect("missing-reference", resolve_reexported)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
