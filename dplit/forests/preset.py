"""The forests that `dplit` recommends: fitted by the family that `dplit.boosting.advise` names."""

import copy
import math
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dplit.boosting import Advice, advise
from dplit.budget import Group, Public
from dplit.forests.base import BaseForestClassifier, BaseForestRegressor, parameters
from dplit.forests.boosted import BoostedForestClassifier, BoostedForestRegressor, PlannedForest
from dplit.forests.boosted_releases import size
from dplit.forests.histogram import HistogramForestClassifier
from dplit.forests.intact import check_intact, seal
from dplit.forests.partition import REPLACED, rest_of
from dplit.forests.randomness import is_seeded
from dplit.forests.targets import check_classes
from dplit.ground.errors import check_epsilon

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
class BasePrivateForest(PlannedForest):
    """What the presets share: advice, the fit of the family advised, and its answers."""

    def __getattr__(self, name):
        """Fitted attributes of the forest that was fitted: `trees_`, `feature_importances_` and so on."""
        if name.endswith("_") and not name.startswith("_") and "forest_" in vars(self):
            return getattr(vars(self)["forest_"], name)
        try:
            return super().__getattr__(name)
        except AttributeError as error:
            if "forest_" in vars(self):
                fitted = type(vars(self)["forest_"]).__name__
                error.args = (f"{error}: what was fitted, a {fitted}, has none",)
            raise

    def __dir__(self):
        """With the fitted attributes of the forest that was fitted, which notebooks complete."""
        fitted = vars(vars(self).get("forest_", self))
        return sorted({*super().__dir__(), *(name for name in fitted if name.endswith("_"))})

    def _fit_advised(self, records, domain, domain_node, *target, n_classes, **schema):
        """Ask for advice, and fit that family with what is left of epsilon; of a regression `n_classes` is 0."""
        n_records = self._counted(records)
        rng, epsilon = self._generator(), self._record_epsilon()
        steps = 2 if self.neighbours == "replace-one" else 1  # one record away, another in
        relation = "replace-one" if self._keeps_n() else "add-remove"
        n, node = size(n_records, self.n_records, epsilon / steps, relation, rng)
        if steps == 2 and node.epsilon:
            node = Group("number after a replacement", node, steps, self.neighbours, REPLACED)
        rest = rest_of(epsilon, node.epsilon)
        public = self.domain or (domain if isinstance(domain_node, Public) else None)
        self.advice_ = self._advice(n, rest / steps, n_classes, public)  # which is of one step
        kind, options = self._family(self.advice_.family, epsilon)
        forest = self.forest_ = kind(
            rest, domain=self.domain, neighbours=self.neighbours, n_jobs=self.n_jobs, n_records=n,
            noise=self._noise_kind().name, random_state=self._inner_state(rng), **schema, **options,
        )  # fmt: skip
        check_epsilon(rest)  # all else was checked with the preset's own parameters
        read = "n_features_in_", "feature_names_in_"
        vars(forest).update({name: vars(self)[name] for name in read if name in vars(self)})
        with self._named(kind):
            forest._fit_encoded(records, domain, domain_node, *target)
        seal(forest)
        return self._store(domain, None, node, forest.budget_.root)

    def _counted(self, records):
        """Number of records; None where a public one is given, for Dask would take a pass to count."""
        return len(records) if self.n_records is None else None

    def _family(self, name, epsilon):
        """Class of the forest of that family, and its parameters."""
        if name == "histogram":
            return HistogramForestClassifier, COUNTED
        asked = {"n_estimators": self.n_estimators, "max_depth": self.max_depth}
        options = CONSTANT if name == "constant" else asked
        return self._boosted, {"delta": self._record_delta(epsilon), **options}

    def _advice(self, n, epsilon, n_classes, domain):
        if self.n_estimators is not None or self.max_depth is not None:
            return Advice("boosted", ASKED)
        if n_classes is None or domain is None:
            return Advice("boosted", UNKNOWN)
        cells = math.prod(domain.n_levels.tolist())  # 0 levels: a continuous column
        linear = any(getattr(f, "scale", "") == "linear" and f.lower == 0 for f in domain.features)
        return advise(n, epsilon, n_classes, cells or math.inf, self._record_delta(epsilon), linear)

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

    def _ask(self, what, *given, **options):
        """What the forest that was fitted answers, with the threads asked for now; errors name the preset."""
        check_is_fitted(self, "budget_")
        with self._named(type(self.forest_)):
            check_intact(self.forest_)  # once, and not each copy
            forest = copy.copy(self.forest_)
            forest.n_jobs = self.n_jobs
            return getattr(forest, what)(*given, **options)

    @contextmanager
    def _named(self, inner):
        """What is raised inside names this estimator in place of the one that it fits."""
        try:
            yield
        except (ValueError, TypeError) as error:
            error.args = (str(error).replace(inner.__name__, type(self).__name__),)
            raise

    def apply(self, X: Any) -> np.ndarray:
        """As the forest that was fitted, `forest_`, does it. Returns an int array, shape (n_records, n_trees)."""
        return self._ask("apply", X)

    def decision_path(self, X: Any) -> csr_array:
        """As the forest that was fitted, `forest_`, does it.

        Returns a csr_array of int64, shape (n_records, n_nodes); errors are those of `BaseForest.decision_path`,
        an AttributeError of a histogram among them, which has no nodes.
        """
        return self._ask("decision_path", X)

    def predict(self, X: Any) -> np.ndarray:
        """As the forest that was fitted, `forest_`, does it.

        Returns an array, shape (n_records,), of classes, or of numbers within `target_bounds_`.
        """
        return self._ask("predict", X)

    @property
    def feature_importances_(self) -> np.ndarray:
        """What each column matters to the forest that was fitted, by that forest's measure."""
        check_is_fitted(self, "budget_")
        return self.forest_.feature_importances_


