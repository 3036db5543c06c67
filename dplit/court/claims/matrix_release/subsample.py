"""Claims of M-RF on subsample-and-aggregate: whose records a tree has, and what a batch of votes costs.

The truth is the law of the counts of all leaves over every assignment of records to trees, in fractions, with
noise on each entry; and the votes of every tree, made by routing.
"""

import math
from itertools import combinations_with_replacement, permutations, product

import numpy as np

from dplit import datasets, matrix
from dplit.court.claims.matrix_paths.small import entries, forest, records, small_forests, small_levels
from dplit.court.claims.matrix_release.laws import AR, RO, assumes_add_remove, worst
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, below, need, note, same
from dplit.matrix.release import noise_for
from dplit.random_forest.parts import equal_parts_bound, leaf_counts_law

SUBSAMPLE = Box("thm-release-subsample", "matrix.subsample", "matrix.most_queries", quantity="privacy loss")
SHUFFLED = Box("thm-release-subsample", "matrix.shuffled_loss", "matrix.own_leaves", quantity="privacy loss")
VOTES = Box("thm-release-subsample", "matrix.most_queries", quantity="sensitivity of all votes")
HARD = Box("thm-release-hard", "matrix.vote_sensitivity", quantity="privacy loss")
ASSIGNED = {"independent": "independent", "shuffled": "equal-parts"}
RECORDS = list(product((0, 1), (0, 1), (0, 1)))  # on two trees of two leaves, two classes


def counts_loss(data, neighbour, epsilon, assignment, reach=6):
    """Largest loss of the noisy counts of all leaves, over the random assignment, by enumeration.

    Each entry is looked at far below and far above its counts.
    """
    noise, laws = noise_for(1, epsilon), []
    ends = np.array(list(product((-reach, reach), repeat=8)))
    for each in (data, neighbour):
        counted = leaf_counts_law([list(r) for r in each], (2, 2), 2, ASSIGNED[assignment])
        laws.append(sum(float(w) * noise.pmf(ends - np.ravel(c)).prod(axis=1) for c, w in counted.items()))
    return float(np.abs(np.log(laws[0]) - np.log(laws[1])).max())


def _losses(effort, assignment):
    """(loss, data) of few records on two trees of two leaves, each with its neighbour of one record more."""
    for n in range(effort.pick(2, 2, 3) + 1):
        for record, added in product(RECORDS if n else RECORDS[:1], RECORDS):
            data, neighbour = [record] * n, [*[record] * n, added]
            loss = counts_loss(data, neighbour, 1.0, assignment)
            yield loss, {"data": data, "neighbour": neighbour}


@SUBSAMPLE(
    "m-rf/subsample",
    "Optimizing subsample-and-aggregate framework; algorithm 3 with disjoint subsets",
    "assumes",
    proved=True,
)
def subsample(effort, rng):
    r"""The sensitivity of a batch of votes of trees on disjoint records is independent of the number of queries:
    with the strategy's $\|A\|_1 = 1$ the noise is Laplace of scale $1/\epsilon$. (This assumes that the tree of
    each record is drawn independently. Neighbours are add-remove, as in the appendix's proofs.)"""
    for loss, data in _losses(effort, "independent"):
        yield below(loss, 1.0, broken="leaks", **data)
    yield below(max(loss for loss, _ in _losses(effort, "shuffled")), 1.0)
    return note(
        "In {cases} comparisons the losses are at most epsilon = 1 if each record draws its tree, but up to "
        "{exact:.3f} if records are shuffled and cut.",
        range="up to 3 records and one more, 2 trees of 2 leaves, 2 classes",
    )


@SHUFFLED(
    "m-rf/subsample-shuffled",
    "Technical appendix, random decision trees with disjoint datasets; algorithm 3; the published code",
    "leaks",
    **over("m-rf/subsample-shuffled") | {"quantity": "likelihood ratio"},
)
def shuffled(effort, rng):
    r"""The training data is randomly split into $\tau$ disjoint subsets, as in the code that the authors publish
    (arisa77/mrf-public): it is shuffled and cut into parts of equal size. Algorithm 3 then satisfies
    $\epsilon$-DP. This covers the improved subsample-and-aggregate, too, if each ensemble forest is fitted on its
    own subset of the data."""
    ratio = lambda H, t: math.exp(_family(t, t - 1, math.log(H)))  # noqa: E731
    yield from certified("m-rf/subsample-shuffled", effort, broken="leaks", left=ratio)
    return "the likelihood ratio is {exact:.4g}, stated {stated:.4g}; it exceeds the stated one wherever {refuted}"


