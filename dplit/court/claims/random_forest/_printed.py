"""The printed table that this chapter's claims are about."""

from dplit.ground import printed


def synthetic_shapes():
    """Features and depth of the synthetic sets in table 4, each pair once: SynthA, B, C and G."""
    cells = printed.table("rdf/table-4").cells
    names = dict.fromkeys(row for _, row in cells if row.startswith("Synth"))
    shapes = ((cells["continuous", name], cells["depth", name]) for name in names)
    return tuple(dict.fromkeys((int(m.value), int(d.value)) for m, d in shapes))
