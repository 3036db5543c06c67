"""Options that several commands share, and the work that they ask for."""

import argparse
import contextlib
import math
import sys
import warnings

from dplit.ground.work import EFFORTS


def add(parser, own, shared=()):
    """Declare options: a command's `own`, then those of `SHARED` that are named.

    A key is "NAME" for what stands alone, "--name" for a flag, "--name METAVAR" for what takes a value, and
    "--name METAVAR..." for what may be repeated. The value is the help, or that and further arguments of
    ``add_argument``.
    """
    import shtab

    common = {key: said for key, said in SHARED.items() if key.partition("--")[2].split()[0] in shared}
    for key, said in (own | common).items():
        words, given = said if isinstance(said, tuple) else (said, {})
        *flags, metavar = key.split()
        if metavar.startswith("-"):
            flags, given = [*flags, metavar], {"action": "store" if "choices" in given else "store_true"} | given
        elif metavar.endswith("..."):
            given = {"action": "append", "default": [], "metavar": metavar[:-3]} | given
        else:
            given = {"metavar": metavar, "type": TYPES.get(metavar)} | given
        made = parser.add_argument(*flags or [metavar.lower()], help=words, **given)
        if metavar == "FILE":
            made.complete = shtab.FILE


def apart(arguments, options, *others, why=""):
    """Refuse each of the `options` together with one of the `others`."""
    given = lambda names: [n.replace("_", "-") for n in names if getattr(arguments, n)]  # noqa: E731
    for option in given(options):
        for other in given(others):
            arguments.error(f"argument --{option}: does not go with --{other}{why}")


@contextlib.contextmanager
def backend(arguments):
    """Where joblib runs: processes of this machine, or the cluster of ``--dask``."""
    if arguments.dask is None:
        yield
        return
    import joblib

    try:
        from distributed import Client
    except ImportError:
        arguments.error("argument --dask: needs the package distributed: pip install 'dplit[dask]'")
    try:
        client = Client(arguments.dask, timeout="20s")
        client.wait_for_workers(1, timeout=60)
    except (OSError, ValueError) as error:  # a timeout is an OSError
        where = f"no scheduler with a worker answers at {arguments.dask!r}"
        arguments.error(f"argument --dask: {where} ({error})")
    with client, joblib.parallel_config(backend="dask"):
        yield


def workers(arguments):
    """The number of jobs: every worker, if there is a cluster."""
    return -1 if arguments.dask else arguments.jobs


def progress(rows, unit, arguments, total=None):
    """`rows` with a progress bar on stderr, if that is a terminal and neither --json nor --quiet is set."""
    if arguments.json or arguments.quiet or not sys.stderr.isatty():
        yield from rows
        return
    from rich import progress as bars
    from rich.console import Console

    columns = bars.TextColumn("{task.description}"), bars.BarColumn(), bars.MofNCompleteColumn()
    left = bars.TimeRemainingColumn(elapsed_when_finished=True)
    with bars.Progress(*columns, left, console=Console(stderr=True)) as bar:
        yield from bar.track(rows, total=total, description=unit)


def collected(found, unit, arguments, asked, each=None):
    """The rows that came back, in the order of `asked`, and whether the user stopped the work before all had.

    `unit`: what a row is of, and its attribute. `each`, if given, is called with every row as it comes.
    """
    rows, interrupted = [], False
    try:
        for row in progress(found, unit, arguments, len(asked)):
            rows.append(row)
            if each:
                each(row)
            if arguments.exitfirst and not row.ok:
                print(f"--exitfirst: {len(rows)} of {len(asked)} are done", file=sys.stderr)
                warnings.filterwarnings("ignore", r"\d+ tasks (which|have)", UserWarning)  # joblib
                break
    except KeyboardInterrupt:
        interrupted = True
    return sorted(rows, key=lambda row: asked.index(getattr(row, unit))), interrupted


def status(ok, interrupted, rows, unit, asked):
    """The exit status; says on stderr if the work was interrupted."""
    if interrupted:
        print(f"interrupted: {len(rows)} of {len(asked)} {unit}s were checked", file=sys.stderr)
        return 130
    return 0 if ok else 1


def number(what, kind, fits):
    """A type of arguments: numbers of a `kind`, int or float, that `fits` takes; `what` they are, in words."""

    def read(text):
        with contextlib.suppress(ValueError):
            if fits(value := kind(text)):
                return value
        raise argparse.ArgumentTypeError(f"must be {what}, got {text!r}")

    return read


whole = number("a whole number of at least 0", int, lambda n: n >= 0)
at_least_one = number("a whole number of at least 1", int, lambda n: n >= 1)
jobs = number("-1 or a whole number of at least 1", int, lambda n: n == -1 or n >= 1)
positive = number("a positive number", float, lambda x: 0 < x < math.inf)
TYPES = {"S": whole, "R": whole, "N": at_least_one, "J": jobs, "E": positive, "X": positive, "H": positive}
CI = "exitfirst", "last_failed", "junit", "sarif"
SHARED = {
    "--effort": (
        "how wide the ranges are: seconds, a chapter's scale, or up to minutes a claim (default: quick)",
        {"choices": EFFORTS, "default": "quick"},
    ),
    "--seed S": ("seed of every random draw (default: 0, the book's)", {"default": 0}),
    "--jobs J": ("processes that share the work; -1: one a core (default: -1)", {"default": -1}),
    "--dask ADDRESS": "address of a Dask scheduler; its workers need dplit, and --jobs does not apply",
    "-x --exitfirst": "stop at the first that does not come out as it should",
    "--last-failed": "only what did not at the last run in this folder; if nothing did, all",
    "--junit FILE": "write a JUnit report for a CI as well",
    "--sarif FILE": "write what does not come out as it should as SARIF 2.1.0 as well",
    "-q --quiet": "no progress bar and no table: what does not come out as it should, and the sum",
    "-v --verbose": "what decided each one, too",
    "--json": "print JSON and nothing else",
}
