"""The stored evidence and the history of verdicts: complete, and changed by one rule."""

import importlib.util
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import dplit
from dplit.court import claims
from dplit.court.ledger import Evidence, evidence_files
from dplit.court.ledger.evidence_files import Change
from dplit.court.ledger.registry import PAPERS, Claim
from dplit.ground.work import stream

BOOK = Path(__file__).parents[2] / "book"
LEDGER = claims.all()


@pytest.fixture(scope="module")
def kept():
    """The book's own module that keeps evidence."""
    sys.path.insert(0, str(BOOK))
    try:
        spec = importlib.util.spec_from_file_location("evidence", BOOK / "evidence.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(BOOK))


def test_every_claim_has_a_verdict_on_record():
    """`make refresh` writes down what is missing."""
    last = evidence_files.since()
    assert {c.id: c.verdict for c in LEDGER} == {
        id: change.verdict for id, change in last.items() if change.verdict != evidence_files.WITHDRAWN
    }
    assert evidence_files.due(LEDGER, evidence_files.changes(), dplit.__version__, "today") == []


def test_the_history_is_in_order():
    history = evidence_files.changes()
    assert all(len(change.date) == 10 and change.since for change in history)
    dates = [change.date for change in history]
    assert dates == sorted(dates)
    versions = [_numbers(change.since) for change in history]
    assert versions == sorted(versions)
    assert versions[-1] <= _numbers(dplit.__version__)
    assert _numbers("0.10.0") > _numbers("0.9.1")


def _numbers(version):
    return tuple(map(int, version.split(".")))


def test_a_line_of_the_history_is_a_change():
    last = {}
    for change in evidence_files.changes():
        assert last.get(change.claim) != change.verdict, change
        last[change.claim] = change.verdict


def test_every_claim_has_evidence_of_its_verdict():
    evidence = evidence_files.stored()
    assert set(evidence) == {c.id for c in LEDGER}
    for c in LEDGER:
        found = Evidence(**evidence[c.id])
        assert (found.verdict, found.kind) == (c.verdict, c.kind), c.id


def test_no_evidence_is_stale(kept):
    assert kept.stale() == [], "their code has changed since they were checked: `make refresh`"
    assert kept.orphans() == []


def test_evidence_of_other_code_or_claims_is_stale(kept, monkeypatch, tmp_path):
    assert not kept.stale() and kept.path("depth").is_file()
    ids = kept.by_chapter()
    monkeypatch.setattr(kept, "by_chapter", lambda: {"depth": ids["depth"][1:]})
    assert kept.stale() == ["depth"]
    monkeypatch.setattr(kept, "by_chapter", lambda: {"depth": ids["depth"]})
    assert kept.stale() == []
    monkeypatch.setattr(kept, "digest", lambda chapter: "other")
    assert kept.stale() == ["depth"]
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    assert kept.stale() == ["depth"]


def test_no_evidence_is_stored_that_another_seed_contradicts(kept, monkeypatch, tmp_path):
    claim = claims.get("rdf/theorem-1")
    own, first = claim.check(), stream(claim.id).bit_generator.state
    other = replace(own, verdict="holds" if own.verdict != "holds" else "fails")

    def check(effort, rng):
        return own if rng.bit_generator.state == first or not lucky else other

    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    monkeypatch.setattr(kept, "by_chapter", lambda: {"majority": [replace(claim, check_function=check)]})
    lucky = True
    with pytest.raises(SystemExit, match=f"not as declared: rdf/theorem-1: {other.verdict}"):
        kept.write("majority")
    assert not kept.path("majority").exists()
    lucky = False
    kept.write("majority")
    assert kept.path("majority").is_file()


def made(id, verdict):
    return Claim(id, "rdf", "theorem 1", "It is so.", verdict, print)


HISTORY = [
    Change("rdf/a", "holds", "0.1.0", "2026-01-01"),
    Change("rdf/b", "loose", "0.1.0", "2026-01-01"),
    Change("rdf/a", "fails", "0.2.0", "2026-02-01"),
]


def test_a_new_a_changed_and_a_withdrawn_verdict_are_written_down(tmp_path):
    now = [made("rdf/a", "leaks"), made("rdf/c", "holds")]
    new = evidence_files.due(now, HISTORY, "0.3.0", "2026-03-01")
    assert [change[:2] for change in new] == [
        ("rdf/a", "leaks"), ("rdf/c", "holds"), ("rdf/b", evidence_files.WITHDRAWN),
    ]  # fmt: skip
    assert {change[2:] for change in new} == {("0.3.0", "2026-03-01", "")}
    path = tmp_path / "verdicts.csv"
    evidence_files.write([*HISTORY, *new], path)
    assert evidence_files.changes(path) == [*HISTORY, *new]
    assert evidence_files.due(now, evidence_files.changes(path), "0.4.0", "2026-04-01") == []
    assert evidence_files.since(evidence_files.changes(path))["rdf/a"].since == "0.3.0"


def test_a_sentence_about_runs_keeps_the_number_that_decides():
    found = {"kind": "reproduced", "computed": 0.4230489, "relation": ">", "published": 0.35}
    evidence = {"rdf/c": found, "rdf/a": found | {"kind": "exact"}}
    now = [made("rdf/a", "leaks"), made("rdf/b", "loose"), made("rdf/c", "agrees")]
    new = evidence_files.due(now, HISTORY, "0.3.0", "2026-03-01", evidence)
    assert [change.number for change in new] == ["", "0.423, must be > 0.35"]
    assert evidence_files.number(found | {"computed": None}) == ""


def test_no_history_is_no_change(tmp_path):
    assert evidence_files.changes(tmp_path / "none.csv") == []


def test_every_claim_of_a_paper_has_its_place_and_the_words_that_decide():
    quotes, printed = evidence_files.quotes(), [c for c in LEDGER if not c.ours]
    assert list(quotes) == [c.id for paper in sorted(PAPERS) for c in printed if c.paper == paper]
    for quote in quotes.values():
        parts = re.sub(r"\$[^$]*\$", "formula", quote.words).split(" ... ")
        assert all(part.strip() == part and part for part in parts), quote
        assert 1 <= sum(len(part.split()) for part in parts) <= 20, quote
        assert "\\" not in re.sub(r"\$[^$]*\$", "", quote.words), quote
        assert re.search(r"\d|abstract|appendix|title|figure|table", quote.place), quote


NUMBERED = re.compile(
    r"(proof of )?(theorem|lemma|corollary|proposition|property|definition|equation)s? \(?\d", re.IGNORECASE
)


def test_what_a_paper_derives_from_what_is_said_of_every_numbered_statement():
    """Ids exist and are a paper's; what is used stands before what uses it, so that there is no cycle."""
    of, seen = {c.id: c for c in LEDGER}, set()
    for id, used in evidence_files.uses().items():
        assert id in of and not of[id].ours and of[id].about != "experiment", id
        assert set(used) <= seen and len(set(used)) == len(used), id
        seen.add(id)
    judged = [c for c in LEDGER if not c.ours and c.about in ("statement", "step")]
    assert [c.id for c in judged if NUMBERED.match(c.where) and c.id not in seen] == []
