"""From the bytes of a data set's files to one frame of raw columns, the target among them.

Most files are text with separators and need no more than the registry's keys; the others have a reader of their
own in `READERS`. `REPAIRS` are the steps between what a file says and what its documentation means.
"""

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris

from dplit.datasets.fetch import contents
from dplit.datasets.registry import Entry, File
from dplit.datasets.rules import by_rule

BUNDLED = {"iris": load_iris, "wdbc": load_breast_cancer}


def read(entry: Entry) -> pd.DataFrame:
    """All records of a data set as its files have them; missing values are NaN."""
    frame = READERS[entry.reader](entry)
    return REPAIRS[entry.repair](frame) if entry.repair else frame


def separated(entry: Entry) -> pd.DataFrame:
    """Text with separators, one record a line; several files one after the other."""
    parts = [_parse(_text(entry, f), entry, f) for f in entry.files]
    return pd.concat(parts, ignore_index=True)


def _text(entry: Entry, file: File) -> str:
    return contents(entry, file).decode("utf-8-sig", errors="replace")


def _parse(text: str, entry: Entry, file: File | None = None, **options: object) -> pd.DataFrame:
    """`text` as a frame: categorical columns and classes as str, the others as numbers."""
    labels = [c.name for c in entry.columns if c.levels]
    if entry.task == "classification":
        labels.append(entry.target)
    options = {
        "names": None if entry.header else list((file and file.fields) or entry.fields),
        "skiprows": (file and file.skip) or entry.skip,
        "sep": entry.separator,
    } | options
    return pd.read_csv(
        io.StringIO(text),
        header=0 if entry.header else None,
        decimal=entry.decimal,
        dtype=dict.fromkeys(labels, str),
        na_values="?",
        keep_default_na=False,
        skipinitialspace=True,
        low_memory=False,
        **options,
    )


def arff(entry: Entry) -> pd.DataFrame:
    """The lines after ``@data`` of one ARFF file."""
    text = _text(entry, entry.files[0])
    start = text.lower().index("\n@data") + len("\n@data")
    return _parse(text[start:].lstrip(), entry)


def echocardiogram(entry: Entry) -> pd.DataFrame:
    """Separated, but for the stray comma that begins line 50."""
    lines = _text(entry, entry.files[0]).splitlines()
    return _parse("\n".join(line.removeprefix(",") for line in lines), entry)


def claves(entry: Entry) -> pd.DataFrame:
    """Sixteen beats and the class, coded by one column each; no or two classes are missing ones.

    Some lines end in a remark after the twentieth number.
    """
    lines = _text(entry, entry.files[0]).splitlines()
    rows = [line.split()[:20] for line in lines if line.strip()]
    frame = pd.DataFrame(rows, columns=list(entry.fields))
    coded = frame[list(entry.classes)].to_numpy() == "1"
    frame[entry.target] = np.array(entry.classes, dtype=object)[coded.argmax(axis=1)]
    frame.loc[coded.sum(axis=1) != 1, entry.target] = np.nan
    return frame


def wilt(entry: Entry) -> pd.DataFrame:
    """An archive of values and 0/1 labels, in a training and a test part."""
    archive = zipfile.ZipFile(io.BytesIO(contents(entry, entry.files[0])))
    parts = []
    for part in ("train", "test"):
        values = pd.read_csv(archive.open(f"wilt_{part}.csv"), header=None)
        labels = pd.read_csv(archive.open(f"wilt_{part}.labels"), header=None)[0]
        parts.append(values.assign(label=labels.map({0: "n", 1: "w"})))
    return pd.concat(parts, ignore_index=True).set_axis(list(entry.fields), axis=1)


def internet_ads(entry: Entry) -> pd.DataFrame:
    """Three compressed files of 0 and 1, and the names of their columns in the last file."""
    *parts, documentation = entry.files
    texts = [gzip.decompress(contents(entry, f)) for f in parts]
    bits = np.vstack([np.loadtxt(io.BytesIO(t), dtype=np.int8, delimiter=",") for t in texts])
    lines = [line.strip() for line in _text(entry, documentation).splitlines()]
    names = [line.removesuffix(": 0,1.") for line in lines if line.endswith(": 0,1.")]
    levels = pd.CategoricalDtype(["0", "1"])
    columns = [pd.Categorical.from_codes(column, dtype=levels) for column in bits[:, :-1].T]
    label = np.array(entry.classes, dtype=object)[bits[:, -1]]
    return pd.DataFrame(dict(zip(names, columns)) | {entry.target: label})


def bundled(entry: Entry) -> pd.DataFrame:
    """A copy that scikit-learn carries."""
    bunch = BUNDLED[entry.name](as_frame=True)
    target = pd.Series(np.asarray(bunch.target_names, dtype=object)[bunch.target])
    return bunch.data.assign(**{entry.target: target})


READERS = {
    "csv": separated,
    "arff": arff,
    "echocardiogram": echocardiogram,
    "claves": claves,
    "wilt": wilt,
    "internet-ads": internet_ads,
    "scikit-learn": bundled,
    "rule": by_rule,
}


def _adult(frame: pd.DataFrame) -> pd.DataFrame:
    """The test file ends its classes with a full stop."""
    return frame.assign(income=frame["income"].str.removesuffix("."))


def _heart(frame: pd.DataFrame) -> pd.DataFrame:
    """Levels are written as 3.0 or 3; the diagnosis 0 to 4 is made binary."""
    text = frame.select_dtypes(exclude="number").columns
    frame[text] = frame[text].apply(lambda column: column.str.removesuffix(".0"))
    if "num" in frame:
        frame["disease"] = (frame["num"] > 0).map({False: "0", True: "1"})
    return frame


def _appliances(frame: pd.DataFrame) -> pd.DataFrame:
    date = pd.to_datetime(frame["date"])
    return frame.assign(month=date.dt.month.astype(str), day=date.dt.day)


def _metro(frame: pd.DataFrame) -> pd.DataFrame:
    date = pd.to_datetime(frame["date_time"])
    return frame.assign(weekday=date.dt.day_of_week.astype(str), hour=date.dt.hour)


def _puc_rio(frame: pd.DataFrame) -> pd.DataFrame:
    """One z4 runs into a date, "-14420-11-2011 ...", and means -144; walking is incomplete."""
    z4 = frame["z4"].astype(str)
    frame["z4"] = z4.mask(z4.str.startswith("-14420-"), "-144").astype(int)
    return frame[frame["class"] != "walking"]


def _postures(frame: pd.DataFrame) -> pd.DataFrame:
    """Of PUC-Rio's classes the two that are no movement."""
    return _puc_rio(frame[frame["class"].isin(["sitting", "standing"])].reset_index(drop=True))


def _forward(frame: pd.DataFrame) -> pd.DataFrame:
    """Of the robot's four classes one against the others."""
    return frame.assign(**{"class": frame["class"].where(frame["class"] == "Move-Forward", "other")})


REPAIRS = {
    "adult": _adult, "heart": _heart, "appliances": _appliances, "metro": _metro, "puc-rio": _puc_rio,
    "puc-rio-postures": _postures, "wall-following-forward": _forward,
}  # fmt: skip
