r"""The methods of the RDF paper's experiments: variants of its forest, and forests too large to store.

Trees are grown through the forest's own records and one batch of queries (`dplit.trees.reach_random_leaves`):
for this batch the law is that of the whole forest (:doc:`/book/random_forest_experiments`).
"""

import math

import numpy as np

from dplit import baselines
from dplit.budget import Budget, Leak, Parallel, Public, Sequence, Spend
from dplit.court.experiments.methods.common import private, public
from dplit.forests import RandomDecisionForestClassifier
from dplit.forests.base import parameters
from dplit.ground.errors import check_choice, check_epsilon
from dplit.majority import gap_law, published_smooth_sensitivity
from dplit.mechanisms import Exponential, PermuteAndFlip, SmoothExponential
from dplit.trees import reach_random_leaves

LABELS = ("permute-and-flip", "smooth-exponential", "global-exponential", "unanimous")


class GlobalExponential(Exponential):
    """The exponential mechanism on RDF's score with its global sensitivity, 1 (section 4.1)."""

    def pmf(self, counts):
        """Probability of each class, shape of `counts`."""
        return super().pmf(_score(counts))

    def sample(self, counts, size=None, *, rng):
        """Index of the reported class, shape ``size + counts.shape[:-1]``."""
        return super().sample(_score(counts), size, rng=rng)


class Unanimous:
    """The label that errs least on a unanimous leaf, `dplit.majority.gap_law`."""

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def __repr__(self):
        return f"Unanimous(epsilon={self.epsilon:g})"

    def pmf(self, counts):
        """Probability of each class, shape of `counts`."""
        return gap_law(counts, self.epsilon)

    def sample(self, counts, *, rng):
        """Index of the reported class, shape ``counts.shape[:-1]``."""
        law = self.pmf(counts).cumsum(axis=-1)
        draw = rng.random(law.shape[:-1])[..., None] * law[..., -1:]
        return (draw >= law[..., :-1]).sum(axis=-1)


def _score(counts):
    """RDF, equation 7: 1 for every most frequent class, 0 for the others."""
    return (counts == counts.max(axis=-1, keepdims=True)).astype(float)


