r"""FS and RGV: greedy private trees (Friedman and Schuster 2010), and a forest of them (Rana et al. 2015).

What is known here of FS is what RDF and DiPriMe say of it, and what is commonly said of its
algorithm. It grows one tree of depth 5 (RDF, section 5.2), adds Laplace noise to counts, chooses
columns by the exponential mechanism (RDF, section 3.1), and has "a technically correct but costly
(in terms of privacy) extension for handling continuous features" (same). With d for `max_depth` and C
classes it is read here as follows.

- Every node counts its records with Laplace noise of scale :math:`1/\epsilon'`, and becomes a leaf
  where the noisy number is below :math:`\sqrt 2\,C\,t/\epsilon'`, t the most children a test may
  have: where the average class of an average child would be below its noise.
- Otherwise the exponential mechanism chooses a column, at rate :math:`\epsilon'/(2\Delta)`, with
  :math:`\Delta = 1` for the max operator, 2 for the Gini index, and
  :math:`\log_2(n + 1) + 1/\ln 2` for the information gain.
- A leaf releases noisy class counts and is labelled by the largest. Its pruning is left out: no
  text that is known here says how.
- For each continuous column an exponential mechanism on the same score draws a cut first, at a
  share of its own. With c of them a path costs :math:`((2 + c)d + 2)\,\epsilon'`, so that
  :math:`\epsilon' = \epsilon/((2 + c)d + 2)`; without any it is :math:`\epsilon/(2(d + 1))`.

What that really costs under add-remove: no record ever lowers what a test leaves unexplained, so a
choice costs half its share, and so does a cut. With the number of a leaf at depth d, which nothing
reads and which is not drawn here, FS spends less than it says. The budget is the sum, a bound and not
the least one: it pays for the cuts of columns that are not chosen, which are never seen, and for a
choice of one column. The information gain is the exception. Its n is private: take a public number
for it (`public_n`) and let no record count more
than :math:`\log_2(n + 1)` bits, and :math:`\Delta` is right for any data (`entropy_reach`); read it
off the records, as published, and what the scale of the noise tells comes on top (`entropy_drift`).

Of RGV, RDF (section 5.2) says that "each tree is built similarly to FS, with some modifications",
that it "uses the entire privacy budget in each tree", and that its definition of privacy protects
"from their feature values being leaked, but not from their presence in the dataset". The formulas
for the number of trees (110 to 1385 in RDF) are in its paper alone: `n_estimators` is a parameter
here. What sets a forest of random trees apart is read into it: the square root of the columns,
drawn anew, compete at a node. Under this book's definition `n_estimators` trees that each spend
:math:`\epsilon` on the same records cost `n_estimators` times what one does, and anything that its
paper may release without noise would come on top.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dplit.baselines import _shared as shared
from dplit.baselines.random_forest import CRITERIA, REACH, drift_of_scale, entropy_reach
from dplit.budget import Parallel, Sequence, Spend
from dplit.errors import check_choice, check_epsilon, check_integer
from dplit.forests.base import PrivateForestClassifier
from dplit.trees.greedy import Rule, grow_id3_trees

OPERATORS = {"max": "majority", "gini": "gini", "information-gain": "entropy"}


class _Plan(NamedTuple):
    """What a tree may spend, and on what: `share` on every number, cut, choice and leaf."""

    share: float
    depth: int
    columns: int
    cuts: int
    scale: float  # what of its share a choice or a cut really costs

    def tree(self, leaf):
        """The budget of one tree."""
        leaves = Parallel("leaves", (leaf,), "a record reaches one leaf")
        if self.depth == 0:
            return Sequence("a tree", (leaves,))
        count = Spend("number of records", self.share, "Laplace noise of scale 1/epsilon: go on?")
        parts = [count, Spend("choice of a column", self.cost, "exponential mechanism")]
        if self.cuts:
            cut = Spend("cut of a column", self.cost, "exponential mechanism on an interval")
            why = "every continuous column is cut before one is chosen"
            parts.insert(1, Sequence("cuts", (cut,), why, self.cuts))
        node = Sequence("number, cuts and column", tuple(parts), "of the same records")
        nodes = Parallel("nodes", (node,), "a record reaches one")
        levels = Sequence("levels", (nodes,), "every level reads all records", self.depth)
        return Sequence("a tree", (levels, leaves))

    @property
    def cost(self):
        """Of a choice or a cut."""
        return self.scale * self.share


class _GreedyTrees(PrivateForestClassifier, shared.Baseline):
    """What FS and RGV share: everything but what a tree may spend, and the columns of a node."""

    def fit(self, X, y):
        """Grow the trees, and release a class for each of their leaves.

        Parameters, errors and return value as `dplit.forests.MedianForestClassifier.fit`.
        """
        epsilon = self._tree_epsilon()
        check_choice(self.operator, tuple(OPERATORS), "operator")
        shared.check_public_n(self.public_n)
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)

        rng = self._generator()
        plan = self._plan(epsilon, domain)
        rule = self._rule(plan, len(records), len(classes))
        parts = self._parts(len(records), rng)
        forest, counts = grow_id3_trees(
            domain, records, codes, len(classes), parts, rule, rng=rng, n_jobs=self.n_jobs
        )
        counts = counts[:, : len(classes)]
        if self._is_proved():
            labels = shared.proved_labels(counts, plan.share, rng)
            leaf = shared.proved_label_spend(plan.share)
        else:
            labels = shared.largest(shared.noisy_counts(counts, plan.share, rng), rng)
            leaf = shared.counts_spend(plan.share)

        self.domain_, self.trees_ = domain, forest
        self._store_labels(labels, classes)
        drift = self._drift(plan, len(classes))
        self.budget_ = self._account((domain_node, class_node), plan.tree(leaf), *drift)
        return self

    def _plan(self, epsilon, domain):
        """How a tree's epsilon is shared out; it depends on public numbers alone."""
        lower, upper = domain.bounds.T
        continuous = int(((domain.n_levels == 0) & (lower < upper)).sum())
        columns = continuous + int((domain.n_levels > 1).sum())
        depth = self.max_depth if continuous else min(self.max_depth, columns)
        candidates = self._candidates(columns)
        cuts = min(candidates, continuous)
        proved = self._is_proved()
        shares = (2 + cuts) * depth + (1 if proved else 2)
        plan = _Plan(epsilon / shares, depth, candidates, cuts, 1.0 if proved else 0.5)
        while plan.tree(shared.counts_spend(plan.share)).epsilon > epsilon:
            plan = plan._replace(share=math.nextafter(plan.share, 0.0))
        return plan

    def _rule(self, plan, n_records, n_classes):
        """How the nodes end and split."""
        criterion = OPERATORS[self.operator]
        reach, most_bits = REACH.get(criterion), math.inf
        if criterion == "entropy":
            public = shared.PUBLIC_N if self.public_n is None else self.public_n
            n = n_records if self._reads_n() else public
            reach, most_bits = entropy_reach(n), math.log2(n + 1)
        rate, scale = plan.cost / reach, 1 / plan.share
        return Rule(plan.depth, plan.columns, CRITERIA[criterion], most_bits, rate, scale,
                    math.sqrt(2) * n_classes * scale)  # fmt: skip

    def _reads_n(self):
        """Whether the number of records scales the noise."""
        private = self.public_n is None and not self._is_proved()
        return private and OPERATORS[self.operator] == "entropy"

    def _drift(self, plan, n_classes):
        """What that number tells; replacements keep it."""
        if not self._reads_n() or self.neighbours == "replace-one" or plan.depth == 0:
            return ()
        copies = 1 if self._is_partitioned() else self.n_estimators
        return (drift_of_scale(plan.cost, plan.depth, n_classes, copies, 1 + plan.cuts),)


