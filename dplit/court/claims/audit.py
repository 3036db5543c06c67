r"""The audit itself: what its lower bound promises, and what it can see.

A mechanism is :math:`\epsilon`-private (RDF, definition 1) or a set of outcomes refutes it. The false-alarm
probability of the bound is computed by summing over all counts of the second half. Derived in
:doc:`/book/audit`.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy.stats import binom

from dplit.court.audit.blackbox import lower_limit, upper_limit
from dplit.court.audit.power import accuses, ceiling
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, note, same

LEVELS = (0.1, 1e-3, 1e-6)
VALID = Box("thm-audit-valid", "audit.epsilon_lower_bound")
CEILING = Box("thm-audit-ceiling", "audit.ceiling")
OURS = "ours; on definition 1"


@VALID(
    "rdf/audit-valid",
    OURS,
    "holds",
    "audit.epsilon_lower_bound",
    "audit.accuses",
    quantity="probability of a false alarm",
)
def valid(effort, rng):
    r"""For independent draws of an $\epsilon$-private mechanism the lower bound at confidence $1 - \beta$
    exceeds $\epsilon$ with probability at most $\beta$, whichever event the first half has chosen."""
    sizes = effort.pick((4, 20, 100), (4, 20, 100, 400), (4, 20, 100, 400, 2000))
    for draws, epsilon, beta in product(sizes, (0.0, 0.1, 1.0, 3.0), LEVELS):
        for q in np.linspace(0, 1, effort.pick(11, 21, 41)) * math.exp(-epsilon):
            alarm = accuses(min(1.0, q * math.exp(epsilon)), q, epsilon, draws, 1 - beta)
            yield below(alarm, beta, 0, draws=draws, epsilon=epsilon, beta=beta, q=float(q))
    return note(
        "{cases} laws and numbers of draws, nearest to beta: {exact:.3g} at {draws} draws, epsilon {epsilon:g}, "
        "beta {beta:g} and q = {q:.3g}",
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
        "{cases} limits: at m = {m}, beta = {beta}, the tail is {exact:.6g}",
        range="m up to 50 (quick), beta 0.1 to 1e-6",
    )


@CEILING("rdf/audit-ceiling", OURS, quantity="largest bound")
def most(effort, rng):
    r"""No draws show more than $\log(r/(1-r))$, $r = (\beta/2)^{1/m}$, for m draws of the second half; an
    event that is certain on one input and impossible on the other shows it."""
    for m, beta in product((2, 10, effort.pick(40, 100, 400)), LEVELS):
        hits = np.arange(m + 1)
        low, high = lower_limit(hits, m, beta / 2), upper_limit(hits, m, beta / 2)
        with np.errstate(divide="ignore"):
            every = np.log(low)[:, None] - np.log(high)
        yield same(every.max(), ceiling(2 * m, 1 - beta), m=m, beta=beta)
    return note(
        "{cases} numbers of draws: at m = {m}, beta = {beta}, the largest of all is {exact:.6g}",
        range="every pair of counts, m up to 40 (quick)",
    )
