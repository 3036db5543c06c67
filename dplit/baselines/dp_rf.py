r"""DP-RF: a forest of greedy private trees (Patil and Singh 2014), and its regression analogue.

As DiPriMe describes it (v1, section 2.2; v2, sections 3.3 and 4): bootstrap samples, on a path equal shares
for the counts that tell whether a node is pure, each choice and the leaf, and the entropy as score, with
:math:`\Delta = \log_2(n + 1) + 1/\ln 2`, whose n is private: `entropy_drift` says what that costs.
"""

import math
from functools import cache

from dplit.baselines._shared import Choice, LevelsBaseline
from dplit.budget import Group, Sequence, Spend
from dplit.forests.base import BaseForestClassifier, BaseForestRegressor, parameters
from dplit.forests.partition import REPLACED, Resampled, level_shares
from dplit.forests.releases import grown_tree
from dplit.ground.errors import check_choice
from dplit.trees.rules import ENTROPY, MAJORITY, SQUARES

CRITERIA = {"entropy": ENTROPY, "gini": SQUARES, "majority": MAJORITY}
# The most that a record adds to a cost (the supremum, for the Gini index); it takes nothing off.
REACH = {"gini": 2.0, "majority": 1.0}


def entropy_reach(n_records: int) -> float:
    r"""The most that a record adds to the entropy of so many, times their number.

    .. math:: \log_2(n + 1) + n \log_2(1 + 1/n) < \log_2(n + 1) + 1/\ln 2

    Friedman and Schuster's sensitivity of the information gain, the right side. It is that of any number of
    records if none counts more than :math:`b = \log_2(n + 1)` bits (`dplit.trees.greedy_levels.cost`). Of N
    records in a child let c be of the class of one more. The bits of the others grow by :math:`\log_2(1 + 1/N)` at
    most, together by :math:`1/\ln 2`; those of the class do not grow, so that :math:`c + 1` of them count at most
    b more than c did. And nothing is taken off: :math:`c \log_2(N/c)` does not fall when c and N grow by one,
    since its derivative is :math:`(u - 1 - \ln u)/\ln 2 \ge 0` at :math:`u = c/N`; where the cap held before, the
    class counted cb, which is no more than that, and where it still holds it counts :math:`(c + 1) b`.
    """
    return math.log2(n_records + 1) + 1 / math.log(2)


@cache
def entropy_drift() -> float:
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


@parameters
class _RandomForest(LevelsBaseline):
    def _way(self):
        """As published the trees of all records read bootstrap samples of them."""
        if self._is_proved() or self._is_partitioned():
            return super()._way()
        return Resampled(int(self.n_estimators), self.neighbours, self._keeps_n())


