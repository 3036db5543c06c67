"""Claims on what attacks on released forests can gain; they run against forests that are fitted for them."""

import math
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.optimize import linprog

from dplit.court import attacks
from dplit.court.attacks.run import COLUMNS, RECORDS, one_table, reconstruction_cell, stored_attacks
from dplit.court.claims.attacks._attacked import above, attacked
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, counted, decisive, need, same

LEVEL = 0.5  # epsilon of the fits of a quick check
ADVANTAGE = Box("thm-attack-advantage", "attacks.advantage_bound", "attacks.randomised_response")
MEMBERSHIP = Box("thm-attack-advantage", "attacks.membership", "attacks.membership_law", intervals=4)
RECONSTRUCTION = Box("thm-attack-reconstruction", quantity="share of records recovered")


@ADVANTAGE(
    "ours/advantage",
    "ours; Kairouz, Oh and Viswanath 2015",
    quantity="advantage of an attack",
    **over("ours/advantage", "ours/advantage:met"),
)
def advantage(effort, rng):
    r"""No attack on an $(\epsilon, \delta)$-private release has an advantage above $(e^\epsilon - 1 + 2\delta) /
    (e^\epsilon + 1)$. Some attack attains this bound; if $\delta = 0$, an attack on randomised response does."""
    bound = lambda H, D=0.0, **_: attacks.advantage_bound(math.log(H), D)  # noqa: E731
    response = lambda H: attacks.randomised_response(math.log(H))[:, 0] @ [1, -1]  # noqa: E731
    yield from certified("ours/advantage", effort, right=bound)
    yield from certified("ours/advantage:met", effort, left=response, right=bound)
    return "No attack has more than the bound, and randomised response has it, {statement} wherever {where}"


@MEMBERSHIP(
    "ours/membership-open",
    "ours",
    proved=False,
    quantity="least advantage that the intervals allow",
    range="forty records at 0 and one at 1, ten trees, MRF's theorem 2 at epsilon 0.5",
)
def membership_open(effort, rng):
    r"""At $\epsilon = 0.5$, membership inference against a forest without privacy, and against a published
    multinomial forest with the budgets of its theorem 2, has an advantage above the bound for private releases."""
    bound, fits, said = attacks.advantage_bound(LEVEL), effort.pick(50, 400, 4000), []
    laws = {"scikit-learn": attacks.membership_law("scikit-learn", LEVEL)}
    for name in ("scikit-learn", "multinomial, published"):
        seen, law = attacks.membership(name, LEVEL, fits, rng=rng), laws.get(name, ())
        share, least = yield from attacked(seen, fits, bound, ">", law, forest=name)
        said.append(f"{share:.3f} ({name}; at least {least:.3f} by the intervals)")
    return f"In {fits} fits on each side the advantage is {' and '.join(said)}; privacy allows {{stated:.3f}}."


@MEMBERSHIP(
    "ours/membership-proved",
    "ours",
    "holds",
    "attacks.membership",
    "attacks.membership_law",
    "attacks.advantage_bound",
    proved=False,
    quantity="advantage of membership inference",
    range="forty records at 0 and one at 1, one tree, epsilon 0.5",
)
def membership_proved(effort, rng):
    r"""Against a forest proved $\epsilon$-private, membership inference has an advantage below $(e^\epsilon -
    1)/(e^\epsilon + 1)$. Against one random tree in which the record is alone in its leaf, the advantage is $(1 -
    e^{-\epsilon})/2$."""
    bound, fits, said = attacks.advantage_bound(LEVEL), effort.pick(120, 4000, 40_000), []
    laws = {"random, proved": attacks.membership_law("random, proved", LEVEL)}
    for name in ("random, proved", "boosted, proved"):
        seen, law = attacks.membership(name, LEVEL, fits, rng=rng), laws.get(name, ())
        share, _ = yield from attacked(seen, fits, bound, "<=", law, forest=name)
        said.append(f"{share:.3f} ({name})")
    hit, alarm = laws["random, proved"]
    yield decisive(below(hit - alarm, bound))
    return (
        f"In {fits} fits on each side the advantage is {' and '.join(said)}. For the random tree it is exactly "
        "{exact:.3f}, and privacy allows {stated:.3f}."
    )


