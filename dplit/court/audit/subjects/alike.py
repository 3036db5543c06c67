"""What must come out alike, in ``dplit audit``: trees of few and of many records, fits from memory and blocks.

Where nothing but public numbers says how far a tree is grown, a table with one record has trees of as many nodes
as one with two hundred. And a fit from many blocks draws, bit by bit, what it draws from memory.
"""

from functools import partial

import numpy as np

from dplit.court.audit.subject import Found, estimator, public, subjects_of
from dplit.court.audit.subjects.entries import in_blocks
from dplit.court.audit.subjects.moved import DOMAIN, KINDS
from dplit.court.audit.subjects.moved import X as RECORDS
from dplit.court.audit.subjects.persons import DEEP, TREES, drawn
from dplit.domain import Categorical, Domain

LEVELS = Domain([Categorical(range(3))] * 4)
GROWN = (  # without a look at how many records there are
    "RandomDecisionForestClassifier", "JPWClassifier", "DPRandomForestClassifier",
    "DPRandomForestRegressor", "DPDecisionForestClassifier",
)  # fmt: skip
MANY = 200
BLOCKS = 20  # more than the eight that are added up at once
FROM_BLOCKS = tuple(dict.fromkeys(words.partition(",")[0] for words, _, blocks in KINDS if blocks))


def _nodes(kind, effort, rng):
    """The largest difference of the numbers of nodes; declares none."""
    make, found = partial(estimator(kind), 1.0, domain=LEVELS, **public(kind, 2)), []
    for seed in range(effort.pick(3, 10, 30)):
        X = np.random.default_rng(seed).integers(3, size=(MANY, len(LEVELS)))
        y = X.sum(axis=1) % 3
        options = {"n_estimators": 2, "max_depth": 3, "random_state": seed}
        fits = [make(**options).fit(X[:n], y[:n]) for n in (1, MANY)]
        found.append(abs(np.diff([len(fitted.trees_.feature) for fitted in fits]).item()))
    return Found(0.0, float(max(found)), f"nodes of trees of 1 record and of {MANY}")


def _blocks(kind, effort, rng):
    """How many of some fits draw otherwise from many blocks than from memory; declares none."""
    from sklearn.base import clone

    options, other = {"domain": DOMAIN} | TREES | DEEP.get(kind, {}) | public(kind, 2), 0
    seeds = effort.pick(1, 3, 10)
    at = np.arange(2 * BLOCKS) % len(RECORDS)
    X, y = RECORDS[at], at % 3
    for seed in range(seeds):
        forest = estimator(kind)(2.0, random_state=seed, **options)
        with in_blocks((X, y), (2,) * BLOCKS) as given:
            other += drawn(clone(forest).fit(*given)) != drawn(clone(forest).fit(X, y))
    return Found(0.0, other / seeds, f"{seeds} fits from {BLOCKS} blocks")


def registered():
    """The subjects of this file."""
    yield from subjects_of({k: partial(_nodes, k) for k in GROWN}, "{}, trees of one record and of many")
    yield from subjects_of({k: partial(_blocks, k) for k in FROM_BLOCKS}, "{} from many blocks")
