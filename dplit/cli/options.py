"""Options that several commands share, and the work that they ask for."""

import argparse
import contextlib
import sys

EFFORTS = ("quick", "reader", "deep")


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
            given = {"metavar": metavar} | given
        made = parser.add_argument(*flags or [metavar.lower()], help=words, **given)
        if metavar == "FILE":
            made.complete = shtab.FILE


def apart(arguments, option, *others, why=""):
    """Refuse `option` together with one of the `others`."""
    for other in others:
        if getattr(arguments, option) and getattr(arguments, other):
            name, other = (word.replace("_", "-") for word in (option, other))
            arguments.error(f"argument --{name}: does not go with --{other}{why}")


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


def collected(found, unit, arguments, total, each=None):
    """The rows that came back, and whether the user stopped the work before all had; `each` is called with one."""
    rows = []
    try:
        for row in progress(found, unit, arguments, total):
            rows.append(row)
            if each:
                each(row)
            if arguments.exitfirst and not row.ok:
                print(f"--exitfirst: {len(rows)} of {total} are done", file=sys.stderr)
                break
    except KeyboardInterrupt:
        return rows, True
    return rows, False


def whole(text):
    """A whole number of at least 0."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, got {text!r}")
    return int(text)


def at_least_one(text, *, but=""):
    """A whole number of at least 1; `but` is said of what else there is."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be {but}a whole number of at least 1, got {text!r}")
    return int(text)


def jobs(text):
    """A whole number of at least 1, or -1."""
    return -1 if text == "-1" else at_least_one(text, but="-1 or ")


CI = "exitfirst", "last_failed", "junit", "sarif"
SHARED = {
    "--effort": (
        "how wide the ranges are: seconds, a chapter's scale, or up to minutes a claim (default: quick)",
        {"choices": EFFORTS, "default": "quick"},
    ),
    "--seed S": ("seed of every random draw (default: 0, the book's)", {"type": whole, "default": 0}),
    "--jobs N": ("processes that share the work; -1: one a core (default: -1)", {"type": jobs, "default": -1}),
    "--dask ADDRESS": "address of a Dask scheduler; its workers need dplit, and --jobs does not apply",
    "-x --exitfirst": "stop at the first that does not come out as it should",
    "--last-failed": "only what did not at the last run in this folder; if nothing did, all",
    "--junit FILE": "write a JUnit report for a CI as well",
    "--sarif FILE": "write what does not come out as it should as SARIF 2.1.0 as well",
    "-q --quiet": "no progress bar and no table: what does not come out as it should, and the sum",
    "-v --verbose": "what decided each one, too",
    "--json": "print JSON and nothing else",
}
