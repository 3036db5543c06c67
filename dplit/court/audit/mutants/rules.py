"""Bugs that a systematic run over the code left uncaught: rules, shares, exact noise, blocks, accounts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from dplit.court.audit.mutants import RDF, at, plant

# What the budget says ----------------------------------------------------------------------------


@plant("a group of neighbours at the price of one step", "budget, a group",
       at("budget.nodes", "Group", "epsilon"))  # fmt: skip
def _one_step(original):
    return property(lambda self: self.part.epsilon)


@plant("rho of a sequence is that of one copy", "budget, zero-concentrated parts",
       at("budget.nodes", "Sequence", "rho"))  # fmt: skip
def _one_copy(original):
    return property(lambda self: original.fget(self) / self.copies)


@plant("a group's delta is that of its part", "budget, delta",
       at("budget.nodes", "Group", "delta"))  # fmt: skip
def _part_delta(original):
    return property(lambda self: self.part.delta)


@plant("the leaves get what the levels had too", "MedianForestClassifier spends what it is asked for",
       at("forests.partition", "level_shares"))  # fmt: skip
def _all_to_leaves(original):
    def level_shares(epsilon, depth, rho):
        return original(epsilon, depth, rho)[0], epsilon

    return level_shares


@plant("one person's records do not share epsilon", f"{RDF} spends what it is asked for",
       at("forests.base", "BaseForest", "_record_epsilon"))  # fmt: skip
def _not_shared(original):
    return lambda self: float(self.epsilon)


@plant("a fit that failed after its noise is given back", "an account of several fits",
       at("budget.accountant", "has_drawn"))  # fmt: skip
def _given_back(original):
    return lambda: None


# What a record moves -----------------------------------------------------------------------------


@plant("sums over blocks in thousandths of a record", f"{RDF} from blocks, a label",
       at("forests.dask_parts", "DaskParts", "total"))  # fmt: skip
def _thousandths(original):
    def total(self, ask, *told):
        return 1000 * original(self, ask, *told)

    return total


@plant("a part that is computed again is added again", f"{RDF}, what a record moves in blocks",
       at("forests.dask_parts", "DaskParts", "total"))  # fmt: skip
def _added_again(original):
    def total(self, ask, *told):
        return original(self, ask, *told) + original(self, ask, *told)

    return total


@plant("noise of a seed that stands in the code", "BoostedForestRegressor, what a record moves",
       at("forests.boosted_releases", "prior_of_targets"))  # fmt: skip
def _known_noise(original):
    def prior_of_targets(total, n_records, epsilon, rng):
        return original(total, n_records, epsilon, np.random.default_rng(1))

    return prior_of_targets


@plant("each tree reads all records of a partitioned forest", "MedianForestClassifier, what a record moves",
       at("forests.median", "_MedianForest", "_grown"))  # fmt: skip
def _all_records(original):
    def _grown(self, way, *rest):
        def parts(n_records, rng):
            return [np.arange(n_records)] * way.n_trees, way.account

        return original(self, SimpleNamespace(parts=parts), *rest)

    return _grown


# Rates and noise ---------------------------------------------------------------------------------


@plant("Laplace noise of scale epsilon", "released class counts of a leaf, Laplace noise at half of epsilon 1",
       at("forests.releases", "laplace_counts"))  # fmt: skip
def _scale_inverted(original):
    def laplace_counts(counts, epsilon, rng, *rest):
        return original(counts, 1 / epsilon, rng, *rest)[0], original(counts, epsilon, rng, *rest)[
            1
        ]

    return laplace_counts


@plant("Laplace noise keeps its last bits", "attack: last bit of a matrix release",
       at("mechanisms.geometric", "rounded"))  # fmt: skip
def _last_bits(original):
    return lambda released, scale: released


@plant("a normalised score at four times its rate", "MultinomialForestClassifier draws its law, normalised",
       at("forests.multinomial_releases", "normalised_cut"))  # fmt: skip
def _four_times(original):
    def normalised_cut(limits, epsilon):
        return original(limits, 4 * epsilon)[0], original(limits, epsilon)[1]

    return normalised_cut


@plant("levels of a column at twice their rate", "MedianForestRegressor draws its law, levels, uniform",
       at("forests.releases", "uniform_cut"))  # fmt: skip
def _levels_doubled(original):
    def uniform_cut(*arguments):
        rule, node = original(*arguments)
        return rule._replace(rate=2 * rule.rate), node

    return uniform_cut


# Exact noise -------------------------------------------------------------------------------------


@plant("the rate of exact noise forgets the sensitivity", "exact permute-and-flip draws its law",
       at("mechanisms.secure", "exact_rate"))  # fmt: skip
def _no_sensitivity(original):
    return lambda epsilon, sensitivity=1: original(epsilon)


@plant("a choice for release by rounded probabilities", "exact exponential mechanism draws its law",
       at("mechanisms.secure", "is_secure"))  # fmt: skip
def _rounded_choice(original):
    return lambda rng: False


@plant("exact Gaussian noise at half of its deviation", "exact Gaussian noise draws its law",
       at("mechanisms.exact_gaussian", "exact_factors"))  # fmt: skip
def _half_deviation(original):
    return lambda sigma: original(sigma / 2)


@plant("exact cuts at twice their rate", "MedianForestRegressor draws its law, exponential, exact noise",
       at("trees.exact_rules", "exact_rule"))  # fmt: skip
def _exact_doubled(original):
    def exact_rule(rule):
        found = original(rule)
        return found._replace(unit=2 * found.unit)

    return exact_rule
