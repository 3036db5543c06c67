"""Claims on the audit's lower bound: what it promises, and what it can see. Derived in :doc:`/book/audit`."""

import math
from itertools import product

import numpy as np
from scipy.stats import binom

from dplit.court.audit.blackbox import lower_limit, upper_limit
from dplit.court.audit.power import accuses, ceiling
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, note, same
from dplit.court.power import FALSE_ALARM, DrawnTest, Release

LEVELS = (0.1, 1e-3, 1e-6)
VALID = Box("thm-audit-valid", "audit.epsilon_lower_bound")
POWER = Box("thm-audit-power", "power.DrawnTest")
CEILING = Box("thm-audit-ceiling", "audit.ceiling")
OURS = "ours; on definition 1"


@VALID("rdf/audit-valid", OURS, "holds", "audit.epsilon_lower_bound", "audit.accuses", quantity="false alarms")
def valid(effort, rng):
    r"""For independent draws of an $\epsilon$-private mechanism an audit's lower bound at confidence $1 - \beta$
    exceeds $\epsilon$ with probability at most $\beta$, whichever event the first half has chosen."""
    sizes = effort.pick((4, 20, 100), (4, 20, 100, 400), (4, 20, 100, 400, 2000))
    for draws, epsilon, beta in product(sizes, (0.0, 0.1, 1.0, 3.0), LEVELS):
        for q in np.linspace(0, 1, effort.pick(11, 21, 41)) * math.exp(-epsilon):
            alarm = accuses(min(1.0, q * math.exp(epsilon)), q, epsilon, draws, 1 - beta)
            yield below(alarm, beta, 0, draws=draws, epsilon=epsilon, beta=beta, q=float(q))
    return note(
        "In {cases} cases, a distribution and a number of draws each, a false alarm has at most the probability "
        "beta; the nearest is {exact:.3g} at {draws} draws, epsilon {epsilon:g}, beta {beta:g} and an event of q "
        "= {q:.3g}.",
        range="draws up to 100 (quick), epsilon up to 3, beta 0.1 to 1e-6",
    )


@VALID("rdf/audit-limits", OURS, quantity="probability of more hits at the limit")
def limits(effort, rng):
    r"""At the one-sided limit of Clopper and Pearson the observed number of hits, or a more extreme one,
    has probability $\beta/2$ exactly."""
    for m, beta in product((1, 7, effort.pick(50, 200, 1000)), LEVELS):
        k = np.arange(m)
        low, high = lower_limit(k + 1, m, beta / 2), upper_limit(k, m, beta / 2)
        for tail in (*binom.sf(k, m, low), *binom.cdf(k, m, high)):
            yield same(tail, beta / 2, 1e-7, m=m, beta=beta)
    return note(
        "At each of {cases} limits the tail has probability beta/2, which is {exact:.6g} at m = {m}, beta = "
        "{beta}.",
        range="m up to 50 (quick), beta 0.1 to 1e-6",
    )


@CEILING("rdf/audit-ceiling", OURS, quantity="largest bound")
def most(effort, rng):
    r"""No lower bound that an audit takes from the m draws of its second half exceeds $\log(r/(1-r))$ with $r =
    (\beta/2)^{1/m}$. An event that is certain on one input and impossible on the other attains it."""
    for m, beta in product((2, 10, effort.pick(40, 100, 400)), LEVELS):
        hits = np.arange(m + 1)
        low, high = lower_limit(hits, m, beta / 2), upper_limit(hits, m, beta / 2)
        with np.errstate(divide="ignore"):
            every = np.log(low)[:, None] - np.log(high)
        yield same(every.max(), ceiling(2 * m, 1 - beta), m=m, beta=beta)
    return note(
        "In {cases} cases of m and beta the largest of all bounds is the ceiling; at m = {m} and beta = {beta} "
        "it is {exact:.6g}.",
        range="every pair of counts, m up to 40 (quick)",
    )


def _coin(chance, rate=1.0, copies=1):
    """A coin that a bug turns into another one."""
    other = {1.0: chance, 1.5: chance**1.5, 3.0: chance**3, math.inf: 0.0}[rate] * (2 if copies == 2 else 1)
    return {True: min(other, 1.0), False: 1 - min(other, 1.0)}


@POWER("rdf/audit-power", OURS, quantity="probability that a sound release is refused")
def power(effort, rng):
    r"""The drawn test rejects a sound release with probability at most $\alpha$, and a release with a planted bug
    with at least the probability that the test states."""
    for chance in effort.pick((0.1, 0.45), (0.05, 0.1, 0.3, 0.45), (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45)):
        coin = Release("a coin", "", "", "", "", lambda c=chance, **bug: _coin(c, **bug), list)
        test = DrawnTest(coin)
        hits = np.arange(test.draws + 1)
        out = np.zeros(len(hits), bool)  # by the number of heads, which decides on every event
        for event in test.events:
            found = hits if True in event.members else test.draws - hits
            out |= (found < event.least) | (found > event.most)
        alarm = binom.pmf(hits, test.draws, chance)[out].sum()
        yield decisive(below(alarm, FALSE_ALARM, chance=chance, draws=test.draws))
        for event in test.events:
            other = coin.law(**coin.bugs[event.bug])[True]
            seen = binom.pmf(hits, test.draws, other)[out].sum()
            yield below(event.power, seen, 1e-9, chance=chance, draws=test.draws)
    return note(
        "In {cases} cases, summed over all counts, both statements hold; a sound coin of {chance:g} is refused "
        "in {draws} draws with probability {exact:.3g}, where {stated:.3g} is allowed.",
        range="coins from 0.1 to 0.45 (quick), four bugs each",
    )
