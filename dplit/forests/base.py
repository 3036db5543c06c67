"""What every private forest shares: its parameters, its account, what stands around a fit, its votes.

A fitted forest holds nothing that its budget does not pay for: the trees, the released labels and
the public schema. It holds no counts, no record's position, and its pickle holds no seed.
"""

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from numbers import Real
from typing import TYPE_CHECKING, Any, Self, TypeVar, dataclass_transform

import numpy as np
from sklearn.exceptions import NotFittedError

from dplit import trees
from dplit.budget import Budget, Group, Leak, Public, Sequence
from dplit.domain import Domain
from dplit.forests import targets
from dplit.forests.blocks_dask import DaskTargets, then
from dplit.forests.fitted import WithFile, WithPage, WithTrees
from dplit.forests.intact import seal
from dplit.forests.members import check_drawn
from dplit.forests.noise import HiddenSeed, WithNoise
from dplit.forests.partition import AllRecords, Independent, ShuffledParts
from dplit.forests.reading import WithRecords
from dplit.ground import errors

# scikit-learn tells no types, and of a class with an unknown base a type checker takes any argument.
if TYPE_CHECKING:

    class BaseEstimator:
        n_features_in_: int
        feature_names_in_: np.ndarray

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def predict(self, X: Any) -> np.ndarray: ...
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin: ...

    class RegressorMixin: ...
else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

MOST_TREES = 1_000_000  # streams and parts of records of more fill the memory
ACCOUNTINGS = ("proved", "published")
T = TypeVar("T")
NO_WEIGHTS = (
    "fit takes no sample_weight: epsilon is proved for records that count once, and a weight would scale "
    "what one person can change; leave it out, or repeat records and say so by records_per_person"
)


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
def parameters(kind: type[T]) -> type[T]:
    """An estimator whose parameters are its fields; equality and repr stay scikit-learn's."""
    return dataclass(eq=False, repr=False, kw_only=True)(kind)


def undone_on_error(fit):
    """The same `fit`, charged to open accounts; where it stops with an error, the estimator is as it was.

    It has no parameter for weights, by which scikit-learn tells who takes them; to pass them is an error that says
    why. Parameters that are NumPy's numbers are Python's while it runs, since small integers of NumPy overflow.
    """

    @functools.wraps(fit)
    def fit_or_undo(self, *args, **kwargs):
        if "sample_weight" in kwargs or len(args) > 2:
            raise TypeError(NO_WEIGHTS)
        check_drawn(self)
        before = dict(vars(self))
        given = {name: before[name] for name in self.get_params(deep=False) if name in before}
        given = {name: value for name, value in given.items() if isinstance(value, np.generic)}
        try:
            vars(self).update({name: value.item() for name, value in given.items()})
            account = import_module("dplit.budget.accountant")
            name, sent_from = type(self).__name__, before.get("_sent_from")
            y = kwargs.get("y", args[1] if len(args) > 1 else None)
            with account.charged(name, self.neighbours, lambda: declared(self, y), sent_from) as settle:
                account.note_fitted(*args, *kwargs.values())
                with errors.naming_cache():
                    fit(self, *args, **kwargs)
                settle(self.budget_.root)
            vars(self).update(given)
            seal(self)
            return self
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return fit_or_undo


def declared(forest, y):
    """Epsilon and delta of a fit, as far as its parameters and the type of `y` tell; else infinity, and why."""
    domain = forest.domain
    public = domain is not None and not getattr(domain, "data_dependent", ())
    lacks = [f"{name}=" for name in ("classes", "target_bounds") if getattr(forest, name, "") is None]
    lacks = [] if lacks == ["classes="] and targets.is_boolean(y) else lacks
    lacks += ["a public domain="] * (not public) + ["accounting='proved'"] * (forest.accounting != "proved")
    lacks += ["label='permute-and-flip'"] * (getattr(forest, "label", "") == "smooth-exponential")
    lacks += ["a finite epsilon="] * (not errors.check_epsilon(forest.epsilon) < math.inf)
    return math.inf if lacks else float(forest.epsilon), getattr(forest, "delta", 0.0), *lacks


