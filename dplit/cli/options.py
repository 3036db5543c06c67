"""Options that several commands share."""

import argparse
import contextlib

EFFORTS = ("quick", "reader", "deep")


def add_work(parser):
    """Add --effort, --seed and --jobs."""
    parser.add_argument(
        "--effort",
        choices=EFFORTS,
        default="quick",
        help="how wide the ranges are: seconds, a chapter's scale, or up to minutes a claim (default: quick)",
    )
    parser.add_argument(
        "--seed", type=whole, default=0, metavar="S", help="seed of every random draw (default: 0, the book's)"
    )
    add_jobs(parser)


def add_jobs(parser):
    """Add --jobs."""
    parser.add_argument(
        "--jobs",
        type=jobs,
        default=-1,
        metavar="N",
        help="processes that share the work; -1: one a core (default: -1)",
    )


def add_json(parser):
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")


def add_dask(parser):
    """Add --dask."""
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="address of a Dask scheduler; its workers need dplit, and --jobs does not apply",
    )


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
    """`rows` with a progress bar on stderr, if that is a terminal and --json is not set."""
    from tqdm import tqdm

    return tqdm(rows, unit=unit, total=total, disable=True if arguments.json else None)


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
