"""What a forest says about its cuts, apart from what compiles them: numba is slow to import."""

from typing import NamedTuple

UNIFORM, EXPONENTIAL, PERMUTE_AND_FLIP = range(3)
NO_NOISE = 1e290  # a rate that stands for an infinite one: a weight of all records must not overflow
STRETCHED_NO_NOISE = 1e200  # the same of a normalised score, which is divided by a range of scores
LARGEST_FINITE = 2.0**500  # a finite rate above is taken as this one: less noise has no use
# What a test is scored by: see `dplit.trees.greedy_levels`.
SQUARES, LOCAL_GINI, ENTROPY, MAJORITY = range(4)
MOST_LEVELS = 8  # of more levels not all sets are candidates of a joint draw, but others each time


def kept_apart(rate, no_noise=NO_NOISE):
    """A rate that no weight overflows at: `no_noise` where it is infinite, else at most `LARGEST_FINITE`."""
    return no_noise if rate == float("inf") else min(rate, LARGEST_FINITE)


class Rule(NamedTuple):
    """How a node's cut is drawn."""

    max_depth: int
    max_features: int
    rate: float  #: Weights of a unit of imbalance, half the epsilon of a median, and of a unit of gain.
    gain_rate: float  #: As `rate`.
    choice: int  #: Among the columns: `UNIFORM`, `EXPONENTIAL` or `PERMUTE_AND_FLIP`.
    joint: bool  #: Whether a cut is drawn by balance and gain together.
    by_rank: bool  #: Whether an interval between records counts as one, whatever its length (DiPriMe v1).


class NormalisedRule(NamedTuple):
    """How column and cut are drawn by a normalised score: see `dplit.trees.normalised`.

    Its `weight` is half the epsilon of a node; all else is as in `Rule`.
    """

    max_depth: int
    max_features: int
    weight: float
    choice: int = EXPONENTIAL
    joint: bool = True
