"""Claims of the chapter on the two multinomials: counterexamples anew, and formulas that are broken."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dplit import multinomial
from dplit.court import claims
from dplit.court.claims.multinomial import small

OURS = claims.of("multinomial")


def verdict(name):
    return OURS[f"mrf/{name}"].check().verdict


def test_two_records_have_no_feature_left_for_lemma_3():
    case = OURS["mrf/lemma-3-any-feature"].check().counterexample
    column = case["columns"][case["feature"]]
    assert len(case["y"]) == 2 and len(set(column)) == 1


def test_three_records_have_a_cut_that_is_likelier_than_the_best():
    case = OURS["mrf/best-most-likely"].check().counterexample
    X = np.transpose(case["columns"])
    node = multinomial.decreases_of(X, case["y"])
    best = max(map(max, node))
    law = multinomial.joint_law(node, 0.5, 0.5)
    top = max(p for d, p in zip(np.concatenate(node), np.concatenate(law)) if d == best)
    assert (len(X), best) == (3, pytest.approx(4 / 9))
    assert top == pytest.approx(case["exact"], abs=1e-9) and top < case["stated"] - 0.1


def test_density_that_breaks_lemma_4():
    """The share of a density's mass in the middle third, from its distribution function, on a whole interval."""
    case = OURS["mrf/lemma-4"].check().counterexample
    low, high = case["refuted"]["a"]
    assert low < 0.01 < high
    assert all((2 / 3) ** a - (1 / 3) ** a < 1 / 3 for a in (low, 0.01, high))


def test_the_second_of_two_features_is_rare_however_good():
    """Labels 0 ... 0 1 ... 1 and a feature that is wrong on one of 1024: scores 1 and 0 at B1 = 10."""
    case = OURS["mrf/nearly-as-good"].check().counterexample
    assert case["n"] == 1024 and case["share"] > 0.99
    assert case["exact"] == pytest.approx(1 / (1 + math.exp(5)))
    assert case["best"] == pytest.approx(1 - case["exact"])


def test_a_feature_without_a_cut_that_is_drawn_is_found_out(monkeypatch):
    law = small.features_law
    monkeypatch.setattr(
        small, "features_law", lambda node, b: [p if cuts else p + 1 for cuts, p in zip(node, law(node, b))]
    )
    assert verdict("lemma-3-any-feature/corrected") == "fails"


def test_nearly_as_good_holds_where_both_are_drawn_alike(monkeypatch):
    monkeypatch.setattr("dplit.court.claims.multinomial.near.PAPERS", Fraction(0))
    assert verdict("nearly-as-good") == "loose"


def test_the_middle_third_is_rare_at_the_papers_budget():
    """Evenly spread, N = 3: 1/(1 + 2 e^5) is approached, and no chance is large."""
    case = OURS["mrf/lemma-4-large"].check().counterexample
    assert (case["N"], case["B2"]) == (3, 10.0)
    assert 1 < case["exact"] * (1 + 2 * math.exp(5)) < 1.2 and case["lemma"] < 1e-9


def test_a_label_that_is_not_the_majoritys_keeps_to_its_bound(monkeypatch):
    monkeypatch.setattr("dplit.court.claims.multinomial.votes._label_in_decimals", _flat_label)
    assert verdict("majority-limit") == "fails"


def test_the_bound_of_labels_is_met_where_one_less_the_majoritys_chance_has_no_digits_left():
    """2 e^-100 beside 1, in twelve records of one class."""
    assert OURS["mrf/majority-limit"].check("deep").verdict == "holds"


def _flat_label(counts, budget):
    return [Decimal(1) / len(counts)] * len(counts)


def bounds(change):
    """Both ends of the law at another budget."""
    return lambda candidates, budget: multinomial_bounds(candidates, change(budget))


multinomial_bounds = multinomial.published_selection_bounds


