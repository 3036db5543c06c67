"""Each release of each estimator has a drawn test that sees the planted bugs, and one in its chapter."""

import importlib
import json
import math
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pytest
from scipy.stats import binom

import tests.power
from dplit import mechanisms
from dplit.court import claims, power
from dplit.ground.work import stream
from tests.power._planting import REGISTERED, planted
from tests.power._variants import budgets

for module in iter_modules(tests.power.__path__):
    if module.name.startswith("plants_"):
        importlib.import_module(f"tests.power.{module.name}")

BOOK = Path(__file__).resolve().parents[2] / "book"
RELEASES = power.releases()
PLANTED = [(name, bug) for name, release in RELEASES.items() for bug in release.bugs]
SAMPLE = [PLANTED[i] for i in sorted(np.random.default_rng(0).permutation(len(PLANTED))[: len(PLANTED) // 6])]


def caught(name, bug):
    with planted(REGISTERED[name][bug]):
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


def test_every_release_is_drawn_in_its_chapter():
    for release in RELEASES.values():
        cells = json.loads((BOOK / f"{release.chapter}.ipynb").read_text("utf-8"))["cells"]
        code = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        assert any("power.show(" in c and f'"{release.name}"' in c for c in code), release.name


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
@pytest.mark.parametrize("name, bug", [p for p in PLANTED if p not in SAMPLE])
def test_every_planted_bug_is_seen(name, bug):
    assert caught(name, bug)


def test_every_bug_of_every_release_is_planted():
    assert {(name, bug) for name, found in REGISTERED.items() for bug in found} == set(PLANTED)
