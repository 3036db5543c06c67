"""Ranks against a published worked example and against scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dplit.court import bench

# Ranks of four learners on 14 data sets: table 6 of Demšar (2006)
PUBLISHED = pd.DataFrame(
    [
        (4, 3, 2, 1), (1, 2, 3, 4), (4, 1, 2, 3), (4, 1, 3, 2), (4, 2, 3, 1), (1, 2.5, 4, 2.5),
        (3, 2, 4, 1), (2.5, 2.5, 4, 1), (4, 3, 2, 1), (2.5, 2.5, 2.5, 2.5), (4, 2.5, 1, 2.5),
        (3, 2, 4, 1), (4, 1, 2, 3), (3, 1, 4, 2),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)  # fmt: skip


def test_the_published_example():
    """Demšar prints average ranks, a statistic of 9.28, F of 3.69 and a critical difference of 1.25."""
    ranks = bench.average_ranks(-PUBLISHED)
    printed = {"C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143}
    assert list(ranks.index) == list(printed)
    assert ranks.to_numpy() == pytest.approx(list(printed.values()), abs=5e-4)
    chi, f, p = bench.friedman(-PUBLISHED)
    assert (chi, f) == (pytest.approx(9.28, abs=5e-3), pytest.approx(3.69, abs=5e-3))
    assert p < 0.05 < bench.friedman(-PUBLISHED.iloc[:5])[2]
    distance = bench.critical_difference(4, 14)
    assert distance == pytest.approx(1.25, abs=5e-3)
    assert bench.critical_difference(4, 14, 0.1) == pytest.approx(1.12, abs=5e-3)


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (10, 3.164)])
def test_the_published_critical_values(k, q):
    """Table 5 of Demšar (2006), level 0.05."""
    assert bench.critical_difference(k, 9) == pytest.approx(q * np.sqrt(k * (k + 1) / 54), rel=3e-4)


@pytest.mark.parametrize("seed", range(3))
def test_the_statistic_is_scipys_without_ties(seed):
    scores = np.random.default_rng(seed).random((9, 5))
    table = pd.DataFrame(scores, columns=list("abcde"))
    chi, f, p = bench.friedman(table)
    assert chi == pytest.approx(stats.friedmanchisquare(*scores.T).statistic)
    assert p == pytest.approx(stats.f.sf(8 * chi / (9 * 4 - chi), 4, 32)) and f > 0


def test_the_highest_score_has_rank_one_and_ties_share():
    table = pd.DataFrame([(0.9, 0.8, 0.8), (0.9, 0.7, 0.9)], columns=["a", "b", "c"])
    assert dict(bench.average_ranks(table)) == {"a": 1.25, "c": 2.0, "b": 2.75}


def test_runs_of_methods_that_differ_by_less():
    ranks = pd.Series({"a": 1.0, "b": 1.8, "c": 2.5, "d": 4.0, "e": 4.2})
    assert bench.indistinct(ranks, 1.6) == [("a", "c"), ("c", "d"), ("d", "e")]
    assert bench.indistinct(ranks, 0.1) == []
    assert bench.indistinct(ranks, 9.0) == [("a", "e")]


def test_what_is_refused():
    table = pd.DataFrame({"a": [0.5, np.nan], "b": [0.4, 0.3]}, index=["one", "two"])
    with pytest.raises(ValueError, match=r"'two'"):
        bench.average_ranks(table)
    with pytest.raises(ValueError, match="two methods"):
        bench.average_ranks(table[["b"]])
    with pytest.raises(ValueError, match="k must be at least 2"):
        bench.critical_difference(1, 5)
