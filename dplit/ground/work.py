"""Work that fans out: how hard to try, streams by name, tasks in processes or on a cluster.

Claims, audits and experiments share these. What a task comes to depends on the task alone: its
generator is a `stream` of its own name, and linear algebra runs on one thread. So the answers are
the same in any order, in any selection, with any number of jobs, and on a cluster: `fan_out` goes
through joblib, and follows the backend that `joblib.parallel_config` has set.
"""

import difflib
import math
import platform
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

import dplit
from dplit.ground.errors import PrivacyLeakWarning, check_choice, summarised

EFFORTS = ("quick", "reader", "deep")
_threads = lru_cache(maxsize=1)(lambda modules: ThreadpoolController())  # of their libraries: a look takes 7 ms


class Effort(str):
    """How hard to check: "quick" (seconds), "reader" (a chapter), "deep" (minutes)."""

    def __new__(cls, name="quick"):
        return super().__new__(cls, check_choice(name, EFFORTS, "effort"))

    def pick(self, quick, reader, deep):
        """The value that belongs to this effort."""
        return (quick, reader, deep)[EFFORTS.index(self)]


def stream(name, seed=0):
    """The generator of one piece of work: depends on its name and the seed, on nothing else."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


class Done(NamedTuple):
    """One task that has ended: its place, what it returned, its time, and why it stopped.

    `result` is None where the task raised or its process was lost, and `error` then says so;
    `error` is empty otherwise.
    """

    place: int
    result: Any
    seconds: float
    error: str = ""


def in_threads(do: Callable, tasks: Sequence[tuple], n_jobs: int | None) -> list:
    """``do(*task)`` of every task, in order, in as many threads as joblib makes of `n_jobs`.

    joblib's own pool of threads takes a tenth of a second to close.
    """
    import joblib

    threads = joblib.effective_n_jobs(n_jobs)
    if threads == 1:
        return [do(*task) for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda task: do(*task), tasks))


def fan_out(do: Callable, tasks: Iterable[tuple], jobs: int = 1) -> Iterator[Done]:
    """Compute ``do(*task)`` for each task; yields a `Done` as soon as it ends, in no particular order.

    `jobs`: processes, -1 for one a core; if it is not 1, `do` must be importable by name.
    """
    import joblib

    tasks = list(tasks)
    waiting = set(range(len(tasks)))
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    answers = parallel(joblib.delayed(_done)(do, i, task) for i, task in enumerate(tasks))
    try:
        for done in answers:
            waiting.remove(done.place)
            yield done
    except Exception as error:  # a worker process is gone, and with it what it had not yet sent
        lost = f"no answer; run this one alone to see why ({summarised(error, 0)})"
        yield from (Done(i, None, 0.0, lost) for i in sorted(waiting))


def _done(do, place, task):
    """One task on one thread; never raises, so that no answer is lost."""
    start, result, error = time.perf_counter(), None, ""
    try:
        with _threads(len(sys.modules)).limit(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyLeakWarning)  # some tasks are about leaks
            result = do(*task)
    except Exception as raised:
        if _interrupted(raised):  # a compiled loop turns an interrupt into a SystemError
            raise KeyboardInterrupt from raised
        error = summarised(raised)
    return Done(place, result, time.perf_counter() - start, error)


def _interrupted(error):
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def plain(value):
    """`value` in JSON's own types: arrays become lists, fractions and infinities strings."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Fraction) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"evidence must be plain data, as JSON holds, got {value!r}")


def is_pattern(name):
    """Whether a name has signs of a glob pattern, so that no name is near to it."""
    return any(sign in str(name) for sign in "*?[")


def nearest(name, known):
    """Which of the `known` names come closest to a wrong one, in words; if none is close, the first of them."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.4)
    if near:
        return f"the nearest are {', '.join(near)}"
    more = f" and {len(known) - 3} more" if known[3:] else ""
    return f"there are {', '.join(known[:3]) or 'none'}{more}"


@cache  # to find a version reads a file
def versions(*libraries):
    """Versions of Python, dplit and the named libraries, dict of str; what is missing is left out."""
    found = {"python": platform.python_version(), "dplit": dplit.__version__}
    for name in libraries:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
