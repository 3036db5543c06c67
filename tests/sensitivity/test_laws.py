"""The closed forms against enumeration written here, random neighbours, and the papers' proofs.

The references don't use the module's search or statistics: variances come from pairwise
differences, sum over pairs of (x - y)^2 / N^2, and neighbouring data sets from products.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dplit import sensitivity
from dplit.ground.errors import NEIGHBOURS
from dplit.mechanisms import Exponential

ONE, HALF = Fraction(1), Fraction(1, 2)


def variance(values):
    n = len(values)
    return sum((a - b) ** 2 for a, b in combinations_with_replacement(values, 2)) / Fraction(max(n, 1) ** 2)


def average(values):
    return sum(values, Fraction(0)) / len(values)


def total_error(values):
    return variance(values) * len(values)


def of_partition(records):
    children = [[y for s, y in records if s == side] for side in (0, 1)]
    return sum(map(total_error, children)) / max(len(records), 1)


def of_children(records):
    return sum(variance([y for s, y in records if s == side]) for side in (0, 1)) / 2


def imbalance(records):
    return -abs(sum(1 if s else -1 for s, _ in records))


def neighbouring(kinds, n, relation):
    """Every ordered pair of neighbouring data sets, the larger of n records."""
    for data in product(kinds, repeat=n):
        if relation == "add-remove":
            yield data, data[:-1]
        else:
            for record in kinds:
                yield data, (*data[:-1], record)


def enumerated(statistic, kinds, n, relation):
    return max(abs(statistic(a) - statistic(b)) for a, b in neighbouring(kinds, n, relation))


HALVES = [ONE * i / 2 for i in range(3)]
SIDED = [(s, y) for s in (0, 1) for y in (Fraction(0), HALF, ONE)]


@pytest.mark.parametrize("relation", NEIGHBOURS)
@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize(
    ("closed", "statistic"),
    [(sensitivity.mean, average), (sensitivity.mse, variance), (sensitivity.sse, total_error)],
)
def test_one_set_against_enumeration(closed, statistic, n, relation):
    if closed is sensitivity.mean and n == 1 and relation == "add-remove":
        return  # no mean of nothing: next test
    assert closed(n, 0 * ONE, ONE, relation) == enumerated(statistic, HALVES, n, relation)


def test_one_record_against_none_moves_the_mean_by_at_most_the_range():
    defaults = HALVES
    gaps = [abs(y - default) for y in HALVES for default in defaults]
    assert max(gaps) == sensitivity.mean(1, 0 * ONE, ONE) == 1
    with pytest.raises(ValueError, match="values must hold at least one number"):
        sensitivity.mean_of(())


@pytest.mark.parametrize("relation", NEIGHBOURS)
@pytest.mark.parametrize("n", range(1, 4))
@pytest.mark.parametrize(
    ("closed", "statistic"), [(sensitivity.split_mse, of_partition), (sensitivity.children_mse, of_children)]
)
def test_partitions_against_enumeration(closed, statistic, n, relation):
    assert closed(n, 0 * ONE, ONE, relation) == enumerated(statistic, SIDED, n, relation)


@pytest.mark.parametrize("n", range(2, 12))
def test_children_under_replace_one_when_the_record_changes_sides(n):
    """The record leaves n - b - 1 records on the left and joins b on the right."""

    def gained(b):  # endpoint data; the new record at either bound
        return max(
            variance([0] * (b - k) + [1] * k + [y]) - variance([0] * (b - k) + [1] * k)
            for k in range(b + 1) for y in (0, 1)
        )  # fmt: skip

    def freed(left):  # the leaving record on their mean
        return max(
            variance([0] * (left - k) + [1] * k)
            - variance([0] * (left - k) + [1] * k + [Fraction(k, left) if left else HALF])
            for k in range(left + 1)
        )

    best = max(gained(b) + freed(n - b - 1) for b in range(n)) / 2
    stays = max(Fraction(k - 1, k * k) for k in range(1, n + 1)) / 2
    assert sensitivity.children_mse(n, 0 * ONE, ONE, "replace-one") == max(best, stays)


@pytest.mark.parametrize("relation", NEIGHBOURS)
@pytest.mark.parametrize("n", range(1, 7))
def test_split_score_and_counts(n, relation):
    sides = [(0, 0), (1, 0)]
    assert sensitivity.split_score(n, relation) == enumerated(imbalance, sides, n, relation)
    tallies = max(
        sum(abs(a.count(k) - b.count(k)) for k in range(3)) for a, b in neighbouring(range(3), min(n, 4), relation)
    )
    assert sensitivity.counts(n, relation) == tallies


@pytest.mark.parametrize("n", range(1, 8))
def test_removed_records_against_enumeration(n):
    for removed in range(n + 1):
        gap = max(
            total_error(stay + leave) - total_error(stay)
            for stay in combinations_with_replacement(HALVES, n - removed)
            for leave in combinations_with_replacement(HALVES, removed)
        )
        assert sensitivity.sse_removed(n, removed, 0 * ONE, ONE) == gap


def test_relations_between_the_closed_forms():
    for n in range(1, 50):
        low, high = Fraction(-2), Fraction(5)
        assert sensitivity.sse(n, low, high) == n * sensitivity.mse(n, low, high)
        assert sensitivity.sse(n, low, high) == sensitivity.sse_removed(n, 1, low, high) or n == 1
        assert sensitivity.published_mean(n, low, high) == sensitivity.mean(n, low, high)
        assert sensitivity.mse(n, low, high) < sensitivity.published_mse(n, low, high)
        loose = sensitivity.published_mse(n, -ONE, ONE) * (n - 1)
        assert loose == n * sensitivity.mse(n, -ONE, ONE)  # the factor N/(N-1)
        quarter = sensitivity.published_mse(n, 0 * ONE, ONE) * (n - 1)
        assert quarter == 4 * n * sensitivity.mse(n, 0 * ONE, ONE)


# Random neighbours never exceed; witnesses attain ---------------------------------------------

targets = st.floats(-2, 5)
CASES = [
    (sensitivity.mean, lambda d: np.mean([y for _, y in d])),
    (sensitivity.mse, lambda d: np.var([y for _, y in d]) if d else 0.0),
    (sensitivity.sse, lambda d: np.var([y for _, y in d]) * len(d) if d else 0.0),
    (sensitivity.split_mse, of_partition),
    (sensitivity.children_mse, of_children),
]


@settings(max_examples=100, deadline=None)
@given(
    shared=st.lists(st.tuples(st.integers(0, 1), targets), min_size=1, max_size=9),
    one=st.tuples(st.integers(0, 1), targets),
    other=st.tuples(st.integers(0, 1), targets),
)
def test_no_random_pair_exceeds_a_closed_form(shared, one, other):
    n = len(shared) + 1
    for closed, statistic in CASES:
        here = float(statistic([*shared, one]))
        added = abs(here - float(statistic(shared)))
        replaced = abs(here - float(statistic([*shared, other])))
        assert added <= closed(n, -2.0, 5.0, "add-remove") + 1e-9
        assert replaced <= closed(n, -2.0, 5.0, "replace-one") + 1e-9


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(2, 6),
    low=st.fractions(-5, 5, max_denominator=20),
    width=st.fractions(0, 5, max_denominator=20),
    relation=st.sampled_from(NEIGHBOURS),
)
def test_the_witness_attains_the_closed_form(n, low, width, relation):
    for closed, statistic, own in (
        (sensitivity.mean, sensitivity.mean_of, average),
        (sensitivity.mse, sensitivity.mse_of, variance),
    ):
        value, data, neighbour = sensitivity.worst_case(statistic, n, low, low + width, relation)
        assert value == closed(n, low, low + width, relation)
        assert abs(own(data) - own(neighbour)) == value
        assert len(data) == n and len(neighbour) == n - (relation == "add-remove")
        assert all(low <= y <= low + width for y in data + neighbour)


@pytest.mark.parametrize("relation", NEIGHBOURS)
@pytest.mark.parametrize("n", [2, 4])
def test_climbs_off_the_grid_agree(n, relation):
    rng = np.random.default_rng(7)
    cases = [
        (sensitivity.mean, sensitivity.mean_of, 1),
        (sensitivity.mse, sensitivity.mse_of, 1),
        (sensitivity.children_mse, sensitivity.children_mse_of, 2),
    ]
    for closed, statistic, sides in cases:
        found = sensitivity.worst_case_continuous(statistic, n, -1, 1, relation, sides=sides, starts=20, rng=rng)
        assert found.value == pytest.approx(closed(n, -1, 1, relation), rel=1e-6)


def test_bounds_that_touch_leave_nothing_to_move():
    for relation in NEIGHBOURS:
        assert sensitivity.worst_case(sensitivity.mean_of, 2, 3, 3, relation).value == 0
        assert sensitivity.mean(2, 3, 3, relation) == 0


@pytest.mark.parametrize(("relation", "monotonic"), [("add-remove", True), ("replace-one", False)])
def test_selection_by_squared_error_keeps_its_budget(relation, monotonic):
    """Two candidate cuts: a record is its side under each, and its target in [-1, 1]; R^2 = 4."""
    select = Exponential(1.0, sensitivity=4.0, monotonic=monotonic)

    @cache
    def log_law(records):
        errors = [of_partition([(r[cut], r[2]) for r in records]) * len(records) for cut in (0, 1)]
        return select.logpmf(-np.array(errors, dtype=float))

    kinds = list(product((0, 1), (0, 1), (-1, 1)))
    for data, neighbour in neighbouring(kinds, 3, relation):
        assert np.abs(log_law(data) - log_law(neighbour)).max() <= 1


# Bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mean", "mse", "sse", "split_mse", "children_mse"])
def test_errors_name_the_argument(name):
    closed = getattr(sensitivity, name)
    with pytest.raises(ValueError, match="n must be an integer of at least 1, got 0"):
        closed(0, 0, 1)
    with pytest.raises(ValueError, match=r"n must be an integer .* got 2\.5"):
        closed(2.5, 0, 1)
    with pytest.raises(ValueError, match="lower must be at most upper, got lower=2, upper=1"):
        closed(3, 2, 1)
    with pytest.raises(ValueError, match="upper must be a finite number, got inf"):
        closed(3, 0, float("inf"))
    with pytest.raises(ValueError, match=r"neighbours must be one of .* got 'swap'"):
        closed(3, 0, 1, "swap")


def test_other_errors_name_the_argument():
    with pytest.raises(ValueError, match="removed must be at most n=3, got 4"):
        sensitivity.sse_removed(3, 4, 0, 1)
    with pytest.raises(ValueError, match="n must be"):
        sensitivity.split_score(0)
    with pytest.raises(ValueError, match="neighbours must be"):
        sensitivity.counts(1, "both")
    with pytest.raises(ValueError, match="grid must be an integer of at least 2"):
        sensitivity.worst_case(sensitivity.mean_of, 2, 0, 1, grid=1)
    with pytest.raises(ValueError, match="lower must be at most upper"):
        sensitivity.worst_case(sensitivity.mean_of, 2, 1, 0)
    with pytest.raises(TypeError, match="rng must be"):
        sensitivity.worst_case_continuous(sensitivity.mean_of, 2, 0, 1, rng=3)
