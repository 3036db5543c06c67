"""The two selection laws: against exact decimals, by enumeration, and at their edges."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dplit import multinomial


def by_definition(decreases, budget):
    """Section 3.2 in decimals, from fractions."""
    decreases = [Fraction(d) for d in decreases]
    least, spread = min(decreases), max(decreases) - min(decreases)
    scores = [(d - least) / spread if spread else Fraction(0) for d in decreases]
    weights = [(Decimal(budget) / 2 * s.numerator / s.denominator).exp() for s in scores]
    return [float(w / sum(weights)) for w in weights]


@pytest.mark.parametrize("budget", [0, 0.5, 10, 400])
@pytest.mark.parametrize("decreases", [[0.25], [0, 0.5], [0.1, 0.1], [0.2, 0.45, 0.2, 0.3]])
def test_law_is_section_3_2_in_decimals(decreases, budget):
    law = multinomial.selection_law(decreases, budget)
    assert law == pytest.approx(by_definition(decreases, budget), rel=1e-9, abs=1e-300)


def test_law_runs_along_the_last_axis():
    decreases = np.array([[0.1, 0.2, 0.4], [0.3, 0.3, 0.3]])
    rows = [multinomial.selection_law(row, 3.0) for row in decreases]
    assert np.array_equal(multinomial.selection_law(decreases, 3.0), rows)


@pytest.mark.parametrize("budget", [1e6, np.inf])
def test_large_budgets_are_the_arg_max(budget):
    assert multinomial.selection_law([0.1, 0.3, 0.3], budget).tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("budget", [-1.0, np.nan, "1", True, None])
def test_budgets_are_named_in_errors(budget):
    with pytest.raises(ValueError, match="budget must be a number of at least 0"):
        multinomial.selection_law([0.1], budget)


@pytest.mark.parametrize(
    "decreases, what", [([], "shape"), ([np.nan, 1], "finite"), ([np.inf, 1], "finite")]
)
def test_decreases_are_checked(decreases, what):
    with pytest.raises(ValueError, match=what):
        multinomial.selection_law(decreases, 1.0)


def test_a_feature_without_a_cut_is_never_drawn():
    node = [[], [0.2, 0.4], [], [0.1]]
    assert (multinomial.feature_law(node, 2.0) > 0).tolist() == [False, True, False, True]
    features, _ = multinomial.sample(node, 2.0, 2.0, 1000, rng=np.random.default_rng(1))
    assert set(features.tolist()) == {1, 3}


def test_a_node_without_a_cut_is_an_error():
    for draw in (
        multinomial.joint_law,
        lambda *a: multinomial.sample(*a, rng=np.random.default_rng(1)),
    ):
        with pytest.raises(ValueError, match="a leaf"):
            draw([[], []], 1.0, 1.0)
