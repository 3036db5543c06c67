"""FS and RGV: greedy private trees (Friedman and Schuster 2010), and a forest of them (Rana et al. 2015).

As RDF (sections 3.1 and 5.2) and DiPriMe describe them: noisy numbers of records, cuts, columns and class
counts, an equal share of a path's epsilon for each; no pruning. RGV's trees each spend all of epsilon.
"""

import math
from typing import NamedTuple

from dplit.baselines._shared import PUBLIC_N, Baseline, check_public_n
from dplit.baselines.dp_rf import CRITERIA, REACH, drift_of_scale, entropy_reach
from dplit.budget import Sequence, Spend
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.parameter_checks import check_max_features, n_candidates
from dplit.forests.partition import at_most
from dplit.forests.releases import grown_tree
from dplit.ground.errors import check_choice, check_integer
from dplit.trees.greedy import Rule, grow_greedy_trees

MOST_DEPTH = 1000
OPERATORS = {"max": "majority", "gini": "gini", "information-gain": "entropy"}


class _Plan(NamedTuple):
    """What a tree may spend, and on what: `share` on every number, cut, choice and leaf."""

    share: float
    depth: int
    columns: int
    cuts: int
    scale: float  # what of its share a choice or a cut really costs

    def spent(self, share):
        return grown_tree(Spend("leaf", share), self._replace(share=share).node(), self.depth).epsilon

    def node(self):
        count = Spend("number of records", self.share, "Laplace noise of scale 1/epsilon: go on?")
        parts = [count, Spend("choice of a column", self.cost, "exponential mechanism")]
        if self.cuts:
            cut = Spend("cut of a column", self.cost, "exponential mechanism on an interval")
            why = "every continuous column is cut before one is chosen"
            parts.insert(1, Sequence("cuts", (cut,), why, self.cuts))
        return Sequence("number, cuts and column", tuple(parts), "of the same records")

    @property
    def cost(self):
        return self.scale * self.share


@parameters
class _GreedyTrees(Baseline, BaseForestClassifier):
    """What FS and RGV share: everything but what a tree may spend, and the columns of a node."""

    operator: str = "max"
    public_n: int | None = None

    def fit(self, X, y):
        """Grow the trees, and release a class for each of their leaves. See `BaseForest.fit`."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)

        rng = self._generator()
        way = self._way()
        plan = self._plan(self._tree_epsilon(way), domain)
        rule, node, drift = self._split(plan, len(records), len(classes), way.readers)
        parts, account = way.parts(len(records), rng)
        forest, counts = grow_greedy_trees(
            domain, records, codes, len(classes), parts, rule, rng=rng, n_jobs=self.n_jobs
        )
        labels, leaf = self._labels(counts, plan.share, rng)

        self._store_labels(labels, classes)
        tree = account(grown_tree(leaf, node, plan.depth))
        return self._store(domain, forest, domain_node, class_node, tree, *drift)

    def _check(self):
        super()._check()
        if self.max_depth is not None:
            # a path's arrays are that long
            check_integer(self.max_depth, "max_depth", 0, MOST_DEPTH)
        check_choice(self.operator, tuple(OPERATORS), "operator")
        check_public_n(self.public_n)

    def _plan(self, epsilon, domain):
        """How a tree's epsilon is shared out; it depends on public numbers alone."""
        lower, upper = domain.bounds.T
        continuous = int(((domain.n_levels == 0) & (lower < upper)).sum())
        columns = continuous + int((domain.n_levels > 1).sum())
        depth = self._n_levels() if continuous else min(self._n_levels(), columns)
        candidates = self._candidates(columns)
        cuts = min(candidates, continuous)
        proved = self._is_proved()
        shares = (2 + cuts) * depth + (1 if proved else 2)
        plan = _Plan(epsilon / shares, depth, candidates, cuts, 1.0 if proved else 0.5)
        return plan._replace(share=at_most(plan.share, plan.spent, epsilon))

    def _split(self, plan, n_records, n_classes, copies):
        """How nodes end and split, what each spends, and what the number of records tells."""
        criterion = OPERATORS[self.operator]
        reach, most_bits = REACH.get(criterion), math.inf
        if criterion == "entropy":
            public = PUBLIC_N if self.public_n is None else self.public_n
            n = n_records if self._reads_n() else public
            reach, most_bits = entropy_reach(n), math.log2(n + 1)
        rate, scale = plan.cost / reach, 1 / plan.share
        rule = Rule(plan.depth, plan.columns, CRITERIA[criterion], most_bits, rate, scale,
                    math.sqrt(2) * n_classes * scale)  # fmt: skip
        if not self._reads_n() or self._keeps_n() or plan.depth == 0:
            return rule, plan.node(), ()
        drift = drift_of_scale(plan.cost, plan.depth, n_classes, copies, self.neighbours, 1 + plan.cuts)
        return rule, plan.node(), (drift,)

    def _reads_n(self):
        """Whether the private number of records scales the noise."""
        private = self.public_n is None and not self._is_proved()
        return private and OPERATORS[self.operator] == "entropy"