@parameters
class DPRandomForestClassifier(_RandomForest, BaseForestClassifier):
    """DP-RF: greedy trees with a child for each level, whose leaves release a class.

    Parameters
    ----------
    epsilon, domain, classes, neighbours, n_estimators, max_depth, records_per_person, noise, random_state, n_jobs
        As `DPExtraTreesClassifier`. A path also ends when its columns are used up.
    max_features : int, float, "sqrt", "log2" or None
        Columns that compete at a node, DiPriMe's K, drawn anew at each node: their number, a share
        or a function of all, rounded down, or None for all.
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

    Attributes
    ----------
    budget_, domain_, classes_, leaf_labels_
        As `dplit.forests.RandomDecisionForestClassifier`.
    trees_ : dplit.trees.Trees
        Its thresholds are all NaN: it tests levels, and bins of continuous columns.
    """

    _poor_below = 0.0
    criterion: str | None = None

    def fit(self, X, y):
        """Grow the trees, and release a class for each of their leaves. See `BaseForest.fit`."""
        self._check()
        criterion = self._criterion()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)

        rng = self._generator()
        binned, depth = self._binned(domain, records)
        way = self._way()
        plan = self._proved if self._is_proved() else self._published
        choice, leaf_epsilon, node = plan(self._tree_epsilon(way), depth, criterion, len(records))
        parts, account = way.parts(len(records), rng)
        forest, counts = self._grown(binned, codes, len(classes), parts, depth, choice, rng)
        labels, leaf = self._labels(counts, leaf_epsilon, rng)

        self.bins_ = self.bins
        self._store_labels(labels, classes)
        tree = account(grown_tree(leaf, node, depth))
        drift = self._drift(choice, node, depth, len(classes), way.readers)
        return self._store(domain, forest, domain_node, class_node, tree, *drift)

    def _criterion(self):
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
        level, leaf = level_shares(epsilon, depth, self.rho)
        rate, note = level / REACH[criterion], f"exponential mechanism, {criterion}"
        node = Spend("choice of a column", rate * REACH[criterion], note)
        return Choice(CRITERIA[criterion], rate), leaf, node

    def _published(self, epsilon, depth, criterion, n_records):
        share = epsilon / (2 * (depth + 1))
        reach = entropy_reach(n_records) if criterion == "entropy" else REACH[criterion]
        rate = share / (2 * reach)
        note = f"exponential mechanism, {criterion}, rate for scores that move apart"
        spend = Spend("choice of a column", share / 2, note)  # rate * reach rounds by n
        test = Spend("class counts of a node", share, "Laplace noise of scale 1/epsilon: is it pure?")
        node = Sequence("counts and column", (test, spend), "of the same records")
        return Choice(CRITERIA[criterion], rate, 1 / share), share, node

    def _drift(self, choice, node, depth, n_classes, copies):
        """What the number of records tells that scales the entropy's noise, where it is private."""
        if choice.score != ENTROPY or self._keeps_n() or depth == 0:
            return ()
        spend = node.parts[-1].epsilon
        return (drift_of_scale(spend, depth, n_classes, copies, self.neighbours),)


def drift_of_scale(
    spend: float, depth: int, n_classes: int, copies: int, neighbours: str, mechanisms: int = 1
) -> Sequence | Group:
    """Budget of `entropy_drift`: `mechanisms` of `spend` each in every node of `depth` levels."""
    bits = mechanisms * math.log2(n_classes)
    level = spend * bits * entropy_drift() if bits else 0.0  # of one class it tells nothing
    note = "its noise is scaled by the private number of records, in all nodes at once"
    drift = Spend("choices of a level", level, note)
    levels = Sequence("levels", (drift,), "every level reads all records", depth)
    drift = Sequence("scale of the choices", (levels,), "on top of their records'", copies)
    if neighbours == "add-remove":
        return drift
    return Group("scale after a replacement", drift, 2, neighbours, REPLACED)


@parameters
class DPRandomForestRegressor(_RandomForest, BaseForestRegressor):
    """DP-RF for a regression: splits scored by squared error, and leaves that release a mean.

    Parameters and attributes as `DPRandomForestClassifier` without `criterion`, but `target_bounds`,
    `target_scale`, the `accounting` of a leaf and `leaf_values_` as `DPExtraTreesRegressor`; `rho` is a share of
    either accounting.
    """

    def fit(self, X, y):
        """Grow the trees, and release a mean for each of their leaves. See `BaseForest.fit`."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        targets, bounds, target_node = self._read_targets(y)

        rng = self._generator()
        binned, depth = self._binned(domain, records)
        way = self._way()
        level, leaf_epsilon = level_shares(self._tree_epsilon(way), depth, self.rho)
        choice, node = self._choice(level, self._store_bounds(bounds))
        parts, account = way.parts(len(records), rng)
        forest, stats = self._grown(binned, targets, 0, parts, depth, choice, rng)
        means, leaf = self._means(stats, leaf_epsilon, rng)

        self.bins_ = self.bins
        self._store_means(means, bounds)
        tree = account(grown_tree(leaf, node, depth))
        return self._store(domain, forest, domain_node, target_node, tree)

    def _choice(self, epsilon, bounds):
        """The choice of a column, and what it spends; a target, a share, adds at most 1 to squared deviations."""
        width, farthest = bounds[1] - bounds[0], max(map(abs, bounds))
        rate = epsilon if self._is_proved() else epsilon * width**2 / (8 * farthest**2)
        note = "exponential mechanism on the squared deviations"
        return Choice(SQUARES, rate), Spend("choice of a column", rate, note)
