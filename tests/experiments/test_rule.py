"""The rule of sentences: its t against scipy's, Holm against all subsets, counts of parts against draws.

False alarms: none by chance, every draw is seeded.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom, ttest_1samp

from dplit.court import claims, experiments
from dplit.court.claims.runs import reproduced
from dplit.court.experiments import curves, rule


def numbers(seed, n=12, shift=0.5):
    return np.random.default_rng(seed).normal(shift, 1.0, n)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("limit", [0.0, 0.4])
def test_independent_repetitions_have_the_plain_t(seed, limit):
    of = numbers(seed)
    part = rule.above(of, limit, overlap=0.0)
    assert part.yes == pytest.approx(ttest_1samp(of, limit, alternative="greater").pvalue)
    assert part.no == pytest.approx(ttest_1samp(of, limit, alternative="less").pvalue)
    assert part.p == pytest.approx(ttest_1samp(of, limit).pvalue)
    low, high = ttest_1samp(of, limit).confidence_interval(0.99)
    assert part.decided_by(0.01)[1] == pytest.approx((low, high))


def test_splits_of_one_data_set_have_the_corrected_resampled_t():
    """By stretching: numbers whose plain error is the corrected one have the same p-value."""
    of = numbers(1)
    stretched = of.mean() + (of - of.mean()) * np.sqrt(1 + len(of) / 9)
    corrected = rule.above(of, overlap=1 / 9)
    assert corrected.p == pytest.approx(ttest_1samp(stretched, 0.0).pvalue)
    assert corrected.p > ttest_1samp(of, 0.0).pvalue


def test_the_overlap_is_that_of_the_split():
    held = experiments.get("diprime-v2/table-1").cells[0]
    folded = experiments.get("rdf/figure-10").cells[0]
    drawn = experiments.get("rdf/figure-4").cells[0]
    assert (curves.overlap(drawn), drawn.draws) == (0.0, 2)
    assert curves.overlap(held) == pytest.approx(0.1 / 0.9)
    assert curves.overlap(folded) == pytest.approx(1 / 9) and folded.folds == 10


def test_few_splits_and_what_is_open_decide_nothing():
    certain = rule.above(np.arange(9) + 100.0, overlap=0.0)
    assert certain == rule.OPEN and certain.verdict(0.05) == "undecided"
    assert certain.decided_by(0.05) is None
    assert rule.above(np.arange(10) + 100.0, overlap=0.0).verdict(0.05) == "agrees"
    good = rule.above(numbers(0) + 9, overlap=0.0)
    assert rule.all_of([good, rule.OPEN]).verdict(0.05) == "undecided"
    assert rule.any_of([good, rule.OPEN]).verdict(0.05) == "agrees"
    assert rule.all_of([~good, rule.OPEN]).verdict(0.05) == "differs"


def test_numbers_that_never_vary_decide():
    same = np.full(10, 31.0)
    assert rule.above(same, 30.0, overlap=0.1).verdict(0.01) == "agrees"
    assert rule.above(same, 32.0, overlap=0.1).verdict(0.01) == "differs"
    assert rule.above(same, 31.0, overlap=0.1).verdict(0.01) == "undecided"


@pytest.mark.parametrize("seed", range(20))
def test_the_verdict_is_the_side_of_the_interval(seed):
    rng = np.random.default_rng(seed)
    parts = [rule.above(rng.normal(m, 1, 10), overlap=1 / 9) for m in rng.normal(0, 3, 4)]
    for part in (rule.at_least(m, parts) for m in range(1, 5)):
        for side in (part, ~part):
            seen, (low, high) = side.decided_by(0.05)
            apart = low > seen.limit or high < seen.limit
            assert apart == (side.verdict(0.05) != "undecided")
            held = low > seen.limit if seen.relation == ">" else high < seen.limit
            assert held == (side.verdict(0.05) == "agrees")


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_the_opposite_of_a_count_is_a_count_of_opposites(m):
    parts = [rule.above(numbers(seed), overlap=0.1) for seed in range(4)]
    one, two = ~rule.at_least(m, parts), rule.at_least(4 - m + 1, [~p for p in parts])
    assert (one.yes, one.no) == pytest.approx((two.yes, two.no))


@pytest.mark.parametrize(("k", "m"), [(3, 3), (3, 1), (5, 3), (6, 2)])
def test_a_count_that_is_not_met_is_rarely_seen(k, m):
    """m - 1 parts are true beyond doubt and the others at the border: the p-value is below 0.05 in no
    more than 5 % of draws, up to what 2,000 draws allow (one in a million)."""
    rng = np.random.default_rng(5)
    seen, draws = 0, 2000
    for _ in range(draws):
        yes = [1e-12] * (m - 1) + rng.random(k - m + 1).tolist()
        seen += rule.at_least(m, [rule.Part(p, 1 - p) for p in yes]).yes <= 0.05
    assert seen <= binom.isf(1e-6, draws, 0.05)
    assert seen > 0


def test_a_count_larger_than_the_parts_is_false():
    assert rule.at_least(2, [rule.OPEN]).verdict(0.05) == "differs"


def by_closing(p, rate):
    """What is decided if each set of sentences is tested at once by Bonferroni: Holm's, by all subsets."""
    sets = [s for n in range(1, len(p) + 1) for s in combinations(p, n)]
    false = {s for s in sets if min(p[name] for name in s) <= rate / len(s)}
    return {name for name in p if all(s in false for s in sets if name in s)}


@pytest.mark.parametrize("seed", range(30))
def test_holm_by_all_subsets(seed):
    draws = np.random.default_rng(seed).random(6) ** 4 * 0.1
    p = {f"s{i}": float(x) for i, x in enumerate(draws)}
    level = rule.holm(p, 0.05)
    assert {name for name in p if p[name] <= level[name]} == by_closing(p, 0.05)


@pytest.mark.parametrize(("middle", "verdict"), [(1.0, "agrees"), (1.2, "undecided"), (2.0, "differs")])
def test_a_margin(middle, verdict):
    of = 1.0 + 0.1 * numbers(3, 20, shift=0.0)
    assert rule.within(of, middle, 0.2, overlap=0.0).verdict(0.01) == verdict


def test_a_printed_deviation_widens_the_interval():
    of = numbers(0)
    alone, both = (rule.above(of, overlap=0.1, variance=v) for v in (0.0, 4.0))
    factor = np.sqrt((of.var(ddof=1) + 4.0) / of.var(ddof=1))
    assert both.for_yes[0].error == pytest.approx(factor * alone.for_yes[0].error)


def test_one_rate_is_shared_by_every_sentence_that_was_run():
    ran = {c.id for c in claims.all() if c.kind == "reproduced"}
    assert {*reproduced.SENTENCES} == ran == {*reproduced.levels()}
    assert min(reproduced.levels().values()) == pytest.approx(rule.RATE / len(ran))
    for c in claims.all():
        assert c.kind != "reproduced" or c.about == "experiment", c.id
