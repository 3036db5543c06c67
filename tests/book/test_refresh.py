"""What is stored is up to date: notebooks, pages of the reference, the README's picture."""

import json
import sys

from book_tools import BOOK, NOTEBOOKS

sys.path.insert(0, str(BOOK))
import depends
import figures
import reference
import refresh

sys.path.remove(str(BOOK))


def test_no_notebook_is_stale():
    stale = [path.name for path in NOTEBOOKS if depends.is_stale(path)]
    assert stale == [], "their code has changed since they ran: `make refresh`"


def test_no_api_page_is_stale():
    assert reference.stale_pages() == [], "the package's modules have changed: `make refresh`"


def test_the_page_of_the_command_line_shows_every_command():
    from dplit.cli import COMMANDS

    page = reference.pages()[BOOK / "api" / "cli.md"]
    assert [line for line in page.splitlines() if line.startswith("```{command-help}")] == [
        f"```{{command-help}} {command}" for command in COMMANDS
    ]


def test_no_numbers_of_a_moving_figure_are_stale():
    assert figures.stale() == [], "the code that computes them has changed: `make refresh`"
    assert {figures.path(chapter) for chapter in figures.FIGURES} == {*figures.FOLDER.iterdir()}
    _, compute = figures.FIGURES["majority"]
    kept = json.loads(figures.path("majority").read_text("utf-8"))
    assert kept["numbers"] == json.loads(json.dumps(compute()))


def test_no_picture_is_stale():
    assert refresh.stale_pictures() == [], "the README's picture has changed: `make refresh`"
