"""A budget's total follows from its tree, and trees that prove nothing cannot be built."""

from __future__ import annotations

import json
import math
import pickle

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dplit import Budget
from dplit.budget import Bootstrap, EqualParts, Group, Leak, Parallel, Public, Sequence, Spend
from dplit.mechanisms import PermuteAndFlip

SPLIT = Spend("splits", 0.75, "Exponential(epsilon=0.75)", source="thm-exponential")
LABEL = Spend("labels", 0.25, "PermuteAndFlip(epsilon=0.25)")


def forest(relation="add-remove"):
    tree = Sequence("one tree", [Public("thresholds", "uniform draws"), SPLIT, LABEL])
    whole = Parallel("trees", [tree], "each record draws its tree", copies=10)
    return Budget(whole if relation == "add-remove" else Group("forest", whole, 2))


def test_totals():
    assert Sequence("s", [SPLIT, LABEL]).epsilon == 1.0
    assert Parallel("p", [SPLIT, LABEL]).epsilon == 0.75
    assert Group("g", SPLIT, 2).epsilon == 1.5
    assert Public("p").epsilon == 0.0
    assert Sequence("s", []).epsilon == Parallel("p", []).epsilon == 0.0
    assert forest().epsilon == 1.0
    assert forest("replace-one").epsilon == 2.0


def test_the_sum_does_not_drift():
    assert Sequence("s", [Spend("a", 0.1)] * 10).epsilon == 1.0


@given(st.lists(st.floats(0, 100), max_size=8))
def test_rules(epsilons):
    spends = [Spend(str(i), e) for i, e in enumerate(epsilons)]
    assert Sequence("s", spends).epsilon == pytest.approx(sum(epsilons))
    assert Parallel("p", spends).epsilon == max(epsilons, default=0)
    nested = Sequence("s", [Sequence("a", spends[:3]), Sequence("b", spends[3:])])
    assert nested.epsilon == pytest.approx(sum(epsilons))


def test_a_leak_anywhere_makes_the_total_infinite():
    for compose in (Sequence, Parallel):
        assert compose("c", [SPLIT, Leak("bounds")]).epsilon == math.inf
    assert Group("g", Sequence("s", [Leak("bounds")]), 2).epsilon == math.inf


def test_relations_do_not_mix():
    replaced = Spend("r", 1.0, neighbours="replace-one")
    with pytest.raises(ValueError, match=r"parts must share one .*'add-remove', 'replace-one'"):
        Sequence("s", [SPLIT, replaced])
    with pytest.raises(ValueError, match="parts of a Parallel must be add-remove"):
        Parallel("p", [replaced])
    with pytest.raises(ValueError, match="parts of a Parallel must be add-remove"):
        Parallel("p", [Group("g", SPLIT, 2)])
    assert Sequence("s", [replaced, Public("x"), Group("g", SPLIT, 2)]).neighbours == "replace-one"
    assert Sequence("s", [Public("x"), Leak("y")]).neighbours is None
    assert Budget(Public("x")).neighbours == "add-remove"


def test_a_group_must_reach_its_relation():
    assert Group("g", SPLIT, 2).neighbours == "replace-one"
    assert Group("g", SPLIT, 3, relation="add-remove").neighbours == "add-remove"
    with pytest.raises(ValueError, match="distance must be at least 2 for replace-one, got 1"):
        Group("g", SPLIT, 1)
    with pytest.raises(ValueError, match="relation must be 'replace-one' for a part that is"):
        Group("g", Spend("r", 1.0, neighbours="replace-one"), 2, relation="add-remove")
    with pytest.raises(ValueError, match=r"distance must be an integer of at least 1, got 1.5"):
        Group("g", SPLIT, 1.5)
    with pytest.raises(ValueError, match=r"neighbours must be one of .*, got 'bounded'"):
        Group("g", SPLIT, 2, relation="bounded")


@pytest.mark.parametrize("epsilon", [-0.1, math.nan, "1", None, True])
def test_a_spend_needs_an_epsilon(epsilon):
    with pytest.raises(ValueError, match=f"epsilon must be a number of at least 0, got {epsilon!r}"):
        Spend("x", epsilon)


