"""The ledger as files: complete, readable by other programs, and with a key for each claim."""

import csv
import io
import re

import pytest

from dplit.court import claims
from dplit.court.ledger import evidence_files, export

LEDGER = claims.all()


@pytest.fixture(scope="module")
def records():
    return export.records(LEDGER, evidence_files.stored(), evidence_files.since())


def test_a_record_a_claim(records):
    assert [r["id"] for r in records] == [c.id for c in LEDGER]
    assert all(r["summary"] and r["range"] and r["since"] for r in records)
    by_id = {r["id"]: r for r in records}
    assert by_id["rdf/smooth-exponential"]["computed"] > by_id["rdf/smooth-exponential"]["published"]


def test_the_table_reads_back(records):
    rows = list(csv.DictReader(io.StringIO(export.as_csv(records))))
    assert [(r["id"], r["verdict"], r["statement"]) for r in rows] == [
        (r["id"], r["verdict"], r["statement"]) for r in records
    ]


def test_a_key_a_claim(records):
    entries = re.findall(r"^@misc\{([^,]+),$", export.as_bib(records), re.MULTILINE)
    assert entries == [r["key"] for r in records] and len(set(entries)) == len(entries)


def test_bibtex_is_balanced_and_escapes(records):
    for record in records:
        entry = export.as_bib([record])
        assert entry.count("{") == entry.count("}"), record["id"]
        outside = re.sub(r"\$[^$]*\$", "", entry.replace(f"{{{record['key']},", ""))
        assert not re.search(r"(?<!\\)[&%#_]", outside), entry
    assert "url" not in entry
    address = export.as_bib(records[:1], "https://example.org/dplit/")
    assert "url = {https://example.org/dplit/book/entries/diprime-v1-" in address


def test_errata_are_complete():
    found = export.errata(LEDGER, evidence_files.stored(), evidence_files.since())
    ids = [e["id"] for paper in found.values() for e in paper]
    assert len(ids) == len(set(ids))
    wrong = {
        c.id for c in LEDGER if c.verdict in ("fails", "leaks", "assumes") and c.about in ("statement", "step")
    }
    assert set(ids) == {id for id in wrong if not claims.get(id).ours}
    for paper, entries in found.items():
        assert all(e["id"].startswith(f"{paper}/") for e in entries)
        ranks = [export.WRONG.index(e["verdict"]) for e in entries]
        assert ranks == sorted(ranks)
        for e in entries:
            assert e["place"] and e["printed"] and e["statement"] and e["evidence"] and e["since"], e["id"]
            assert e["correct"] or e["verdict"] == "assumes", e["id"]


def test_one_claim_in_words(records):
    (record,) = (r for r in records if r["id"] == "rdf/smooth-exponential")
    text = "\n".join(export.in_words(record))
    for part in ("verdict: leaks", "must hold: ", "counterexample: ", "holds instead: rdf/", "--seed 0"):
        assert part in text
