r"""Claims on what attacks on released forests can gain: the bounds, and what membership inference and
reconstruction come to.

Derived in :doc:`/book/release`. The bound is held against linear programs over all laws; the attacks run
against forests that are fitted for them.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.optimize import linprog

from dplit import release
from dplit.ledger import Case, claim, equal, interval, verdict_of
from dplit.release.attacks import COLUMNS, RECORDS, one_table, reconstruction_cell, stored_attacks

LEVEL = 0.5  # epsilon of the fits of a quick check


def largest_difference(epsilon, delta, outcomes):
    """Largest advantage over all pairs of laws that are (epsilon, delta)-private, by a linear program.

    The unknowns are both laws, and what of each lies above e^epsilon times the other, for every outcome.
    """
    k, grown = outcomes, math.exp(epsilon)
    one, none = np.eye(k), np.zeros((k, k))
    above = np.vstack([
        np.hstack([one, -grown * one, -one, none]),
        np.hstack([-grown * one, one, none, -one]),
        np.concatenate([np.zeros(2 * k), np.ones(k), np.zeros(k)])[None],
        np.concatenate([np.zeros(3 * k), np.ones(k)])[None],
    ])  # fmt: skip
    sums = np.zeros((2, 4 * k))
    sums[0, :k] = sums[1, k : 2 * k] = 1
    said = np.arange(k) < (k + 1) // 2  # outcomes at which the attack says "member"
    gain = np.concatenate([-1.0 * said, 1.0 * said, np.zeros(2 * k)])
    limits = np.concatenate([np.zeros(2 * k), [delta, delta]])
    return -linprog(gain, A_ub=above, b_ub=limits, A_eq=sums, b_eq=[1, 1], method="highs").fun


@claim(
    "ours/advantage",
    "ours; Kairouz, Oh and Viswanath 2015",
    "holds",
    "thm-attack-advantage",
    ("release.advantage_bound", "release.randomised_response"),
    ours=True,
    proof="thm-attack-advantage",
    quantity="largest advantage over all laws",
    range="two to five outcomes, epsilon up to 4, delta up to 0.2",
)
def advantage(effort, rng):
    r"""No attack on an $(\epsilon, \delta)$-private release has an advantage of more than $(e^\epsilon - 1 +
    2\delta)/(e^\epsilon + 1)$. Some attack on some release has it, for $\delta = 0$ one on randomised response."""
    cases = []
    for epsilon in (0.01, 0.1, 1.0, 4.0):
        stated = release.advantage_bound(epsilon)
        law = release.randomised_response(epsilon)
        cases.append(Case(float(law[0, 0] - law[1, 0]), stated, {"epsilon": epsilon, "delta": 0.0}))
        for delta in (0.0, 1e-3, 0.2):
            for outcomes in effort.pick((2, 4), (2, 3, 4, 5), range(2, 9)):
                data = {"epsilon": epsilon, "delta": delta}
                found = largest_difference(epsilon, delta, outcomes)
                cases.append(Case(found, release.advantage_bound(epsilon, delta), data))
    return equal(cases, "{cases} programs; the last {exact:.6g} at epsilon {epsilon:g}", rtol=1e-7)


FITS = {"kind": "simulated", "ours": True, "quantity": "advantage of membership inference"}


def _attack(name, fits, rng):
    """Intervals of an attack's two probabilities, and of its advantage."""
    hits, alarms = release.membership(name, LEVEL, fits, rng=rng)
    spans = interval(hits, fits), interval(alarms, fits)
    return spans, release.advantage_range(*spans), (hits - alarms) / fits


def _fits(spans, law):
    """Whether each interval has its probability."""
    return all(low <= p <= high for (low, high), p in zip(spans, law))


