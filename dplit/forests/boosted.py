"""Boosted forests: private, additive, and chosen test by test. Derived in :doc:`/book/boosting`."""

import math
from itertools import groupby
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from dplit.boosting import leaf_steps, plan
from dplit.budget import Sequence, check_delta
from dplit.domain.schema import encoded_columns
from dplit.forests import blocks_boosted
from dplit.forests.base import BaseForest, BaseForestClassifier, BaseForestRegressor, parameters
from dplit.forests.blocks import in_parts
from dplit.forests.boosted_releases import account, size
from dplit.forests.releases import leaves
from dplit.ground.errors import check_integer
from dplit.mechanisms.secure import is_secure

DEEPEST = 12
STEPS_OF_A_COLUMN = 64
ALL_READ = "each reads all records"
MOST = 2.0**52  # of what is taken off a score: all stay whole numbers


@parameters
class PlannedForest(BaseForest):
    """Base of the boosted forests and of the presets: parameters that a plan has a say in."""

    n_estimators: int | None = None
    max_depth: int | None = None
    n_records: int | None = None
    delta: float = 0.0
    _in_parts = True
    _is_exact = True
    _encoded = staticmethod(encoded_columns)  # a record's codes are kept, an eighth of its numbers

    def _n_trees(self):
        return 1 if self.n_estimators is None else super()._n_trees()

    def _check(self):
        check_delta(self.delta)
        super()._check()
        if self.max_depth is not None and check_integer(self.max_depth, "max_depth", 0) > DEEPEST:
            raise ValueError(f"max_depth must be at most {DEEPEST}, got {self.max_depth!r}")


