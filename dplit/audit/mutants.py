"""Privacy bugs, planted at run time: what a careless change would do, and the subject that sees it.

Each `Mutant` replaces one function of the package while ``with planted(mutant):`` lasts, in every module
that has imported it. The budget tree goes on to say what it said: that is what makes it a bug.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps

import numpy as np

from dplit.domain import GRID, Continuous, Domain


@dataclass(frozen=True)
class Mutant:
    """One planted bug.

    Attributes
    ----------
    name : str
        What goes wrong, in words.
    caught_by : str
        Subject of ``dplit audit`` that sees it.
    change : callable
        ``change() -> (owner, attribute, wrap)``; ``wrap(original)`` stands in for the original.
    """

    name: str
    caught_by: str
    change: Callable


@contextmanager
def planted(mutant):
    """Run with one bug."""
    owner, attribute, wrap = mutant.change()
    original = vars(owner)[attribute] if isinstance(owner, type) else getattr(owner, attribute)
    stand_in = wrap(original)
    places = [(owner, attribute)]
    if not isinstance(owner, type):  # a function: wherever it was imported by its name
        modules = [m for name, m in sys.modules.items() if name.startswith("dplit")]
        places += [(m, a) for m in modules for a, v in list(vars(m).items()) if v is original]
    try:
        for place, name in places:
            setattr(place, name, stand_in)
        yield
    finally:
        for place, name in places:
            setattr(place, name, original)


def every_mutant():
    """All planted bugs, dict of name to `Mutant`."""
    return {m.name: m for m in _mutants}


_mutants = []


def plant(name, caught_by, place):
    """Decorator of ``wrap(original)``: register a bug at ``place() -> (owner, attribute)``."""

    def register(wrap):
        _mutants.append(Mutant(name, caught_by, lambda: (*place(), wrap)))
        return wrap

    return register


def _at(module, *names):
    """Place of ``module.name``, or of ``module.Class.name``; imported when it is asked for."""

    def place():
        from importlib import import_module

        owner = import_module(f"dplit.{module}")
        for name in names[:-1]:
            owner = getattr(owner, name)
        return owner, names[-1]

    return place


RDF, MEDIAN = "RandomDecisionForestClassifier", "MedianForestClassifier"
FIT = _at("forests.base", "BaseForest", "_read_fit")
REPORT, FLIP = _at("forests.releases", "report"), _at("forests.releases", "flip")
MEANS, COUNTS = _at("forests.releases", "proved_means"), _at("forests.releases", "noisy_counts")
LAPLACE = _at("forests.releases", "laplace_counts")
JOINT = _at("forests.releases", "joint_cut")
VOTES = _at("mechanisms.bounded_mean", "BoundedMean", "sample")
LABELLED = _at("trees.routing", "count_labels")
ASSIGN = _at("forests.partition", "Independent", "assign")


# Rates -----------------------------------------------------------------------------------------


@plant("sensitivity halved", "permute-and-flip, replace-one",
       _at("mechanisms._selection", "Selection", "rate"))  # fmt: skip
def _sensitivity_halved(original):
    return property(lambda self: self.epsilon / self.sensitivity)


@plant("label at twice its rate", "released class of a leaf, tie", FLIP)
def _label_doubled(original):
    def flip(counts, epsilon, rng, *rest):
        labels, _ = original(counts, 2 * epsilon, rng, *rest)
        return labels, original(counts, epsilon, rng, *rest)[1]

    return flip


@plant("balance at twice its rate", "MedianForestRegressor draws its law, exponential", JOINT)
def _balance_doubled(original):
    def joint_cut(*arguments):
        rule, node = original(*arguments)
        return rule._replace(rate=2 * rule.rate), node

    return joint_cut


@plant("median of a uniform column at twice its rate", f"{MEDIAN} draws its law, uniform column",
       _at("forests.releases", "uniform_cut"))  # fmt: skip
def _uniform_doubled(original):
    return _balance_doubled(original)


@plant("several candidates at the price of one", "MedianForestRegressor draws its law, exponential",
       JOINT)  # fmt: skip
def _candidates_for_one(original):
    def joint_cut(limits, median, choice, reach, selection):
        rule, node = original(limits, median, choice, reach, selection)
        return rule._replace(joint=False), node

    return joint_cut


@plant("a replacement accounted as one addition", f"{RDF}, one record replaced",
       _at("forests.partition", "_Way", "account"))  # fmt: skip
def _replacement_single(original):
    """The rate is halved, and so is what the budget says: it is the budget that is refuted."""

    def account(self, tree, name="trees", replaced=""):
        return self._together(tree, name)

    return account


# Noise -----------------------------------------------------------------------------------------


@plant("noise for each end of a mean as if half a vote moved",
       "released mean of a leaf, its votes far from each other", VOTES)  # fmt: skip
def _noise_halved(original):
    def sample(self, sums, counts, *, rng):
        loud = type(self)(2.2 * self.epsilon, self.lower, self.upper)
        return original(loud, sums, counts, rng=rng)

    return sample


@plant("noise on the sum only", "released mean of a leaf, one record and two", VOTES)
def _sum_only(original):
    def sample(self, sums, counts, *, rng):
        votes = original(self, sums, counts, rng=rng)
        votes[..., 0] = np.asarray(counts) - votes[..., 1]
        return votes

    return sample


@plant("one noise for both ends of a mean", "released mean of a leaf, one record and two", VOTES)
def _shared_votes(original):
    def sample(self, sums, counts, *, rng):
        votes = original(self, sums, counts, rng=rng)
        true = (np.asarray(sums) - np.asarray(counts) * self.lower) / (self.upper - self.lower)
        votes[..., 0] = np.asarray(counts) - true + (votes[..., 1] - true)
        return votes

    return sample


@plant("a mean over the true count", "released mean of a leaf, one record and two", MEANS)
def _true_count(original):
    def proved_means(stats, epsilon, rng):
        node = original(stats, epsilon, rng)[1]
        count = np.maximum(stats[:, 0], 1)
        noisy = stats[:, 1] / GRID + rng.laplace(scale=1 / epsilon, size=len(stats))
        return np.clip(noisy / count, 0.0, 1.0), node

    return proved_means


@plant("one noise for all counts of a leaf", "released class counts of a leaf, published label",
       LAPLACE)  # fmt: skip
def _shared_counts(original):
    def laplace_counts(counts, epsilon, rng, *rest):
        released, node = original(counts, epsilon, rng, *rest)
        return counts + (released - counts)[:, :1], node

    return laplace_counts


@plant("noise of one sign", "released class counts of a leaf", COUNTS)
def _one_sign(original):
    def noisy_counts(counts, epsilon, rng, *rest):
        released, node = original(counts, epsilon, rng, *rest)
        return counts + abs(released - counts), node

    return noisy_counts


@plant("confident leaves skip the noise", f"{MEDIAN}, confident leaf, 200 records more", REPORT)
def _confident(original):
    def report(mechanism, counts, *rest, **options):
        labels, node = original(mechanism, counts, *rest, **options)
        ordered = np.sort(counts, axis=1)
        sure = ordered[:, -1] - ordered[:, -2] > 30
        return np.where(sure, counts.argmax(axis=1), labels), node

    return report


@plant("an empty leaf is shown", f"{RDF}, empty leaf", REPORT)
def _empty_leaf(original):
    def report(mechanism, counts, *rest, **options):
        labels, node = original(mechanism, counts, *rest, **options)
        return np.where(counts.any(axis=1), labels, 0), node

    return report


# Randomness ------------------------------------------------------------------------------------


class _OneStream:
    """A generator whose children are all one and the same."""

    def __init__(self, rng):
        self.seed = int(rng.integers(2**63))

    def spawn(self, n):
        return [np.random.default_rng(self.seed) for _ in range(n)]


@plant("one stream for all trees", f"{MEDIAN}, cuts of two trees together",
       _at("trees.median", "grow_median_trees"))  # fmt: skip
def _one_stream(original):
    def grow_median_trees(*arguments, rng, **options):
        return original(*arguments, rng=_OneStream(rng), **options)

    return grow_median_trees


@plant("a seed is kept", "a tree of DPExtraTreesRegressor",
       _at("forests.base", "BaseForest", "_generator"))  # fmt: skip
def _seed_kept(original):
    return lambda self: np.random.default_rng(1)


# Records and trees -----------------------------------------------------------------------------


@plant("a record's tree by its label", f"{RDF} draws its law, three records of a class", LABELLED)
def _tree_by_label(original):
    def count_labels(trees, X, y, assigned, *rest):
        return original(trees, X, y, (y % trees.n_trees).astype(assigned.dtype), *rest)

    return count_labels


@plant("equal parts", f"{RDF} draws its law, three records of a class", ASSIGN)
def _equal_parts(original):
    def assign(self, n_records, rng):
        return rng.permutation(n_records) % self.n_trees, self.account

    return assign


@plant("a record counts in two trees", f"{RDF} draws its law, three records of a class", LABELLED)
def _two_trees(original):
    def count_labels(trees, X, y, assigned, *rest):
        following = (assigned + 1) % trees.n_trees
        return original(trees, X, y, assigned, *rest) + original(trees, X, y, following, *rest)

    return count_labels


@plant("trees of all records as if each had its own",
       "DPExtraTreesClassifier, five trees that read all records",
       _at("forests.base", "BaseForest", "_way"))  # fmt: skip
def _all_records_parallel(original):
    from dplit.forests.partition import Independent

    class Everything(Independent):
        def parts(self, n_records, rng):
            return [np.arange(n_records)] * self.n_trees, self.account

    return lambda self: Everything(int(self.n_estimators), self.neighbours)


# Schema, shape and what is stored ----------------------------------------------------------------


@plant("a domain widened by the data", f"{RDF}, what a fit stores", FIT)
def _widened(original):
    @wraps(original)
    def _read_fit(self, X, y):
        domain = self.domain
        try:
            self.domain = Domain([_wide(f, c) for f, c in zip(domain, np.asarray(X).T)])
            return original(self, X, y)
        finally:
            self.domain = domain

    return _read_fit


def _wide(feature, column):
    if not isinstance(feature, Continuous):
        return feature
    values = column.astype(float)
    return Continuous(min(feature.lower, values.min()), max(feature.upper, values.max()))


@plant("the class list is read off the data", f"{MEDIAN}, what a fit stores",
       _at("forests.base", "BaseForestClassifier", "_read_classes"))  # fmt: skip
def _observed_classes(original):
    def _read_classes(self, y):
        declared = self.classes
        try:
            self.classes = sorted(set(np.asarray(y).tolist()) | set(list(declared)[:1]))
            return original(self, y)
        finally:
            self.classes = declared

    return _read_classes


@plant("the number of records is kept", f"{RDF}, what a fit stores", FIT)
def _count_kept(original):
    def _read_fit(self, X, y):
        self.n_records_ = len(X)
        return original(self, X, y)

    return _read_fit


@plant("the depth is read off the number of records", f"{RDF}, what a fit stores",
       _at("forests.random_decision", RDF, "fit"))  # fmt: skip
def _depth_of_records(original):
    def fit(self, X, y):
        self.max_depth = int(math.log2(len(X)))
        return original(self, X, y)

    return fit
