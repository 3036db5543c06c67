"""Boosted forests: private, additive, and chosen test by test. This book's own.

Each round reads all records and adds one oblivious tree to the released model: a test for each
level, chosen by permute-and-flip among all columns and public cuts, and steps of the leaves from
noisy sums of residuals. Derived in :doc:`/book/boosting`.
"""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from dplit.forests.base import BaseForestClassifier, BaseForestRegressor, parameters
from dplit.forests.boosted_models import ClassModel, TargetModel
from dplit.forests.boosted_rounds import BaseBoostedForest


@parameters
class BoostedForestClassifier(BaseBoostedForest, BaseForestClassifier):
    r"""Private boosted trees for classes.

    The budget is that of one ``fit``. What is released are whole numbers with geometric noise, tests of
    public cuts, and what is computed from them. Secure noise is exact; simulated noise has NumPy's source
    of randomness, which is not made to withstand an adversary, and probabilities rounded to floats.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin.
    domain : Domain, optional
        What is public about the columns. Left out, the two values of a data frame's boolean columns
        are taken to be public; anything else is read off the data, with a `PrivacyLeakWarning`, and
        the budget is infinite.
    classes : sequence, optional
        The public class list, all strings or all numbers. Left out, the two values of a boolean `y`;
        of any other one the classes are read off the data, and the budget is infinite.
    neighbours : {"add-remove", "replace-one"}
        Which data sets `epsilon` holds for.
    n_estimators, max_depth : int, optional
        Rounds, and tests of a round's tree (at most 12). Left out, `dplit.boosting.plan` says them; with a
        `max_depth` the leaves are those of its tests alone.
    n_records : int, optional
        A public number of records to plan for, a guess that had better be low. Left out, a hundredth of
        epsilon buys a noisy number; replace-one neighbours have as many records as the data, if a person has one.
    delta : float
        0, or the delta of (epsilon, delta)-privacy, below 1. Above 0 the fit pays by zero-concentrated
        privacy if that has less noise, as many rounds have; else `budget_` says that its delta is 0.
    records_per_person : int
        How many records one person may have; a record gets so much less of `epsilon`.
    accounting : {"proved", "published"}
        Nothing else than what is proved has been published of this forest: both are the same.
    noise : {None, "secure", "simulation"}
        "secure" draws exact noise from the operating system's randomness; "simulation" rounded noise by
        NumPy's generators, which a `random_state` needs. None takes the first where no `random_state` is
        given and all that is released has an exact sampler, else the second (`dplit.forests.noise`).
    random_state : None, int, Generator, RandomState or SeedSequence
        As of all forests (`dplit.forests.randomness`): no part of this one is random without noise.
    n_jobs : int, optional
        Threads of predictions.

    Attributes
    ----------
    budget_ : Budget
        The privacy statement, as a proof tree.
    noise_ : {"secure", "simulation"}
        What was drawn; the budget says what that leaves open.
    plan_ : dplit.boosting.Plan
        What the fit decided by public or released numbers.
    directions_ : list of (int, int, float)
        Differences of two columns that are tested like columns (`dplit.boosting.directions`); of classes none.
    tested_ : Domain
        The columns and the directions.
    classes_ : array, shape (n_classes,)
        Sorted.
    initial_ : float64 array, shape (1,) or (n_classes,)
        Released log-odds of the second class, or log-probabilities.
    leaf_values_ : float64 array, shape (n_leaves,) or (n_leaves, n_classes)
        What each leaf of the forest adds to them.
    pair_sums_ : float64 array, shape (rounds, 2, n_leaves of a tree, 1 or n_classes)
        Released sums of the positive and of the negative parts of the residuals, in records.
    trees_, domain_, n_features_in_, feature_names_in_, n_classes_
        As of all forests.

    Examples
    --------
    >>> from dplit import datasets
    >>> from dplit.forests import BoostedForestClassifier
    >>> data = datasets.load("wdbc")
    >>> schema = {"domain": data.domain, "classes": data.classes}
    >>> forest = BoostedForestClassifier(1.0, **schema, n_records=500, random_state=0)
    >>> round(forest.fit(data.X, data.y).budget_.epsilon, 12)
    1.0
    """

    def fit(self, X, y):
        """Grow the trees, round by round.

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
            names it. Columns of numbers must be finite.
        TypeError
            If `X` is sparse, or one of `X` and `y` is Dask's and the other is not.
        """
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        return self._fit_encoded(records, domain, domain_node, *self._read_classes(y))

    def _fit_encoded(self, records, domain, domain_node, codes, classes, class_node):
        """Grow the trees on what was read."""
        model = ClassModel(len(classes))
        trees, values, spent = self._boost(domain, records, codes, model, len(classes))
        ranks = self._store_classes(classes)
        if len(classes) == 2:
            sign = 1.0 if ranks[1] else -1.0  # of the class that is second when sorted
            self.initial_, self.leaf_values_ = sign * model.initial, sign * values.ravel()
            self.pair_sums_ = self.pair_sums_[:, :: int(sign)]
        else:
            order = np.argsort(ranks)
            self.initial_ = model.initial[order]
            self.leaf_values_ = values.reshape(-1, len(classes))[:, order]
            self.pair_sums_ = self.pair_sums_[..., order]
        return self._store(domain, trees, domain_node, class_node, spent)

    def decision_function(self, X):
        """Scores of the classes.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        float64 array, shape (n_records,) for two classes, log-odds of the second; else (n_records, n_classes)
        """
        scores = self._scores(X)
        return scores[:, 0] if self.n_classes_ == 2 else scores

    def predict_proba(self, X):
        """Probabilities of the released model, a logistic one.

        On the sets for choosing rules (`dplit.boosting.sets`) they lie on the cautious side: the likeliest
        class is right 1 to 2 percentage points more often than they say at epsilon 0.5 to 4, 5 at 0.1, on
        average over 14 sets, since steps are shrunk.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        float64 array, shape (n_records, n_classes), in the order of `classes_`
        """
        scores = self._scores(X)
        if self.n_classes_ == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores, axis=1)

    def predict(self, X):
        """Class of the highest score; of several, the first in `classes_`.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        array of classes, shape (n_records,)
        """
        scores = self._scores(X)
        best = scores[:, 0] > 0 if self.n_classes_ == 2 else scores.argmax(axis=1)
        return self.classes_[best.astype(np.intp)]


