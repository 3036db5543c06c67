"""Work that fans out: efforts, streams by name, nothing lost, plain data."""

import os
import signal
import time

import pytest

from dplit import work


def test_effort():
    assert [work.Effort(e).pick(1, 2, 3) for e in work.EFFORTS] == [1, 2, 3]
    with pytest.raises(ValueError, match="effort must be one of"):
        work.Effort("hard")


def test_a_stream_depends_on_name_and_seed_alone():
    draw = lambda *key: work.stream(*key).random()  # noqa: E731
    assert draw("rdf/a") == draw("rdf/a", 0)
    assert len({draw("rdf/a"), draw("rdf/b"), draw("rdf/a", 1)}) == 3


def half(n):
    if n == 13:
        os._exit(1)
    return 1 / (2 - n)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_task_that_raises_is_a_row_and_loses_no_other(jobs):
    done = sorted(work.fan_out(half, [(1,), (2,), (4,)], jobs))
    assert [d.result for d in done] == [1.0, None, -0.5]
    assert done[1].error.startswith("ZeroDivisionError") and not done[0].error


def test_a_lost_process_is_a_row_for_each_task_it_had():
    done = sorted(work.fan_out(half, [(13,), (1,), (4,)], jobs=2))
    assert [d.place for d in done] == [0, 1, 2]
    assert "no answer" in done[0].error


def test_nearest_names():
    assert work.nearest("rdf/theorem", ["rdf/theorem-1", "x"]) == "the nearest are rdf/theorem-1"
    assert work.nearest("a", []) == "there are none"
    assert work.nearest("a", ["x", "y"]) == "there are x, y"
    assert work.nearest("a", ["w", "x", "y", "z"]) == "there are w, x, y and 1 more"


def test_versions_name_what_is_there():
    found = work.versions("numpy", "no-such-package")
    assert list(found) == ["python", "dplit", "numpy"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of Unix")
def test_a_task_that_uses_more_than_its_limit_is_stopped():
    handler, start = signal.getsignal(signal.SIGPROF), time.process_time()
    with pytest.raises(work.OutOfTime), work.limited(0.3):
        while time.process_time() - start < 60:
            pass
    assert 0.25 < time.process_time() - start < 10
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) == handler


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of Unix")
def test_waiting_uses_no_processor_and_other_errors_pass():
    with work.limited(0.3), pytest.raises(ZeroDivisionError):
        time.sleep(0.5)
        half(2)
    with pytest.raises(work.OutOfTime), work.limited(5):  # as a compiled loop hands it on
        try:
            raise work.OutOfTime
        except work.OutOfTime as error:
            raise SystemError("returned a result with an exception set") from error
    with work.limited(None):
        assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
