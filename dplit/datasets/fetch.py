"""A file's bytes: from the places that `dplit.datasets` names, as ``<folder>/<file>`` or ``<folder>/<file>.gz``.

Nothing is used whose sha256 is not the registry's. An installed package has the registry alone.
"""

import gzip
import hashlib
import io
import logging
import os
import warnings
import zipfile
import zlib
from pathlib import Path
from urllib.parse import quote

import platformdirs

from dplit.datasets import registry

VARIABLE = "DPLIT_DATA"


class DatasetError(OSError):
    """A file of a data set can't be had, or is not the file that the registry describes."""


def contents(entry: registry.Entry, file: registry.File) -> bytes:
    """The bytes of one file of a data set, uncompressed.

    A `DatasetError` says that the file is neither in the checkout nor in ``DPLIT_DATA`` nor to be downloaded, or
    that the first one found has another checksum.
    """
    path = _local(entry, file)
    if path is not None:
        return _checked(path, entry, file, path)
    path = _download(entry, file)
    try:
        return _checked(path, entry, file, _address(entry, file))
    except DatasetError:
        path.unlink(missing_ok=True)  # or the wrong file would stay for ever
        raise


def is_local(entry: registry.Entry, file: registry.File) -> bool:
    """True if `contents` needs no download: the file is in the checkout or in ``DPLIT_DATA``."""
    return _local(entry, file) is not None


def _carried() -> Path:
    return registry.path().parent / "sets"


def _local(entry: registry.Entry, file: registry.File) -> Path | None:
    named = os.environ.get(VARIABLE)
    roots = [_carried(), *([Path(named)] if named else [])]
    places = [root / entry.folder / (file.name + end) for root in roots for end in ("", ".gz")]
    return next((p for p in places if p.is_file()), None)


def _address(entry: registry.Entry, file: registry.File) -> str:
    return entry.download.replace("{file}", quote(file.name))


def _download(entry: registry.Entry, file: registry.File) -> Path:
    """Path of the downloaded file or archive, in the user's cache folder."""
    address = _address(entry, file)
    if not address:
        raise DatasetError(
            f"data set {entry.name!r} can't be downloaded, since its file is not as its home has it: "
            f"{entry.changed}. {_remedy(entry, file)}"
        )
    folder = Path(platformdirs.user_cache_dir("dplit"), entry.folder)
    packed = address.endswith((".gz", ".zip"))
    known = None if packed else f"sha256:{file.sha256}"
    try:
        return _retrieve(address, known, address.rpartition("/")[2].replace("%20", " "), folder)
    except (OSError, ValueError) as error:  # no connection, no such page; another checksum
        raise DatasetError(
            f"data set {entry.name!r}: download of {address} failed ({error}). {_remedy(entry, file)}"
        ) from error


def _retrieve(address: str, known_hash: str | None, name: str, folder: Path) -> Path:
    """Pooch's download, without a word: neither its log nor tqdm's remark that a notebook has no widgets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pooch
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        return Path(pooch.retrieve(address, known_hash=known_hash, fname=name, path=folder))
    finally:
        logger.setLevel(level)


def _unpack(path: Path, name: str) -> bytes:
    if path.name == name:
        return path.read_bytes()
    return _member(path, name) if path.suffix == ".zip" else gzip.decompress(path.read_bytes())


def _member(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as opened:
        inside = {n.rpartition("/")[2]: n for n in opened.namelist()}
        return opened.read(inside[name]) if name in inside else b""


def _checked(path: Path, entry: registry.Entry, file: registry.File, where: object) -> bytes:
    """The bytes of `file`, which the file at `path` is or holds; `where` names that one in errors."""
    try:
        data = _unpack(path, file.name)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise DatasetError(
            f"data set {entry.name!r}: {file.name} from {where} can't be read or unpacked ({error}): the file "
            f"is damaged, or none. {_remedy(entry, file)}"
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != file.sha256:
        raise DatasetError(
            f"data set {entry.name!r}: {file.name} from {where} must have sha256 {file.sha256}, "
            f"got {found}. {_remedy(entry, file)}"
        )
    return data


def _remedy(entry: registry.Entry, file: registry.File) -> str:
    place = f"{entry.folder}/{file.name}"
    carried = f"A checkout of the project carries data/sets/{place} (or {place}.gz)"
    if not _carried().is_dir():
        carried += ", which the installed package leaves out"
    return f"{carried}; the environment variable {VARIABLE} can name another folder that holds {place}"
