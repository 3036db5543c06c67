"""Saved forests with their insides altered and the digest right, as somebody else may write them.

``python -c "from tests.forged_files import use; use(folder, share, seed)"`` loads and uses every one: a process
of its own, since what it looks for is compiled code that reads beyond an array or never ends.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import re
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

import dplit
from dplit import Categorical, Continuous, Domain
from dplit.forests import files
from tests.forests.kinds import KINDS as ALL
from tests.forests.kinds import PLAIN, regresses, target

DOMAIN = Domain({"u": Continuous(0, 1), "v": Categorical(["a", "b", "c"]), "w": Categorical([False, True])})
rng = np.random.default_rng(3)
FRAME = pd.DataFrame({"u": rng.random(80), "v": rng.choice(["a", "b"], 80), "w": rng.integers(0, 2, 80) == 1})
Y = np.where(FRAME["u"] > 0.4, "yes", "no")
REFUSED = "which is none|none that save wrote|has format"
USES = "predict", "predict_proba", "decision_function", "apply", "decision_path"


def fitted(kind, **options):
    """A fitted estimator of that kind."""
    if kind not in PLAIN:
        options = {"epsilon": 1.0, "max_depth": 2, **options}
    schema = {"domain": DOMAIN, **target(kind, ("no", "yes"))}
    forest = kind(**{**schema, "random_state": 20240, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dplit.PrivacyLeakWarning)
        return forest.fit(FRAME, FRAME["u"] if regresses(kind) else Y)


def members(path):
    """The header and the arrays of a file."""
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(held.pop(files.HEADER))
    held.pop(files.CARD)
    return header, {k.removesuffix(".npy"): np.load(io.BytesIO(v)) for k, v in held.items()}


def write(path, header, arrays, compression=zipfile.ZIP_STORED):
    """A file of these, with the right digest."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        archive.writestr(files.HEADER, json.dumps(header))
        for name, array in arrays.items():
            written = io.BytesIO()
            np.save(written, array)
            archive.writestr(f"{name}.npy", written.getvalue())
        archive.writestr(files.CARD, "")
        archive.comment = b"0" * files.DIGEST
    content = buffer.getvalue()[: -files.DIGEST]
    path.write_bytes(content + hashlib.sha256(content).hexdigest().encode())


# What may be altered -------------------------------------------------------------------------------


def altered_arrays(array, rng):
    """An array with other values, another dtype, or another shape; pairs of words and array."""
    n, kind = array.size, array.dtype.kind
    yield "empty", array[:0]
    yield "shorter", array[:-1]
    yield "longer", np.concatenate([array, array[-1:]])
    yield "with an axis more", array[None]
    yield "flat", array.ravel()[: max(n - 1, 1)]
    yield "reversed", array[::-1].copy()
    yield "rolled", np.roll(array, 1)
    yield "of strings", array.astype("U8")
    yield "of bytes", array.astype("S4")
    if kind not in "iuf":
        return
    for dtype in ("i8", "f8", "f4", "u4", "i2", "?", ">i4", ">f8"):
        if array.dtype != dtype:
            with np.errstate(invalid="ignore"):
                yield f"as {dtype}", array.astype(dtype)
    most = np.iinfo(array.dtype) if kind in "iu" else np.finfo(array.dtype)
    values = [most.max, most.min, 0, 1, n, 2 * n, *([] if kind == "u" else [-1, -2])]
    values += [np.nan, np.inf] if kind == "f" else []
    for value in values:
        yield f"all {value}", np.full_like(array, value)
        other = array.copy()
        other[np.unravel_index(rng.integers(n), array.shape) if n else ...] = value
        yield f"one {value}", other
    for step in (-1, 1, 2):
        other = array.copy().ravel()
        if n:
            with np.errstate(over="ignore"):
                other[rng.integers(n)] += np.asarray(step).astype(array.dtype)
        yield f"one moved by {step}", other.reshape(array.shape)
    yield "shuffled", rng.permutation(array.ravel()).reshape(array.shape)
    yield "its places", np.arange(n).reshape(array.shape).astype(array.dtype)  # a circle of child


