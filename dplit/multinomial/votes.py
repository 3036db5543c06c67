"""The majority vote of trees, or of the records of a leaf (MRF, equation 6 and definition 3)."""

from typing import NamedTuple

from scipy.stats import binom

from dplit.ground.errors import check_between, check_integer


class Vote(NamedTuple):
    """How likely the majority of two labels is right, tied, or wrong; they sum to 1."""

    right: float
    tied: float
    wrong: float


def vote_outcomes(voters: int, share: float) -> Vote:
    """Outcome of a vote of independent voters, each right with the same probability.

    Equation 6 of MRF takes "the" label of most votes, and does not say which if two have as many.
    `voters`: trees, or the estimation points of a leaf; 0 is a tie; `share`: probability that a voter is right.
    """
    share = check_between(share, "share", 0, 1)
    half, odd = divmod(check_integer(voters, "voters", 0), 2)
    tied = 0.0 if odd else float(binom.pmf(half, voters, share))
    right = float(binom.sf(half, voters, share))
    return Vote(right, tied, float(binom.cdf(half, voters, share)) - tied)
