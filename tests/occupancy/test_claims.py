"""Claims of the chapter on leaf counts: their counterexamples, computed anew."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dplit import Continuous, Domain, PrivacyLeakWarning, occupancy
from dplit.court import claims
from dplit.forests import MedianForestRegressor

OURS = claims.of("occupancy")
BOOK = Path(__file__).parents[2] / "book"


def test_one_record_breaks_theorem_2():
    case = OURS["diprime-v1/theorem-2-mechanism"].check().counterexample
    n, depth, epsilon, t = (case[k] for k in ("n", "depth", "epsilon", "t"))
    assert (n, depth, t) == (1, 1, 0.5) and epsilon == pytest.approx(2.83)
    assert min(2 / (epsilon * t) ** 2, 1) < 1 == occupancy.leaf_tail(t, n, depth, epsilon)


def test_chebyshev_is_the_tighter_beyond_the_published_window():
    """At u = 5, which the paper leaves to the other bound, and inside its window too."""
    found = OURS["diprime-v1/chebyshev-window"].check()
    assert found.verdict == "loose" and found.computed > 5 > found.published
    for u in (0.77, 2.0, 3.6, 5.0):
        t = u * np.sqrt(occupancy.gamma(4))
        chebyshev = float(occupancy.chebyshev_bound(t, 4, 1.0))
        assert 1 / u**2 == pytest.approx(chebyshev)
        assert chebyshev < occupancy.subexponential_bound(t, 4, 1.0)


def test_a_window_that_starts_too_early_is_false(monkeypatch):
    monkeypatch.setattr(occupancy, "published_window", lambda: (0.7, 3.61))
    assert OURS["diprime-v1/chebyshev-window"].check().verdict == "fails"


def test_two_equal_records_break_theorem_2():
    """Both go the same way whatever the cut, so that a leaf is one record off."""
    case = OURS["diprime-v1/theorem-2-mechanism/ties"].check().counterexample
    assert (case["n"], case["depth"], case["t"]) == (2, 1, 1.0)
    assert occupancy.published_bound(1.0, 1, case["epsilon"]) == pytest.approx(2 / 2.0**2)


def _winner_law(y, epsilon, k):
    """Law of the rank of v1's chosen cut, B = max |y|, by an integral over the sum of the others' weights."""
    n, sse, scale = len(y), [], 8 * np.abs(y).max() ** 2
    for j in range(n + 1):
        sse.append(sum(len(part) * part.var() for part in (y[:j], y[j:]) if len(part)))
    odds = np.exp(-epsilon * (np.array(sse) - min(sse)) / scale)
    law = np.exp(-epsilon * np.abs(np.arange(n + 1) - n / 2))
    law /= law.sum()
    s = np.geomspace(1e-7, 1e4, 200_001)  # 1/x is the integral of e^(-s x)
    others = sum(p * np.exp(-s * u) for p, u in zip(law, odds)) ** (k - 1)
    winner = [k * p * u * np.trapezoid(others * np.exp(-s * u), s) for p, u in zip(law, odds)]
    assert sum(winner) == pytest.approx(1, abs=1e-5)
    return np.array(winner)


def _tail(y, epsilon, k, t):
    off = np.abs(np.arange(len(y) + 1) - len(y) / 2)
    return _winner_law(y, epsilon, k)[off >= t].sum()


def test_nine_records_and_ten_columns_break_theorem_2():
    """The counterexample's own data, and nothing else: 0 and 1 in place of -1 and 1 break nothing."""
    case = OURS["diprime-v1/theorem-2-mechanism/selection"].check().counterexample
    y, epsilon, k, t = (case[name] for name in ("targets", "epsilon", "K", "t"))
    assert case["B"] == max(map(abs, y))
    tail, bound = _tail(np.array(y), epsilon, k, t), float(occupancy.published_bound(t, 1, epsilon))
    assert tail == pytest.approx(float(case["exact"]), abs=1e-5)
    assert tail > bound > 1.6 * case["one_column"]
    other = _tail((np.array(y) + 1) / 2, epsilon, k, t)
    assert other < bound and other == pytest.approx(0.1209, abs=5e-5)


