"""The files of the data sets: carried with their attribution, and found in the order of places.

A download is tried on loopback alone; the session refuses every other connection.
"""

import gzip
import hashlib
import http.server
import logging
import os
import re
import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pooch
import pytest

from dplit import datasets
from dplit.datasets import fetch, loading, registry

DATA = Path(__file__).resolve().parents[1] / "data"
SETS = DATA / "sets"
ENTRIES = [registry.entry(n) for n in datasets.names() if registry.entry(n).files]
OPEN_LICENCES = {"CC BY 4.0"}


# ------------------------------------------------------------------------------- carried ones


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_every_file_is_carried_under_an_open_licence(entry):
    assert entry.licence in OPEN_LICENCES
    for file in entry.files:
        (path,) = [p for e in ("", ".gz") if (p := SETS / entry.folder / (file.name + e)).exists()]
        data = path.read_bytes() if path.name == file.name else gzip.decompress(path.read_bytes())
        assert hashlib.sha256(data).hexdigest() == file.sha256


def test_nothing_else_is_carried():
    known = {(e.folder, f.name) for e in ENTRIES for f in e.files}
    for path in (p for p in SETS.rglob("*") if p.is_file()):
        names = {path.name, path.name.removesuffix(".gz")}
        assert known & {(path.parent.name, name) for name in names}, path


def test_compression_says_neither_time_nor_name():
    """A file compressed again has the same bytes, so that it never changes without its content."""
    packed = [p for p in SETS.rglob("*.gz") if (p.parent / p.stem).suffix and not _inner(p)]
    assert len(packed) > 30
    for path in packed:
        header = path.read_bytes()[:10]
        assert header[3] == 0 and header[4:8] == bytes(4), path


def _inner(path):
    """Whether the registry's file is itself compressed, as its home has it."""
    return any(f.name == path.name for e in ENTRIES for f in e.files)


