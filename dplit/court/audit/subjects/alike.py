"""What must come out alike, in ``dplit audit``: trees of few and of many records, codes, fits from blocks."""

import re
import warnings
from contextlib import nullcontext
from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import clone

from dplit.baselines._shared import bin_codes
from dplit.court.audit.estimators import in_blocks
from dplit.court.audit.lockstep import held
from dplit.court.audit.subject import RO, Found, estimator, public, subjects_of
from dplit.court.audit.subjects.moved import DOMAIN, ESTIMATORS, FROM_BLOCKS, Given, accepted, rows
from dplit.court.audit.subjects.moved import X as RECORDS
from dplit.court.audit.subjects.persons import DEEP, TREES, drawn
from dplit.domain import Categorical, Continuous, Date, Domain
from dplit.domain.schema import encoded_columns
from dplit.forests import RandomDecisionForestClassifier
from dplit.forests.cells import Cells

LEVELS, CUT = Domain([Categorical(range(3))] * 8), Domain([Continuous(0, 2)] * 4)
MATRIX, NOTHING, MANY = "MatrixForestClassifier", 1e-9, 60  # an epsilon at which all records draw alike
SPARSE = "MedianForestClassifier", "MedianForestRegressor", "MultinomialForestClassifier"
PLACES = "feature", "threshold", "side", "steps"  # of cuts, which these draw beside the records
GROWN = {  # of more nodes than the first room of a tree holds, and of few
    **dict.fromkeys(ESTIMATORS, (LEVELS, 7)), MATRIX: (Domain([Continuous(0, 2)] * 2), 1),
    **dict.fromkeys((*SPARSE, *ESTIMATORS[:4], "HistogramForestClassifier"), (CUT, 3)),
}  # fmt: skip
COUNTS = ["leaf_counts_"]
UNPAIRED = {  # drawn after a part for each record
    SPARSE[-1]: (["leaf_labels_"],), MATRIX: (["query_votes_"], COUNTS, [*COUNTS, "leaf_labels_"])
}  # fmt: skip
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]\d+)?")
FILLED = Domain([Continuous(0, 1, missing=True), Categorical(["a", "b", "c"], missing=True),
                 Date("2020-01-01", "2020-12-31", missing=True)])  # fmt: skip
TABLES = {  # of numbers, inside and outside of the domain; and of cells some of which are missing
    "table of numbers": (CUT, [[0.1, 2.0, -3.0, 1.0], [1e9, 0.5, 0.0, -1e9]], float),
    "table of many levels": (Domain([Categorical(range(30))]), [[1.0]] * 5 + [[2.0]] * 2, float),
    "table with missing values": (FILLED, [[0.1, "a", "2020-02-03"], [None, "b", None], [0.7, None, "2020-05-06"],
                                           [7.0, "c", "2031-01-01"]], object),
}  # fmt: skip
TWO = {"n_estimators": 2}  # trees, one of which may have no record
BLOCKS = 20  # more than the eight that are added up at once


def _tables(columns, targets):
    """Records of all kinds; as many of one that is outside of the domain; and one."""
    at = np.arange(MANY)
    X = np.array([[i / MANY, "abc"[i % 3], f"2020-0{1 + i % 9}-03"] for i in at], dtype=object)
    X[::7, 0] = X[::5, 1] = X[::3, 2] = None
    alike = np.array([[7.0, None, "2031-01-01"]] * MANY, dtype=object)
    if columns is not FILLED:
        X, alike = at[:, None] * np.arange(1, 1 + len(columns)) % 3, np.full((MANY, len(columns)), 2)
    y = np.resize(targets, MANY)
    return (X, y), (alike, np.full_like(y, targets[-1])), (X[1:2], y[1:2])


def _small(kind, seeds):
    """Domain and parameters of fits: those in which each two values are together."""
    for row in rows(kind):
        options = Given(kind, row).options | {"noise": None, "random_state": 0}
        options |= {"learner": None} if "learner" in row else {}  # others copy as many as the noise is wide
        if "delta" in row:
            options["delta"] = row["delta"] and 1e-15
        else:  # there is a draw for each record
            del options["n_estimators"]
        if kind in SPARSE and options["max_depth"] is None:
            options["max_depth"] = 2  # deeper, a path's end depends on where its cuts are
        if options.get("queries"):
            options |= {"queries": [[0.5, "a", None]]}
        yield FILLED, options


