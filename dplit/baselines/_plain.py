"""What the forests without privacy share: records of each tree, and a budget that says so."""

import math
import warnings
from dataclasses import field
from numbers import Real

import numpy as np

from dplit.budget import Leak
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.releases import largest
from dplit.ground.errors import PrivacyLeakWarning, check_integer


@parameters
class PlainForest(BaseForestClassifier):
    """Base of the forests without privacy: no epsilon, and a budget whose total is infinite.

    A subclass grows its trees in ``_grown(records, codes, n_classes, halves, rng)``, which gives them
    with the class counts of their leaves.
    """

    epsilon: float = field(init=False, default=math.inf)
    neighbours: str = field(init=False, default="add-remove")
    accounting: str = field(init=False, default="published")
    max_depth: int | None = field(init=False, default=None)
    records_per_person: int = field(init=False, default=1)
    noise: str = field(init=False, default="simulation")
    n_estimators: int = 100
    min_samples_leaf: int = 5
    partition_rate: float | None = 1.0

    def __repr__(self, N_CHAR_MAX=700):
        """As scikit-learn's, and what no user should overlook."""
        return f"{super().__repr__(N_CHAR_MAX)}  # not private"

    def _check(self):
        self._n_trees()
        check_integer(self.min_samples_leaf, "min_samples_leaf", 1)
        rate = self.partition_rate
        if rate is not None and not (_is_number(rate) and 0 < rate < math.inf):
            raise ValueError(f"partition_rate must be a positive number or None, got {rate!r}")

    def fit(self, X, y):
        """Grow the trees, and give each leaf the most frequent class of its estimation points.

        See `BaseForest.fit`.
        """
        self._check()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyLeakWarning)
            records, y, domain, domain_node = self._read_fit(X, y)
            codes, classes, class_node = self._read_classes(y)
        rng = self._generator()
        halves = [self._halves(len(records), rng) for _ in range(self.n_estimators)]
        forest, counts = self._grown(records, codes, len(classes), halves, rng)
        self._store_labels(largest(counts, rng), classes)
        grown = Leak("trees", "cuts are chosen on the records, without noise")
        label = Leak("labels", "the most frequent class of each leaf, without noise")
        return self._store(domain, forest, domain_node, class_node, grown, label)

    def _halves(self, n, rng):
        """Positions of one tree's structure and estimation points."""
        return halved(n, self.partition_rate, rng)


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def check_share(value, name: str) -> None:
    """Check a probability."""
    if not (_is_number(value) and 0 <= value <= 1):
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")


def halved(n: int, rate: float | None, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Positions of structure and of estimation points, drawn without replacement.

    `rate`: structure points for each estimation point; None: both are all records. There is always an
    estimation point.
    """
    order = rng.permutation(n)
    if rate is None:
        return order, order
    size = min(round(n * rate / (1 + rate)), n - 1)
    return order[:size], order[size:]
