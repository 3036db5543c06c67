"""The table of claims that a chapter prints under its check."""

import pandas as pd
import pytest

from dplit.court.ledger import Claim, Evidence
from dplit.court.ledger.table import table

LONG = "variance of a vote on average over the cells, over that of the best strategy"


def claim(verdict):
    found = Evidence("holds", "exact", "So it is.", 7, 2.0, 1 / 3, quantity=LONG, relation="<=")
    return Claim("rdf/long", "rdf", "section 1", "It is so.", verdict, lambda effort, rng: found)


def test_a_table_shows_both_sides_and_what_is_compared_in_full():
    made = table([claim("holds")])
    assert made.loc["rdf/long"].tolist() == [LONG, "0.333333", "<= 2", "holds", "exact", 7]
    assert LONG in made._repr_html_()
    assert LONG not in pd.DataFrame(made)._repr_html_(), "else nothing is to do"


def test_a_long_table_shows_every_row():
    made = table([claim("holds")] * 100)
    assert made._repr_html_().count(LONG) == 100
    assert pd.DataFrame(made)._repr_html_().count("<tr") < 100, "else nothing is to do"


def test_what_is_cut_out_of_it_is_a_plain_table():
    assert type(table([claim("holds")])[["verdict"]]) is pd.DataFrame


def test_a_verdict_that_is_not_the_declared_one_stops_it():
    with pytest.raises(AssertionError, match="rdf/long: declared 'fails', computed 'holds'"):
        table([claim("fails")])
