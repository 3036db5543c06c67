"""Bugs of what a random decision forest releases."""

import numpy as np

from tests.power._planting import plants, told


def _once_more(counts):
    """The record of the first class counts twice."""
    return counts + np.array([1, 0])


def _louder(rate):
    def wrap(original):
        from dplit.mechanisms import PermuteAndFlip

        return told("mechanism", lambda m: PermuteAndFlip(min(rate, 1e4) * m.epsilon, monotonic=True))(original)

    return wrap


plants("RandomDecisionForestClassifier, class of a leaf", "forests.releases.report", _louder,
       copies=told("counts", _once_more))  # fmt: skip
