"""An account that is kept in a file: no run loses a charge, and all runs together stay below the limit."""

import json
import os
import pickle
import subprocess
import sys
import threading

import pytest

from dplit import Accountant
from dplit.budget import accountant, ledger
from dplit.budget.accountant import BudgetError, charged
from dplit.budget.ledger import LedgerError
from tests.test_accountant import X, Y, forest

SPENDS = """
import sys
from dplit import Accountant
from dplit.budget.accountant import BudgetError, charged, has_drawn
done = 0
with Accountant(sys.argv[1], limit=2.0):
    for _ in range(30):
        try:
            with charged("made", "add-remove", lambda: (0.1, 0.0)):
                has_drawn()
                done += 1
        except BudgetError:
            pass
print(done)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.json"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_one_run_spent_the_next_one_has_not(path):
    with Accountant(path, limit=1.2) as first:
        forest().fit(X, Y)
    with Accountant(str(path), 1.2) as second:
        assert second.spent == first.spent == 0.5 and second.budget.epsilon == 0
        forest().fit(X, Y)
        assert first.spent == 1.0  # it reads what the other charged
        with pytest.raises(BudgetError, match=r"costs epsilon 0.5, and of 1.2 is left 0.2"):
            forest().fit(X, Y)
    head, *charges = lines(path)
    assert head == {"dplit ledger": 1, "limit": 1.2, "delta": 0.0, "neighbours": "add-remove"}
    assert [(c["epsilon"], c["delta"], c["of"]) for c in charges] == [
        (0.5, 0.0, "RandomDecisionForestClassifier")
    ] * 2


def test_several_processes_do_not_pass_the_limit_together(path):
    command = [sys.executable, "-c", SPENDS, str(path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    done = [int(process.communicate(timeout=120)[0]) for process in running]
    assert sum(done) == 20
    assert Accountant(path, limit=2.0).spent == pytest.approx(2.0)


def test_a_charge_is_on_the_disk_before_noise_is_drawn(path, monkeypatch):
    account, order, sync, draw = Accountant(path, limit=1.0), [], os.fsync, accountant.has_drawn
    monkeypatch.setattr(ledger.os, "fsync", lambda file: (order.append(len(lines(path))), sync(file)))
    monkeypatch.setattr(accountant, "has_drawn", lambda: (draw(), order.append("noise")))
    with account:
        forest().fit(X, Y)
    assert order == [2, "noise"]


def test_a_run_that_is_killed_keeps_its_charge(path):
    code = (
        "import os; from dplit import Accountant; from dplit.budget.accountant import charged, has_drawn\n"
        f"with Accountant({str(path)!r}, limit=1.0), charged('made', 'add-remove', lambda: (0.7, 0.0)):\n"
        "    has_drawn(), os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    with Accountant(path, limit=1.0) as account:
        assert account.spent == 0.7
        with pytest.raises(BudgetError):
            forest().fit(X, Y)


def test_half_a_line_paid_for_nothing_and_makes_room(path):
    with Accountant(path, limit=1.0) as account:
        forest().fit(X, Y)
        whole = path.read_bytes()
        path.write_bytes(whole + b'{"of": "made", "epsi' + b"x" * 200)
        assert account.spent == 0.5
        forest(0.25).fit(X, Y)
    assert path.read_bytes().startswith(whole) and account.spent == 0.75
    assert len(lines(path)) == 3


def test_a_file_of_an_earlier_version_has_charges_that_were_taken_back(path):
    Accountant(path, limit=1.0)
    with path.open("a") as file:
        file.write('{"of": "made", "epsilon": 0.5, "delta": 0.0}\n{"back": 1}\n')
    with Accountant(path, limit=1.0) as account:
        assert account.spent == 0
        forest(1.0).fit(X, Y)
    assert Accountant(path, limit=1.0).left == 0


def test_two_fits_that_asked_together_are_not_both_charged_beyond_the_limit(path):
    """The first had read its records when the second took what was left; it draws nothing then."""
    with Accountant(path, limit=0.6) as account, pytest.raises(BudgetError, match=r"0\.5, and of 0\.6 is"):
        with charged("first", "add-remove", lambda: (0.5, 0.0)):
            other = threading.Thread(target=lambda: forest().fit(X, Y))
            other.start()
            other.join()
            accountant.has_drawn()
            raise AssertionError("noise was drawn")
    assert account.spent == 0.5 and len(lines(path)) == 2


@pytest.mark.parametrize("terms, said", [
    ({"limit": 2.0}, r"limit must be 1.0, as in .*ledger.json', got 2.0"),
    ({"limit": 1.0, "delta": 1e-6}, "delta must be 0.0"),
    ({"limit": 1.0, "neighbours": "replace-one"}, "neighbours must be 'add-remove'"),
])  # fmt: skip
def test_other_limits_than_the_files_are_an_error(path, terms, said):
    Accountant(path, limit=1.0)
    with pytest.raises(LedgerError, match=said):
        Accountant(path, **terms)


@pytest.mark.parametrize("broken", [
    b"", b"age,job\n31,cook\n", b"[]\n", b'{"dplit ledger": 1}\n', b'HEAD\n{"of": "made"}\n',
    b'HEAD\n{"epsilon": -1, "delta": 0}\n', b'HEAD\n{"epsilon": NaN, "delta": 0}\n', b'HEAD\n{"back": 1}\n',
    b'HEAD\n{"epsilon": 1, "delta": 0}\n{"back": 1}\n{"back": 1}\n', b"HEAD\nhello\n", b"HEAD\n5\n",
])  # fmt: skip
def test_a_file_that_is_no_ledger_is_an_error_and_stays_as_it_is(path, broken):
    Accountant(path, limit=1.0)
    broken = broken.replace(b"HEAD", path.read_bytes().strip())
    path.write_bytes(broken)
    with pytest.raises(LedgerError, match=r"ledger.json' must be the ledger of an account, and is none"):
        Accountant(path, limit=1.0)
    assert path.read_bytes() == broken


def test_a_folder_is_no_ledger(tmp_path):
    with pytest.raises(LedgerError, match="must be the ledger"):
        Accountant(tmp_path, limit=1.0)


@pytest.mark.parametrize("loss", ["removed", "cut", "replaced"])
def test_a_file_that_lost_charges_refuses(path, loss):
    with Accountant(path, limit=2.0):
        forest().fit(X, Y)
        whole = path.read_bytes()
        changed = whole[: whole.index(b"\n") + 1] if loss == "cut" else whole.replace(b"0.5", b"0.1")
        path.unlink() if loss == "removed" else path.write_bytes(changed)
        with pytest.raises(LedgerError, match="has lost charges"):
            forest().fit(X, Y)
    assert path.is_file() == (loss != "removed")


def test_a_file_is_open_once_at_a_time(path, tmp_path):
    with Accountant(path, limit=1.0) as outer:
        with pytest.raises(RuntimeError, match="entered once"), Accountant(path, limit=1.0):
            pass
        with Accountant(tmp_path / "other.json", limit=0.6) as inner, Accountant(3.0) as memory:
            forest().fit(X, Y)
            with pytest.raises(BudgetError, match=r"of 0\.6 is left"):
                forest().fit(X, Y)
    assert outer.spent == inner.spent == memory.spent == 0.5


def test_a_ledger_that_another_run_holds_is_waited_for_and_then_refused(path, monkeypatch):
    account = Accountant(path, limit=1.0)
    monkeypatch.setattr(ledger, "WAIT", 0.1)
    with account, account._charges.locked(), pytest.raises(TimeoutError, match=r"ledger\.json\.lock"):
        forest().fit(X, Y)
    assert account.spent == 0


def test_it_goes_into_a_pickle(path):
    account = Accountant(path, limit=1.0)
    again = pickle.loads(pickle.dumps(account))
    with account:
        forest().fit(X, Y)
    assert again.spent == 0.5


def test_a_path_needs_a_limit(path):
    with pytest.raises(ValueError, match="limit must be a positive, finite number, got None"):
        Accountant(path)
    assert not path.exists()


def test_a_release_that_is_charged_reads_nothing_of_a_refused_one(path):
    with Accountant(path, limit=0.05), pytest.raises(BudgetError, match="refuses made"):
        with charged("made", "add-remove", lambda: (0.1, 0.0)):
            raise AssertionError("it ran")
