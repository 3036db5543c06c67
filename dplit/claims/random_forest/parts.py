r"""Claims of Fletcher and Islam (2017), sections 4.2 and 4.4: the forest and its number of trees.

Derived in the chapter `random_forest`. The label is permute-and-flip (ROSNAM); :math:`\tau` is the number of
trees. What smooth sensitivity is good for is in `rdf_valid`, the number of trees in `rdf_trees`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import pairwise, product

import numpy as np
from scipy.optimize import brentq
from scipy.stats import poisson

from dplit import audit, depth, majority, random_forest
from dplit.ledger import Evidence, claim, of_equality, of_privacy, of_upper_bound

EQUAL, INDEPENDENT = "equal-parts", "independent"


def _near(law, neighbours="add-remove"):
    return partial(audit.neighbouring_data, universe=law.universe, neighbours=neighbours)


def _worst(n_leaves, records, assignment, label_law, neighbours="add-remove", classes=2):
    """Largest privacy loss of the exact law of all labels, over all data sets of at most `records`."""
    law = random_forest.ForestLaw(n_leaves, classes, label_law, assignment)
    data = audit.data_sets(law.universe, records)
    return audit.worst_privacy_loss(law, data, _near(law, neighbours)).loss


def _small_forests(effort):
    """(leaves of each tree, largest number of records)."""
    return effort.pick([((1, 1), 3), ((2, 1), 2)],
                       [((1, 1), 4), ((2, 1), 3), ((1, 1, 1), 3)],
                       [((1, 1), 6), ((2, 1), 4), ((1, 1, 1), 5), ((2, 2), 3)])  # fmt: skip


@claim(
    "rdf/parallel-parts",
    "section 4.2, definition 3, algorithm 2 line 22",
    "leaks",
    "thm-equal-parts",
    ("random_forest.forest_law", "random_forest.smallest_equal_parts_loss"),
)
def parallel_parts(effort, rng):
    r"""The records are divided evenly among the trees, and each tree may use all of $\epsilon$:
    with labels that are $\epsilon$-private (add-remove) the forest is $\epsilon$-private."""
    cases, rows = 0, []
    for odds in (Fraction(3, 2), Fraction(2), Fraction(5)):
        law = random_forest.ForestLaw((1, 1), 2, random_forest.rational_label_law(odds), EQUAL)
        data = list(audit.data_sets(law.universe, effort.pick(2, 3, 5)))
        cases += len(data)
        if found := audit.smallest_violation(law, data, math.log(odds), _near(law)):
            before, after = law(found.data).flat, law(found.neighbour).flat
            rows.append((odds, found, max(max(p / q, q / p) for p, q in zip(before, after))))
    if not rows:
        return Evidence("holds", "exact", f"No violation in {cases} data sets.", cases)
    ratios = [float(ratio) for *_, ratio in rows]
    closed = [
        math.exp(random_forest.smallest_equal_parts_loss(math.log(odds))) for odds, *_ in rows
    ]
    if of_equality(ratios, closed) == "fails":
        raise AssertionError(f"smallest_equal_parts_loss gives {closed}, enumeration {ratios}")
    odds, found, ratio = rows[len(rows) // 2]
    return Evidence(
        of_privacy(np.log(ratios), [math.log(odds) for odds, *_ in rows]), "exact",
        f"Two trees of one leaf, in fractions: with one record, and then a second one of the other class, "
        f"some pair of labels is {ratio} times as probable at e^epsilon = {odds}.",
        cases, published=float(odds), computed=float(ratio),
        counterexample={"n_leaves": [1, 1], "data": found.data, "neighbour": found.neighbour,
                        "exp(epsilon)": odds, "likelihood_ratio": ratio},
    )  # fmt: skip


@parallel_parts.corrected(
    functions=(
        "random_forest.equal_parts_bound",
        "random_forest.equal_parts_family_loss",
        "random_forest.forest_law",
    ),
    where="section 4.2, definition 3, algorithm 2 line 22",
)
def parallel_parts_corrected(effort, rng):
    r"""Under add-remove equal parts cost $\log(e^\epsilon/\tau + (1-1/\tau)e^{3\epsilon})$:
    more on no data, and no smaller bound holds for all data and numbers of classes."""
    third = random_forest.rational_label_law(3)
    worst, bound = [], []
    for n_leaves, records in _small_forests(effort):
        worst.append(_worst(n_leaves, records, EQUAL, third))
        bound.append(random_forest.equal_parts_bound(math.log(3), len(n_leaves)))
    below = of_upper_bound(worst, bound) != "fails"
    reached = {t: random_forest.equal_parts_family_loss(1.0, t, 600, 512) for t in (2, 3, 30, 100)}
    short = {t: random_forest.equal_parts_bound(1.0, t) - loss for t, loss in reached.items()}
    least = all(0 <= s < 4e-3 for s in short.values())
    exact = _family_in_fractions(*effort.pick((2, 1, 2), (2, 2, 2), (2, 2, 3)))
    agrees = of_equality(*exact) == "holds"
    good = below and least and agrees
    return Evidence(
        "holds" if good else "fails", "exact",
        f"All data of {len(worst)} small forests at e^epsilon = 3 cost at most {max(worst):.4f}, "
        f"within the bound; at epsilon 1 a family reaches "
        f"{reached[100]:.4f} with 100 trees, where the bound is {random_forest.equal_parts_bound(1.0, 100):.4f}.",
        len(worst) + len(reached), published=random_forest.equal_parts_bound(1.0, 100), computed=reached[100],
        counterexample=None if good else {"worst": worst, "bound": bound, "short": short, "family": exact},
    )  # fmt: skip


def _family_in_fractions(n_trees, m, classes):
    """Loss of the family's outcome by the exact law of the whole forest, and by its formula."""
    n, none = n_trees * m, [0] * (n_trees - 1)
    law = random_forest.ForestLaw(
        (n + 1, *[1] * (n_trees - 1)), classes, random_forest.rational_label_law(3), EQUAL
    )
    data = tuple((i, *none, 0) for i in range(n))
    outcome = (*[0] * n, *[1] * n_trees)
    ratio = law((*data, (n, *none, 1)))[outcome] / law(data)[outcome]
    return math.log(ratio), random_forest.equal_parts_family_loss(math.log(3), n_trees, m, classes)


