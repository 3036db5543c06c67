"""Changes of the code by machine: what is changed, who runs it, what becomes of it, and the stored run."""

import ast
import signal
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import dplit
from dplit.cli import main
from dplit.court.audit import changes
from dplit.court.audit.changes import reach, sites
from dplit.court.audit.suite import every_subject
from dplit.ground.printed import data_file

TINY = '''
"""A text that stays, 1 + 1."""
LIMIT = 3

@cache(2)
def noise(a: int, b, most=2.0):
    """Another one."""
    if a < 0:
        raise ValueError("a must be at least 0")
    check_integer(b, "b", 1)
    return max(a, b) / (a - b) if not a <= b else -most
'''
LOCKSTEP = "MatrixForestClassifier, what a record moves"
SCALE = "mechanisms.laplace:Laplace.scale: self.sensitivity / self.epsilon -> self.sensitivity * self.epsilon"


def is_there(change):
    """Whether the present source still has the place of a change."""
    return change.key in {c.key for c in changes.changes_of(change.module)}


def by_key(key):
    """The change of a key."""
    return next(c for c in changes.changes_of(key.split(":")[0]) if c.key == key)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(sites, "text_of", lambda module: TINY)
    monkeypatch.setattr(sites, "changes_of", sites.changes_of.__wrapped__)
    return sites.changes_of("tiny")


def test_what_is_changed_and_what_is_left_alone(tiny):
    """By hand: no text, no annotation, no decorator, nothing that only refuses a wrong argument."""
    found = {(c.function, c.before, c.after) for c in tiny}
    returned = "max(a, b) / (a - b) if not a <= b else -most"
    assert found == {
        ("", "3", "4"),
        ("", "2.0", "4.0"),  # a default is computed at import
        ("noise", returned, "max(a, b) / (a - b) if not not a <= b else -most"),
        ("noise", "max(a, b) / (a - b)", "max(a, b) * (a - b)"),
        ("noise", "max(a, b) / (a - b)", "max(a, b)"),
        ("noise", "max(a, b)", "min(a, b)"),
        ("noise", "a - b", "a + b"),
        ("noise", "a - b", "a"),
        ("noise", "not a <= b", "a <= b"),
        ("noise", "a <= b", "a < b"),
        ("noise", "-most", "most"),
    }


def test_a_change_is_made_in_one_place(tiny):
    whole = ast.unparse(ast.parse(TINY)).splitlines()
    for change in tiny:
        other = sites.changed(change).splitlines()
        assert sum(a != b for a, b in zip(whole, other, strict=True)) == 1


def test_a_change_of_a_function_that_was_rewritten_is_named(tiny):
    lost = tiny[0].__class__("tiny", "gone", 1, "off by one", "1", "2", 0)
    with pytest.raises(ValueError, match="no such place in the present source: tiny:gone: 1 -> 2"):
        sites.changed(lost)


def test_draws_are_different_and_few_are_the_first_of_many():
    many = changes.draw(40, seed=3, pattern="mechanisms.*")
    assert len(set(many)) == 40 and {c.module.split(".")[0] for c in many} == {"mechanisms"}
    assert changes.draw(10, seed=3, pattern="mechanisms.*") == many[:10]
    assert changes.draw(10, seed=4, pattern="mechanisms.*") != many[:10]
    assert changes.draw(10, seed=4, pattern="mechanisms.*", made=many[:7])[:7] == many[:7]
    with pytest.raises(ValueError, match="matches the pattern 'nothing'"):
        changes.draw(1, pattern="nothing")


def test_each_module_that_chance_has_missed_gets_a_change():
    drawn = changes.draw(30, seed=3)
    more = changes.missed(drawn, seed=3)
    assert sorted({c.module for c in drawn} | {c.module for c in more}) == sites.modules()
    assert len({c.module for c in more}) == len(more) and not {c.module for c in drawn} & {c.module for c in more}


def test_a_subject_runs_the_lines_that_it_runs():
    """The sampler draws and takes no density; the law of a release of counts is not its business."""
    ours = sites.changes_of("mechanisms.laplace")
    trace = reach.traced("Laplace sampler", {"mechanisms.laplace": {c.line for c in ours}})
    run = {c.function for c in ours if reach.runs(trace, c)}
    assert {"Laplace.scale", "Laplace"} <= run and not run & {"Laplace.pdf", "Laplace.cdf"}


@pytest.mark.parametrize(
    ("function", "subject", "expected"),
    [("cost", "a choice of a column draws its law, squares", True), ("cost", "Laplace sampler", False),
     ("_looks_pure", "a choice of a column draws its law, squares", True),
     ("_choose_exactly", "a tree of RGVClassifier", False)],
)  # fmt: skip
def test_compiled_code_is_followed_by_names(function, subject, expected):
    change = next(c for c in sites.changes_of("trees.greedy_levels") if c.function == function)
    assert reach.is_compiled(change)
    assert reach.runs(reach.traced(subject, {}), change) is expected


def test_an_overload_is_compiled_and_what_calls_it_is_not():
    named = {c.function: reach.is_compiled(c) for c in sites.changes_of("trees.greedy_levels")}
    assert named["_choose"] and named["_grow"] and not named["_one_tree"]
    assert "dplit.trees.greedy" in reach.importers("trees.greedy_levels")


@pytest.mark.parametrize(
    ("key", "subjects", "outcome"),
    [(SCALE, ["Laplace sampler", LOCKSTEP], "accused"),  # epsilon 1 tells no product from a quotient
     (SCALE, ["Laplace sampler"], "survived"), (SCALE, [], "not run")],
)  # fmt: skip
def test_what_becomes_of_a_change(key, subjects, outcome):
    found = changes.outcome_of(by_key(key), subjects)
    assert (found.outcome, found.noticed) == (outcome, outcome == "accused")
    assert found.subject == (LOCKSTEP if outcome == "accused" else "")


