"""A schema as plain data: what one agrees on with the owner of the records, and keeps in a file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from dplit.domain.columns import Categorical, Continuous

FORMATS = {".json": json.loads, ".toml": tomllib.loads}
KEYS = {"columns", "data_dependent"}
COLUMN_KEYS = {"name", "lower", "upper", "levels", "missing"}


def column_to_dict(feature, name, place):
    """One column as a mapping of plain values."""
    named = {} if name is None else {"name": name}
    if isinstance(feature, Continuous):
        return {**named, "lower": feature.lower, "upper": feature.upper}
    if not all(isinstance(level, (str, bool, int, float)) for level in feature.levels):
        raise ValueError(
            f"column {place!r} must have strings, numbers or booleans as levels to be written"
        )
    missing = {"missing": True} if feature.missing else {}
    return {**named, "levels": list(feature.levels), **missing}


def columns_of(data):
    """Features, names and data-dependent columns of plain data, each checked."""
    if not isinstance(data, Mapping) or not isinstance(data.get("columns"), (list, tuple)):
        raise ValueError("a domain must be a mapping with a list 'columns'")
    _check_keys(data, KEYS, "a domain")
    features = [_feature(column, i) for i, column in enumerate(data["columns"])]
    names = [column.get("name") for column in data["columns"]]
    if any(n is None for n in names):
        if any(n is not None for n in names):
            raise ValueError("columns must all have a name, or none")
        names = None
    return features, names, tuple(data.get("data_dependent", ()))


def _feature(column, i):
    if not isinstance(column, Mapping):
        raise ValueError(f"columns[{i}] must be a mapping, got a {type(column).__name__}")
    place = column.get("name", i)
    _check_keys(column, COLUMN_KEYS, f"column {place!r}")
    kinds = ("levels" in column), ("lower" in column and "upper" in column)
    if sum(kinds) != 1:
        raise ValueError(f"column {place!r} must have either levels or both lower and upper")
    try:
        if kinds[0]:
            return Categorical(column["levels"], column.get("missing", False))
        if "missing" in column:
            raise ValueError("missing belongs to a column of levels")
        return Continuous(column["lower"], column["upper"])
    except ValueError as error:
        raise ValueError(f"column {place!r}: {error}") from None


def _check_keys(data, known, what):
    unknown = sorted(set(map(str, data)) - known)
    if unknown:
        raise ValueError(f"{what} must have no other keys than {sorted(known)}, got {unknown}")


def write(path, data):
    """Write plain data as JSON."""
    path = Path(path)
    if path.suffix != ".json":
        raise ValueError(f"path must end in .json, got {path.name!r}")
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read(path):
    """Plain data of a JSON or TOML file."""
    path = Path(path)
    if path.suffix not in FORMATS:
        raise ValueError(f"path must end in .json or .toml, got {path.name!r}")
    try:
        return FORMATS[path.suffix](path.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} must be {path.suffix[1:].upper()}: {error}") from None
