"""Every parameter of every estimator, in ``dplit audit``: each two values of two parameters are in a fit together.

Tables of all forms are parameters as well, and so is a person's number of records. Each row of the covering array
is fitted to neighbours in lockstep (`dplit.court.audit.subjects.moved`), and so are tables that are to be refused.
"""

from collections import Counter
from contextlib import nullcontext
from functools import cache, partial
from inspect import signature
from itertools import combinations, product
from zlib import crc32

import numpy as np
import pandas as pd

from dplit.court.audit.estimators import in_blocks
from dplit.court.audit.subject import AR, RO, estimator, subjects_of, worst_of
from dplit.court.audit.subjects.moved import DOMAIN, EPSILON, KINDS, QUERIES, RECORDS, X, in_lockstep
from dplit.domain import Categorical, Continuous, Domain

MANY = 30  # records of some tables
TRIES, TAKEN, NEVER = 30, 60, 40  # candidates for a row; those refused before the end; and of one value
WIDE = Domain([Continuous(0, 1, missing=True), Categorical([*"abcdefghijklm"], missing=True), Continuous(-1, 1)])
FORMS = {  # of a table and its targets
    "array": lambda X, y: (X, y),
    "lists": lambda X, y: (X.tolist(), y.tolist()),
    "frame": lambda X, y: (pd.DataFrame(X).infer_objects(), pd.Series(y, index=range(len(y))[::-1])),
    "categories": lambda X, y: (pd.DataFrame(X).astype({0: "float32", 1: "category", 2: "float32"}), y),
    "blocks": lambda X, y: (X, y),
}
VALUES = {
    "form": tuple(FORMS), "domain": (DOMAIN, WIDE), "neighbours": (AR, RO), "records_per_person": (1, 2),
    "noise": (None, "simulation", "secure"), "n_estimators": (None, 1, 3, 20), "max_depth": (None, 0, 1, 2),
    "classes": ([0, 1, 2], [0], [0, 1], ["b", "c", "a"]), "target_bounds": ((1, 3), (-1, 2), (0.5, 1e6)),
    "target_scale": ("linear", "log"), "n_records": (None, 6, 60, 100_000), "delta": (0.0, 1e-6),
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
    "HistogramForestClassifier": {"release": ("shrunk", "mixed", "clipped"), "max_depth": (None, 1, 2)},
    "MultinomialForestClassifier": {"criterion": ("gini",)}, "MatrixForestClassifier": {"max_depth": (None, 1, 2)},
}  # fmt: skip
FIXED = {"n_estimators", "bins", "partitioned", "voting"}  # None is a value only where it is the default
USUAL = {"n_estimators": 2, "max_depth": 1, "neighbours": AR, "strategy": "identity", "classes": [0, 1, 2],
         "target_bounds": (1, 3)}  # fmt: skip
REFUSED = (  # parameters, a cell or a target of the second record
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
        self.options = {"domain": DOMAIN} | asked | row

    def __call__(self, X, y):
        """The fitted estimator."""
        forest, given = estimator(self.kind)(EPSILON, **self.options), FORMS[self.form](X, y)
        with in_blocks(given, (1, len(y) - 1)) if self.form == "blocks" else nullcontext(given) as data:
            return forest.fit(*data)


def choices(kind):
    """The values of each parameter of an estimator."""
    usual = {name: given.default for name, given in signature(estimator(kind)).parameters.items()}
    found = {name: OWN.get(kind, {}).get(name, VALUES[name]) for name in VALUES.keys() & usual | {"form"}}
    for name in found.keys() & FIXED:
        found[name] = tuple(v for v in found[name] if v is not None or usual[name] is None)
    blocks = any(words == kind and has for words, _, has in KINDS)
    found["form"] = tuple(FORMS)[: None if blocks else -1]
    return dict(sorted(found.items()))


def labels_of(row):
    """Targets of the records of `X`, and those of new ones."""
    if "classes" not in row:
        return np.array([1.0, 3.0, 1.5, 1.0, 2.5, 1.0]), (0.25, 3.0, -5.0, 1e6)
    classes = row["classes"]
    return np.array([classes[min(i, len(classes) - 1)] for i in (0, 1, 2, 0, 0, 0)]), classes


@cache
def rows(kind):
    """Parameters such that any two values are in one row, but those that were always refused together."""
    values, rng = choices(kind), np.random.default_rng(crc32(kind.encode()))
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
        try:
            fits = np.isfinite(Given(kind, row)(X, labels_of(row)[0]).budget_.epsilon)
        except (TypeError, ValueError):
            fits = False
        if not fits:
            refused.update((*pairs, *tried))
            missing -= {pair for pair in pairs if refused[pair] >= NEVER / 2}
            left -= 1
        elif pairs & missing:
            missing, left = missing - pairs, TAKEN
            held.update(tried)
            found.append(row)
        else:
            left -= 1
    return found


def neighbours_of(row, rng):
    """Tables of few records and one of many, and a person's records more, or in place of the last one's."""
    labels, new = labels_of(row)
    several, replaced = row.get("records_per_person", 1), row["neighbours"] == RO
    for n in (2, 2, len(X), MANY):
        rest = n - (several if rng.random() < 0.5 or n <= several else 1) * replaced
        table, y = X[rng.integers(len(X), size=n)], labels[rng.integers(len(X), size=n)]
        yield (table, y), _with(table[:rest], y[:rest], rng.integers(len(RECORDS), size=several),
                                [new[i] for i in rng.integers(len(new), size=several)])  # fmt: skip


def _with(table, y, records, targets):
    """These records more."""
    more = np.array([RECORDS[i] for i in records], dtype=object)
    return np.concatenate([table, more]), np.append(y, targets)


def _lost(kind, row, pairs):
    for data, neighbour in pairs:
        loss, budget = in_lockstep(Given(kind, row), data, neighbour)
        part = loss / budget.epsilon * EPSILON if loss else 0.0
        yield max(part, budget.epsilon), f"{row}, {neighbour[0].tolist()}, {neighbour[1].tolist()}"


def _covered(kind, effort, rng):
    """The worst of all rows, and of tables that are refused, their neighbours in the same words."""
    found = [case for row in rows(kind) for case in _lost(kind, row, neighbours_of(row, rng))]
    named = choices(kind)
    for options, cells in REFUSED:
        row = {name: value for name, value in (USUAL | options).items() if name in named}
        table, (y, new) = X[:3].copy(), labels_of(row)
        y = y[:3].astype(float)
        for place, cell in cells.items():
            target, at = (y, 1) if place == "y" else (table, (1, place))
            target[at] = cell
        found += _lost(kind, row, [((table, y), _with(table, y, [1], [label])) for label in new[:2]])
    return worst_of(EPSILON, found)


def registered():
    """The subjects of this file."""
    checks = {words.partition(",")[0]: partial(_covered, words.partition(",")[0]) for words, *_ in KINDS}
    yield from subjects_of(checks, "{}, every parameter with every other")
