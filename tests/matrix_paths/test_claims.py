"""Claims of the chapter on decision paths: formulas and matrices that are broken, and found out."""

import dataclasses
import math

import numpy as np
import pytest

from dplit import matrix
from dplit.court import claims

OURS = claims.of("matrix_paths")


def verdict(name):
    return OURS[f"m-rf/{name}"].check().verdict


def test_tennis_by_hand():
    """The products of figure 1, worked by hand from the six samples."""
    X, y = [[0, 0], [0, 1], [1, 0], [2, 0], [2, 0], [2, 1]], [0, 0, 1, 1, 1, 0]
    T = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1],
                  [1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]])  # fmt: skip
    Q = matrix.query_matrix([[0, 1], [1, 1], [2, 0]], (3, 2))
    D = matrix.data_matrix(X, y, (3, 2), 2)
    assert D.tolist() == [[1, 0], [1, 0], [0, 1], [0, 0], [0, 2], [1, 0]]
    assert (T @ D).tolist() == [[2, 0], [0, 1], [1, 2], [1, 3], [2, 0]]
    assert (Q @ T.T).tolist() == [[1, 0, 0, 0, 1], [0, 1, 0, 0, 1], [0, 0, 1, 1, 0]]
    assert (Q @ T.T @ T @ D).tolist() == [[4, 0], [2, 1], [2, 5]]


def flipped(paths):
    """Paths of which the first lets another level through."""
    allowed = paths.allowed.copy()
    allowed[0, 0] ^= True
    return dataclasses.replace(paths, allowed=allowed)


@pytest.mark.parametrize("name", ["representation", "figure-1", "complexity", "interchange"])
def test_a_path_that_lets_another_level_through_is_found_out(name, monkeypatch):
    real = matrix.decision_paths
    monkeypatch.setattr(matrix, "decision_paths", lambda *a: flipped(real(*a)))
    found = OURS[f"m-rf/{name}"].check()
    assert found.verdict == "fails" and found.counterexample["exact"] != found.counterexample["stated"]


@pytest.mark.parametrize("name", ["representation", "votes-counted", "examples-1-3", "figure-1", "interchange"])
def test_a_table_that_drops_a_record_is_found_out(name, monkeypatch):
    real = matrix.data_matrix
    monkeypatch.setattr(matrix, "data_matrix", lambda X, y, *a: real(X[1:], y[1:], *a))
    assert verdict(name) == "fails"


def test_a_vote_that_counted_each_instance_once_would_hold(monkeypatch):
    """A path of every leaf that Tennis' second tree has again: the windy samples share one tree alone."""
    from dplit.court.claims.matrix_paths import representation

    monkeypatch.setattr(representation, "QUERIES", (("overcast", True), *representation.QUERIES[1:]))
    assert verdict("votes-counted") == "holds"  # no sample has both of its levels


def test_cells_in_another_order_are_found_out(monkeypatch):
    real = matrix.query_matrix
    monkeypatch.setattr(matrix, "query_matrix", lambda *a: real(*a)[:, ::-1])
    assert verdict("examples-1-3") == verdict("representation") == "fails"


def test_a_domain_without_its_class_column_is_found_out(monkeypatch):
    real = matrix.data_matrix
    monkeypatch.setattr(matrix, "data_matrix", lambda *a: real(*a).sum(axis=1))
    assert verdict("domain-size") == "fails"


@pytest.mark.parametrize("off", [-1, 1])
def test_a_rank_bound_that_is_off_by_one_is_found_out(off, monkeypatch):
    real = matrix.rank_bound
    monkeypatch.setattr(matrix, "rank_bound", lambda paths: real(paths) + off)
    assert verdict("rank") == "fails"


def test_a_closed_form_without_the_empty_set_is_found_out(monkeypatch):
    real = matrix.full_rank_bound
    monkeypatch.setattr(matrix, "full_rank_bound", lambda *a: real(*a) - 1)
    assert verdict("rank") == verdict("distinct-leaves") == "fails"


