"""What boosted forests of classes and of targets share: the rounds, and the scores of the released model.

A round's tests are drawn one after the other, for all nodes of a level (`dplit.trees.oblivious`); what draws
them and the sums of the leaves is the fit's account (`dplit.forests.boosted_accounts`).
"""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dplit.boosting import leaf_steps, plan
from dplit.budget import Sequence, check_delta
from dplit.domain.lazy import encoded_columns
from dplit.forests.base import BaseForest, parameters
from dplit.forests.boosted_accounts import account
from dplit.forests.boosted_models import possible_directions, tested
from dplit.forests.boosted_parts import (
    divided,
    divided_to_bins,
    encoded,
    level_sums,
    summed,
    with_directions,
)
from dplit.forests.boosted_releases import size
from dplit.forests.export import export_text
from dplit.forests.parts import in_parts
from dplit.forests.releases import leaves
from dplit.ground.errors import check_integer
from dplit.mechanisms.secure import is_secure

DEEPEST = 12
STEPS_OF_A_COLUMN = 64
ALL_READ = "each reads all records"
MOST = 2.0**52  # of what is taken off a score: all stay whole numbers


@parameters
class BaseBoostedForest(BaseForest):
    """Base of the boosted forests."""

    n_estimators: int | None = None
    max_depth: int | None = None
    n_records: int | None = None
    delta: float = 0.0
    _in_parts = True
    _encoded = staticmethod(encoded_columns)  # a record's codes are kept, an eighth of its numbers

    def _inexact(self):
        return None

    def _n_trees(self):
        return 1 if self.n_estimators is None else super()._n_trees()

    def _check(self):
        check_delta(self.delta)
        super()._check()
        if self.max_depth is not None and check_integer(self.max_depth, "max_depth", 0) > DEEPEST:
            raise ValueError(f"max_depth must be at most {DEEPEST}, got {self.max_depth!r}")

    def _boost(self, domain, records, labels, model, n_classes):
        """Run the rounds on `model`; returns the trees, their values, and the node of what they spend."""
        from dplit.trees.oblivious import Grid  # compiled: slow to import

        rng, epsilon = self._generator(), self._record_epsilon()
        each = epsilon / (2 if self.neighbours == "replace-one" else 1)
        n_records = None
        if self.n_records is None:
            n_records = len(records)  # of Dask, a pass over the data
        relation = "replace-one" if self._keeps_n() else "add-remove"
        n, spent, size_node = size(n_records, self.n_records, each, relation, rng)
        pays = account(epsilon, float(self.delta), n, self.neighbours, self.records_per_person,
                       self.n_estimators)  # fmt: skip
        planned = plan(n, pays.plan_epsilon, n_classes, self.n_estimators, self.max_depth)
        self.directions_ = possible_directions(domain, n, planned.directions)
        self.tested_ = tested(domain, self.directions_)
        grid = Grid(self.tested_, STEPS_OF_A_COLUMN)
        if not grid.has_tests:
            planned = planned._replace(depth=0, fine=0, later=0)
        prior, shares = pays.shares(spent, planned, n_classes)
        parts = in_parts(records, labels, encoded, grid, domain, self.directions_)
        nodes = [size_node, model.start(parts, prior, rng)]
        done = [
            self._round(grid, parts, model, t, shares[t], planned.of(t), pays, rng)
            for t in range(planned.rounds)
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
        depth, tests, nodes = planned.depth, [], ()
        for d in range(depth):
            parts.advance(summed, 2**d)
            masses, pick = grid.masses(parts.total(level_sums), rng)
            if self.directions_:  # together they have the odds of one column
                own = grid.ends[-1 - len(self.directions_)]
                less = reach.mass * math.log(len(self.directions_)) / pays.rate(share)
                if is_secure(rng):  # scores stay whole
                    less = min(np.rint(less), MOST)
                masses[own:] -= less
            place, node = pays.choose(masses, share, reach.mass, rng)
            tests.append(pick(place))
            if planned.kept:
                parts.advance(divided, tests[-1])
        if depth:
            nodes = (Sequence("levels", (node,), "every level reads all records", depth),)
        if planned.fine:
            bins, finer = grid.fine(tests[0].column, planned.fine)
            parts.advance(divided_to_bins, tests[0].column, bins, planned.fine)
            tests = tests[: planned.kept] + finer
        return tests, nodes

    def _read(self, X):
        """As of all forests, with the directions as further columns."""
        return with_directions(super()._read(X), self.domain_, self.directions_)

    def _scores(self, X):
        """The released model at each record, shape (n_records, n_outputs)."""
        from dplit.trees.oblivious import add_steps

        check_is_fitted(self, "budget_")
        leaves = self.apply(X)
        values = self.leaf_values_.reshape(self.trees_.n_trees, -1, len(self.initial_))
        return self.initial_ + add_steps(leaves, values)

    @property
    def feature_importances_(self):
        """What each column's tests gain by the released model, summing to 1.

        A test parts each cell into two leaves or more: summed over all pairs of leaves that differ by
        the test alone, squared difference of their steps times half the harmonic mean of their released
        curvatures. Zeros where no test makes a difference.
        """
        check_is_fitted(self, "budget_")
        trees, found = self.trees_, np.zeros(self.n_features_in_)
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

    def export_text(self):
        """The released model in words: its start, and each round's tree with what its leaves add; str."""
        check_is_fitted(self, "budget_")
        parts = [f"start {' '.join(f'{value:.3f}' for value in self.initial_)}"]
        for t in range(self.trees_.n_trees):
            parts += [f"round {t + 1}", export_text(self, t)]
        return "\n".join(parts)