def attribution():
    """The table of data/README.md: one row for each folder of data/sets, from the registry."""
    rows = ["| folder | data set | citation | licence | files, with the first digits of their sha256 | changes |"]
    rows.append("|---|---|---|---|---|---|")
    for folder in sorted({e.folder for e in ENTRIES}):
        here = [e for e in ENTRIES if e.folder == folder]
        files = {f.name: f.sha256 for e in here for f in e.files}
        cells = [
            f"`{folder}`",
            ", ".join(f"[{e.name}]({e.home})" for e in here),
            " ".join(dict.fromkeys(e.citation for e in here)),
            " ".join(dict.fromkeys(e.licence for e in here)),
            ", ".join(f"{name} `{digest[:12]}`" for name, digest in files.items()),
            " ".join(dict.fromkeys(e.changed or "none" for e in here)),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def test_the_readme_attributes_every_folder():
    """After a change of the registry this table takes the place of the old one."""
    assert {p.name for p in SETS.iterdir()} == {e.folder for e in ENTRIES}
    readme = (DATA / "README.md").read_text("utf-8")
    assert attribution() in readme, f"data/README.md must have this table:\n{attribution()}"


# ------------------------------------------------------------------------------ order of places


TEXT = "1,a,yes\n2,?,no\n3,b,yes\n"
COLUMNS = (
    registry.Column("size", "integer", "logical", bounds=(0, 2)),
    registry.Column("kind", "categorical", "documented", levels=("a", "b", "c")),
)


def small(download="", sha256=None, text=TEXT):
    """A data set of three records, one of them incomplete and one outside its bounds."""
    sha256 = sha256 or hashlib.sha256(text.encode()).hexdigest()
    return replace(
        registry.entry("zoo"),
        name="small",
        folder="small",
        target="label",
        classes=("yes", "no"),
        fields=("size", "kind", "label"),
        columns=COLUMNS,
        download=download,
        changed="" if download else "cut after three records",
        files=(registry.File("small.data", sha256),),
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for DPLIT_DATA, with a place for the small data set."""
    (tmp_path / "data" / "small").mkdir(parents=True)
    monkeypatch.setenv("DPLIT_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "small"


@pytest.fixture
def loopback(tmp_path, monkeypatch):
    """A web server on loopback for the files of tmp_path/www, and an empty cache and no DPLIT_DATA."""
    www = tmp_path / "www"
    www.mkdir()
    monkeypatch.delenv("DPLIT_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(fetch.platformdirs, "user_cache_dir", lambda name: str(tmp_path / "cache" / name))

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(www))

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)  # seconds till it ends
    thread.start()
    yield www, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def load_small(monkeypatch, entry):
    monkeypatch.setattr(loading.registry, "canonical", lambda name: name)
    monkeypatch.setattr(loading.registry, "entry", lambda name: entry)
    return datasets.load("small")


def test_a_file_in_the_folder(folder, monkeypatch):
    (folder / "small.data").write_text(TEXT)
    data = load_small(monkeypatch, small())
    assert data.X["size"].tolist() == [1, 3] and data.X["kind"].tolist() == ["a", "b"]
    assert data.y.tolist() == ["yes", "yes"] and list(data.X.index) == [0, 1]
    assert data.domain.encode(data.X).tolist() == [[1.0, 0.0], [2.0, 1.0]]


def test_a_compressed_file_in_the_folder(folder):
    (folder / "small.data.gz").write_bytes(gzip.compress(TEXT.encode()))
    entry = small()
    assert fetch.contents(entry, entry.files[0]) == TEXT.encode()


def test_a_wrong_checksum_is_an_error(folder):
    (folder / "small.data").write_text(TEXT + "4,c,no\n")
    entry = small()
    with pytest.raises(datasets.DatasetError, match=r"'small'.*small\.data.*sha256.*DPLIT_DATA"):
        fetch.contents(entry, entry.files[0])


@pytest.mark.parametrize(
    "damage", [lambda packed: b"_T" + packed[2:], lambda packed: packed[:-9], lambda _: b"",
               lambda packed: packed[:10] + b"\xff" * 20]
)  # fmt: skip
def test_a_damaged_compressed_file_is_named(damage, folder):
    (folder / "small.data.gz").write_bytes(damage(gzip.compress(TEXT.encode())))
    entry = small()
    with pytest.raises(datasets.DatasetError, match=r"'small'.*small\.data\.gz.*DPLIT_DATA"):
        fetch.contents(entry, entry.files[0])


def test_a_level_that_is_not_public_is_an_error(folder, monkeypatch):
    text = TEXT + "4,d,no\n"
    (folder / "small.data").write_text(text)
    with pytest.raises(datasets.DatasetError, match=r"column 'kind'.*got \['d'\]"):
        load_small(monkeypatch, small(text=text))


def test_a_file_that_no_home_has_is_an_error(folder):
    entry = small()
    with pytest.raises(datasets.DatasetError, match=r"cut after three records.*DPLIT_DATA"):
        fetch.contents(entry, entry.files[0])


@pytest.mark.parametrize("packing", ["{file}", "{file}.gz", "archive.zip"])
def test_download(packing, loopback, tmp_path, monkeypatch):
    www, base = loopback
    name = packing.replace("{file}", "small.data")
    if name.endswith(".zip"):
        with zipfile.ZipFile(www / name, "w") as archive:
            archive.writestr("inner/small.data", TEXT)
    else:
        packed = gzip.compress(TEXT.encode()) if name.endswith(".gz") else TEXT.encode()
        (www / name).write_bytes(packed)
    assert len(load_small(monkeypatch, small(f"{base}/{packing}"))) == 2
    (www / name).unlink()  # the second time it comes from the cache
    assert len(load_small(monkeypatch, small(f"{base}/{packing}"))) == 2
    kept = [p.name for p in (tmp_path / "cache").rglob("*") if p.is_file()]
    assert kept == [name]


@pytest.mark.parametrize("packing", ["{file}", "{file}.gz"])
def test_a_download_with_a_wrong_checksum(packing, loopback, tmp_path):
    www, base = loopback
    wrong = b"something else"
    (www / "small.data").write_bytes(wrong)
    (www / "small.data.gz").write_bytes(gzip.compress(wrong))
    entry = small(f"{base}/{packing}")
    with pytest.raises(datasets.DatasetError, match=r"'small'.*127\.0\.0\.1.*DPLIT_DATA"):
        fetch.contents(entry, entry.files[0])
    assert not [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]


def test_a_failed_download(loopback):
    _, base = loopback
    entry = small(f"{base}/{{file}}")
    with pytest.raises(datasets.DatasetError, match=r"'small': download of http.*failed.*404"):
        fetch.contents(entry, entry.files[0])


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """The place of the small data set in a checkout of its own."""
    monkeypatch.setattr(registry, "path", lambda: tmp_path / "checkout" / "registry.toml")
    (tmp_path / "checkout" / "sets" / "small").mkdir(parents=True)
    return tmp_path / "checkout" / "sets" / "small"


def test_the_checkout_comes_before_the_folder_and_the_folder_before_a_download(checkout, loopback, folder):
    www, base = loopback
    texts = {place: f"1,a,yes\n{place}\n" for place in ("checkout", "folder", "home")}
    (checkout / "small.data.gz").write_bytes(gzip.compress(texts["checkout"].encode()))
    (folder / "small.data").write_text(texts["folder"])
    (www / "small.data").write_text(texts["home"])
    for place, path in [("checkout", checkout), ("folder", folder), ("home", None)]:
        entry = small(f"{base}/{{file}}", text=texts[place])
        assert fetch.contents(entry, entry.files[0]) == texts[place].encode()
        for file in path.iterdir() if path else ():
            file.unlink()


def test_a_set_is_available_without_a_download(checkout, folder, monkeypatch):
    entry = small("http://192.0.2.1/{file}")
    monkeypatch.setattr(loading.registry, "canonical", lambda name: name)
    monkeypatch.setattr(loading.registry, "entry", lambda name: entry)
    assert not datasets.available("small")
    (checkout / "small.data.gz").touch()
    assert datasets.available("small")
    (checkout / "small.data.gz").rename(folder / "small.data")
    assert datasets.available("small")


def test_a_wrong_file_in_the_checkout_is_an_error_that_names_it(checkout, folder):
    """It is not passed over for the right one in DPLIT_DATA."""
    (checkout / "small.data").write_text("3,b,no\n")
    (folder / "small.data").write_text(TEXT)
    entry = small()
    with pytest.raises(datasets.DatasetError, match=rf"small\.data from {checkout}/small\.data"):
        fetch.contents(entry, entry.files[0])


def test_a_missing_file_names_all_remedies(folder, checkout):
    entry = small()
    with pytest.raises(datasets.DatasetError) as caught:
        fetch.contents(entry, entry.files[0])
    assert "data/sets/small/small.data (or small/small.data.gz)" in str(caught.value)
    assert "DPLIT_DATA can name another folder" in str(caught.value)
    assert "installed package" not in str(caught.value)
    checkout.rmdir()
    checkout.parent.rmdir()
    with pytest.raises(datasets.DatasetError, match="which the installed package leaves out"):
        fetch.contents(entry, entry.files[0])


def test_a_download_is_silent(loopback, capfd, monkeypatch):
    www, base = loopback
    (www / "small.data").write_text(TEXT)
    entry, logger, said = small(f"{base}/{{file}}"), pooch.get_logger(), []
    level, handler = logger.level, logging.Handler()
    handler.emit = said.append
    monkeypatch.setattr(logger, "handlers", [handler])
    assert fetch.contents(entry, entry.files[0]) == TEXT.encode()
    assert said == [] and capfd.readouterr() == ("", "")
    assert logger.level == level


def test_a_home_that_can_t_be_reached(loopback):
    entry = small("http://192.0.2.1/{file}")  # an address that nobody has (RFC 5737)
    with pytest.raises(datasets.DatasetError, match=r"'small': download of http.*failed.*DPLIT_DATA"):
        fetch.contents(entry, entry.files[0])


def test_the_wheel_has_the_registry_and_no_records(tmp_path):
    """It says so where a set is missing, in a process that knows neither the checkout nor a network."""
    root = DATA.parent
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        opened.extractall(tmp_path / "installed")
        (about,) = [n for n in names if n.endswith("/METADATA")]
        page = opened.read(about).decode()
    assert "pip install ." in page and "Description-Content-Type: text/markdown" in page
    assert "![" not in page and not re.search(r"\]\((?!https?:)", page), "links to a checkout"
    assert "Leaves of two classes" not in page, "the caption of a picture that is left out"
    assert "dplit/_data/registry.toml" in names
    assert {n.split("/")[2] for n in names if n.startswith("dplit/_data/")} == {
        "registry.toml", "printed", "results", "evidence", "certificates", "quotes", "uses.toml",
        "verdicts.csv", "sentences", "tables.csv",
    }  # fmt: skip
    search = [str(tmp_path / "installed"), str(root / "tests" / "guard")]
    environment = {k: v for k, v in os.environ.items() if k != "DPLIT_DATA"}
    environment |= {"PYTHONPATH": os.pathsep.join(search), "XDG_CACHE_HOME": str(tmp_path)}
    code = "import dplit; print(dplit.__file__); dplit.datasets.load('zoo')"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.stdout.startswith(str(tmp_path))
    assert "DatasetError: data set 'zoo': download of https://archive.ics.uci.edu" in done.stderr
    assert "the tests use no network" in done.stderr
    assert "which the installed package leaves out" in done.stderr
