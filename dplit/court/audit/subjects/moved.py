"""What a record moves, in ``dplit audit``: every estimator at every parameter, fitted in lockstep to neighbours.

Nearly any two values of two parameters are in a fit together: a covering array. Tables of all forms are parameters
as well, and so is a person's number of records. Fits after other fits are compared, and tables to be refused.
"""

import json
import math
from collections import Counter
from contextlib import nullcontext
from functools import cache, partial
from inspect import signature
from itertools import combinations, islice, product
from zlib import crc32

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier

from dplit.court.audit.estimators import in_blocks
from dplit.court.audit.lockstep import EPSILON, in_lockstep
from dplit.court.audit.subject import AR, RO, Found, estimator, subject, worst_of
from dplit.domain import Categorical, Continuous, Domain
from dplit.ground.printed import data_file

DOMAIN = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Continuous(-1, 1)])
X = np.array([[0.1, "a", 0.3], [0.9, "b", -0.8], [0.4, "c", 0.9], [0.6, "a", -0.1], [0.9, "b", 0.3],
              [0.2, "a", 0.7]], dtype=object)  # fmt: skip
RECORDS = ([0.9, "b", 0.3], [-7.0, "a", 5.0], [1e9, "c", -1e9])  # inside the bounds, and outside
EDGES = 127, 255, 32_767, 65_535  # records: one more, and a small integer overflows
UNLIKE, HUNDRED = (3, 20_000), (100, 100)  # records of tables that have little in common
BOUGHT = 200_000  # of the second where their number is bought, and may limit what is tested
SIZES = 1, 6, 1000  # of tables; where all goes by the number, plans for 1,000 and 1,001 differ
QUERIES = [[0.9, "b", 0.3], [0.1, "a", -0.5], [0.9, "b", 0.3]]
GAUSSIAN = {  # with so many rounds a fit pays by zero-concentrated privacy
    "delta": 1e-6, "n_records": 100_000, "max_depth": 2, "n_estimators": 20
}  # fmt: skip
FROM_BLOCKS = ("BoostedForestClassifier", "BoostedForestRegressor", "RandomDecisionForestClassifier",
               "HistogramForestClassifier")  # fmt: skip
ESTIMATORS = (
    *FROM_BLOCKS[:2], "PrivateForestClassifier", "PrivateForestRegressor", *FROM_BLOCKS[2:],
    "MatrixForestClassifier", "MedianForestClassifier", "MedianForestRegressor", "MultinomialForestClassifier",
    "JPWClassifier", "FSClassifier", "RGVClassifier", "DPExtraTreesClassifier", "DPExtraTreesRegressor",
    "DPRandomForestClassifier", "DPRandomForestRegressor", "DPDecisionForestClassifier",
)  # fmt: skip
KINDS = {kind: {} for kind in ESTIMATORS} | {  # and some with words, and what is fixed of their parameters
    "BoostedForestClassifier, Gaussian noise": GAUSSIAN, "BoostedForestRegressor, Gaussian noise": GAUSSIAN,
    "HistogramForestClassifier, exact noise": {"noise": "secure"},
    "MatrixForestClassifier, votes of subsamples": {"release": "subsample"},
    "MatrixForestClassifier, votes for queries": {"release": "prediction"},
    "MatrixForestClassifier, exact noise": {"noise": "secure"},
}  # fmt: skip
MANY = 130  # records, at most
TRIES, TAKEN, NEVER = 30, 60, 40  # candidates for a row; those refused before the end; and of one value
WIDE = Domain([Continuous(0, 1, missing=True), Categorical([*"abcdefghijklm"], missing=True), Continuous(-1, 1)])
FORMS = {  # of a table and its targets
    "array": lambda X, y: (X, y),
    "lists": lambda X, y: (X.tolist(), y.tolist()),
    "frame": lambda X, y: (pd.DataFrame(X).infer_objects(), pd.Series(y, index=range(len(y))[::-1])),
    "categories": lambda X, y: (pd.DataFrame(X).astype({0: "float32", 1: "category", 2: "float32"}), y),
    "missing": lambda X, y: (np.where((X == 0.6) | (X == "c"), None, X), y),
    "blocks": lambda X, y: (X, y),
}
VALUES = {
    "epsilon": (EPSILON, 0.02, 30), "n_jobs": (None, 2), "learner": (None, KNeighborsClassifier(1)),
    "form": tuple(FORMS), "domain": (DOMAIN, WIDE), "neighbours": (AR, RO), "records_per_person": (1, 2),
    "noise": (None, "simulation", "secure"), "n_estimators": (None, 1, 3, 20), "max_depth": (None, 0, 1, 2),
    "classes": ([0, 1, 2], [0], [0, 1], ["b", "c", "a"], [*range(6)]), "target_scale": ("linear", "log"),
    "target_bounds": ((1, 3), (-1, 2), (0.5, 1e6)), "n_records": (None, 6, 60, 100_000), "delta": (0.0, 1e-6),
    "max_features": (None, 1, 5, 0.5, "sqrt", "log2"), "rho": (0.5, 0.1), "public_n": (None, 9),
    "selection": ("exponential", "permute-and-flip", "uniform"), "partitioned": (True, False, None),
    "partition_rate": (1, 0.25, None), "min_samples_leaf": (5, 1), "scores": ("counts", "normalised"),
    "criterion": ("gini", "majority", None), "operator": ("max", "gini", "information-gain"),
    "release": ("training", "prediction", "subsample"),
    "mechanism": ("geometric", "laplace"), "bins": (None, 2, 3, 5), "voting": (None, "hard", "weighted"),
    "strategy": ("identity", "per-tree", "weighted", "marginals", "merged", "regions", "p-identity",
                 "disjoint"),  # of noise that trees share there are laws
    "ensembles": (1, 2), "subset_size": (None, 1), "difference": (None, True, False),
}  # fmt: skip
OWN = {
    "HistogramForestClassifier": {"release": ("shrunk", "mixed", "clipped"), "max_depth": (None, 1, 2),
                                  "n_jobs": (None,)},  # its learner's threads add up in any order
    "MultinomialForestClassifier": {"criterion": ("gini",)}, "MatrixForestClassifier": {"max_depth": (None, 1, 2)},
}  # fmt: skip
FIXED = {"n_estimators", "bins", "partitioned", "voting"}  # None is a value only where it is the default
USUAL = {"n_estimators": 2, "max_depth": 1, "neighbours": AR, "strategy": "identity", "classes": [0, 1, 2],
         "target_bounds": (1, 3)}  # fmt: skip
