"""Each release of each estimator has a drawn test that sees the planted bugs, and one in its chapter."""

import ast
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from dplit import mechanisms
from dplit.court import audit, claims, power
from dplit.ground.work import stream
from tests.power import planted_bugs
from tests.power._planting import planted
from tests.power._variants import budgets

PLANTED = {(name, bug): mutant for name, bug, mutant in planted_bugs()}
BOOK = Path(__file__).resolve().parents[2] / "book"
RELEASES = power.releases()
ORDER = sorted(PLANTED)  # the ledger's claims on releases see each, and are asked in every run of the tests
SAMPLE = [ORDER[i] for i in sorted(np.random.default_rng(0).permutation(len(ORDER))[: len(ORDER) // 12])]


def caught(name, bug):
    with planted(PLANTED[name, bug]):
        return power.drawn(name, stream(f"{name}: {bug}")).refused


# The list of releases, read off budget trees ----------------------------------------------------


def of_node(release, estimator, node):
    same = release.estimator == f"forests.{estimator}" and release.node == node.name
    return same and release.mechanism in node.mechanism


def test_every_node_that_spends_has_a_release():
    """Each leaf of the budget trees of all estimators is what exactly one drawn test is about."""
    missing = [
        (estimator, node.name, node.mechanism)
        for estimator, node in budgets()
        if sum(of_node(r, estimator, node) for r in RELEASES.values()) != 1
    ]
    assert missing == []


def test_every_mechanism_has_a_release():
    names = {f"mechanisms.{name}" for name in mechanisms.__all__}
    assert names <= {r.estimator for r in RELEASES.values()}


def test_every_release_is_of_a_node_or_a_mechanism():
    forests = [r for r in RELEASES.values() if r.estimator.startswith("forests.")]
    assert [r.name for r in forests if not any(of_node(r, *found) for found in budgets())] == []


def shown(chapter):
    """Names of the releases that a chapter's cells draw; nodes may have been named in a tuple before."""
    cells = json.loads((BOOK / f"{chapter}.ipynb").read_text("utf-8"))["cells"]
    for cell in (c for c in cells if c["cell_type"] == "code"):
        tree = ast.parse("".join(cell["source"]))
        tuples = [n for n in tree.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Tuple)]
        known = {ast.unparse(n.targets[0]): n.value.elts for n in tuples}
        for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
            args = [known.get(ast.unparse(a.value), []) if isinstance(a, ast.Starred) else [a] for a in call.args]
            given = [a.value for part in args for a in part if isinstance(a, ast.Constant)]
            called = ast.unparse(call.func).removeprefix("power.")
            yield from given if called == "show" else power.of(*given) if called == "of" else ()


def test_every_release_is_drawn_in_its_chapter():
    drawn = {chapter: set(shown(chapter)) for chapter in {r.chapter for r in RELEASES.values()}}
    assert [r.name for r in RELEASES.values() if r.name not in drawn[r.chapter]] == []


def test_every_release_is_judged_in_the_ledger():
    says = {c.says for c in claims.all()}
    assert [r.name for r in RELEASES.values() if r.statement not in says] == []


# The test itself ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RELEASES)
def test_false_alarms_and_power_are_as_stated(name):
    """By sums over all counts: of each event beyond its limits by the law, and by each bug's law."""
    test = power.drawn_test(name)
    hits = np.arange(test.draws + 1)
    alarm = 0.0
    for event in {e.members: e for e in test.events}.values():  # one event may show two bugs
        out = (hits < event.least) | (hits > event.most)
        alarm += binom.pmf(hits[out], test.draws, event.chance).sum()
    assert alarm <= power.FALSE_ALARM * (1 + 1e-9)
    law = RELEASES[name].law()
    for event in test.events:
        other = RELEASES[name].law(**power.BUGS[event.bug])
        out = (hits < event.least) | (hits > event.most)
        chance = min(1.0, math.fsum(other.get(o, 0.0) for o in event.members))
        excluded = math.fsum(p for o, p in other.items() if not law.get(o))
        seen = max(binom.pmf(hits[out], test.draws, chance).sum(), 1 - (1 - excluded) ** test.draws)
        assert seen >= power.POWER - 1e-9
        assert event.power == pytest.approx(seen, abs=1e-9)


@pytest.mark.parametrize("name, bug", SAMPLE)
def test_a_planted_bug_is_seen(name, bug):
    assert caught(name, bug)


@pytest.mark.deep
@pytest.mark.parametrize("name, bug", [p for p in ORDER if p not in SAMPLE])
def test_every_planted_bug_is_seen(name, bug):
    assert caught(name, bug)


@pytest.mark.parametrize("name", ["MedianForestClassifier, class of a leaf"])
def test_the_audit_draws_it_too(name):
    subject = f"{name} draws its law, with known power"
    assert audit.audit_subject(subject).ok
    with planted(PLANTED[name, "1.5 times its epsilon"]):
        assert not audit.audit_subject(subject).ok
    assert {f"{name} draws its law, with known power" for name in RELEASES} <= {s.name for s in audit.subjects()}


def test_every_bug_of_every_release_is_planted():
    every = {(name, bug) for name, release in RELEASES.items() for bug in release.bugs}
    assert every <= PLANTED.keys() and {name for name, _ in PLANTED} == RELEASES.keys()


def test_the_stored_table_is_of_these_bugs_and_each_was_seen_by_all():
    found = power.stored()
    assert found["command"] == "python -m tests.power" and found["date"] and found["versions"]
    assert {(r["release"], r["bug"]) for r in found["rows"]} == PLANTED.keys()
    assert [r for r in found["rows"] if not (r["chapter"] and r["ledger"] and r["audit"])] == []
