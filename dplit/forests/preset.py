"""The forests that `dplit` recommends: advised by public numbers, fitted by the family advised.

What is asked first: how many records there are (a public number, or a share of epsilon buys a noisy
one), how many cells the domain has and how many classes the list, and epsilon. The rule is
`dplit.boosting.advise`.
"""

from __future__ import annotations

import copy
import math
import warnings

from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dplit.boosting import Advice, advise
from dplit.budget import Group, check_delta
from dplit.domain.lazy import encoded_columns
from dplit.domain.schema import check_domain
from dplit.forests.base import BaseForest, BaseForestClassifier, BaseForestRegressor, parameters
from dplit.forests.boosted import BoostedForestClassifier, BoostedForestRegressor
from dplit.forests.boosted_releases import size
from dplit.forests.dask_input import is_dask, read_dask
from dplit.forests.histogram import HistogramForestClassifier
from dplit.forests.intact import check_intact
from dplit.forests.partition import REPLACED, rest_of
from dplit.forests.randomness import is_seeded
from dplit.forests.targets import check_bounds, check_classes, class_codes, finite_numbers
from dplit.ground.errors import check_integer, check_jobs

# What a family is fitted with; a hundred trees of counts are little better, and five times slower.
CONSTANT = {"n_estimators": 1, "max_depth": 0}
COUNTED = {"release": "mixed", "n_estimators": 20}
# Reasons of an advice that is not asked for.
ASKED = "n_estimators or max_depth is given, which are rounds and depth of a boosted forest"
UNKNOWN = "domain or classes were left out, so that their size is not known beforehand"


def _answers(name):
    """Whether the family that was fitted has a method; before a fit, that one may."""

    def has(preset):
        fitted = vars(preset).get("forest_")
        return fitted is None or hasattr(fitted, name)

    return available_if(has)


