"""Tables 3 and 4 of the paper, a row for each data set."""

from functools import cache
from typing import NamedTuple

from dplit.ground import printed


class Row(NamedTuple):
    """Records, features of each kind, depth, and the shares of empty leaves with one tree and thirty."""

    records: int
    continuous: int
    discrete: int
    depth: int
    one: printed.Printed
    thirty: printed.Printed


@cache
def printed_rows():
    """Dict of data set to `Row`, as printed."""
    shares, shapes = (printed.table(f"rdf/table-{i}") for i in (3, 4))
    found = {}
    for column in shares.columns:
        name = column["name"]
        shape = (int(shapes.cells[c["data"], name].value) for c in shapes.columns)
        empty = (shares.cells[column["data"], trees] for trees in ("1 tree", "30 trees"))
        found[name] = Row(column["records"], *shape, *empty)
    return found
