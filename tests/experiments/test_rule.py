"""The rule of sentences: its likelihood ratio against integrals, its error at every look, counts of parts.

False alarms: none by chance, every draw is seeded.
"""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.stats import binom, binomtest, norm, ttest_1samp

from dplit.court import claims, experiments
from dplit.court.claims.runs import reproduced
from dplit.court.experiments import curves, rule


def numbers(seed, n=24, shift=0.5):
    return np.random.default_rng(seed).normal(shift, 1.0, n)


def by_integrals(of, mean):
    """Likelihood of normal numbers with effects drawn from N(0, 1 / kappa), over that without an effect.

    Both are mixed over deviations with density 1 / s; in units of the first number's distance.
    """
    x = (of - mean) / abs(of[0] - mean)

    s, effects = np.exp(np.linspace(-7, 9, 4001)), np.linspace(-8, 8, 801)
    mixed = np.array([trapezoid(norm.pdf(x[:, None], e * s, s).prod(axis=0), np.log(s)) for e in effects])
    return trapezoid(mixed * norm.pdf(effects, 0, rule.EFFECTS**-0.5), effects) / mixed[len(effects) // 2]


@pytest.mark.parametrize(("seed", "n", "mean"), [(0, 2, 0.3), (1, 3, 0.0), (2, 4, 0.5)])
def test_the_evidence_is_a_mixture_of_likelihood_ratios(seed, n, mean):
    of = numbers(seed, n)
    squares = float(((of - of.mean()) ** 2).sum())
    assert np.exp(rule.log_evidence(n, squares, of.mean() - mean)) == pytest.approx(
        by_integrals(of, mean), rel=1e-5
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", [0.05, 1e-3])
def test_the_interval_has_the_means_that_are_not_refuted(seed, level):
    of = numbers(seed)
    low, high = rule.above(of).decided_by(level)[1]
    for inside, outside in ((low + 1e-9, low - 1e-9), (high - 1e-9, high + 1e-9)):
        assert rule.above(of, inside).p > level >= rule.above(of, outside).p
    assert (low + high) / 2 == pytest.approx(of.mean())


def looked_at(draws, steps, rng, effect=0.0):
    """p-value against a mean of zero at each look from `rule.LEAST` numbers on, shape (draws, looks)."""
    of = rng.normal(effect, 1.0, (draws, steps))
    return np.array([[rule.above(one[:n]).p for n in range(rule.LEAST, steps + 1, 10)] for one in of])


def test_whoever_looks_all_the_time_errs_no_more_often():
    """At level .05, of 200 draws with 19 looks each; a plain t test is refuted by the same draws and bound."""
    most = binom.isf(1e-6, 200, 0.05)
    ever = (looked_at(200, 200, np.random.default_rng(3)) <= 0.05).any(axis=1)
    assert ever.sum() <= most
    of = np.random.default_rng(3).normal(0, 1, (200, 200))
    plain = [ttest_1samp(of[:, :n], 0, axis=1).pvalue for n in range(rule.LEAST, 201, 10)]
    assert (np.array(plain) <= 0.05).any(axis=0).sum() > most


def test_an_effect_is_found_with_a_third_more_runs_than_a_test_that_looks_once():
    rng = np.random.default_rng(4)
    found = [rule.above(rng.normal(0.5, 1, 120)).p <= 1e-3 for _ in range(100)]
    found = np.array(found)
    assert found.mean() > 0.85


def test_few_repetitions_and_what_is_open_decide_nothing():
    few = rule.above(np.arange(rule.LEAST - 1) + 100.0)
    assert few.verdict(0.05) == "undecided" and few.p == 1.0
    assert rule.above(np.arange(rule.LEAST) + 100.0).verdict(0.05) == "agrees"
    good = rule.above(numbers(0) + 9)
    assert rule.all_of([good, rule.OPEN]).verdict(0.05) == "undecided"
    assert rule.any_of([good, rule.OPEN]).verdict(0.05) == "agrees"
    assert rule.all_of([~good, rule.OPEN]).verdict(0.05) == "differs"


def test_numbers_that_never_vary_decide():
    same = np.full(rule.LEAST, 31.0)
    assert rule.above(same, 30.0).verdict(1e-6) == "agrees"
    assert rule.above(same, 32.0).verdict(1e-6) == "differs"
    assert rule.above(same, 31.0).verdict(1e-6) == "too close"


@pytest.mark.parametrize("margin", [0.01, 1.0, (31.01, 30.99)])
def test_what_hardly_varies_counts_as_a_tenth_of_what_matters(margin):
    """Of scores that are nearly always 1 what is rare and below may not have been seen."""
    same, size = np.full(rule.LEAST, 31.0), 0.01 if isinstance(margin, tuple) else margin
    steps = size / 10 * np.resize([-1, 1], rule.LEAST)
    margins = (same - 31 + margin[0], same - 31 + margin[1]) if isinstance(margin, tuple) else margin
    for limit in (31 - size / 100, 31 + size / 20, 31 + size / 2):
        hardly, just = (rule.above(of, limit, margin=margins) for of in (same, same + steps))
        assert (hardly.yes, hardly.no) == pytest.approx((just.yes, just.no), rel=1e-9)
    assert rule.above(same, 31 - size / 100, margin=margins).verdict(1e-6) == "too close"
    wider = rule.above(same + 2 * steps, 31 + size / 2, margin=margins)
    assert wider.no > 10 * rule.above(same, 31 + size / 2, margin=margins).no


def test_a_difference_that_does_not_matter_is_too_close():
    tiny = numbers(7, 4000, 0.0) * 0.01
    assert rule.above(tiny, margin=0.01).verdict(1e-3) == "too close"
    assert (~rule.above(tiny, margin=0.01)).verdict(1e-3) == "too close"
    assert rule.above(tiny, margin=1e-5).verdict(1e-3) == "undecided"
    assert rule.above(tiny, margin=(tiny + 0.01, tiny - 0.01)).verdict(1e-3) == "too close"
    assert rule.above(tiny, margin=(tiny + 0.01, tiny)).verdict(1e-3) == "undecided"


@pytest.mark.parametrize(("sure", "verdict"), [(0.5, "too close"), (-0.5, "differs")])
def test_of_all_one_that_is_too_close_is_enough_unless_another_is_false(sure, verdict):
    tiny = rule.above(numbers(7, 4000, 0.0) * 0.01, margin=0.01)
    assert rule.all_of([tiny, rule.above(numbers(1, shift=sure) * 0.01 + sure)]).verdict(1e-3) == verdict


@pytest.mark.parametrize("seed", range(20))
def test_the_verdict_is_the_side_of_the_interval(seed):
    rng = np.random.default_rng(seed)
    draws = [rng.normal(m, 1, 30) for m in rng.normal(0, 1, 4)]
    for parts in ([rule.above(d) for d in draws], [rule.beyond(d, overlap=1 / 9) for d in draws]):
        for part in (rule.at_least(m, parts) for m in range(1, 5)):
            for side in (part, ~part):
                seen, (low, high) = side.decided_by(0.05)
                decided = side.verdict(0.05) in ("agrees", "differs")
                assert side.p == 1.0 or (low > seen.limit or high < seen.limit) == decided
                held = low > seen.limit if seen.relation == ">" else high < seen.limit
                assert held == (side.verdict(0.05) == "agrees")


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_the_opposite_of_a_count_is_a_count_of_opposites(m):
    parts = [rule.above(numbers(seed, shift=0.1)) for seed in range(4)]
    one, two = ~rule.at_least(m, parts), rule.at_least(4 - m + 1, [~p for p in parts])
    for side in ("yes", "no", "near_yes", "near_no"):
        assert getattr(one, side) == pytest.approx(getattr(two, side))


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


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("limit", [0.0, 0.4])
def test_new_records_with_data_of_their_own_have_the_plain_t(seed, limit):
    of = numbers(seed)
    part = rule.beyond(of, limit, overlap=0.0)
    assert part.yes == pytest.approx(ttest_1samp(of, limit, alternative="greater").pvalue)
    assert part.no == pytest.approx(ttest_1samp(of, limit, alternative="less").pvalue)
    low, high = ttest_1samp(of, limit).confidence_interval(0.98)
    assert part.decided_by(0.01)[1] == pytest.approx((low, high))


def test_splits_that_stand_for_new_records_have_the_corrected_resampled_t():
    """By stretching: numbers whose plain error is the corrected one have the same p-value."""
    of = numbers(1)
    stretched = of.mean() + (of - of.mean()) * np.sqrt(1 + len(of) / 9)
    corrected = rule.beyond(of, overlap=1 / 9)
    assert 2 * corrected.p == pytest.approx(ttest_1samp(stretched, 0.0).pvalue)
    assert 2 * corrected.p > ttest_1samp(of, 0.0).pvalue


@pytest.mark.parametrize(("won", "lost", "tied"), [(14, 0, 0), (9, 3, 2), (2, 5, 0)])
def test_tables_are_counted_by_their_signs(won, lost, tied):
    part = rule.signs([0.1] * won + [-0.2] * lost + [0.0] * tied)
    assert part.yes == pytest.approx(binomtest(won, won + lost, alternative="greater").pvalue)
    assert part.no == pytest.approx(binomtest(lost, won + lost, alternative="greater").pvalue)
    low, high = part.decided_by(0.01)[1]
    exact = binomtest(won, won + lost).proportion_ci(0.98, "exact")
    assert (low, high) == pytest.approx((exact.low, exact.high))
    assert rule.signs([0.0]) == rule.OPEN


@pytest.mark.parametrize(("middle", "verdict"), [(1.0, "agrees"), (1.2, "too close"), (2.0, "differs")])
def test_a_margin(middle, verdict):
    of = 1.0 + 0.1 * numbers(3, 60, shift=0.0)
    assert rule.within(of, middle, 0.2).verdict(0.01) == verdict


def test_a_limit_that_is_a_number_itself_widens_the_interval():
    of = numbers(0)
    alone, both = (rule.above(of, deviation=d).decided_by(0.01)[1] for d in (0.0, 0.3))
    room = 0.3 * norm.isf(rule.REMOTE)
    assert both == pytest.approx((alone[0] - room, alone[1] + room))
    far = rule.above(of, -room - 1, deviation=0.3)
    assert far.yes == pytest.approx(rule.above(of, -1.0).yes + rule.REMOTE)


def test_what_is_independent_is_counted():
    """A random split; a whole cut of cross-validation, whose folds share it; a draw of a synthetic set."""
    cells = [experiments.get(id).cells[0] for id in ("diprime-v2/table-1", "rdf/figure-10", "rdf/figure-4")]
    assert [(c.folds, c.draws) for c in cells] == [(0, 0), (10, 0), (10, 2)]
    scores = np.arange(25.0)
    found = [curves.repetitions(cell, scores) for cell in cells]
    assert [len(of) for of in found] == [25, 2, 12]
    assert found[1][1] == np.arange(10.0, 20.0).mean() and found[2][0] == 0.5


def test_each_paper_has_one_rate():
    ran = {c.id: c for c in claims.all() if c.kind == "reproduced"}
    levels = reproduced.levels()
    assert {*reproduced.SENTENCES} == {*ran} == {*levels}
    for paper in {reproduced.paper(figure) for figure in reproduced.FIGURES.values()}:
        shares = [levels[id] for id, figure in reproduced.FIGURES.items() if reproduced.paper(figure) == paper]
        assert sum(shares) == pytest.approx(rule.RATE)
    for c in claims.all():
        assert c.kind != "reproduced" or c.about == "experiment", c.id


def test_a_method_that_is_behind_at_all_budgets_is_refuted_sooner_than_one_by_one():
    lost = rule.signs(np.full(14, -1.0))
    assert rule.throughout([lost] * 4).no == pytest.approx(2 * 2**-14)
    assert rule.all_of([lost] * 4).no == pytest.approx(4 * 2**-14)
    won = rule.signs(np.full(14, 1.0))
    assert rule.throughout([won] * 4).yes == rule.all_of([won] * 4).yes == 2**-14
    assert rule.throughout([won] * 3 + [lost]).verdict(0.05) == "undecided"


def test_twice_the_mean_holds_for_the_worst_dependence():
    """Of two p-values whose sum is the level wherever one is below it, the mean is half the level as often."""
    level, u = 0.05, np.linspace(0, 1, 2001)[1:]
    pairs = np.column_stack([u, np.where(u < level, level - u, u)])
    found = [rule.throughout([rule.Part(no=a), rule.Part(no=b)]).no for a, b in pairs]
    assert np.mean(np.array(found) <= level * (1 + 1e-9)) == pytest.approx(level, abs=1e-3)