def test_other_things_are_no_nodes():
    for build in (lambda: Sequence("s", [1.0]), lambda: Sequence("s", SPLIT), lambda: Group("g", 1.0, 2)):
        with pytest.raises(ValueError, match="parts must be"):
            build()
    with pytest.raises(ValueError, match="root must be made of Spend"):
        Budget(1.0)
    with pytest.raises(ValueError, match="neighbours must be one of"):
        Spend("x", 1.0, neighbours="bounded")


def test_copies_stand_for_one_listed_part():
    with pytest.raises(ValueError, match="copies=3 needs exactly one part, got 2"):
        Parallel("p", [SPLIT, LABEL], copies=3)
    with pytest.raises(ValueError, match="copies must be an integer of at least 1, got 0"):
        Parallel("p", [SPLIT], copies=0)


def test_long_lines_are_folded_under_their_branch():
    """88 characters a line; a part that has parts keeps its bar, and a deep tree some words on each line."""
    words = "every record is read once and no more than once " * 3
    inner = Sequence("inner", [SPLIT], words)
    assert str(Budget(Sequence("outer", [inner, LABEL]), [words])).splitlines()[1:] == [
        "outer: sum = 1",
        "├─ inner: sum = 0.75  (every record is read once and no more than once every record is",
        "│  │  read once and no more than once every record is read once and no more than once )",
        "│  └─ splits: 0.75  (Exponential(epsilon=0.75), thm-exponential)",
        "└─ labels: 0.25  (PermuteAndFlip(epsilon=0.25))",
        "(every record is read once and no more than once every record is read once and no more",
        " than once every record is read once and no more than once )",
    ]
    deep = SPLIT
    for i in range(60):
        deep = Sequence(f"level {i}", [deep])
    assert max(map(len, str(Budget(deep)).splitlines())) < 60 * 3 + 60


def test_the_printed_tree():
    assert str(forest("replace-one")) == (
        "epsilon 2 under replace-one neighbours\n"
        "forest: 2 x = 2  (replace-one neighbours are 2 steps of the part apart)\n"
        "└─ trees: max of 10 = 1  (each record draws its tree)\n"
        "   └─ one tree: sum = 1\n"
        "      ├─ thresholds: 0  (uniform draws)\n"
        "      ├─ splits: 0.75  (Exponential(epsilon=0.75), thm-exponential)\n"
        "      └─ labels: 0.25  (PermuteAndFlip(epsilon=0.25))"
    )
    assert str(Budget(Leak("bounds", "read off the data"))) == (
        "epsilon inf under add-remove neighbours\nbounds: inf  (read off the data)"
    )
    assert repr(forest()) == "Budget(epsilon=1, neighbours='add-remove')"


def test_branches_line_up():
    inner = Sequence("inner", [SPLIT, LABEL])
    lines = str(Budget(Sequence("outer", [inner, inner]))).splitlines()[1:]
    starts = ["outer", "├─ inner", "│  ├─ splits", "│  └─ labels", "└─ inner", "   ├─ splits", "   └─ labels"]
    assert [line.partition(":")[0] for line in lines] == starts


def test_the_tree_as_json():
    plain = json.loads(json.dumps(forest("replace-one").to_dict(), allow_nan=False))
    assert plain["neighbours"] == "replace-one" and plain["epsilon"] == 2.0
    trees = plain["parts"][0]
    assert (trees["node"], trees["copies"], trees["neighbours"]) == ("Parallel", 10, "add-remove")
    assert [p["epsilon"] for p in trees["parts"][0]["parts"]] == [0.0, 0.75, 0.25]
    leak = Budget(Sequence("s", [Leak("bounds"), Spend("x", np.float32(0.5))])).to_dict()
    assert json.loads(json.dumps(leak, allow_nan=False))["epsilon"] == "inf"


