r"""What a test explains, in whole numbers: scores for choices that are drawn exactly. Compiled.

With whole K a child of n records, :math:`c_k` of class k, has the score

==============  ==============================================================================
`SQUARES`       :math:`\lfloor K \sum_k c_k^2/n \rfloor`, of targets :math:`\lfloor K S^2/n \rfloor`, their
                sum S in steps of :math:`2^{-16}`
`MAJORITY`      :math:`K \max_k c_k`
`ENTROPY`       :math:`-\sum_k \lfloor K c_k \min(\log_2(n/c_k), b) \rfloor`
==============  ==============================================================================

and a test has those of its children together. Up to a constant that all tests of a node share, that is minus K
times their cost (`dplit.trees.greedy_levels.cost`), less what is cut off. A record changes one child, so that
what it moves a score by is within :math:`9/8` of a unit of K times what it moves the cost by; by `MAJORITY`
nothing is cut off, and by `ENTROPY` 3/2 a class are: the logarithm and its product with K c, below
:math:`2^{49}`, are wrong by less than a fourth. `dplit.trees.exact_rules` takes what that costs off K.
"""

import numpy as np
from numba import njit

from dplit.trees.rules import ENTROPY, MAJORITY


@njit(cache=True, nogil=True)
def share(gain, total, n, n_classes):
    """`gain` times the sum of squared counts over n, or times the squared sum of targets over n: rounded down.

    Of targets the division by n is rounded down first. Quotient and remainder are apart: nothing overflows.
    """
    if n == 0:
        return np.int64(0)
    whole = total // n
    rest = total - whole * n
    if n_classes > 0:
        return gain * whole + gain * rest // n
    square = (whole * n + 2 * rest) * whole + rest * rest // n
    return gain * (square >> 32) + (gain * (square & 0xFFFFFFFF) >> 32)


@njit(cache=True, nogil=True)
def entropy_score(counts, n, rule):
    """Of a child with these class counts, n together."""
    total = np.int64(0)
    for c in counts:
        if c > 0:
            total -= np.int64(np.floor(rule.gain * c * min(np.log2(n / c), rule.most_bits)))
    return total


@njit(cache=True, nogil=True)
def score_of(table, n_classes, rule):
    """The score of a test; a row of `table`, int64, is a child's (count, sum) or class counts."""
    total = np.int64(0)
    for row in range(len(table)):
        child = table[row]
        if n_classes == 0:
            total += share(rule.gain, child[1], child[0], 0)
            continue
        n = squares = largest = np.int64(0)
        for c in child:
            n += c
            squares += c * c
            largest = max(largest, c)
        if rule.score == ENTROPY:
            total += entropy_score(child, n, rule)
        elif rule.score == MAJORITY:
            total += rule.gain * largest
        else:
            total += share(rule.gain, squares, n, n_classes)
    return total


@njit(cache=True, nogil=True)
def add_scores(ids, y, n_classes, rule, counts, scores):
    """Add to ``scores[k]`` the score of a child that holds the first k of the records; of classes.

    `counts` is int64 room for the classes.
    """
    counts[:] = 0
    squares = largest = n = np.int64(0)
    for k in range(len(ids)):
        label = y[ids[k]]
        counts[label] += 1
        n += 1
        if rule.score == ENTROPY:
            scores[n] += entropy_score(counts, n, rule)
        elif rule.score == MAJORITY:
            largest = max(largest, counts[label])
            scores[n] += rule.gain * largest
        else:
            squares += 2 * counts[label] - 1
            scores[n] += share(rule.gain, squares, n, n_classes)


@njit(cache=True, nogil=True)
def tally(stats, target, n_classes):
    """Count one record in class counts, or in number and sum of targets, int64."""
    if n_classes == 0:
        stats[0] += 1
        stats[1] += target
    else:
        stats[target] += 1
