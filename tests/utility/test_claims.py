"""Claims of the chapter on utility: their counterexamples, computed anew."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dplit import balance, median, utility
from dplit.court import claims
from dplit.sensitivity import sse_of

OURS = claims.of("utility")


def counterexample(id):
    return OURS[id].check().to_dict()["counterexample"]


@pytest.mark.parametrize(("reading", "n", "depth", "t"), [("one_column", 8, 2, 0), ("two_columns", 4, 1, 0)])
def test_a_leaf_of_the_right_size_breaks_theorem_1(reading, n, depth, t):
    """Both leaves hold two records, and the squared error differs by 2 B^2."""
    case = counterexample("diprime-v1/theorem-1")[reading]
    assert (case["n"], case["depth"], case["t"]) == (n, depth, t)
    y = [Fraction(v) for v in case["targets"]]
    leaves = case["exact_leaf"], case["private_leaf"]
    before, after = (sse_of([y[i] for i in leaf]) for leaf in leaves)
    assert len(y) == n and [len(leaf) for leaf in leaves] == [2, 2]
    assert abs(after - before) == case["change"] == 2 > case["bound"] == 0


def test_sixteen_records_break_theorem_1_if_all_leaves_are_within_t():
    case = counterexample("diprime-v1/theorem-1")["all_within_t"]
    assert (case["n"], case["depth"], case["t"]) == (16, 2, 1)
    assert utility.leaf_change(16, 2, 1, -1, 1).max() == pytest.approx(4.8)
    assert case["change"] == pytest.approx(4.8) and case["bound"] == 4


def test_forty_eight_records_break_the_corollary():
    case = counterexample("diprime-v1/corollary-1.1")
    m = case["n"] // 2 ** case["depth"]
    sizes = case["sizes"]
    assert sum(sizes) == 48 and max(abs(size - m) for size in sizes) == case["t"] == 1
    targets = [Fraction(1 if i // m % 2 else -1) for i in range(48)]  # no error in the exact tree
    ends = np.cumsum(sizes).tolist()
    grown = sum(sse_of(targets[end - size : end]) for size, end in zip(sizes, ends))
    assert grown == 36 > 2**5 == utility.published_change(3, 1, -1, 1)


def test_four_records_break_theorem_3_at_a_small_t():
    """t = 1/4: by a coin's toss the loss is 4 B^2, and the bound is below 2.1 B^2."""
    case = counterexample("diprime-v1/theorem-3")["smaller_t"]
    assert case["n"] == 4 and case["t"] == 0.25
    n, t, e = case["n"], case["t"], case["epsilon_2"]
    loss = 4 + utility.leaf_noise([2, 2], e, -1, 1)  # leaves -1, 1 and -1, 1
    assert loss > utility.published_loss(n, 1, t, e, -1, 1)
    middle = median.rank_law(n, case["epsilon_1"])[2]
    assert middle / 2 > 1 - middle == pytest.approx(utility.zeta(n, 1, case["epsilon_1"], t))


def test_leaves_that_are_not_within_t_break_the_union_bound():
    """Every tree on eight records; "within t" is t or less, so a whole t would count what is within."""
    case = counterexample("diprime-v1/theorem-3-union")
    n, depth, t, rate = (case[name] for name in ("n", "depth", "t", "epsilon_1"))
    assert (n, depth) == (8, 2)
    laws = [median.rank_law(m, rate) for m in range(n + 1)]
    missed = tail = 0.0
    for k, i, j in product(range(n + 1), repeat=3):
        if i <= k and j <= n - k:
            chance = laws[n][k] * laws[k][i] * laws[n - k][j]
            off = [abs(size - 2) for size in (i, k - i, j, n - k - j)]
            missed += chance * (max(off) > t)
            tail += chance * (off[0] >= t)
    assert missed == pytest.approx(float(case["exact"])) and missed > 2 ** (depth - 1) * tail


def test_theorem_2_fails_on_five_labels():
    """The leaves are (2, 1) and (0, 2), whose labels flip with P_f of the gaps 1 and 2."""
    case = counterexample("diprime-v2/theorem-2")
    labels, k, epsilon = case["labels"], case["k"], case["epsilon"]
    assert (labels, k) == ([0, 0, 1, 1, 1], 3)
    flips = [(epsilon * gap / 4 + 1 / 2) * math.exp(-epsilon * gap) for gap in (1, 2)]
    loss = 1 - (4 - flips[0] - 2 * flips[1]) / 5
    bound = utility.published_accuracy_loss(case["t"], 2 / 3, epsilon)
    assert float(case["exact"]) == pytest.approx(loss) and loss > bound + 0.1
    assert balance.split_law(case["values"], 0, 1, 1.0)[k] == 1


@pytest.mark.deep
@pytest.mark.parametrize(
    "id",
    [
        "diprime-v1/theorem-1/corrected",
        "diprime-v1/corollary-1.1/corrected",
        "diprime-v1/theorem-3/corrected",
        "diprime-v2/theorem-1/corrected",
        "diprime-v2/theorem-1/expectation",
        "diprime-v2/utility-simulated",
        "diprime-v2/flip-probability/classes",
    ],
)
def test_enumerations_over_wider_ranges(id):
    assert OURS[id].check("reader").verdict == "holds"


@pytest.mark.parametrize("broken", ["cut", "label", "mean"])
def test_a_sampler_that_draws_otherwise_is_found_out(broken, monkeypatch):
    """Cuts at half their rate, labels with half the noise, means with a fifth more."""
    from dplit.court.claims.utility import split

    def at(sampler, factor):
        return lambda values, rate, rng: sampler(values, rate * factor, rng)

    def half(values, lower, upper, rate, **how):
        return sample(values, lower, upper, rate / 2, **how)

    sample = median.sample
    if broken == "cut":
        monkeypatch.setattr(median, "sample", half)
    elif broken == "label":
        monkeypatch.setattr(split, "published_labels", at(split.published_labels, 2))
    else:
        monkeypatch.setattr(split, "published_means", at(split.published_means, 1 / 1.2))
    assert OURS["diprime-v2/utility-simulated"].check().verdict == "fails"


def test_imbalance_helps_some_targets_and_never_the_worst():
    found = OURS["diprime-v2/imbalance"].check()
    assert found.verdict == "assumes"
    pure = [Fraction(v) for v in (0, 1, 1, 1)]
    assert sse_of(pure[:1]) + sse_of(pure[1:]) == 0 < sse_of(pure[:2]) + sse_of(pure[2:])


def _smaller(n):
    return np.minimum(np.arange(n + 1.0), n - np.arange(n + 1.0))


def test_a_worst_loss_that_rises_with_the_smaller_block_is_false(monkeypatch):
    monkeypatch.setattr(utility, "worst_split_loss", lambda n, *rest: _smaller(n))
    assert OURS["diprime-v2/imbalance"].check().verdict == "fails"
