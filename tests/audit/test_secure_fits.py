"""Subjects of the audit, fitted with the operating system's randomness: still within what they declare.

The registered ones are seeded, so that an audit can be repeated; these are not. Each bound is false with a
probability of at most 1e-6.
"""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from dplit.court.audit import epsilon_lower_bound
from dplit.court.audit.subjects import baselines, matrix_forest, multinomial

NAMES = {
    "a tree of FSClassifier, add-remove", "a tree of FSClassifier, replace-one",
    "a tree of FSClassifier, information gain, more records than the public number",
    "a tree of RGVClassifier", "a tree of DPRandomForestClassifier", "a tree of DPRandomForestRegressor",
    "a tree of DPDecisionForestClassifier",
    "MultinomialForestClassifier, normalised scores, add-remove",
    "MatrixForestClassifier, training, trees that agree",
}  # fmt: skip
MODULES = (baselines, multinomial, matrix_forest)
SUBJECTS = [s for module in MODULES for s in module.registered() if s.name in NAMES]


class Secure:
    """Mechanism that fits a clone, with noise that no seed repeats."""

    def __init__(self, estimator):
        self.estimator = clone(estimator).set_params(noise="secure")

    def __call__(self, data, rng):
        return clone(self.estimator).fit(*data)


def bound_of(subject, n_draws=250):
    pair = replace(subject.check.pair, mechanism=Secure)()
    given = pair.mechanism, pair.data, pair.neighbour
    options = {"confidence": 1 - 1e-6, "rng": np.random.default_rng(0), "summary": pair.summary}
    return epsilon_lower_bound(*given, n_draws=n_draws, **options).epsilon, pair.declared


def test_all_of_them_are_registered():
    assert {s.name for s in SUBJECTS} == NAMES


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda s: s.name)
def test_secure_fits_stay_within(subject):
    bound, declared = bound_of(subject)
    assert bound <= declared


def test_a_fit_that_spends_more_than_it_declares_is_caught():
    (subject,) = (s for s in SUBJECTS if "trees that agree" in s.name)
    fits = subject.check.pair
    bold = replace(fits, declared=1.0, options={**fits.options, "epsilon": 20.0})
    bound, declared = bound_of(replace(subject, check=replace(subject.check, pair=bold)))
    assert bound > declared
