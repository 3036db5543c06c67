"""Black-box audits of classifiers: anything with ``fit(X, y)`` and a ``random_state``.

A fitted model is summarised before it is compared, by `forest_labels` or by `label_score`.
"""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from dplit.court.audit.blackbox import LowerBound, epsilon_lower_bound
from dplit.forests.randomness import Repeated


@dataclass(frozen=True)
class FreshFit:
    """Mechanism that fits a clone of `estimator` to ``data = (X, y)``, with fresh randomness.

    Every parameter called ``random_state``, of the scikit-learn estimator or of a step, is set anew for each
    draw. With a seed as `structure`, a forest of this package whose trees are random grows the same ones in every
    draw (`dplit.forests.randomness.Repeated`), so that all that varies is what reads the data: a sharper audit.
    Nothing is the same in draws of a forest whose cuts are noise.
    """

    estimator: object
    structure: int | None = None

    def __post_init__(self):
        names = self.estimator.get_params(deep=True)
        seeds = tuple(name for name in names if name.split("__")[-1] == "random_state")
        if not seeds:
            raise ValueError(f"estimator must have a random_state, so that draws differ, got {self.estimator!r}")
        object.__setattr__(self, "_seeds", seeds)

    def __call__(self, data: tuple, rng: np.random.Generator):
        """The fitted clone."""
        from sklearn.base import clone

        X, y = data
        states = {name: self._state(rng) for name in self._seeds}
        return clone(self.estimator).set_params(**states).fit(X, y)

    def _state(self, rng):
        if self.structure is None:
            return int(rng.integers(2**32))
        return Repeated(self.structure, int(rng.integers(2**63)))


def audit_estimator(
    estimator, data: tuple, neighbour: tuple, *, summary: Callable, n_draws: int = 2000,
    confidence: float = 0.999, rng: np.random.Generator, structure: int | None = None,
    n_jobs: int | None = None
) -> LowerBound:  # fmt: skip
    """Return a lower bound on the privacy loss of fitting `estimator` to one of two neighbouring data sets.

    The estimator has a ``random_state``; `data` and `neighbour` are (X, y), as `append_record` and
    `replace_record` make them. `summary` goes from the fitted estimator to an outcome, as `forest_labels` and
    `label_score` do. `structure` as in `FreshFit`, all else as in `epsilon_lower_bound`; each draw is a fit.
    """
    mechanism = FreshFit(estimator, structure)
    options = {"n_draws": n_draws, "confidence": confidence, "rng": rng, "n_jobs": n_jobs}
    return epsilon_lower_bound(mechanism, data, neighbour, summary=summary, **options)


@dataclass(frozen=True)
class forest_labels:  # lower case: used as a function, an object so that processes can share it
    """Summary: the predictions at probe records, shape (n_probes, n_features), as a tuple."""

    probe: object

    def __call__(self, fitted):
        """Predicted classes, in the order of the probes."""
        return tuple(np.asarray(fitted.predict(self.probe)).tolist())


@dataclass(frozen=True)
class leaf_labels:
    """Summary: the released class of the leaf that a record reaches, tree by tree, as a tuple.

    For the forests of this package, which have ``apply``, ``trees_`` and ``leaf_labels_``. The record has shape
    (1, n_features).
    """

    record: object

    def __call__(self, fitted):
        """Position of the class in ``classes_``, for each tree."""
        leaves = fitted.apply(self.record)[0] + fitted.trees_.leaf_starts[:-1]
        return tuple(fitted.leaf_labels_[leaves].tolist())


@dataclass(frozen=True)
class label_score:
    """Summary: the share of votes for `label` at `record`, of shape (1, n_features), a number.

    In a forest this counts the trees whose leaf, where the record arrives, released that class.
    """

    record: object
    label: object

    def __call__(self, fitted):
        """Share of votes, rounded to 12 digits so that equal shares are one outcome."""
        column = list(fitted.classes_).index(self.label)
        return round(float(fitted.predict_proba(self.record)[0, column]), 12)


@contextmanager
def in_blocks(data, lengths):
    """``data = (X, y)`` as Dask's arrays of blocks of these lengths, computed in this thread."""
    import dask
    import dask.array

    with dask.config.set(scheduler="synchronous"):
        yield tuple(dask.array.from_array(a, chunks=(lengths, *a.shape[1:])) for a in data)
