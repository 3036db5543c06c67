"""The forests without privacy that the papers compare with: their budgets say ``inf``.

Random forests and extremely random trees are scikit-learn's, on the records as the public domain
encodes them: clipped numbers, and the codes of levels taken as numbers in the order of the domain.
"""

from __future__ import annotations

import math

import numpy as np
from sklearn import ensemble
from sklearn.base import ClassifierMixin, RegressorMixin

from dplit.budget import Budget, Leak, Sequence
from dplit.errors import check_choice, check_epsilon, check_integer, check_neighbours
from dplit.forests.base import PrivateForest, PrivateForestClassifier, PrivateForestRegressor

ACCOUNTINGS = ("proved", "published")


class _Wrapper(PrivateForest):
    """A forest of scikit-learn's behind the interface of the private ones."""

    def _check(self):
        check_epsilon(self.epsilon)
        check_neighbours(self.neighbours)
        check_choice(self.accounting, ACCOUNTINGS, "accounting")
        check_integer(self.n_estimators, "n_estimators", 1)
        for name in ("max_depth", "max_features"):
            if getattr(self, name) is not None:
                check_integer(getattr(self, name), name, 1)

    def _fit(self, records, target):
        """A fitted forest of scikit-learn's."""
        options = {}
        if self.max_features is not None:
            options["max_features"] = min(self.max_features, records.shape[1])
        forest = self._forest(
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            random_state=int(self._generator().integers(2**31)),
            n_jobs=self.n_jobs,
            **options,
        )
        return forest.fit(records, target)

    def _finish(self, domain, forest, *schema):
        self.domain_, self.forest_ = domain, forest
        leak = Leak("trees", f"{type(forest).__name__} of scikit-learn, no noise")
        self.budget_ = Budget(Sequence(type(self).__name__, (*schema, leak)))
        return self

    def apply(self, X):
        """Node that each record ends at in each tree, by scikit-learn's numbers.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        int64 array, shape (n_records, n_estimators)
        """
        records = self._read(X)
        return self.forest_.apply(records)


class _Classifier(ClassifierMixin, _Wrapper):
    """What the two classifiers share."""

    # The class list is read as the private forests read it.
    _read_classes = PrivateForestClassifier._read_classes

    def fit(self, X, y):
        """Fit the forest.

        Parameters, errors and return value as `dplit.forests.MedianForestClassifier.fit`.
        """
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        ordered, ranks = np.unique(np.asarray(classes), return_inverse=True)
        forest = self._fit(records, ranks[codes])
        self.classes_, self.n_classes_ = ordered, len(ordered)
        return self._finish(domain, forest, domain_node, class_node)

    def predict_proba(self, X):
        """Mean over the trees of the shares of the classes in the leaf.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        float64 array, shape (n_records, n_classes), in the order of `classes_`
        """
        records = self._read(X)
        shares = np.zeros((len(records), self.n_classes_))
        shares[:, self.forest_.classes_] = self.forest_.predict_proba(records)
        return shares

    def predict(self, X):
        """Class of the largest share; of several, the first in `classes_`.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        array of classes, shape (n_records,)
        """
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]


class _Regressor(RegressorMixin, _Wrapper):
    """What the two regressors share."""

    _read_targets = PrivateForestRegressor._read_targets

    def fit(self, X, y):
        """Fit the forest.

        Parameters, errors and return value as `dplit.forests.MedianForestRegressor.fit`.
        """
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        targets, bounds, target_node = self._read_targets(y)
        forest = self._fit(records, targets)
        self.target_bounds_ = bounds
        return self._finish(domain, forest, domain_node, target_node)

    def predict(self, X):
        """Mean of the leaves that each record reaches, one in each tree.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        float64 array, shape (n_records,), in the units of the targets
        """
        records = self._read(X)
        lower, upper = self.target_bounds_
        return lower + (upper - lower) * self.forest_.predict(records)


class RandomForestClassifier(_Classifier):
    """The random forest, without privacy (Breiman 2001), scikit-learn's.

    Parameters
    ----------
    epsilon, neighbours, accounting
        Not used: the interface is that of the private forests, and the budget is infinite.
    domain, classes, random_state, n_jobs
        As `dplit.forests.MedianForestClassifier`.
    n_estimators : int
    max_depth : int or None
    max_features : int or None
        Columns that compete at a node, DiPriMe's K; None: as scikit-learn has it.

    Attributes
    ----------
    forest_ : scikit-learn's estimator
        Fitted on the encoded records and the positions of their classes in `classes_`.
    budget_, domain_, classes_
        As `dplit.forests.MedianForestClassifier`; the total is ``inf``.
    """

    _forest = ensemble.RandomForestClassifier

    def __init__(
        self,
        epsilon=math.inf,
        *,
        domain=None,
        classes=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=None,
        max_features=5,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        self.epsilon = epsilon
        self.domain = domain
        self.classes = classes
        self.neighbours = neighbours
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_features = max_features
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely random trees, without privacy (Geurts, Ernst and Wehenkel 2006), scikit-learn's.

    Parameters and attributes as `RandomForestClassifier`; `max_features` is scikit-learn's own unless
    given ("for all methods except DiPriMe and ERT, we selected K = 5", DiPriMe v2, section 4).
    """

    _forest = ensemble.ExtraTreesClassifier

    def __init__(
        self,
        epsilon=math.inf,
        *,
        domain=None,
        classes=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=None,
        max_features=None,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            epsilon,
            domain=domain,
            classes=classes,
            neighbours=neighbours,
            n_estimators=n_estimators,
            max_depth=max_depth,
            max_features=max_features,
            accounting=accounting,
            random_state=random_state,
            n_jobs=n_jobs,
        )


class RandomForestRegressor(_Regressor):
    """The random forest for a regression, without privacy, scikit-learn's.

    Parameters and attributes as `RandomForestClassifier`, and `target_bounds` as
    `dplit.forests.MedianForestRegressor`: targets outside are clipped, as all methods see them.
    """

    _forest = ensemble.RandomForestRegressor

    def __init__(
        self,
        epsilon=math.inf,
        *,
        domain=None,
        target_bounds=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=None,
        max_features=5,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        self.epsilon = epsilon
        self.domain = domain
        self.target_bounds = target_bounds
        self.neighbours = neighbours
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_features = max_features
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs


class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely random trees for a regression, without privacy, scikit-learn's.

    Parameters and attributes as `RandomForestRegressor`; `max_features` as `ExtraTreesClassifier`.
    """

    _forest = ensemble.ExtraTreesRegressor

    def __init__(
        self,
        epsilon=math.inf,
        *,
        domain=None,
        target_bounds=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=None,
        max_features=None,
        accounting="proved",
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            epsilon,
            domain=domain,
            target_bounds=target_bounds,
            neighbours=neighbours,
            n_estimators=n_estimators,
            max_depth=max_depth,
            max_features=max_features,
            accounting=accounting,
            random_state=random_state,
            n_jobs=n_jobs,
        )
