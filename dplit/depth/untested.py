"""How many features a path leaves untested, and the depths that follow (RDF, theorem 2, table 4)."""

from fractions import Fraction

import numpy as np

from dplit.ground.errors import check_integer, check_one


def untested_features(s: int, depth: int, one: float | Fraction = 1.0) -> np.ndarray:
    r"""Probabilities of X = 0, ..., s, the number of `s` features that a path of `depth` nodes leaves untested.

    One more node tests one of the X untested features with probability X/s:

    .. math:: P_{d+1}(x) = \frac{s-x}{s} P_d(x) + \frac{x+1}{s} P_d(x+1), \qquad P_0(s) = 1.

    RDF, theorem 2, gives its mean.
    """
    one = check_one(one)
    s, depth = check_integer(s, "s", 1), check_integer(depth, "depth", 0)
    x = np.arange(s + 1)
    law = np.array([0 * one] * s + [one])
    for _ in range(depth):
        tested = law * x / s
        law = law - tested
        law[:-1] += tested[1:]
    return law


def expected_untested(s: int, depth: int) -> float:
    """Mean of X, s ((s-1)/s)^d (RDF, theorem 2, equation 15)."""
    s, depth = check_integer(s, "s", 1), check_integer(depth, "depth", 0)
    return s * ((s - 1) / s) ** depth


def expected_untested_mixed(continuous: int, discrete: int, depth: int, one: float | Fraction = 1.0) -> float:
    """Mean number of untested features, of both kinds, on a path of `depth` nodes.

    A node tests one of the continuous features or of the discrete ones that are left, uniformly
    (RDF, algorithm 2); a path of discrete features ends when none is left.
    """
    one = check_one(one)
    s, r = check_integer(continuous, "continuous", 0), check_integer(discrete, "discrete", 0)
    depth = check_integer(depth, "depth", 0)
    law = {(s, r): one}
    for _ in range(depth if s else min(depth, r)):
        following = {}
        for (x, y), p in law.items():
            for state, ways in (((x, y), s - x), ((x - 1, y), x), ((x, y - 1), y)):
                if ways:
                    following[state] = following.get(state, 0 * one) + p * ways / (s + y)
        law = following
    return sum(p * (x + y) for (x, y), p in law.items())


def published_depth(continuous: int, discrete: int = 0) -> int:
    """Depth by theorem 2 of RDF: smallest d with s ((s-1)/s)^d < s/2, and r/2 more.

    Exact, in integers. An odd number of discrete features is rounded up; the paper has even ones.
    """
    s, r = check_integer(continuous, "continuous", 0), check_integer(discrete, "discrete", 0)
    depth, missed, paths = 0, 1, 1  # of s^d paths, (s-1)^d miss a given feature
    while s and 2 * missed >= paths:
        depth, missed, paths = depth + 1, missed * (s - 1), paths * s
    return depth + (r + 1) // 2


def table_depth(continuous: int, discrete: int = 0) -> int:
    """Depth by table 4 of RDF: one more than theorem 2 wherever a feature is continuous."""
    return published_depth(continuous, discrete) + (continuous > 0)