@SHUFFLED.corrected(shuffled)
def shuffled_exact(effort, rng, epsilon=(0.5, 1.0)):
    r"""If shuffled data are cut into parts of equal size and the leaves' counts are released, the cost is exactly
    $\log(e^\epsilon/\tau + (1-\frac1\tau)e^{3\epsilon})$, which is 2.94 for $\tau = 16$ and $\epsilon = 1$. Adding
    one record to $\tau - 1$ records attains this cost. With $n$ identical records, one more costs at least $\log(s
    e^\epsilon + (1-s)e^{3\epsilon})$, where $s = (\lfloor n/\tau\rfloor + 1)/(n + 1)$."""
    for budget, tau in product(epsilon, (2, 3, 16)):
        data = {"epsilon": budget, "trees": tau}
        for n in (0, 1, 2, 4, 15, 32):
            stated = matrix.shuffled_loss(budget, tau, n)
            yield same(_family(tau, n, budget), stated, records=n, **data)
        met = same(_family(tau, tau - 1, budget), equal_parts_bound(budget, tau), **data)
        yield met
    for loss, data in _losses(effort, "shuffled"):
        yield at_most(loss, equal_parts_bound(1.0, 2), **data)
    return note(
        f"In {{cases}} comparisons the losses of the family are as stated, and those of small data within the "
        f"bound; {tau} trees at epsilon {budget:g} attain it with {met.exact:.4f}.",
        range="2 to 16 trees, up to 32 records; all data of up to 2 records on 2 trees",
    )


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


def _label_changes(neighbours, classes, most=3):
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

    changed = 0
    for n in range(most + 1):
        for data in combinations_with_replacement(universe, n):
            before = labels(data)
            changes = [[*data, r] for r in universe]
            if neighbours == RO:
                rest = [[*data[:i], *data[i + 1 :]] for i in range(n)]
                changes = [[*one, r] for one in rest for r in universe]
            changed = max([changed, *((before != labels(c)).sum(axis=1).max() for c in changes)])
    return int(changed)


def _hard_loss(neighbours, classes, most=3):
    """Loss of hard labels at the package's noise: of all entries of the leaves whose label a record changes."""
    delta = matrix.vote_sensitivity(matrix.Dense(np.eye(2)), classes, "hard", neighbours)
    columns = 1 if classes == 2 else 2  # entries of one leaf's row that a new label changes
    one = worst(np.eye(1), noise_for(delta, 1.0), 1)  # of an entry that changes by 1
    return _label_changes(neighbours, classes, most) * columns * one


def _hard(effort, *classes):
    """The losses of hard labels are epsilon, under both relations."""
    for k, neighbours in product(classes, (AR, RO)):
        loss = _hard_loss(neighbours, k, effort.pick(2, 3, 3))
        yield same(loss, 1.0, classes=k, neighbours=neighbours)


@HARD(
    "m-rf/subsample-hard",
    "Technical appendix, proof of theorem 9",
    range="3 and 4 classes, all data of up to 3 records in 2 leaves",
)
def subsample_hard(effort, rng):
    r"""Adding or removing an individual sample can only change the leaf labels of trees on disjoint records by at
    most one at two locations, so that hard votes have Laplace noise of scale $2\|A\|_1/\epsilon$. (For three or
    more classes this is exact; replace-one needs twice as much.)"""
    yield from _hard(effort, 3, 4)
    return "In {cases} cases of classes and relation the labels that one record changes cost exactly epsilon."


@HARD("m-rf/subsample-hard-two", "ours", range="2 classes, all data of up to 3 records in 2 leaves")
def hard_two(effort, rng):
    r"""For two classes, one column of hard votes is enough because all trees vote. For the same $\epsilon$, the
    noise then has scale $\|A\|_1/\epsilon$, which is half the published scale."""
    yield from _hard(effort, 2)
    return "Under {cases} relations one column with noise of half the scale costs exactly epsilon."


@HARD(
    "m-rf/appendix-theorems",
    "Technical appendix, theorems 6, 9 and 10",
    "assumes",
    "matrix.subsample",
    "matrix.vote_sensitivity",
    proved=True,
    range="2 trees of 2 leaves, up to 2 records, weighted votes; hard votes of 3 classes",
)
def appendix(effort, rng):
    r"""Weight votes (definition 5), hard votes (definition 8) and subsample-and-aggregate (algorithm 2) are
    $\epsilon$-DP: adding or removing an individual sample can only change leaf counts by at most one at one
    location, and it can only change labels at two locations. (This assumes that each sample draws its tree
    independently. If shuffled data are cut into equal parts, one more sample can move another to a new tree.)"""
    added = max(counts_loss([], [b], 1.0, "independent") for b in RECORDS)
    cut = max(counts_loss([a], [a, b], 1.0, "shuffled") for a, b in product(RECORDS, RECORDS))
    hard = _hard_loss(AR, 3)
    cases, tight, factor = yield from assumes_add_remove(
        [(1.0, added, cut, {"votes": "weighted"}), (1.0, hard, hard, {"votes": "hard"})]
    )
    words = "weighted votes of data that are shuffled and cut cost"
    return f"{tight} of {cases} kinds of votes cost exactly epsilon; {words} {factor:.4g} epsilon."


