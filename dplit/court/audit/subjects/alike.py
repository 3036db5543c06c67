"""What must come out alike, in ``dplit audit``: trees of few and of many records, codes, fits from blocks."""

from functools import partial

import numpy as np
import pandas as pd

from dplit.baselines._shared import bin_codes
from dplit.court.audit.subject import Found, estimator, public, subjects_of
from dplit.court.audit.subjects.entries import in_blocks
from dplit.court.audit.subjects.moved import DOMAIN, KINDS
from dplit.court.audit.subjects.moved import X as RECORDS
from dplit.court.audit.subjects.persons import DEEP, TREES, drawn
from dplit.domain import Categorical, Continuous, Date, Domain
from dplit.domain.schema import encoded_columns
from dplit.forests.cells import Cells

LEVELS, CUT = Domain([Categorical(range(3))] * 8), Domain([Continuous(0, 2)] * 4)
GROWN = {  # without a look at how many records there are; trees of two children where columns are cut
    **dict.fromkeys(("RandomDecisionForestClassifier", "JPWClassifier", "DPRandomForestClassifier",
                     "DPRandomForestRegressor", "DPDecisionForestClassifier"), LEVELS),
    **dict.fromkeys(("MedianForestClassifier", "MedianForestRegressor", "MultinomialForestClassifier",
                     "HistogramForestClassifier"), CUT),
}  # fmt: skip
DEEP_TREES = {LEVELS: 7, CUT: 3}  # of more nodes than the first room of a tree holds, and of few
FILLED = Domain([Continuous(0, 1, missing=True), Categorical(["a", "b", "c"], missing=True),
                 Date("2020-01-01", "2020-12-31", missing=True)])  # fmt: skip
TABLES = {  # of numbers, inside and outside of the domain; and of cells some of which are missing
    "table of numbers": (CUT, [[0.1, 2.0, -3.0, 1.0], [1e9, 0.5, 0.0, -1e9]], float),
    "table with missing values": (FILLED, [[0.1, "a", "2020-02-03"], [None, "b", None], [0.7, None, "2020-05-06"],
                                           [7.0, "c", "2031-01-01"]], object),
}  # fmt: skip
HISTOGRAM = "HistogramForestClassifier"
MANY = 200
BLOCKS = 20  # more than the eight that are added up at once
FROM_BLOCKS = tuple(dict.fromkeys(words.partition(",")[0] for words, _, blocks in KINDS if blocks))


def _nodes(kind, effort, rng):
    """The largest difference of the numbers of nodes, or cells; declares none."""
    make, found = partial(estimator(kind), 1.0, domain=GROWN[kind], **public(kind, 2)), []
    for seed in range(effort.pick(3, 10, 30)):
        X = np.random.default_rng(seed).integers(3, size=(MANY, len(GROWN[kind])))
        y = X.sum(axis=1) % 3
        for depth in ({"max_depth": DEEP_TREES[GROWN[kind]]}, {"max_depth": None}):  # left out, it is public, too
            fits = [make(n_estimators=2, random_state=seed, **depth).fit(X[:n], y[:n]) for n in (1, MANY)]
            sizes = [len(f.cell_counts_ if kind == HISTOGRAM else f.trees_.feature) for f in fits]
            found.append(abs(sizes[0] - sizes[1]))
    return Found(0.0, float(max(found)), f"nodes of trees of 1 record and of {MANY}")


def _codes(encode, X, effort, rng, ends=(-np.inf, np.inf)):
    """How many of some records get another code beside others than alone, or one outside of what is public."""
    codes, alone = encode(X), np.concatenate([encode(X[i : i + 1]) for i in range(len(X))])
    wrong = (codes != alone) | (codes < ends[0]) | (codes > ends[1])
    return Found(0.0, float(wrong.any(axis=1).sum()), f"{len(X)} records")


def _encoded(domain, X, kind, effort, rng):
    lower, upper = domain.bounds.T
    ends = lower, np.where(domain.n_levels > 0, domain.n_levels - 1, upper)
    ways = domain.encode, lambda table: np.asarray(encoded_columns(domain, pd.DataFrame(table)))
    return max(_codes(way, np.array(X, dtype=kind), effort, rng, ends) for way in ways)


def _of_a_grid(X):
    from dplit.trees.oblivious import Grid  # compiled: slow to import

    return Grid(DOMAIN, BLOCKS).encode(X).T


def _of_a_baseline(X):
    return bin_codes(DOMAIN, X, BLOCKS).T


def _of_cells(X):
    return Cells(DOMAIN, BLOCKS).codes(X)


def _codes_of(encode, effort, rng):
    return _codes(encode, DOMAIN.encode(RECORDS), effort, rng)


CODES = {
    **{name: partial(_codes_of, encode) for name, encode in {
        "boosted forest": _of_a_grid, "greedy baseline": _of_a_baseline, "histogram": _of_cells}.items()},
    **{name: partial(_encoded, *table) for name, table in TABLES.items()},
}  # fmt: skip


def _blocks(kind, effort, rng):
    """How many of some fits draw otherwise from many blocks than from memory; declares none."""
    from sklearn.base import clone

    options, other = {"domain": DOMAIN} | TREES | DEEP.get(kind, {}) | public(kind, 2), 0
    seeds = effort.pick(1, 3, 10)
    y, at = np.divmod(np.arange(2 * BLOCKS), len(RECORDS))
    X, y = RECORDS[at], y % 3
    for seed in range(seeds):
        forest = estimator(kind)(2.0, random_state=seed, **options)
        with in_blocks((X, y), (2,) * BLOCKS) as given:
            other += drawn(clone(forest).fit(*given)) != drawn(clone(forest).fit(X, y))
    return Found(0.0, other / seeds, f"{seeds} fits from {BLOCKS} blocks")


def registered():
    """The subjects of this file."""
    yield from subjects_of({k: partial(_nodes, k) for k in GROWN}, "{}, trees of one record and of many")
    yield from subjects_of(CODES, "codes of the records of a {}")
    yield from subjects_of({k: partial(_blocks, k) for k in FROM_BLOCKS}, "{} from many blocks")
