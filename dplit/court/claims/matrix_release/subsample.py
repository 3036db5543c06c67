r"""Claims of M-RF on subsample-and-aggregate: whose records a tree has, and what a batch of votes costs.

Derived in :doc:`/book/matrix_release`. The truth is the law of the counts of all leaves over every
assignment of records to trees, in fractions, with noise on each entry; and the votes of every tree, made
by routing."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, permutations, product

import numpy as np

import dplit.court.claims.matrix_paths._forests as f
import dplit.court.claims.matrix_release._laws as laws
from dplit import datasets, matrix
from dplit.court.ledger import Case, bounded, claim, equal, private, verdict_of
from dplit.matrix.release import noise_for
from dplit.random_forest.parts import equal_parts_bound, leaf_counts_law

SIDES = {"quantity": "privacy loss"}
ASSIGNED = {"independent": "independent", "shuffled": "equal-parts"}


def counts_loss(data, neighbour, n_leaves, epsilon, assignment, reach=6):
    """Largest loss of the noisy counts of all leaves, over the random assignment, by enumeration.

    Each entry is looked at far below and far above its counts.
    """
    both = [
        _log_law(records, n_leaves, epsilon, assignment, reach) for records in (data, neighbour)
    ]
    return float(np.abs(both[0] - both[1]).max())


def _log_law(records, n_leaves, epsilon, assignment, reach):
    noise, total = noise_for(1, epsilon), 0.0
    law = leaf_counts_law([list(r) for r in records], n_leaves, 2, ASSIGNED[assignment])
    entries = 2 * sum(n_leaves)
    ends = np.array(list(product((-reach, reach), repeat=entries)))
    for counts, weight in law.items():
        total = total + float(weight) * noise.pmf(ends - np.ravel(counts)).prod(axis=1)
    return np.log(total)


def _sets(effort):
    """Data of few records on two trees of two leaves, each with its neighbour of one record more."""
    most = effort.pick(2, 2, 3)
    universe = list(product((0, 1), (0, 1), (0, 1)))
    for n in range(most + 1):
        for i in range(len(universe) ** min(n, 1)):
            data = [universe[i]] * n
            for record in universe:
                yield data, [*data, record]


@claim(
    "m-rf/subsample",
    "Optimizing subsample-and-aggregate framework; algorithm 3 with disjoint subsets",
    "assumes",
    "thm-release-subsample",
    ("matrix.subsample", "matrix.most_queries"),
    proof="thm-release-subsample",
    **SIDES,
)
def subsample(effort, rng):
    r"""The sensitivity of a batch of votes of trees on disjoint records is independent of the number of
    queries: with the strategy's $\|A\|_1 = 1$ the noise is Laplace of scale $1/\epsilon$. (If each
    record's tree is drawn for itself. Neighbours are add-remove, as in the appendix's proofs.)"""
    cases = [
        Case(counts_loss(a, b, (2, 2), 1.0, "independent"), 1.0, {"data": a, "neighbour": b})
        for a, b in _sets(effort)
    ]
    good = private(cases, "independent")
    leaks = max(counts_loss(a, b, (2, 2), 1.0, "shuffled") for a, b in _sets(effort))
    shown = {"independent": good.counterexample, "shuffled": leaks}
    if good.verdict == "leaks":
        return verdict_of(False, good.summary, shown, "leaks", cases=len(cases), kind="exact")
    if leaks <= 1 + 1e-9:
        return verdict_of(True, "no assignment leaks", cases=len(cases))
    return verdict_of(False, f"{len(cases)} pairs lose at most epsilon = 1 with a draw for each record; shuffled "
                      f"and cut, up to {leaks:.3f}", None, "assumes", cases=len(cases), published=1.0,
                      computed=good.computed, relation="<=",
                      range="up to 3 records and one more, 2 trees of 2 leaves, 2 classes")  # fmt: skip


@claim(
    "m-rf/subsample-shuffled",
    "Technical appendix, random decision trees with disjoint datasets; algorithm 3; the published code",
    "leaks",
    "thm-release-subsample",
    ("matrix.shuffled_loss", "matrix.own_leaves"),
    **SIDES,
)
def shuffled(effort, rng):
    r"""The training data is randomly split into $\tau$ disjoint subsets, as the code that the authors publish
    (arisa77/mrf-public) splits it: a shuffle, cut into parts of equal size. Algorithm 3, which can capture our
    improved subsample-and-aggregate method as well by fitting disjoint subsets of data on each ensemble forest,
    then satisfies $\epsilon$-DP."""
    cases = [
        Case(_family(tau, tau - 1, 1.0), 1.0, {"trees": tau, "records": tau - 1})
        for tau in (2, 3, 16)
    ]
    return private(cases, "{trees} trees on {records} + 1 records: {exact:.4g} of {stated}",
                   range="2 to 16 trees, epsilon 1")  # fmt: skip


@shuffled.corrected(
    functions=("matrix.shuffled_loss", "matrix.own_leaves"), proof="thm-release-subsample", **SIDES
)
def shuffled_exact(effort, rng, epsilon=(0.5, 1.0)):
    r"""They cost exactly $\log(e^\epsilon/\tau + (1-\frac1\tau)e^{3\epsilon})$, 2.94 for $\tau = 16$ and
    $\epsilon = 1$, where the leaves' counts are released: $\tau - 1$ records and one more attain it. With
    $n$ alike records one more costs at least $\log(s e^\epsilon + (1-s)e^{3\epsilon})$, $s = (\lfloor
    n/\tau\rfloor + 1)/(n + 1)$."""
    family, met = [], []
    for budget in epsilon:
        for tau, n in product((2, 3, 16), (0, 1, 2, 4, 15, 32)):
            shown = {"epsilon": budget, "trees": tau, "records": n}
            family.append(
                Case(_family(tau, n, budget), matrix.shuffled_loss(budget, tau, n), shown)
            )
        for tau in (2, 3, 16):
            shown = {"epsilon": budget, "trees": tau}
            met.append(Case(_family(tau, tau - 1, budget), equal_parts_bound(budget, tau), shown))
    two = equal_parts_bound(1.0, 2)
    small = [
        Case(counts_loss(a, b, (2, 2), 1.0, "shuffled"), two, {"data": a, "neighbour": b})
        for a, b in _sets(effort)
    ]
    same, exact, bound = equal(family, "family"), equal(met, "met"), bounded(small, "bound")
    return verdict_of(
        same.verdict == exact.verdict == bound.verdict == "holds",
        f"{len(family)} members of the family as enumerated; {len(met)} attain the bound, 16 trees at epsilon "
        f"{epsilon[-1]:g} with {met[-1].exact:.4f}; {len(small)} pairs of small data within it",
        {"family": same.counterexample, "met": exact.counterexample, "bound": bound.counterexample},
        cases=len(family) + len(met) + len(small), published=met[-1].stated, computed=met[-1].exact,
        relation="=", range="2 to 16 trees, up to 32 records; all data of up to 2 records on 2 trees",
    )  # fmt: skip


def _family(tau, n, epsilon):
    """Loss of the family's outcome: n records in the first leaf of each tree, one more in the second.

    The records are alike, so that only the new one's tree and the sizes matter: each of the n + 1 slots of
    a shuffle that is dealt in turn is its place with the same probability.
    """
    noise, far, more = noise_for(1, epsilon), n // tau + 3, n % tau
    outcome = np.array([[far if t == more else -far, far] for t in range(tau)])
    sizes = [len(range(t, n, tau)) for t in range(tau)]
    before = noise.pmf(outcome - np.array([[size, 0] for size in sizes])).prod()
    after = 0.0
    for slot in range(n + 1):
        counts = np.array([[size + (t == more), 0] for t, size in enumerate(sizes)])
        counts[slot % tau] += (-1, 1)
        after += noise.pmf(outcome - counts).prod() / (n + 1)
    return math.log(after / before)


# Hard labels ------------------------------------------------------------------------------------------


def _label_changes(neighbours, classes, records=3):
    """Most leaves' labels that differ after one record's change, over small data of one tree of two leaves.

    The tree of each record is fixed, and so is the class that each leaf prefers of those that tie: all orders of
    the classes are tried. The leaves are equivalent, and one of them prefers the classes as they are listed.
    """
    universe = list(product((0, 1), range(classes)))
    preferred = np.array([[range(classes, 0, -1), order] for order in permutations(range(classes))])

    def labels(data):
        counts = np.zeros((2, classes), dtype=int)
        for leaf, c in data:
            counts[leaf, c] += 1
        ranked = counts * (classes + 1.0) + preferred
        return ranked.argmax(axis=2)

    most = 0
    for n in range(records + 1):
        for data in combinations_with_replacement(universe, n):
            before = labels(data)
            changes = [[*data, r] for r in universe]
            if neighbours == laws.RO:
                rest = [[*data[:i], *data[i + 1 :]] for i in range(n)]
                changes = [[*one, r] for one in rest for r in universe]
            most = max([most, *((before != labels(c)).sum(axis=1).max() for c in changes)])
    return int(most)


def _hard_losses(classes, effort):
    """(loss, stated epsilon, shown) of hard labels at the package's noise, both relations."""
    strategy = matrix.Dense(np.eye(2))
    for neighbours in (laws.AR, laws.RO):
        delta = matrix.vote_sensitivity(strategy, classes, "hard", neighbours)
        leaves = _label_changes(neighbours, classes, effort.pick(2, 3, 3))
        columns = 1 if classes == 2 else 2  # entries of one leaf's row that a new label changes
        noise = noise_for(delta, 1.0)
        one = laws.worst(np.eye(1), noise, 1)  # of an entry that changes by 1
        yield (
            leaves * columns * one,
            1.0,
            {"classes": classes, "neighbours": neighbours, "leaves": leaves},
        )


