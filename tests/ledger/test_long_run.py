"""The file of long checks: gone on with, row by row, as long as the code is the same."""

import json
import types
from dataclasses import replace

import pytest

from dplit.court import claims, experiments
from dplit.court.ledger import long_run
from dplit.court.ledger import run as verify
from dplit.court.ledger.registry import Claim
from dplit.ground.printed import data_file

DEEP = long_run.read(data_file("results/verify/deep.json"))
LEDGER = claims.all()


def spin(effort, rng):
    while True:
        pass


def made(id, check=spin, **fields):
    return Claim(id, "rdf", "theorem 1", "It is so.", "holds", check, **fields)


def entered(path, claim, **options):
    """The file after a run of one claim."""
    held = long_run.opened(path, "quick", 0, 1)
    for row in verify.run([claim], limit=1, **options):
        long_run.enter(held, row, path)
    return long_run.opened(path, "quick", 0, 1)


def test_a_claim_of_the_same_code_is_not_due_again(tmp_path):
    one, other = LEDGER["rdf/table-2"], LEDGER["rdf/example-1-leaves"]
    held = entered(tmp_path / "a.json", one)
    assert held["claims"]["rdf/table-2"]["verdict"] == one.check().verdict
    assert long_run.due(held, [one, other]) == [other]
    held["claims"]["rdf/table-2"]["digest"] = "other"
    assert long_run.due(held, [one, other]) == [one, other]
    assert "has checked 0 of 2 claims" in long_run.in_words(held, [one, other])


def test_a_digest_leaves_the_package_as_it_is():
    """A function and a module of one name: the digest once put the module in the function's place."""
    claim = next(c for c in claims.all() if "experiments.compare" in c.functions)
    assert len(long_run.digest(claim)) == 16 and callable(experiments.compare)


@pytest.mark.parametrize(
    ("changed", "tells"),
    [("court.claims.majority.sensitivity", True), ("majority.sensitivity", True), ("ground.work", False)],
)
def test_a_digest_is_of_the_docket_and_of_its_functions(monkeypatch, changed, tells):
    before, read = long_run.digest(LEDGER["rdf/table-2"]), long_run._source
    other = f"dplit.{changed}"
    monkeypatch.setattr(long_run, "_source", lambda m: read(m) + "\n" * (m.__name__ == other))
    assert (long_run.digest(LEDGER["rdf/table-2"]) != before) == tells


@pytest.mark.parametrize(
    ("code", "tells"),
    [
        ('def f():\n    """Said otherwise."""\n    return 1  # as before\n', False),
        ('def f():\n    """Said."""\n    return 2\n', True),
    ],
)
def test_a_docstring_or_a_comment_is_no_part_of_the_code(monkeypatch, code, tells):
    first, second = (types.ModuleType(name) for name in ("first", "second"))
    sources = {first: 'def f():\n    """Said."""\n    return 1\n', second: code}
    monkeypatch.setattr(long_run.inspect, "getsource", sources.get)
    assert (long_run._source(first) != long_run._source(second)) == tells


def test_every_claim_has_a_digest():
    """A claim may name a module, a class, or a function that its package passes on."""
    digests = {c.id: long_run.digest(c) for c in LEDGER}
    chapters = {c.chapter for c in LEDGER}
    assert len(set(digests.values())) > len(chapters)
    assert digests["rdf/table-2"] != digests["m-rf/theorem-4"]


def test_what_is_cut_off_is_told_and_not_due(tmp_path):
    held = entered(tmp_path / "a.json", made("rdf/slow"))
    row = held["claims"]["rdf/slow"]
    assert row["verdict"] == "cut off" and 1 <= row["seconds"] < 5
    assert long_run.due(held, [made("rdf/slow")]) == []
    text = long_run.in_words(held, [made("rdf/slow")])
    assert "checked 1 of 1 claims" in text and "0 came to the declared verdict, and none" in text
    assert text.endswith("The checks of 1 used 1 seconds of the processor, and were cut off there.")


def test_an_error_has_no_row(tmp_path):
    assert not (tmp_path / "a.json").exists()
    held = entered(tmp_path / "a.json", made("rdf/wrong", lambda effort, rng: 1 / 0))
    assert held["claims"] == {}


def test_another_verdict_is_told(tmp_path):
    claim = LEDGER["rdf/table-2"]
    held = entered(tmp_path / "a.json", claim)
    assert "1 came to the declared verdict, and none to another" in long_run.in_words(held, [claim])
    assert "0 came to the declared verdict, and 1 to another" in long_run.in_words(
        held, [replace(claim, verdict="leaks")]
    )


@pytest.mark.parametrize("asked", [("deep", 0, 1), ("quick", 1, 1), ("quick", 0, None)])
def test_a_file_of_another_run_is_refused(tmp_path, asked):
    entered(tmp_path / "a.json", LEDGER["rdf/table-2"])
    with pytest.raises(ValueError, match="name another"):
        long_run.opened(tmp_path / "a.json", *asked)


@pytest.mark.parametrize("text", ["", "[]", "3", '{"claims": {}}', "\xff"])
def test_another_file_is_refused(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"a\.json is no file of checks"):
        long_run.opened(path, "quick", 0, 1)


def test_the_stored_run_is_of_this_ledger_and_as_declared():
    """A row of the code as it is came to the declared verdict; a row of older code may be of a claim that was
    declared anew since, but where many are, the run is to be made again (``dplit verify`` does)."""
    assert (DEEP["effort"], DEEP["seed"]) == ("deep", 0)
    verdicts, rows = {c.id: c.verdict for c in LEDGER}, DEEP["claims"]
    assert rows.keys() <= verdicts.keys()
    other = {id for id, row in rows.items() if row["verdict"] not in (verdicts[id], verify.CUT_OFF)}
    assert not other & long_run.fresh(DEEP, LEDGER).keys()
    assert len(other) < len(rows) / 20
    cut = [row for row in rows.values() if row["verdict"] == verify.CUT_OFF]
    assert all(row["seconds"] >= DEEP["limit"] for row in cut)


def cheap(verdict):
    """Of the stored rows with a verdict that is still declared, the slowest that took less than half a second."""
    rows = {c.id: row for c in LEDGER if (row := DEEP["claims"].get(c.id))}
    ids = [i for i, row in rows.items() if row["verdict"] == LEDGER[i].verdict == verdict]
    return max((i for i in ids if rows[i]["seconds"] < 0.5), key=lambda i: rows[i]["seconds"])


@pytest.mark.parametrize("verdict", ["holds", "fails", "leaks"])
def test_a_stored_row_comes_out_again(verdict):
    """By the code as it is, whichever code stored it: a check that comes to another verdict at the stored
    run's effort and seed is found out here, though its digest is another one, too."""
    (row,) = verify.run([LEDGER[cheap(verdict)]], DEEP["effort"], DEEP["seed"])
    assert (row.error, row.computed) == ("", verdict)


def test_a_file_is_json_in_order(tmp_path):
    path = tmp_path / "a.json"
    for id in ("rdf/table-2", "rdf/example-1-leaves"):
        entered(path, LEDGER[id])
    held = json.loads(path.read_text("utf-8"))
    assert list(held["claims"]) == ["rdf/example-1-leaves", "rdf/table-2"]
    assert held["command"] == "dplit verify --effort quick --seed 0 --limit 1"
