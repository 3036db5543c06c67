"""The claims on the paper's reasons for empty leaves and for a depth of more than m/2, and what breaks them."""

from fractions import Fraction

import pytest

from dplit import depth
from dplit.court import claims
from dplit.court.claims.depth import reasons

OURS = claims.of("depth")


def test_two_records_on_two_leaves_by_hand():
    third = Fraction(1, 3)
    assert reasons._empty([third, 1 - third], 2) == (Fraction(5, 18), Fraction(5, 9))
    assert reasons._all_different(4, 0, 2) == Fraction(3, 4)
    assert reasons._all_different(0, 4, 2) == 1


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_another_floor_is_noticed(monkeypatch, factor):
    right = depth.expected_empty_floor
    assert OURS["rdf/clumping"].check().verdict == "holds"
    monkeypatch.setattr(depth, "expected_empty_floor", lambda n, leaves: factor * right(n, leaves))
    assert OURS["rdf/clumping"].check().verdict == "fails"


def test_a_leaf_that_fills_as_the_tree_grows_is_noticed(monkeypatch):
    right = reasons._empty
    monkeypatch.setattr(reasons, "_empty", lambda leaves, n: (right(leaves, n)[0], Fraction(1, len(leaves))))
    assert OURS["rdf/clumping"].check().verdict == "fails"


def test_another_law_of_untested_features_is_noticed(monkeypatch):
    right = depth.untested_features
    assert OURS["rdf/half-at-half"].check().verdict == "holds"
    monkeypatch.setattr(depth, "untested_features", lambda s, d: right(s, d + 1))
    assert OURS["rdf/half-at-half"].check().verdict == "fails"


def test_features_that_are_all_tested_once_are_noticed(monkeypatch):
    monkeypatch.setattr(reasons, "_all_different", lambda *path: Fraction(1))
    assert OURS["rdf/half-at-half"].check().verdict == "fails"


def test_shares_that_fall_with_fewer_records_are_noticed(monkeypatch):
    found, rows = OURS["rdf/gap-slower"], reasons.printed_rows()
    assert found.check().verdict == "assumes"
    swapped = {name: row._replace(one=row.thirty, thirty=row.one) for name, row in rows.items()}
    monkeypatch.setattr(reasons, "printed_rows", lambda: swapped)
    assert found.check().verdict == "fails"
    most = {name: row for name, row in rows.items() if name != "Mushroom"}
    monkeypatch.setattr(reasons, "printed_rows", lambda: most)
    assert found.check().verdict == "holds"