@claim(
    "rdf/independent-parts",
    "section 4.2",
    "holds",
    "thm-forest-budget",
    ("random_forest.forest_law",),
    ours=True,
)
def independent_parts(effort, rng):
    r"""If each record goes to a tree by an independent uniform draw, the forest costs exactly
    $\epsilon$ under add-remove, and at half the rate at most $\epsilon$ under replace-one."""
    third, log3 = random_forest.rational_label_law(3), math.log(3)
    forests = _small_forests(effort)
    added = [_worst(leaves, n, INDEPENDENT, third) for leaves, n in forests]
    replaced = [_worst(leaves, n, INDEPENDENT, third, "replace-one") for leaves, n in forests]
    exact = of_equality(added, np.full(len(added), log3))
    twice = of_upper_bound(replaced, np.full(len(replaced), 2 * log3)) != "fails"
    good = exact == "holds" and twice
    return Evidence(
        "holds" if good else "fails", "exact",
        f"All data of {len(forests)} small forests in fractions: the loss is log 3 at e^epsilon = 3, and up to "
        f"{max(replaced) / log3:.4f} times as much under replace-one, which half the rate makes up for.",
        2 * len(forests), published=log3, computed=max(added),
        counterexample=None if good else {"added": added, "replaced": replaced},
    )  # fmt: skip


@claim(
    "rdf/all-data-records",
    "section 4.2",
    "holds",
    "thm-all-data-records",
    ("depth.effective_records", "majority.gap_error"),
    ours=True,
)
def all_data_records(effort, rng):
    r"""A leaf whose Poisson($\lambda$) records are of one of two classes is mislabelled with
    probability $\frac12 e^{-\lambda\tau^{-1}(1-e^{-\epsilon})}$ by a share at $\epsilon$, and
    $\frac12 e^{-\lambda(1-e^{-\epsilon/\tau})}$ by all data at $\epsilon/\tau$: worth up to
    $\epsilon/(1-e^{-\epsilon})$ times the records."""
    cases = _poisson_leaves(effort)
    summed, closed, gains = [], [], []
    for mean, trees, e in cases:
        summed += [_poisson_error(mean / trees, e), _poisson_error(mean, e / trees)]
        worth = depth.effective_records
        records = [worth(mean, e, trees), worth(mean, e / trees)]
        closed += [0.5 * math.exp(-r) for r in records]
        gains.append(records[1] / records[0] / (e / -math.expm1(-e)))
    same = of_equality(summed, closed, rtol=1e-9)
    limit = of_upper_bound(gains, np.ones(len(gains))) != "fails" and max(gains) > 0.99
    good = same == "holds" and limit
    at_one = -100 * math.expm1(-0.01) / -math.expm1(-1)
    return Evidence(
        "holds" if good else "fails", "exact",
        f"Sums over the Poisson number of records agree in {len(cases)} cases; with 100 trees at epsilon 1 all "
        f"data is worth {at_one:.3f} times the records of the shares.",
        2 * len(cases), published=closed[-1], computed=summed[-1],
        counterexample=None if good else {"summed": summed, "closed": closed, "gains": gains},
    )  # fmt: skip


