"""Bugs that a systematic run over the code left uncaught: rules, shares, exact noise, blocks, accounts."""

from types import SimpleNamespace

import numpy as np

from dplit.baselines import jpw
from dplit.budget import Public
from dplit.court.audit.mutants import at, plant
from tests.audit.mutants._shapes import RDF, cut_at_twice, instead, returned, told, unpaid

# What the budget says ----------------------------------------------------------------------------


instead("a group of neighbours at the price of one step", "budget, a group",
        at("budget.nodes", "Group", "epsilon"), property(lambda self: self.part.epsilon))  # fmt: skip


@plant("rho of a sequence is that of one copy", "budget, zero-concentrated parts",
       at("budget.nodes", "Sequence", "rho"))  # fmt: skip
def _one_copy(original):
    return property(lambda self: original.fget(self) / self.copies)


instead("a group's delta is that of its part", "budget, delta", at("budget.nodes", "Group", "delta"),
        property(lambda self: self.part.delta))  # fmt: skip


@plant("the leaves get what the levels had too", "MedianForestClassifier spends what it is asked for",
       at("forests.partition", "level_shares"))  # fmt: skip
def _all_to_leaves(original):
    return lambda epsilon, depth, rho: (original(epsilon, depth, rho)[0], epsilon)


@plant("a budget forgets a level", "MedianForestClassifier spends what it is asked for",
       at("forests.releases", "levels"))  # fmt: skip
def _a_level_less(original):
    return lambda node, depth: original(node, max(depth - 1, 1))


@plant("a node says half of what it costs", f"{RDF} spends what it is asked for", at("forests.releases", "report"))
def _half_said(original):
    def report(mechanism, counts, *rest, **options):
        labels, node = original(mechanism, counts, *rest, **options)
        return labels, type(node)(node.name, node.epsilon / 2, node.mechanism, source=node.source)

    return report


instead("one person's records do not share epsilon", f"{RDF} spends what it is asked for",
        at("forests.base", "BaseForest", "_record_epsilon"), lambda self: float(self.epsilon))  # fmt: skip
instead("a fit that failed after its noise is given back", "an account of several fits",
        at("budget.accountant", "has_drawn"), lambda: None)  # fmt: skip
instead("a charge is not written into the account's file", "an account that is kept in a file",
        at("budget.ledger", "Ledger", "append"), lambda self, entry: None)  # fmt: skip


# What a record moves -----------------------------------------------------------------------------


returned("sums over blocks in thousandths of a record", f"{RDF}, what a record moves in blocks",
         at("forests.blocks", "DaskParts", "total"), lambda total: 1000 * total)  # fmt: skip


@plant("a part that is computed again is added again", f"{RDF}, what a record moves in blocks",
       at("forests.blocks", "DaskParts", "total"))  # fmt: skip
def _added_again(original):
    def total(self, ask, *told):
        return original(self, ask, *told) + original(self, ask, *told)

    return total


told("noise of a seed that stands in the code", "BoostedForestRegressor, what a record moves",
     at("forests.boosted_releases", "prior_of_targets"), rng=lambda rng: np.random.default_rng(1))  # fmt: skip


@plant("each tree reads all records of a partitioned forest", "MedianForestClassifier, what a record moves",
       at("forests.median", "_MedianForest", "_grown"))  # fmt: skip
def _all_records(original):
    def _grown(self, way, *rest):
        def parts(n_records, rng):
            return [np.arange(n_records)] * way.n_trees, way.account

        return original(self, SimpleNamespace(parts=parts), *rest)

    return _grown


# Rates and noise ---------------------------------------------------------------------------------


unpaid("Laplace noise of scale epsilon", "released class counts of a leaf, Laplace noise at half of epsilon 1",
       at("forests.releases", "laplace_counts"), epsilon=lambda epsilon: 1 / epsilon)  # fmt: skip
instead("Laplace noise keeps its last bits", "attack: last bit of a matrix release",
        at("mechanisms.geometric", "rounded"), lambda released, scale: released)  # fmt: skip
unpaid("a normalised score at four times its rate", "MultinomialForestClassifier draws its law, normalised",
       at("forests.releases", "normalised_cut"), epsilon=lambda epsilon: 4 * epsilon)  # fmt: skip
returned("levels of a column at twice their rate", "MedianForestRegressor draws its law, levels, uniform",
         at("forests.releases", "uniform_cut"), cut_at_twice)  # fmt: skip

# Exact noise -------------------------------------------------------------------------------------

told("the rate of exact noise forgets the sensitivity", "exact permute-and-flip draws its law",
     at("mechanisms.secure", "exact_rate"), sensitivity=lambda sensitivity: 1)  # fmt: skip
instead("a choice for release by rounded probabilities", "exact exponential mechanism draws its law",
        at("mechanisms.secure", "is_secure"), lambda rng: False)  # fmt: skip
told("exact Gaussian noise at half of its deviation", "exact Gaussian noise draws its law",
     at("mechanisms.exact_gaussian", "exact_factors"), sigma=lambda sigma: sigma / 2)  # fmt: skip
returned("exact cuts at twice their rate", "MedianForestRegressor draws its law, exponential, exact noise",
         at("trees.exact_rules", "exact_rule"), lambda found: found._replace(unit=2 * found.unit))  # fmt: skip


@plant("a depth follows the records and is called public",
       "JPWClassifier, trees of one record and of many",
       at("baselines.jpw", "JPWClassifier", "_depth"))  # fmt: skip
def _private_depth(original):
    def careless(self, domain, n_records):
        if self.max_depth is not None:
            return original(self, domain, n_records)
        return jpw.published_depth(domain, n_records), Public("depth", "of the number of records")

    return careless


@plant("bins part the range of the records", "codes of the records of a greedy baseline",
       at("baselines._shared", "bin_codes"))  # fmt: skip
def _observed_range(original):
    def careless(domain, records, bins):
        low, high = records.min(axis=0), records.max(axis=0)
        lower, upper = domain.bounds.T
        share = (records - low) / np.maximum(high - low, 1e-300)
        moved = np.where(domain.n_levels == 0, lower + share * (upper - lower), records)
        return original(domain, moved, bins)

    return careless


@plant("one cut is counted at each node, whatever columns are cut", "FSClassifier spends what it is asked for",
       at("baselines.fs_rgv", "_Plan", "node"))  # fmt: skip
def _one_cut(original):
    return lambda self: original(self._replace(cuts=min(self.cuts, 1)))
