"""What must come out alike, in ``dplit audit``: trees of few and of many records, fits from memory and blocks.

Where nothing but public numbers says how far a tree is grown, a table with one record has trees of as many nodes
as one with two hundred. And a fit from many blocks draws, bit by bit, what it draws from memory.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dplit.court.audit.subject import Found, Subject, named
from dplit.court.audit.subjects.entries import in_blocks
from dplit.court.audit.subjects.moved import DOMAIN, KINDS
from dplit.court.audit.subjects.moved import X as RECORDS
from dplit.court.audit.subjects.persons import DEEP, TREES, drawn
from dplit.domain import Categorical, Domain

LEVELS = Domain([Categorical(range(3))] * 4)
GROWN = (  # without a look at how many records there are
    ("forests", "RandomDecisionForestClassifier"),
    ("baselines", "JPWClassifier"),
    ("baselines", "DPRandomForestClassifier"),
    ("baselines", "DPRandomForestRegressor"),
    ("baselines", "DPDecisionForestClassifier"),
)
MANY = 200
BLOCKS = 20  # more than the eight that are added up at once
FROM_BLOCKS = tuple(dict.fromkeys(words.partition(",")[0] for words, *_, blocks in KINDS if blocks))


def _schema(kind):
    regressor = kind.endswith("Regressor")
    return {"target_bounds": (0, 2)} if regressor else {"classes": [0, 1, 2]}


def _nodes(kind, effort, rng):
    """The largest difference of the numbers of nodes; declares none."""
    make, found = kind(), []
    for seed in range(effort.pick(3, 10, 30)):
        X = np.random.default_rng(seed).integers(3, size=(MANY, len(LEVELS)))
        y = X.sum(axis=1) % 3
        options = {"domain": LEVELS, "n_estimators": 2, "max_depth": 3, "random_state": seed}
        fits = [make(1.0, **options, **_schema(make.__name__)).fit(X[:n], y[:n]) for n in (1, MANY)]
        found.append(abs(np.diff([len(fitted.trees_.feature) for fitted in fits]).item()))
    return Found(0.0, float(max(found)), f"nodes of trees of 1 record and of {MANY}")


def _blocks(kind, effort, rng):
    """How many of some fits draw otherwise from many blocks than from memory; declares none."""
    from sklearn.base import clone

    make, other = kind(), 0
    options = TREES | DEEP.get(make.__name__, {})
    seeds = effort.pick(1, 3, 10)
    for seed in range(seeds):
        at = np.arange(2 * BLOCKS) % len(RECORDS)
        X, y = RECORDS[at], at % 3
        forest = make(2.0, domain=DOMAIN, random_state=seed, **options, **_schema(make.__name__))
        with in_blocks((X, y), (2,) * BLOCKS) as given:
            other += drawn(clone(forest).fit(*given)) != drawn(clone(forest).fit(X, y))
    return Found(0.0, other / seeds, f"{seeds} fits from {BLOCKS} blocks")


def registered():
    """The subjects of this file."""
    for where, kind in GROWN:
        yield Subject(f"{kind}, trees of one record and of many", "exact", "within",
                      partial(_nodes, named(where, kind)))  # fmt: skip
    for kind in FROM_BLOCKS:
        yield Subject(f"{kind} from many blocks", "exact", "within",
                      partial(_blocks, named("forests", kind)))  # fmt: skip
