r"""Claim of Fletcher and Islam (2017), algorithm 2: which part of a node's domain each child gets."""

from fractions import Fraction

from dplit import random_forest
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import need, note

ALGORITHM = Box("alg-random-forest", "random_forest.published_children", "random_forest.children")


@ALGORITHM("rdf/algorithm-2-cuts", "section 4, algorithm 2, lines 6 to 10", "assumes", about="reading")
def cuts(effort, rng):
    """Read line by line, a node cuts the rest of its feature's domain in two, and each child gets one part. (Line
    7 must move the upper bound of the node's own domain, and line 9 the lower one. In our extracted text line 12
    removes g from an undefined set B, which must mean R.)"""
    for tenths in (5, 1, 2, 3, 4, 6, 7, 8, 9):
        cut = Fraction(tenths, 10)
        printed = random_forest.published_children(0, 1, cut)
        split = printed == random_forest.children(0, 1, cut)
        yield need(split, printed[1][1] - printed[1][0], "=", 1 - cut)
    left, right = random_forest.published_children(0, 1, Fraction(1, 2))
    return note(
        f"Assumes other bounds than the printed ones: at a cut at 1/2 of [0, 1] the left child gets "
        f"[{left[0]}, {left[1]}], the part above the cut, and the right child [{right[0]}, {right[1]}].",
        quantity="length of the right child's domain, of the node's, at a cut in the middle",
        range="cuts at the tenths of a domain",
    )
