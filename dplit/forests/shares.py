"""Shares of an epsilon that add up to no more than it, in floats too."""

from __future__ import annotations

import math


def at_most(value, total, limit):
    """`value`, or the next floats below it until ``total(value)`` is no more than `limit`.

    Shares that are right in real numbers can add up to an ulp too much in floats.
    """
    while total(value) > limit:
        value = math.nextafter(value, 0.0)
    return value


def level_shares(epsilon, depth, rho):
    """What each of `depth` levels of a tree gets, and its leaves: together at most `epsilon`.

    The share `rho` goes to the levels in equal parts (DiPriMe v2, section 4); with none, all of it
    goes to the leaves. An infinite `epsilon` is infinite in every part.
    """
    if depth == 0 or math.isinf(epsilon):
        return math.inf, epsilon
    level = rho * epsilon / depth
    return level, at_most(epsilon - depth * level, lambda leaf: depth * level + leaf, epsilon)