REFUSED = (  # parameters, a cell or a target of the second record
    ({"release": "prediction", "queries": None}, {}),
    ({"target_scale": "log", "target_bounds": (0, 3)}, {}), ({}, {"y": np.inf}), ({}, {"y": -np.inf}),
    ({}, {"y": np.nan}), ({}, {0: np.inf}), ({}, {0: np.nan}), ({}, {1: "nobody's"}), ({}, {1: None}),
)  # fmt: skip


class Given:
    """A fit to a table of this form, of an estimator with these parameters."""

    def __init__(self, kind, row):
        row = dict(row)
        self.kind, self.form = kind, row.pop("form", "array")
        if kind == "HistogramForestClassifier" and row.get("mechanism") == "laplace":
            row["noise"] = "secure"  # the simulated one is no mechanism of its own
        if row.get("noise") != "secure":
            row["random_state"] = 0
        asked = {"queries": QUERIES} if row.get("release") in ("prediction", "subsample") else {}
        self.options = {"epsilon": EPSILON, "domain": DOMAIN} | asked | row

    def __call__(self, X, y, *weights):
        """The fitted estimator; weights of records it must refuse."""
        forest, given = estimator(self.kind)(**self.options), FORMS[self.form](X, y)
        with in_blocks(given, (1, len(y) - 1)) if self.form == "blocks" else nullcontext(given) as data:
            return forest.fit(*data, **({"sample_weight": weights[0]} if weights else {}))


def choices(kind):
    """The values of each parameter of an estimator."""
    usual = {name: given.default for name, given in signature(estimator(kind)).parameters.items()}
    found = {name: OWN.get(kind, {}).get(name, VALUES[name]) for name in VALUES.keys() & usual | {"form"}}
    for name in found.keys() & FIXED:
        found[name] = tuple(v for v in found[name] if v is not None or usual[name] is None)
    found["form"] = tuple(FORMS)[: None if kind in FROM_BLOCKS else -1]
    return dict(sorted(found.items()))


def labels_of(row):
    """Targets of the records of `X`, and those of new ones."""
    if "classes" not in row:
        return np.array([1.0, 3.0, 1.5, 1.0, 2.5, 1.0]), (0.25, 3.0, -5.0, 1e6)
    classes = row["classes"]
    return np.array([classes[min(i, len(classes) - 1)] for i in (0, 1, 2, 0, 0, 0)]), classes


def accepted(fit, X, y):
    """Whether there is such a fit, with a finite budget."""
    try:
        return bool(np.isfinite(fit(X, y).budget_.epsilon))
    except (TypeError, ValueError):
        return False