@pytest.mark.parametrize(
    "name, attribute, broken, expected",
    [
        ("lemma-3", "published_p1", lambda d, b: 1 / (1 + (d - 1) * math.exp(b / 4)), "fails"),
        ("lemma-3/corrected", "tight_p1", lambda d, b: 1 / (1 + d * math.exp(b / 2)), "fails"),
        ("lemma-3-upper", "published_selection_bounds", bounds(lambda b: b / 4), "fails"),
        ("lemma-3-upper/corrected", "selection_bounds", bounds(lambda b: b), "fails"),
        ("lemma-3-any-feature/corrected", "tight_p1", lambda d, b: 0.5, "fails"),
        ("equation-7", "published_selection_bounds", bounds(lambda b: b / 4), "fails"),
        ("equation-7/corrected", "selection_bounds", bounds(lambda b: b), "fails"),
        ("lemma-4/corrected", "middle_bound", lambda i, o, b: i / (i + o), "fails"),
        ("lemma-4/corrected", "middle_bound", lambda i, o, b: i / (i + o * math.exp(b)), "fails"),
        ("ours/middle-density", "tight_p2", lambda n, b, r=1: (n - 2) / (n - 2 + 2 * r), "fails"),
        ("ours/middle-density", "tight_p2",
         lambda n, b, r=1: (n - 2) / (n - 2 + 2 * r * math.exp(b)), "loose"),
        ("equation-8", "published_p2", lambda n, b: 0.5, "fails"),
        ("best-most-likely/corrected", "best_is_likeliest", lambda *a: True, "fails"),
        ("ours/golden-ratio", "GOLDEN_BUDGET", 0.96, "fails"),
        ("monotone-in-budget", "selection_law", lambda d, b: np.full(len(d), 1 / len(d)), "fails"),
        ("normalisation/corrected", "selection_law", lambda d, b: np.eye(len(d))[0], "fails"),
        ("ours/jump", "feature_law", lambda d, b: np.full(2, 0.5), "fails"),
        ("ours/uniform-distance", "uniform_distance_bound", lambda b: math.tanh(b / 9), "fails"),
        ("ours/uniform-distance", "uniform_distance_bound", lambda b: math.tanh(b / 7), "fails"),
        ("no-extra-cost/corrected", "greedy_cost", lambda m, c: multinomial.Cost(sum(m), 0), "fails"),
        ("no-extra-cost/corrected", "multinomial_cost", lambda m: multinomial.Cost(1, 1), "fails"),
        ("equation-6", "vote_outcomes", lambda n, p: multinomial.Vote(p, 0.0, 1 - p), "fails"),
        ("definition-3", "vote_outcomes", lambda n, p: multinomial.Vote(p, 0.0, 1 - p), "fails"),
        ("nearly-as-good/corrected", "counting_cuts", lambda d, b: float(len(d)), "fails"),
        ("ours/scale-free", "joint_law",
         lambda node, *b: [np.exp(10 * np.asarray(cuts)) for cuts in node], "fails"),
        ("ours/scale-free", "selection_bounds", bounds(lambda b: b), "fails"),
        ("lemma-4-large/corrected", "tight_p2",
         lambda n, b, r=1: (n - 2) / (n - 2 + 2 * math.exp(b)), "fails"),
        ("lemma-4-large/corrected", "published_p2", lambda n, b: math.exp(-b), "fails"),
        ("diversity", "vote_outcomes", lambda n, p: multinomial.Vote(p, 0.0, 1 - p), "fails"),
        ("majority-limit", "label_law", lambda c, b: np.full(len(c), 1 / len(c)), "fails"),
        ("em", "selection_law", lambda d, b: np.full(len(d), 1 / len(d)), "fails"),
    ],
)  # fmt: skip
def test_another_formula_is_found_out(name, attribute, broken, expected, monkeypatch):
    monkeypatch.setattr(multinomial, attribute, broken)
    assert verdict(name) == expected != OURS[f"mrf/{name}"].verdict


@pytest.mark.parametrize("name", ["limits", "ours/ties", "two-draws"])
def test_a_joint_law_that_is_uniform_over_all_cuts_is_found_out(name, monkeypatch):
    def flat(node, *budgets):
        total = sum(map(len, node))
        return [np.full(len(cuts), 1 / total) for cuts in node]

    monkeypatch.setattr(multinomial, "joint_law", flat)
    assert verdict(name) == "fails"


@pytest.mark.parametrize("name", ["limits", "two-draws"])
def test_a_sampler_whose_budgets_end_at_5_is_found_out(name, monkeypatch):
    draw = multinomial.sample

    def dull(node, b1, b2, size, *, rng):
        return draw(node, min(b1, 5.0), min(b2, 5.0), size, rng=rng)

    monkeypatch.setattr(multinomial, "sample", dull)
    assert verdict(name) == "fails"


def test_bits_are_not_nats(monkeypatch):
    decreases = multinomial.decreases_of

    def bits(X, y, criterion="gini"):
        unit = math.log(2) if criterion == "entropy" else 1
        return [d / unit for d in decreases(X, y, criterion)]

    monkeypatch.setattr(multinomial, "decreases_of", bits)
    assert verdict("equation-4") == "fails"


def test_a_lower_bound_reports_what_breaks_it():
    from dplit.court.claims.multinomial.small import at_least, nearest
    from dplit.court.ledger.compare import judged

    def found(*cases):
        def check(effort, rng):
            yield from nearest(cases)
            return "{i}: {exact} against {stated}"

        return judged(check)("quick", None)

    far, near, wrong = at_least(0.5, 0.2, i=0), at_least(0.3, 0.2, i=1), at_least(0.1, 0.2, i=2)
    broken, kept = found(far, wrong), found(near, far)
    assert (broken.verdict, broken.summary, broken.relation) == ("fails", "2: 0.1 against 0.2", ">=")
    assert broken.counterexample == {"exact": 0.1, "stated": 0.2, "i": 2}
    assert (kept.verdict, kept.published, kept.computed) == ("loose", 0.2, 0.3)
