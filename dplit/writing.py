"""Files that are there wholly or not at all: written beside, synced, renamed.

A process that is killed, a full disk, a second writer or a power cut leaves what was there before, or
all of what is new. What a killed process leaves beside it ends in ``.writing``, and nothing reads it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from pathlib import Path


def write_whole(path, content):
    """Write a file in one step.

    Parameters
    ----------
    path : str or path-like
    content : bytes

    Raises
    ------
    PermissionError
        If the file is there and read-only: a rename would replace it all the same.
    OSError
        As the system has it, with the name of the file; what was there is there still.
    """
    path = Path(path)
    if path.exists() and not path.stat().st_mode & 0o222:
        raise PermissionError(errno.EACCES, "the file is read-only", str(path))
    own = f"{os.getpid()}-{threading.get_ident()}"  # two threads are two writers
    waiting = path.with_name(f"{path.name}.{own}.writing")
    try:
        with open(waiting, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(waiting, path)
    except OSError as error:  # it names the file beside
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with contextlib.suppress(OSError):
            waiting.unlink()
    _sync_folder(path.parent)


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