def test_a_rank_that_counts_one_too_few_is_found_out(monkeypatch):
    real = matrix.certified_ranks
    monkeypatch.setattr(matrix, "certified_ranks", lambda paths: real(paths) - 1)
    assert verdict("rank") == "fails"


def test_forests_of_independent_trees_would_break_the_dependence(monkeypatch):
    from dplit.court.claims.matrix_paths import dependence

    real = dependence.small.exact_rank
    monkeypatch.setattr(dependence.small, "exact_rank", lambda rows: real(rows) + 1)
    assert verdict("dependence") == "fails"


def test_leaves_that_are_not_merged_are_found_out(monkeypatch):
    monkeypatch.setattr(matrix, "most_boxes", lambda boxes: 128)
    assert verdict("laplace-baseline/corrected") == "fails"


@pytest.mark.parametrize("change", [-1, 1])
def test_a_law_of_other_trees_is_found_out(change, monkeypatch):
    real = matrix.distinct_leaves_law
    other = lambda tau, d, h: real(tau + (change > 0), d, h)[: min(tau, math.comb(d, h)) + 1]  # noqa: E731
    fewer = lambda tau, d, h: real(tau, d, h)[::-1]  # noqa: E731
    monkeypatch.setattr(matrix, "distinct_leaves_law", other if change > 0 else fewer)
    assert verdict("distinct-leaves") == "fails"


def test_a_sampler_that_prefers_a_column_is_found_out(monkeypatch):
    """Trees of a schema whose first column is always tested: every forest the same tree again."""
    from dplit.court.claims.matrix_paths import dependence

    real = dependence.grow_random_trees

    def same(domain, n, depth, *, rng):
        seeds = np.random.default_rng(0)
        found = real(domain, n, depth, rng=seeds)
        first = found.feature[found.roots[0]]
        roots = found.roots[found.feature[found.roots] == first]
        return dataclasses.replace(found, roots=np.resize(roots, n))

    monkeypatch.setattr(dependence, "grow_random_trees", same)
    assert verdict("distinct-leaves") == "fails"


@pytest.mark.parametrize("field", ["place", "matrix"])
def test_columns_that_are_merged_wrongly_are_found_out(field, monkeypatch):
    real = matrix.Workload.columns
    changes = {"place": lambda m: np.roll(m.place, 1), "matrix": lambda m: m.matrix + 1}
    broken = lambda self: (lambda m: m._replace(**{field: changes[field](m)}))(real(self))  # noqa: E731
    monkeypatch.setattr(matrix.Workload, "columns", broken)
    assert verdict("column-merging") == "fails"


def test_rows_that_are_counted_once_too_few_are_found_out(monkeypatch):
    real = matrix.Workload.of.__func__

    def once(cls, *a):
        found = real(cls, *a)
        return dataclasses.replace(found, multiplicity=np.ones_like(found.multiplicity))

    monkeypatch.setattr(matrix.Workload, "of", classmethod(once))
    assert verdict("row-merging") == "fails"


@pytest.mark.parametrize("name", ["column-merging", "row-merging"])
def test_errors_that_grow_by_merging_are_found_out(name, monkeypatch):
    """Fewer cells or rows cost more if each pays for itself."""
    from dplit.court.claims.matrix_paths import merging

    real = merging.error
    monkeypatch.setattr(merging, "error", lambda W, A: real(W, A) / A.size**4)
    assert verdict(name) == "fails"


def test_trees_that_read_the_records_are_found_out(monkeypatch):
    from dplit import forests

    real = forests.RandomDecisionForestClassifier.fit

    def fit(self, X, y):
        self.random_state = len(X)
        return real(self, X, y)

    monkeypatch.setattr(forests.RandomDecisionForestClassifier, "fit", fit)
    assert verdict("strategy-free") == "fails"


@pytest.mark.deep
@pytest.mark.parametrize("name", ["rank", "distinct-leaves", "laplace-baseline/corrected"])
def test_over_wider_ranges(name):
    assert OURS[f"m-rf/{name}"].check("reader").verdict == "holds"
