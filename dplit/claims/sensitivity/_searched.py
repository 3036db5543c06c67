"""A sensitivity's formula beside the worst case that an enumeration finds."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from dplit import sensitivity
from dplit.errors import NEIGHBOURS
from dplit.ledger import Case, equal

ONE_MORE = ("add-remove",)
exactly = partial(equal, rtol=1e-12)


def searched(statistic, stated, sizes, bounds, relations=NEIGHBOURS, **options):
    """Enumerated worst cases beside ``stated(n, lower, upper)``."""
    for relation in relations:
        for low, high in bounds:
            for n in sizes:
                worst = sensitivity.worst_case(statistic, n, low, high, relation, **options)
                data = {"n": n, "lower": low, "upper": high, "neighbours": relation}
                data |= {"data": plain(worst.data), "neighbour": plain(worst.neighbour)}
                yield Case(worst.value, stated(n, Fraction(low), Fraction(high)), data)


def plain(records):
    """Records as JSON-able numbers; one with a side keeps it."""
    return [[r[0], float(r[1])] if isinstance(r, tuple) else float(r) for r in records]
