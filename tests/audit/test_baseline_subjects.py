"""The baselines' audits: as expected in a quick run, and defects that are planted do not pass."""

import numpy as np
import pytest
from scipy.stats import chisquare

from dplit import Continuous, Domain
from dplit.baselines import DPExtraTreesRegressor, RGVClassifier, _shared, fs_rgv, jpw
from dplit.court import audit
from dplit.court.audit.subject import Found, Leak
from dplit.court.audit.subjects import baselines as baseline_subjects
from dplit.ground.work import Effort, stream

SUBJECTS = {s.name: s for s in baseline_subjects.registered()}


# What draws until a leak is caught has its event's chances tested in `test_leaks`, and the power of its draws:
# the audit itself is `-m deep`.
PUBLISHED = [
    pytest.param(n, marks=[pytest.mark.deep] if isinstance(s.check, Leak) else [])
    for n, s in SUBJECTS.items()
    if "published mean" in n or n[0] != "a"
]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_baselines_are_caught(name):
    row = audit.audit_subject(name)
    assert row.ok and row.expected == "caught", row


def test_counts_with_too_little_noise_are_caught(monkeypatch):
    def less(counts, epsilon, rng):
        _, spent = jpw_noise(counts, epsilon, rng)
        loose = np.random.default_rng(rng.integers(2**63))
        return counts + loose.laplace(scale=0.1 / epsilon, size=counts.shape), spent

    jpw_noise = jpw.noisy_counts
    monkeypatch.setattr(jpw, "noisy_counts", less)
    name = "a tree of JPWClassifier"
    found = SUBJECTS[name].check.drawn(150, stream(name))(0.999)
    assert found.found > 1 == found.declared


def test_choices_with_too_much_weight_are_caught(monkeypatch):
    monkeypatch.setitem(fs_rgv.REACH, "majority", 0.02)
    name = "a tree of FSClassifier, replace-one"
    assert SUBJECTS[name].check.drawn(1000, stream(name))(0.999).found > 3


def test_labels_without_noise_are_caught(monkeypatch):
    flip = _shared.flip

    def bare(counts, epsilon, rng):
        return counts.argmax(axis=1), flip(counts, epsilon, rng)[1]

    monkeypatch.setattr(_shared, "flip", bare)
    name = "a tree of DPExtraTreesClassifier"
    found = SUBJECTS[name].check.drawn(250, stream(name))(0.999)
    assert found.found > 1 == found.declared


def test_the_trees_that_rgv_adds_up_follow_the_audited_law():
    """Counts (2, 1): how many of ten trees of depth 0 report the second class; chi-square, 1e-9."""
    check = SUBJECTS["RGV, ten trees that each spend epsilon"].check
    laws = {}

    def spy(declared, law, space, neighbours):
        laws["law"] = law
        return Found(declared, 9.0, "")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(baseline_subjects, "exact_worst", spy)
        check(Effort("quick"), np.random.default_rng(0))
    forest = RGVClassifier(
        1.0, domain=Domain([Continuous(0, 1)]), classes=[0, 1], n_estimators=10 * 500, max_depth=0,
        accounting="published", random_state=5,
    ).fit([[0.5]] * 3, [0, 0, 1])  # fmt: skip
    seen = np.bincount(forest.leaf_labels_.reshape(500, 10).sum(axis=1), minlength=11)
    assert chisquare(seen, 500 * laws["law"](np.array([2, 1]))).pvalue > 1e-9


def test_trees_of_one_fit_are_not_taken_for_draws():
    """They share a centre. As draws they accuse a sound mechanism, whose own fits do not."""
    options = {"domain": Domain([Continuous(0, 1)]), "target_bounds": (0, 1), "max_depth": 0}
    many = options | {"n_estimators": 4000, "epsilon": 4000.0, "partitioned": False}
    sides = [
        DPExtraTreesRegressor(**many, random_state=n).fit([[0.5]] * n, [0.5, 1.0][:n]).leaf_values_ for n in (1, 2)
    ]
    assert audit.bound_from_draws(*sides, 1 - 1e-6).epsilon > 1.0
    row = audit.audit_subject("a tree of DPExtraTreesRegressor")
    assert row.ok and row.declared == 1.0 and row.found < 1.0
