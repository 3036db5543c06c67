"""Subjects of ``dplit audit`` in a process whose `dplit` has one module with another source.

It runs as a script: nothing of `dplit` may be imported before the other source stands in. From standard input it
reads JSON: ``module`` and ``source``; ``afresh``, modules whose compiled code is not to be taken from a cache;
``subjects`` by name; ``seconds`` of the processor for each of them; after half as many no other one is begun. It
prints a line of JSON for each subject, and ends with the first one that comes otherwise than expected.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
import time

MEMORY = 8 << 30  # bytes of address space


class Other(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module in the place of its file, with another source."""

    def __init__(self, name, source):
        self.name, self.source = name, source

    def find_spec(self, fullname, path=None, target=None):
        """The module's spec; None for every other module."""
        if fullname != self.name:
            return None
        origin = importlib.machinery.PathFinder.find_spec(fullname, path).origin
        return importlib.util.spec_from_file_location(fullname, origin, loader=self)

    def exec_module(self, module):
        """Run the other source in the module."""
        exec(compile(self.source, module.__file__, "exec"), vars(module))


def limited(seconds):
    """End this process by a signal after so many more seconds of the processor, where the system can."""
    try:
        import resource
    except ImportError:  # the parent's clock has to do
        return
    spent = resource.getrusage(resource.RUSAGE_SELF)
    until = int(spent.ru_utime + spent.ru_stime + seconds + 1)
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))


def audited(name):
    """One row as a dict; `error` is what stopped it."""
    start = time.process_time()
    row = {"subject": name, "expected": "", "ok": False, "error": ""}
    try:
        from dplit.court.audit.suite import audit_subject

        found = audit_subject(name)
        row |= {"expected": found.expected, "ok": found.ok}
    except (Exception, SystemExit) as error:
        row["error"] = type(error).__name__
    return row | {"seconds": round(time.process_time() - start, 2)}


def main():
    """Read what is to be done, and do it."""
    task = json.load(sys.stdin)
    sys.path[:] = task["path"]
    sys.meta_path.insert(0, Other(task["module"], task["source"]))
    from numba.core.dispatcher import Dispatcher

    cached = Dispatcher.enable_caching

    def enable_caching(self):
        if self.py_func.__module__ not in task["afresh"]:
            cached(self)

    Dispatcher.enable_caching = enable_caching
    for n, name in enumerate(task["subjects"]):
        if n and time.process_time() > task["seconds"] / 2:
            break
        limited(task["seconds"])
        row = audited(name)
        print(json.dumps(row), flush=True)
        if not row["ok"]:
            break


if __name__ == "__main__":
    main()
