"""The rule for the family: a function of public numbers, whose borders are where its words say."""

import math
import re

import pytest

from dplit.boosting import advise, plan, public_cuts
from dplit.boosting.advice import FAMILIES
from dplit.forests.boosted_releases import ZeroConcentrated, account

GRID = [
    (n, epsilon, classes, cells)
    for n in (1, 30, 1000, 10**6)
    for epsilon in (0.01, 1.0, 10.0, math.inf)
    for classes in (0, 2, 7)
    for cells in (1, 12, 1728, 10**40, math.inf)
]


@pytest.mark.parametrize("numbers", GRID)
def test_advice_is_a_family_and_says_the_numbers(numbers):
    n, _, classes, cells = numbers
    family, why = advise(*numbers)
    assert family in FAMILIES and why.startswith(f"{n:,} records x epsilon")
    assert family != "histogram" or (classes and cells <= 1728)
    assert str(advise(*numbers)) == f"{family}: {why}"


@pytest.mark.parametrize(("classes", "cells", "last"), [
    (0, math.inf, "boosted"), (2, math.inf, "boosted"), (3, 100, "histogram"), (0, 5, "boosted"),
])  # fmt: skip
def test_more_records_never_lead_back(classes, cells, last):
    found = [advise(n, 0.7, classes, cells).family for n in range(1, 3000, 7)]
    assert found[0] == "constant" and found[-1] == last
    assert found == sorted(found, key=["constant", "boosted", "histogram"].index)


@pytest.mark.parametrize(("s", "classes", "cells", "family"), [
    (19, 2, math.inf, "constant"), (20, 2, math.inf, "boosted"), (19, 2, 1, "constant"),
    (99, 0, math.inf, "constant"), (100, 0, math.inf, "boosted"),
    (199, 2, 100, "boosted"), (200, 2, 100, "histogram"),  # one for each count
    (499, 2, 1000, "boosted"), (500, 2, 1000, "histogram"), (500, 4, 1000, "boosted"),
    (10**6, 2, 20_000, "histogram"), (10**6, 2, 20_001, "boosted"), (10**6, 0, 4, "boosted"),
])  # fmt: skip
def test_borders(s, classes, cells, family):
    """Records and epsilon count by their product alone."""
    assert advise(s, 1.0, classes, cells).family == family
    assert advise(4 * s, 0.25, classes, cells).family == family


def test_a_boosted_forests_size_is_the_plans():
    planned = plan(5000, 0.5, 2)
    assert f"pays for {planned.rounds} rounds of depth {planned.depth}" in advise(5000, 0.5, 2).why
    assert "pays for 1 round of depth" in advise(100, 1.0).why


@pytest.mark.parametrize(("epsilon", "classes"), [(0.25, 2), (1.0, 0), (1.0, 5), (4.0, 2)])
def test_a_delta_is_worth_what_the_fit_makes_of_it(epsilon, classes):
    """`account` takes the zero-concentrated way from about the number of records on that the advice names."""
    few = advise(300, epsilon, classes, delta=1e-6).why
    least = int(re.search("gains nothing below about ([0-9,]+) records", few)[1].replace(",", ""))
    for n, gains in ((0.9 * least, False), (1.1 * least, True)):
        of = round(n), epsilon, classes
        assert ("; with delta 1e-06 the noise of epsilon" in advise(*of, delta=1e-6).why) == gains
        assert isinstance(account(epsilon, 1e-6, round(n), classes, "add-remove", 1), ZeroConcentrated) == gains
    assert "delta" not in advise(300, epsilon, classes).why + advise(300, math.inf, classes, delta=1e-6).why


def test_amounts_are_told_where_their_cuts_begin():
    least = public_cuts(0, 5000)[0] / 5000
    far = advise(1000, 1.0, 2, from_zero=True).why
    assert f"columns from 0 have no cut below {least:.1%} of their bound" in far
    assert "scale='log'" in far and "log" not in advise(1000, 1.0, 2).why + advise(5, 1.0, from_zero=True).why
