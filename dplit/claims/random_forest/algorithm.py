r"""Claim of Fletcher and Islam (2017), algorithm 2: which part of a node's domain each child gets."""

from __future__ import annotations

from fractions import Fraction

from dplit import random_forest
from dplit.ledger import claim, verdict_of


@claim(
    "rdf/algorithm-2-cuts",
    "section 4, algorithm 2, lines 6 to 10",
    "assumes",
    "alg-random-forest",
    ("random_forest.published_children", "random_forest.children"),
    about="reading",
    quantity="length of the right child's domain, of the node's, at a cut in the middle",
    range="cuts at the tenths of a domain",
)
def cuts(effort, rng):
    """A node cuts what is left of its feature's domain in two, and each child gets one part, read line
    by line. (Line 7 must move the upper bound and line 9 the lower one of the node's own domain; line 12,
    in the text that we extracted, removes g from a set B that is not defined, and must mean R.)"""
    points = [Fraction(i, 10) for i in range(1, 10)]
    split = all(
        random_forest.published_children(0, 1, p) == random_forest.children(0, 1, p) for p in points
    )
    middle = Fraction(1, 2)
    left, right = random_forest.published_children(0, 1, middle)
    return verdict_of(
        split,
        f"Assumes other bounds than the printed ones: at a cut at 1/2 of [0, 1] the left child gets "
        f"[{left[0]}, {left[1]}], the part above the cut, and the right child [{right[0]}, {right[1]}].",
        broken="assumes",
        cases=len(points),
        published=float(1 - middle),
        computed=float(right[1] - right[0]),
        relation="=",
    )
