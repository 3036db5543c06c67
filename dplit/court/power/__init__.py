"""Draws that would have refuted it: a drawn test of each release, with its exact power against planted bugs.

A *release* is what one kind of node of an estimator's budget tree stands for. Each has the law that its proof
speaks of, written down here from the textbook and not from the code that draws, and the same law with one of
`BUGS`. The test and its power are derived in :doc:`/book/audit`.

==================  ===================================================================================
:func:`releases`    every `Release`, by its name
:class:`DrawnTest`  the events, what is accepted of each, and with which probability a bug is seen
:func:`show`        draw, print the test and the stated bounds, and stop where one of them is refused
:func:`stored`      planted bugs, and whether a chapter, the ledger and the audit saw each of them
==================  ===================================================================================
"""

from dplit.court.power.drawn import BUGS, FALSE_ALARM, POWER, Bound, DrawnTest, Event, Outcome, Release
from dplit.court.power.registry import drawn, drawn_test, of, release, releases, show, stored

__all__ = [
    "BUGS", "FALSE_ALARM", "POWER", "Bound", "DrawnTest", "Event", "Outcome", "Release", "drawn", "drawn_test",
    "of", "release", "releases", "show", "stored",
]  # fmt: skip