@parameters
class FSClassifier(_GreedyTrees):
    """FS: a greedy tree whose counts, cuts and columns are noisy.

    Parameters
    ----------
    epsilon, domain, classes, neighbours, records_per_person, noise, random_state, n_jobs
        As `DPExtraTreesClassifier`.
    n_estimators : int
        Number of trees. The paper grows one.
    max_depth : int or None
        Tests on a path; a path also ends when its columns are used up. None: as many as leave some 25
        records in a leaf, of `public_n`, or of 10,000.
    operator : {"max", "gini", "information-gain"}
        What a test is scored by.
    public_n : int, optional
        A public number of records for the noise of the information gain; its privacy holds whatever
        it is. Left out, 10,000 if proved, and as published the private number of records.
    partitioned : bool or None
        As `DPRandomForestClassifier`; without meaning for one tree.
    accounting : {"proved", "published"}
        "proved": choices and cuts at the sharp rate, classes by permute-and-flip; it spends `epsilon`.
        "published": the published shares and noisy class counts; the budget shows what that costs.

    Attributes
    ----------
    budget_, domain_, trees_, classes_, leaf_labels_
        As `dplit.forests.RandomDecisionForestClassifier`.
    """

    n_estimators: int = 1

    def _candidates(self, columns):
        return columns


@parameters
class RGVClassifier(_GreedyTrees):
    """RGV: a forest of such trees, each of which spends all of epsilon, as published.

    Parameters and attributes as `FSClassifier`, but:

    Parameters
    ----------
    epsilon : float
        What the whole fit may spend if proved, and each single tree as published.
    n_estimators : int
        Number of trees. The paper's formulas for it are not known here; RDF ran 110 to 1385.
    max_features : int, float, "sqrt", "log2" or None
        Columns that compete at a node, drawn anew at each: their number, a share or a function of all,
        rounded down; None for the square root of their number, rounded up.
    partitioned : bool or None
        Whether each record is used in one tree only; None: True if proved, False as published.
    accounting : {"proved", "published"}
        "proved": as `FSClassifier`, each record in one tree; it spends `epsilon`. "published": every
        tree spends `epsilon` on all records, and the budget says that this adds up.
    """

    n_estimators: int = 110
    max_features: int | float | str | None = None

    def _check(self):
        super()._check()
        check_max_features(self.max_features)

    def _tree_epsilon(self, way):
        """All of epsilon for every tree, as published."""
        return super()._tree_epsilon(way) if self._is_proved() else self._record_epsilon()

    def _candidates(self, columns):
        if self.max_features is None:
            return math.ceil(math.sqrt(columns))
        return n_candidates(self.max_features, columns) if columns else 0
