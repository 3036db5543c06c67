"""List the data sets, or describe one: its columns, their public domain, and the source of every
bound and level list: documented with the data, documented-on-page at its home, logical (it follows
from what the column is), judgement (a round bound, not read off the records), or data. A bound
whose source is "data" was read off the records, and is not public.
"""

from __future__ import annotations

import sys

from dplit.cli.options import add_json
from dplit.cli.text import aligned, dump, wrapped

HELP = "list the data sets, or describe one"
EXAMPLES = """examples:
  dplit datasets                                 every data set; reads no file
  dplit datasets nursery                         one: records, classes, and each column's domain
  dplit datasets adult --json                    for another program
"""


def add_arguments(parser):
    """Declare the options."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="data set to describe")
    add_json(parser)


def run(arguments):
    """Run the command; returns the exit status."""
    from dplit import datasets

    if arguments.name is None:
        rows = datasets.table().to_dict("records")
        print(dump(rows) if arguments.json else _listing(rows))
        return 0
    try:
        found = describe(datasets.load(arguments.name))
    except ValueError as error:
        arguments.error(f"argument NAME: {error}")
    except OSError as error:  # its files are not here, and can't be downloaded
        print(f"dplit datasets: {error}", file=sys.stderr)
        return 1
    print(dump(found) if arguments.json else _description(found))
    return 0


def describe(dataset):
    """A data set as plain data; each column with its domain, where that is from, and why."""
    return {
        "name": dataset.name,
        "title": dataset.title,
        "task": dataset.task,
        "records": len(dataset.y),
        "classes": None if dataset.classes is None else list(dataset.classes),
        "target_bounds": dataset.target_bounds,
        "home": dataset.home,
        "licence": dataset.licence,
        "citation": dataset.citation,
        "notes": dataset.notes,
        "columns": [
            _column(name, feature, dataset)
            for name, feature in zip(dataset.domain.names, dataset.domain.features)
        ],
    }


def _column(name, feature, dataset):
    levels = getattr(feature, "levels", None)
    public = {"levels": levels} if levels else {"bounds": [feature.lower, feature.upper]}
    source = {"source": dataset.sources.get(name, ""), "why": dataset.reasons.get(name, "")}
    return {"name": name, **public, **source}


def _listing(rows):
    header = tuple(rows[0])
    numbers = [i for i, name in enumerate(header) if not isinstance(rows[0][name], str)]
    cells = [[str(value) for value in row.values()] for row in rows]
    return aligned(header, cells, shrink=len(header) - 1, right=numbers)


def _description(found):
    said = [k for k, v in found.items() if v and k not in ("name", "title", "columns")]
    head = [
        f"{found['name']}: {found['title']}",
        *(wrapped(f"{k}: {_words(found[k])}") for k in said),
    ]
    cells = [[c["name"], _domain(c), c["source"]] for c in found["columns"]]
    reasons = [wrapped(f"{c['name']}: {c['why']}") for c in found["columns"] if c["why"]]
    parts = ["\n".join(head), aligned(("column", "domain", "source"), cells, shrink=1)]
    return "\n\n".join([*parts, *(["\n".join(reasons)] if reasons else [])])


def _domain(column):
    if "bounds" in column:
        return "[{:.10g}, {:.10g}]".format(*column["bounds"])
    levels = column["levels"]
    return f"{len(levels)} levels: {', '.join(map(str, levels))}"


def _words(value):
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value).strip()
