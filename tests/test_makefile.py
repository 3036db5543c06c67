"""What ``make install`` runs: uv where it can, and pip wherever pip can. Nothing is installed here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A Python that makes an environment with itself in it, and whose pip writes down what it is asked for.
PYTHON = """#!/bin/sh
case "$*" in
"-m venv "*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
"-m pip config list") cat configuration ;;
*" uv") echo "python $*" >> log; test ! -f no-uv && cp fake-uv .venv/bin/uv ;;
*) echo "python $*" >> log ;;
esac
"""
UV = """#!/bin/sh
echo "uv $*" >> log
test ! -f uv-fails || { echo "invalid peer certificate" >&2; exit 2; }
"""
OWN = ["index-url", "client-cert", "proxy", "trusted-host", "no-index"]


@pytest.fixture
def place(tmp_path):
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("book", "dplit", "data"):
        (tmp_path / name).mkdir()
    for name, text in (("fake-python", PYTHON), ("fake-uv", UV), ("configuration", "")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def installed(place):
    """The programs that were asked to install the book's extra, in order, and what make said."""
    line = ["make", f"PYTHON={place / 'fake-python'}", ".venv/.book"]
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(line, cwd=place, env=own, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0 and (place / ".venv/.book").exists(), done.stderr
    asked = (place / "log").read_text().splitlines()
    for words in (asked := [words for words in asked if words.endswith(".[book]")]):
        assert " -c requirements.lock -e " in words
    return [words.partition(" ")[0] for words in asked], done.stdout


def test_uv_installs_alone(place):
    assert installed(place)[0] == ["uv"]


def test_where_uv_fails_pip_goes_on(place):
    (place / "uv-fails").touch()
    programs, said = installed(place)
    assert programs == ["uv", "python"] and "uv stopped: pip goes on alone" in said


def test_where_uv_cannot_be_had_pip_goes_on(place):
    (place / "no-uv").touch()
    programs, said = installed(place)
    assert programs == ["python"] and "no uv: pip goes on alone" in said


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("section", ["global", ":env:", "install"])
def test_what_pip_is_told_of_is_not_passed_over(section, name, place):
    (place / "configuration").write_text(f"global.timeout='9'\n{section}.{name}='here'\n")
    assert installed(place)[0] == ["python"]
    assert not (place / ".venv/bin/uv").exists()


def test_nor_is_it_by_a_uv_that_is_there(place):
    installed(place)
    (place / ".venv/.book").unlink()
    (place / "log").unlink()
    (place / "configuration").write_text("user.index-url='here'\n")
    assert installed(place)[0] == ["python"]


def test_other_settings_of_pip_leave_it_to_uv(place):
    (place / "configuration").write_text("global.timeout='9'\n:env:.cert='here'\nglobal.extra-index-url='there'\n")
    assert installed(place)[0] == ["uv"]


def test_where_both_fail_nothing_counts_as_installed(place):
    (place / "no-uv").touch()
    (place / "fake-python").write_text(PYTHON.replace('*) echo "python $*" >> log', "*) false"))
    line = ["make", f"PYTHON={place / 'fake-python'}", ".venv/.book"]
    done = subprocess.run(line, cwd=place, capture_output=True, check=False, timeout=60)
    assert done.returncode != 0 and not (place / ".venv/.book").exists()
