"""Where printed cells and stored results are: in the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
PLACES = (PACKAGE / "_data", PACKAGE.parent / "data")


def data_file(name):
    """Path of a file of ``data/``; it need not exist.

    Parameters
    ----------
    name : str
        Relative to ``data/``, as "printed/diprime-v1.toml".
    """
    found = [place / name for place in PLACES if (place / name).is_file()]
    return found[0] if found else PLACES[-1] / name
