"""Learners without privacy that take numbers alone, behind a public domain."""

from __future__ import annotations


class Encoded:
    """A scikit-learn forest behind a domain: levels as their positions, numbers clipped."""

    def __init__(self, forest, domain):
        self.forest, self.domain = forest, domain

    def fit(self, X, y):
        """Fit on encoded records; returns self."""
        self.forest.fit(self.domain.encode(X), y)
        return self

    def predict(self, X):
        """Predictions of the forest for encoded records."""
        return self.forest.predict(self.domain.encode(X))

    def predict_proba(self, X):
        """Shares of the classes, in the order of `classes_`."""
        return self.forest.predict_proba(self.domain.encode(X))

    @property
    def classes_(self):
        """Classes in the training records."""
        return self.forest.classes_
