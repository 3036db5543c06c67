"""Faults while a file is written: killed at every step, a full disk, two writers, read-only."""

import errno
import fcntl
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest

import dplit
from dplit.forests import RandomDecisionForestClassifier
from dplit.ground import writing
from dplit.ground.writing import write_whole

OLD, NEW = b"old" * 50_000, b"new" * 60_000

KILLED = """
import builtins, os, signal, sys
from dplit.ground.writing import write_whole

step, path, new = sys.argv[1], sys.argv[2], b"new" * 60_000
die = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
usual_open, usual_replace = builtins.open, os.replace


class Half:
    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, content):
        self.file.write(content[: len(content) // 2])
        self.file.flush()
        die()


if step == "write":
    builtins.open = lambda name, *args: Half(usual_open(name, *args))
elif step == "after":
    os.replace = lambda *args: (usual_replace(*args), die())
else:
    setattr(os, step, die)
write_whole(path, new)
"""


@pytest.mark.parametrize(("step", "left"), [("write", OLD), ("fsync", OLD), ("replace", OLD), ("after", NEW)])
def test_a_process_that_is_killed_leaves_a_whole_file(step, left, tmp_path):
    path = tmp_path / "a.file"
    path.write_bytes(OLD)
    done = subprocess.run([sys.executable, "-c", KILLED, step, path], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == left
    beside = [p.name for p in tmp_path.iterdir() if p != path]
    assert [name.startswith("a.file.") and name.endswith(".writing") for name in beside] == [True] * (
        step != "after"
    )
    write_whole(tmp_path / "another", NEW)  # is in nobody's way
    assert {p.name for p in tmp_path.iterdir()} == {"a.file", "another", *beside}
    write_whole(path, NEW)  # and the next writer of the file removes it
    assert path.read_bytes() == NEW
    assert {p.name for p in tmp_path.iterdir()} == {"a.file", "another"}


WRITER = """
import os, sys
from dplit.ground.writing import write_whole

usual = os.replace


def held(*names):
    print("waits", flush=True)
    sys.stdin.readline()
    usual(*names)


os.replace = held
write_whole(sys.argv[1], b"new" * 60_000)
"""


def test_a_writer_that_still_writes_keeps_its_file(tmp_path):
    """A slow process is not a killed one, however many others write meanwhile."""
    path = tmp_path / "a.file"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", WRITER, path], **pipes) as slow:
        assert slow.stdout.readline() == "waits\n"
        (waiting,) = tmp_path.iterdir()
        for _ in range(3):
            write_whole(path, OLD)
        assert path.read_bytes() == OLD and {*tmp_path.iterdir()} == {path, waiting}
        slow.communicate("\n", timeout=120)
    assert slow.returncode == 0
    assert path.read_bytes() == NEW and [p.name for p in tmp_path.iterdir()] == ["a.file"]


def test_a_file_cleared_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    """The one moment in which a waiting file belongs to nobody."""
    cleared, usual = [], fcntl.flock

    def late(handle, how):
        if not cleared:
            cleared.extend(tmp_path.iterdir())
            cleared[0].unlink()
        usual(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    write_whole(tmp_path / "a.file", NEW)
    assert len(cleared) == 1 and cleared[0].suffix == ".writing"
    assert [p.name for p in tmp_path.iterdir()] == ["a.file"]
    assert (tmp_path / "a.file").read_bytes() == NEW


@pytest.mark.parametrize("locks", ["none", "refused"])
def test_without_locks_files_are_written_and_nothing_is_removed(locks, tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    if locks == "none":
        monkeypatch.setattr(writing, "fcntl", None)
    else:
        monkeypatch.setattr(fcntl, "flock", refused)
    (tmp_path / "a.file.1.writing").write_bytes(b"perhaps another's")
    write_whole(tmp_path / "a.file", NEW)
    assert (tmp_path / "a.file").read_bytes() == NEW
    assert {p.name for p in tmp_path.iterdir()} == {"a.file", "a.file.1.writing"}


LIMITED = """
import resource, signal, sys
from dplit.ground.writing import write_whole

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_whole(sys.argv[1], b"new" * 60_000)
except OSError as error:
    print(type(error).__name__, error.strerror)
"""


def test_a_disk_that_takes_no_more_leaves_what_was_there(tmp_path):
    """The system itself refuses the bytes, by a limit on the size of files."""
    path = tmp_path / "a.file"
    path.write_bytes(OLD)
    done = subprocess.run([sys.executable, "-c", LIMITED, path], capture_output=True, text=True, timeout=120)
    assert "OSError File too large" in done.stdout, done.stderr
    assert path.read_bytes() == OLD and [p.name for p in tmp_path.iterdir()] == ["a.file"]


def test_two_threads_never_mix_their_files(tmp_path):
    path, stop, seen = tmp_path / "a.file", threading.Event(), set()
    contents = [bytes([65 + i]) * (300_000 + i) for i in range(2)]
    write_whole(path, contents[0])

    def write(content):
        for _ in range(40):
            write_whole(path, content)

    def read():
        while not stop.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    writers = [threading.Thread(target=write, args=(c,)) for c in contents]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    reader.join()
    assert seen and seen <= set(contents)
    assert path.read_bytes() in contents and [p.name for p in tmp_path.iterdir()] == ["a.file"]


def test_each_writer_waits_beside_under_a_name_of_its_own(tmp_path, monkeypatch):
    """Held up in the rename, two threads of one process have two files."""
    names, together, usual = [], threading.Barrier(2), os.replace

    def replace(waiting, path):
        names.append(str(waiting))
        together.wait(30)
        usual(waiting, path)

    monkeypatch.setattr(os, "replace", replace)
    threads = [threading.Thread(target=write_whole, args=(tmp_path / "a", c)) for c in (OLD, NEW)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(names)) == 2 and (tmp_path / "a").read_bytes() in (OLD, NEW)


def test_a_read_only_file_is_not_replaced(tmp_path):
    path = tmp_path / "a.file"
    path.write_bytes(OLD)
    path.chmod(stat.S_IRUSR)
    with pytest.raises(PermissionError, match="read-only"):
        write_whole(path, NEW)
    assert path.read_bytes() == OLD and [p.name for p in tmp_path.iterdir()] == ["a.file"]


def test_a_read_only_disk_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a.file"
    path.write_bytes(OLD)

    def refused(name, *args):
        raise OSError(30, "Read-only file system", str(name))

    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", refused)
        with pytest.raises(OSError, match="Read-only file system"):
            write_whole(path, NEW)
    assert path.read_bytes() == OLD and [p.name for p in tmp_path.iterdir()] == ["a.file"]


def test_it_is_written_synced_renamed_and_the_folder_synced(tmp_path, monkeypatch):
    steps, sync, replace = [], os.fsync, os.replace

    def synced(handle):
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        steps.append((kind, os.fstat(handle).st_size if kind == "file" else None))
        sync(handle)

    def renamed(*names):
        steps.append(("rename", None))
        replace(*names)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    write_whole(tmp_path / "a.file", NEW)
    assert steps == [("file", len(NEW)), ("rename", None), ("folder", None)]


def test_a_folder_that_cannot_be_synced_is_no_fault(tmp_path, monkeypatch):
    usual = os.fsync

    def refused(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        usual(handle)

    monkeypatch.setattr(os, "fsync", refused)
    write_whole(tmp_path / "a.file", NEW)
    assert (tmp_path / "a.file").read_bytes() == NEW


@pytest.mark.parametrize("kind", [FileNotFoundError, IsADirectoryError, NotADirectoryError])
def test_an_error_names_the_file_that_was_asked_for(kind, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    places = {
        FileNotFoundError: tmp_path / "none" / "a.forest",
        IsADirectoryError: tmp_path / "folder",
        NotADirectoryError: tmp_path / "file" / "a.forest",
    }
    with pytest.raises(kind) as caught:
        write_whole(places[kind], b"new")
    assert caught.value.filename == str(places[kind]) and "writing" not in str(caught.value)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "folder"]


WRITES = re.compile(
    r"""open\([^()]*["'](?:[wax]\+?b?|[wax]b\+|r\+b?)["']|\.write_(?:text|bytes)\(|np\.save\w*\((?!written)"""
    r"""|nbformat\.write\(|\.to_(?:csv|json|parquet|pickle)\(\w*path"""
)
OTHERWISE = {
    "dplit/ground/writing.py",
    "dplit/court/experiments/result.py",
    "dplit/budget/ledger.py",
}  # the writer, a journal that grows, and an account that does


def test_files_are_written_by_the_one_writer():
    """What the site's build writes into its own output is built anew if it was cut off."""
    root = Path(writing.__file__).parents[2]
    paths = [p for folder in ("dplit", "book") for p in (root / folder).glob("**/*.py")]
    paths = [p for p in paths if not {"_ext", "_build"} & set(p.parts) and p.name != "pdf.py"]
    found = {str(p.relative_to(root)) for p in paths if WRITES.search(p.read_text("utf-8"))}
    assert found == OTHERWISE and len(paths) > 300


@pytest.mark.parametrize("line", [
    "open(path, 'w')", "Path(p).open('ab')", "path.write_text(t)", "np.save(path, a)", "open(p, mode='x')",
    "path.open('r+b')", "nbformat.write(notebook, path)", "np.savez_compressed(path, **a)",
])  # fmt: skip
def test_a_line_that_writes_is_seen(line):
    assert WRITES.search(line)
    assert not WRITES.search("open(path, 'rb').read(); path.read_text('utf-8'); write_whole(p, b)")


# What is there already ---------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False], ids=["a file", "no file yet"])
def test_a_link_stays_a_link_and_its_file_is_written(there, tmp_path):
    (tmp_path / "kept").mkdir()
    target, link, second = tmp_path / "kept" / "a.file", tmp_path / "latest", tmp_path / "newest"
    if there:
        target.write_bytes(OLD)
    link.symlink_to(Path("kept") / "a.file")
    second.symlink_to(link)
    write_whole(second, NEW)
    assert second.is_symlink() and link.is_symlink() and not target.is_symlink()
    assert target.read_bytes() == NEW
    assert {p.name for p in tmp_path.rglob("*")} == {"kept", "a.file", "latest", "newest"}


def device(path):
    path.symlink_to("/dev/full")


def linked_device(path):
    path.with_name("first").symlink_to("/dev/full")
    path.symlink_to("first")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (Path.mkdir, "a folder"),
        (os.mkfifo, "a pipe"),
        (device, "a device"),
        (linked_device, "a device"),
        (lambda path: path.symlink_to(path.name), "a link that leads to itself"),
    ],
)
def test_what_is_no_regular_file_is_refused_and_stays(make, words, tmp_path):
    path = tmp_path / "a.file"
    make(path)
    before = path.lstat(), Path("/dev/full").lstat().st_mode
    with pytest.raises(OSError, match=f"there is {words}, and no file") as told:
        write_whole(path, NEW)
    assert told.value.filename == str(path)
    assert (path.lstat(), Path("/dev/full").lstat().st_mode) == before
    assert not list(tmp_path.glob("*.writing"))


def test_a_forest_is_saved_through_a_link_and_not_to_a_pipe(tmp_path):
    domain = dplit.Domain({"x": dplit.Continuous(0, 1)})
    forest = RandomDecisionForestClassifier(1.0, domain=domain, classes=["a", "b"])
    forest.fit(pd.DataFrame({"x": [0.1, 0.9]}), ["a", "b"])
    (tmp_path / "latest.forest").symlink_to("first.forest")
    forest.save(tmp_path / "latest.forest")
    assert (tmp_path / "latest.forest").is_symlink()
    assert dplit.load(tmp_path / "first.forest").budget_ == forest.budget_
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe, and no file that can be replaced"):
        forest.save(tmp_path / "pipe")