@cache
def rows(words):
    """Parameters such that any two values are in one row, but those that were always refused together.

    They are found by some hundred fits, and stored for the values of each parameter as they are.
    """
    values, known = values_of(words), stored_rows().get(words, {})
    places = known["rows"] if known.get("of") == checksum(values) else covering(words, values)
    return [{name: values[name][i] for name, i in zip(values, row)} for row in places]


def values_of(words):
    """The values of each parameter, where what is fixed has one."""
    return choices(words.partition(",")[0]) | {name: (value,) for name, value in KINDS[words].items()}


def checksum(values):
    """Tells values from others."""
    return crc32(repr(values).encode())


@cache
def stored_rows():
    """Of each kind, ``python -m tests.audit.rows``: the checksum of its values and their places in each row."""
    return json.loads(data_file("results/audit/rows.json").read_text("utf-8"))["kinds"]


def covering(words, values):
    """Places of these values in each row."""
    kind, rng = words.partition(",")[0], np.random.default_rng(crc32(words.encode()))
    names, found, left = list(values), [], TAKEN
    held, refused = set(), Counter()
    each = [[(name, i) for i in range(len(values[name]))] for name in names]
    missing = {pair for two in combinations(each, 2) for pair in product(*two)}
    while missing and left:
        dead = {value for value, n in refused.items() if n >= NEVER and value not in held}
        open_to = {name: [i for i in range(len(values[name])) if (name, i) not in dead] for name in names}
        many = range(TRIES if left % 2 else 1)
        tries = [[(name, int(rng.choice(open_to[name]))) for name in names] for _ in many]
        tried = max(tries, key=lambda row: len(missing.intersection(combinations(row, 2))))
        pairs, row = set(combinations(tried, 2)), {name: values[name][i] for name, i in tried}
        if not accepted(Given(kind, row), X, labels_of(row)[0]):
            refused.update((*pairs, *tried))
            missing -= {pair for pair in pairs if refused[pair] >= NEVER / 2}
            left -= 1
        elif pairs & missing:
            missing, left = missing - pairs, TAKEN
            held.update(tried)
            found.append([i for _, i in tried])
        else:
            left -= 1
    return found


@cache
def some(words, most, **fixed):
    """The first of these rows which hold what is fixed."""
    kind = words.partition(",")[0]
    held = ({**row, **{k: v for k, v in fixed.items() if k in row}} for row in rows(words))
    return list(islice((row for row in held if accepted(Given(kind, row), X, labels_of(row)[0])), most))


def neighbours_of(row, rng):
    """Tables, and a person's records more, or in place of the last one's; whether those come first."""
    labels, new = labels_of(row)
    several, replaced = row.get("records_per_person", 1), row["neighbours"] == RO
    for n in rng.integers((2, 2, 3, 13), (5, 9, 13, MANY)):
        rest = n - (several if rng.random() < 0.5 or n <= several else 1) * replaced
        table, y = X[rng.integers(len(X), size=n)], labels[rng.integers(len(X), size=n)]
        one, other = _with(table[:rest], y[:rest], rng.integers(len(RECORDS), size=several),
                           [new[i] for i in rng.integers(len(new), size=several)])  # fmt: skip
        first = not replaced and rng.random() < 0.5 and row.get("form") != "blocks"
        if first:
            one, other = np.roll(one, several, axis=0), np.roll(other, several)
        yield (table, y), (one, other), first


def _with(table, y, records, targets):
    """These records more."""
    more = np.array([RECORDS[i] for i in records], dtype=object)
    return np.concatenate([table, more]), np.append(y, targets)


def _lost(kind, row, pairs, fit=None):
    fit = fit or Given(kind, row)
    for data, neighbour, first in pairs:
        loss, budget = in_lockstep(fit, data, neighbour, first)
        part, asked = loss / budget.epsilon if loss else 0.0, row.get("epsilon", EPSILON)
        spent = budget.epsilon / (asked if loss else budget.epsilon)
        yield EPSILON * max(part, spent), f"{row}, {neighbour[0].tolist()}, {neighbour[1].tolist()}"


def _before(given, again, X, y):
    """What is fitted after a fit to this table, to another one: the same estimator again, or another."""
    first, after = given(X, y), {"random_state": 1}  # not the same noise
    second = first.set_params(**after) if again else estimator(given.kind)(**given.options | after)
    return second.fit(np.array(RECORDS, dtype=object), labels_of(given.options)[0][: len(RECORDS)])


