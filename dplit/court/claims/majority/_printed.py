"""The printed tables that this chapter's claims are about."""

from dplit.ground import printed


def smooth_sensitivities():
    """Table 2, row by row: (gap, epsilon, cell)."""
    cells = printed.table("rdf/table-2").cells
    return sorted(((int(gap), float(e), cell) for (e, gap), cell in cells.items()), key=lambda c: c[:2])


def label_probabilities(column):
    """A column of table 6, "original" or "new": (counts of A and B, cell), Pr(B) at epsilon 0.1."""
    cells = printed.table("rdf/table-6").cells
    return [(tuple(map(int, row.split(", "))), cell) for (c, row), cell in cells.items() if c == column]