@parameters
class ReachedForest(RandomDecisionForestClassifier):
    """A random decision forest that exists only where records go.

    Its other parameters are those of `dplit.forests.RandomDecisionForestClassifier`; `random_state` is an int, and
    neighbours are add-remove. `label` is "permute-and-flip", "smooth-exponential", "global-exponential" or
    "unanimous". If not `partitioned`, every tree sees all records, at `epsilon` over the number of trees.
    """

    partitioned: bool = True
    _spawns_structure = False  # a tree's stream releases its labels too
    _in_parts = False  # its records are kept

    def fit(self, X, y):
        """Keep the records; trees grow when there are queries. Returns self."""
        self._release = self._mechanism()
        self._records, y, self.domain_, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        self.classes_, ranks = np.unique(np.asarray(classes), return_inverse=True)
        self.n_classes_, self._codes = len(classes), ranks[codes]
        self.max_depth_ = self._depth(self.domain_, len(classes))
        self._assigned, account = self._way().assign(len(codes), self._generator())
        self.budget_ = self._variant_budget(domain_node, class_node, account)
        return self

    @property
    def tree_epsilon(self):
        """What one tree may spend."""
        return self.epsilon if self.partitioned else self.epsilon / self.n_estimators

    def _inexact(self):
        return "a forest that is grown again for every query", "take RandomDecisionForestClassifier"

    def _mechanism(self):
        check_choice(self.label, LABELS, "label")
        epsilon = check_epsilon(self.tree_epsilon)
        if self.label == "permute-and-flip":
            return PermuteAndFlip(epsilon, monotonic=True)
        kinds = SmoothExponential, GlobalExponential, Unanimous
        return dict(zip(LABELS[1:], kinds))[self.label](epsilon)

    def _variant_budget(self, domain_node, class_node, account):
        label = Spend("class of a leaf", self._release.epsilon, repr(self._release))
        if self.label == "smooth-exponential":
            label = Leak("class of a leaf", f"{self._release}: no finite epsilon")
        leaves = Parallel("leaves of a tree", (label,), "a record reaches one leaf")
        every = Sequence("labels", (leaves,), "every tree sees all records", self.n_estimators)
        labels = account(leaves, "labels") if self.partitioned else every
        trees = Public("trees", "random, no record is read")
        return Budget(Sequence(type(self).__name__, (domain_node, class_node, trees, labels)))

    def _grown(self, queries):
        """Tree by tree, on every call the same: class counts of reached leaves, leaves of queries, total, rng."""
        for t, rng in enumerate(self._generator().spawn(self.n_estimators)):
            own = self._assigned == t if self.partitioned else slice(None)
            codes = self._codes[own]
            through = np.concatenate([self._records[own], queries])
            leaves, total = reach_random_leaves(self.domain_, self.max_depth_, through, rng=rng)
            size = leaves.max(initial=-1) + 1, self.n_classes_
            cells = leaves[: len(codes)] * self.n_classes_ + codes
            counts = np.bincount(cells, minlength=size[0] * size[1]).reshape(size)
            yield counts, leaves[len(codes) :], total, rng

    def _votes(self, records):
        votes = np.zeros((len(records), self.n_classes_), dtype=np.int32)
        for counts, leaves, _, rng in self._grown(records):
            if len(leaves):
                labels = self._release.sample(counts, rng=rng)
                votes[np.arange(len(leaves)), labels[leaves]] += 1
        return votes

    def predict_proba(self, X):
        """Share of the trees that vote for each class, shape (n_records, n_classes)."""
        return self._votes(self._read(X)) / self.n_estimators

    def nonempty(self) -> tuple[np.ndarray, float]:
        """Class counts of all leaves that hold a record, and the number of all leaves.

        Counts (n_nonempty, n_classes); the number is an expectation over the parts of the trees that no record
        reaches.
        """
        grown = [(counts, total) for counts, _, total, _ in self._grown(self._records[:0])]
        return np.concatenate([g[0] for g in grown]), float(sum(g[1] for g in grown))

    def flipped(self):
        """Expected share of the leaves with a record whose label is not a most frequent class."""
        counts, _ = self.nonempty()
        return float(1 - (self._release.pmf(counts) * _score(counts)).sum(axis=1).mean())

    def sensitivity(self):
        """Mean over the leaves with a record of the paper's smooth sensitivity."""
        counts, _ = self.nonempty()
        return float(published_smooth_sensitivity(counts, self.tree_epsilon).mean())

    def empty(self):
        """Share of the leaves that hold no record."""
        counts, total = self.nonempty()
        return 1 - len(counts) / total


def _forest(label=None, reached=False, **fixed):
    """A builder of RDF's forest; its label by the reading unless `label` is given."""

    def build(setting, *, reached=reached, **params):
        known = {"published": "smooth-exponential", "proved": "permute-and-flip"}
        params = {"label": label or known[setting.reading], **fixed, **params}
        kind = ReachedForest if reached else RandomDecisionForestClassifier
        return kind(**public(setting), **params)

    return build


RDF = {
    "JPW": private(baselines, "JPW"),
    "FS": private(baselines, "FS"),
    "RGV": private(baselines, "RGV"),
    "RDF": _forest(),
    "RDF, examined": _forest(reached=True),
    "RDF, global": _forest("global-exponential", reached=True),
    "RDF, unanimous": _forest("unanimous", reached=True),
    "RDF, all data": _forest(reached=True, partitioned=False),
    "Majority": _forest(n_estimators=1, max_depth=0),
    "Random trees": _forest("permute-and-flip", reached=True, partitioned=False, epsilon=math.inf),
}
