"""The baselines' audits: as expected in a quick run, and defects that are planted do not pass."""

import numpy as np
import pytest
from scipy.stats import chisquare

from dplit import Continuous, Domain, audit
from dplit.audit.subject import Found
from dplit.audit.subjects import baselines as baseline_subjects
from dplit.baselines import FSClassifier, RGVClassifier, _shared, fs_rgv, jpw
from dplit.work import Effort

SUBJECTS = {s.name: s for s in baseline_subjects.registered()}


@pytest.mark.parametrize("name", SUBJECTS)
def test_subject_is_as_expected(name):
    """False alarm of each, were the seed not fixed: 1e-6; a leak is missed once in 100,000."""
    row = audit.audit_subject(name)
    assert row.ok, row
    assert (row.expected == "caught") == ("published mean" in name or name[:3] in ("JPW", "RGV"))


def test_counts_with_too_little_noise_are_caught(monkeypatch):
    def less(counts, epsilon, rng):
        _, spent = jpw_noise(counts, epsilon, rng)
        return counts + rng.laplace(scale=0.1 / epsilon, size=counts.shape), spent

    jpw_noise = jpw.noisy_counts
    monkeypatch.setattr(jpw, "noisy_counts", less)
    row = audit.audit_subject("a tree of JPWClassifier")
    assert not row.ok and row.found > 1


def test_choices_with_too_much_weight_are_caught(monkeypatch):
    monkeypatch.setitem(fs_rgv.REACH, "majority", 0.02)
    row = audit.audit_subject("a tree of FSClassifier, replace-one", "reader")
    assert not row.ok and row.found > 3


def test_labels_without_noise_are_caught(monkeypatch):
    flip = _shared.flip

    def bare(counts, epsilon, rng):
        return counts.argmax(axis=1), flip(counts, epsilon, rng)[1]

    monkeypatch.setattr(_shared, "flip", bare)
    row = audit.audit_subject("a tree of DPExtraTreesClassifier")
    assert not row.ok and row.found > 1


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


def test_many_trees_are_draws_of_one():
    """What a fit of many trees makes is what as many fits of one make; chi-square, 1e-9."""
    one = FSClassifier(2.0, domain=Domain([Continuous(0, 1)]), classes=[0, 1], max_depth=0)
    data = np.array([[0.5]]), np.array([1])
    rng = np.random.default_rng(2)
    many = baseline_subjects._Trees(one, baseline_subjects._released).draw_many(data, 2000, rng)
    assert one.epsilon == 2.0
    labels = np.bincount([label for _, _, label in many])
    # permute-and-flip with counts 0 and 1 at a rate of 2
    minority = np.exp(-2.0) / 2
    assert chisquare(labels, 2000 * np.array([minority, 1 - minority])).pvalue > 1e-9
