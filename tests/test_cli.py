"""The command line: its exit status, its JSON, its errors, and the same answers on a cluster."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import textwrap
import types
from collections import namedtuple
from importlib import import_module
from pathlib import Path

import distributed
import pandas as pd
import pytest

import dplit
from dplit import datasets
from dplit.cli import COMMANDS, main, parser, verify
from dplit.cli.datasets import describe
from dplit.court import claims
from dplit.court.audit.subject import FALSE_ALARM
from dplit.court.ledger import Evidence
from dplit.court.ledger import registry as core
from dplit.court.ledger.compare import private
from dplit.datasets import registry
from dplit.ground.errors import MissingExtra


def _draw(effort, rng):
    return Evidence("holds", "exact", f"drew {rng.random()}", published=0.5, computed=rng.random())


def _fail(effort, rng):
    return Evidence("fails", "exact", "two is not three", counterexample={"two": 2, "inf": float("inf")})


def _raise(effort, rng):
    raise RuntimeError("the check broke")


def _spin(effort, rng):
    while True:
        pass


@pytest.fixture
def ledger():
    """A ledger of fakes alone: two claims that are as declared, in two papers."""
    claims.all()  # so that every docket is loaded, and loads no more
    kept = dict(core._registry)
    core._registry.clear()
    core.claim("mrf/draws", "lemma 1", "holds")(_draw)
    core.claim("rdf/differs", "lemma 2", "fails")(_fail)
    yield core._registry
    core._registry.clear()
    core._registry.update(kept)


def answer(capsys, *arguments):
    """Exit status and parsed JSON of ``dplit verify --json``."""
    status = main(["verify", "--json", "--jobs", "1", *arguments])
    return status, json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    """What is said on stderr when arguments are bad; the exit status is then 2."""
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    assert stop.value.code == 2
    return capsys.readouterr().err


def test_json_holds_everything(ledger, capsys):
    status, found = answer(capsys, "--seed", "3", "--effort", "reader")
    assert (status, found["ok"], found["seed"], found["effort"]) == (0, True, 3, "reader")
    assert set(found["versions"]) == {"python", "numpy", "scipy", "dplit"}
    assert found["versions"]["dplit"] == dplit.__version__
    assert found["totals"] == {"fails": 1, "holds": 1}
    draws, differs = found["claims"]
    assert (draws["id"], draws["declared"], draws["computed"]) == ("mrf/draws", "holds", "holds")
    assert draws["evidence"]["published"] == 0.5
    assert differs["evidence"]["counterexample"] == {"two": 2, "inf": "inf"}


def test_table(ledger, capsys):
    assert main(["verify", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"mrf/draws +lemma 1 +holds +holds +exact +1 +\d+\.\d\d\n", out)
    assert "rdf/differs: two is not three" in out
    assert out.endswith("2 claims: 1 holds, 1 fails; all as declared\n")


def _lacks(effort, rng):
    raise MissingExtra("certificates need a package: pip install it")


def test_a_claim_that_lacks_an_extra_is_skipped_and_stays_due(ledger, capsys, tmp_path):
    core.claim("rdf/certified", "", "holds")(_lacks)
    core.claim("rdf/also", "", "holds")(_lacks)
    out, junit = tmp_path / "deep.json", tmp_path / "a.xml"
    assert main(["verify", "--jobs", "1", "--out", str(out), "--junit", str(junit)]) == 0
    said = capsys.readouterr().out
    assert said.count("skipped: certificates need a package: pip install it\n") == 1
    assert said.endswith("4 claims: 1 holds, 1 fails, 2 skipped; the others as declared\n")
    assert {*json.loads(out.read_text())["claims"]} == {"mrf/draws", "rdf/differs"}
    assert 'errors="0" skipped="2"' in junit.read_text()
    assert main(["verify", "--claim", "rdf/also"]) == 0
    assert capsys.readouterr().out.endswith("1 claim: 1 skipped; none was decided\n")
    core.claim("rdf/broken", "", "holds")(_raise)
    status, found = answer(capsys)
    assert (status, found["totals"]) == (1, {"error": 1, "fails": 1, "holds": 1, "skipped": 2})


def test_a_limit_cuts_off_and_a_file_is_gone_on_with(ledger, capsys, tmp_path):
    core.claim("rdf/slow", "", "holds")(_spin)
    out = str(tmp_path / "deep.json")
    words = ["verify", "--jobs", "1", "--limit", "1", "--out", out]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert said.endswith("3 claims: 1 holds, 1 fails, 1 cut off; the others as declared\n")
    verdicts = {k: row["verdict"] for k, row in json.loads(Path(out).read_text())["claims"].items()}
    assert verdicts == {"mrf/draws": "holds", "rdf/differs": "fails", "rdf/slow": "cut off"}
    core.claim("rdf/new", "", "holds")(_draw)
    assert main(words) == 0
    assert "1 claim: 1 holds; all as declared" in capsys.readouterr().out
    assert "the file's seed is 0, not 2" in refused(capsys, *words, "--seed", "2")
    assert "--limit: does not go with" in refused(capsys, *words, "--set", "epsilon=1")


def test_a_file_that_cannot_be_written_is_one_line_before_the_work(ledger, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(verify, "collected", lambda *_: pytest.fail("was checked"))
    places = (tmp_path / "no" / "a.json", "No such file"), ("/dev/full", "a device"), ("/", "a folder")
    for out, why in places:
        for option in ("--out", "--junit", "--sarif"):
            assert main(["verify", "--jobs", "1", option, str(out)]) == 1
            said = capsys.readouterr().err
            assert said.startswith(f"dplit verify: {out}: ") and why in said and said.count("\n") == 1


def test_another_verdict_than_declared_is_status_one(ledger, capsys):
    core.claim("rdf/wrong", "", "leaks")(_fail)
    status, found = answer(capsys)
    assert (status, found["ok"]) == (1, False)
    assert [row["id"] for row in found["claims"] if not row["ok"]] == ["rdf/wrong"]
    assert answer(capsys, "--claim", "rdf/differs")[0] == 0


def test_a_crash_is_status_one_and_loses_no_other(ledger, capsys):
    core.claim("rdf/breaks", "", "holds")(_raise)
    status, found = answer(capsys)
    assert status == 1 and [row["ok"] for row in found["claims"]] == [True, False, True]
    error = found["claims"][1]["error"]
    assert error.startswith("RuntimeError: the check broke (") and "test_cli.py:" in error


def test_a_check_at_ones_own_parameters_is_status_zero(ledger, capsys):
    def check(effort, rng, epsilon=(0.5,)):
        yield from (private(2 * e, 1.0) for e in epsilon)
        return "twice"

    core.claim("rdf/varies", "", "holds", quantity="privacy loss")(check)
    for epsilon, verdict in ((0.25, "loose"), (3, "leaks")):
        options = ["--claim", "rdf/*", "--set", f"epsilon={epsilon}"]
        status, (found,) = answer(capsys, *options)
        assert (status, found["id"], found["evidence"]["verdict"]) == (0, "rdf/varies", verdict)
    assert main(["verify", "--set", "epsilon=3"]) == 0
    out = capsys.readouterr().out
    assert "rdf/varies, with epsilon = 3: leaks" in out
    assert "privacy loss: must be at most 1, is 6" in out
    assert "--set: no chosen claim has" in refused(capsys, "verify", "--set", "beta=3")
    assert "--set: must be NAME=VALUE" in refused(capsys, "verify", "--set", "epsilon")


def test_one_claim_is_shown(capsys):
    assert main(["claims", "show", "rdf/smooth-exponential"]) == 0
    out = capsys.readouterr().out
    assert "verdict: leaks" in out and max(map(len, out.splitlines())) <= 100
    assert main(["claims", "show", "rdf/smooth-exponential", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counterexample"]
    assert "the nearest are rdf/theorem-1" in refused(capsys, "claims", "show", "rdf/theorem-11")


def test_the_ledger_is_exported(capsys):
    def printed(*options):
        assert main(["claims", "export", "--paper", "m-rf", *options]) == 0
        return capsys.readouterr().out

    ids = [c.id for c in claims.all("m-rf")]
    assert [r["id"] for r in json.loads(printed())] == ids
    assert len(printed("--format", "csv").splitlines()) == 1 + len(ids)
    assert printed("--format", "bib", "--site", "https://example.org").count("@misc{dplit-m-rf-") == len(ids)
    errata = json.loads(printed("--format", "errata"))
    assert list(errata) == ["m-rf"] and {e["id"] for e in errata["m-rf"]} < set(ids)
    assert "--paper: invalid choice: 'rfd' (choose from" in refused(capsys, "claims", "export", "--paper", "rfd")


def test_selection(ledger, capsys):
    ids = lambda *options: [row["id"] for row in answer(capsys, *options)[1]["claims"]]  # noqa: E731
    assert ids("--claim", "rdf/*") == ids("--paper", "rdf") == ["rdf/differs"]
    assert ids("--claim", "rdf/differs", "--claim", "*/draws") == ["mrf/draws", "rdf/differs"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--claim", "rdf/difers"], "no claim has the id 'rdf/difers'; the nearest are rdf/differs"),
        (["--paper", "rfd"], "--paper: invalid choice: 'rfd' (choose from 'diprime-v1', 'diprime-v2', 'mrf',"),
        (["--paper", "m-rf"], "no claim fits the selection"),
        (["--effort", "hard"], "--effort: invalid choice: 'hard'"),
        (["--jobs", "0"], "--jobs: must be -1 or a whole number of at least 1, got '0'"),
        (["--seed", "-3"], "--seed"),
        (["--seed", "x"], "--seed: must be a whole number of at least 0, got 'x'"),
        (["--dask", "127.0.0.1"], "--dask: no scheduler with a worker answers at '127.0.0.1'"),
    ],
)
def test_bad_arguments_are_named(ledger, capsys, arguments, message):
    assert message in refused(capsys, "verify", *arguments)


def test_no_command_and_unknown_command(capsys):
    assert "COMMAND" in refused(capsys)
    assert "verify" in refused(capsys, "very")


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0 and capsys.readouterr().out == f"dplit {dplit.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_every_option(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    out = capsys.readouterr().out
    assert stop.value.code == 0 and f"examples:\n  dplit {command}" in out
    assert "--json" in out and max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_are_valid_arguments(command):
    import shlex

    for line in COMMANDS[command].EXAMPLES.splitlines()[1:]:
        words = shlex.split(line.split("   ")[0].split(">")[0])
        assert parser().parse_args(words[1:]).run is COMMANDS[command].run


def test_help_names_every_paper(capsys):
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    out = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join([*core.PAPERS][:-1])} or ours" in out


def test_interrupted_work_prints_what_was_done():
    script = """
        import signal
        import time
        from dplit.court import claims
        from dplit.court.ledger import registry as core
        from dplit.court.ledger import Evidence
        from dplit.cli import main

        def fast(effort, rng):
            return Evidence("holds", "exact", "done")

        def slow(effort, rng):
            print("slow", flush=True)
            time.sleep(60)

        # a shell's background job ignores interrupts, and so would this process
        signal.signal(signal.SIGINT, signal.default_int_handler)
        claims.all()
        core._registry.clear()
        core.claim("rdf/fast", "", "holds")(fast)
        core.claim("rdf/slow", "", "holds")(slow)
        raise SystemExit(main(["verify", "--jobs", "1"]))
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "slow\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "rdf/fast" in out and "rdf/slow" not in out and out.endswith("as declared\n")
    assert err == "interrupted: 1 of 2 claims were checked\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_is_no_traceback(unbuffered):
    command = f"{sys.executable} -m dplit verify --help | true; exit ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, env=environment)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full, a disk without room")
