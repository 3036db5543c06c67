"""What is known of a data set before its records are seen: ``data/registry.toml``, whose head tells its keys."""

import difflib
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

PACKAGE = Path(__file__).resolve().parents[1]
PLACES = (PACKAGE / "_data" / "registry.toml", PACKAGE.parent / "data" / "registry.toml")

#: where a column's levels or bounds come from, from the most to the least public
SOURCES = ("documented", "documented-on-page", "logical", "judgement", "data")


@dataclass(frozen=True)
class Column:
    """One column: `levels` if it is categorical, else `bounds`, which are None if read off the data."""

    name: str
    kind: str
    source: str
    levels: tuple = ()
    undocumented: tuple = ()
    bounds: tuple | None = None
    ordered: bool = False
    why: str = ""


@dataclass(frozen=True)
class File:
    """One file: `sha256` is that of the uncompressed file; `skip` and `fields` replace the entry's."""

    name: str
    sha256: str
    skip: int = 0
    fields: tuple = ()


@dataclass(frozen=True)
class Entry:
    """One data set. The fields are the keys of the registry."""

    name: str
    title: str
    task: str
    target: str
    records: int
    incomplete: int
    home: str
    licence: str
    citation: str
    notes: str
    reader: str
    classes: tuple | None = None
    target_bounds: tuple | None = None
    target_source: str = "documented"
    columns: tuple = ()
    width: int = 0
    every_column: dict | None = None
    folder: str = ""
    files: tuple = ()
    download: str = ""
    changed: str = ""
    fields: tuple = ()
    header: bool = False
    skip: int = 0
    separator: str = ","
    decimal: str = "."
    repair: str = ""
    informative: int = 0
    random: int = 0
    seed: int = 0

    @property
    def n_columns(self) -> int:
        return self.width or len(self.columns)

    @property
    def source(self) -> str:
        """The least public source of any column's levels or bounds."""
        columns = self.columns or self.named(["every"])
        return max((c.source for c in columns), key=SOURCES.index)

    def named(self, names: Iterable[str]) -> tuple[Column, ...]:
        """The columns; where the file alone knows the names, `every_column` under each of `names`."""
        if self.every_column is None:
            return self.columns
        return tuple(Column(name=n, **_tuples(self.every_column)) for n in names)


def path() -> Path:
    """Where the registry is: in an installed package its own copy, in a checkout ``data``."""
    found = next((p for p in PLACES if p.exists()), None)
    if found is None:
        raise FileNotFoundError(f"registry.toml must be at one of {[str(p) for p in PLACES]}")
    return found


@cache
def _tables() -> dict[str, dict]:
    return tomllib.loads(path().read_text(encoding="utf-8"))


def _tuples(table: dict) -> dict:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}


def _columns(tables: Iterable[dict]) -> Iterator[Column]:
    """One `Column` for each name; a table with `names` stands for several alike."""
    for table in map(dict, tables):
        names = table.pop("names", None) or [table.pop("name")]
        yield from (Column(name=n, **_tuples(table)) for n in names)


def synthetic_columns(informative: int, random: int) -> tuple[Column, ...]:
    """The columns ``x1, x2, ...`` of a synthetic set, all with one interval.

    An informative column is a vertex of the hypercube, -1 or 1, plus a combination of k =
    `informative` independent N(0, 1) with weights uniform on [-1, 1], of mean square 1/3: its
    standard deviation is about sqrt(k/3). The interval is 1 + 4 sqrt(k/3), rounded up, to either
    side. A useless column is N(0, 1) and gets the same, since nobody knows which these are.
    """
    reach = float(np.ceil(1 + 4 * np.sqrt(informative / 3)))
    why = "four standard deviations of the generating law beyond the hypercube's vertices"
    return tuple(
        Column(f"x{i}", "number", "judgement", bounds=(-reach, reach), why=why)
        for i in range(1, informative + random + 1)
    )


@cache
def entry(name: str) -> Entry:
    """The `Entry` of the data set `name`; an unknown name raises with near matches."""
    key = canonical(name)
    table = _tuples(_tables()[key])
    table["columns"] = tuple(_columns(table.get("columns", ())))
    if table["reader"] == "synthetic":
        table["columns"] = synthetic_columns(table["informative"], table["random"])
    table["files"] = tuple(File(**_tuples(f)) for f in table.get("files", ()))
    return Entry(name=key, **table)


def names() -> list[str]:
    """The names that `load` takes, in the registry's order."""
    return list(_tables())


def canonical(name: str) -> str:
    """The registry's spelling of `name`: case, ``_`` and ``-`` don't matter; an unknown one is a ValueError with
    near matches.
    """
    known = {_squeeze(n): n for n in names()}
    if isinstance(name, str) and _squeeze(name) in known:
        return known[_squeeze(name)]
    near = difflib.get_close_matches(_squeeze(str(name)), known, n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(repr(known[n]) for n in near)}? " if near else ""
    raise ValueError(f"name must be a data set of the registry, got {name!r}; {hint}`dplit datasets` lists all")


def _squeeze(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")


def table() -> pd.DataFrame:
    """All data sets side by side; reads no data.

    Columns are `name`, `task`, `records` (of the whole file), `columns`, `classes` (0 for a regression), `bounds`
    (the least public source of any column's) and `home`.
    """
    entries = [entry(n) for n in names()]
    return pd.DataFrame(
        {
            "name": [e.name for e in entries],
            "task": [e.task for e in entries],
            "records": [e.records for e in entries],
            "columns": [e.n_columns for e in entries],
            "classes": [len(e.classes or ()) for e in entries],
            "bounds": [e.source for e in entries],
            "home": [e.home for e in entries],
        }
    )