class FSClassifier(_GreedyTrees):
    """FS: a greedy tree whose counts, cuts and columns are noisy.

    Parameters
    ----------
    epsilon, domain, classes, neighbours, random_state
        As `DPExtraTreesClassifier`.
    n_estimators : int
        Number of trees. The paper grows one.
    max_depth : int
        Tests on a path; a path also ends when its columns are used up.
    operator : {"max", "gini", "information-gain"}
        What a test is scored by.
    public_n : int, optional
        A public number of records for the noise of the information gain; its privacy holds whatever
        it is. Left out, 10,000 if proved, and as published the private number of records.
    partitioned : bool or None
        As `DPRandomForestClassifier`; without meaning for one tree.
    accounting : {"proved", "published"}
        "proved": choices and cuts at the sharp rate, classes by permute-and-flip; it spends
        `epsilon`. "published": the published shares and noisy class counts; the budget shows what
        that costs.
    n_jobs : int, optional
        Threads; the trees are the same for any number.

    Attributes
    ----------
    budget_, domain_, trees_, classes_, leaf_labels_
        As `dplit.forests.MedianForestClassifier`.

    Examples
    --------
    >>> from dplit import datasets
    >>> from dplit.baselines import FSClassifier
    >>> data = datasets.load("wdbc")
    >>> tree = FSClassifier(1.0, domain=data.domain, accounting="published", random_state=0)
    >>> tree.fit(data.X, data.y).budget_.epsilon < 0.55
    True
    """

    def __init__(
        self,
        epsilon=1.0,
        *,
        domain=None,
        classes=None,
        neighbours="add-remove",
        n_estimators=1,
        max_depth=5,
        operator="max",
        public_n=None,
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
        self.operator = operator
        self.public_n = public_n
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _candidates(self, columns):
        return columns


class RGVClassifier(_GreedyTrees):
    """RGV: a forest of such trees, each of which spends all of epsilon, as published.

    Parameters
    ----------
    epsilon : float
        What the whole fit may spend if proved, and each single tree as published.
    domain, classes, neighbours, random_state
        As `DPExtraTreesClassifier`.
    n_estimators : int
        Number of trees. The paper's formulas for it are not known here; RDF ran 110 to 1385.
    max_depth, operator, public_n, n_jobs
        As `FSClassifier`.
    max_features : int or None
        Columns that compete at a node, drawn anew at each; None for the square root of their number,
        rounded up.
    partitioned : bool or None
        Whether each record is used in one tree only; None: True if proved, False as published.
    accounting : {"proved", "published"}
        "proved": as `FSClassifier`, each record in one tree; it spends `epsilon`. "published": every
        tree spends `epsilon` on all records, and the budget says that this adds up.

    Attributes
    ----------
    budget_, domain_, trees_, classes_, leaf_labels_
        As `dplit.forests.MedianForestClassifier`.
    """

    def __init__(
        self,
        epsilon=1.0,
        *,
        domain=None,
        classes=None,
        neighbours="add-remove",
        n_estimators=110,
        max_depth=5,
        max_features=None,
        operator="max",
        public_n=None,
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
        self.operator = operator
        self.public_n = public_n
        self.partitioned = partitioned
        self.accounting = accounting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _tree_epsilon(self):
        """All of epsilon for every tree, as published."""
        share = super()._tree_epsilon()
        if self.max_features is not None:
            check_integer(self.max_features, "max_features", 1)
        return share if self._is_proved() else check_epsilon(self.epsilon)

    def _candidates(self, columns):
        return min(columns, self.max_features or math.ceil(math.sqrt(columns)))
