"""Claims of the chapter on releases: noise, assignments and formulas that are broken, and found out."""

import numpy as np
import pytest

from dplit import matrix
from dplit.court import claims
from dplit.court.claims.matrix_release import ensembles, errors, laws, privacy, subsample
from dplit.mechanisms import Geometric, Laplace

OURS = claims.of("matrix_release")


def verdict(name):
    return OURS[f"m-rf/{name}"].check().verdict


def louder(real, factor):
    """A mechanism for another sensitivity than the one that is asked for."""

    def noise(*args, **kwargs):
        found = real(*args, **kwargs)
        return type(found)(found.epsilon * factor, found.sensitivity)

    return noise


def with_noise(monkeypatch, factor):
    """Every docket's noise off by a factor."""
    monkeypatch.setattr(laws, "noise_of", louder(laws.noise_of, factor))
    monkeypatch.setattr(privacy, "noise_of", louder(privacy.noise_of, factor))
    for docket in (privacy, subsample, ensembles):
        monkeypatch.setattr(docket, "noise_for", louder(docket.noise_for, factor))


@pytest.mark.parametrize(
    "name", ["definition-1", "definition-2", "labels", "theorem-5", "theorem-7", "subsample", "algorithm-3",
             "algorithm-3/corrected", "queries-from-records/corrected", "appendix-theorems"],
)  # fmt: skip
def test_noise_that_is_too_small_leaks(name, monkeypatch):
    with_noise(monkeypatch, 1.5)
    assert verdict(name) == "leaks"


@pytest.mark.parametrize("name", ["definition-1", "definition-2", "theorem-5", "theorem-7"])
def test_noise_of_twice_the_scale_needs_no_assumption(name, monkeypatch):
    with_noise(monkeypatch, 0.5)
    assert verdict(name) == "holds"


@pytest.mark.parametrize(
    "name",
    ["definition-2/corrected", "budget-typo/corrected", "second-batch", "subsample-hard", "subsample-hard-two"],
)
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_noise_of_another_scale_is_found_out(name, factor, monkeypatch):
    with_noise(monkeypatch, factor)
    assert verdict(name) == "fails"


def test_a_tree_that_cost_as_much_as_the_typo_says_is_found_out(monkeypatch):
    monkeypatch.setattr(privacy, "noise_for", lambda tau, eps, *a: Laplace(tau / eps, 1.0))
    assert verdict("budget-typo/corrected") == "fails"


def test_one_unsigned_column_at_twice_the_norm_is_found_out(monkeypatch):
    """Replace-one with a single column costs less than two columns do."""

    def doubled(strategy, epsilon, mechanism, neighbours, classes, signed):
        delta = strategy.sensitivity("add-remove") * (2 if neighbours == "replace-one" else 1)
        return Laplace(epsilon, delta)

    monkeypatch.setattr(privacy, "noise_of", doubled)
    assert verdict("definition-2/corrected") == "fails"


def test_a_shuffle_would_hold_if_records_kept_their_trees(monkeypatch):
    monkeypatch.setattr(subsample, "ASSIGNED", dict.fromkeys(("independent", "shuffled"), "independent"))
    assert verdict("subsample") == "holds"
    monkeypatch.setattr(subsample, "ASSIGNED", dict.fromkeys(("independent", "shuffled"), "equal-parts"))
    assert verdict("subsample") == "leaks"


def test_a_shuffle_that_moved_nobody_would_need_no_assumption(monkeypatch):
    assert verdict("appendix-theorems") == "assumes"
    monkeypatch.setitem(subsample.ASSIGNED, "shuffled", "independent")
    assert verdict("appendix-theorems") == "holds"


@pytest.mark.parametrize("off", [-0.1, 0.1])
def test_another_loss_of_the_shuffle_is_found_out(off, monkeypatch):
    real = matrix.shuffled_loss
    monkeypatch.setattr(matrix, "shuffled_loss", lambda *a: real(*a) + off)
    assert verdict("subsample-shuffled/corrected") == "fails"


@pytest.mark.parametrize("name", ["subsample-two-queries", "subsample-existing/corrected"])
def test_queries_that_are_miscounted_are_found_out(name, monkeypatch):
    real = matrix.most_queries
    monkeypatch.setattr(matrix, "most_queries", lambda *a: real(*a) + 1)
    assert verdict(name) == "fails"


def test_a_release_that_forgets_a_record_is_found_out(monkeypatch):
    real = matrix.subsample
    monkeypatch.setattr(
        matrix, "subsample",
        lambda paths, Q, strategy, X, y, *a, **k: real(paths, Q, strategy, X[1:], y[1:], *a, **k),
    )  # fmt: skip
    assert verdict("subsample-is-disjoint") == "fails"


@pytest.mark.parametrize("name", ["theorem-4/corrected", "theorem-6/corrected"])
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_answers_of_another_size_are_found_out(name, factor, monkeypatch):
    real = errors.map_of
    monkeypatch.setattr(errors, "map_of", lambda *a: factor * real(*a))
    assert verdict(name) == "fails"