@parameters
class BasePrivateForest(BaseForest):
    """What the presets share: advice, the fit of the family advised, and its answers."""

    n_estimators: int | None = None
    max_depth: int | None = None
    n_records: int | None = None
    delta: float = 0.0
    _in_parts = True

    def __getattr__(self, name):
        """Fitted attributes of the forest that was fitted: `trees_`, `feature_importances_` and so on."""
        if name.endswith("_") and not name.startswith("_") and "forest_" in vars(self):
            return getattr(vars(self)["forest_"], name)
        fitted = type(vars(self).get("forest_")).__name__
        why = f": what was fitted, a {fitted}, has none" if "forest_" in vars(self) else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{why}")

    def __dir__(self):
        """With the fitted attributes of the forest that was fitted, which notebooks complete."""
        fitted = vars(vars(self).get("forest_", self))
        return sorted({*super().__dir__(), *(name for name in fitted if name.endswith("_"))})

    def _inexact(self):
        return None  # each family has exact noise

    def _n_trees(self):
        return 1 if self.n_estimators is None else super()._n_trees()

    def _check(self):
        check_delta(self.delta)
        super()._check()
        if self.max_depth is not None:
            check_integer(self.max_depth, "max_depth", 0)

    def _fit_advised(self, X, y, families, n_classes, **schema):
        """Ask for advice and fit that family, with what epsilon is left; `families` by name.

        `n_classes` is 0 for a regression, and None where they are not known beforehand.
        """
        check_jobs(self.n_jobs)
        check_domain(self.domain)
        n_records, y = self._counted(X, y)
        records = self._checked(X, y, schema)
        rng, epsilon = self._generator(), self._record_epsilon()
        steps = 2 if self.neighbours == "replace-one" else 1  # one record away, another in
        relation = "replace-one" if self._keeps_n() else "add-remove"
        n, spent, node = size(n_records, self.n_records, epsilon / steps, relation, rng)
        if steps == 2 and spent:
            node = Group("number after a replacement", node, steps, self.neighbours, REPLACED)
        rest = rest_of(epsilon, steps * spent)
        self.advice_ = self._advice(n, rest / steps, n_classes)  # which is of one step
        kind, options = families[self.advice_.family]
        forest = kind(
            rest, domain=self.domain, neighbours=self.neighbours, n_jobs=self.n_jobs,
            noise=self._noise_kind().name, random_state=self._inner_state(rng), **schema,
        ).set_params(**options)  # fmt: skip
        given = {"n_records": n, "delta": self._record_delta(epsilon)}
        taken = forest.get_params()
        forest.set_params(**{name: value for name, value in given.items() if name in taken})
        if records is not None:
            forest._encoded = lambda *_: records
        self.forest_ = _fitted(forest, X, y)
        vars(self.forest_).pop("_encoded", None)
        return self._store(self.forest_.domain_, None, node, self.forest_.budget_.root)

    def _counted(self, X, y):
        """Number of records, and the targets; an error here comes before noise is drawn, and so costs nothing.

        Of Dask's, which it may take a pass to count, None where a public number is given.
        """
        if y is None or not (is_dask(X) or is_dask(y)):
            X, y = self._validated_pair(X, y)
            return len(X), y
        records, _ = read_dask(self, X, y)
        self._validated(records.like, reset=True)
        return len(records) if self.n_records is None else None, y

    def _checked(self, X, y, schema):
        """Encoded records, None of Dask's or without a domain; what the fit would refuse is an error here."""
        if self.domain is None or is_dask(X):
            return None
        if schema.get("classes") is not None:
            class_codes(y, check_classes(self.classes))
        elif "target_bounds" in schema:
            finite_numbers(y)
            check_bounds((0, 1) if self.target_bounds is None else self.target_bounds)
        return encoded_columns(self.domain, self._validated(X, reset=True))

    def _advice(self, n, epsilon, n_classes):
        if self.n_estimators is not None or self.max_depth is not None:
            return Advice("boosted", ASKED)
        if n_classes is None or self.domain is None:
            return Advice("boosted", UNKNOWN)
        cells = math.prod(self.domain.n_levels.tolist())  # 0 levels: a continuous column
        return advise(n, epsilon, n_classes, cells or math.inf)

    def _record_delta(self, epsilon):
        """A record's delta, of which several make up `delta` (`dplit.budget.Group`)."""
        if not self.delta or math.isinf(epsilon):
            return 0.0
        several = math.fsum(math.exp(i * epsilon) for i in range(self.records_per_person))
        return self.delta / several * (1 - 1e-12)  # no sum is a rounding too much

    def _inner_state(self, rng):
        """`random_state` of the forest: a seed of its own, or the noise of the number would be drawn twice."""
        seeded = is_seeded(self.random_state)
        return int(rng.integers(2**62)) if seeded else self.random_state

    def _asked(self):
        return {"n_estimators": self.n_estimators, "max_depth": self.max_depth}

    def _answering(self):
        """The forest that was fitted, with the threads that are asked for now."""
        check_is_fitted(self, "budget_")
        check_intact(self.forest_)  # once, and not each copy
        forest = copy.copy(self.forest_)
        forest.n_jobs = self.n_jobs
        return forest

    def apply(self, X):
        """As the forest that was fitted, `forest_`, does it.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        int array, shape (n_records, n_trees)
        """
        return self._answering().apply(X)

    def decision_path(self, X):
        """As the forest that was fitted, `forest_`, does it.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        csr_array of int64, shape (n_records, n_nodes)

        Raises
        ------
        AttributeError
            If that forest has no nodes that test one column, as a histogram's has none.
        ValueError
            If a column, a level or a number is not as it must be; the message names it.
        TypeError
            If `X` is sparse, or a data frame that is not in memory.
        """
        return self._answering().decision_path(X)

    def predict(self, X):
        """As the forest that was fitted, `forest_`, does it.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        array, shape (n_records,)
            Classes, or numbers within `target_bounds_`.
        """
        return self._answering().predict(X)

    @property
    def feature_importances_(self):
        """What each column matters to the forest that was fitted, by that forest's measure."""
        check_is_fitted(self, "budget_")
        return self.forest_.feature_importances_

    @_answers("export_text")
    def export_text(self):
        """The released model in words, as the forest that was fitted says it; str."""
        return self._answering().export_text()


