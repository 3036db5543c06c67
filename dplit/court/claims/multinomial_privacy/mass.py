r"""Claims of ours on what the repaired forest is made of: impurity mass, capped bits, half of the records."""

import math
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from dplit import multinomial
from dplit.court.claims.multinomial_privacy.small import RELATIONS, gini_mass, near
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, need, note, private, same
from dplit.loss import privacy_loss, worst_privacy_loss
from dplit.neighbours import count_vectors, data_sets

SENSITIVITY = "multinomial.impurity_mass", "multinomial.mass_sensitivity"
MASS = Box("thm-mprivacy-mass", *SENSITIVITY, "multinomial.mass_step")
BITS = Box("thm-mprivacy-bits", *SENSITIVITY)
LAWS = "multinomial.split_law", "multinomial.normalised_split_law", "multinomial.level_rate"
NODE = Box("thm-mprivacy-node", *LAWS)
HONEST = Box("thm-mprivacy-honest", "multinomial.thinned_mass", "multinomial.thinned_error")


@MASS(
    "mrf/ours/impurity-mass",
    "ours; equation 4",
    "holds",
    "multinomial.impurity_mass",
    "multinomial.mass_step",
    "multinomial.mass_sensitivity",
    quantity="what one record adds to a Gini mass",
    **over("mrf/ours/impurity-mass", "mrf/ours/impurity-mass:bound"),
)
def impurity_mass(effort, rng):
    r"""One more record raises a child's Gini mass $nT$ by $\frac{n}{n+1}\|e_y - p\|^2$, which is in $[0, 2)$, and
    no smaller bound than 2 holds for all $n$. The scores of all candidates move in the same direction, so a node
    costs $2r$ at rate $r$."""
    yield from certified("mrf/ours/impurity-mass", effort)
    yield from certified("mrf/ours/impurity-mass:bound", effort)
    for counts in count_vectors(effort.pick(4, 6, 8), 3):
        before, data = gini_mass(_members(counts)), {"counts": counts.tolist()}
        yield same(before, multinomial.impurity_mass(counts), atol=1e-12, **data)
        step = gini_mass([*_members(counts), 0]) - before
        yield same(step, multinomial.mass_step(counts, 0), atol=1e-12, **data)
    far = float(gini_mass([0] * 10**4 + [1]))
    yield decisive(need(1.999 < far < 2, far, "<", multinomial.mass_sensitivity()))
    return "The formula holds for all n and shares and is below 2; on 10,000 of another class it is {exact:.4f}."


def _members(counts):
    """The classes of a child's records, one by one."""
    return [c for c, m in enumerate(counts) for _ in range(m)]


def _capped(counts, most_bits):
    """Sum over the records of min(log2(n / n_y), c), one record at a time."""
    n = sum(counts)
    return sum(m * min(math.log2(n / m), most_bits) for m in counts if m)


@BITS("mrf/ours/capped-bits", "ours; section 3.2", quantity="what one record adds to an entropy mass")
def capped_bits(effort, rng):
    r"""One more record raises the sum of a child's bits, each capped at $c$, by an amount in $[0, c + \log_2 e)$,
    and no smaller bound holds for all $n$. Without a cap the sum can rise by more than $\log_2 n$."""
    shares, children, n = [], 0, 10**4
    for c, (k, most) in product((0.3, 1.0, 2.0, 5.0), ((2, 14), (3, 8), (4, effort.pick(5, 6, 8)))):
        for counts in count_vectors(most, k):
            before, children = _capped(counts, c), children + 1
            stated = multinomial.impurity_mass(counts, "entropy", c)
            yield same(before, stated, atol=1e-12, counts=counts.tolist(), most_bits=c)
            steps = [_capped(more, c) - before for more in counts + np.eye(k, dtype=int)]
            yield need(min(steps) >= -1e-12, min(steps), ">=", 0, counts=counts.tolist())
            shares.append(max(steps) / multinomial.mass_sensitivity("entropy", c))
    yield need(max(shares) < 1, max(shares), "<", 1)
    for c in (1.0, 5.0, 10.0):
        reached = _capped([n, 1], c) / multinomial.mass_sensitivity("entropy", c)
        yield decisive(need(0.999 < reached < 1, reached, "<", 1, most_bits=c))
    uncapped = _capped([n, 1], math.inf)
    yield need(uncapped > math.log2(n), uncapped, ">", math.log2(n))
    return note(
        f"In {children} children one more record of any class adds at most {max(shares):.4f} of the bound, and "
        f"never less than 0. Beside {n:,} records of one class one of another adds {{exact:.5f}} of the bound at "
        f"{{most_bits:g}} bits; without a cap it adds {uncapped:.2f} bits.",
        range="every child of up to 14 records of 2 to 4 classes, caps of 0.3 to 5 bits; 10,000 records",
    )


def _node(records, law, cuts):
    """Law of a node over fixed cuts of one feature; records are (value, class)."""
    values = np.array([r[0] for r in records])
    return law(values < np.array(cuts)[:, None], [r[1] for r in records], 2)


