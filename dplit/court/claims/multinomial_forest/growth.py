r"""Claims on algorithm 1: how a node is split, when it is, and how deep a tree becomes.

The forest itself is grown; what it does is held against laws that do not know it. Derived in
:doc:`/book/multinomial_forest`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from dplit import Continuous, Domain, datasets, forests, multinomial
from dplit.court.ledger import Case, Count, claim, counts_equal, equal, verdict_of
from dplit.multinomial import forest as rules
from dplit.trees.arrays import leaf_depths

TOY_X = np.array([[5, 6], [1, 4], [4, 5], [3, 7], [7, 3], [2, 1], [6, 2]]) / 8
TOY_Y = np.array([2, 0, 1, 2, 2, 2, 0])  # both criteria, and they disagree
CONNECT_4 = 67_557  # records
ESTIMATION = (CONNECT_4 - CONNECT_4 // 10 + 1) // 2  # half of what a tenfold run trains on
SETTINGS = ((0.0, 0.0, "gini"), (1.0, 4.0, "gini"), (10.0, 10.0, "entropy"))


def grown(X, y, **options):
    """A forest as published, of trees of all records unless `options` say otherwise."""
    settings = dict(classes=sorted(set(y)), accounting="published", partition_rate=None)
    return forests.MultinomialForestClassifier(**{**settings, **options}).fit(X, y)


@claim(
    "mrf/algorithm-1",
    "appendix B, algorithm 1, lines 4 to 8",
    "holds",
    "alg-multinomial-forest",
    ("forests.MultinomialForestClassifier", "multinomial.joint_law"),
    kind="simulated",
    intervals=36,
    quantity="probability of a split",
    range="every split of seven records with two features; both criteria, three pairs of budgets",
)
def algorithm_1(effort, rng):
    r"""Select a split feature randomly according to the multinomial distribution $M(\phi)$, and then a split
    value randomly according to $M(\varphi)$."""
    return counts_equal(
        _roots(effort.pick(2_500, 25_000, 250_000), rng),
        "In {cases} cells the share of trees that split their root so is the product of the two "
        "multinomials; feature {feature} at {cut} with B1 = {feature_budget}, B2 = {value_budget}, "
        "{criterion}: {observed:.4f} of the trees, law {stated:.4f}.",
    )


def _roots(n_trees, rng):
    """How often each split was the root's, of forests of stumps."""
    domain = Domain([Continuous(0, 1)] * 2)
    for feature_budget, value_budget, criterion in SETTINGS:
        stumps = grown(
            TOY_X, TOY_Y, domain=domain, n_estimators=n_trees, max_depth=1, min_samples_leaf=1,
            feature_budget=feature_budget, value_budget=value_budget, criterion=criterion,
            random_state=int(rng.integers(2**31)),
        ).trees_  # fmt: skip
        cuts = multinomial.candidate_cuts(TOY_X, TOY_Y, criterion)
        law = multinomial.joint_law([c.decreases for c in cuts], feature_budget, value_budget)
        columns, thresholds = stumps.feature[stumps.roots], stumps.threshold[stumps.roots]
        for j in range(2):
            for cut, chance in zip(cuts[j].cuts, law[j]):
                seen = ((columns == j) & (abs(thresholds - cut) < 1e-6)).sum()
                data = {"feature": j, "cut": float(cut), "feature_budget": feature_budget,
                        "value_budget": value_budget, "criterion": criterion}  # fmt: skip
                yield Count(int(seen), n_trees, float(chance), data)


# When a node is split ---------------------------------------------------------------------------


@claim(
    "mrf/text-rule",
    "section 3.2",
    "holds",
    "thm-multinomial-text",
    ("forests.MultinomialForestClassifier",),
    about="reading",
    proof="thm-multinomial-text",
    quantity="estimation points in the smallest leaf",
    range="k = 1, 5 and 20 on a set of continuous and one of categorical features",
)
def text_rule(effort, rng):
    """The number of estimation points is at least k in every leaf, if a split is a candidate only where it
    leaves k of them on either side. (Algorithm 1 asks for more than k before a split, not after it.)"""
    cases, smallest = 0, []
    for name in ("wdbc", "car"):
        for k in (1, 5, 20):
            counts = _leaf_sizes(name, k, "text", effort.pick(5, 20, 100), rng)
            cases += len(counts)
            smallest.append((int(counts.min()), k, name))
    least, k, name = min(smallest, key=lambda found: found[0] - found[1])
    return verdict_of(
        least >= k,
        f"The smallest of {cases} leaves holds as many as it must: {least} at k = {k} on {name}.",
        {"smallest leaf": least, "k": k, "data": name},
        cases=cases,
        published=k,
        computed=least,
        relation=">=",
    )


