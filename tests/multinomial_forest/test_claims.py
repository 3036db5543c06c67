"""Claims on the multinomial forest: what is broken is seen, in the grower and in the release."""

import pytest

from dplit import datasets
from dplit.court import claims
from dplit.court.claims.multinomial_forest import growth, release
from dplit.forests import multinomial as estimator
from dplit.multinomial import forest as rules
from dplit.trees import multinomial as trees

OURS = claims.of("multinomial_forest")


def grower_with(monkeypatch, **changed):
    """Let every forest be grown by another rule than its parameters say."""
    grow = trees.grow_multinomial_trees

    def other(domain, X, y, n_classes, n_trees, halves, rule, **options):
        rule = rule._replace(**{name: change(rule) for name, change in changed.items()})
        return grow(domain, X, y, n_classes, n_trees, halves, rule, **options)

    monkeypatch.setattr(trees, "grow_multinomial_trees", other)


@pytest.mark.parametrize(
    "changed",
    [
        {"feature_rate": lambda rule: rule.value_rate, "value_rate": lambda rule: rule.feature_rate},
        {"value_rate": lambda rule: 1.3 * rule.value_rate + 0.3},
        {"feature_rate": lambda rule: 0.0},
        {"entropy": lambda rule: not rule.entropy},
    ],
    ids=["exchanged", "sharper", "uniform features", "other criterion"],
)
def test_a_grower_that_draws_by_another_law_is_seen(monkeypatch, changed):
    assert OURS["mrf/algorithm-1"].check().verdict == "holds"
    grower_with(monkeypatch, **changed)
    assert OURS["mrf/algorithm-1"].check().verdict == "fails"


def test_a_grower_that_stops_by_the_algorithm_breaks_the_rule_of_the_text(monkeypatch):
    grower_with(monkeypatch, least=lambda rule: 0)
    found = OURS["mrf/text-rule"].check()
    assert found.verdict == "fails" and found.counterexample["smallest leaf"] < found.published


def test_a_grower_that_keeps_one_too_few_breaks_it_too(monkeypatch):
    grower_with(monkeypatch, least=lambda rule: max(rule.least - 1, 0))
    assert OURS["mrf/text-rule"].check().verdict == "fails"


def test_trees_of_ten_levels_would_agree_with_the_paper(monkeypatch):
    found = OURS["mrf/depth-10"].check()
    assert found.computed == found.counterexample["levels"] > 10
    grower_with(monkeypatch, max_depth=lambda rule: 10)
    assert OURS["mrf/depth-10"].check().verdict == "holds"


@pytest.mark.parametrize("off", [-1, 1])
def test_another_least_depth_is_seen(monkeypatch, off):
    true = rules.least_depth
    monkeypatch.setattr(rules, "least_depth", lambda n, k: true(n, k) + off * (n == 41))
    assert OURS["mrf/depth-10/corrected"].check().verdict == "fails"


def test_connect_4_has_as_many_records_as_the_claim_says():
    assert len(datasets.load("connect-4").y) == growth.CONNECT_4


def test_a_label_of_another_epsilon_is_seen(monkeypatch):
    flip = estimator.releases.flip
    assert OURS["mrf/forest-law"].check().verdict == "holds"
    monkeypatch.setattr(estimator.releases, "flip", lambda counts, e, *rest: flip(counts, e / 4, *rest))
    assert OURS["mrf/forest-law"].check().verdict == "fails"


@pytest.mark.parametrize("factor", [0.25, 4.0])
def test_a_cut_of_another_epsilon_is_seen(monkeypatch, factor):
    cut = estimator.releases.mass_cut
    monkeypatch.setattr(estimator.releases, "mass_cut", lambda limits, e: cut(limits, factor * e))
    assert OURS["mrf/forest-law"].check().verdict == "fails"


def test_a_law_that_costs_more_than_its_budget_leaks(monkeypatch):
    true = release._law
    monkeypatch.setattr(release, "_law", lambda epsilon: true(8 * epsilon))
    assert OURS["mrf/forest-budget"].check().verdict == "leaks"