VALUES = [None, -1, 0, 3, 10**9, 1e308, "x", True, [], [1], {"tuple": []}, {"number": "nan"}]


def changes(header):
    """Of each value of what was fitted, and each parameter, where it stands, and what may stand there."""
    for place in ("fitted", "parameters"):
        for path in _paths(header[place], (place,)):
            for value in (*VALUES, "left out"):
                yield f"{'.'.join(map(str, path))} {value!r}", (path, value)


def altered_header(header, path, value):
    """A header with that value replaced or left out."""
    other = inside = copy.deepcopy(header)
    for key in path[:-1]:
        inside = inside[key]
    if value == "left out":
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return other


def _paths(plain, above):
    for key, inner in plain.items() if isinstance(plain, dict) else enumerate(plain):
        yield (*above, key)
        if isinstance(inner, dict | list):
            yield from _paths(inner, (*above, key))


# In a process of its own ---------------------------------------------------------------------------


def use(folder, kinds, share, seed):
    """Load and use altered files of these kinds; prints what was tried, and what is wrong."""
    rng, folder, path = np.random.default_rng(seed), Path(folder), Path(folder) / "a.forest"
    seen = {"refused": 0, "used": 0, "wrong": []}
    warnings.simplefilter("ignore")
    for kind in (k for k in ALL if k.__name__ in kinds):
        small = {} if "Private" in kind.__name__ or "Histogram" in kind.__name__ else {"n_estimators": 2}
        forest = fitted(kind, **small)
        forest.save(path, allow_infinite=True)
        header, arrays = members(path)
        loaded = dplit.load(path)
        works = {name for name in (*USES, *OTHERS) if _fails(loaded, name) is None}
        cases = [(f"{name} {words}", None, {**arrays, name: other})
                 for name in arrays for words, other in altered_arrays(arrays[name], rng)]  # fmt: skip
        cases += [(words, change, arrays) for words, change in changes(header)]
        for words, change, held in cases:
            if rng.random() < share:
                print(kind.__name__, words, file=sys.stderr, flush=True)
                path.unlink()
                write(path, altered_header(header, *change) if change else header, held)
                why = _used(path, works)
                seen["used" if why is None else "refused" if why == "" else "wrong"] += (
                    1 if not why else [f"{kind.__name__}, {words}: {why}"]
                )
    print(json.dumps(seen))


OTHERS = {
    "feature_importances_": lambda forest: forest.feature_importances_,
    "export_text": lambda forest: forest.export_text(),
    "model_card": lambda forest: forest.model_card(),
    "budget": lambda forest: (str(forest.budget_), forest.budget_ + forest.budget_),
    "repr": repr,
}


def _fails(forest, name):
    """How a use of a forest fails; None if it doesn't."""
    try:
        found = OTHERS[name](forest) if name in OTHERS else getattr(forest, name)(FRAME)
        rows = getattr(found, "shape", (len(FRAME),))[0] if name in USES else len(FRAME)
        if name == "predict" and hasattr(forest, "classes_"):
            assert np.isin(found, forest.classes_).all()
    except Exception as error:
        other = re.search("must hold levels of its list|has no attribute 'predict_proba'", str(error))
        return None if other else f"{name}: {type(error).__name__}: {error}"
    return None if rows == len(FRAME) else f"{name}: {rows} answers"


def _used(path, works):
    """None if the file is a forest that does what the one before did, "" if it is refused, else why not."""
    try:
        forest = dplit.load(path)
    except ValueError as error:
        return "" if re.search(REFUSED, str(error)) else f"load: {error}"
    except Exception as error:
        return f"load: {type(error).__name__}: {error}"
    return next(filter(None, (_fails(forest, name) for name in sorted(works))), None)
