"""Claims of the chapter on utility: their counterexamples, computed anew."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dplit import balance, claims, median, utility
from dplit.sensitivity import sse_of

OURS = claims.of("utility")


def counterexample(id):
    return OURS[id].check().to_dict()["counterexample"]


@pytest.mark.parametrize(
    ("reading", "n", "depth", "t"), [("one_column", 8, 2, 0), ("two_columns", 4, 1, 0)]
)
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
