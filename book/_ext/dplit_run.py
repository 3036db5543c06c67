"""The box "Run this page" of each notebook: by command and in JupyterLab, and what that needs."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

BOOK = Path(__file__).resolve().parents[1]
spec = spec_from_file_location("rerun", BOOK / "rerun.py")  # which lies beside the notebooks
rerun = module_from_spec(spec)
spec.loader.exec_module(rerun)

NEEDS = (
    "A copy of the project, Python 3.11, 3.12 or 3.13, and once <code>make install</code>, which "
    "brings about a gigabyte of packages. The records are in the copy, so that nothing else is "
    "downloaded. The first run compiles for a minute or two, and the next takes seconds."
)


@cache
def judged():
    """The chapters that have claims."""
    from dplit.court import claims

    return {claim.chapter for claim in claims.all()}


def run_page(stem, parameters, has_claims):
    """The box, as HTML.

    Parameters
    ----------
    stem : str
        Name of the notebook.
    parameters : mapping of name to (value, remark)
        As `rerun.parameters` gives it.
    has_claims : bool
    """
    parts = [("What it needs", NEEDS), ("In JupyterLab", _in_lab(stem, parameters))]
    parts.append(("By command", _by_command(stem, parameters)))
    if has_claims:
        command = f"dplit verify --chapter {stem}"
        parts.append(
            ("Its claims alone", f"{_shell(command)}<code>--effort deep</code> is harder.")
        )
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in parts)
    return f'<details class="run-page"><summary>Run this page</summary><dl>{listed}</dl></details>'


def _in_lab(stem, parameters):
    """How to open the notebook, and which lines to change."""
    opens = f"<code>make lab</code> opens the book; this page is <code>{stem}.ipynb</code>. "
    if not parameters:
        return f"{opens}Run all cells."
    names = [f"<code>{escape(n)} = {escape(repr(v))}</code>" for n, (v, _) in parameters.items()]
    return f"{opens}Its first cell has the lines to change: {', '.join(names)}. Then run all cells."


def _by_command(stem, parameters):
    name, (value, _) = next(iter(parameters.items()), ("", (None, "")))
    setting = f" {name}={2 * value!r}" if name else ""
    return (
        f"{_shell(f'.venv/bin/python book/rerun.py {stem}{setting}')}"
        "prints what the cells print, and leaves the executed copy in <code>_build/rerun</code>."
    )


def _shell(command):
    """A command with a button that copies it."""
    return f'<div class="highlight"><pre>{escape(command)}</pre></div>'


def add_box(app, pagename, templatename, context, doctree):
    """Give each notebook's page its box."""
    stem = pagename.removeprefix("book/")
    if doctree is not None and (BOOK / f"{stem}.ipynb").is_file():
        parameters = rerun.parameters(rerun.read(stem))
        context["body"] = context.get("body", "") + run_page(stem, parameters, stem in judged())


def setup(app):
    app.connect("html-page-context", add_box, priority=540)  # before the box that says how to cite
    return {"parallel_read_safe": True, "parallel_write_safe": True}