@claim("m-rf/subsample-hard", "Technical appendix, proof of theorem 9", "holds",
       "thm-release-hard", ("matrix.vote_sensitivity",), proof="thm-release-hard",
       range="3 and 4 classes, all data of up to 3 records in 2 leaves", **SIDES)  # fmt: skip
def subsample_hard(effort, rng):
    r"""Adding or removing an individual sample can only change the leaf labels of trees on disjoint records by at
    most one at two locations, so that hard votes have Laplace noise of scale $2\|A\|_1/\epsilon$. (For three or
    more classes this is exact; under replace-one twice as much is needed.)"""
    cases = [Case(*row) for classes in (3, 4) for row in _hard_losses(classes, effort)]
    return equal(
        cases, "{cases} relations: with the labels that a record changes the loss is epsilon"
    )


@claim("m-rf/subsample-hard-two", "ours", "holds", "thm-release-hard", ("matrix.vote_sensitivity",),
       ours=True, proof="thm-release-hard", **SIDES,
       range="2 classes, all data of up to 3 records in 2 leaves")  # fmt: skip
def hard_two(effort, rng):
    r"""Of two classes one column of hard votes is enough, since all trees vote: the scale is
    $\|A\|_1/\epsilon$, half the published one, for the same $\epsilon$."""
    cases = [Case(*row) for row in _hard_losses(2, effort)]
    return equal(cases, "{cases} relations: one column, half the scale, and the loss is epsilon")