def test_a_change_is_asked_about_no_longer_than_its_time(monkeypatch):
    monkeypatch.setattr(changes.drawn, "SECONDS", (10, 10))
    found = changes.outcome_of(by_key(SCALE), ["Laplace sampler"] * 5000 + [LOCKSTEP])
    assert (found.outcome, found.reached) == ("survived", 5001) and 0 < found.asked < 5000


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is a signal of POSIX systems")
@pytest.mark.parametrize(
    ("source", "seconds", "status"), [("while True: pass", 1, -getattr(signal, "SIGXCPU", 0)), ("1 / 0", 60, 0)]
)
def test_a_process_that_does_not_end_is_ended(source, seconds, status):
    task = {"path": sys.path, "module": "dplit.mechanisms.laplace", "source": source, "afresh": []}
    lines, found = changes.audited_apart(task | {"subjects": ["Laplace sampler"], "seconds": seconds})
    assert found == status
    assert len(lines) == (status == 0) and all("ZeroDivisionError" in line for line in lines)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("key", "subject"),
    [("trees.greedy_levels:cost: n - squares / n -> n + squares / n",
      "a choice of a column draws its law, squares"),
     ("trees.subsets:_draw_size: np.log(2.0) -> np.log1p(2.0)", "a choice of a set of levels draws its law")],
)  # fmt: skip
def test_compiled_code_is_compiled_afresh(key, subject):
    """Half a minute: what stands in the cache of the compiler is the sound code."""
    assert changes.outcome_of(by_key(key), [subject]).outcome == "accused"


# The stored run -----------------------------------------------------------------------------------

STORED = changes.stored()
NOTICED = [row for row in STORED["rows"] if row.outcome in ("accused", "leak lost", "crashed")]


def test_the_stored_run_says_where_it_comes_from():
    assert STORED["command"].startswith("dplit audit --mutate")
    assert STORED["date"] and STORED["versions"]
    words = STORED["command"].split()
    asked = int(words[words.index("--mutate") + 1])
    assert len(STORED["rows"]) == asked + STORED["spread"] or STORED["interrupted"]
    assert len({row.change.key for row in STORED["rows"]}) == len(STORED["rows"])
    assert {row.subject for row in STORED["rows"]} - {""} <= every_subject().keys()
    changed = {row.change.module for row in STORED["rows"]}
    assert not set(sites.modules()) - changed, "go on with `dplit audit --mutate N --stored`"
    present = [row for row in STORED["rows"] if is_there(row.change)]
    assert len(present) > len(STORED["rows"]) / 2, "the code is another one: make the run again"
    assert data_file("results/audit/changes.json").stat().st_size < 400_000


def test_all_that_was_not_noticed_has_a_reason():
    assert changes.summary(STORED["rows"])["unexplained"] == 0


def test_every_reason_is_one_of_a_change_that_was_made():
    assert changes.reasons().keys() <= {row.change.key for row in STORED["rows"]}


@pytest.mark.parametrize("row", NOTICED[:1], ids=lambda row: row.change.key)
def test_a_part_of_the_stored_run_once_more(row):
    if not is_there(row.change):
        pytest.skip("its function was rewritten since")
    found = changes.outcome_of(row.change, [row.subject])
    assert (found.outcome, found.subject) == (row.outcome, row.subject)


@pytest.mark.deep
@pytest.mark.parametrize("row", NOTICED[1:], ids=lambda row: row.change.key)
def test_the_rest_of_what_was_noticed_once_more(row):
    test_a_part_of_the_stored_run_once_more(row)


def test_the_command(monkeypatch, capsys):
    """A survivor without a reason is a failure; with one it is none."""
    row = changes.Outcome(by_key(SCALE), "survived", "", 3, 2, "")
    for reason, status in (("", 1), ("it does no harm", 0)):
        monkeypatch.setattr(changes, "run", lambda *given, r=reason: iter([row._replace(reason=r)]))
        monkeypatch.setattr(changes, "draw", lambda *given: [row.change])
        assert main(["audit", "--mutate", "1", "--module", "mechanisms.laplace"]) == status
        out = capsys.readouterr().out
        assert "survived" in out and reason in out and f"{status} unexplained" in out
    assert main(["audit", "--mutate", "1", "--json"]) == 0
    assert '"counts"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "refusal"),
    [(["--module", "trees.*"], "--module: needs --mutate"), (["--most", "3"], "--most: needs --mutate"),
     (["--mutate", "3", "--seeds", "2"], "--mutate: is of quick audits"),
     (["--mutate", "3", "--module", "nothing"], "matches the pattern 'nothing'")],
)  # fmt: skip
def test_options_that_do_not_go_together(words, refusal, capsys):
    with pytest.raises(SystemExit):
        main(["audit", *words])
    assert refusal in capsys.readouterr().err


def test_each_pattern_of_the_modules_that_decide_privacy_names_one():
    """Else a file that was renamed or came later is swept no more, and nobody notices."""
    for pattern in sites.DECIDING:
        assert any(_matches(name, [pattern]) for name in sites.modules()), pattern
    for pattern in sites.NOT_DECIDING:
        assert any(_matches(name, [pattern]) for name in _every_module()), pattern
    assert {"forests.preset", "forests.reading", "domain.schema"} <= set(sites.modules())


def _every_module():
    root = Path(dplit.__file__).parent
    return [".".join(p.relative_to(root).with_suffix("").parts) for p in root.rglob("*.py")]


def _matches(name, patterns):
    return any(fnmatchcase(name, pattern) for pattern in patterns)
