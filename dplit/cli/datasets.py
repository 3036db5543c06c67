"""List the data sets, or describe one: its columns, their public domain, and the source of every
bound and level list: documented with the data, documented-on-page at its home, logical (it follows
from what the column is), judgement (a round bound, not read off the records), or data. A bound
whose source is "data" is read off the records, and not public. What is shown
stands in the registry: no file is read.
"""

from dplit.cli.text import dump, table, wrapped

HELP = "list the data sets, or describe one"
EXAMPLES = """examples:
  dplit datasets                                 every data set; reads no file
  dplit datasets nursery                         one: records, classes, and each column's domain
  dplit datasets adult --json                    for another program
"""
OPTIONS = {"NAME": ("data set to describe; left out: list all", {"nargs": "?"})}
SHARED = ("json",)


def run(arguments):
    """Run the command; returns the exit status."""
    from dplit import datasets

    if arguments.name is None:
        rows = datasets.table().to_dict("records")
        print(dump(rows) if arguments.json else table(rows))
        return 0
    from dplit.datasets import registry

    try:
        found = describe(registry.entry(arguments.name))
    except ValueError as error:
        arguments.error(f"argument NAME: {error}")
    print(dump(found) if arguments.json else _description(found))
    return 0


def describe(entry):
    """What the registry knows of a data set, as plain data; each column's domain, its source, and why."""
    columns = entry.columns or entry.named([f"each of {entry.n_columns:,}"])
    return {
        "name": entry.name,
        "title": entry.title,
        "task": entry.task,
        "target": entry.target,
        "records": entry.records,
        "incomplete": entry.incomplete,
        "classes": None if entry.classes is None else list(entry.classes),
        "target_bounds": entry.target_bounds,
        "home": entry.home,
        "licence": entry.licence,
        "citation": entry.citation,
        "notes": entry.notes,
        "columns": [_column(column) for column in columns],
    }


def _column(column):
    public = {"bounds": None if column.bounds is None else list(column.bounds)}
    if column.levels:
        public = {"levels": list(column.levels)}
    return {"name": column.name, **public, "source": column.source, "why": column.why}


def _description(found):
    said = [k for k, v in found.items() if v and k not in ("name", "title", "columns")]
    head = [f"{found['name']}: {found['title']}", *(wrapped(f"{k}: {_words(found[k])}") for k in said)]
    cells = [[c["name"], _domain(c), c["source"]] for c in found["columns"]]
    reasons = [wrapped(f"{c['name']}: {c['why']}") for c in found["columns"] if c["why"]]
    parts = ["\n".join(head), table(cells, ("column", "domain", "source"))]
    return "\n\n".join([*parts, *(["\n".join(reasons)] if reasons else [])])


def _domain(column):
    if column.get("bounds", 0) is None:
        return "read off the records"
    if "bounds" in column:
        return "[{:.10g}, {:.10g}]".format(*column["bounds"])
    levels = column["levels"]
    return f"{len(levels)} levels: {', '.join(map(str, levels))}"


def _words(value):
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value).strip()
