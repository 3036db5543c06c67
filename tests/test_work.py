"""Work that fans out: efforts, streams by name, nothing lost, plain data."""

import os
import threading

import pytest

from dplit.ground import work


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


def test_threads_answer_in_order_and_an_error_is_the_callers():
    met = threading.Barrier(2, timeout=60)  # passed by two that run side by side

    def both(i):
        met.wait()
        return i

    assert work.in_threads(both, [(i,) for i in range(6)], 2) == [0, 1, 2, 3, 4, 5]
    assert work.in_threads(divmod, [(7, 2)], 1) == [(3, 1)]
    with pytest.raises(ZeroDivisionError):
        work.in_threads(divmod, [(7, 2), (1, 0)], 2)