def test_no_room_for_the_output_is_one_line():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "dplit", "datasets", "iris"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "dplit: No space left on device\n")


@pytest.mark.cluster
def test_a_cluster_gives_the_same_answers(ledger, capsys):
    core._registry.update({f"rdf/draws-{i}": vary(i) for i in range(6)})
    core.claim("rdf/breaks", "", "holds")(_raise)
    here = answer(capsys)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        processes = {*cluster.get_client().run(os.getpid).values()}
        assert len(processes) == 2 and os.getpid() not in processes
        there = answer(capsys, "--dask", cluster.scheduler_address)
    for status, found in (here, there):
        assert status == 1
        for row in found["claims"]:
            row["seconds"] = 0
    assert there == here


def vary(i):
    """A claim of its own name, so that it has draws of its own."""
    return core.Claim(f"rdf/draws-{i}", "rdf", "", "", "holds", lambda effort, rng: _draw(effort, rng))


def test_the_ledger_of_fakes_is_gone():
    assert not {"mrf/draws", "rdf/breaks"} & {c.id for c in claims.all()}


@pytest.fixture
def stand_in(monkeypatch):
    """Put an object in the place of a module of the package."""

    def put(name, **attributes):
        module = types.SimpleNamespace(**attributes)
        home = import_module(f"dplit.{name}").__name__.rpartition(".")[0]  # of the court's, too
        monkeypatch.setitem(sys.modules, f"{home}.{name}", module)
        monkeypatch.setattr(import_module(home), name, module)

    return put


