"""The command line in a CI, in a shell and in a pipe: reports, what failed last, completion, one line an error."""

import dataclasses
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dplit.cli import COMMANDS, audit, main, reports
from dplit.cli.text import table
from dplit.court.audit.subject import Row
from dplit.court.audit.suite import every_subject
from dplit.court.ledger import registry as core
from tests.test_cli import _fail, _raise, _spin, ledger  # noqa: F401

ROOT = Path(__file__).parents[1]
RUN = [sys.executable, "-m", "dplit"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """What failed last is kept in a folder of the test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(*options):
    return main(["verify", "--jobs", "1", *options])


def parts(path):
    """The suite of a JUnit report, and its cases: kind, "" of a success, and message by name."""
    (suite,) = ElementTree.parse(path).getroot()
    shown = {}
    for case in suite:
        (found,) = [*case] or [None]
        shown[case.get("name")] = ("", "") if found is None else (found.tag, found.get("message"))
    return suite, shown


def test_junit_has_every_claim_and_what_became_of_it(ledger, folder, capsys):  # noqa: F811
    core.claim("rdf/wrong", "", "holds")(_fail)
    core.claim("rdf/breaks", "", "holds")(_raise)
    core.claim("rdf/slow", "", "holds")(_spin)
    start = time.process_time()
    assert checked("--limit", "1", "--junit", "j.xml") == 1
    assert time.process_time() - start >= 1  # of the processor; by the clock less, if threads are about
    suite, shown = parts("j.xml")
    assert ElementTree.parse("j.xml").getroot().tag == "testsuites" and suite.tag == "testsuite"
    assert {c.get("classname") for c in suite} == {"dplit.verify"}
    spent = {c.get("name"): float(c.get("time")) for c in suite}
    assert float(suite.get("time")) == pytest.approx(sum(spent.values()), abs=0.01)
    assert spent["rdf/slow"] == max(spent.values()) > 0.5
    assert all(re.fullmatch(r"\d+\.\d{3}", c.get("time")) for c in suite)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "5", "failures": "1", "errors": "1", "skipped": "1"}
    assert {name: kind for name, (kind, _) in shown.items()} == {
        "mrf/draws": "", "rdf/differs": "", "rdf/wrong": "failure", "rdf/breaks": "error", "rdf/slow": "skipped",
    }  # fmt: skip
    assert "declared holds, computed fails: two is not three" in shown["rdf/wrong"][1]


def test_junit_is_xml_whatever_an_error_says(folder):
    case = reports.Case("a<b", "error", "\x1b[31m<&>\ud800")
    (folder / "j.xml").write_bytes(reports.junit("verify", [case], True))
    assert parts("j.xml")[1] == {"a<b": ("error", "\ufffd[31m<&>\ufffd")}


def test_sarif_has_the_place_of_what_is_wrong(ledger, folder):  # noqa: F811
    core.claim("rdf/wrong", "", "holds")(_fail)
    assert checked("--sarif", "s.json") == 1
    report = json.loads((folder / "s.json").read_text())
    assert report["version"] == "2.1.0" and report["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = report["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["tool"]["driver"]["name"] == "dplit" and rules == ["mrf/draws", "rdf/differs", "rdf/wrong"]
    (found,) = run["results"]
    assert (found["ruleId"], rules[found["ruleIndex"]], found["level"]) == ("rdf/wrong", "rdf/wrong", "error")
    assert "two is not three" in found["message"]["text"]
    assert run["invocations"][0]["executionSuccessful"] is True


@pytest.mark.parametrize(
    ("name", "uri"), [("mechanism", "dplit/court/audit/subjects/"), ("medianforest", "dplit/forests/median.py")]
)
def test_a_subject_has_a_place(name, uri):
    named = [n for n in every_subject() if name in n.lower()]
    places = [reports._place(reports.Case(n, "failure", "", lambda n=n: audit._check(n))) for n in named]
    found = [p["locations"][0]["physicalLocation"] for p in places]
    assert any(f["artifactLocation"]["uri"].startswith(uri) for f in found)
    for f in found:
        line = (ROOT / f["artifactLocation"]["uri"]).read_text().splitlines()[f["region"]["startLine"] - 1]
        assert line.lstrip().startswith(("def ", "class ", "@", "lambda")) or "lambda" in line


def test_a_claim_of_the_ledger_has_a_place():
    from dplit.court import claims

    claim = claims.get("rdf/theorem-1")
    case = reports.Case(claim.id, "failure", "", lambda: claim.check_function)
    place = reports._place(case)["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "dplit/court/claims/majority/sensitivity.py"
    text = (ROOT / place["artifactLocation"]["uri"]).read_text().splitlines()
    assert "rdf/theorem-1" in "".join(text[place["region"]["startLine"] - 1 :][:6])


def test_an_audit_is_reported_too(folder, monkeypatch, capsys):
    name = "smooth-sensitivity sampler"
    row = Row(name, "black box", 1.0, 0.5, "caught", False, "at 0", 1e-5)
    broken = Row("b", "exact", float("nan"), float("nan"), "within", False, "stopped: no")
    took = lambda *_, timed, **__: timed.update({name: 2.5, "b": 0.25}) or iter([row, broken])  # noqa: E731
    monkeypatch.setattr("dplit.court.audit.run", took)
    monkeypatch.setattr("dplit.court.audit.select", lambda *_: (name, "b"))
    assert main(["audit", "--junit", "j.xml", "--sarif", "s.json"]) == 1
    assert parts("j.xml")[1] == {
        name: ("failure", "expected caught 1, found 0.5: at 0"),
        "b": ("error", "expected within nan, found nan: stopped: no"),
    }
    assert re.findall(r'time="([\d.]+)"', (folder / "j.xml").read_text()) == ["2.750", "2.500", "0.250"]
    assert [r["ruleId"] for r in json.loads((folder / "s.json").read_text())["runs"][0]["results"]] == [name, "b"]
    assert reports.last_failed("audit") == {name, "b"}


def test_a_run_that_is_killed_leaves_a_failure(ledger, folder, monkeypatch):  # noqa: F811
    monkeypatch.setattr("dplit.cli.verify.collected", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        checked("--junit", "j.xml", "--sarif", "s.json")
    assert parts("j.xml")[1] == {"dplit verify": ("error", "the run was stopped before its end")}
    (run,) = json.loads((folder / "s.json").read_text())["runs"]
    assert len(run["results"]) == 1 and run["invocations"][0]["executionSuccessful"] is False


def test_last_failed_are_checked_until_they_pass(ledger, folder, capsys):  # noqa: F811
    core.claim("rdf/wrong", "", "holds")(_fail)
    assert checked() == 1
    assert main(["verify", "--last-failed", "--list"]) == 0
    assert capsys.readouterr().out.endswith("\nrdf/wrong\n")
    assert checked("--claim", "mrf/*") == 0 and reports.last_failed("verify") == {"rdf/wrong"}
    core._registry["rdf/wrong"] = dataclasses.replace(core._registry["rdf/wrong"], verdict="fails")
    assert checked("--last-failed") == 0 and reports.last_failed("verify") == set()
    capsys.readouterr()
    assert main(["verify", "--last-failed", "--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3  # nothing failed: all are listed
    (folder / "dplit-results" / "last-failed.json").write_text("[")
    assert reports.last_failed("verify") == set()


def test_nothing_is_left_in_the_folder_of_a_run_without_failures(ledger, folder):  # noqa: F811
    assert checked() == 0 and [*folder.iterdir()] == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_exitfirst_stops_at_the_first(jobs, ledger, capsys, recwarn):  # noqa: F811
    core._registry.clear()
    for i in range(40):
        core.claim(f"rdf/wrong-{i:02}", "", "holds")(_fail)
    assert main(["verify", "--jobs", jobs, "-x", "--json"]) == 1
    said = capsys.readouterr()
    assert len(json.loads(said.out)["claims"]) == 1 and said.err == "--exitfirst: 1 of 40 are done\n"
    assert not [w for w in recwarn if "cancelled" in str(w.message)]


def test_quiet_and_verbose(ledger, capsys):  # noqa: F811
    core.claim("rdf/wrong", "", "holds")(_fail)
    assert checked("-q") == 1
    out = capsys.readouterr().out
    assert out == (
        "rdf/wrong: declared holds, computed fails: two is not three\n\n"
        "3 claims: 1 holds, 2 fails; 1 not as declared\n"
    )
    checked()
    assert "mrf/draws: drew" not in capsys.readouterr().out
    checked("--verbose")
    assert "mrf/draws: drew" in capsys.readouterr().out


def test_reports_do_not_go_with_what_has_no_rows(ledger, capsys):  # noqa: F811
    for words in (["audit", "--seeds", "2"], ["audit", "--mutate", "2"], ["verify", "--set", "epsilon=1"]):
        for option in (["--junit", "a"], ["--sarif", "a"], ["-x"], ["--last-failed"]):
            with pytest.raises(SystemExit) as stop:
                main([*words, *option])
            said = capsys.readouterr().err
            assert stop.value.code == 2 and f"does not go with {words[1]}" in said and said.count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_names_every_option(shell, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--print-completion", shell])
    script = capsys.readouterr().out
    assert stop.value.code == 0 and all(command in script for command in COMMANDS)
    assert all(option in script for option in ("last-failed", "until-decided", "mutate"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("typed", "found"),
    [("dplit ver", "verify"), ("dplit verify --effort d", "deep"), ("dplit audit --muta", "--mutate")],
)
def test_bash_completes(typed, found, capsys):
    with pytest.raises(SystemExit):
        main(["--print-completion", "bash"])
    script = capsys.readouterr().out
    words = " ".join(f"'{w}'" for w in typed.split())
    last = len(typed.split()) - 1
    ask = f"COMP_WORDS=({words}); COMP_CWORD={last}; _shtab_dplit; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == [found], done.stderr


EACH = """
import json, os, sys
from contextlib import suppress
from dplit.cli import main
for plain, words in json.loads(sys.argv[1]):
    os.environ |= {"NO_COLOR": "1"} if plain else {}
    with suppress(SystemExit):
        print(f"\\nstatus {main(words)}", flush=True)
    print(end="\\0", flush=True)
"""


def on_terminal(coloured, plain):
    """What each of the commands prints on a terminal, one process for all; the last ones with NO_COLOR set."""
    here, there = pty.openpty()
    own = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    own |= {"TERM": "xterm-256color", "COLUMNS": "80"}
    commands = [(False, words) for words in coloured] + [(True, words) for words in plain]
    words = [sys.executable, "-c", EACH, json.dumps(commands)]
    process = subprocess.Popen(words, stdout=there, stderr=there, stdin=there, env=own, cwd=ROOT)
    os.close(there)
    shown = b""
    with open(here, "rb", buffering=0) as screen:
        while True:
            try:
                shown += (part := screen.read(65536))
            except OSError:  # the end of a terminal on Linux
                break
            if not part:
                break
    assert process.wait(60) == 0
    return shown.decode().split("\0")[:-1]


WORDS = ["verify", "--claim", "rdf/smooth-exponential"]


def test_a_terminal_has_colours_and_a_bar_unless_it_is_asked_for_none():
    silent = [*WORDS, "-q"]
    shown, quiet, *plain = on_terminal([WORDS, silent], [silent, ["datasets"], ["datasets", "--help"]])
    assert "status 0" in shown and "\x1b[1m" in shown and "1/1" in shown
    assert "status 0" in quiet and "1/1" not in quiet
    quiet, listed, described = plain
    assert "status 0" in quiet and "\x1b" not in quiet
    assert "status 0" in listed and "\x1b" not in listed
    assert "usage" in described.lower() and not re.search(r"\x1b\[[\d;]*(3\d|38;5;\d+)m", described)


def test_a_table_folds_between_words_on_a_terminal_and_loses_none(monkeypatch):
    rows = [["rdf/a-long-id-of-one-word", "many words " * 20, "1"], ["b", "https://example.org/" + "x" * 40, "22"]]
    in_pipe = table(rows, ("id", "where", "cases"))
    assert all(text.strip() in in_pipe for row in rows for text in row) and len(in_pipe.splitlines()) == 4
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    for columns in (40, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        folded = table(rows, ("id", "where", "cases"))
        assert folded.count("many") == folded.count("words") == 20
        assert all(text in folded for text in (rows[0][0], rows[1][1], "cases", " 22"))
        assert columns < 100 or max(map(len, folded.splitlines())) <= columns


@pytest.mark.parametrize(
    "words", [("datasets",), ("experiment", "--json"), ("claims", "export", "--format", "csv")]
)
def test_a_pipe_that_breaks_is_one_line(words):
    slow = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = ["bash", "-c", '"$@" | true; exit ${PIPESTATUS[0]}', "-", *RUN, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=slow, cwd=ROOT)
    assert done.returncode == 141
    assert done.stderr == f"dplit {words[0]}: nobody reads the output any more\n"


def test_a_folder_in_the_place_of_a_result_is_one_line(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["experiment", "rdf/figure-9", "--out", "/"])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and "out must be a file, and / is a folder" in said and said.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="no /proc, a folder that nobody writes")
@pytest.mark.parametrize("words", [("experiment", "rdf/figure-9"), ("verify", "--claim", "rdf/theorem-1")])
def test_a_folder_that_is_not_written_is_one_line(words, capsys):
    assert main([*words, "--out", "/proc/x.json"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"dplit {words[0]}: ") and "x.json" in said and said.count("\n") == 1
    assert "another run" not in said


def test_no_column_vanishes_where_a_terminal_is_too_narrow(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    names = ("name", "task", "records", "bounds", "home")
    shown = table([["iris", "classification", "150", "of judgement", "https://example.org/" + "x" * 60]], names)
    assert all(name in shown.splitlines()[0] for name in names) and "classification" in shown and " 150 " in shown