def test_leaves_and_value_semantics():
    assert [leaf.name for leaf in forest().leaves()] == ["thresholds", "splits", "labels"]
    assert forest() == forest() != forest("replace-one")
    assert hash(forest()) == hash(forest())
    twin = pickle.loads(pickle.dumps(forest("replace-one")))
    assert twin == forest("replace-one") and str(twin) == str(forest("replace-one"))


def test_copies_and_distances_are_plain_integers():
    """A number of trees often comes as a NumPy integer, which JSON does not take."""
    two = np.int64(2)
    parts = Parallel("p", [SPLIT], copies=two), EqualParts("e", SPLIT, two), Group("g", SPLIT, two)
    for node in parts:
        assert json.loads(json.dumps(Budget(node).to_dict()))["parts"][0]["name"] == "splits"


# Bootstrap samples ---------------------------------------------------------------------------


def copies_law(n):
    """Law of how often one record is drawn among n draws from n records."""
    return [math.comb(n, k) * (n - 1) ** (n - k) / n**n for k in range(n + 1)]


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 3.0])
def test_a_bootstrap_costs_the_mean_over_a_poisson_number_of_copies(epsilon):
    """The closed form against mpmath's sum, and the binomial means below it that it bounds."""
    with mp.workdps(40):
        terms = (mp.exp(abs(2 * k - 1) * mp.mpf(epsilon) - 1) / mp.factorial(k) for k in range(1500))
        total = mp.fsum(terms)
        exact = float(mp.log(total))
    bound = Bootstrap("b", Spend("counts", epsilon)).epsilon
    assert bound == pytest.approx(exact, rel=1e-12)
    means = [
        math.log(sum(p * math.exp(abs(2 * k - 1) * epsilon) for k, p in enumerate(copies_law(n))))
        for n in (1, 2, 5, 20, 60)
    ]
    assert means == sorted(means) and means[-1] <= bound
    assert means[0] == pytest.approx(epsilon)


def test_a_bootstrap_of_noisy_counts_nearly_costs_its_bound():
    """One record of class A more, among n of class B: far out, the ratio of the densities of the two
    noisy counts is the mean of exp((2K - 1) epsilon), K copies and as many others fewer."""
    epsilon, n = 0.5, 80
    far = np.array([60.0, -60.0])
    without = np.exp(-epsilon * np.abs(far - [0, n]).sum())
    within = sum(
        p * np.exp(-epsilon * np.abs(far - [k, n + 1 - k]).sum()) for k, p in enumerate(copies_law(n + 1))
    )
    bound = Bootstrap("b", Spend("counts", epsilon)).epsilon
    assert 0.85 * bound < math.log(within / without) <= bound


@pytest.mark.parametrize("n", [1, 2, 6])
def test_a_bootstrap_of_a_label_costs_no_more_than_its_bound(n):
    """Majority label of a bootstrap sample, exactly: A is drawn K times among m, for all data sets."""
    epsilon = 0.8
    mechanism = PermuteAndFlip(epsilon, monotonic=True)

    def law(a, b):
        m = a + b
        draws = [math.comb(m, k) * a**k * b ** (m - k) / m**m for k in range(m + 1)]
        return sum(p * mechanism.pmf([k, m - k]) for k, p in enumerate(draws))

    bound = Bootstrap("b", Spend("label", epsilon)).epsilon
    losses = [np.abs(np.log(law(a, n - a) / law(a + 1, n - a))).max() for a in range(n + 1)]
    assert max(losses) <= bound


def test_a_bootstrap_in_a_tree():
    assert Bootstrap("b", Public("p")).epsilon == 0.0
    assert Bootstrap("b", Leak("l")).epsilon == math.inf
    assert Bootstrap("b", Spend("s", 400.0)).epsilon == math.inf
    tree = Sequence("trees", [Bootstrap("a tree", SPLIT)], copies=3)
    assert tree.epsilon == pytest.approx(3 * Bootstrap("b", SPLIT).epsilon)
    assert "a tree: resampled = " in str(Budget(tree))
    with pytest.raises(ValueError, match="part of Bootstrap must be add-remove"):
        Bootstrap("b", Spend("r", 1.0, neighbours="replace-one"))