@VOTES(
    "m-rf/subsample-two-queries",
    "Technical appendix, DP weight voting approach",
    proved=False,
    quantity="sensitivity of both votes together",
)
def two_queries(effort, rng):
    """When two inference queries do not share the same decision paths in the random forest, the sensitivity can be
    analyzed as 1 instead of 2, as data points used for voting do not overlap between the two queries. (This means
    that no leaf is on a path of both; the trees have disjoint records.)"""
    seen = set()
    for one in small_forests(rng, effort.pick(30, 100, 500), 4, 3, 3):
        Q = records(one.levels, 2, rng)
        together = 1 + int(np.equal(*one.reached(Q)).any())
        seen.add(together)
        yield same(together, matrix.most_queries(one.paths, Q), **one.data)
    yield need(seen == {1, 2}, len(seen), "=", 2)
    return note("{cases} pairs of queries: 1 if no leaf is on both paths, else 2", range="up to 3 trees")


@VOTES(
    "m-rf/subsample-existing",
    "Section 1; technical appendix: Lap(b/eps), Lap(2b/eps)",
    "loose",
    range="Car, depth 3, 346 queries; Balance, depth 2, 125 queries; 16 trees",
)
def subsample_existing(effort, rng):
    r"""The existing subsample-and-aggregate framework allocates the privacy budget equally to the inference
    queries: each of $b$ queries gets $\epsilon/b$. The noise then has scale $b/\epsilon$, and $2b/\epsilon$ for
    hard votes. (All votes together change by at most the number of queries that share a leaf, hard votes by at
    most twice that.)"""
    for name, _, Q, most in _batches(effort):
        yield at_most(most, len(Q), name=name)
    return "{name}: {exact:.0f} of {stated:.0f} queries share a leaf, at most"


@VOTES.corrected(subsample_existing, range="Car, depth 3; Balance, depth 2; 16 trees")
def existing_exact(effort, rng):
    r"""The sensitivity of all weighted votes is $\|QT^\top\|_1$, the largest number of queries in one leaf: about
    19 of 346 on Car with depth 3 and 10 of 125 on Balance with depth 2, depending on split and forest."""
    found = {"car": [], "balance": []}
    for name, one, Q, most in _batches(effort):
        found[name].append(most)
        yield same(most, matrix.most_queries(one.paths, Q), name=name, **one.data)
    car, balance = (f"{min(each)} to {max(each)}" for each in found.values())
    return f"In {{cases}} batches the fullest leaf has {car} of 346 queries on Car, {balance} of 125 on Balance."


def _batches(effort):
    """(name, forest, queries, the most in one leaf by routing): a fifth of the records, ten seeds and more."""
    for name, depth in (("car", 3), ("balance", 2)):
        data = datasets.load(name)
        codes = np.column_stack([np.unique(data.X[c], return_inverse=True)[1] for c in data.X])
        for seed in range(effort.pick(10, 30, 100)):
            rng = np.random.default_rng(seed)
            Q = codes[rng.permutation(len(codes))[: math.ceil(len(codes) / 5)]]
            one = forest((codes.max(axis=0) + 1).tolist(), 16, depth, rng)
            yield name, one, Q, int(one.routed(Q).sum(axis=0).max())


@SUBSAMPLE("m-rf/subsample-is-disjoint", "ours", "holds", "matrix.subsample", quantity="votes of queries")
def is_disjoint(effort, rng):
    """With the leaves themselves as strategy, $A = I$, the votes of subsample-and-aggregate equal the weighted
    votes of disjoint training with noise on the leaf counts: the two methods that the paper compares are one."""
    for seed in range(effort.pick(10, 40, 200)):
        levels = small_levels(rng, 3)
        one = forest(levels, 3, 2, rng)
        X, y, Q = records(levels, 40, rng), rng.integers(0, 3, 40), records(levels, 5, rng)
        strategy = matrix.member(matrix.subsample_workload(one.paths, Q), "identity")
        draws = np.random.default_rng(seed)
        votes, node = matrix.subsample(one.paths, Q, strategy, X, y, 3, 1.0, rng=draws)
        draws = np.random.default_rng(seed)
        tree = draws.integers(3, size=40)  # disjoint training, by routing
        counts = np.zeros((len(one.paths), 3), dtype=int)
        np.add.at(counts, (one.reached(X)[np.arange(40), tree], y), 1)
        noisy = counts + noise_for(1, 1.0).sample(0 * counts, rng=draws)
        yield from entries(one.routed(Q) @ noisy, votes, 1e-9, levels=levels)
        yield same(node.epsilon, 1.0, of="budget")
    return note("{cases} votes and budgets are equal", range="three trees, 40 records, 5 queries, 3 classes")
