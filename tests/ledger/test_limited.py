"""A check that uses more of the processor than it may is stopped, and nothing of that is left behind."""

import signal
import time

import pytest

from dplit.court.ledger.long_run import OutOfTime, limited

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of Unix")


def spin(since, seconds=60):
    while time.process_time() - since < seconds:
        pass


def test_what_uses_more_is_stopped():
    handler, start = signal.getsignal(signal.SIGPROF), time.process_time()
    with pytest.raises(OutOfTime), limited(0.3):
        spin(start)
    assert 0.3 <= time.process_time() - start < 10
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) == handler


def test_what_ends_in_time_leaves_no_timer():
    with limited(5):
        pass
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_waiting_uses_nothing_and_other_errors_pass():
    with pytest.raises(ZeroDivisionError), limited(0.3):
        time.sleep(0.5)
        print(1 / int(len("") > 0))


def test_an_error_that_came_about_by_the_limit_is_the_limit():
    """A compiled loop says SystemError."""
    with pytest.raises(OutOfTime), limited(0.1):
        try:
            spin(time.process_time())
        except OutOfTime:
            raise SystemError("returned a result with an exception set") from None


def test_none_is_no_limit():
    with limited(None):
        assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
