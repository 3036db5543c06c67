"""Stored runs: cells of numbers in a JSON file of ``data``, behind what it takes to compute them again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from dplit.ground.printed import data_file
from dplit.ground.work import versions
from dplit.ground.writing import write_whole


def stored_cells(name):
    """Cells of a stored run, a dict, by the file's name in ``data``."""
    return json.loads(data_file(name).read_text("utf-8"))["cells"]


def write_cells(path, cells, command, seed, trees, libraries):
    """Write a run, whole or not at all.

    Parameters
    ----------
    path : str or path-like
    cells : dict
        What JSON holds.
    command : str
        That computes them again.
    seed : int
    trees : int or None
        Of every forest, where all have as many.
    libraries : sequence of str
        Those whose versions are written beside Python's and dplit's.
    """
    head = {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        **({} if trees is None else {"trees": trees}),
        "versions": versions(*libraries),
    }
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps({**head, "cells": cells}, indent=1) + "\n").encode())