def select(patterns, effort, expected):
    """Names of the rows below."""
    return "a noisy count", LEAK


LEAK = "a leak " + "of many words " * 6
Audited = namedtuple("Audited", "subject method declared found expected miss ok detail")


@pytest.mark.parametrize(("found", "status"), [(0.9, 0), (1.1, 1), (math.inf, 1)])
def test_audit(found, status, stand_in, capsys):
    seen = {}

    def run(*options, names, epsilon, timed):
        seen.update(zip(("effort", "seed", "jobs"), options), names=names, epsilon=epsilon)
        yield Audited("a noisy count", "exact", 1.0, found, "within", None, found <= 1, "at 3 and 4")
        yield Audited(LEAK, "black box", 1.0, 2.5, "caught", 1e-5, True, "at 0")

    stand_in("audit", run=run, select=select)
    assert main(["audit", "--seed", "4", "--effort", "deep", "--jobs", "2"]) == status
    work = {"effort": "deep", "seed": 4, "jobs": 2}
    assert seen == work | {"names": ("a noisy count", LEAK), "epsilon": None}
    out = capsys.readouterr().out
    assert LEAK.strip() in out
    assert re.search(r"a noisy count +exact +1 +" + f"{found:g} +within +- +" + ("NO", "yes")[not status], out)
    assert ("a noisy count: at 3 and 4" in out) is bool(status)
    assert out.rstrip().endswith(("all as expected", "1 not as expected")[status])

    assert main(["audit", "--json"]) == status
    read = json.loads(capsys.readouterr().out)
    assert read["ok"] is (status == 0) and read["false_alarm"] == FALSE_ALARM
    assert read["rows"][0]["found"] == (found if math.isfinite(found) else "inf")