def _leaf_sizes(name, k, stopping, n_trees, rng):
    """Estimation points of every leaf, counted anew: each tree's halves are those of its labels."""
    data = datasets.load(name)
    y, sizes = np.asarray(data.y), []
    for _ in range(n_trees):
        fitted = grown(
            data.X, y, domain=data.domain, n_estimators=1, min_samples_leaf=k, stopping=stopping,
            random_state=int(rng.integers(2**31)),
        )  # fmt: skip
        sizes.append(np.bincount(fitted.apply(data.X)[:, 0], minlength=fitted.trees_.n_leaves))
    return np.concatenate(sizes)


# How deep a tree becomes --------------------------------------------------------------------------


@claim(
    "mrf/depth-10",
    "appendix F",
    "fails",
    "thm-multinomial-depth",
    ("forests.MultinomialForestClassifier", "multinomial.forest.least_depth"),
    quantity="levels of the deepest tree",
    range="WDBC and CMC, nine tenths of the records, k = 5, the budgets of table 3",
)
def depth_10(effort, rng):
    """We observe that the depth of each tree in MRF, constructed based on the selected datasets WDBC, CMC and
    Connect-4, is no more than 10, and therefore set d = 10. (Deeper by algorithm 1 and by the text's rule.)"""
    deepest = {
        (name, b, rule): _deepest(name, b, rule, effort.pick(10, 100, 1000), rng)
        for name in ("wdbc", "cmc")
        for b in (0.05, 1.0)
        for rule in ("algorithm", "text")
    }
    forced = rules.least_depth(ESTIMATION, 5)
    (name, budget, _), levels = max(deepest.items(), key=lambda item: item[1])
    shallow = min(deepest.values())
    by_text = [d for (*_, rule), d in deepest.items() if rule == "text"]
    return verdict_of(
        levels <= 10,
        f"The deepest tree on {name} at B1 = B2 = {budget} has {levels} levels; in each of "
        f"{len(deepest)} forests one has {shallow} or more, {min(by_text)} to {max(by_text)} by the text's rule, "
        f"which leaves k points in both children. By algorithm 1 the {ESTIMATION:,} estimation points of "
        f"Connect-4 need {forced}.",
        {"data": name, "feature_budget": budget, "value_budget": budget, "levels": levels},
        cases=len(deepest),
        published=10,
        computed=levels,
        relation="<=",
    )


def _deepest(name, budget, rule, n_trees, rng):
    data = datasets.load(name)
    y = np.asarray(data.y)
    part = rng.permutation(len(y))[: 9 * len(y) // 10]
    fitted = grown(
        data.X.iloc[part], y[part], domain=data.domain, n_estimators=n_trees, partition_rate=1, stopping=rule,
        feature_budget=budget, value_budget=budget, random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    return int(leaf_depths(fitted.trees_).max())


@depth_10.corrected(
    functions=("multinomial.forest.least_depth",),
    proof="thm-multinomial-depth",
    quantity="levels of the shallowest tree",
    range="k = 1, 2, 3, 5 and 8; estimation points up to 120 at reader's effort",
)
def least_depth(effort, rng):
    r"""A tree of algorithm 1 whose every node of more than $k$ estimation points can be split has at least
    $\lceil \log_2(n_E/k) \rceil$ levels, and can have as few: 13 in a tenfold run on Connect-4."""
    most = effort.pick(60, 120, 400)
    cases = [
        Case(_shallowest(n, k), rules.least_depth(n, k), {"n": n, "k": k})
        for k in (1, 2, 3, 5, 8) for n in range(most)
    ]  # fmt: skip
    levels = next(d for d in range(99) if 5 * 2**d >= ESTIMATION)
    cases.append(Case(levels, rules.least_depth(ESTIMATION, 5), {"n": ESTIMATION, "k": 5}))
    return equal(
        cases,
        "The shallowest of all ways to part {n} estimation points at k = {k} has {exact} levels; so in "
        "all {cases} cases.",
    )


@cache
def _shallowest(n, k):
    """Levels of the shallowest tree, over every way to part n points in two."""
    if n <= k:
        return 0
    return 1 + min(max(_shallowest(j, k), _shallowest(n - j, k)) for j in range(1, n // 2 + 1))
