r"""DP-RF: a forest of greedy private trees (Patil and Singh 2014), and its regression analogue.

What is known here of it is what DiPriMe says. It is built upon the tree of Friedman and Schuster
(2010), which noises "the node counts using the Laplace mechanism" and selects a split by "the
exponential mechanism with entropy as the score"; it "builds multiple private trees using
bootstrapped samples", "until they reach a specified maximum depth or the node is pure" (v1, section
2.2), and "considers multiple splitting metrics", with "one child node per category of the selected
attribute" (v2, section 3.3). DiPriMe runs it on 5 bins of each numeric column and K = 5 candidate
columns; its regression analogue scores splits "by mean squared error and means are stored instead of
class counts" (v2, section 4). How it is read here, with d for `max_depth`:

- Each tree has :math:`e = \epsilon/N_T` and a bootstrap sample of all records, which may hold a record
  many times: `dplit.budget.Bootstrap` says what that costs.
- Classification: noisy class counts, a choice or a label each get :math:`e/(2(d+1))`, so that a path
  of d inner nodes and a leaf fits into e. Whether a node is pure is read off the noisy counts: at
  most one of them is above 0. Asking the true counts would have no finite epsilon.
- The score's noise is for its sensitivity as if scores could move apart, rate
  :math:`\epsilon'/(2\Delta)`; with :math:`\Delta = \log_2(n + 1) + 1/\ln 2` for the entropy, n the
  number of records, 2 for the Gini index and 1 for the majority. An added record makes no score
  better, so the choice really costs half its share under add-remove; but there the n of the entropy
  is private, and what its noise tells about it comes on top (`entropy_drift`).
- Regression: half of e goes to the choices and half to the leaves, as in DiPriMe (``rho``), at rate
  :math:`\epsilon' N/(8 B^2)` for the mean squared error, and the leaf's noise is scaled by its count.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from dplit.baselines import _kary as kary
from dplit.baselines import _shared as shared
from dplit.budget import Bootstrap, Parallel, Sequence, Spend
from dplit.errors import check_choice
from dplit.forests.base import PrivateForestClassifier, PrivateForestRegressor
from dplit.forests.releases import proved_means, published_means
from dplit.trees.kary import ENTROPY, MAJORITY, SQUARES

CRITERIA = {"entropy": ENTROPY, "gini": SQUARES, "majority": MAJORITY}
# The most that a record adds to a cost (the supremum, for the Gini index); it takes nothing off.
REACH = {"gini": 2.0, "majority": 1.0}


def entropy_reach(n_records):
    r"""The most that a record adds to the entropy of so many, times their number.

    .. math:: \log_2(n + 1) + n \log_2(1 + 1/n) < \log_2(n + 1) + 1/\ln 2

    Friedman and Schuster's sensitivity of the information gain, the right side. It is that of any
    number of records if none counts more than :math:`b = \log_2(n + 1)` bits
    (`dplit.trees.kary.cost`). Of N records in a child let c be of the class of one more. The bits of
    the others grow by :math:`\log_2(1 + 1/N)` at most, together by :math:`1/\ln 2`; those of the class
    do not grow, so that :math:`c + 1` of them count at most b more than c did. And nothing is taken off:
    :math:`c \log_2(N/c)` does not fall when c and N grow by one, since its derivative is
    :math:`(u - 1 - \ln u)/\ln 2 \ge 0` at :math:`u = c/N`; where the cap held before, the class counted
    cb, which is no more than that, and where it still holds it counts :math:`(c + 1) b`.
    """
    return math.log2(n_records + 1) + 1 / math.log(2)


@cache
def entropy_drift():
    r"""What the private number of records in the entropy's noise tells, a level, class bit and unit.

    One record more moves the rate of every choice, from :math:`\epsilon'/(2\Delta_N)` to
    :math:`\epsilon'/(2\Delta_{N+1})`. The entropies of the nodes of a level differ between two columns
    by at most :math:`N \log_2 C` together, C classes: all choices of a level lose at most
    :math:`\epsilon'/2 \cdot \log_2 C` times

    .. math:: \sup_N N (1/\Delta_N - 1/\Delta_{N+1}), \quad \Delta_N = \log_2(N + 1) + 1/\ln 2

    Beyond N it is below :math:`1/(\ln 2\,\Delta_N\Delta_{N+1})`, which from 10 on is less than the
    supremum, 0.0796 at 2.
    """
    reach = [entropy_reach(n) for n in range(12)]
    return max(n * (1 / reach[n] - 1 / reach[n + 1]) for n in range(11))


class _RandomForest(kary.KaryBaseline):
    """What the two forests share."""

    def _samples(self, n_records, rng):
        """Positions of the records of each tree: as published, drawn with replacement."""
        if self._resamples():
            return [rng.integers(n_records, size=n_records) for _ in range(self.n_estimators)]
        return self._parts(n_records, rng)

    def _resamples(self):
        return not self._is_proved() and not self._is_partitioned()

    def _budget(self, schema, depth, node, leaf, *drift):
        """The proof tree; `node` is what an inner node spends, `drift` what changes with every record."""
        parts = [Parallel("leaves", (leaf,), "a record reaches one leaf")]
        if depth:
            nodes = Parallel("nodes", (node,), "a record reaches one")
            parts.insert(0, Sequence("levels", (nodes,), "every level reads all records", depth))
        tree = Sequence("a tree", tuple(parts))
        if self._resamples():
            tree = Bootstrap("a tree", tree, "its sample may hold a record many times")
        return self._account(schema, tree, *drift)


class DPRandomForestClassifier(PrivateForestClassifier, _RandomForest):
    """DP-RF: greedy trees with a child for each level, whose leaves release a class.

    Parameters
    ----------
    epsilon, domain, classes, neighbours, n_estimators, max_depth, random_state
        As `DPExtraTreesClassifier`. A path also ends when its columns are used up.
    max_features : int or None
        Columns that compete at a node, DiPriMe's K, drawn anew at each node; None for all.
    bins : int
        Equally wide bins of the public interval of a continuous column.
    rho : float
        Share of the budget that goes to the choices, proved accounting only.
    criterion : {"gini", "entropy", "majority"} or None
        What a column is scored by. None: "gini" if proved, "entropy" as published. The entropy's
        sensitivity grows with the number of records, which add-remove neighbours keep secret: it
        needs ``accounting="published"``, where the budget says what that costs.
    partitioned : bool or None
        Whether each record is used in one tree only; None: True if proved, False as published.
    accounting : {"proved", "published"}
        "proved": each record in one tree, choices at the sharp rate, classes by permute-and-flip, no
        test of purity; it spends `epsilon`. "published": bootstrap samples (or equal parts, if
        `partitioned`) and the published budget; the budget shows what that costs.
    n_jobs : int, optional
        Threads; the forest is the same for any number.

    Attributes
    ----------
    budget_, domain_, classes_, leaf_labels_
        As `dplit.forests.MedianForestClassifier`.
    trees_ : dplit.trees.Trees
        Its thresholds are all NaN: it tests levels, and bins of continuous columns.
    """

    def __init__(
        self,
        epsilon=1.0,
        *,
        domain=None,
        classes=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=4,
        max_features=5,
        bins=5,
        rho=0.5,
        criterion=None,
        partitioned=None,
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
        self.bins = bins
        self.rho = rho
        self.criterion = criterion
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Grow the trees, and release a class for each of their leaves.

        Parameters, errors and return value as `dplit.forests.MedianForestClassifier.fit`.
        """
        epsilon = self._tree_epsilon()
        self._check_kary()
        criterion = self._criterion()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)

        rng = self._generator()
        binned, depth = self._binned(domain, records)
        plan = self._proved if self._is_proved() else self._published
        choice, leaf_epsilon, node = plan(epsilon, depth, criterion, len(records))
        parts = self._samples(len(records), rng)
        forest, counts = self._grown(
            binned, codes.astype(np.float64), len(classes), parts, depth, choice, rng
        )
        counts = counts[:, : len(classes)]
        if self._is_proved():
            labels = shared.proved_labels(counts, leaf_epsilon, rng)
            leaf = shared.proved_label_spend(leaf_epsilon)
        else:
            labels = shared.largest(shared.noisy_counts(counts, leaf_epsilon, rng), rng)
            leaf = shared.counts_spend(leaf_epsilon)

        self.domain_, self.bins_, self.trees_ = domain, self.bins, forest
        self._store_labels(labels, classes)
        drift = self._drift(choice, node, depth, len(classes))
        self.budget_ = self._budget((domain_node, class_node), depth, node, leaf, *drift)
        return self

    def _criterion(self):
        """The checked criterion."""
        if self.criterion is None:
            return "gini" if self._is_proved() else "entropy"
        check_choice(self.criterion, tuple(CRITERIA), "criterion")
        if self.criterion == "entropy" and self._is_proved():
            raise ValueError(
                "criterion must be 'gini' or 'majority' unless accounting='published', "
                "got 'entropy': its sensitivity is not bounded"
            )
        return self.criterion

    def _proved(self, epsilon, depth, criterion, n_records):
        """The choice, what a leaf gets, and what an inner node spends."""
        level, leaf = kary.level_shares(epsilon, depth, kary.check_rho(self.rho))
        rate, note = level / REACH[criterion], f"exponential mechanism, {criterion}"
        node = Spend("choice of a column", rate * REACH[criterion], note)
        return kary.Choice(CRITERIA[criterion], rate), leaf, node

    def _published(self, epsilon, depth, criterion, n_records):
        """The same, as published."""
        share = epsilon / (2 * (depth + 1))
        reach = entropy_reach(n_records) if criterion == "entropy" else REACH[criterion]
        rate = share / (2 * reach)
        note = f"exponential mechanism, {criterion}, rate for scores that move apart"
        spend = Spend("choice of a column", share / 2, note)  # rate * reach rounds by n
        test = Spend(
            "class counts of a node", share, "Laplace noise of scale 1/epsilon: is it pure?"
        )
        node = Sequence("counts and column", (test, spend), "of the same records")
        return kary.Choice(CRITERIA[criterion], rate, 1 / share), share, node

    def _drift(self, choice, node, depth, n_classes):
        """What the number of records tells that scales the entropy's noise; replacements keep it."""
        if choice.score != ENTROPY or self.neighbours == "replace-one" or depth == 0:
            return ()
        copies = 1 if self._is_partitioned() else self.n_estimators
        return (drift_of_scale(node.parts[-1].epsilon, depth, n_classes, copies),)


