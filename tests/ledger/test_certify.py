"""Certificates: right statements hold over their whole ranges, wrong ones are refuted on a box."""

import math
import time
from fractions import Fraction
from itertools import product
from pathlib import Path

import flint
import pytest

from dplit.court import claims
from dplit.court.ledger import certify
from dplit.court.ledger.certify import HOLDS, OPEN, REFUTED, Statement

INF = math.inf
UNIT = {"a": [0, 1], "x": [0, 1]}
ALL = certify.statements()
STANDING = {name: one for name, one in ALL.items() if one.decided(certify.boxes().get(name, ".")).state == HOLDS}
WEAK = {name: one for name, one in STANDING.items() if one.relation in ("<=", ">=")}
NEVER_MET = {  # the sides differ everywhere, or are equal in the limit alone
    "mrf/equation-10",
    "rdf/example-1-records/corrected:half",
    "rdf/example-1-records/corrected:most",
    "rdf/twice/corrected",
    "rdf/exact-laws:price",
    "rdf/exact-laws:gaussian-deviation",
    "rdf/exact-laws:gaussian-ends",
    "rdf/all-data-records/classes:more",
    "sensitivity-mse/corrected:down",
    "sensitivity-mse/corrected:children-down",
    "sensitivity-mse/corrected:children-down-one",
    "diprime-v1/sensitivity-mse-proof/corrected:other-sign",
    "diprime-v1/sensitivity-mse-proof/corrected:sum",
    "diprime-v2/imbalance:error",
    "diprime-v2/imbalance:accuracy",
}


@pytest.mark.parametrize(
    ("holds", "where", "state"),
    [
        ("a*(1 - a*x/2) <= 1 - x/2", UNIT, HOLDS),
        ("1.001*a*(1 - a*x/2) <= 1 - x/2", UNIT, REFUTED),
        ("(a - x)**2 >= 0 - 0.001", UNIT, HOLDS),
        ("(a - 1/3)**2 > 0", UNIT, OPEN),  # meets 0 inside, at no end of a box
        ("(a + x)**2 = a**2 + 2*a*x + x**2", UNIT, HOLDS),
        ("(a + x)**2 = a**2 + 2*a*x + 1.001*x**2", UNIT, REFUTED),
        ("a <= a", UNIT, HOLDS),
        ("a < a", UNIT, REFUTED),  # a strict sign for a weak one
        ("1/(a - 2) < 0", UNIT, HOLDS),
        ("1/(a - 1/2) > 0", UNIT, REFUTED),
        ("1/(1 + n) < 1/n", {"n": [0, INF]}, HOLDS),
        ("n**2 < 100*n", {"n": [1, INF]}, REFUTED),
        ("1/(1 - x) <= exp(2*x)", {"x": [0, 0.757]}, HOLDS),  # both are 1 at 0
        ("1/(1 - x) <= exp(0.999*x)", {"x": [0, 0.757]}, REFUTED),
        ("1/(1 - x) <= exp(2*x)", {"x": [0, 0.797]}, REFUTED),
        ("x**2 - 1 - (x - 1)*exp(x) >= 0", {"x": [0, 1]}, HOLDS),  # meets 0 at both ends
        ("log(1 + x) < x", {"x": [0, 1]}, HOLDS),
        ("log(1 + x) < x - x**2/2", {"x": [0, 1]}, REFUTED),
        ("exp(-n) <= 1/(1 + n)", {"n": [0, 50]}, HOLDS),
        ("1/(1 + exp(exp(x))) < 1/3", {"x": [0, 8]}, HOLDS),  # a ball of the denominator holds 0
        ("1/(1 + exp(exp(x))) < 1/4", {"x": [0, 8]}, REFUTED),
        ("exp(a)*exp(x) = exp(a + x)", UNIT, OPEN),  # equal, and no arithmetic of ours says so
    ],
)
def test_what_is_decided(holds, where, state):
    statement = Statement(holds, where)
    found = statement.decided()
    assert found.state == state
    if state == HOLDS:
        assert statement.decided(found.tree) == found
    if state == REFUTED:
        assert _opposite_on(statement, found.box)


def _opposite_on(statement, box):
    """Whether the opposite is true at places of the box, in floats with room for rounding."""
    opposite = {"<=": "__gt__", "<": "__ge__", ">=": "__lt__", ">": "__le__", "=": "__ne__"}[statement.relation]
    ends = [(low, low + 1 if math.isinf(high) else high) for low, high in box.values()]
    for shares in product((0.1, 0.5, 0.9), repeat=len(ends)):
        given = {n: low + t * (high - low) for t, n, (low, high) in zip(shares, box, ends)}
        left, right = statement.numbers({n: Fraction(x) for n, x in given.items()})
        if not getattr(left, opposite)(right):
            return False
    return True


def test_boxes_that_do_not_decide_are_not_believed():
    """A stored tree that is too coarse is found anew, and no tree makes a wrong statement right."""
    fine = Statement("1/(1 - x) <= exp(2*x)", {"x": [0, 0.757]})
    assert fine.decided(".") == fine.decided() and fine.decided().boxes > 1
    assert Statement("a < a", UNIT).decided(".").state == REFUTED


