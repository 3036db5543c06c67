"""Claims on algorithm 1: how a node is split, when it is, and how deep a tree becomes."""

from functools import cache
from itertools import product

import numpy as np

from dplit import Continuous, Domain, datasets, forests, multinomial
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, counted, need, note, same
from dplit.multinomial import forest as rules
from dplit.trees.arrays import leaf_depths

TOY_X = np.array([[5, 6], [1, 4], [4, 5], [3, 7], [7, 3], [2, 1], [6, 2]]) / 8
TOY_Y = np.array([2, 0, 1, 2, 2, 2, 0])  # both criteria, and they disagree
CONNECT_4 = 67_557  # records
ESTIMATION = (CONNECT_4 - CONNECT_4 // 10 + 1) // 2  # half of what a tenfold run trains on
FOREST = "forests.MultinomialForestClassifier"
ALGORITHM = Box("alg-multinomial-forest", FOREST, "multinomial.joint_law")
TEXT = Box("thm-multinomial-text", FOREST)
DEPTH = Box("thm-multinomial-depth", "multinomial.forest.least_depth")
SETTINGS = ((0.0, 0.0, "gini"), (1.0, 4.0, "gini"), (10.0, 10.0, "entropy"))


def grown(X, y, rng, **options):
    """A forest as published, of trees of all records unless `options` say otherwise."""
    settings = dict(classes=sorted(set(y)), accounting="published", partition_rate=None)
    seed = int(rng.integers(2**31))
    return forests.MultinomialForestClassifier(random_state=seed, **settings | options).fit(X, y)


@ALGORITHM("mrf/algorithm-1", "appendix B, algorithm 1, lines 4 to 8", proved=False, intervals=36)
def algorithm_1(effort, rng):
    r"""MRF selects a split feature randomly by the multinomial distribution $M(\phi)$, and then a split value
    randomly by $M(\varphi)$."""
    n_trees = effort.pick(1_000, 25_000, 250_000)
    shape = dict(domain=Domain([Continuous(0, 1)] * 2), max_depth=1, min_samples_leaf=1)
    for feature_budget, value_budget, criterion in SETTINGS:
        budgets = dict(feature_budget=feature_budget, value_budget=value_budget, criterion=criterion)
        stumps = grown(TOY_X, TOY_Y, rng, n_estimators=n_trees, **shape, **budgets).trees_
        cuts = multinomial.candidate_cuts(TOY_X, TOY_Y, criterion)
        law = multinomial.joint_law([c.decreases for c in cuts], feature_budget, value_budget)
        columns, thresholds = stumps.feature[stumps.roots], stumps.threshold[stumps.roots]
        for j in range(2):
            for cut, chance in zip(cuts[j].cuts, law[j]):
                seen = ((columns == j) & (abs(thresholds - cut) < 1e-6)).sum()
                data = {"feature": j, "cut": float(cut), **budgets}
                yield counted(int(seen), n_trees, float(chance), **data)
    return note(
        "In {cases} cases the share of trees that choose a split of the root agrees with the product of the two "
        "multinomials. Shown is feature {feature} at {cut} with B1 = {feature_budget}, B2 = {value_budget} and "
        "the criterion {criterion}: {exact:.4f} of the trees, where the product is {stated:.4f}.",
        quantity="probability of a split",
        range="every split of seven records with two features; both criteria, three pairs of budgets",
    )


@TEXT("mrf/text-rule", "section 3.2", about="reading", quantity="estimation points in the smallest leaf")
def text_rule(effort, rng):
    """If a split is a candidate only where it leaves k estimation points on either side, the number of estimation
    points is at least k in every leaf. (Algorithm 1 asks for more than k before a split, not after it.)"""
    leaves = 0
    for name, k in product(("wdbc", "car"), (1, 5, 20)):
        counts = _leaf_sizes(name, k, "text", effort.pick(5, 20, 100), rng)
        least, leaves = int(counts.min()), leaves + len(counts)
        yield need(least >= k, least, ">=", k, k=k, data=name, **{"smallest leaf": least})
    return note(
        f"The smallest of {leaves} leaves holds as many as it must: {{exact:g}} at k = {{k}} on {{data}}.",
        cases=leaves,
        range="k = 1, 5 and 20 on a set of continuous and one of categorical features",
    )


def _leaf_sizes(name, k, stopping, n_trees, rng):
    """Estimation points of every leaf, counted anew: each tree's halves are those of its labels."""
    data = datasets.load(name)
    y, sizes = np.asarray(data.y), []
    options = dict(domain=data.domain, n_estimators=1, min_samples_leaf=k, stopping=stopping)
    for _ in range(n_trees):
        fitted = grown(data.X, y, rng, **options)
        sizes.append(np.bincount(fitted.apply(data.X)[:, 0], minlength=fitted.trees_.n_leaves))
    return np.concatenate(sizes)


@DEPTH("mrf/depth-10", "appendix F", "fails", FOREST, "multinomial.forest.least_depth")
def depth_10(effort, rng):
    """The authors observe that each MRF tree on the selected datasets WDBC, CMC and Connect-4 has depth at most
    10, and therefore set d = 10. (Trees are deeper, whether they are grown by algorithm 1 or as the text says.)"""
    deepest = {
        (name, b, rule): _deepest(name, b, rule, effort.pick(10, 100, 1000), rng)
        for name, b, rule in product(("wdbc", "cmc"), (0.05, 1.0), ("algorithm", "text"))
    }
    for (name, b, rule), levels in sorted(deepest.items(), key=lambda item: -item[1]):
        data = {"data": name, "feature_budget": b, "value_budget": b, "rule": rule}
        yield below(levels, 10, levels=levels, **data)
    by_text = [d for (*_, rule), d in deepest.items() if rule == "text"]
    return note(
        "The deepest tree on {data} at B1 = B2 = {feature_budget} has {levels} levels. The deepest tree of each "
        f"of {{cases}} forests has {min(deepest.values())} levels or more, and {min(by_text)} to {max(by_text)} "
        "by the text's rule, which leaves k points in both children. By algorithm 1 a tree on the "
        f"{ESTIMATION:,} estimation points of Connect-4 has at least {rules.least_depth(ESTIMATION, 5)} levels.",
        quantity="levels of the deepest tree",
        range="WDBC and CMC, nine tenths of the records, k = 5, the budgets of table 3",
    )


def _deepest(name, budget, rule, n_trees, rng):
    """Levels of the deepest tree of a forest on nine tenths of the records."""
    data = datasets.load(name)
    y = np.asarray(data.y)
    part = rng.permutation(len(y))[: 9 * len(y) // 10]
    budgets = dict(feature_budget=budget, value_budget=budget)
    shape = dict(n_estimators=n_trees, partition_rate=1, stopping=rule)
    fitted = grown(data.X.iloc[part], y[part], rng, domain=data.domain, **shape, **budgets)
    return int(leaf_depths(fitted.trees_).max())


@DEPTH.corrected(depth_10, quantity="levels", range="k = 1, 2, 3, 5 and 8; up to 120 estimation points")
def least_depth(effort, rng):
    r"""If each node with more than $k$ estimation points can be split, a tree of algorithm 1 has at least $\lceil
    \log_2(n_E/k) \rceil$ levels, and this bound is attained. In a tenfold run on Connect-4 the bound is 13."""
    for k, n in product((1, 2, 3, 5, 8), range(effort.pick(60, 120, 400))):
        yield same(_shallowest(n, k), rules.least_depth(n, k), n=n, k=k)
    levels = next(d for d in range(99) if 5 * 2**d >= ESTIMATION)
    yield same(levels, rules.least_depth(ESTIMATION, 5), n=ESTIMATION, k=5)
    return (
        "The shallowest tree has as many levels as stated in all {cases} cases, in the last of them, with {n} "
        "estimation points and k = {k}, {exact:g} levels."
    )


@cache
def _shallowest(n, k):
    """Levels of the shallowest tree, over every way to part n points in two."""
    if n <= k:
        return 0
    return 1 + min(max(_shallowest(j, k), _shallowest(n - j, k)) for j in range(1, n // 2 + 1))
