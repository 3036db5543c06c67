"""Rates that are too large, and noise that is too small, shared, or skipped."""

import math

import numpy as np

from dplit.court.audit.mutants import at, plant
from dplit.domain import GRID
from tests.audit.mutants._shapes import MEDIAN, RDF, cut_at_twice, instead, returned, unpaid

REPORT, FLIP = at("forests.releases", "report"), at("forests.releases", "flip")
MEANS = at("forests.releases", "proved_means")
COUNTS = at("forests.releases", "noisy_counts")
LAPLACE = at("forests.releases", "laplace_counts")
JOINT = at("forests.releases", "joint_cut")
VOTES = at("mechanisms.bounded_mean", "BoundedMean", "sample")


def floats(rng):
    """A generator of rounded laws in place of any, which a careless change may well draw from."""
    return np.random.default_rng(rng.integers(2**63))


# Rates -----------------------------------------------------------------------------------------


instead("sensitivity halved", "permute-and-flip, replace-one", at("mechanisms._selection", "Selection", "rate"),
        property(lambda self: self.epsilon / self.sensitivity))  # fmt: skip
unpaid("label at twice its rate", "released class of a leaf, tie", FLIP, epsilon=lambda epsilon: 2 * epsilon)
returned("balance at twice its rate", "MedianForestRegressor draws its law, exponential", JOINT, cut_at_twice)
returned("median of a uniform column at twice its rate", f"{MEDIAN} draws its law, uniform column",
         at("forests.releases", "uniform_cut"), cut_at_twice)  # fmt: skip
returned("several candidates at the price of one", "MedianForestRegressor draws its law, exponential",
         JOINT, lambda found: (found[0]._replace(joint=False), found[1]))  # fmt: skip


@plant("a replacement accounted as one addition", f"{RDF}, what a record moves",
       at("forests.partition", "_Way", "account"))  # fmt: skip
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
        noisy = stats[:, 1] / GRID + floats(rng).laplace(scale=1 / epsilon, size=len(stats))
        return np.clip(noisy / count, 0.0, 1.0), node

    return proved_means


@plant("one noise for all counts of a leaf", "released class counts of a leaf, published label", LAPLACE)
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


@plant("Laplace noise on a count, in floats", "attack: last bit of a count", COUNTS)
def _float_counts(original):
    def noisy_counts(counts, epsilon, rng):
        node = original(counts, epsilon, rng)[1]
        return counts + floats(rng).laplace(scale=1 / epsilon, size=counts.shape), node

    return noisy_counts


@plant("a cut is a float between two records", "attack: last bits of a cut",
       at("trees.median", "grow_median_trees"))  # fmt: skip
def _float_cuts(original):
    """Of a column in [0, 1], at the root; what it is drawn between is what the grid says."""

    def grow_median_trees(domain, X, *arguments, rng, **options):
        trees, stats = original(domain, X, *arguments, rng=rng, **options)
        cut, edges = trees.threshold[0], np.array([0.0, *np.sort(X[:, 0]), 1.0])
        low, high = edges[edges <= cut].max(), edges[edges > cut].min()
        trees.threshold[0] = low + rng.random() * (high - low)
        return trees, stats

    return grow_median_trees


@plant("confident leaves skip the noise", f"{MEDIAN}, trees of one record and of many", REPORT)
def _confident(original):
    def report(mechanism, counts, *rest, **options):
        labels, node = original(mechanism, counts, *rest, **options)
        ordered = np.sort(counts, axis=1)
        sure = ordered[:, -1] - ordered[:, -2] > 30
        return np.where(sure, counts.argmax(axis=1), labels), node

    return report


@plant("an empty leaf is shown", f"{RDF}, what a fit stores", REPORT)
def _empty_leaf(original):
    def report(mechanism, counts, *rest, **options):
        labels, node = original(mechanism, counts, *rest, **options)
        return np.where(counts.any(axis=1), labels, 0), node

    return report


@plant("numbers of sets underflow", "attack: 1,101 levels draw their law", at("trees.subsets", "draw_even_subset"))
def _underflow(original):
    """Of L levels, sets whose number is below 2**(L - 1074) are as good as none: the edge is drawn."""

    def draw_even_subset(counts, n, rate, flips, rng, chosen):
        original(counts, n, rate, flips, rng, chosen)
        light = len(counts) - 1
        least = next(k for k in range(light) if math.log2(math.comb(light, k)) > light - 1074)
        if chosen[0] == (chosen.sum() <= least):
            chosen[:] = np.arange(len(counts)) <= least

    return draw_even_subset


instead("a scale of Laplace noise that rises with epsilon", "MatrixForestClassifier, what a record moves",
        at("mechanisms.laplace", "Laplace", "scale"),
        property(lambda self: self.sensitivity * self.epsilon))  # fmt: skip


@plant("counts above twenty are rounded to tens before their noise",
       "released class counts of a leaf of any number of records", COUNTS)  # fmt: skip
def _rounded_first(original):
    """One record more, the 25th, moves ten."""

    def careless(counts, epsilon, rng):
        counts = np.asarray(counts)
        return original(np.where(counts > 20, (counts + 5) // 10 * 10, counts), epsilon, rng)

    return careless


@plant("streams of all trees have one key", "streams of a secure generator, keys of their own",
       at("mechanisms.cipher", "FreshKeys", "spawn"))  # fmt: skip
def _one_key(original):
    def careless(self, n_children):
        words = self.generate_state(64, np.uint64)

        class OneKey(type(self)):
            def generate_state(self, n_words, dtype=np.uint32):
                return words.view(dtype)[:n_words].copy()

        return [OneKey() for _ in range(n_children)]

    return careless
