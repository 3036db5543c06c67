"""The audit of the package itself: sound subjects stay within, leaks are caught."""

import pickle

import numpy as np
import pytest
from scipy.stats import chi2

from dplit import Continuous, Domain, audit
from dplit.mechanisms import PermuteAndFlip

EXACT = [s.name for s in audit.subjects() if s.method == "exact"]
SAMPLERS = [s.name for s in audit.subjects() if s.name.endswith("sampler")]
FORESTS = [s.name for s in audit.subjects("quick") if s.name.startswith("RandomDecisionForest")]


def test_every_subject_is_of_one_kind_and_has_its_own_name():
    names = [s.name for s in audit.subjects()]
    assert len(set(names)) == len(names)
    assert {s.expected for s in audit.subjects()} == {"within", "caught"}
    assert len(audit.subjects("quick")) < len(audit.subjects("deep"))


@pytest.mark.parametrize("name", EXACT + SAMPLERS)
def test_subject_is_as_expected(name):
    row = audit.audit_subject(name)
    assert row.ok, row
    assert row.ok == ((row.found > row.declared * (1 + 1e-9)) == (row.expected == "caught"))
    assert pickle.loads(pickle.dumps(row)) == row


def test_a_leak_where_none_is_expected_is_not_ok(monkeypatch):
    from dplit.audit import suite

    smooth = next(s for s in suite._SUBJECTS if "theorem 1" in s.name)
    wrong = suite.Subject(smooth.name, smooth.method, "within", smooth.check)
    monkeypatch.setattr(suite, "_SUBJECTS", (wrong,))
    assert not next(iter(audit.run())).ok


def test_caught_rows_name_the_first_violation():
    row = audit.audit_subject("smooth-sensitivity label (RDF, theorem 1)")
    assert "first broken by (1, 0, 0) and (2, 0, 0), outcome 1: 1.969" in row.detail
    assert row.found > 100


def test_run_repeats_itself_with_its_seed(monkeypatch):
    from dplit.audit import suite

    few = tuple(s for s in suite._SUBJECTS if s.name in SAMPLERS)
    monkeypatch.setattr(suite, "_SUBJECTS", few)
    rows = list(audit.run(seed=1))
    assert [r.subject for r in rows] == SAMPLERS
    assert rows == list(audit.run(seed=1)) != list(audit.run(seed=2))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: audit.run("hard"), "effort must be"),
        (lambda: audit.run(seed=-1), "seed must be"),
    ],
)
def test_errors_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    with pytest.raises(KeyError, match="no subject"):
        audit.audit_subject("nothing")


# --- the forest


@pytest.mark.parametrize("name", FORESTS)
def test_forest_is_as_expected(name):
    """False alarm of a row that should stay within: 1e-6. The seed is fixed."""
    pytest.importorskip("dplit.forests")
    row = audit.audit_subject(name)
    assert row.ok, row


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("accounting", ["proved", "published"])
def test_the_forests_draws_follow_the_exact_law(accounting):
    """Chi-square of 600 fits against the enumerated law, trees fixed; false alarm 1e-6."""
    forests = pytest.importorskip("dplit.forests")
    estimator = forests.RandomDecisionForestClassifier(
        epsilon=2.0,
        domain=Domain([Continuous(0, 1)]),
        classes=[0, 1],
        n_estimators=2,
        max_depth=1,
        accounting=accounting,
    )
    data = np.array([[0.1], [0.4], [0.9]]), np.array([0, 1, 1])
    mechanism, rng = audit.FreshFit(estimator, structure=5), np.random.default_rng(0)
    fits = [mechanism(data, rng) for _ in range(600)]
    leaves = fits[0].apply(data[0])
    assert all((fit.apply(data[0]) == leaves).all() for fit in fits)
    drawn = np.zeros((2,) * fits[0].trees_.n_leaves)
    for fit in fits:
        drawn[tuple(fit.leaf_labels_)] += 1
    labels = PermuteAndFlip(2.0, monotonic=True).pmf
    assignment = "independent" if accounting == "proved" else "equal-parts"
    n_leaves = np.diff(fits[0].trees_.leaf_starts).tolist()
    law = audit.forest_law(leaves, data[1], n_leaves, 2, labels, assignment)
    statistic = ((drawn - 600 * law) ** 2 / (600 * law)).sum()
    assert statistic < chi2.isf(1e-6, law.size - 1)
