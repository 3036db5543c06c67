"""What the methods of all papers share: what a private estimator is told, and learners behind a domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dplit.court.experiments.task import Setting


def public(setting: Setting) -> dict:
    """Schema, accounting and seed of a private estimator, by the names of its parameters."""
    target = (
        {"target_bounds": setting.target_bounds} if setting.target_bounds else {"classes": list(setting.classes)}
    )
    return {
        "domain": setting.domain,
        "accounting": "published" if setting.reading == "published" else "proved",
        "neighbours": "add-remove",
        "random_state": setting.seed,
        **target,
    }


def of_task(room, name, setting):
    """The class ``<name>Regressor`` or ``<name>Classifier`` of a module, as the task is."""
    return getattr(room, name + ("Regressor" if setting.target_bounds else "Classifier"))


def private(room, name, **fixed):
    """A builder of a private estimator of `dplit.forests` or `dplit.baselines`, by its class's first words."""

    def build(setting, **params):
        return of_task(room, name, setting)(**public(setting), **fixed, **params)

    return build


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