def test_an_audit_of_nothing_is_not_a_success(stand_in, capsys):
    stand_in("audit", select=select, run=lambda *options, **chosen: iter(()))
    assert main(["audit", "--json"]) == 1


def test_options_of_an_audit_that_do_not_go_together(stand_in, capsys):
    stand_in("audit", select=select)
    assert "--seeds: must be a whole number of at least 1" in refused(capsys, "audit", "--seeds", "0")
    assert "--share: needs --seeds" in refused(capsys, "audit", "--share", "0.1")
    both = ("audit", "--seeds", "2", "--epsilon", "3")
    assert "--epsilon: does not go with --seeds" in refused(capsys, *both)


def test_a_data_set_is_described_without_its_file(monkeypatch, capsys):
    monkeypatch.setattr(datasets.loading, "read", lambda entry: 1 / 0)
    assert main(["datasets", "Adult"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("adult: ") and "classes: <=50K, >50K" in out
    assert re.search(r"age +\[17, 90\] +\S+\n", out) and re.search(r"sex +2 levels: ", out)
    assert "records: 48842\n" in out or "records: 32561\n" in out

    assert main(["datasets", "internet-ads", "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert read["columns"] and all(column["source"] for column in read["columns"])


@pytest.mark.parametrize("name", datasets.names())
def test_what_is_described_is_what_is_loaded(name, capsys):
    if not datasets.available(name) or registry.entry(name).records > 20_000:
        pytest.skip("the file is large, or not here")
    data = datasets.load(name, missing="keep")
    found = describe(registry.entry(name))
    assert found["records"] == len(data) and found["classes"] == (data.classes and list(data.classes))
    assert found["title"] == data.title and found["licence"] == data.licence
    if len(found["columns"]) == len(data.domain):
        for shown, column in zip(found["columns"], data.domain):
            levels = getattr(column, "levels", None)
            assert shown.get("levels") == (levels and list(levels))
            if shown.get("bounds"):
                assert shown["bounds"] == [column.lower, column.upper]


def test_an_unknown_data_set(capsys):
    assert "argument NAME: name must be a data set" in refused(capsys, "datasets", "adlut")
    assert "did you mean 'adult'? `dplit datasets` lists all" in refused(capsys, "datasets", "adlut")


def test_an_unknown_command_gets_near_names(capsys):
    assert "there is no command 'verfiy'; the nearest are verify" in refused(capsys, "verfiy")


def test_claims_are_listed_without_a_check(ledger, capsys):
    assert main(["verify", "--list"]) == 0
    assert capsys.readouterr().out == "mrf/draws\nrdf/differs\n"
    assert main(["verify", "--list", "--paper", "rdf", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == ["rdf/differs"]


def test_one_chapters_claims_are_listed(capsys):
    assert main(["verify", "--list", "--chapter", "majority", "--chapter", "depth"]) == 0
    found = capsys.readouterr().out.split()
    assert set(found) == {c.id for stem in ("majority", "depth") for c in claims.of(stem)}
    assert "no chapter 'majorty' has claims" in refused(capsys, "verify", "--chapter", "majorty")


def test_data_sets_are_listed(stand_in, capsys):
    rows = {"name": ["a", "bc"], "records": [10, 2000], "home": ["https://example.org/" + "x" * 99, ""]}
    stand_in("datasets", table=lambda: pd.DataFrame(rows))
    assert main(["datasets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == f"a          10  {rows['home'][0]}" and lines[3] == "bc       2000"
    assert main(["datasets", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[1] == {"name": "bc", "records": 2000, "home": ""}


def test_the_packages_own_data_sets(capsys):
    assert main(["datasets", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(datasets.names())
    assert main(["datasets", "car", "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert read["records"] == 1728 and all(column["source"] for column in read["columns"])
    assert "car" in refused(capsys, "datasets", "carr")