@claim("m-rf/appendix-theorems", "Technical appendix, theorems 6, 9 and 10", "assumes", "thm-release-hard",
       ("matrix.subsample", "matrix.vote_sensitivity"), proof="thm-release-hard",
       range="2 trees of 2 leaves, up to 2 records, weighted votes; hard votes of 3 classes", **SIDES)  # fmt: skip
def appendix(effort, rng):
    r"""Weight votes (definition 5), hard votes (definition 8) and algorithm 2, subsample-and-aggregate, satisfy
    $\epsilon$-DP: adding or removing an individual sample can only change leaf counts by at most one at one
    location, and labels at two. (This assumes a draw of the tree for each sample. If the data are shuffled and cut
    into equal parts, one sample more can move another to another tree.)"""
    universe, one = list(product((0, 1), (0, 1), (0, 1))), np.eye(1)
    added = [counts_loss([], [b], (2, 2), 1.0, "independent") for b in universe]
    cut = max(counts_loss([a], [a, b], (2, 2), 1.0, "shuffled") for a in universe for b in universe)
    cases = [(1.0, max(added), cut, {"votes": "weighted"})]
    noise = noise_for(matrix.vote_sensitivity(matrix.Dense(np.eye(2)), 3, "hard"), 1.0)
    hard = 2 * _label_changes(laws.AR, 3) * laws.worst(one, noise, 1)
    cases.append((1.0, hard, hard, {"votes": "hard"}))
    note = "{cases} kinds of votes: {tight} lose exactly epsilon; shuffled and cut, weighted, {factor:.4g} epsilon"
    return laws.assumes_add_remove(cases, note)


# Batches of queries -----------------------------------------------------------------------------------


def _batch(name, depth, tau, seed):
    """(paths, queries) of a forest and a fifth of a data set, shuffled by the seed."""
    data, rng = datasets.load(name), np.random.default_rng(seed)
    codes = np.column_stack([np.unique(data.X[c], return_inverse=True)[1] for c in data.X])
    queries = codes[rng.permutation(len(codes))[: math.ceil(len(codes) / 5)]]
    trees, paths = f.forest((codes.max(axis=0) + 1).tolist(), tau, depth, rng)
    return trees, paths, queries


@claim("m-rf/subsample-two-queries", "Technical appendix, DP weight voting approach", "holds",
       "thm-release-subsample", ("matrix.most_queries",),
       quantity="sensitivity of both votes together")  # fmt: skip
def two_queries(effort, rng):
    r"""When two inference queries do not share the same decision paths in the random forest, the sensitivity can
    be analyzed as 1 instead of 2, as data points used for voting do not overlap between the two queries. (No leaf
    is on a path of both; the trees have disjoint records.)"""
    cases = []
    for _ in range(effort.pick(30, 100, 500)):
        levels = f.small_levels(rng, 3)
        trees, paths = f.forest(levels, int(rng.integers(1, 4)), int(rng.integers(1, 3)), rng)
        Q = f.records(levels, 2, rng)
        one, two = f.leaves(trees, Q)
        cases.append(
            Case(1 + int((one == two).any()), matrix.most_queries(paths, Q), {"levels": levels})
        )
    seen = {case.exact for case in cases}
    if seen != {1, 2}:
        return verdict_of(False, "only one kind of pair was drawn", {"seen": sorted(seen)})
    return equal(cases, "{cases} pairs of queries: 1 if no leaf is on both paths, else 2",
                 range="small forests of up to 3 trees")  # fmt: skip