@parameters
class PrivateForestClassifier(BasePrivateForest, BaseForestClassifier):
    r"""The private classifier that `dplit` recommends: it takes advice, and says which and why.

    The advice is computed from public numbers alone: a boosted forest nearly always, a histogram where all columns
    are categorical and have few combinations, one release for all records where there are too few for more.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin.
    domain : Domain, optional
        What is public about the columns. Left out, the two values of a data frame's boolean columns are taken to
        be public; anything else is read off the data, with a `PrivacyLeakWarning`, and the budget is infinite.
    classes : sequence or pandas.CategoricalDtype, optional
        The public class list, all strings or all numbers. Left out, the two values of a boolean `y`; of any other
        one the classes are read off the data, with a `PrivacyLeakWarning`, and the budget is infinite.
    neighbours : {"add-remove", "replace-one"}
        Which data sets `epsilon` holds for: one record more or less, or one record changed.
    n_estimators, max_depth : int, optional
        Given, a boosted forest is fitted whatever the advice: they are its rounds, and the tests of a
        round's tree, at most 12.
    n_records : int, optional
        A public number of records, better too low. Left out, a hundredth of epsilon buys a noisy number, and
        three more a better one if it is low; replace-one neighbours have as many, if persons have one.
    delta : float
        0, or the delta of (epsilon, delta)-privacy, below 1. Above 0 a boosted forest pays by zero-concentrated
        privacy if that has less noise, else `budget_` says that its delta is 0; other families do not use it.
    accounting : {"proved", "published"}
        Nothing else than what is proved is fitted: both are the same.
    records_per_person : int
        The most records that one person has in the table, a public number. `epsilon` holds for all of
        them together: each record's share is ``epsilon / records_per_person``.
    noise : {None, "secure", "simulation"}
        "secure" draws exact noise from the operating system's randomness; "simulation" rounded noise by
        NumPy's generators, which a `random_state` needs. None takes the first where no `random_state` is
        given, else the second (`dplit.forests.noise`).
    random_state : None, int, Generator, RandomState or SeedSequence
        None, for a release: all randomness is the operating system's. An integer repeats the fit, and
        whoever knows it can undo the noise; it stands in no repr and no pickle. From anything else
        the noise is fresh in every fit (`dplit.forests.randomness`).
    n_jobs : int, optional
        Threads; the forest is the same for any number.

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

    _boosted = BoostedForestClassifier

    def fit(self, X: Any, y: Any) -> Self:
        """Take advice, and fit the forest advised. See `BaseForest.fit`; `X` and `y` may be Dask's."""
        self._check()
        if self.classes is not None:
            check_classes(self.classes)  # before a record is read
        records, y, domain, domain_node = self._read_fit(X, y)
        target = self._read_classes(y)
        n_classes = len(target[1]) if isinstance(target[2], Public) else None
        self._fit_advised(records, domain, domain_node, *target, n_classes=n_classes, classes=self.classes)
        self.classes_, self.n_classes_ = self.forest_.classes_, self.forest_.n_classes_
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the released model.

        Returns a float64 array, shape (n_records, n_classes), in the order of `classes_`.
        """
        return self._ask("predict_proba", X)

    @_answers("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes, of a boosted forest.

        Returns a float64 array: log-odds of the second of two classes, shape (n_records,), or scores of shape
        (n_records, n_classes).
        """
        return self._ask("decision_function", X)