@parameters
class BaseForest(WithRecords, WithNoise, WithFile, WithTrees, WithPage, BaseEstimator):
    """Base of the forests: parameters that all have, and what is kept of a fit.

    Subclasses set `domain_`, `trees_` and `budget_` at the end of ``fit``, together: where a fit
    stops with an error, what stands is the last one and its budget. Each method that takes `X` takes a data
    frame or array_like of shape (n_records, n_features).
    """

    epsilon: float = field(default=1.0, kw_only=False)
    domain: Domain | None = None
    neighbours: str = "add-remove"
    n_estimators: int = 10
    max_depth: int | None = 5
    accounting: str = "proved"
    records_per_person: int = 1
    noise: str | None = None
    random_state: object = HiddenSeed()
    n_jobs: int | None = None
    _poor_below = 0.0  # epsilon from which scikit-learn's check of scores, on 300 records, is passed

    if not TYPE_CHECKING:  # what has no name would be any

        def __getattr__(self, name):
            if hasattr(type(self), name):  # a property or a method, whose own error it was
                return object.__getattribute__(self, name)
            kind = type(self).__name__
            if name.endswith("_") and not name.startswith("_") and "budget_" not in vars(self):
                raise NotFittedError(f"this {kind} has no {name}, for it is not fitted yet: call fit first")
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "fit" in vars(cls):
            cls.fit = undone_on_error(cls.fit)

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the forest to private records, and return it.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features); of some forests Dask's, too
            Numbers outside a column's bounds are clipped; unknown levels are errors.
        y : array_like, shape (n_records,); or Dask's series or array, cut as `X` is
            Classes; or numbers, which are clipped to `target_bounds`.

        Raises
        ------
        ValueError
            If a parameter, a column, a level, a number or a target is not as it must be, or the domain is too
            wide; the message names it. Columns of numbers must be finite.
        TypeError
            If `X` is sparse, or one of `X` and `y` is Dask's and the other is not.
        """
        raise NotImplementedError

    def _check(self):
        errors.check_epsilon(self.epsilon)
        errors.check_neighbours(self.neighbours)
        errors.check_integer(self.records_per_person, "records_per_person", 1)
        if getattr(self, "n_records", None) is not None:  # of those that have rules for it
            errors.check_integer(self.n_records, "n_records", 1)
        self._n_trees()
        errors.check_choice(self.accounting, ACCOUNTINGS, "accounting")
        self._noise_kind()

    def _n_trees(self):
        return errors.check_integer(self.n_estimators, "n_estimators", 1, MOST_TREES)

    def _is_poor(self):
        """Whether scikit-learn's tag has to say so: noise alone fails its check of scores."""
        known = isinstance(self.epsilon, Real) and self.accounting == "proved"
        return known and self.epsilon < self._poor_below

    def _is_proved(self):
        return self.accounting == "proved"

    def _is_partitioned(self):
        return True

    def _keeps_n(self):
        """Whether neighbours have as many records: of persons with several, another may have more or fewer."""
        return self.neighbours == "replace-one" and self.records_per_person == 1

    def _way(self):
        way = AllRecords
        if self._is_partitioned():
            way = Independent if self._is_proved() else ShuffledParts
        return way(self._n_trees(), self.neighbours, self._keeps_n())

    def _record_epsilon(self):
        """What a single record may cost: one person's records share epsilon."""
        epsilon = float(self.epsilon)
        if self.records_per_person == 1 or math.isinf(epsilon):
            return epsilon
        return math.nextafter(epsilon / self.records_per_person, 0.0)  # no sum is an ulp too much

    def _tree_epsilon(self, way):
        """What each tree may spend, under add-remove neighbours."""
        epsilon = self._record_epsilon()
        if self._is_proved() and self.neighbours == "replace-one":
            epsilon /= 2  # one replaced record is one removed and one added
        return way.share(epsilon)

    def _store(self, domain, forest, *spent):
        """Keep the trees, if there are any, and the budget: the nodes of what was `spent`, in order."""
        self.domain_ = domain
        if forest is not None:
            self.trees_ = forest
        noise = self._noise_kind()
        self.noise_, notes = noise.name, self._taken_for_granted(noise)
        node, several = Sequence(type(self).__name__, spent), self.records_per_person
        if several > 1:
            why = f"one person has up to {several} records"
            if self.neighbours == "replace-one":
                why += ", and who takes the place as many or fewer or more"
            node = Group("records of a person", node, several, self.neighbours, why)
        self.budget_ = Budget(node, notes)
        return self

    def apply(self, X: Any) -> np.ndarray:
        """Leaf that each record reaches in each tree.

        Returns an int32 array, shape (n_records, n_estimators); leaves are numbered from 0 in each tree.
        """
        return trees.apply(self.trees_, self._read(X), self.n_jobs)