def one_among_many(row, rng):
    """A record more like so many others that a count goes beyond a small integer; and one of the other's class."""
    labels, _ = labels_of(row)
    for n, other in product(EDGES, (0, 1)):
        at = np.arange(n) % (1 + other)
        yield (X[at], labels[at]), (X[[*at, other]], labels[[*at, 0]]), False


def one_more(row, rng):
    """A person of one record becomes one of two, in place of the last; tables of many sizes."""
    for n in SIZES:
        data, more, _ = _like(row, np.arange(n) % len(X), [0, 0], -1)
        yield data, tuple(np.delete(part, n - 1, axis=0) for part in more), False


def _like(row, at, records, target):
    labels, new = labels_of(row)
    data = X[at], labels[at]
    return data, _with(*data, records, [new[target]] * len(records)), False


def _weighted(row):
    """A record more that weighs three."""
    data, more, _ = _like(row, np.arange(4), [0], -1)
    return (*data, np.ones(4)), (*more, np.array([1.0, 1, 1, 1, 3])), False


def _unlike(words, effort, rng):
    """How many pairs of tables that have little in common are told apart by more than what noise is added to."""
    wrong, kind = [], words.partition(",")[0]
    blocks, bought = {"form": "blocks"}, {"n_records": None}
    ways = [blocks] if words in FROM_BLOCKS else []
    ways += [bought, bought | blocks] if words in ESTIMATORS[:4] else []
    for row in (row for way in ({}, *ways) for row in some(words, effort.pick(2, 8, 16), **way)):
        labels, _ = labels_of(row)
        given, (few, many) = Given(kind, row), HUNDRED if row["neighbours"] == RO else UNLIKE
        many = BOUGHT if (few, row.get("n_records", 0)) == (UNLIKE[0], None) else many
        mixed = rng.integers(len(X), size=few)
        one, other = (X[mixed], labels[mixed]), (np.array([RECORDS[2]] * many, dtype=object), labels[[2] * many])
        for pair in ((one, other), (other, one)):
            wrong += [str(row)] if math.isinf(in_lockstep(given, *pair)[0]) else []
    return Found(0.0, float(len(wrong)), f"{wrong[:3]}")


def _every(kind, effort, rng):
    """The worst of all rows, and of tables that are refused, their neighbours in the same words."""
    found = [case for row in rows(kind) for case in _lost(kind, row, neighbours_of(row, rng))]
    named = choices(kind)
    row = {name: value for name, value in USUAL.items() if name in named}
    pairs, found = list(neighbours_of(row, rng)), found + list(_lost(kind, row, [_weighted(row)]))
    for again in (False, True):
        found += _lost(kind, row, pairs, partial(_before, Given(kind, row), again))
    for options, cells in REFUSED:
        row = {k: v for k, v in (USUAL | options).items() if k in signature(estimator(kind)).parameters}
        table, (y, new) = X[:3].copy(), labels_of(row)
        y = y[:3].astype(float)
        for place, cell in cells.items():
            target, at = (y, 1) if place == "y" else (table, (1, place))
            target[at] = cell
        found += _lost(kind, row, [((table, y), _with(table, y, [1], [label]), False) for label in new[:2]])
    return worst_of(EPSILON, found)


def _some(words, pairs, most, fixed, effort, rng):
    """The worst of some rows that hold what is fixed, of each kind of pairs."""
    kind = words.partition(",")[0]
    chosen = some(words, most, **fixed)
    return worst_of(EPSILON, [case for row in chosen for case in _lost(kind, row, pairs(row, rng))])


def registered():
    """The subjects of this file."""
    for words in KINDS:
        name, one = f"{words}, what a record moves", {"records_per_person": 1}
        most = 24 if words.startswith("Matrix") else 8
        every = partial(_every, words) if words in ESTIMATORS else partial(_some, words, neighbours_of, most, one)
        yield subject(name, every)
        yield subject(f"{words}, fits of unlike tables", partial(_unlike, words))
        alone = one | {"neighbours": AR, "form": "array", "epsilon": EPSILON, "domain": DOMAIN}
        yield subject(f"{name} among many", partial(_some, words, one_among_many, 1, alone))
        two = alone | {"records_per_person": 2}
        yield subject(
            f"{words}, a person of two records", partial(_some, words, neighbours_of, 4, {"records_per_person": 2})
        )
        becomes = two | {"n_records": None, "neighbours": RO}
        yield subject(f"{words}, one record of a person becomes two", partial(_some, words, one_more, 2, becomes))
    for kind in FROM_BLOCKS:
        check = partial(_some, kind, neighbours_of, 8, {"form": "blocks"})
        yield subject(f"{kind}, what a record moves in blocks", check)
