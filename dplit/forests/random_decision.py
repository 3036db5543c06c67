"""Random decision forests (Fletcher and Islam 2017; ROSNAM addendum 2021). See :doc:`/book/random_forest`."""

import math
from typing import Any, NamedTuple, Self

import numpy as np

from dplit.budget import Leak, Parallel
from dplit.depth import published_depth, table_depth
from dplit.domain import Domain
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.blocks import in_parts
from dplit.forests.parameter_checks import check_depth
from dplit.forests.releases import random_structure, report
from dplit.ground.errors import check_choice, warn_leak
from dplit.mechanisms import PermuteAndFlip, SmoothExponential

LABELS = ("permute-and-flip", "smooth-exponential")
DEEPEST_DEFAULT = 8
PUBLIC_N = 10_000  # a guess of the number of records, where none is given
MOST_COUNTS = 20_000_000  # class counts of all leaves that a default depth asks for: about half a gigabyte
REPLACED = "one replaced record is one removed and one added, in the same tree"


@parameters
class RandomDecisionForestClassifier(BaseForestClassifier):
    r"""A private forest of random trees whose leaves release their majority class.

    The budget is that of one ``fit``: what a pipeline computes from the records before it, or a search over
    parameters from their scores, is not in it. Random trees and labels are released, whose last bits tell nothing
    of a record. Secure noise is exact, too; simulated noise has NumPy's source of randomness, which is not made to
    withstand an adversary, and probabilities that are rounded to floats.

    Tests that read no record seldom part a rare class from a frequent one: on uneven classes the forest may
    predict the majority class everywhere, at any epsilon. `BoostedForestClassifier` chooses its tests.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin: the same
        trees and records, and the true majority in every leaf.
    domain, classes, neighbours, records_per_person, noise, random_state, n_jobs
        As of `dplit.PrivateForestClassifier`. A seed does not reach another process, and from a generator
        random trees are drawn, while the noise is fresh in every fit.
    n_estimators : int
        Number of trees; each record is used in one of them. The paper advises 100 (section 4.4).
    max_depth : int, optional
        Tests on a path. Left out, the depth of the paper's theorem 2, but no more than 8, and less where
        columns have many levels: a tree may expect no more leaves than `n_records`. As published, that of
        table 4, one more where a column is continuous, however deep. All of them read no record.
    n_records : int, optional
        A public guess of the number of records, which the default depth asks for; never their number
        itself, which is private under add-remove neighbours. Left out, 10,000.
    label : {"permute-and-flip", "smooth-exponential"}
        How a leaf releases its class: the addendum's one-sided noisy arg-max, or the paper's
        theorem 1, which has no finite epsilon.
    accounting : {"proved", "published"}
        "proved" draws each record's tree independently and uniformly, and halves the rate for
        replace-one neighbours: it spends `epsilon`. "published" shuffles the records and cuts them
        into equal parts, at rate `epsilon` whatever the neighbours: the budget shows what that costs.
        With ``label="smooth-exponential"`` and nothing else given it is the paper's algorithm 1.

    Attributes
    ----------
    budget_ : Budget
        The privacy statement, as a proof tree.
    classes_ : array, shape (n_classes,)
        Sorted.
    noise_ : {"secure", "simulation"}
        What was drawn; the budget says what that leaves open.
    domain_ : Domain
    trees_ : dplit.trees.Trees
    leaf_labels_ : uint array, shape (n_leaves,)
        Released class of each leaf of the forest, as a position in `classes_`.
    n_features_in_, feature_names_in_, n_classes_, max_depth_
        As in scikit-learn; the depth that was used.
    """

    n_estimators: int = 100
    max_depth: int | None = None
    n_records: int | None = None
    label: str = "permute-and-flip"
    _spawns_structure = True
    _poor_below = 100.0
    _in_parts = True

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, and release a class for each leaf. See `BaseForest.fit`; `X` and `y` may be Dask's."""
        from dplit.trees import grow_random_trees  # compiled: slow to import

        way, mechanism = self._plan()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        depth = self._depth(domain, len(classes))

        rng = self._generator()
        trees = grow_random_trees(domain, self.n_estimators, depth, rng=rng, n_jobs=self.n_jobs)
        assigned, account = way.assign(len(records), rng)
        parts = in_parts(records, codes, AssignedRecords, trees, beside=assigned, kept=False)
        counts = parts.total(leaf_counts, len(classes), self.n_jobs)
        if isinstance(mechanism, SmoothExponential):
            labels, leaf = report_unbounded(mechanism, counts, rng)
        else:
            labels, leaf = report(mechanism, counts, rng, source="ROSNAM addendum, section 2")

        self.max_depth_ = depth
        self._store_labels(labels, classes)
        leaves = Parallel("leaves of a tree", (leaf,), "a record reaches one leaf")
        structure = random_structure("trees", self.n_estimators, depth)
        labels_node = account(leaves, "labels", REPLACED)
        return self._store(domain, trees, domain_node, class_node, structure, labels_node)

    def _inexact(self):
        if self.label == "smooth-exponential":
            return "label='smooth-exponential'", "take label='permute-and-flip'"
        return None

    def _plan(self):
        """From the checked parameters: how records are given to trees, and what releases a label."""
        self._check()
        check_choice(self.label, LABELS, "label")
        way = self._way()
        if self.label == "smooth-exponential":
            warn_leak("label='smooth-exponential' has no finite epsilon: epsilon is infinite", 5)
            return way, SmoothExponential(self._record_epsilon())
        return way, PermuteAndFlip(self._tree_epsilon(way), monotonic=True)

    def _depth(self, domain, n_classes):
        """`max_depth`, or the paper's depth for this domain; if proved, one whose trees are not too large."""
        if self.max_depth is not None:
            return check_depth(self.max_depth)
        continuous = domain.n_continuous
        discrete = len(domain) - continuous
        if not self._is_proved():
            return table_depth(continuous, discrete)
        deepest = min(published_depth(continuous, discrete), DEEPEST_DEFAULT)
        n_records = PUBLIC_N if self.n_records is None else self.n_records
        most_leaves = min(n_records, MOST_COUNTS // (self._n_trees() * n_classes))
        return affordable_depth(domain, deepest, most_leaves, self._n_trees())


class AssignedRecords(NamedTuple):
    """A part of the records, their classes and trees, and the forest."""

    records: np.ndarray
    codes: np.ndarray
    assigned: np.ndarray
    trees: Any


def leaf_counts(part, n_classes, n_jobs):
    """Class counts of all leaves, int64 array of shape (n_leaves, n_classes)."""
    from dplit.trees import count_labels  # compiled: slow to import

    return count_labels(part.trees, *part[:3], n_classes, n_jobs)


def affordable_depth(domain: Domain, deepest: int, most_leaves: int, n_trees: int) -> int:
    """The largest depth up to `deepest`, but at least 1, whose random trees are not too large.

    A tree may expect `most_leaves`, and even if all `n_trees` draw the columns of most levels, the forest is one
    that can be grown. No record is read: how many leaves a tree has is a matter of the domain and of its own
    draws. Nothing less than all nodes can be grown, for the nodes that records reach would tell where records are.
    """
    from dplit.trees.nodes import MAX_NODES  # compiled: slow to import
    from dplit.trees.reached import expected_leaves

    depth = max(deepest, 1)
    while depth > 1 and (
        expected_leaves(domain, depth) > most_leaves or most_nodes(domain, depth) * n_trees > MAX_NODES
    ):
        depth -= 1
    return depth


def most_nodes(domain: Domain, depth: int) -> int:
    """The most nodes that a random tree can have: its paths test the columns of most levels first."""
    continuous = [2] * depth if domain.n_continuous else []
    arity = sorted([*np.maximum(domain.n_levels, 1).tolist(), *continuous])[::-1][:depth]
    return 1 + sum(math.prod(arity[:d]) for d in range(1, len(arity) + 1))


def report_unbounded(mechanism, counts, rng):
    """As `dplit.forests.releases.report`, by a mechanism without a finite epsilon: its node is a leak."""
    why = f"{mechanism}: its loss grows without bound in the gap"
    return mechanism.sample(counts, rng=rng), Leak("class of a leaf", why)