def drift_of_scale(spend, depth, n_classes, copies, mechanisms=1):
    """Budget of `entropy_drift`: `mechanisms` of `spend` each in every node of `depth` levels."""
    bits = mechanisms * math.log2(n_classes)
    note = "its noise is scaled by the private number of records, in all nodes at once"
    drift = Spend("choices of a level", spend * bits * entropy_drift(), note)
    levels = Sequence("levels", (drift,), "every level reads all records", depth)
    return Sequence("scale of the choices", (levels,), "on top of their records'", copies)


class DPRandomForestRegressor(PrivateForestRegressor, _RandomForest):
    """DP-RF for a regression: splits scored by squared error, and leaves that release a mean.

    Parameters and attributes as `DPRandomForestClassifier` without `criterion`, and:

    Parameters
    ----------
    target_bounds : (float, float), optional
        Public bounds of the targets, as in `dplit.forests.MedianForestRegressor`.
    rho : float
        Share of the budget that goes to the choices.
    accounting : {"proved", "published"}
        "proved" releases a leaf's mean by `BoundedMean`; "published" adds noise scaled by the
        leaf's private count, which has no finite epsilon, and does not clip.

    Attributes
    ----------
    leaf_values_ : float64 array, shape (n_leaves,)
        Released mean of each leaf of the forest, in the units of the targets.
    """

    def __init__(
        self,
        epsilon=1.0,
        *,
        domain=None,
        target_bounds=None,
        neighbours="add-remove",
        n_estimators=10,
        max_depth=4,
        max_features=5,
        bins=5,
        rho=0.5,
        partitioned=None,
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
        self.bins = bins
        self.rho = rho
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Grow the trees, and release a mean for each of their leaves.

        Parameters, errors and return value as `dplit.forests.MedianForestRegressor.fit`.
        """
        epsilon = self._tree_epsilon()
        self._check_kary()
        rho = kary.check_rho(self.rho)
        records, y, domain, domain_node = self._read_fit(X, y)
        targets, bounds, target_node = self._read_targets(y)
        width, farthest = bounds[1] - bounds[0], max(map(abs, bounds))

        rng = self._generator()
        binned, depth = self._binned(domain, records)
        level, leaf_epsilon = kary.level_shares(epsilon, depth, rho)
        # Targets are shares of their interval: a record adds at most 1 to their squared deviations.
        rate = level if self._is_proved() else level * width**2 / (8 * farthest**2)
        parts = self._samples(len(records), rng)
        choice = kary.Choice(SQUARES, rate)
        forest, stats = self._grown(binned, targets, 0, parts, depth, choice, rng)
        if self._is_proved():
            values = proved_means(stats, leaf_epsilon, rng)
            leaf = shared.proved_mean_spend(leaf_epsilon)
        else:
            values = published_means(stats, leaf_epsilon, rng)
            leaf = shared.published_mean_leak()

        self.domain_, self.bins_, self.trees_ = domain, self.bins, forest
        self.target_bounds_ = bounds
        self.leaf_values_ = bounds[0] + width * values
        node = Spend("choice of a column", rate, "exponential mechanism on the squared deviations")
        self.budget_ = self._budget((domain_node, target_node), depth, node, leaf)
        return self