@parameters
class PrivateForestRegressor(BasePrivateForest, BaseForestRegressor):
    r"""The private regressor that `dplit` recommends: it takes advice, and says which and why.

    A boosted forest, or the mean target where there are too few records for more; public numbers decide.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin.
    domain : Domain, optional
        What is public about the columns. Left out, the two values of a data frame's boolean columns are taken to
        be public; anything else is read off the data, with a `PrivacyLeakWarning`, and the budget is infinite.
    target_bounds : (float, float), optional
        Public bounds of the targets, in their units; a target outside is clipped, and bounds that are several
        times too wide cost little. Left out, they are read off `y`, with a `PrivacyLeakWarning`, and the budget
        is infinite.
    target_scale : {"linear", "log"}
        "log" for a positive target that is skewed, as prices and durations are, and whose bounds, positive then,
        span factors: it learns the logarithm of the clipped target and predicts its mean's exponential, a
        geometric mean, which is right by a factor and below the mean. It costs nothing.
    neighbours : {"add-remove", "replace-one"}
        Which data sets `epsilon` holds for: one record more or less, or one record changed.
    n_estimators, max_depth : int, optional
        Given, a boosted forest is fitted whatever the advice: they are its rounds, and the tests of a
        round's tree, at most 12.
    n_records : int, optional
        A public number of records, better too low. Left out, a hundredth of epsilon buys a noisy number, and
        three more a better one if it is low; replace-one neighbours have as many, if persons have one.
    delta : float
        0, or the delta of (epsilon, delta)-privacy, below 1. Above 0 a boosted forest pays by zero-concentrated
        privacy if that has less noise, else `budget_` says that its delta is 0.
    accounting : {"proved", "published"}
        Nothing else than what is proved is fitted: both are the same.
    records_per_person : int
        The most records that one person has in the table, a public number. `epsilon` holds for all of
        them together: each record's share is ``epsilon / records_per_person``.
    noise : {None, "secure", "simulation"}
        "secure" draws exact noise from the operating system's randomness; "simulation" rounded noise by
        NumPy's generators, which a `random_state` needs. None takes the first where no `random_state` is
        given, else the second (`dplit.forests.noise`).
    random_state : None, int, Generator, RandomState or SeedSequence
        None, for a release: all randomness is the operating system's. An integer repeats the fit, and
        whoever knows it can undo the noise; it stands in no repr and no pickle. From anything else
        the noise is fresh in every fit (`dplit.forests.randomness`).
    n_jobs : int, optional
        Threads; the forest is the same for any number.

    Attributes
    ----------
    advice_ : dplit.boosting.Advice
    forest_ : BoostedForestRegressor
        What was fitted; all its fitted attributes are this estimator's, too.
    budget_ : Budget
    """

    _boosted = BoostedForestRegressor
    _poor_below = 5.0

    def fit(self, X: Any, y: Any) -> Self:
        """Take advice, and fit the forest advised. See `BaseForest.fit`; `X` and `y` may be Dask's."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        target = self._read_targets(y)
        schema = {"target_bounds": self.target_bounds, "target_scale": self.target_scale}
        return self._fit_advised(records, domain, domain_node, *target, n_classes=0, **schema)
