"""Options that several commands share."""

from __future__ import annotations

import argparse

EFFORTS = ("quick", "reader", "deep")


def add_work(parser):
    """Add --effort, --seed and --jobs."""
    parser.add_argument(
        "--effort",
        choices=EFFORTS,
        default="quick",
        help="how wide the ranges are: seconds, a chapter's scale, or minutes a claim (default: quick)",
    )
    parser.add_argument(
        "--seed",
        type=whole,
        default=0,
        metavar="S",
        help="seed of every random draw (default: 0, the book's)",
    )
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


def progress(rows, unit, arguments, total=None):
    """`rows` with a progress bar on stderr, if that is a terminal and --json is not set."""
    from tqdm import tqdm

    return tqdm(rows, unit=unit, total=total, disable=True if arguments.json else None)


def whole(text):
    """A whole number of at least 0."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, got {text!r}")
    return int(text)


def jobs(text):
    """A whole number of at least 1, or -1."""
    if text == "-1":
        return -1
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(
            f"must be -1 or a whole number of at least 1, got {text!r}"
        )
    return int(text)