@parameters
class BaseBoostedForest(PlannedForest):
    """Base of the boosted forests."""

    def _boost(self, domain, records, labels, model, n_classes):
        """Run the rounds on `model`; returns the trees, their values, and the node of what they spend."""
        from dplit.trees.oblivious import Grid  # compiled: slow to import

        rng, epsilon = self._generator(), self._record_epsilon()
        each = epsilon / (2 if self.neighbours == "replace-one" else 1)
        n_records = len(records) if self.n_records is None else None  # of Dask, a pass over the data
        relation = "replace-one" if self._keeps_n() else "add-remove"
        n, size_node = size(n_records, self.n_records, each, relation, rng)
        people = self.neighbours, self.records_per_person
        pays = account(epsilon, float(self.delta), n, n_classes, *people, self.n_estimators)
        planned = plan(n, pays.plan_epsilon, n_classes, self.n_estimators, self.max_depth)
        self.directions_ = blocks_boosted.possible_directions(domain, n, planned.directions)
        self.tested_ = blocks_boosted.tested(domain, self.directions_)
        grid = Grid(self.tested_, STEPS_OF_A_COLUMN)
        if not grid.has_tests:
            planned = planned._replace(depth=0, fine=0, later=0)
        prior, shares = pays.shares(size_node, planned, n_classes)
        parts = in_parts(records, labels, blocks_boosted.encoded, grid, domain, self.directions_)
        nodes = [size_node, model.start(parts, prior, n, rng)]
        done = [
            self._round(grid, parts, model, t, shares[t], planned.of(t), pays, rng) for t in range(planned.rounds)
        ]
        grown, pairs, values, costs = zip(*done)
        alike = [(node, len(list(same))) for node, same in groupby(costs)]
        nodes += [Sequence("rounds", (node,), ALL_READ, times) for node, times in alike]
        self.plan_, self.pair_sums_ = planned, np.array(pairs)
        trees = grid.trees(grown, planned.kept + planned.fine)
        return trees, np.array(values), pays.closed(nodes, self.neighbours)

    def _round(self, grid, parts, model, t, shares, planned, pays, rng):
        """Grow one tree and add it to the model: its tests, pair sums and steps, and its node."""
        share, leaf = shares
        deepest = planned.kept + planned.fine
        reach = model.open(parts, t, max(planned.depth, deepest))
        tests, nodes = self._tests(grid, parts, reach, share, planned, pays, rng)
        pairs, noise, node = model.release(parts, t, reach, 2**deepest, leaf, pays, rng)
        steps = model.unit * leaf_steps(planned, *model.gradients(pairs), noise, model.spread)
        model.close(parts, steps)
        return tests, pairs, steps, Sequence("a round", (*nodes, leaves(node)))

    def _tests(self, grid, parts, reach, share, planned, pays, rng):
        """Choose the round's tests one after the other, and part the records by them; tests and nodes."""
        depth, kept, tests, nodes = planned.depth, planned.kept, [], ()
        for d in range(depth):
            parts.advance(blocks_boosted.summed, 2**d)
            masses, pick = grid.masses(parts.total(blocks_boosted.level_sums), rng)
            if self.directions_:  # together they have the odds of one column
                own = grid.ends[-1 - len(self.directions_)]
                less = reach.mass * math.log(len(self.directions_)) / pays.rate(share)
                if is_secure(rng):  # scores stay whole
                    less = min(np.rint(less), MOST)
                masses[own:] -= less
            place, node = pays.choose(masses, share, reach.mass, rng)
            tests.append(pick(place))
            if kept:
                parts.advance(blocks_boosted.divided, tests[-1])
        if depth:
            nodes = (Sequence("levels", (node,), "every level reads all records", depth),)
        if planned.fine:
            bins, finer = grid.fine(tests[0].column, planned.fine)
            parts.advance(blocks_boosted.divided_to_bins, tests[0].column, bins, planned.fine)
            tests = tests[:kept] + finer
        return tests, nodes

    def _read(self, X):
        """As of all forests, with the directions as further columns."""
        return blocks_boosted.with_directions(super()._read(X), self.domain_, self.directions_)

    def _scores(self, X):
        """The released model at each record, shape (n_records, n_outputs)."""
        from dplit.trees.oblivious import add_steps

        check_is_fitted(self, "budget_")
        leaves = self.apply(X)
        values = self.leaf_values_.reshape(self.trees_.n_trees, -1, len(self.initial_))
        return self.initial_ + add_steps(leaves, values)

    @property
    def feature_importances_(self) -> np.ndarray:
        """What each column's tests gain by the released model, summing to 1.

        A test parts each cell into two leaves or more: summed over all pairs of leaves that differ by
        the test alone, squared difference of their steps times half the harmonic mean of their released
        curvatures. Zeros where no test makes a difference.
        """
        check_is_fitted(self, "budget_")
        trees, found = self.trees_, np.zeros(len(self.domain_))
        shape = (trees.n_trees, *[2] * trees.depth, -1)
        values = self.leaf_values_.reshape(shape)
        curvatures = np.maximum(self.pair_sums_.sum(axis=1), 0.0).reshape(shape) / 2
        first = 0
        for level in range(trees.depth):
            apart = np.diff(values, axis=level + 1)
            left, right = (curvatures.take([side], axis=level + 1) for side in (0, 1))
            weights = left * right / np.maximum(left + right, 1e-300)
            gains = (weights * np.square(apart)).reshape(trees.n_trees, -1).sum(axis=1)
            tests = trees.feature[first : first + len(gains) * 2**level : 2**level]
            for column, gain in zip(tests.tolist(), gains.tolist()):
                of = [column] if column < len(found) else self.directions_[column - len(found)][:2]
                found[list(of)] += gain / len(of)
            first += len(gains) * 2**level
        return found / (found.sum() or 1.0)


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
    domain, classes, neighbours, n_records, delta
        As of `dplit.PrivateForestClassifier`.
    n_estimators, max_depth : int, optional
        Rounds, and tests of a round's tree (at most 12). Left out, `dplit.boosting.plan` says them; with a
        `max_depth` the leaves are those of its tests alone.
    records_per_person, noise, random_state, n_jobs
        As of `dplit.PrivateForestClassifier`; no part of this one is random without noise.
    accounting : {"proved", "published"}
        Nothing else than what is proved has been published of this forest: both are the same.

    Attributes
    ----------
    budget_, classes_, noise_, domain_, trees_, n_features_in_, feature_names_in_, n_classes_
        As of `RandomDecisionForestClassifier`.
    plan_ : dplit.boosting.Plan
        What the fit decided by public or released numbers.
    directions_ : list of (int, int, float)
        Differences of two columns that are tested like columns (`dplit.boosting.directions`); of classes none.
    tested_ : Domain
        The columns and the directions.
    initial_ : float64 array, shape (1,) or (n_classes,)
        Released log-odds of the second class, or log-probabilities.
    leaf_values_ : float64 array, shape (n_leaves,) or (n_leaves, n_classes)
        What each leaf of the forest adds to them.
    pair_sums_ : float64 array, shape (rounds, 2, n_leaves of a tree, 1 or n_classes)
        Released sums of the positive and of the negative parts of the residuals, in records; of the
        `dplit.boosting.counted` rounds computed from class counts.

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

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, round by round. See `BaseForest.fit`; `X` and `y` may be Dask's."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        return self._fit_encoded(records, domain, domain_node, *self._read_classes(y))

    def _fit_encoded(self, records, domain, domain_node, codes, classes, class_node):
        model = blocks_boosted.ClassModel(len(classes))
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

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes.

        Returns a float64 array: log-odds of the second of two classes, shape (n_records,), or scores of shape
        (n_records, n_classes).
        """
        scores = self._scores(X)
        return scores[:, 0] if self.n_classes_ == 2 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the released model, a logistic one.

        On the sets for choosing rules (`dplit.boosting.sets`) the likeliest of two classes is right 1 to 3
        percentage points more often than they say at epsilon 0.5 to 4, on average, since steps are shrunk; the
        likeliest of more is right 2 to 3 points less often, since residuals are clipped.

        Returns a float64 array, shape (n_records, n_classes), in the order of `classes_`.
        """
        scores = self._scores(X)
        if self.n_classes_ == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return softmax(scores, axis=1)

    def predict(self, X: Any) -> np.ndarray:
        """Class of the highest score; of several, the first in `classes_`.

        Returns an array of classes, shape (n_records,).
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
    target_bounds, target_scale
        As of `dplit.PrivateForestRegressor`; start and steps of a log scale are those of logarithms.
    epsilon, delta, domain, neighbours, n_estimators, max_depth, n_records, records_per_person
        As of `BoostedForestClassifier`, as are `accounting`, `noise`, `random_state` and `n_jobs`.

    Attributes
    ----------
    initial_ : float64 array, shape (1,)
        Centre of the targets, from their noisy counts.
    leaf_values_ : float64 array, shape (n_leaves,)
    target_bounds_, target_scale_ : (float, float), str
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, round by round. See `BaseForest.fit`; `X` and `y` may be Dask's."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        return self._fit_encoded(records, domain, domain_node, *self._read_targets(y))

    def _fit_encoded(self, records, domain, domain_node, shares, bounds, target_node):
        model = blocks_boosted.TargetModel()
        trees, values, spent = self._boost(domain, records, shares, model, 0)
        lower, upper = self._store_bounds(bounds)
        self.initial_ = lower + (upper - lower) * model.initial
        self.leaf_values_ = (upper - lower) * values.ravel()
        return self._store(domain, trees, domain_node, target_node, spent)

    def predict(self, X: Any) -> np.ndarray:
        """Released centre and steps, clipped to the public interval.

        Returns a float64 array, shape (n_records,), in the units of the targets.
        """
        return np.clip(self._in_units(self._scores(X)[:, 0]), *self.target_bounds_)
