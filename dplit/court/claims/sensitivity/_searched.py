"""A sensitivity's formula beside the worst case that an enumeration finds."""

from fractions import Fraction

from dplit import sensitivity
from dplit.court.ledger.compare import at_most, same
from dplit.ground.errors import NEIGHBOURS

ONE_MORE = ("add-remove",)


def exactly(exact, stated, **data):
    """Equal numbers, which a note may also show as fractions: `found` and `formula`."""
    return same(exact, stated, 1e-12, found=str(exact), formula=str(stated), **data)


def within(exact, stated, **data):
    """A bound, shown as fractions like `exactly`."""
    return at_most(exact, stated, found=str(exact), formula=str(stated), **data)


def searched(compare, statistic, stated, sizes, bounds, relations=NEIGHBOURS, **options):
    """Enumerated worst cases beside ``stated(n, lower, upper)``."""
    for relation in relations:
        for low, high in bounds:
            for n in sizes:
                worst = sensitivity.worst_case(statistic, n, low, high, relation, **options)
                data = {"n": n, "lower": low, "upper": high, "neighbours": relation}
                data |= {"data": plain(worst.data), "neighbour": plain(worst.neighbour)}
                yield compare(worst.value, stated(n, Fraction(low), Fraction(high)), **data)


def plain(records):
    """Records as JSON-able numbers; one with a side keeps it."""
    return [[r[0], float(r[1])] if isinstance(r, tuple) else float(r) for r in records]