def _laws(epsilon, neighbours):
    """The laws of a node that are to cost epsilon, by score."""
    bits = {"criterion": "entropy", "most_bits": 2.0}
    gini = multinomial.level_rate(epsilon, 1, neighbours=neighbours)
    entropy = multinomial.level_rate(epsilon, 1, neighbours=neighbours, **bits)
    normalised = multinomial.normalised_rate(epsilon, 1, neighbours)
    return {
        "gini": partial(multinomial.split_law, rate=gini),
        "entropy": partial(multinomial.split_law, rate=entropy, **bits),
        "normalised": partial(multinomial.normalised_split_law, rate=normalised),
    }


@NODE("mrf/ours/node", "ours; section 3.2", quantity="privacy loss of a node")
def node(effort, rng):
    r"""Under add-remove, a candidate drawn with weight $w e^{-r(n_L T_L + n_R T_R)}$ costs $\epsilon$ at $r =
    \epsilon/2$ for Gini, and at $r = \epsilon/(c + \log_2 e)$ for capped bits; replace-one needs half the rate. If
    the candidate is drawn by the normalised score, it costs $\epsilon$ at weight $\epsilon/2$, under add-remove
    and replace-one."""
    universe = tuple(product((0.2, 0.4, 0.6, 0.8), (0, 1)))
    every = list(product((0.5, 4.0), (3, 9, 40)))
    settings = effort.pick(((0.5, 3), (4.0, 40)), every, every)
    for neighbours, (epsilon, m) in product(RELATIONS, settings):
        cuts = [0.3, *np.linspace(0.5, 0.9, m - 1)]
        for score, of_node in _laws(epsilon, neighbours).items():
            law, space = (partial(_node, law=of_node, cuts=cuts), data_sets(universe, effort.pick(3, 4, 5)))
            worst = worst_privacy_loss(law, space, near(universe, neighbours))
            data = {"score": score, "neighbours": neighbours, "epsilon": epsilon, "cuts": m}
            yield private(worst.loss, epsilon, met=False, **data)
    reached = _pure_node(10**4, 10**6) / 4.0
    yield decisive(need(0.99 < reached < 1, reached, "<=", 1, broken="leaks"))
    return note(
        "No loss exceeds epsilon in {cases} comparisons. If a candidate of weight 1e-6 parts a record from 10,000 "
        "records of the other class, this record costs {exact:.4f} of epsilon.",
        range="all data sets of up to 4 records at four values, 3 to 40 public cuts, four budgets, both relations",
    )


def _pure_node(n, odds):
    """Loss of the candidate that parts a new record from n of the other class; all others do not."""
    rate, base = multinomial.level_rate(4.0, 1), np.array([1.0, odds])

    def law(extra):
        left = np.array([[True] * n + [False] * extra, [True] * (n + extra)])
        return multinomial.split_law(left, [0] * n + [1] * extra, 2, rate, base)

    return privacy_loss(law, 0, 1)


def _subsets_mass(counts):
    """Expected Gini mass of a fair-coin half, over the numbers of each class that are kept, in fractions."""
    total = Fraction(0)
    for kept in product(*(range(m + 1) for m in counts)):
        ways = math.prod(math.comb(m, j) for m, j in zip(counts.tolist(), kept))
        total += ways * gini_mass(_members(kept))
    return total / 2 ** int(counts.sum())


@HONEST("mrf/ours/honesty-is-free", "ours; section 3.1", quantity="expected Gini mass of half of the records")
def honesty(effort, rng):
    r"""A fair-coin half of the records at the full $\epsilon$ has the same expected weighted counts, $\epsilon
    n_k/2$, as all records at $\epsilon/2$. The cost is added sampling noise. The expected Gini mass is $nT(\frac
    n2 - 1 + 2^{-n})/(n-1)$; if all $n$ records are of one of two classes, the label drawn from the half is wrong
    $\cosh(\frac\epsilon2)^n$ times as often as the label drawn from all records."""
    for n, epsilon in product((1, 5, 40), (0.1, 1.0, 4.0)):
        halves = [(math.comb(n, j) / 2**n, j) for j in range(n + 1)]
        error = sum(p * math.exp(-epsilon * j) / 2 for p, j in halves)
        whole, data = math.exp(-epsilon / 2 * n) / 2, {"n": n, "epsilon": epsilon}
        counted = sum(p * epsilon * j for p, j in halves)
        yield same(counted, epsilon / 2 * n, atol=1e-12, **data)
        yield same(error, multinomial.thinned_error(n, epsilon), atol=1e-12, **data)
        yield same(error, math.cosh(epsilon / 2) ** n * whole, atol=1e-12, **data)
    for k, n in ((3, effort.pick(5, 6, 8)), (2, effort.pick(7, 10, 14))):
        for counts in count_vectors(n, k)[1:]:
            stated = multinomial.thinned_mass(counts)
            yield same(_subsets_mass(counts), stated, atol=1e-12, counts=counts.tolist())
    at = math.cosh(0.5) ** 40
    return note(
        "{cases} expected masses, counts and errors equal sums over all halves. A half's label for 40 records at "
        f"epsilon 1 errs {at:.0f} times as often as that of all, with probability {at * math.exp(-20) / 2:.1e}.",
        range="every child of up to 7 records of two and three classes; labels of up to 40 records",
    )
