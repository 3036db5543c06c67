"""Claims of the chapter on strategies: formulas, searches and samplers that are broken, and found out."""

import numpy as np
import pytest

from dplit import matrix, mechanisms
from dplit.court import claims
from dplit.matrix.strategies import selection

OURS = claims.of("matrix_strategies")


def verdict(name):
    return OURS[f"m-rf/{name}"].check().verdict


@pytest.mark.parametrize(
    "name", ["sensitivity", "proposition-1", "proposition-1/corrected", "sensitivity-replace-one"]
)
def test_a_sensitivity_that_is_too_small_is_found_out(name, monkeypatch):
    """Half of what a record moves; of what is released replace-one, its add-remove value."""
    real = matrix.Strategy.sensitivity
    half = lambda self, *a, **k: real(self, *a, **k) / 2  # noqa: E731
    add = lambda self, *a, **k: real(self)  # noqa: E731
    monkeypatch.setattr(matrix.Strategy, "sensitivity", add if "replace" in name else half)
    monkeypatch.setattr(matrix, "sensitivity", lambda s, *a, **k: s.sensitivity(*a, **k))
    assert verdict(name) == "fails"


@pytest.mark.parametrize("strategy", ["Identity", "PerTree", "DistinctLeaves", "Marginals", "PIdentity"])
def test_variances_that_are_off_are_found_out(strategy, monkeypatch):
    kind = getattr(matrix, strategy)
    real = kind.variances
    monkeypatch.setattr(kind, "variances", lambda self, w: 1.2 * real(self, w))
    assert verdict("definition-3/corrected") == "fails"


@pytest.mark.parametrize("strategy", ["Identity", "PerTree", "DistinctLeaves", "Marginals", "PIdentity"])
def test_answers_that_are_off_are_found_out(strategy, monkeypatch):
    """Answers of another workload than the one that was asked."""
    kind = getattr(matrix, strategy)
    real = kind.answer
    monkeypatch.setattr(kind, "answer", lambda self, w, m: 1.1 * real(self, w, m))
    monkeypatch.setattr(kind, "answers", lambda self, w, m: self.answer(w, m)[w.place])
    assert verdict("definition-3/corrected") == "fails"


def test_noise_of_another_scale_is_found_out(monkeypatch):
    real = mechanisms.Laplace.sample
    louder = lambda self, values, rng: values + 1.2 * (real(self, values, rng=rng) - values)  # noqa: E731
    monkeypatch.setattr(mechanisms.Laplace, "sample", louder)
    for name in ("definition-3/corrected", "more-trees", "contrast"):
        assert verdict(name) == "fails", name


def test_a_formula_for_the_mean_would_hold(monkeypatch):
    """Divided by the answers, definition 3 needs no assumption; by twice as many it is wrong."""
    from dplit.court.claims.matrix_strategies import definitions

    real = definitions._err
    monkeypatch.setattr(definitions, "_err", lambda W, A, e: real(W, A, e) / len(W))
    assert verdict("definition-3") == "holds"
    monkeypatch.setattr(definitions, "_err", lambda W, A, e: real(W, A, e) / len(W) / 2)
    assert verdict("definition-3") == "fails"


@pytest.mark.parametrize("name", ["optimal-one-tree", "optimal-one-tree/corrected"])
def test_regions_and_cells_of_one_tree(name, monkeypatch):
    """If the leaves cost as much as the cells, the paper's sentence holds; regions that are cells do not."""
    monkeypatch.setattr(matrix.PerTree, "variances", lambda self, w: np.full(len(w), 1e6))

    def cells(w):
        return matrix.PIdentity(np.zeros((0, w.n_cells)), np.arange(w.n_cells), w.boxes.n_levels)

    monkeypatch.setattr(matrix, "regions", cells)
    assert verdict(name) == ("loose" if name == "optimal-one-tree" else "fails")


def test_weights_that_are_not_released_are_found_out(monkeypatch):
    """Least squares that takes all leaves to be alike."""
    real = matrix.WeightedLeaves.__init__

    def alike(self, workload):
        real(self, workload)
        self.weights = np.ones_like(self.weights)

    monkeypatch.setattr(matrix.WeightedLeaves, "__init__", alike)
    assert verdict("weighted-leaves") == "fails"


def test_leaves_that_are_not_merged_are_found_out(monkeypatch):
    monkeypatch.setattr("dplit.matrix.strategies.members.most_boxes", lambda boxes, patience=None: 128)
    assert verdict("laplace-variance") == "fails"


@pytest.mark.parametrize("of", ["eigenvalues", "row_masses", "masses"])
def test_a_spectrum_that_is_off_is_found_out(of, monkeypatch):
    from dplit.matrix.strategies import marginals

    real = getattr(marginals, of)

    def off(*a):
        found = real(*a)
        return {u: 1.01 * w for u, w in found.items()} if of == "masses" else 1.01 * found

    monkeypatch.setattr(marginals, of, off)
    assert verdict("marginal-error") == "fails"


