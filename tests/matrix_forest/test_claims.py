"""Claims on the matrix forest: what is broken is seen."""

import pytest

from dplit import matrix
from dplit.court import claims
from dplit.court.claims.matrix_forest import histogram
from dplit.forests import matrix_plan, matrix_releases

OURS = claims.of("matrix_forest")


def verdict(name):
    return OURS[f"m-rf/ours/{name}"].check().verdict


def test_a_release_with_less_noise_is_seen(monkeypatch):
    measure = matrix_releases.measure
    assert verdict("forest-law") == "holds"

    def less(strategy, codes, classes, k, epsilon, *rest, **options):
        return measure(strategy, codes, classes, k, 3 * epsilon, *rest, **options)

    monkeypatch.setattr(matrix_releases, "measure", less)
    assert verdict("forest-law") == "fails"


def test_a_fit_that_forgets_its_relation_is_seen(monkeypatch):
    """Noise and budget for add-remove neighbours, where replace-one was asked for."""
    assert verdict("forest-budget") == "holds"
    proved = matrix_releases._for_neighbours
    monkeypatch.setattr("dplit.forests.matrix.MatrixForestClassifier._relation", lambda self: "add-remove")
    monkeypatch.setattr(matrix_releases, "_for_neighbours", lambda node, forest: node)
    assert verdict("forest-budget") == "leaks"
    monkeypatch.setattr(matrix_releases, "_for_neighbours", proved)
    assert verdict("forest-budget") != "leaks"  # twice epsilon, and the budget says so


def test_a_published_budget_without_its_factor_is_seen(monkeypatch):
    assert verdict("forest-published") == "holds"
    monkeypatch.setattr(matrix_releases, "_for_neighbours", lambda node, forest: node)
    assert verdict("forest-published") == "fails"


@pytest.mark.parametrize("which", ["leaves", "votes"])
def test_another_expected_error_is_seen(monkeypatch, which):
    total = matrix_plan._Asked.total
    assert verdict("forest-error") == "holds"

    def more(self, workload, strategy, target="leaves"):
        return total(self, workload, strategy, target) * (1.01 if target == which else 1)

    monkeypatch.setattr(matrix_plan._Asked, "total", more)
    assert verdict("forest-error") == "fails"


def test_leaves_that_are_no_sums_of_one_table_are_seen(monkeypatch):
    assert verdict("histogram-beneath") == "holds"
    identity = matrix.member
    monkeypatch.setattr(matrix, "member", lambda workload, name, target: identity(workload, "per-tree", target))
    assert verdict("histogram-beneath") == "fails"


def test_another_mean_is_seen(monkeypatch):
    assert verdict("posterior-mean") == "holds"
    mean = histogram.posterior_mean
    monkeypatch.setattr(histogram, "posterior_mean", lambda t, alpha, m: mean(t, alpha, 1.001 * m))
    assert verdict("posterior-mean") == "fails"