@claim("m-rf/subsample-existing", "Section 1; technical appendix: Lap(b/eps), Lap(2b/eps)", "loose",
       "thm-release-subsample", ("matrix.most_queries",), quantity="sensitivity of all votes",
       range="Car, depth 3, 346 queries; Balance, depth 2, 125 queries; 16 trees")  # fmt: skip
def subsample_existing(effort, rng):
    r"""The existing subsample-and-aggregate framework allocates the privacy budget equally to each inference
    query, $\epsilon/b$ to each of $b$: noise of scale $b/\epsilon$, and $2b/\epsilon$ for hard votes. (Together
    the votes change by no more than the queries that share a leaf, and twice that.)"""
    cases = [Case(_shared_by_routing(*row[:2]), row[2], row[3]) for row in _batches(effort)]
    return bounded(cases, "{name}: {exact} of {stated} queries share a leaf, at most")


@subsample_existing.corrected(functions=("matrix.most_queries",), proof="thm-release-subsample",
                              quantity="sensitivity of all votes",
                              range="Car, depth 3; Balance, depth 2; 16 trees")  # fmt: skip
def existing_exact(effort, rng):
    r"""The sensitivity of all weighted votes is $\|QT^\top\|_1$, the most queries that share a leaf:
    about 19 of 346 on Car with depth 3 and 10 of 125 on Balance with depth 2, by the split and the
    forest."""
    cases = []
    for trees, Q, _, shown in _batches(effort):
        paths = matrix.decision_paths(trees, shown["levels"])
        cases.append(Case(_shared_by_routing(trees, Q), matrix.most_queries(paths, Q), shown))
    car = sorted(c.exact for c in cases if c.data["name"] == "car")
    balance = sorted(c.exact for c in cases if c.data["name"] == "balance")
    found = f"{{cases}} batches; Car {car[0]} to {car[-1]} of 346, Balance {balance[0]} to {balance[-1]} of 125"
    return equal(cases, found)


def _batches(effort):
    """(trees, queries, number of queries, shown): a fifth of the records, ten seeds and more."""
    for name, depth in (("car", 3), ("balance", 2)):
        for seed in range(effort.pick(10, 30, 100)):
            trees, paths, Q = _batch(name, depth, 16, seed)
            yield trees, Q, len(Q), {"name": name, "seed": seed, "levels": paths.n_levels.tolist()}


def _shared_by_routing(trees, Q):
    """The most queries in one leaf, by routing."""
    return int(f.routed(trees, Q).sum(axis=0).max())


@claim("m-rf/subsample-is-disjoint", "ours", "holds", "thm-release-subsample", ("matrix.subsample",),
       ours=True, proof="thm-release-subsample", quantity="votes of queries")  # fmt: skip
def is_disjoint(effort, rng):
    r"""With the leaves themselves as strategy, $A = I$, the votes of subsample-and-aggregate are those of
    disjoint training with noise on the leaves' counts, weighted: the two methods that the paper compares
    are one."""
    cases = []
    for seed in range(effort.pick(10, 40, 200)):
        levels = f.small_levels(rng, 3)
        trees, paths = f.forest(levels, 3, 2, rng)
        X, y, Q = f.records(levels, 40, rng), rng.integers(0, 3, 40), f.records(levels, 5, rng)
        strategy = matrix.member(matrix.subsample_workload(paths, Q), "identity")
        votes, node = matrix.subsample(
            paths, Q, strategy, X, y, 3, 1.0, rng=np.random.default_rng(seed)
        )
        draws = np.random.default_rng(seed)
        tree = draws.integers(3, size=40)  # disjoint training, by routing
        counts = np.zeros((len(paths), 3), dtype=int)
        for leaf, c in zip(f.leaves(trees, X)[np.arange(40), tree], y):
            counts[leaf, c] += 1
        noise = counts + (noise_for(1, 1.0).sample(0 * counts, rng=draws))
        exact = (f.routed(trees, Q) @ noise).ravel()
        cases += [Case(a, b, {"levels": levels}) for a, b in zip(exact, votes.ravel())]
        cases.append(Case(node.epsilon, 1.0, {"of": "budget"}))
    return equal(cases, "{cases} votes and budgets are equal", rtol=1e-9,
                 range="three trees, 40 records, 5 queries, 3 classes")  # fmt: skip