def _fitted(forest, X, y):
    """`forest` after its fit, whose warnings point at the line that called the preset's."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        forest.fit(X, y)
    for warning in told:
        warnings.warn(warning.message, stacklevel=5)
    return forest


@parameters
class PrivateForestClassifier(BasePrivateForest, BaseForestClassifier):
    r"""The private classifier that `dplit` recommends: it takes advice, and says which and why.

    The advice is computed from public numbers alone: a boosted forest nearly always, a histogram where
    all columns are categorical and have few combinations, one release for all records where there are too
    few for more.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin.
    domain, classes, neighbours, records_per_person, noise, random_state, n_jobs
        As of `BoostedForestClassifier`.
    n_records : int, optional
        A public number of records, a guess that had better be low. Left out, a hundredth of epsilon buys
        a noisy number, on which the advice may rest; replace-one neighbours have as many, if persons have one.
    n_estimators, max_depth : int, optional
        Given, a boosted forest is fitted whatever the advice: they are its rounds and depth.
    delta : float
        Of a boosted forest, as `BoostedForestClassifier` has it; the other families have no use for it.
    accounting : {"proved", "published"}
        Nothing else than what is proved is fitted: both are the same.

    Attributes
    ----------
    advice_ : dplit.boosting.Advice
        Family and reason.
    forest_ : BoostedForestClassifier or HistogramForestClassifier
        What was fitted; all its fitted attributes are this estimator's, too.
    budget_ : Budget
        The privacy statement, as a proof tree: the number of records, and the forest.
    noise_ : {"secure", "simulation"}
        What was drawn: see `noise`.
    classes_, domain_, n_features_in_, feature_names_in_, n_classes_
        As of all forests.

    Examples
    --------
    >>> from dplit import PrivateForestClassifier, datasets
    >>> data = datasets.load("wdbc")
    >>> forest = PrivateForestClassifier(1.0, domain=data.domain, classes=data.classes, random_state=0)
    >>> forest.fit(data.X, data.y).advice_.family
    'boosted'
    >>> forest.budget_.epsilon
    1.0
    """

    def fit(self, X, y):
        """Take advice, and fit the forest advised.

        Parameters
        ----------
        X : DataFrame, array_like, or Dask's data frame or array; shape (n_records, n_features)
            Numbers outside a column's bounds are clipped; unknown levels are errors.
        y : array_like, or Dask's series or array cut as `X` is; shape (n_records,)
            Classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, a column, a level, a number or a class is not as it must be; the message
            names it.
        TypeError
            If `X` is sparse, or one of `X` and `y` is Dask's and the other is not.
        """
        self._check()
        families = {
            "boosted": (BoostedForestClassifier, self._asked()),
            "histogram": (HistogramForestClassifier, COUNTED),
            "constant": (BoostedForestClassifier, CONSTANT),
        }
        n_classes = None if self.classes is None else len(check_classes(self.classes))
        self._fit_advised(X, y, families, n_classes, classes=self.classes)
        self._store_classes(self.forest_.classes_)
        return self

    def predict_proba(self, X):
        """Probabilities of the released model.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        float64 array, shape (n_records, n_classes), in the order of `classes_`
        """
        return self._answering().predict_proba(X)

    @_answers("decision_function")
    def decision_function(self, X):
        """Scores of the classes, of a boosted forest.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        float64 array, shape (n_records,) for two classes, log-odds of the second; else (n_records, n_classes)
        """
        return self._answering().decision_function(X)


@parameters
class PrivateForestRegressor(BasePrivateForest, BaseForestRegressor):
    r"""The private regressor that `dplit` recommends: it takes advice, and says which and why.

    A boosted forest, or the mean target where there are too few records for more; public numbers decide.

    Parameters
    ----------
    epsilon, delta, domain, n_records, n_estimators, max_depth, accounting
        As of `PrivateForestClassifier`, as are `neighbours`, `records_per_person`, `noise`,
        `random_state` and `n_jobs`.
    target_bounds : (float, float), optional
        Public bounds of the targets, which are clipped to them. Left out, they are read off `y`,
        with a `PrivacyLeakWarning`, and the budget is infinite.

    Attributes
    ----------
    advice_ : dplit.boosting.Advice
    forest_ : BoostedForestRegressor
        What was fitted; all its fitted attributes are this estimator's, too.
    budget_ : Budget
    """

    def fit(self, X, y):
        """Take advice, and fit the forest advised.

        Parameters
        ----------
        X : DataFrame, array_like, or Dask's data frame or array; shape (n_records, n_features)
            Numbers outside a column's bounds are clipped; unknown levels are errors.
        y : array_like, or Dask's series or array cut as `X` is; shape (n_records,)
            Numbers; outside `target_bounds` they are clipped.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, a column, a level, a number or a target is not as it must be; the message
            names it.
        TypeError
            If `X` is sparse, or one of `X` and `y` is Dask's and the other is not.
        """
        self._check()
        families = {
            "boosted": (BoostedForestRegressor, self._asked()),
            "constant": (BoostedForestRegressor, CONSTANT),
        }
        return self._fit_advised(X, y, families, 0, target_bounds=self.target_bounds)
