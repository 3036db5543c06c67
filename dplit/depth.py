"""How deep a random tree should be, and how many of its leaves stay empty (RDF, sections 4.2.1, 4.3).

Notation: `s` continuous features, of which each node of a path tests one, uniformly and with
replacement; `r` discrete features, each tested at most once on a path; ``m = s + r``; `d` the depth;
`X` the number of features that a path of `d` nodes does not test; `n` records in a tree, `L` leaves.

Theorem 2 chooses the smallest depth at which fewer than half of the continuous features are
expected to stay untested, and adds r/2. The depths of Table 4 are one larger wherever s > 0.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dplit.errors import check_integer


def untested_features(s, depth, one=1.0):
    r"""Exact law of X, the number of `s` features that a path of `depth` nodes leaves untested.

    One more node tests one of the X untested features with probability X/s:

    .. math:: P_{d+1}(x) = \frac{s-x}{s} P_d(x) + \frac{x+1}{s} P_d(x+1), \qquad P_0(s) = 1.

    RDF, theorem 2, gives its mean.

    Parameters
    ----------
    s : int, at least 1
    depth : int, at least 0
    one : float or Fraction
        The number one, in the arithmetic that is wanted: ``Fraction(1)`` makes the law rational.

    Returns
    -------
    array, shape (s + 1,) : probabilities of X = 0, ..., s.
    """
    s, depth = check_integer(s, "s", 1), check_integer(depth, "depth", 0)
    x = np.arange(s + 1)
    law = np.array([0 * one] * s + [one])
    for _ in range(depth):
        tested = law * x / s
        law = law - tested
        law[:-1] += tested[1:]
    return law


def expected_untested(s, depth):
    """Mean of X, s ((s-1)/s)^d (RDF, theorem 2, equation 15).

    Parameters
    ----------
    s : int, at least 1
    depth : int, at least 0
    """
    s, depth = check_integer(s, "s", 1), check_integer(depth, "depth", 0)
    return s * ((s - 1) / s) ** depth


def expected_untested_mixed(continuous, discrete, depth, one=1.0):
    """Mean number of untested features, of both kinds, on a path of `depth` nodes.

    A node tests one of the continuous features or of the discrete ones that are left, uniformly
    (RDF, algorithm 2). The state is (continuous, discrete) features untested so far.

    Parameters
    ----------
    continuous, discrete : int, at least 0
    depth : int, at least 0; a path of discrete features ends when none is left.
    one : float or Fraction
        The number one, in the arithmetic that is wanted.
    """
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


def published_depth(continuous, discrete=0):
    """Depth by theorem 2 of RDF: smallest d with s ((s-1)/s)^d < s/2, and r/2 more.

    Exact, in integers. An odd number of discrete features is rounded up; the paper has even ones.

    Parameters
    ----------
    continuous, discrete : int, at least 0
        s and r.
    """
    s, r = check_integer(continuous, "continuous", 0), check_integer(discrete, "discrete", 0)
    depth, missed, paths = 0, 1, 1  # of s^d paths, (s-1)^d miss a given feature
    while s and 2 * missed >= paths:
        depth, missed, paths = depth + 1, missed * (s - 1), paths * s
    return depth + (r + 1) // 2


def table_depth(continuous, discrete=0):
    """Depth by table 4 of RDF: one more than theorem 2 wherever a feature is continuous.

    Parameters
    ----------
    continuous, discrete : int, at least 0
    """
    return published_depth(continuous, discrete) + (continuous > 0)


def empty_leaves(n, depth):
    r"""Expected share of empty leaves: records uniform over continuous features, random splits.

    Given the path, the volume of a leaf is a product of `depth` independent uniforms, whichever
    features were tested. Of n records a uniform split sends any number left with equal probability:

    .. math:: a_d(n) = E\Big[\big(1 - \textstyle\prod_{i \le d} U_i\big)^n\Big]
              = \frac{1}{n+1} \sum_{k=0}^{n} a_{d-1}(k), \qquad a_0(n) = [n = 0].

    Parameters
    ----------
    n : array_like of int, at least 0
        Records in the tree.
    depth : int, at least 0

    Returns
    -------
    array or float, shape of n. Time and memory grow as ``depth * max(n)``.
    """
    records = np.asarray(n)
    if not records.size or records.dtype.kind not in "iu" or (records < 0).any():
        raise ValueError(f"n must be whole numbers of at least 0, got {n!r}")
    share = np.zeros(records.max() + 1)
    share[0] = 1.0
    for _ in range(check_integer(depth, "depth", 0)):
        share = np.cumsum(share) / np.arange(1, len(share) + 1)
    return share[records]


def empty_leaves_floor(n, leaves):
    """Least share of empty leaves: n records reach at most n of them. max(0, 1 - n/L).

    Parameters
    ----------
    n, leaves : array_like of numbers, leaves at least 1
    """
    return np.maximum(0.0, 1 - np.asarray(n) / leaves)


def expected_empty_floor(n, leaves):
    """Least expected share of empty leaves, whatever the leaves' probabilities: (1 - 1/L)^n.

    For independent records the share is the mean of (1 - p)^n over the leaves, which is convex in
    p, and the p sum to 1.

    Parameters
    ----------
    n, leaves : array_like of numbers, leaves at least 1
    """
    return (1 - 1 / np.asarray(leaves)) ** np.asarray(n)


def leaves_law(levels, depth):
    """Law of the number of leaves of a tree over discrete features, each tested once on a path.

    Every node draws its feature anew (RDF, algorithm 2), so that the children's numbers of leaves
    are independent.

    Parameters
    ----------
    levels : sequence of int, at least 1
        Number of values of each feature.
    depth : int, between 0 and the number of features

    Returns
    -------
    array : probabilities of 0, 1, 2, ... leaves.
    """
    if check_integer(depth, "depth", 0) > len(levels):
        raise ValueError(
            f"depth must be at most the number of features, {len(levels)}, got {depth}"
        )
    return _leaves(tuple(sorted(check_integer(v, "levels", 1) for v in levels)), depth).copy()


@lru_cache(maxsize=4096)
def _leaves(levels, depth):
    if depth == 0:
        return np.array([0.0, 1.0])
    laws = []
    for i, level in enumerate(levels):
        child = _leaves(levels[:i] + levels[i + 1 :], depth - 1)
        law = np.ones(1)
        for _ in range(level):
            law = np.convolve(law, child)
        laws.append(law)
    mixed = np.zeros(max(map(len, laws)))
    for law in laws:
        mixed[: len(law)] += law / len(levels)
    return mixed
