"""What the ledger says in words and counts, from made-up claims."""

import pytest
from matplotlib.figure import Figure

from dplit.court.ledger import PAPERS, VERDICTS, Claim, glance
from dplit.court.ledger.words import both_sides
from dplit.plotting import VERDICT_COLORS


def make(id, verdict="holds", **fields):
    fields = {"where": "Theorem 1", "says": "It is so.", **fields}
    return Claim(id, id.split("/")[0], verdict=verdict, check_function=print, **fields)


CLAIMS = [make("rdf/theorem-1", "fails"), make("rdf/theorem-1/corrected", ours=True), make("mrf/lemma-3", "loose")]
FOUND = {"quantity": "loss", "computed": 3.00000001, "relation": "<=", "published": 2.0}


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("<=", "loss: must be at most 2, is 3"),
        ("=", "loss: must be equal to 2, is 3"),
        (">", "loss: must be more than 2, is 3"),
        ("not", "loss: must not be 2, is 3"),
        ("within", "loss: 2 stated must lie in the interval around 3 observed"),
    ],
)
def test_both_sides_in_words(relation, words):
    assert both_sides({**FOUND, "relation": relation}) == words
    assert "is inf" in both_sides({**FOUND, "computed": "inf"})


def test_tally_counts_the_papers_claims_only():
    counts = glance.tally(CLAIMS)
    assert list(counts) == [paper for paper in PAPERS if paper != "ours"]
    assert {v: n for v, n in counts["rdf"].items() if n} == {"fails": 1}
    assert sum(sum(by_verdict.values()) for by_verdict in counts.values()) == 2


@pytest.mark.parametrize("claims", [CLAIMS, []], ids=["some", "none"])
def test_glance_draws_every_count(claims):
    ax = Figure().subplots()
    glance.glance(claims, ax, VERDICT_COLORS)
    drawn = {(p.get_y() + p.get_height() / 2, p.get_width()) for p in ax.patches if p.get_width()}
    rows = list(glance.tally(claims).values())
    expected = {(i, n) for i, by_verdict in enumerate(rows) for n in by_verdict.values() if n}
    assert {(round(y), width) for y, width in drawn} == expected
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(VERDICTS)
