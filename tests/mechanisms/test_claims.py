"""The chapter's claims change their verdict where a mechanism or a composition is another one."""

import numpy as np
import pytest

from dplit import budget, mechanisms, metrics
from dplit.court import claims
from dplit.court.claims.mechanisms import selection
from dplit.mechanisms import Exponential, Geometric, Laplace, PermuteAndFlip
from dplit.mechanisms._selection import Selection

OURS = claims.of("mechanisms")
PAPERS = ("diprime-v1", "diprime-v2", "rdf")


def stated_by(name):
    """The claims of this name, of whichever paper."""
    return [OURS[f"{paper}/{name}"] for paper in PAPERS if f"{paper}/{name}" in {c.id for c in OURS}]


@pytest.mark.parametrize("name", ["exponential-mechanism", "permute-and-flip-private", "exponential-monotonic"])
def test_twice_the_rate_leaks(monkeypatch, name):
    """Without the factor two of scores that move both ways, and beyond the rate of monotonic ones."""
    monkeypatch.setattr(Selection, "rate", property(lambda self: 2 * self.epsilon / self.sensitivity))
    for claim in stated_by(name):
        assert claim.check().verdict == "leaks"


@pytest.mark.parametrize("name", ["exponential-mechanism", "permute-and-flip-private"])
def test_the_rate_of_monotonic_scores_leaks_where_scores_move_both_ways(monkeypatch, name):
    monkeypatch.setattr(Selection, "rate", property(lambda self: self.epsilon / self.sensitivity))
    assert [c.check().verdict for c in stated_by(name)] == ["leaks"] * len(stated_by(name))


def test_half_the_rate_is_noticed(monkeypatch):
    """A mechanism with more noise than it needs is private, and the claims say that it is loose."""
    monkeypatch.setattr(Selection, "rate", property(lambda self: self.epsilon / 4))
    for name in ("exponential-mechanism", "permute-and-flip-private", "exponential-monotonic"):
        assert {c.check().verdict for c in stated_by(name)} == {"loose"}
    assert OURS["rdf/best-of-two/corrected"].check().verdict == "fails"


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_another_scale_of_laplace_noise_is_noticed(monkeypatch, factor):
    scale = lambda self: factor * self.sensitivity / self.epsilon  # noqa: E731
    decay = mechanisms.laplace.decay
    monkeypatch.setattr(mechanisms.laplace, "decay", lambda noise, rate: decay(noise, rate / factor))
    monkeypatch.setattr(Laplace, "scale", property(scale))
    assert {c.check().verdict for c in stated_by("laplace-number")} == {"fails"}


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_another_rate_of_geometric_noise_is_noticed(monkeypatch, factor):
    monkeypatch.setattr(Geometric, "rate", property(lambda self: factor * self.epsilon))
    assert OURS["diprime-v1/geometric-counts"].check().verdict == "fails"


def test_an_exact_gaussian_number_of_a_smaller_deviation_is_noticed(monkeypatch):
    right = selection.exact_factors
    assert claims.get("rdf/exact-laws").check().verdict == "holds"
    monkeypatch.setattr(selection, "exact_factors", lambda sigma: right(0.999999 * sigma))
    assert claims.get("rdf/exact-laws").check().verdict == "fails"


def test_the_other_mechanism_in_place_of_permute_and_flip(monkeypatch):
    monkeypatch.setattr(PermuteAndFlip, "pmf", Exponential.pmf)
    assert OURS["diprime-v2/permute-and-flip-law"].check().verdict == "fails"
    assert OURS["diprime-v2/pfm-two-fold"].check().verdict == "fails"


def test_the_two_mechanisms_exchanged(monkeypatch):
    flip, exponential = PermuteAndFlip.pmf, Exponential.pmf
    monkeypatch.setattr(PermuteAndFlip, "pmf", exponential)
    monkeypatch.setattr(Exponential, "pmf", flip)
    assert OURS["diprime-v2/pfm-dominates"].check().verdict == "fails"
    assert OURS["rdf/best-of-two/corrected"].check().verdict == "fails"


def test_too_few_nodes_are_noticed(monkeypatch):
    rule = mechanisms.permute_and_flip._rule
    monkeypatch.setattr(mechanisms.permute_and_flip, "_rule", lambda count: rule(max(1, count - 1)))
    assert OURS["diprime-v2/permute-and-flip-law"].check().verdict == "fails"


@pytest.mark.parametrize(
    ("node", "cost"),
    [("Group", "epsilon"), ("Group", "rho"), ("Group", "delta"), ("Sequence", "delta"), ("Parallel", "delta")],
)
def test_a_node_that_says_a_thousandth_less_is_noticed(node, cost, monkeypatch):
    right = getattr(getattr(budget, node), cost)
    assert claims.get("rdf/budget-nodes").check().verdict == "holds"
    monkeypatch.setattr(getattr(budget, node), cost, property(lambda self: 0.999 * right.fget(self)))
    assert claims.get("rdf/budget-nodes").check().verdict == "fails"


def test_other_sums_of_budgets_are_noticed(monkeypatch):
    largest = property(lambda self: max(p.epsilon for p in self.parts))
    total = property(lambda self: self.copies * sum(p.epsilon for p in self.parts))
    monkeypatch.setattr(budget.Sequence, "epsilon", largest)
    monkeypatch.setattr(budget.Parallel, "epsilon", total)
    assert {c.check().verdict for c in stated_by("sequential-composition")} == {"leaks"}
    assert {c.check().verdict for c in stated_by("parallel-composition")} == {"loose"}


def test_an_answer_that_looks_at_the_data_again_is_no_post_processing(monkeypatch):
    assert OURS["rdf/post-processing"].check().verdict == "holds"
    again = lambda law, kernel: law**2 @ kernel / (law**2).sum()  # noqa: E731
    monkeypatch.setattr("dplit.court.claims.mechanisms.outputs._answers", again)
    assert OURS["rdf/post-processing"].check().verdict == "leaks"


def test_an_answer_without_doubt_would_be_a_proof(monkeypatch):
    """And noise that says nothing would keep the sentence as it stands."""
    right = Geometric.pmf
    monkeypatch.setattr(Geometric, "pmf", lambda self, z: right(self, z) * (abs(z) < 5))
    assert OURS["rdf/undetectable"].check().verdict == "fails"


def test_another_variance_is_noticed(monkeypatch):
    right = Laplace.pdf
    monkeypatch.setattr(Laplace, "pdf", lambda self, x: 2 * right(self, 2 * x))
    assert {c.check().verdict for c in stated_by("noise-scale")} == {"fails"}


def test_a_base_measure_costs_nothing_only_at_the_right_rate(monkeypatch):
    monkeypatch.setattr(Selection, "rate", property(lambda self: self.epsilon / self.sensitivity))
    assert {c.check().verdict for c in stated_by("base-measure")} == {"leaks"}


def test_a_held_out_record_that_counts_twice_is_noticed(monkeypatch):
    votes = metrics.noisy_votes
    monkeypatch.setattr(metrics, "noisy_votes", lambda shares, *rest: votes(np.repeat(shares, 2), *rest))
    assert claims.get("rdf/held-out").check().verdict == "fails"