@parameters
class BaseForestClassifier(ClassifierMixin, BaseForest):
    """Base of the classifiers: a forest whose leaves each released one class, and which votes."""

    classes: Iterable | None = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._is_poor()
        return tags

    def _read_classes(self, y):
        """Codes of `y` in the public class list, the list itself, and what it costs."""
        read_off = self.classes is None and isinstance(y, DaskTargets)
        classes, node = targets.public_classes(y.distinct() if read_off else y, self.classes)
        return then(y, targets.class_codes, classes), classes, node

    def _store_labels(self, labels, classes):
        """Keep the released labels, coded by the sorted class list as scikit-learn expects it."""
        ranks = self._store_classes(classes)
        self.leaf_labels_ = ranks.astype(np.min_scalar_type(self.n_classes_))[labels]

    def _store_classes(self, classes):
        """Keep the sorted class list; returns the place of each class in it."""
        self.classes_, ranks = np.unique(np.asarray(classes), return_inverse=True)
        self.n_classes_ = len(self.classes_)
        return ranks

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the trees that vote for each class.

        A tree votes for the class that its leaf released, so that a share says which class is more likely
        but not how likely it is: where classes are uneven, half is seldom the right threshold for the rarer
        one. Choose another that no record has a say in, as the rarer class's public share, or one by
        `dplit.metrics.HeldOut.threshold`, which is charged, for scikit-learn's ``FixedThresholdClassifier``.
        Forests that release counts (`HistogramForestClassifier`, `BoostedForestClassifier`,
        `dplit.baselines.JPWClassifier`, and ``voting="weighted"`` of a `MatrixForestClassifier`) have
        probabilities proper.

        Returns a float64 array, shape (n_records, n_classes), in the order of `classes_`.
        """
        votes = self._votes(self._read(X))
        return votes / self.trees_.n_trees

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`; minus infinity where that is 0.

        Returns a float64 array, shape (n_records, n_classes).
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Class that most trees vote for; of several, the first in `classes_`.

        Returns an array of classes, shape (n_records,).
        """
        votes = self._votes(self._read(X))
        return self.classes_[votes.argmax(axis=1)]

    def _votes(self, records):
        return trees.vote(self.trees_, records, self.leaf_labels_, self.n_classes_, self.n_jobs)


@parameters
class BaseForestRegressor(RegressorMixin, BaseForest):
    """Base of the regressors: a forest whose leaves each released a mean; predicts their average."""

    target_bounds: tuple[float, float] | None = None
    target_scale: str = "linear"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._is_poor()
        return tags

    def _read_targets(self, y):
        """Targets as shares of the public interval, in steps of `GRID`; its two ends, and what the interval costs.

        A share depends on its own record alone and is at most 1 on either scale: a scale changes no sensitivity.
        """
        scale = errors.check_choice(self.target_scale, targets.SCALES, "target_scale")
        values = then(y, targets.finite_numbers)
        node = Public("target bounds", "given as target_bounds" + (", on a log scale" if scale == "log" else ""))
        bounds = self.target_bounds
        if bounds is None:
            if scale == "log":
                raise ValueError("target_bounds must be (lower, upper), both positive, on a log scale, got None")
            errors.warn_leak(
                "target_bounds was left out and is read off y, so epsilon is infinite: "
                "pass target_bounds=(lower, upper)",
                5,
            )
            ends = values.ends() if isinstance(values, DaskTargets) else values
            bounds = float(ends.min()), float(ends.max())
            bounds = bounds if bounds[0] < bounds[1] else (bounds[0] - 0.5, bounds[0] + 0.5)
            node = Leak("target bounds", "read off y: pass target_bounds")
        lower, upper = targets.check_bounds(bounds, scale)
        return then(values, targets.target_shares, lower, upper, scale), (lower, upper), node

    def _store_bounds(self, bounds):
        """Keep the public interval and its scale; returns its ends on the scale."""
        self.target_bounds_, self.target_scale_ = bounds, self.target_scale
        return targets.on_scale(bounds[0], self.target_scale), targets.on_scale(bounds[1], self.target_scale)

    def _store_means(self, means, bounds):
        """Keep the released means, shares of the public interval, in the units of the targets or logarithms."""
        lower, upper = self._store_bounds(bounds)
        self.leaf_values_ = lower + (upper - lower) * means

    def _in_units(self, values):
        if vars(self).get("target_scale_") != "log":  # a file of an earlier version says nothing
            return values
        with np.errstate(over="ignore"):  # means as published are not clipped
            return np.clip(np.exp(values), *self.target_bounds_)

    def predict(self, X: Any) -> np.ndarray:
        """Mean of the leaves that each record reaches, one in each tree; on a log scale the geometric one.

        Returns a float64 array, shape (n_records,), in the units of the targets.
        """
        records = self._read(X)
        return self._in_units(trees.average(self.trees_, records, self.leaf_values_, self.n_jobs))