@claim(
    "ours/membership-open",
    "ours",
    "holds",
    "thm-attack-advantage",
    ("release.membership", "release.membership_law"),
    intervals=4,
    range="forty records at 0 and one at 1, ten trees, MRF's theorem 2 at epsilon 0.5",
    **{**FITS, "quantity": "least advantage that the intervals allow"},
)
def membership_open(effort, rng):
    r"""Membership inference against a forest without privacy, and against a multinomial forest as published
    with the budgets of its theorem 2 at $\epsilon = 0.5$, has an advantage above the bound."""
    bound, fits = release.advantage_bound(LEVEL), effort.pick(60, 400, 4000)
    names = ["scikit-learn", "multinomial, published"]
    found = {name: _attack(name, fits, rng) for name in names}
    law = release.membership_law("scikit-learn", LEVEL)
    least = min(span[0] for _, span, _ in found.values())
    said = ", ".join(f"{name} {value:.3f}" for name, (_, _, value) in found.items())
    return verdict_of(
        least > bound and _fits(found["scikit-learn"][0], law),
        f"Of {fits} fits on each side: {said}, all at least {least:.3f}; privacy allows {bound:.3f}.",
        {"least": least, "bound": bound, "law": law},
        cases=2 * fits * len(names), kind="simulated", published=bound, computed=least, relation=">",
        intervals=tuple(s for spans, _, _ in found.values() for s in spans),
    )  # fmt: skip


@claim(
    "ours/membership-proved",
    "ours",
    "holds",
    "thm-attack-advantage",
    ("release.membership", "release.membership_law", "release.advantage_bound"),
    intervals=4,
    range="forty records at 0 and one at 1, one tree, epsilon 0.5",
    **FITS,
)
def membership_proved(effort, rng):
    r"""Membership inference against a proved forest stays below $(e^\epsilon - 1)/(e^\epsilon + 1)$. Against
    one random tree and a record alone in its leaf it comes to $(1 - e^{-\epsilon})/2$."""
    bound, fits = release.advantage_bound(LEVEL), effort.pick(300, 4000, 40_000)
    names = ["random, proved", "boosted, proved"]
    found = {name: _attack(name, fits, rng) for name in names}
    law = release.membership_law("random, proved", LEVEL)
    best = law[0] - law[1]
    most = max(span[0] for _, span, _ in found.values())
    said = ", ".join(f"{name} {value:.3f}" for name, (_, _, value) in found.items())
    return verdict_of(
        max(most, best) <= bound and _fits(found["random, proved"][0], law),
        f"Of {fits} fits on each side: {said}; the random tree's law is {best:.3f}, and privacy allows "
        f"{bound:.3f}.",
        {"most": most, "bound": bound, "law": law},
        cases=2 * fits * len(names), kind="simulated", published=bound, computed=best, relation="<=",
        intervals=tuple(s for spans, _, _ in found.values() for s in spans),
    )  # fmt: skip


def largest_share(n, cells, epsilon):
    """Largest expected share of n uniform records that a table of n finds, over all epsilon-private laws on data
    sets of at most n records, by a linear program; its unknowns are the laws of the named tables."""
    data = [c for k in range(n + 1) for c in combinations_with_replacement(range(cells), k)]
    tables = list(combinations_with_replacement(range(cells), n))
    place = {records: i for i, records in enumerate(data)}
    pairs = [(place[d], place[tuple(sorted((*d, more)))])
             for d in data if len(d) < n for more in range(cells)]  # fmt: skip
    steps = np.zeros((2 * len(pairs), len(data)))
    for i, (less, whole) in enumerate(pairs):
        steps[2 * i, [less, whole]] = 1, -math.exp(epsilon)
        steps[2 * i + 1, [whole, less]] = 1, -math.exp(epsilon)
    found = np.zeros((len(data), len(tables)))
    for records in product(range(cells), repeat=n):
        for j, table in enumerate(tables):
            both = sum(min(records.count(c), table.count(c)) for c in set(records))
            found[place[tuple(sorted(records))], j] += both / n / cells**n
    ratios, sums = (
        np.kron(steps, np.eye(len(tables))),
        np.kron(np.eye(len(data)), np.ones(len(tables))),
    )
    return -linprog(-found.ravel(), A_ub=ratios, b_ub=np.zeros(len(ratios)), A_eq=sums,
                    b_eq=np.ones(len(data)), method="highs").fun  # fmt: skip