def _large(kind, seeds):
    """The same of large trees, whose depths are public if left out; of two, the sizes alone."""
    domain, most = GROWN[kind]
    yield from ((domain, {"max_depth": depth, "random_state": s} | of)
                for depth in (most, None) for s in range(seeds) for of in ({}, TWO))  # fmt: skip


def _shown(forest, data, blocks=()):
    """What a forest that may have been fitted before holds, warns of and says: arrays, the rest as text."""
    held_in = in_blocks(data, blocks) if blocks else nullcontext(data)
    with warnings.catch_warnings(record=True) as said, held_in as given:
        warnings.simplefilter("always")
        forest.fit(*given)
    parts = vars(forest) | vars(vars(forest).get("forest_", forest))
    parts |= vars(parts.pop("trees_")) if "trees_" in parts else {}
    if type(forest).__name__ in SPARSE and forest.domain is not LEVELS:
        parts |= {name: parts[name].shape for name in PLACES}
    parts |= {"card": forest.model_card(), "warnings": sorted(str(w.message) for w in said)}
    return {name: value if isinstance(value, np.ndarray) and value.dtype.kind not in "OU" else str(held(value))
            for name, value in parts.items() if name not in ("random_state", "forest_")}  # fmt: skip


def _same(one, other):
    """Whether two values are alike, up to what a record moves at an epsilon of next to nothing."""
    if isinstance(one, str) and isinstance(other, str) and NUMBER.sub("", one) == NUMBER.sub("", other):
        one, other = (np.array(NUMBER.findall(text), dtype=float) for text in (one, other))
    alike = isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.dtype == other.dtype
    return alike and one.shape == other.shape and np.allclose(one, other, 1e-3, 0, equal_nan=True)


def _nothing(choices, kind, effort, rng):
    """How many fits at an epsilon of next to nothing tell one table from another; declares none."""
    classes, made, wrong = not kind.endswith("Regressor"), 0, []
    for domain, options in choices(kind, effort.pick(3, 10, 30)):
        known = {"classes": [0, 1, 2]} if classes else {"target_bounds": (1, 3)}
        given = {"random_state": 0, "n_estimators": 1 + (kind == MATRIX)} | known | options | {"domain": domain}
        forest = estimator(kind)(**given | {"epsilon": NOTHING})
        tables = _tables(domain, given["classes"] if classes else [1.0, 2.0, 1.5, 9.0])
        if not accepted(clone(forest).fit, *tables[0]):
            continue
        first = _shown(forest, tables[0])
        cut = ((), (20, MANY - 20)) if kind in FROM_BLOCKS and domain is FILLED else ((),)
        others = [(tables[1], blocks) for blocks in cut] + [(tables[2], ())] * (given.get("neighbours") != RO)
        for data, blocks in others:
            other, made = _shown(forest, data, blocks), made + 1
            told = [name for name in sorted(first.keys() | other) if not _same(first.get(name), other.get(name))]
            if TWO.items() <= options.items() and np.shape(first.get("feature")) == np.shape(other.get("feature")):
                told = []
            if told and (data is not tables[2] or told not in UNPAIRED.get(kind, ())):
                wrong.append(f"{options}, {len(data[0])} records: {told}")
    return Found(0.0, float(len(wrong)), f"{made} fits; they tell {wrong[:3]}")


def _codes(encode, X, effort, rng, ends=(-np.inf, np.inf)):
    """How many of some records get another code beside others than alone, or one outside of what is public."""
    codes, alone = encode(X), np.concatenate([encode(X[i : i + 1]) for i in range(len(X))])
    wrong = (codes != alone) | (codes < ends[0]) | (codes > ends[1])
    return Found(0.0, float(wrong.any(axis=1).sum()), f"{len(X)} records")


def _encoded(domain, X, kind, effort, rng):
    lower, upper = domain.bounds.T
    ends = lower, np.where(domain.n_levels > 0, domain.n_levels - 1, upper)
    fitted = RandomDecisionForestClassifier(1.0, domain=domain)
    ways = (domain.encode, lambda table: np.asarray(encoded_columns(domain, pd.DataFrame(table))),
            lambda table: fitted._read_fit(table, np.zeros(len(table)))[0])  # fmt: skip
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
    for choices, words in ((_small, "what a fit stores"), (_large, "trees of one record and of many")):
        yield from subjects_of({kind: partial(_nothing, choices, kind) for kind in GROWN}, f"{{}}, {words}")
    yield from subjects_of(CODES, "codes of the records of a {}")
    yield from subjects_of({k: partial(_blocks, k) for k in FROM_BLOCKS}, "{} from many blocks")
