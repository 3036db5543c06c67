"""The table of a paper's sentences, against the dockets and the intervals that it prints."""

import re

import pytest

from dplit import claims


@pytest.mark.parametrize("chapter", ["random_forest_experiments", "multinomial_forest_experiments"])
def test_a_row_has_its_verdict_and_an_interval_that_bears_it_out(chapter):
    ours = claims.of(chapter)
    table = claims.sentences(ours)
    assert list(table.index) == [c.id for c in ours if c.kind == "reproduced"]
    assert ((table["verdict"] == "undecided") == (table["open"] != "")).all()
    decided = 0
    for id, row in table.iterrows():
        assert (row["verdict"], row["sentence"]) == (ours[id].verdict, ours[id].says)
        ends = re.fullmatch(r"\S+ \((\S+) to (\S+)\)", row["ours"])
        if ends and row["verdict"] in ("agrees", "differs"):
            relation, limit = row["must be"].split()
            low, high = map(float, ends.groups())
            above = (relation == ">") == (row["verdict"] == "agrees")
            assert low >= float(limit) - 1e-3 if above else high <= float(limit) + 1e-3, id
            decided += 1
    assert decided > 5


def test_what_would_decide_an_open_sentence_is_said():
    table = claims.sentences(claims.of("random_forest_experiments"))
    assert "a single draw" in table.loc["rdf/figure-9/enough", "open"]
    table = claims.sentences(claims.of("median_forest_experiments"))
    assert table.loc["diprime-v1/figure-4/stay-behind", "open"] == "no cell of ours is about it"
