"""What an audit can see: exact power and ceiling, by enumeration; distances from a law."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from dplit.court import audit
from dplit.court.audit import seeds
from dplit.court.audit.blackbox import lower_limit, upper_limit
from dplit.court.audit.law import distance_of_draws


@pytest.mark.parametrize("p, q, epsilon", [(0.9, 0.2, 0.1), (1.0, 0.0, 1.0), (0.3, 0.3, 0.0)])
def test_power_is_a_sum_over_all_counts(p, q, epsilon):
    m, error, total = 15, 0.05 / 2, 0.0
    for k, other in product(range(m + 1), repeat=2):
        low, high = lower_limit(k, m, error), upper_limit(other, m, error)
        if low > 0 and math.log(low / high) > epsilon:
            total += binom.pmf(k, m, p) * binom.pmf(other, m, q)
    assert audit.accuses(p, q, epsilon, 2 * m, 0.95) == pytest.approx(total, abs=1e-12)


def test_the_ceiling_is_attained_by_a_certain_event():
    bound = audit.bound_from_draws([1] * 60, [0] * 60, 0.99)
    assert bound.epsilon == pytest.approx(audit.ceiling(60, 0.99), rel=1e-9)


def test_draws_of_the_law_itself_are_rarely_accused():
    """At 0.05 of 400 samples: more than 44 with a probability below 1e-5."""
    law, rng = {0: 0.5, 1: 0.3, 2: 0.2}, np.random.default_rng(0)
    accused = sum(
        distance_of_draws(rng.choice(3, 200, p=list(law.values())), law, 0.95).epsilon > 0 for _ in range(400)
    )
    assert accused <= binom.isf(1e-5, 400, 0.05)


def test_another_law_is_accused_either_way():
    law, rng = {0: 0.5, 1: 0.5}, np.random.default_rng(0)
    drawn = rng.choice(2, 2000, p=[0.8, 0.2])
    bound = distance_of_draws(drawn, law)
    assert 0.5 < bound.epsilon <= math.log(0.5 / 0.2) + 0.2
    assert distance_of_draws(np.full(100, 7), law).epsilon == math.inf


def test_a_text_among_numbers_of_the_second_half_does_not_change_the_event():
    """The event is fixed before the second half is seen, its types included."""
    first, second = [0.0, 1.0] * 50, [2.0, 3.0] * 50
    mixed = [*first[:-1], "late"]
    events = [audit.bound_from_draws(side, second).event for side in (first, mixed)]
    assert events[0] == events[1]


# --- stored runs


@pytest.mark.parametrize("name", ["sound", "leaks"])
def test_stored_runs_say_where_they_come_from(name):
    found = seeds.stored(name)
    assert found["command"].startswith("dplit audit --seeds") and found["date"] and found["versions"]
    known = {s.name: s.expected for s in seeds.drawing()}
    assert all(known[row.subject] == row.expected for row in found["rows"])


def test_no_sound_subject_was_accused_in_20_seeds():
    rows = seeds.stored("sound")["rows"]
    tried = sum(row.seeds for row in rows)
    assert all(row.seeds == 20 and row.alarms == 0 for row in rows)
    assert all(row.often <= binom.isf(1e-6, row.seeds, seeds.OFTEN) for row in rows)
    assert sum(row.often for row in rows) <= 0.05 * tried


@pytest.mark.parametrize("p, q, epsilon, m", [(0.9, 0.2, 0.1, 15), (1.0, 0.0, 1.0, 10)])
def test_a_miss_is_a_sum_over_all_counts(p, q, epsilon, m):
    error, total = 0.05 / 2, 0.0
    for k, other in product(range(m + 1), repeat=2):
        low, high = lower_limit(k, m, error), upper_limit(other, m, error)
        if low == 0 or math.log(low / high) <= epsilon:
            total += binom.pmf(k, m, p) * binom.pmf(other, m, q)
    assert audit.misses(p, q, epsilon, m, 0.95) == pytest.approx(total, abs=1e-12)
    assert audit.misses(p, q, epsilon, audit.draws_needed(p, q, epsilon, 1e-4), 0.999) < 1e-4


def test_an_event_that_shows_nothing_needs_no_number_of_draws():
    with pytest.raises(ValueError, match="p and q must be so far apart"):
        audit.draws_needed(0.02, 0.02, 0.1, 1e-4)


def test_leaks_were_caught_in_50_seeds():
    assert all(row.seeds == 50 and row.alarms >= 49 for row in seeds.stored("leaks")["rows"])


@pytest.mark.parametrize("name", ["Laplace sampler", "released class of a leaf, tie"])
def test_a_part_of_a_stored_run_comes_out_the_same(name):
    found = seeds.stored("sound")
    row = next(row for row in found["rows"] if row.subject == name)
    again = seeds.tally(name, 20, float(found["share"]))
    assert again.draws == row.draws and again.alarms == row.alarms == 0
    assert again.often <= row.often