def test_covers_that_are_not_searched_are_found_out(monkeypatch):
    """One marginal of all columns: the cells again."""
    whole = lambda w, target="leaves": matrix.Marginals(  # noqa: E731
        {tuple(range(len(w.boxes.n_levels))): 1.0}, w.boxes.n_levels
    )
    monkeypatch.setattr(matrix, "optimise_marginals", whole)
    assert verdict("covering") == verdict("opt-is-identity") == "fails"


def test_a_slope_that_is_off_is_found_out(monkeypatch):
    from dplit.court.claims.matrix_strategies import searches

    real = searches.loss
    monkeypatch.setattr(searches, "loss", lambda *a: (real(*a)[0], 2 * real(*a)[1]))
    assert verdict("opt-is-identity") == "fails"


def test_a_ratio_of_geometric_noise_that_is_off_is_found_out(monkeypatch):
    monkeypatch.setattr(matrix, "noise_variance", lambda scale, mechanism="laplace": 2 * scale**2)
    assert verdict("geometric") == "fails"
    monkeypatch.undo()
    monkeypatch.setattr(selection, "noise_variance", lambda scale, mechanism="laplace": 2.4 * scale**2)
    assert verdict("geometric") == "fails"


def test_a_difference_that_is_treated_as_two_columns_is_found_out(monkeypatch):
    real = matrix.Strategy.sensitivity
    monkeypatch.setattr(
        matrix.Strategy, "sensitivity", lambda s, n="add-remove", c=2, signed=False: (1 + signed) * real(s, n, c)
    )
    assert verdict("contrast") == "fails"


def test_a_draw_of_trees_that_is_not_uniform_is_found_out(monkeypatch):
    real = matrix.DisjointTrees.measure

    def first(self, codes, classes, n, *, rng):
        return real(self, codes, classes, n, rng=np.random.default_rng(1))

    monkeypatch.setattr(matrix.DisjointTrees, "measure", first)
    assert verdict("disjoint-noise") == "fails"


@pytest.mark.parametrize("name", ["vote-variance", "tuning-votes/corrected"])
def test_votes_that_are_off_are_found_out(name, monkeypatch):
    real = matrix.DistinctLeaves.votes
    monkeypatch.setattr(matrix.DistinctLeaves, "votes", lambda self, w: 1.01 * real(self, w))
    assert verdict(name) == "fails"


def test_votes_ranked_like_leaves_would_be_fine(monkeypatch):
    monkeypatch.setattr(matrix.DistinctLeaves, "votes", lambda self, w: 1e9)
    assert verdict("tuning-votes") == "holds"


def test_a_selection_that_minds_its_target_no_more_is_found_out(monkeypatch):
    real = matrix.select

    def swapped(w, target="leaves", **options):
        return real(w, target="votes" if target == "leaves" else "leaves", **options)

    monkeypatch.setattr(matrix, "select", swapped)
    assert verdict("tuning-votes/corrected") == "fails"


def test_variances_that_grow_with_the_queries_are_found_out(monkeypatch):
    real = matrix.Identity.variances
    monkeypatch.setattr(matrix.Identity, "variances", lambda self, w: len(w.place) * real(self, w))
    assert verdict("more-queries") == verdict("more-trees") == "fails"


@pytest.mark.deep
@pytest.mark.parametrize("name", ["marginal-error", "sensitivity", "vote-variance"])
def test_over_wider_ranges(name):
    assert OURS[f"m-rf/{name}"].check("reader").verdict == "holds"


def test_projected_noise_is_told_from_noise_on_each_leaf(monkeypatch):
    from dplit.court.claims.matrix_strategies import naive

    monkeypatch.setattr(naive, "error", lambda W, A: len(W) * abs(A).sum(axis=0).max() ** 2)
    assert verdict("naive") == verdict("naive/corrected") == "fails"


def test_a_rank_that_is_off_is_found_out(monkeypatch):
    from dplit.court.claims.matrix_strategies import naive

    real = naive.exact_rank
    monkeypatch.setattr(naive, "exact_rank", lambda rows: real(rows) - 1)
    assert verdict("naive/corrected") == "fails"


@pytest.mark.parametrize(("factor", "expected"), [(0.5, "loose"), (1.5, "assumes"), (1e4, "fails")])
def test_a_search_that_ends_elsewhere(factor, expected, monkeypatch):
    """With half of the cells' error the sentence would need no assumption; with 10,000 times it is false."""
    real = matrix.unit_error
    off = lambda w, s, *a: real(w, s, *a) * (factor if s.name == "p-identity" else 1)  # noqa: E731
    monkeypatch.setattr(matrix, "unit_error", off)
    assert verdict("search-crucial") == expected
    assert verdict("search-crucial/corrected") == "fails"


def test_leaves_that_gain_nothing_are_told_from_weighted_ones(monkeypatch):
    from dplit.court.claims.matrix_strategies import naive

    monkeypatch.setattr(naive, "_weighted_leaves", lambda rng: 1.0)
    assert verdict("search-crucial/corrected") == "fails"