def test_the_total_of_many_answers_exceeds_the_stated_mean(monkeypatch):
    real = errors.map_of
    monkeypatch.setattr(errors, "map_of", lambda *a: 9 * real(*a))
    assert verdict("theorem-4") == verdict("theorem-6") == "fails"


def test_a_second_moment_that_is_no_square_is_found_out(monkeypatch):
    monkeypatch.setattr(errors, "second_moment", lambda noise: 1.1 * 2 * noise.scale**2)
    assert verdict("theorem-4/corrected") == "fails"
    assert errors.second_moment(Laplace(1.0)) == pytest.approx(2.2)


def test_the_second_moment_of_geometric_noise_is_known():
    alpha = np.exp(-0.5)
    assert errors.second_moment(Geometric(0.5)) == pytest.approx(2 * alpha / (1 - alpha) ** 2)


def test_answers_that_are_not_determined_are_found_out(monkeypatch):
    monkeypatch.setattr(matrix.Dense, "variances", lambda self, workload: np.ones(len(workload)))
    assert verdict("support") == "fails"


def test_training_and_prediction_with_other_noise_are_found_out(monkeypatch):
    real = errors._both_ways
    monkeypatch.setattr(errors, "_both_ways", lambda make, *a: real("merged", *a))
    assert verdict("gap-from-cells") == "fails"


@pytest.mark.parametrize("name", ["clipped", "shrunk"])
def test_a_cut_that_moves_away_from_the_truth_is_found_out(name, monkeypatch):
    monkeypatch.setattr(errors, name, lambda y, t=0.0: np.asarray(y) + 1)
    assert verdict("clipping") == "fails"


def test_another_error_of_a_shrunk_count_is_found_out(monkeypatch):
    real = errors.shrunk_error
    monkeypatch.setattr(errors, "shrunk_error", lambda x, b, t: real(x, b, t) + 1e-3 * t)
    assert verdict("clipping") == "fails"


def test_other_numbers_of_noise_are_found_out(monkeypatch):
    monkeypatch.setattr(matrix, "measure", lambda *a, **k: (np.zeros(1), None))
    assert verdict("noise-cost") == "fails"
    monkeypatch.setattr(matrix, "measure", lambda *a, **k: (np.zeros(10**6), None))
    assert verdict("overhead-counted") == "fails"


@pytest.mark.parametrize("name", ["joint", "within-ensemble/corrected"])
def test_weights_that_are_not_the_noises_are_found_out(name, monkeypatch):
    real = matrix.reconstruction
    monkeypatch.setattr(matrix, "reconstruction", lambda made, s: real(made, np.ones(len(made))))
    assert verdict(name) == "fails"


def test_ensembles_without_common_columns_would_be_optimal(monkeypatch):
    monkeypatch.setattr(ensembles, "least_squares",
                        lambda levels, made, sd: [ensembles._own(e, s) for e, s in zip(made, sd)])  # fmt: skip
    assert verdict("within-ensemble") in ("holds", "loose")


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_another_gain_of_a_tree_is_found_out(factor, monkeypatch):
    real = matrix.tree_advantage
    monkeypatch.setattr(matrix, "tree_advantage", lambda *a: factor * real(*a))
    assert verdict("single-tree-gain/corrected") == "fails"


def test_a_gain_that_is_inverse_is_found_out(monkeypatch):
    monkeypatch.setattr(ensembles, "advantage", lambda gap, scale: gap / scale)
    assert verdict("single-tree-gain/corrected") == "fails"


def test_fewer_columns_with_more_noise_would_be_found_out(monkeypatch):
    monkeypatch.setattr(ensembles, "_car_leaf", lambda columns, q, *a: (q * 10.0,) * 2)
    assert verdict("tuning-free") == "fails"


def test_labels_of_two_leaves_by_another_sum():
    """Cells 0 and 1 are leaves: each label's law from a double sum over both classes' noise, no grid."""
    T, noise = np.eye(2, dtype=int), Geometric(1.0)
    wide = range(-40, 41)
    ahead = {
        d: sum(float(noise.pmf(a) * noise.pmf(b)) for a in wide for b in wide if d + a - b < 0) for d in (-1, 0, 1)
    }
    loss, shown = privacy._loss_of_labels(T, 1.0, 12)
    p, q = ahead[0], ahead[1]
    expected = max(abs(np.log(p / q)), abs(np.log((1 - p) / (1 - q))),
                   abs(np.log(ahead[-1] / p)), abs(np.log((1 - ahead[-1]) / (1 - p))))  # fmt: skip
    assert loss == pytest.approx(expected, rel=1e-4) and shown["epsilon"] == 1.0


def test_records_of_one_tree_are_counted_in_its_leaves_only(monkeypatch):
    from dplit.court.claims.matrix_release import stacked

    assert verdict("subsample-not-batch") == "assumes"
    tables = stacked._tables
    monkeypatch.setattr(stacked, "_tables", lambda *a: [table[::-1] for table in tables(*a)])
    assert verdict("subsample-not-batch") == "fails"
    paths = stacked._by_tree
    monkeypatch.setattr(stacked, "_by_tree", lambda *a: [2 * part for part in paths(*a)])
    assert verdict("subsample-not-batch/corrected") == "fails"