def test_the_box_prints_data_that_break_theorem_2():
    cells = json.loads((BOOK / "occupancy.ipynb").read_text("utf-8"))["cells"]
    box = next(s for s in ("".join(c["source"]) for c in cells) if ":label: rem-occupancy-selection" in s)
    paragraph = next(s for s in box.split("\n\n") if "nine records" in s)
    line = " ".join(paragraph[paragraph.index("nine records") :].split())
    y = [float(v) for v in re.search(r"targets \$([-0-9, ]+)\$", line)[1].split(",")]
    k, epsilon, t = (
        float(re.search(pattern, line)[1])
        for pattern in (r"K = (\d+)", r"epsilon_1 = ([\d.]+)", r"deviates by ([\d.]+)")
    )
    tail, bound = _tail(np.array(y), epsilon, int(k), t), occupancy.published_bound(t, 1, epsilon)
    assert len(y) == 9 and f"$B = {max(map(abs, y)):g}$" in line
    assert f"probability {tail:.3f}. Theorem 2 allows {bound:.3f}," in line and tail > bound


def test_a_leaf_of_four_records_at_depth_two_is_not_symmetric():
    found = OURS["diprime-v1/leaf-symmetry"].check()
    law = occupancy.leaf_law(4, 2, 2 * np.log(2))  # the middle of the whole range of e^(-epsilon/2)
    assert found.counterexample["refuted"] == {"r": [0.0, 1.0]}
    assert [found.computed, found.published] == pytest.approx([law[0], law[2:].sum()])


@pytest.mark.deep
@pytest.mark.parametrize("name", ["leaf-law-ties", "theorem-2-mechanism/one-line"])
def test_over_wider_ranges(name):
    assert OURS[f"diprime-v1/{name}"].check("reader").verdict == "holds"


@pytest.mark.parametrize("broken", ["rate", "ties"])
def test_a_forest_that_cuts_otherwise_is_found_out(broken, monkeypatch):
    """Cuts at half their rate, or values that are taken to be distinct."""
    from dplit.court.claims.occupancy import ties

    grown = ties._forest_counts

    def other(blocks, depth, epsilon, trees, seed):
        if broken == "rate":
            return grown(blocks, depth, epsilon / 2, trees, seed)
        return grown([1] * sum(blocks), depth, epsilon, trees, seed)

    monkeypatch.setattr(ties, "_forest_counts", other)
    assert OURS["diprime-v1/leaf-law-grown"].check().verdict == "fails"


@pytest.mark.parametrize("far", [3, 6])
def test_a_bound_that_is_too_small_at_some_distances_is_found_out(far, monkeypatch):
    bound = occupancy.corrected_bound

    def smaller(t, *setting):
        return np.where(t > far, 0.9, 1.0) * bound(t, *setting)

    monkeypatch.setattr(occupancy, "corrected_bound", smaller)
    found = OURS["diprime-v1/theorem-2-mechanism/corrected"].check()
    assert found.verdict == "fails" and found.counterexample["t"] > far


@pytest.mark.parametrize(("first", "empty"), [(0.25, True), (0.0, False)])
def test_distinct_values_must_lie_above_the_lower_bound(first, empty):
    """Rank 0 draws between the bound and the first record: a record on the bound goes left all the same."""
    x, trees = np.array([[first], [0.5]]), 300
    shape = {"max_depth": 1, "selection": "uniform", "median": "rank", "partitioned": False}
    shape |= {"domain": Domain([Continuous(0, 1)]), "target_bounds": (0, 1), "random_state": 1}
    forest = MedianForestRegressor(2.0 * trees, n_estimators=trees, accounting="published", **shape)
    with pytest.warns(PrivacyLeakWarning):
        left = (forest.fit(x, [0.0, 0.0]).apply(x) == 0).sum(axis=0)
    assert (left == 0).any() == empty  # the law: 0.21
    assert abs(occupancy.leaf_law(2, 1, 1.0)[0] - 0.2119) < 1e-4
