"""Files that are there wholly or not at all: written beside, synced, renamed.

A process that is killed, a full disk, a second writer or a power cut leaves what was there before, or
all of what is new. What a killed process leaves beside it ends in ``.writing``: nothing reads it, and the
next writer of the same file removes it. A file that waits is locked by its writer, and the system frees the lock
with the process: whatever can be locked belongs to nobody.
"""

import contextlib
import errno
import glob
import os
import stat
import uuid
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without these locks: nothing is removed there
    fcntl = None

WAITING = ".writing"
KINDS = {
    stat.S_ISDIR: "a folder", stat.S_ISLNK: "a link that leads to itself", stat.S_ISFIFO: "a pipe",
    stat.S_ISSOCK: "a socket", stat.S_ISCHR: "a device", stat.S_ISBLK: "a device",
}  # fmt: skip


def write_whole(path: str | Path, content: bytes):
    """Write a file in one step.

    Raises a PermissionError if the file is there and read-only: a rename would replace it all the same. Raises an
    OSError if it is no regular file, as a folder or a device, or as the system has it, with the name of the file;
    what was there is there still.
    """
    given, path = path, Path(os.path.realpath(path))  # a link stays one, and its file is written
    _check_place(path, str(given))
    _clear(path)
    waiting = path.with_name(f"{path.name}.{uuid.uuid4().hex}{WAITING}")  # no name is taken twice
    try:
        with _held(waiting):
            with open(waiting, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(waiting, path)
    except OSError as error:  # it names the file beside
        raise OSError(error.errno, error.strerror, str(given)) from None
    finally:
        with contextlib.suppress(OSError):
            waiting.unlink()
    _sync_folder(path.parent)


def _check_place(path, given):
    """Raise `OSError` if what is there can't be written, or must not be replaced."""
    try:
        mode = path.lstat().st_mode  # of a link that leads to itself
    except FileNotFoundError:
        return
    except OSError as error:
        raise OSError(error.errno, error.strerror, given) from None
    if not stat.S_ISREG(mode):
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        kind = next((words for is_one, words in KINDS.items() if is_one(mode)), "something else")
        raise OSError(number, f"there is {kind}, and no file that can be replaced", given)
    if not mode & 0o222:
        raise PermissionError(errno.EACCES, "the file is read-only", given)


@contextlib.contextmanager
def _held(waiting):
    """Hold the lock on a new file for as long as it waits."""
    if fcntl is None:
        yield
        return
    handle = _locked(waiting)
    try:
        yield
    finally:
        os.close(handle)


def _locked(waiting):
    """A handle of a new file with its lock; again, if another writer cleared it away before it was locked."""
    while True:
        handle = os.open(waiting, os.O_RDWR | os.O_CREAT, 0o666)
        with contextlib.suppress(OSError):  # a disk without locks: nothing is removed from it either
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)


def _clear(path):
    """Remove what killed writers of `path` left beside it: waiting files that nobody holds."""
    if fcntl is None:
        return
    for left in path.parent.glob(f"{glob.escape(path.name)}.*{WAITING}"):
        with contextlib.suppress(OSError):  # held, or another writer was faster
            handle = os.open(left, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()
            finally:
                os.close(handle)


def _sync_folder(folder):
    """Keep the new name through a power cut, where the system syncs folders; the file is whole anyway."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