def test_every_statement_has_its_boxes_and_only_they():
    """`make refresh` stores them; the first failure says which are missing or of no statement."""
    found = {name: one.decided().tree for name, one in STANDING.items()}
    assert {name: tree for name, tree in found.items() if tree != "."} == certify.boxes()


def test_the_page_says_how_many_rows_and_statements_there_are():
    rows = claims.all()
    certified = sum(row.kind == "certified" for row in rows)
    page = (Path(__file__).parents[2] / "book" / "audit.ipynb").read_text("utf-8")
    assert f"Of {len(rows)} rows {certified} are certified, " in page
    assert f"one or more of {len(ALL)} statements." in page


def test_the_boxes_are_verified_in_little_time():
    start = time.process_time()
    for name, one in ALL.items():
        assert one.decided(certify.boxes().get(name, ".")).state != OPEN, name
    assert time.process_time() - start < 20


@pytest.mark.parametrize("name", sorted(STANDING))
def test_a_thousandth_is_refused_where_a_statement_is_met(name, monkeypatch):
    """Wherever both sides come near each other, a factor of 1.001 or 0.999 on one is not certified."""
    monkeypatch.setattr(certify, "DEPTHS", (0, 3, 6))
    one = STANDING[name]
    left, relation, right = one.holds.partition(f" {one.relation} ")
    wider = "0.999" if one.relation.startswith(">") else "1.001"
    mutant = Statement(f"({left})*{wider}{relation}{right}", one.where, one.let)
    assert mutant.decided().state != HOLDS or (one.relation != "=" and _apart(one))


def _apart(one):
    """Whether the sides differ by more than a thousandth in the places that we look at."""
    shares = [[Fraction(k, 8) for k in (1, 4, 7)]] * len(one.where)
    for places in product(*shares):
        left, right = one.numbers(one.at(places))
        if abs(left - right) <= 1e-3 * abs(left):
            return False
    return True


def test_a_strict_sign_is_refused_wherever_both_sides_are_equal(monkeypatch):
    """On the part of the box that holds the place: refuted there, or open where they meet inside of it alone."""
    monkeypatch.setattr(certify, "DEPTHS", (0, 3, 6))
    met = {name: _where_equal(one) for name, one in WEAK.items()}
    assert {name for name, places in met.items() if places is None} == NEVER_MET
    states = [_strict_beside(WEAK[name], places).decided().state for name, places in met.items() if places]
    assert HOLDS not in states
    assert (len(WEAK), len(states), states.count(REFUTED)) == (158, 143, 132)


def test_a_strict_sign_that_a_certificate_prints_is_not_turned():
    turned = {"<": ">=", ">": "<="}
    strict = [one for one in STANDING.values() if one.relation in turned]
    for one in strict:
        other = one.holds.replace(f" {one.relation} ", f" {turned[one.relation]} ")
        assert Statement(other, one.where, one.let).decided().state == REFUTED
    assert len(strict) == 53


def _where_equal(one):
    """Places of the unit cube at which both sides are equal, most of them inside of their ranges; or None."""
    shares = product((Fraction(1, 2), Fraction(0), Fraction(1)), repeat=len(one.where))
    for places in sorted(shares, key=lambda places: sum(t.denominator == 1 for t in places)):
        given = one.at(places)
        if math.inf in given.values():
            continue
        try:
            left, right = _at(one, given)
        except ZeroDivisionError:
            continue
        if left - right == 0:
            return places
    return None


def _at(one, given):
    """Both sides, exact if they are rational, else as balls."""
    if one.exact is not None:
        return one.values(given, lambda x: x)
    return one.values({n: certify.ball(x) for n, x in given.items()}, certify.ball)


def _strict_beside(one, places):
    """The strict statement, with the parameters that are at an end at that end."""
    fixed = {n: t for n, t in zip(one.where, places) if t.denominator == 1}
    free = {n: ends for n, ends in one.where.items() if n not in fixed} or {"any": [0, 1]}
    ends = {n: str(one.where[n][int(t)]) for n, t in fixed.items()}
    return Statement(one.holds.replace(f" {one.relation} ", f" {one.relation[0]} "), free, ends | one.let)


def test_a_formula_of_the_code_that_is_a_thousandth_off_is_refused():
    claim = claims.get("rdf/best-of-two/corrected")
    assert claim.check().verdict == "holds"
    found = list(certify.certified("rdf/best-of-two/corrected", _quick(), left=lambda x: 1.001 / (1 + 1 / x)))
    assert [case.good for case in found] == [True, False, False, False]


def _quick():
    from dplit.ground.work import Effort

    return Effort("quick")


def test_without_the_package_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(certify, "flint", None)
    with pytest.raises(ImportError, match=r"pip install 'dplit\[certify\]'"):
        claims.get("rdf/best-of-two").check()
    assert flint.__version__
