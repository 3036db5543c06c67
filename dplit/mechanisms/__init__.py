"""Mechanisms, one a file, each with its exact law and its sampler.

Notation: :math:`\\epsilon` is `epsilon`, :math:`\\Delta` is `sensitivity`, :math:`s_r` the score of
candidate :math:`r` among :math:`k`. Each class says what it costs under which neighbours.
"""

from dplit.mechanisms.bounded_mean import BoundedMean
from dplit.mechanisms.discrete_gaussian import DiscreteGaussian
from dplit.mechanisms.exponential import Exponential
from dplit.mechanisms.geometric import Geometric
from dplit.mechanisms.laplace import Laplace
from dplit.mechanisms.permute_and_flip import PermuteAndFlip
from dplit.mechanisms.smooth_exponential import SmoothExponential

__all__ = [
    "BoundedMean", "DiscreteGaussian", "Exponential", "Geometric", "Laplace", "PermuteAndFlip",
    "SmoothExponential",
]  # fmt: skip