def largest_share(n, cells, epsilon):
    """Largest expected share of n uniform records that a table of n finds, over all epsilon-private laws on data
    sets of at most n records, by a linear program; its unknowns are the laws of the named tables."""
    data = [c for k in range(n + 1) for c in combinations_with_replacement(range(cells), k)]
    tables = list(combinations_with_replacement(range(cells), n))
    place = {records: i for i, records in enumerate(data)}
    pairs = [(place[d], place[tuple(sorted((*d, more)))]) for d in data if len(d) < n for more in range(cells)]
    steps = np.zeros((2 * len(pairs), len(data)))
    for i, (less, whole) in enumerate(pairs):
        steps[2 * i, [less, whole]] = 1, -math.exp(epsilon)
        steps[2 * i + 1, [whole, less]] = 1, -math.exp(epsilon)
    found = np.zeros((len(data), len(tables)))
    for records in product(range(cells), repeat=n):
        for j, table in enumerate(tables):
            both = sum(min(records.count(c), table.count(c)) for c in set(records))
            found[place[tuple(sorted(records))], j] += both / n / cells**n
    ratios, sums = (np.kron(steps, np.eye(len(tables))), np.kron(np.eye(len(data)), np.ones(len(tables))))
    return -linprog(-found.ravel(), A_ub=ratios, b_ub=np.zeros(len(ratios)), A_eq=sums,
                    b_eq=np.ones(len(data)), method="highs").fun  # fmt: skip


@RECONSTRUCTION(
    "ours/reconstruction",
    "ours; Ferry, Fukasawa, Pascal and Vidal 2024",
    "holds",
    "attacks.solve_counts",
    "attacks.likeliest_table",
    "attacks.recovery_bound",
    intervals=2,
    range="forty records of six binary columns and two classes, epsilon 0.1",
)
def reconstruction(effort, rng):
    r"""From an $\epsilon$-private release on $n$ uniform records in $m$ cells, no reconstruction recovers, in
    expectation, a larger share of the records than $\min(e^\epsilon n/m, 1 - e^{-\epsilon}(1 - n/m))$. The bound
    is attained for $n = 1$ and for no larger $n$. The leaf counts of ten trees without privacy reveal more."""
    epsilon, tables = 0.1, effort.pick(30, 200, 2000)
    bound = attacks.recovery_bound(RECORDS, 2 * 2**COLUMNS, epsilon)
    counts, means = [], []
    for kind, value in (("leaf counts", 10), ("noisy counts", epsilon)):
        shares = np.array([one_table(kind, value, rng) for _ in range(tables)])
        counts.append(int((rng.random(tables) < shares).sum()))
        means.append(float(shares.mean()))
    yield above(counts[0], tables, bound, means[0])
    yield decisive(counted(counts[1], tables, bound, "<=")._replace(exact=means[1]))
    for m, e in product((2, 5), (0.1, 1.0, 4.0)):
        yield same(largest_share(1, m, e), attacks.recovery_bound(1, m, e), rtol=1e-7)
    for e in (0.1, 1.0, 4.0):
        most, stated = largest_share(2, 3, e), attacks.recovery_bound(2, 3, e)
        yield need(most < stated, most, "<", stated)
    return (
        f"On average over {tables} tables each, leaf counts reveal {means[0]:.3f} of the records and noisy counts "
        f"at epsilon {epsilon:g} {{exact:.3f}}; privacy allows {{stated:.3f}}."
    )


@RECONSTRUCTION(
    "ours/reconstruction-published",
    "ours; MRF, theorem 2",
    "holds",
    "attacks.table_of_cuts",
    "attacks.recovery_bound",
    proved=False,
    intervals=1,
    range="forty records of six binary columns and two classes, ten trees, k = 1, epsilon 0.1",
)
def reconstruction_published(effort, rng):
    r"""The cuts of a published multinomial forest, with the budgets of its theorem 2 at $\epsilon = 0.1$, reveal a
    larger share of $n$ uniform records than any 0.1-private release can. The attack reads no label."""
    epsilon, name = 0.1, "published cuts"
    bound = attacks.recovery_bound(RECORDS, 2 * 2**COLUMNS, epsilon)
    found = stored_attacks()["reconstruction", name, epsilon]
    again, tables = effort.pick(30, 200, 1000), len(found["shares"])
    shares = reconstruction_cell(name, epsilon, again)["shares"]
    yield need(shares == found["shares"][:again])  # the stored run repeats
    yield above(found["given away"], tables, bound, np.mean(found["shares"]))
    return (
        f"Of {tables} tables, of which {again} were drawn again, the cuts give {{exact:.3f}} of the records "
        "away; privacy allows {stated:.3f}."
    )
