"""Stored runs: cells of numbers in a JSON file of ``data``, behind what it takes to compute them again."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from dplit.ground.printed import data_file
from dplit.ground.work import versions
from dplit.ground.writing import write_whole


def stored_cells(name):
    """Cells of a stored run, a dict, by the file's name in ``data``."""
    return json.loads(data_file(name).read_text("utf-8"))["cells"]


def write_cells(
    path: str | Path, cells: dict, command: str, seed: int, trees: int | None, libraries: Sequence[str]
):
    """Write a run, whole or not at all.

    `command` computes the cells again; `trees`: of every forest, where all have as many; `libraries`: those whose
    versions are written beside Python's and dplit's.
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
