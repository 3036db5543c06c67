"""Sums in several orders: three doubles suffice for another split, whole numbers never do."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations, permutations
from operator import add

from dplit.boosting.residuals import STEPS
from dplit.ground.errors import MOST, check_between, check_integer, check_sequence, check_whole

LARGEST_SUM = 2**63 - 1
MOST_CUT = 10
THREE = (0.1, 0.2, 0.3)  # residuals, in records
TESTS = ((True, True, True), (True, True, False))  # which records go right


def cuttings(n: int) -> Iterator:
    """All ways to cut records 0, ..., n - 1 into blocks, in every order.

    `n`: from 1 to `MOST_CUT`, of which there are two thousand million cuttings. Gives tuples of blocks, each of
    them the records in the order in which they are added.
    """
    return _cuttings(check_integer(n, "n", 1, MOST_CUT))


def _cuttings(n: int) -> Iterator:
    for order in permutations(range(n)):
        for k in range(n):
            for ends in combinations(range(1, n), k):
                yield tuple(order[a:b] for a, b in zip((0, *ends), (*ends, n)))


def mass(residuals: Sequence[float], goes_right: Sequence[bool], blocks: Sequence[Sequence[int]]) -> int:
    """L1 mass of a test: sums of either side, added within the blocks and then over them.

    `residuals`: of any kind: doubles, ints, fractions; `goes_right`: as many as there are residuals; `blocks`:
    each record is in one of them.
    """
    residuals = _residuals(residuals)
    goes_right, blocks = _sides(goes_right, "goes_right", residuals), _blocks(blocks, residuals)
    return _mass(residuals, goes_right, blocks)


def _mass(residuals: list, goes_right: list, blocks: list) -> float | Fraction:
    sides = []
    for side in (True, False):
        parts = [_added(residuals[i] for i in block if goes_right[i] == side) for block in blocks]
        sides.append(abs(_added(parts)))
    return sides[0] + sides[1]


def _added(numbers: list | Iterator) -> float:
    """Their sum, one after the other: `sum` makes up for the rounding of doubles from Python 3.12 on."""
    return reduce(add, numbers, 0)


def best_test(residuals: Sequence[float], tests: Sequence[Sequence[bool]], blocks: Sequence[Sequence[int]]) -> int:
    """Place of the test of the largest mass; of several, the first.

    `residuals` as of `mass`; `tests`: at least one; which records go right; `blocks` as of `mass`.
    """
    residuals = _residuals(residuals)
    tests = [_sides(test, "tests", residuals) for test in check_sequence(tests, "tests")]
    if not tests:
        raise ValueError("tests must hold at least one test, got none")
    blocks = _blocks(blocks, residuals)
    masses = [_mass(residuals, test, blocks) for test in tests]
    return masses.index(max(masses))


def in_steps(residuals: Sequence[float]) -> list:
    """The residuals as whole numbers of steps."""
    return [round(STEPS * r) for r in _residuals(residuals)]


def _residuals(residuals: list | tuple) -> list:
    """Return `residuals`, a sequence of real numbers of any kind, as a list."""
    found = check_sequence(residuals, "residuals")
    return [check_between(r, "residuals", -MOST, MOST) for r in found]


def _sides(goes_right: tuple, name: str, residuals: list) -> list:
    """Return which of the records go right, a list of bool."""
    found = check_whole(check_sequence(goes_right, name), name, 0, 1, ndim=1)
    if len(found) != len(residuals):
        raise ValueError(f"{name} must say right or left of each of {len(residuals)} records, got {len(found)}")
    return found.astype(bool).tolist()


def _blocks(blocks: tuple, residuals: list) -> list:
    """Return `blocks`, which part the records, as lists of int."""
    most = len(residuals) - 1
    found = [
        check_whole(check_sequence(block, "blocks"), "blocks", 0, most, ndim=1).tolist()
        for block in check_sequence(blocks, "blocks")
    ]
    if sorted(i for block in found for i in block) != list(range(len(residuals))):
        raise ValueError(f"blocks must hold each of {len(residuals)} records once")
    return found


def most_records() -> int:
    """Records whose pair sums of residuals stay below :math:`2^{63}`, each adding up to two records' steps."""
    return LARGEST_SUM // (2 * STEPS)