@parameters
class BoostedForestRegressor(BaseBoostedForest, BaseForestRegressor):
    r"""Private boosted trees for a number in a public interval.

    Parameters and attributes are those of `BoostedForestClassifier`, but for what follows; the steps are in
    the units of the targets.

    Parameters
    ----------
    target_bounds : (float, float), optional
        Public bounds of the targets, which are clipped to them. Left out, they are read off `y`,
        with a `PrivacyLeakWarning`, and the budget is infinite.
    epsilon, delta, domain, neighbours, n_estimators, max_depth, n_records, records_per_person
        As of `BoostedForestClassifier`, as are `accounting`, `noise`, `random_state` and `n_jobs`.

    Attributes
    ----------
    initial_ : float64 array, shape (1,)
        Released mean.
    leaf_values_ : float64 array, shape (n_leaves,)
    target_bounds_ : (float, float)
    """

    def fit(self, X, y):
        """Grow the trees, round by round.

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
        records, y, domain, domain_node = self._read_fit(X, y)
        return self._fit_encoded(records, domain, domain_node, *self._read_targets(y))

    def _fit_encoded(self, records, domain, domain_node, shares, bounds, target_node):
        """Grow the trees on what was read."""
        model = TargetModel()
        trees, values, spent = self._boost(domain, records, shares, model, 0)
        self.target_bounds_, width = bounds, bounds[1] - bounds[0]
        self.initial_ = bounds[0] + width * model.initial
        self.leaf_values_ = width * values.ravel()
        return self._store(domain, trees, domain_node, target_node, spent)

    def predict(self, X):
        """Released mean and steps, clipped to the public interval.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n_records, n_features)

        Returns
        -------
        float64 array, shape (n_records,), in the units of the targets
        """
        return np.clip(self._scores(X)[:, 0], *self.target_bounds_)
