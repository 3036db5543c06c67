"""Multinomial random forests (MRF): as published, and repaired so that they are private.

Derived in :doc:`/book/multinomial_forest`, their privacy in :doc:`/book/multinomial_privacy`.
"""

import math
from numbers import Real
from typing import Any, Self

import numpy as np

from dplit.forests import releases
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.noise import ONLY_PROVED
from dplit.forests.parameter_checks import check_depth
from dplit.forests.partition import AllRecords, Coins, ShuffledHalves, Undivided, at_most, by_tree
from dplit.ground.errors import check_choice, check_integer
from dplit.mechanisms.exponential import sample_index
from dplit.multinomial import check_budget
from dplit.multinomial.forest import advised_depth, advised_trees
from dplit.trees.arrays import leaf_depths
from dplit.trees.rules import MOST_LEVELS

CRITERIA = ("gini", "entropy")
STOPPINGS = ("algorithm", "text")
LABELS = ("leaf", "query")
SCORES = ("counts", "normalised")
# What the paper takes in its experiments (section 5.1).
PUBLISHED = {"feature_budget": 10.0, "value_budget": 10.0, "label_budget": math.inf}
UNBOUNDED = 2**31 - 1  # levels: more than a tree can have nodes


@parameters
class MultinomialForestClassifier(BaseForestClassifier):
    r"""A forest whose splits are drawn from two multinomials (MRF), and its private repair.

    With ``accounting="proved"`` a fit spends `epsilon`: each record draws its tree, and then by a coin whether it
    is a structure or an estimation point; on each of a public number of levels column and cut are drawn together
    by the exponential mechanism on the children's impurity mass, over the public range; each leaf releases its
    class by permute-and-flip. Structure and labels read different records, so that both run at the full `epsilon`.
    With ``accounting="published"`` it is the paper's algorithm 1, whose budget is infinite: the budget shows what
    each multinomial would spend, and each leak.

    The budget is that of one ``fit``, and noise is secure or simulated, as of `RandomDecisionForestClassifier`.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin of the proved
        forest. The published forest ignores it: there the three budgets below are all.
    domain, classes, neighbours
        As of `dplit.PrivateForestClassifier`.
    n_estimators : int, optional
        Number of trees. Published, every tree reads all records, and left out it is the paper's 100. Proved,
        a record is in one tree, and few are better: left out it is `dplit.multinomial.forest.advised_trees`.
    max_depth : int, optional
        Levels of splits. Left out, published trees grow until the stopping rule ends them; proved
        ones have the depth of `dplit.multinomial.forest.advised_depth`.
    feature_budget, value_budget, label_budget : float, optional
        The paper's :math:`B_1, B_2, B_3`, at least 0, of the published forest alone; infinite ones take
        the best. Left out, 10, 10 and infinity. The proved forest computes its own from `epsilon`.
    min_samples_leaf : int
        The paper's :math:`k`, of the published forest: a node with more estimation points is split.
    partition_rate : float or None
        Structure points to one estimation point. None: all records are both, and the proved forest
        spends half of `epsilon` on each.
    criterion : {"gini", "entropy"}
        Impurity. Entropy needs ``accounting="published"``: one record can move a node's by more than any bound.
    stopping : {"algorithm", "text"}
        Of the published forest: a node is split if it has more than :math:`k` estimation points
        (algorithm 1), or where both children keep :math:`k` of them (section 3.2).
    draw_label : {"leaf", "query"}
        Whether a leaf draws its class once, or, published, anew for every query.
    scores : {"counts", "normalised"}
        Of the proved forest: the impurity mass itself, or stretched to [0, 1] as the paper has it,
        which is as private and says less.
    accounting : {"proved", "published"}
    n_records : int, optional
        As of `RandomDecisionForestClassifier`, for the rules of trees and depth.
    records_per_person, noise, random_state, n_jobs
        As of `dplit.PrivateForestClassifier`.

    Attributes
    ----------
    budget_, classes_, noise_, domain_, trees_, leaf_labels_, n_features_in_, feature_names_in_, n_classes_
        As of `RandomDecisionForestClassifier`.
    leaf_probabilities_ : float64 array, shape (n_leaves, n_classes)
        In its place with ``draw_label="query"``: what every query draws from.
    max_depth_ : int
        Levels of splits of the deepest tree.
    """

    n_estimators: int | None = None
    max_depth: int | None = None
    feature_budget: float | None = None
    value_budget: float | None = None
    label_budget: float | None = None
    min_samples_leaf: int = 5
    partition_rate: float | None = 1
    criterion: str = "gini"
    stopping: str = "algorithm"
    draw_label: str = "leaf"
    scores: str = "counts"
    n_records: int | None = None
    _poor_below = 100.0

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, and release a class for each of their leaves. See `BaseForest.fit`."""
        self._check()
        budgets, halves = self._budgets(), self._halves()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        self._check_levels(domain)
        if self._is_proved():
            grown = self._proved(domain, records, codes, len(classes), halves)
        else:
            grown = self._published(domain, records, codes, len(classes), halves, budgets)
        trees, labels, node = grown

        self.max_depth_ = int(leaf_depths(trees).max())
        for name in ("leaf_labels_", "leaf_probabilities_"):
            vars(self).pop(name, None)
        if labels.ndim == 1:
            self._store_labels(labels, classes)
        else:
            ranks = self._store_classes(classes)
            self.leaf_probabilities_ = labels[:, np.argsort(ranks)]
        return self._store(domain, trees, domain_node, class_node, node)

    def _proved(self, domain, records, codes, n_classes, halves):
        """Trees, their labels, and the node of what they spend."""
        from dplit.trees import count_labels  # compiled: slow to import
        from dplit.trees.median import grow_median_trees

        rng, way = self._generator(), self._way()
        epsilon = self._tree_epsilon(way)
        share = at_most(epsilon / halves.parts, lambda s: halves.parts * s, epsilon)
        depth = self._depth(domain, share)
        if depth == 0:
            halves, share = Undivided(), epsilon  # nothing but a label is drawn
        level = at_most(share / max(depth, 1), lambda s: depth * s, share)
        draw = releases.normalised_cut if self.scores == "normalised" else releases.mass_cut
        rule, cut = draw((depth, len(domain)), level)

        assigned, account = way.assign(len(records), rng)
        structure, estimation = halves(len(records), rng)
        ids = np.flatnonzero(structure)
        parts = [ids[part] for part in by_tree(assigned[ids], way.n_trees)]
        trees, _ = grow_median_trees(domain, records, codes, n_classes, parts, rule, rng=rng, n_jobs=self.n_jobs)
        held = records[estimation], codes[estimation], assigned[estimation]
        counts = count_labels(trees, *held, n_classes, self.n_jobs)
        labels, leaf = releases.flip(counts, share, rng, "its estimation points' classes")
        structure = (releases.levels(cut, depth),) if depth else ()
        return trees, labels, account(halves.account(structure, releases.leaves(leaf)))

    def _published(self, domain, records, codes, n_classes, halves, budgets):
        """Trees, their labels or the laws of these, and the node of what they spend."""
        from dplit.trees.multinomial import Rule, grow_multinomial_trees

        rng, way = self._generator(), AllRecords(self._n_trees(), self.neighbours, self._keeps_n())
        feature, value, label = budgets
        depth, k = self._depth(domain), int(self.min_samples_leaf)
        least = k if self.stopping == "text" else 0
        rule = Rule(depth, k, least, feature / 2, value / 2, self.criterion == "entropy")
        trees, counts = grow_multinomial_trees(
            domain, records, codes, n_classes, way.n_trees, halves, rule, rng=rng, n_jobs=self.n_jobs
        )
        if self.draw_label == "query":
            labels, leaf = releases.multinomial_queries(counts, label)
        else:
            labels, leaf = releases.multinomial_labels(counts, label, rng)
        structure = releases.multinomial_cut(feature, value, self.max_depth, int(leaf_depths(trees).max()))
        return trees, labels, way.account(halves.account(structure, releases.leaves(leaf)))

    def _votes(self, records):
        if not hasattr(self, "leaf_probabilities_"):
            return super()._votes(records)
        from dplit.trees import apply

        starts, rng = self.trees_.leaf_starts[:-1], self._generator()
        reached = apply(self.trees_, records, self.n_jobs) + starts
        votes = np.zeros((len(records), self.n_classes_), dtype=np.int32)
        for leaf in reached.T:
            drawn = sample_index(self.leaf_probabilities_[leaf], rng=rng)
            votes[np.arange(len(records)), drawn] += 1
        return votes

    # What the parameters say --------------------------------------------------------------------

    def _inexact(self):
        return None if self._is_proved() else ONLY_PROVED

    def _check(self):
        super()._check()
        check_integer(self.min_samples_leaf, "min_samples_leaf", 1)
        check_choice(self.criterion, CRITERIA, "criterion")
        check_choice(self.stopping, STOPPINGS, "stopping")
        check_choice(self.draw_label, LABELS, "draw_label")
        check_choice(self.scores, SCORES, "scores")
        if self.max_depth is not None:
            check_depth(self.max_depth)
        if not self._is_proved():
            return
        for name, value, right in (
            ("criterion", self.criterion, "gini"),
            ("stopping", self.stopping, "algorithm"),
            ("draw_label", self.draw_label, "leaf"),
        ):
            if value != right:
                raise ValueError(
                    f"{name}={value!r} is not private: it needs accounting='published', or else {name}={right!r}"
                )

    def _check_levels(self, domain):
        many = np.flatnonzero(domain.n_levels > MOST_LEVELS)
        if self._is_proved() and self.scores == "normalised" and len(many):
            raise ValueError(
                f"scores='normalised' needs columns of at most {MOST_LEVELS} levels, got "
                f"{domain.n_levels[many[0]]} in column {many[0]}: use scores='counts'"
            )

    def _budgets(self):
        """The paper's three budgets; of the proved forest, which has none of its own, not used."""
        given = {name: getattr(self, name) for name in PUBLISHED}
        for name, value in given.items():
            if value is not None and self._is_proved():
                raise ValueError(
                    f"{name} must be None with accounting='proved', which computes its own from "
                    f"epsilon, got {value!r}"
                )
        return [
            default if given[name] is None else check_budget(given[name], name)
            for name, default in PUBLISHED.items()
        ]

    def _halves(self):
        """How a tree's records become structure and estimation points."""
        rate = self.partition_rate
        if rate is None:
            return Undivided()
        number = isinstance(rate, Real) and not isinstance(rate, (bool, np.bool_))
        if not number or not 0 < rate < math.inf:
            raise ValueError(f"partition_rate must be a finite number above 0, or None, got {rate!r}")
        if self._is_proved():
            return Coins(float(rate))
        return ShuffledHalves(float(rate), self.neighbours, self._keeps_n())

    def _n_trees(self):
        if self.n_estimators is not None:
            return super()._n_trees()
        return advised_trees(self._record_epsilon(), self.n_records) if self._is_proved() else 100

    def _depth(self, domain, epsilon=None):
        """`max_depth`, or of a proved forest, whose parts have so much of epsilon, the advised one."""
        if self.max_depth is not None:
            return int(self.max_depth)
        if not self._is_proved():
            return UNBOUNDED
        return advised_depth(epsilon, self._n_trees(), domain.n_levels, self.n_records)
