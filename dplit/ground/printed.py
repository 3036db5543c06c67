"""The papers' printed tables, as numbers with the precision that they are printed in.

``data/printed/PAPER.toml`` holds the cells as strings, character for character; ``notes.toml`` says which are
not run, and why a cell of ours differs; ``PAPER-authors.csv`` has means of runs that the authors published beside
their code, and ``diprime-v2-figures.toml`` points read off their images, with the error of reading. The files of
``data/`` are in the wheel, or beside the package in a checkout: `data_file` finds them.
"""

import csv
import re
import tomllib
from collections import namedtuple
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
PLACES = (PACKAGE / "_data", PACKAGE.parent / "data")
CELL = re.compile(
    r"(?P<value>\d+(?:\.(?P<decimals>\d+))?)"
    r"(?: × 10\^(?P<power>-?\d+))?(?: ± (?P<deviation>[\d.]+))?(?: \((?P<depth>\d+)\))?"
)


@dataclass(frozen=True)
class Printed:
    """One printed cell."""

    value: float  #: In the measure's own unit, as `deviation`.
    deviation: float | None  #: None where none is printed.
    rounding: float  #: Half a unit of the last printed digit of `value`.
    depth: int | None
    text: str  #: As printed.


def parse(text: str, unit: float = 1.0) -> Printed:
    """A cell as printed, such as ``"1.59 ± 0.07 (7)"`` or ``"2.27 × 10^-2"``; another form is a ValueError.

    `unit`: the factor that the column's head prints.
    """
    found = CELL.fullmatch(text)
    if not found:
        raise ValueError(f"text must be a printed cell such as '1.59 ± 0.07 (7)', got {text!r}")
    factor = unit * 10.0 ** int(found["power"] or 0)
    return Printed(
        value=float(found["value"]) * factor,
        deviation=float(found["deviation"]) * factor if found["deviation"] else None,
        rounding=0.5 * 10.0 ** -len(found["decimals"] or "") * factor,
        depth=int(found["depth"]) if found["depth"] else None,
        text=text,
    )


@dataclass(frozen=True)
class Table:
    """One printed table."""

    where: str
    caption: str
    measure: str
    parameters: dict  #: What the caption fixes for all cells.
    #: Each with `name` as printed, `data`, and `unit` or `depth` where the paper gives one.
    columns: tuple[dict, ...]
    cells: dict[tuple[str, str], Printed]  #: By (data, row).

    @property
    def rows(self):
        """Names of the rows, as printed."""
        return tuple(dict.fromkeys(row for _, row in self.cells))

    def of(self, name):
        """What the columns say under one name, as "depth": dict of data set to value."""
        return {column["data"]: column[name] for column in self.columns if name in column}


def data_file(name: str) -> Path:
    """Path of a file of ``data/``, `name` relative to it, as "printed/diprime-v1.toml"; it need not exist."""
    found = [place / name for place in PLACES if (place / name).is_file()]
    return found[0] if found else PLACES[-1] / name


@cache
def _file(name):
    return tomllib.loads(data_file(f"printed/{name}.toml").read_text(encoding="utf-8"))


@cache
def table(id: str) -> Table:
    """The printed table of one experiment, as "diprime-v2/table-1"."""
    paper, _, name = id.partition("/")
    found = dict(_file(paper)[name])
    rows = found.pop("rows")
    cells = {
        (column["data"], row): parse(texts[i], column.get("unit", 1.0))
        for i, column in enumerate(found["columns"])
        for row, texts in rows.items()
    }
    return Table(cells=cells, **{**found, "columns": tuple(found["columns"])})


def tables(paper):
    """Ids of the printed tables of one paper, list of str."""
    return [f"{paper}/{name}" for name in _file(paper)]


#: Accuracy of a setting in the runs that a paper's authors published; `deviation` is among these runs.
OwnRuns = namedtuple("OwnRuns", "file data method voting depth trees queries runs epsilon mean deviation")


@cache
def _own_runs(paper):
    found = []
    with data_file(f"printed/{paper}-authors.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            sizes = [int(row[name]) for name in ("depth", "trees", "queries", "runs")]
            columns = (map(float, row[name].split()) for name in ("epsilons", "means", "deviations"))
            of = row["file"], row["data"], row["method"], row["voting"]
            found += [OwnRuns(*of, *sizes, *numbers) for numbers in zip(*columns, strict=True)]
    return found


def own_runs(paper: str, **at) -> list[OwnRuns]:
    """The authors' own runs of settings whose fields are those of `at`, as ``file="car_id1", depth=4``."""
    fields = itemgetter(slice(0), slice(0), *map(OwnRuns._fields.index, at))  # a tuple, whatever `at`
    wanted = (), (), *at.values()
    return [r for r in _own_runs(paper) if fields(r) == wanted]


def not_run():
    """Data sets of the papers that are not run, dict of name to the reason."""
    return dict(_file("notes")["not-run"])


def why(id):
    """What is known about cells of one experiment that do not agree, dict of "data/row" to text."""
    return dict(_file("notes").get("why", {}).get(id, {}))


def unfinished():
    """Experiments of which nothing or only a part is stored, dict of id to what is missing."""
    return dict(_file("notes")["unfinished"])
