"""Claims of the chapter on leaf counts: their counterexamples, computed anew."""

import numpy as np
import pytest

from dplit import claims, occupancy

OURS = claims.of("occupancy")


def test_one_record_breaks_theorem_2():
    case = OURS["diprime-v1/theorem-2-mechanism"].check().counterexample
    n, depth, epsilon, t = (case[k] for k in ("n", "depth", "epsilon", "t"))
    assert (n, depth, t) == (1, 1, 0.5) and epsilon == pytest.approx(2.83)
    assert min(2 / (epsilon * t) ** 2, 1) < 1 == occupancy.leaf_tail(t, n, depth, epsilon)


def test_chebyshev_is_the_tighter_beyond_the_published_window():
    case = OURS["diprime-v1/chebyshev-window"].check().counterexample
    assert case["u"] > 3.62 and 1 / case["u"] ** 2 == pytest.approx(case["chebyshev"])
    assert case["chebyshev"] < case["subexponential"]


@pytest.mark.parametrize("far", [3, 6])
def test_a_bound_that_is_too_small_at_some_distances_is_found_out(far, monkeypatch):
    bound = occupancy.corrected_bound

    def smaller(t, *setting):
        return np.where(t > far, 0.9, 1.0) * bound(t, *setting)

    monkeypatch.setattr(occupancy, "corrected_bound", smaller)
    found = OURS["diprime-v1/theorem-2-mechanism/corrected"].check()
    assert found.verdict == "fails" and found.counterexample["t"] > far
