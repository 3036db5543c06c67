"""The runner: the same answers in any order, selection and number of jobs, and none is lost."""

import json
import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dplit.cli.text import WIDTH
from dplit.cli.verify import report
from dplit.court.ledger import Claim, Evidence
from dplit.court.ledger import run as verify


def draws(id, verdict="holds", **fields):
    """A claim whose evidence shows its generator: the next three draws, and the effort."""

    def check(effort, rng):
        seen = {"draws": rng.integers(0, 10**9, 3), "effort": effort}
        return Evidence(verdict, "exact", f"drew {seen['draws']}", counterexample=seen)

    return Claim(id, id.split("/")[0], "section 1", "A draw is a draw.", verdict, check, **fields)


def raises(id):
    def check(effort, rng):
        return Evidence("holds", "exact", f"{1 / int(effort == 'none')}")

    return Claim(id, "rdf", "section 2", "One over nothing.", "holds", check)


LEDGER = [draws(f"{paper}/{name}") for paper in ("diprime-v1", "rdf") for name in "abcd"]


def answers(claims, **options):
    """What the runner found, without the time that it took."""
    rows = [row.to_dict() for row in verify.run(claims, **options)]
    return {row["id"]: json.dumps(row | {"seconds": 0}, allow_nan=False) for row in rows}


@settings(max_examples=15, deadline=None)
@given(st.permutations(LEDGER), st.integers(1, len(LEDGER)))
def test_order_and_selection_do_not_matter(order, size):
    alone = answers(LEDGER)
    assert answers(order[:size]) == {c.id: alone[c.id] for c in order[:size]}


def test_jobs_do_not_matter():
    assert answers(LEDGER, jobs=2) == answers(LEDGER, jobs=1)


def test_seed_zero_is_what_a_claim_checks_by_itself():
    rows = {row.claim.id: row.evidence.to_dict() for row in verify.run(LEDGER)}
    assert rows == {c.id: c.check().to_dict() for c in LEDGER}


def test_seed_and_effort_arrive():
    first, second = answers(LEDGER), answers(LEDGER, seed=1, effort="deep")
    assert all(first[c.id] != second[c.id] for c in LEDGER)
    assert all('"effort": "deep"' in found for found in second.values())
    with pytest.raises(ValueError, match="effort must be one of"):
        list(verify.run(LEDGER, effort="hard"))
    with pytest.raises(ValueError, match="seed must be an integer"):
        list(verify.run(LEDGER, seed=-1))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_crash_is_a_row_and_loses_no_other(jobs):
    rows = {r.claim.id: r for r in verify.run([raises("rdf/z"), *LEDGER], jobs=jobs)}
    assert len(rows) == 1 + len(LEDGER)
    crash = rows.pop("rdf/z")
    assert (crash.ok, crash.computed, crash.evidence) == (False, "error", None)
    assert "ZeroDivisionError: " in crash.error and "test_run.py:" in crash.error
    assert os.sep not in crash.error
    assert all(row.ok for row in rows.values())


def test_what_is_not_evidence_is_an_error():
    (row,) = verify.run([Claim("rdf/x", "rdf", "", "", "holds", lambda effort, rng: "holds")])
    assert not row.ok and "must return Evidence" in row.error


def test_a_dead_worker_is_an_error_and_the_runner_ends():
    dies = Claim("rdf/dies", "rdf", "", "", "holds", lambda effort, rng: os._exit(1))
    rows = {r.claim.id: r for r in verify.run([dies, *LEDGER], jobs=2)}
    assert len(rows) == 1 + len(LEDGER)
    assert "no answer" in rows["rdf/dies"].error


def test_linear_algebra_runs_on_one_thread():
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads():
        np.ones((2, 2)) @ np.ones((2, 2))
        return max(pool["num_threads"] for pool in threadpool_info())

    def check(effort, rng):
        return Evidence("holds", "exact", "threads", computed=threads())

    with threadpool_limits(2):  # the tests themselves have one
        assert threads() == 2
        (row,) = verify.run([Claim("rdf/x", "rdf", "", "", "holds", check)])
    assert row.evidence.computed == 1


def test_select():
    ids = lambda *options: [c.id for c in verify.select(LEDGER, *options)]  # noqa: E731
    assert ids() == [c.id for c in LEDGER]
    assert ids(["rdf/b", "rdf/a"]) == ["rdf/a", "rdf/b"]
    assert ids(["*/a", "rdf/a"]) == ["diprime-v1/a", "rdf/a"]
    assert ids(["*/a"], ["rdf"]) == ["rdf/a"]
    assert ids([], ["rdf", "diprime-v1"]) == ids()
    with pytest.raises(ValueError, match=r"no claim has the id 'rdf/aa'; the nearest are rdf/a"):
        ids(["*/a", "rdf/aa"])
    with pytest.raises(ValueError, match=r"^no claim matches the pattern 'nothing/\*'$"):
        ids(["nothing/*"])
    with pytest.raises(ValueError, match="no claim fits"):
        ids(["rdf/a"], ["diprime-v1"])


def test_report_fits_the_terminal_and_says_what_differs(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("NO_COLOR", "1")
    long = draws("diprime-v1/an-uncommonly-long-name/corrected", "fails")
    wide = Claim(**{**vars(long), "id": "rdf/w", "where": "a place of many words " * 9, "verdict": "leaks"})
    claims = [*LEDGER, long, wide, raises("rdf/z")]
    random.Random(0).shuffle(claims)
    text = report(verify.in_order(verify.run(claims), claims))
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert [line.split()[0] for line in lines[2:] if line.startswith(("rdf", "dip"))][: len(claims)] == [
        c.id for c in claims
    ]
    assert "rdf/w: declared leaks, computed fails: drew" in text
    assert "rdf/z: the check stopped: ZeroDivisionError" in text
    assert lines[-1] == "11 claims: 8 holds, 2 fails, 1 error; 2 not as declared"


def test_one_claim_as_declared():
    (row,) = verify.run(LEDGER[:1])
    assert report([row]).endswith("1 claim: 1 holds; all as declared")
