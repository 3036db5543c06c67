r"""A fitted forest as a file: what it released and the public schema, in a plain format without code.

A file is a ZIP archive whose members are stored uncompressed. ``header.json`` describes the forest; each array is
a member ``NAME.npy`` in NumPy's format, so that `numpy.load` opens all of it; ``card.md`` is the model card. The
archive's comment, its last 64 bytes, is the SHA-256 of every byte before it, in hexadecimal digits.

============  =====================================================================================
header        what it is
============  =====================================================================================
`format`      ``"dplit forest"``
`version`     of the format, a whole number; a reader refuses a larger one than it knows. The second, which
              is written, has histogram forests, frames and concentrated budgets beside what the first one has
`dplit`       version of the package that wrote the file
`class`       the estimator, as ``dplit.forests.MedianForestClassifier``
`parameters`  its parameters, without the seed
`fitted`      its fitted attributes; `noise_` among them says whether its noise was exact
`budget`      the proof tree of `Budget.to_dict`, for other readers; one that isn't `budget_` is refused
`in words`    the printed budget, whose first line is compared as well
============  =====================================================================================

Values are those of JSON; what JSON has no word for is an object with one key. ``{"array": NAME}`` is the member of
that name, ``{"number": "inf"}`` a number that is not finite, ``{"tuple": [...]}``, ``{"scalar": [TYPE, VALUE]}`` a
NumPy scalar, ``{"domain": {...}}`` as of `Domain.to_dict`, ``{"frame": [NAMES, COLUMNS]}`` a data frame,
``{"forest": {...}}`` an estimator inside, and ``{"record": [NAME, {...}]}`` a record with named fields of one of
the types in `RECORDS`. An estimator of another library is its name alone.

Arrays of `Trees` have the names of its fields behind ``trees_.``. So NumPy alone reads a forest whose trees vote,
or whose leaves' numbers are averaged; not a boosted one, which adds them up and also tests differences of
columns, nor a preset's, whose names stand behind ``forest_.``. Here ``x`` holds what `Domain.encode` gives, and,
where a forest has cut a column into equal bins (matrix forests, DP-RF and DP-DF), the number of the bin, from 0:

.. code-block:: python

    forest = np.load(path)
    fields = "feature", "threshold", "child", "side", "steps", "roots"
    feature, threshold, child, side, steps, roots = (forest[f"trees_.{f}"] for f in fields)
    leaves = []
    for node in roots:
        while feature[node] >= 0:
            value, cut = x[feature[node]], threshold[node]
            step = steps[side[node] + int(value)] if np.isnan(cut) else value > cut
            node = child[node] + step
        leaves.append(child[node])

The class is ``forest["classes_"][np.bincount(forest["leaf_labels_"][leaves]).argmax()]``, and the number of a
regression ``forest["leaf_values_"][leaves].mean()``. A histogram forest is a table of cells: with the numbers
of levels and the record's own levels the class is
``forest["classes_"][forest["cell_labels_"].reshape(n_levels)[levels]]``.

The digest is no signature: anybody can write a file with a right one. A reader that goes down the trees should
know first that they are trees. `dplit.load` compares every array with what the others promise: dtypes and shapes,
finite numbers, columns and levels that the domain has, children that stand behind their one parent, leaves of the
own tree, an answer for each leaf; what differs is a named error. It says nothing about the budget: whether the
forest was fitted as its file says, only whoever sent it can tell.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import dplit
from dplit.budget import Budget, nodes
from dplit.domain import Domain
from dplit.domain.sources import as_pandas
from dplit.forests.card import model_card, named
from dplit.forests.file_checks import check_insides
from dplit.forests.intact import seal
from dplit.ground.writing import write_whole

if TYPE_CHECKING:
    from dplit.forests.base import BaseForest

PACKAGES = "dplit.forests", "dplit.baselines"  # whose estimators may stand in a file
FORMAT, VERSION = "dplit forest", 2
RECORDS = {  # types with named fields that may stand in a file, and the modules that define them
    **dict.fromkeys(nodes.NODES, "dplit.budget.nodes"),
    "Converted": "dplit.budget.concentrated",
    "Trees": "dplit.trees.arrays",
    "ComparisonTrees": "dplit.trees.comparison",
    "Plan": "dplit.boosting.plan",
    "Advice": "dplit.boosting.advice",
    "Cells": "dplit.forests.cells",
    "ExpectedError": "dplit.forests.matrix_plan",
}
DATED = (1980, 1, 1, 0, 0, 0)  # the same forest is the same file
DIGEST = 64  # hexadecimal digits of SHA-256
HEADER, CARD = "header.json", "card.md"
SCALARS, ARRAYS = "biufU", "biufUS"  # kinds of dtypes: of others the size is the file's to choose
SIMPLE = (bool, int, str, type(None))


def save(forest, path, allow_infinite):
    """Write a fitted forest: see `dplit.forests.fitted.WithFile.save`."""
    if math.isinf(forest.budget_.epsilon) and not allow_infinite:
        raise ValueError(
            "this forest's budget is infinite, so its file could hold private records: "
            "save(path, allow_infinite=True) writes it all the same"
        )
    write_whole(path, _pack(forest))


def load(path: str | PathLike) -> BaseForest:
    """A fitted forest from the file that its `save` wrote; no code of the file is run.

    It is of the class that was saved, and its predictions are the same in every bit. Its seed was not saved,
    and a file that has one is refused.

    Raises
    ------
    FileNotFoundError
    ValueError
        If the file is no forest, was cut off or altered, or was written in a newer format.

    Examples
    --------
    >>> import pathlib, tempfile, dplit
    >>> from dplit.forests import RandomDecisionForestClassifier
    >>> domain = dplit.Domain({"x": dplit.Continuous(0, 1)})
    >>> forest = RandomDecisionForestClassifier(1.0, domain=domain, classes=["a", "b"])
    >>> _ = forest.fit([[0.2], [0.7]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     forest.save(pathlib.Path(folder) / "my.forest")
    ...     dplit.load(pathlib.Path(folder) / "my.forest").budget_
    Budget(epsilon=1, neighbours='add-remove')
    """
    content = Path(path).read_bytes()
    name = f"the file {str(path)!r}"
    none = ValueError(f"path must name a forest that save wrote, got {name}, which is none")
    if not content.startswith(b"PK"):
        raise none
    if hashlib.sha256(content[:-DIGEST]).hexdigest().encode() != content[-DIGEST:]:
        raise ValueError(f"{name} was cut off or altered: its digest doesn't fit its content")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        if any(m.compress_type != zipfile.ZIP_STORED for m in archive.infolist()):
            raise none  # what is compressed could fill the memory
        header = json.loads(archive.read(HEADER))
        version = header["version"]
        is_known = header["format"] == FORMAT and type(version) is int and version >= 1
        is_newer = is_known and version > VERSION
    except Exception:  # a right digest, by somebody else
        raise none from None
    if not is_known:
        raise none
    if is_newer:
        raise ValueError(
            f"{name} has format {header['version']}, and this dplit, {dplit.__version__}, reads formats up to "
            f"{VERSION}: dplit {header.get('dplit')}, which wrote it, reads it"
        )
    try:
        return _agreeing(_forest(header, archive, version), header)
    except Exception as error:
        raise ValueError(f"{name} is none that save wrote: no place for {error}") from None


def _pack(forest):
    arrays, buffer = {}, io.BytesIO()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "dplit": dplit.__version__,
        **_estimator(forest, arrays, ""),
        "budget": forest.budget_.to_dict(),
        "in words": str(forest.budget_),
    }
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        text = json.dumps(header, indent=1, ensure_ascii=False, allow_nan=False)
        archive.writestr(zipfile.ZipInfo(HEADER, DATED), text)
        for name, array in arrays.items():
            written = io.BytesIO()
            np.lib.format.write_array(written, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", DATED), written.getvalue())
        archive.writestr(zipfile.ZipInfo(CARD, DATED), model_card(forest))
        archive.comment = b"0" * DIGEST
    content = buffer.getvalue()[:-DIGEST]
    return content + hashlib.sha256(content).hexdigest().encode()


def _estimator(forest, arrays, place):
    name, home = type(forest).__name__, ".".join(type(forest).__module__.split(".")[:2])
    if home not in PACKAGES:
        raise ValueError(f"a file has a place for dplit's own classes alone, got {name}: joblib keeps a subclass")
    params = {k: v for k, v in forest.get_params(deep=False).items() if k != "random_state"}
    fitted = {k: v for k, v in vars(forest).items() if k.endswith("_") and k not in forest.not_saved}
    return {
        "class": f"{home}.{name}",
        "parameters": {k: _plain(named(v), arrays, f"{place}{k}") for k, v in params.items()},
        "fitted": {k: _plain(v, arrays, f"{place}{k}") for k, v in fitted.items()},
    }


def _plain(value, arrays, place):
    """`value` for JSON, its arrays put into `arrays`; `place` names it in errors and as a member."""
    if isinstance(value, SIMPLE):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"number": repr(value)}
    if isinstance(value, np.generic):
        return {"scalar": [value.dtype.str, _plain(value.item(), arrays, place)]}
    if isinstance(value, np.ndarray) and value.dtype.kind in ARRAYS:
        arrays[place] = value
        return {"array": place}
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        plain = _plain(value.tolist(), arrays, place)
        return {"objects": plain} if value.ndim == 1 else plain  # a table is a list of rows
    if isinstance(value, Domain):
        return {"domain": value.to_dict()}
    if hasattr(value, "columns"):  # a data frame of any library
        names, columns = list(as_pandas(value).columns), as_pandas(value).items()
        columns = [_plain(column.tolist(), arrays, place) for _, column in columns]
        return {"frame": [_plain(names, arrays, place), columns]}
    if isinstance(value, Budget):
        return {"budget": [_plain(value.root, arrays, place), list(value.notes)]}
    kind = type(value)
    if RECORDS.get(kind.__name__) == kind.__module__:
        fields = {k: _plain(v, arrays, f"{place}.{k}") for k, v in _fields(value).items()}
        return {"record": [kind.__name__, fields]}
    if kind in (list, tuple):
        items = [_plain(v, arrays, f"{place}.{i}") for i, v in enumerate(value)]
        return items if isinstance(value, list) else {"tuple": items}
    if hasattr(value, "not_saved"):
        return {"forest": _estimator(value, arrays, f"{place}.")}
    if hasattr(value, "categories"):  # pandas' dtype: a list of classes
        return _plain(list(value.categories), arrays, place)
    raise ValueError(f"{place} can't be saved: a file has no place for a {type(value).__name__}; joblib keeps it")


def _fields(value):
    if isinstance(value, tuple):
        return value._asdict()
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _forest(plain, archive, version):
    def value(plain):
        if isinstance(plain, list):
            return [value(v) for v in plain]
        if not isinstance(plain, dict):
            return plain
        ((kind, inner),) = plain.items()
        return read[kind](inner)

    def array(name):
        content = io.BytesIO(archive.read(f"{name}.npy"))
        found = np.lib.format.read_array(content, allow_pickle=False)
        if found.dtype.kind not in ARRAYS:
            _refused(found.dtype)
        return found.astype(found.dtype.newbyteorder("="), copy=False)  # of another machine's order

    def scalar(pair):
        dtype = np.dtype(pair[0])
        return dtype.type(value(pair[1])) if dtype.kind in SCALARS else _refused(dtype)

    def objects(inner):
        found = np.empty(len(inner), dtype=object)
        found[:] = inner
        return found

    read = {
        "array": array,
        "objects": lambda inner: objects(value(inner)),
        "frame": lambda pair: pd.DataFrame(dict(zip(value(pair[0]), value(pair[1]), strict=True))),
        "number": float,
        "scalar": scalar,
        "tuple": lambda items: tuple(map(value, items)),
        "domain": Domain.from_dict,
        "budget": lambda pair: Budget(value(pair[0]), pair[1]),
        "record": lambda pair: getattr(import_module(RECORDS[pair[0]]), pair[0])(
            **{k: value(v) for k, v in pair[1].items()}
        ),
        "forest": lambda inner: _forest(inner, archive, version),
    }
    if version < 2 and plain["class"].endswith(".HistogramForestClassifier"):
        raise ValueError("a histogram forest in the first format")
    if version < 2:
        del read["frame"]
    if "random_state" in plain["parameters"]:
        raise ValueError("random_state: a seed of somebody else, who could undo the noise of a next fit")
    forest = _estimator_type(plain["class"])(**{k: value(v) for k, v in plain["parameters"].items()})
    for name, inner in plain["fitted"].items():
        if name.startswith("__") or not name.endswith("_"):
            raise ValueError(f"a fitted attribute of the name {name!r}")
        setattr(forest, name, value(inner))
    check_insides(forest)
    seal(forest)
    return forest


def _agreeing(forest, header):
    """`forest`, if the header says of its budget what the budget itself says."""
    said, first = json.dumps(header["budget"], sort_keys=True), str(forest.budget_).splitlines()[0]
    if said != json.dumps(forest.budget_.to_dict(), sort_keys=True):
        raise ValueError("a budget in the header that isn't budget_")
    if header["in words"].splitlines()[0] != first:
        raise ValueError(f"words of a budget that isn't budget_, whose are {first!r}")
    return forest


def _refused(dtype):
    raise ValueError(f"an array or a number of the dtype {dtype.str!r}")


def _estimator_type(name):
    """The estimator of that public name: nothing else is imported."""
    package, _, own = name.rpartition(".")
    if package not in PACKAGES:
        raise KeyError(name)
    found = getattr(import_module(package), own, None)
    if not (isinstance(found, type) and hasattr(found, "not_saved")):
        raise KeyError(name)
    return found
