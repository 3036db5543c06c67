"""A file's bytes: from the reader's own folder, or downloaded once.

The folder is ``DPLIT_DATA``; there a file stands at ``<folder>/<file>`` or ``<folder>/<file>.gz``.
Nothing is used whose sha256 is not the registry's.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zipfile
from pathlib import Path
from urllib.parse import quote

import platformdirs

VARIABLE = "DPLIT_DATA"


class DatasetError(OSError):
    """A file of a data set can't be had, or is not the file that the registry describes."""


def contents(entry, file):
    """The bytes of one file of a data set, uncompressed.

    Parameters
    ----------
    entry : registry.Entry
    file : registry.File

    Raises
    ------
    DatasetError
        If the file is neither in ``DPLIT_DATA`` nor to be downloaded, or has another checksum.
    """
    path = _local(entry, file)
    if path is not None:
        data = _unpack(path, file.name) if path.name != file.name else path.read_bytes()
        return _checked(data, entry, file, path)
    path = _download(entry, file)
    try:
        return _checked(_unpack(path, file.name), entry, file, _address(entry, file))
    except DatasetError:
        path.unlink(missing_ok=True)  # or the wrong file would stay for ever
        raise


def _local(entry, file):
    root = os.environ.get(VARIABLE)
    places = [Path(root, entry.folder, file.name + end) for end in ("", ".gz")] if root else []
    return next((p for p in places if p.is_file()), None)


def _address(entry, file):
    return entry.download.replace("{file}", quote(file.name))


def _download(entry, file):
    """Path of the downloaded file or archive, in the user's cache folder."""
    import pooch  # here: it warns in a notebook without ipywidgets

    address = _address(entry, file)
    if not address:
        raise DatasetError(
            f"data set {entry.name!r} can't be downloaded: {entry.unavailable}. {_remedy(entry, file)}"
        )
    folder = Path(platformdirs.user_cache_dir("dplit"), entry.folder)
    packed = address.endswith((".gz", ".zip"))
    try:
        path = pooch.retrieve(
            address,
            known_hash=None if packed else f"sha256:{file.sha256}",
            fname=address.rpartition("/")[2].replace("%20", " "),
            path=folder,
        )
    except (OSError, ValueError) as error:  # no connection, no such page; another checksum
        raise DatasetError(
            f"data set {entry.name!r}: download of {address} failed ({error}). {_remedy(entry, file)}"
        ) from error
    return Path(path)


def _unpack(path, name):
    if path.suffix == ".zip" and path.name != name:
        return _member(path.read_bytes(), name)
    data = path.read_bytes()
    return gzip.decompress(data) if path.name == f"{name}.gz" else data


def _member(archive, name):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        inside = {n.rpartition("/")[2]: n for n in opened.namelist()}
        return opened.read(inside[name]) if name in inside else b""


def _checked(data, entry, file, where):
    found = hashlib.sha256(data).hexdigest()
    if found != file.sha256:
        raise DatasetError(
            f"data set {entry.name!r}: {file.name} from {where} must have sha256 {file.sha256}, "
            f"got {found}. {_remedy(entry, file)}"
        )
    return data


def _remedy(entry, file):
    place = f"{entry.folder}/{file.name}"
    return (
        f"The environment variable {VARIABLE} can name a folder that holds {place} (or {place}.gz)"
    )
