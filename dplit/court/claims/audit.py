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
from dplit.court.ledger import Case, claim, equal, verdict_of

LEVELS = (0.1, 1e-3, 1e-6)


@claim(
    "rdf/audit-valid",
    "ours; on definition 1",
    "holds",
    "thm-audit-valid",
    ("audit.epsilon_lower_bound", "audit.accuses"),
    ours=True,
    proof="thm-audit-valid",
    quantity="probability of a false alarm",
)
def valid(effort, rng):
    r"""For independent draws of an $\epsilon$-private mechanism the lower bound at confidence $1 - \beta$
    exceeds $\epsilon$ with probability at most $\beta$, whichever event the first half has chosen."""
    cases = []
    sizes = effort.pick((4, 20, 100), (4, 20, 100, 400), (4, 20, 100, 400, 2000))
    for draws, epsilon, beta in product(sizes, (0.0, 0.1, 1.0, 3.0), LEVELS):
        for q in np.linspace(0, 1, effort.pick(11, 21, 41)) * math.exp(-epsilon):
            p = min(1.0, q * math.exp(epsilon))
            data = {"draws": draws, "epsilon": epsilon, "beta": beta, "q": float(q)}
            cases.append(Case(accuses(p, q, epsilon, draws, 1 - beta), beta, data))
    worst = max(cases, key=lambda case: case.exact / case.stated)
    note = f"{len(cases)} laws and numbers of draws, nearest to beta: {worst.exact:.3g} at {worst.data}"
    return verdict_of(
        all(case.exact <= case.stated for case in cases), note, dict(worst.data), cases=len(cases),
        computed=worst.exact, published=worst.stated, relation="<=",
        range="draws up to 100 (quick), epsilon up to 3, beta 0.1 to 1e-6",
    )  # fmt: skip


@claim(
    "rdf/audit-limits",
    "ours; on definition 1",
    "holds",
    "thm-audit-valid",
    ("audit.epsilon_lower_bound",),
    ours=True,
    proof="thm-audit-valid",
    quantity="probability of more hits at the limit",
)
def limits(effort, rng):
    r"""At the one-sided limit of Clopper and Pearson the observed number of hits, or a more extreme one,
    has probability $\beta/2$ exactly."""
    cases = []
    for m, beta in product((1, 7, effort.pick(50, 200, 1000)), LEVELS):
        k = np.arange(m)
        low, high = lower_limit(k + 1, m, beta / 2), upper_limit(k, m, beta / 2)
        tails = [*binom.sf(k, m, low).tolist(), *binom.cdf(k, m, high).tolist()]
        cases += [Case(t, beta / 2, {"m": m, "beta": beta}) for t in tails]
    note = "{cases} limits: at m = {m}, beta = {beta}, the tail is {exact:.6g}"
    return equal(cases, note, rtol=1e-7, range="m up to 50 (quick), beta 0.1 to 1e-6")


@claim(
    "rdf/audit-ceiling",
    "ours; on definition 1",
    "holds",
    "thm-audit-ceiling",
    ("audit.ceiling",),
    ours=True,
    proof="thm-audit-ceiling",
    quantity="largest bound",
)
def most(effort, rng):
    r"""No draws show more than $\log(r/(1-r))$, $r = (\beta/2)^{1/m}$, for m draws of the second half; an
    event that is certain on one input and impossible on the other shows it."""
    cases = []
    for m, beta in product((2, 10, effort.pick(40, 100, 400)), LEVELS):
        hits = np.arange(m + 1)
        low, high = lower_limit(hits, m, beta / 2), upper_limit(hits, m, beta / 2)
        with np.errstate(divide="ignore"):
            every = np.log(low)[:, None] - np.log(high)
        data = {"m": m, "beta": beta}
        cases.append(Case(float(every.max()), ceiling(2 * m, 1 - beta), data))
    note = "{cases} numbers of draws: at m = {m}, beta = {beta}, the largest of all is {exact:.6g}"
    return equal(cases, note, range="every pair of counts, m up to 40 (quick)")
