"""List the data sets, or describe one: its columns, their public domain, and the source of every
bound and level list. A bound that was read from the data is not public, and is marked so.
"""

from __future__ import annotations

from dplit.cli.options import add_json

HELP = "list the data sets, or describe one"
EXAMPLES = """examples:
  dplit datasets                                 every data set
  dplit datasets nursery                         one: records, classes, columns and their domain
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
        _list(datasets.table(), arguments.json)
        return 0
    if arguments.name not in datasets.names():
        arguments.error(f"argument NAME: {_unknown(arguments.name, datasets.names())}")
    _describe(datasets.load(arguments.name), arguments.json)
    return 0


def _unknown(name, names):
    from dplit.claims.verify import nearest

    return f"no data set is called {name!r}; {nearest(name, names)}"


def _list(table, as_json):
    if as_json:
        print(table.reset_index().to_json(orient="records", indent=2, force_ascii=False))
    else:
        print(table.to_string())


def _describe(dataset, as_json):
    print(dataset)