def _poisson_leaves(effort):
    """(mean number of records of all data, trees, epsilon)."""
    epsilons = effort.pick((0.1, 1.0), (0.1, 1.0, 4.0), (0.01, 0.1, 1.0, 4.0, 9.0))
    return list(product((0.5, 8, 120), (2, 10, 100), epsilons))


def _poisson(mean):
    """Numbers of records and their probabilities, as far as the sums need them."""
    n = np.arange(int(mean + 12 * math.sqrt(mean)) + 40)
    return n, poisson.pmf(n, mean)


def _poisson_error(mean, epsilon):
    """Probability of the other label, summed over the number of records."""
    n, law = _poisson(mean)
    return float(law @ majority.gap_error(n, epsilon))


@claim(
    "rdf/figure-5b",
    "section 4.2, figure 5b and footnote 3",
    "assumes",
    "thm-average-sensitivity",
    ("depth.effective_records",),
)
def figure_5b(effort, rng):
    r"""The average of $e^{-j\epsilon}$ over the nonempty leaves is smaller with disjoint data.
    (For leaves whose records are of one class: as long as they are few.)"""
    means = np.geomspace(0.1, 400, effort.pick(60, 200, 1000))
    cases = list(product((10, 100), effort.pick((1.0,), (0.5, 1.0), (0.1, 0.5, 1.0, 2.0))))
    smaller = []  # for each case, by the mean number of records of all data
    for t, e in cases:
        smaller.append([_average(m / t, e)[0] < _average(m, e / t)[0] for m in means])
    once = all(
        row[0] and not row[-1] and (np.diff(np.array(row, int)) <= 0).all() for row in smaller
    )
    turn = brentq(lambda m: _average(m / 100, 1.0)[0] - _average(m, 0.01)[0], 1, 400)
    return Evidence(
        "holds" if np.all(smaller) else "assumes" if once else "fails", "exact",
        f"Assumes leaves of few records, and empty ones left out: in each of {len(cases)} cases the order "
        f"turns once. With 100 trees at epsilon 1 that is at {turn:.1f} records of all data in a leaf.",
        len(cases) * len(means), published=_average(0.1, 1.0)[0], computed=_average(10, 0.01)[0],
        counterexample=None if once or np.all(smaller) else {"trees, epsilon": cases},
    )  # fmt: skip


def _average(mean, epsilon):
    """Mean of e^(-epsilon N), N Poisson: given N > 0, and without condition."""
    n, law = _poisson(mean)
    terms = law * np.exp(-epsilon * n)
    return float(terms[1:].sum() / -math.expm1(-mean)), float(terms.sum())


@figure_5b.corrected(functions=("depth.effective_records",), where="section 4.2, figure 5b")
def figure_5b_corrected(effort, rng):
    r"""Over all such leaves, the empty ones too, the average is
    $e^{-\lambda(1-e^{-\epsilon/\tau})}$ with all data and the larger
    $e^{-\lambda\tau^{-1}(1-e^{-\epsilon})}$ with shares."""
    cases = _poisson_leaves(effort)
    summed = [[_average(m, e / t)[1], _average(m / t, e)[1]] for m, t, e in cases]
    worth = depth.effective_records
    closed = [[math.exp(-worth(m, e / t)), math.exp(-worth(m, e, t))] for m, t, e in cases]
    good = of_equality(summed, closed) == "holds" and all(full < part for full, part in summed)
    shown = cases.index((120, 100, 1.0))
    return Evidence(
        "holds" if good else "fails", "exact",
        f"{len(cases)} cases summed over the Poisson number of records; 120 records a leaf, 100 trees, "
        f"epsilon 1: {summed[shown][0]:.4f} with all data, {summed[shown][1]:.4f} with shares.",
        len(cases), published=summed[shown][0], computed=summed[shown][1],
        counterexample=None if good else {"summed": summed, "closed": closed},
    )  # fmt: skip


def _flips(a, b, trees):
    """Law of the share of (a, b): probability that a label of a nonempty share is not its majority.

    In fractions, at e^(-epsilon) = 1/2; where the classes tie, either label is a most frequent one.
    """
    stays, flipped = Fraction(1, trees), Fraction(0)
    for i, k in product(range(a + 1), range(b + 1)):
        ways = math.comb(a, i) * math.comb(b, k) * stays ** (i + k) * (1 - stays) ** (a + b - i - k)
        if i != k:
            flipped += ways * Fraction(1, 2 ** (abs(i - k) + 1))
    return flipped / (1 - (1 - stays) ** (a + b))


