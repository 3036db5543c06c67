"""The exact audits of matrix releases: what is found, and that each one finds what it is for."""

import math

import numpy as np
import pytest

from dplit.court import audit
from dplit.court.audit.subjects import matrix as subjects
from dplit.mechanisms import Laplace

NAMES = [s.name for s in subjects.registered()]
WITHIN = [s.name for s in subjects.registered() if s.expected == "within" and "draws its law" not in s.name]


@pytest.mark.parametrize("name", WITHIN)
def test_a_calibrated_release_loses_exactly_its_epsilon(name):
    row = audit.audit_subject(name)
    assert row.ok and row.declared == 1.0
    assert row.found == pytest.approx(1.0)


@pytest.mark.parametrize(
    "name, found",
    [
        ("matrix release, add-remove noise under replace-one", 2.0),
        ("matrix release, difference at the add-remove noise under replace-one", 2.0),
        ("votes of subsamples, shuffled and cut", math.log(math.e / 2 + math.exp(3) / 2)),
        ("votes of queries that are training records", math.inf),
    ],
)
def test_what_is_caught(name, found):
    """Two trees and one record: the new one moves it in half of all cases, and that is three steps."""
    row = audit.audit_subject(name)
    assert row.ok and row.expected == "caught"
    assert row.found == pytest.approx(found, rel=1e-9)


def test_sixteen_trees_come_to_2_94():
    row = audit.audit_subject("votes of subsamples, 16 trees, shuffled and cut")
    assert row.ok and row.found == pytest.approx(math.log(math.e / 16 + 15 / 16 * math.exp(3)))


def test_a_strategy_that_the_records_choose_has_no_bound():
    row = audit.audit_subject("matrix release, strategy chosen on the records")
    assert row.ok and row.found > 5


def test_a_release_with_less_noise_is_not_within(monkeypatch):
    def less(strategy, *_):
        return Laplace(1.0, 1.0) if strategy.independent else strategy.noise(2.0, 1.0)

    monkeypatch.setattr(subjects, "noise_of", less)
    rows = [audit.audit_subject(name) for name in WITHIN if "leaves" in name or "replace-one" in name]
    assert not any(row.ok for row in rows if "difference" not in row.subject and "votes of" not in row.subject)


def test_the_search_finds_the_replaced_record():
    from dplit.court.audit import search

    case = search.rediscover("matrix release at its add-remove noise under replace-one")
    assert case.loss == pytest.approx(2.0)
    (first,), (second,) = case.data, case.neighbour
    assert first[0] == second[0] and first[1] != second[1], "the same cell, the other class"


def test_names_are_unique():
    assert len(set(NAMES)) == len(NAMES) == np.unique(NAMES).size
