"""A limit to what one check may use of the processor: ``dplit verify --limit``."""

from __future__ import annotations

import contextlib
import signal
import time


class OutOfTime(Exception):
    """A check has used the processor for as long as it may."""


@contextlib.contextmanager
def limited(seconds):
    """Stop what runs inside by an `OutOfTime` once the process has used `seconds` of the processor.

    It needs the timers of Unix and the main thread. A compiled loop ends before it is stopped.

    Parameters
    ----------
    seconds : float or None
        None is no limit.
    """
    if seconds is None:
        yield
        return
    end, reached = time.process_time() + seconds, []

    def stop(number, frame):
        left = end - time.process_time()
        if left > 0:  # the timer counts whole ticks, and may be a tenth ahead
            signal.setitimer(signal.ITIMER_PROF, max(left, 0.01))
            return
        reached.append(number)
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except Exception as raised:
        if reached:  # a compiled loop turns an error of a handler into a SystemError
            raise OutOfTime from raised
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