@claim(
    "rdf/more-trees-more-flips",
    "section 4.4, figure 8, read for a single leaf",
    "fails",
    "thm-flips",
    ("majority.one_sided_law", "majority.disjoint_error"),
)
def more_flips(effort, rng):
    """The more trees, the more often the label of a nonempty leaf is not the most frequent one
    in it."""
    leaves = [x for x in majority.leaves(effort.pick(5, 7, 10), 2) if x[0] >= x[1] and sum(x)]
    numbers = effort.pick((1, 2, 3, 5, 10), (1, 2, 3, 5, 10, 30), range(1, 31))
    steps = [(x, s, t, _flips(*x, s), _flips(*x, t)) for x in leaves for s, t in pairwise(numbers)]
    fewer = sorted((s for s in steps if s[4] < s[3]), key=lambda s: (sum(s[0]), s[1]))
    x, s, t, before, after = (fewer or steps)[0]
    return Evidence(
        "fails" if fewer else "holds", "exact",
        f"In {len(fewer)} of {len(steps)} steps it becomes rarer: the label of {x} flips with probability "
        f"{before} with {s} tree and {after} with {t}, at e^(-epsilon) = 1/2. A share can tie, and no label of "
        f"a tie is wrong.",
        len(steps), published=float(before), computed=float(after),
        counterexample={"counts": list(x), "trees": [s, t], "exp(-epsilon)": "1/2",
                        "flipped": [before, after]} if fewer else None,
    )  # fmt: skip


@more_flips.corrected(functions=("majority.disjoint_error",), where="section 4.4, figure 8")
def more_flips_corrected(effort, rng):
    """The label of a share is wrong about the whole leaf more often with more trees, in every
    computed leaf of two classes with a majority."""
    leaves = [x for x in majority.leaves(effort.pick(8, 14, 30), 2) if x[0] > x[1]]
    numbers, epsilons = (1, 2, 3, 5, 10, 30, 100), (0.1, 1.0, 4.0)
    rows = {
        (x, e): [majority.disjoint_error(*x, e, t) for t in numbers]
        for x in leaves
        for e in epsilons
    }
    wrong = [key for key, row in rows.items() if (np.diff(row) <= 0).any()]
    fraction = of_equality(
        majority.disjoint_error(3, 1, math.log(2), 2), float(_wrong_in_fractions(3, 1, 2))
    )
    good = not wrong and fraction == "holds"  # fmt: skip
    row = rows[(3, 1), 1.0]
    return Evidence(
        "holds" if good else "fails", "exact",
        f"{len(rows)} leaves and budgets, {len(numbers)} numbers of trees: on (3, 1) at epsilon 1 from "
        f"{row[0]:.4f} with one tree to {row[-1]:.4f} with {numbers[-1]}.",
        len(rows) * len(numbers), published=row[0], computed=row[-1],
        counterexample=None if good else {"counts, epsilon": wrong[:1]},
    )  # fmt: skip


def _wrong_in_fractions(a, b, trees):
    """`disjoint_error` at e^(-epsilon) = 1/2, in fractions."""
    stays, wrong = Fraction(1, trees), Fraction(0)
    for i, k in product(range(a + 1), range(b + 1)):
        ways = math.comb(a, i) * math.comb(b, k) * stays ** (i + k) * (1 - stays) ** (a + b - i - k)
        tail = Fraction(1, 2 ** (abs(i - k) + 1))
        wrong += ways * (tail if i >= k else 1 - tail)
    return wrong


@claim(
    "rdf/flips-20",
    "section 4.4, figure 8",
    "holds",
    "thm-flips",
    ("majority.smooth_exponential_law", "majority.one_sided_law"),
)
def flips_20(effort, rng):
    r"""At $\epsilon = 1$ no more than about 20% of the nonempty leaves have their majority
    changed, however many trees. (Two classes, in the mean, with the published mechanism and the
    addendum's.)"""
    leaves = [x for x in majority.leaves(effort.pick(10, 30, 100), 2) if x[0] != x[1]]
    published = [float(majority.smooth_exponential_law(x, 1.0).min()) for x in leaves]
    rosnam = [float(majority.one_sided_law(x, 1.0).min()) for x in leaves]
    at = leaves[int(np.argmax(published))]
    ten = 1 - float(majority.smooth_exponential_law([1] + 9 * [0], 1.0)[0])
    good = round(max(published), 2) <= 0.2 and round(max(rosnam), 2) <= 0.2
    return Evidence(
        "holds" if good else "fails", "exact",
        f"Of {len(leaves)} leaves with a majority the worst has gap {abs(at[0] - at[1])}: it is changed with "
        f"probability {max(published):.4f}, by ROSNAM with {max(rosnam):.4f}. Leaves of one record have this "
        f"gap, so it is also the limit of many trees. With ten classes it would be {ten:.4f}.",
        2 * len(leaves), published=0.2, computed=max(published),
        counterexample=None if good else {"counts": list(at), "changed": max(published)},
    )  # fmt: skip
