r"""The consistent forests that MRF is compared with, without privacy: Denil14 and BRF; and random trees.

Known by what the MRF paper says of them (section 2.1 and appendix D), and by the captions and abstracts of their
own papers: Denil, Matheson and de Freitas (2014), *Narrowing the gap*; Wang, Xia, Tang, Wu and Zhu (2018),
*Bernoulli random forests*. :doc:`/book/multinomial_forest_experiments` has their rules, `dplit.trees.observed`
their cuts; by the MRF paper the impurity is Gini's, and a leaf holds 5 estimation points or more.
"""

import math

from dplit.baselines._plain import PlainForest, check_share
from dplit.forests.base import parameters
from dplit.ground.errors import check_integer


@parameters
class _ObservedForest(PlainForest):
    """Base of the forests whose cuts lie midway between observed values."""

    def _grown(self, records, codes, n_classes, halves, rng):
        from dplit.trees.observed import grow_observed_trees

        return grow_observed_trees(
            records, codes, n_classes, halves, self._rule(records.shape[1]), rng=rng, n_jobs=self.n_jobs
        )

    def _columns(self, n_columns):
        """Size of the set of candidates, rounded down as in scikit-learn's forest."""
        return max(int(math.sqrt(n_columns)), 1)


@parameters
class DenilForestClassifier(_ObservedForest):
    r"""Denil14: a Poisson number of columns competes, and cuts lie in the range of a few structure points.

    At a node :math:`\min(1 + \text{Poisson}(\lambda), D)` columns compete, and the best cut wins of
    those between the extremes of `range_points` structure points of the node, drawn at random.

    Parameters
    ----------
    n_estimators : int
    mean_columns : float or None
        :math:`1 + \lambda`, at least 1. None: the square root of the number of columns, which the MRF
        paper gives as the size of the set of candidates.
    range_points : int
        m of the caption of their figure 1; at a node with fewer points all count. No text that we have
        gives its value; 1,000 restricts large nodes alone, which is to the forest's advantage.
    min_samples_leaf : int
        Estimation points of a leaf, at least; 5 in the MRF paper's experiments.
    partition_rate : float or None
        Structure points for each estimation point, 1 in the MRF paper; None: both are all records.
    domain, classes, random_state, n_jobs
        As `dplit.PrivateForestClassifier`.

    Attributes
    ----------
    budget_, domain_, trees_, classes_, leaf_labels_
        As `dplit.forests.RandomDecisionForestClassifier`; the budget's total is infinite.
    """

    mean_columns: float | None = None
    range_points: int = 1000

    def _check(self):
        super()._check()
        check_integer(self.range_points, "range_points", 2)
        mean = self.mean_columns
        if mean is not None and (isinstance(mean, bool) or not 1 <= mean < math.inf):
            raise ValueError(f"mean_columns must be a number of at least 1 or None, got {mean!r}")

    def _rule(self, n_columns):
        from dplit.trees.observed import Rule

        mean = math.sqrt(n_columns) if self.mean_columns is None else self.mean_columns
        return Rule(0, mean - 1.0, 0.0, 0.0, int(self.range_points), int(self.min_samples_leaf))


@parameters
class BernoulliForestClassifier(_ObservedForest):
    r"""BRF: two Bernoulli draws at each node loosen the greedy choice.

    With probability `one_column` a single random column competes, else :math:`\sqrt D` do. With
    probability `any_cut` the cut is a random one of a competing column, else the best.
    Parameters and attributes as `DenilForestClassifier` without `mean_columns` and `range_points`, and:

    Parameters
    ----------
    one_column, any_cut : float
        Probabilities of the two draws. The MRF paper calls the second small; no text that we have gives
        values, and 0.05 is ours.
    """

    one_column: float = 0.05
    any_cut: float = 0.05

    def _check(self):
        super()._check()
        check_share(self.one_column, "one_column")
        check_share(self.any_cut, "any_cut")

    def _rule(self, n_columns):
        from dplit.trees.observed import Rule

        columns, leaf = self._columns(n_columns), int(self.min_samples_leaf)
        return Rule(columns, -1.0, float(self.one_column), float(self.any_cut), 0, leaf)


@parameters
class CompletelyRandomForestClassifier(_ObservedForest):
    """Completely random trees: a uniform column of those that have a cut, and a uniform cut of it.

    What MRF becomes without budgets and without a partition (its appendix C, after Liu and others 2008).
    Parameters and attributes as `DenilForestClassifier` without `mean_columns` and `range_points`, and:

    Parameters
    ----------
    partition_rate : float or None
        None, the default: all records choose where cuts can lie, and all give labels.
    """

    partition_rate: float | None = None

    def _rule(self, n_columns):
        from dplit.trees.observed import Rule

        return Rule(1, -1.0, 0.0, 1.0, 0, int(self.min_samples_leaf))