def _attained():
    """Whether the bound is what a linear program finds for one record, and more than it finds for two."""
    one = [(release.recovery_bound(1, m, e), largest_share(1, m, e))
           for m, e in product((2, 5), (0.1, 1.0, 4.0))]  # fmt: skip
    two = [(release.recovery_bound(2, 3, e), largest_share(2, 3, e)) for e in (0.1, 1.0, 4.0)]
    return all(math.isclose(*pair, rel_tol=1e-7) for pair in one) and all(a > b for a, b in two)


@claim(
    "ours/reconstruction",
    "ours; Ferry, Fukasawa, Pascal and Vidal 2024",
    "holds",
    "thm-attack-reconstruction",
    ("release.solve_counts", "release.likeliest_table", "release.recovery_bound"),
    ours=True,
    proof="thm-attack-reconstruction",
    kind="simulated",
    intervals=2,
    quantity="share of records recovered",
    range="forty records of six binary columns and two classes, epsilon 0.1",
)
def reconstruction(effort, rng):
    r"""At $\epsilon$ no reconstruction names a larger share of $n$ uniform records in $m$ cells than
    $\min(e^\epsilon n/m, 1 - e^{-\epsilon}(1 - n/m))$ in expectation, which is attained for one record and for no
    larger n. The leaf counts of ten trees without privacy give more away."""
    epsilon, cells = 0.1, 2 * 2**COLUMNS
    bound = release.recovery_bound(RECORDS, cells, epsilon)
    tables = effort.pick(30, 200, 2000)
    spans, means = [], []
    for kind, value in (("leaf counts", 10), ("noisy counts", epsilon)):
        shares = np.array([one_table(kind, value, rng) for _ in range(tables)])
        spans.append(interval(int((rng.random(tables) < shares).sum()), tables))
        means.append(float(shares.mean()))
    return verdict_of(
        spans[1][0] <= bound < spans[0][0] and _attained(),
        f"Of {tables} tables each: leaf counts give {means[0]:.3f} of the records away, noisy counts at "
        f"epsilon {epsilon:g} {means[1]:.3f}; privacy allows {bound:.3f}.",
        {"shares": means, "bound": bound},
        kind="simulated", cases=2 * tables, published=bound, computed=means[1], relation="<=",
        intervals=tuple(spans),
    )  # fmt: skip


@claim(
    "ours/reconstruction-published",
    "ours; MRF, theorem 2",
    "holds",
    "thm-attack-reconstruction",
    ("release.table_of_cuts", "release.recovery_bound"),
    ours=True,
    kind="simulated",
    intervals=1,
    quantity="share of records recovered",
    range="forty records of six binary columns and two classes, ten trees, k = 1, epsilon 0.1",
)
def reconstruction_published(effort, rng):
    r"""The cuts of a multinomial forest as published, with the budgets of its theorem 2 at $\epsilon = 0.1$,
    give a larger share of $n$ uniform records away than any release may that is 0.1-private. No label is read."""
    epsilon, name = 0.1, "published cuts"
    bound = release.recovery_bound(RECORDS, 2 * 2**COLUMNS, epsilon)
    found = stored_attacks()["reconstruction", name, epsilon]
    again, tables = effort.pick(30, 200, 1000), len(found["shares"])
    repeats = reconstruction_cell(name, epsilon, again)["shares"] == found["shares"][:again]
    span = interval(found["given away"], tables)
    mean = float(np.mean(found["shares"]))
    return verdict_of(
        repeats and span[0] > bound,
        f"Of {tables} tables, of which {again} were drawn again, the cuts give {mean:.3f} of the records away; "
        f"privacy allows {bound:.3f}.",
        {"share": mean, "bound": bound, "repeats": repeats},
        kind="simulated", cases=tables, published=bound, computed=mean, relation=">", intervals=(span,),
    )  # fmt: skip
