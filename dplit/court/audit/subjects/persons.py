"""Several records of a person, in ``dplit audit``: what a person moves, and what a record's share draws.

`records_per_person` = k promises epsilon for k records at once. Three things are asked of every estimator,
exactly. Fits in lockstep (`subjects.moved`) on neighbours that differ by a person of two records:
what they lose is at most epsilon. The same where a person of one record becomes one of two: under
replace-one the number of records then changes, and nobody knows it for free. And what a fit draws with k
records a person is, bit by bit, what it draws with one at the k-th part of epsilon, compiled choices included.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product

import numpy as np

from dplit.court.audit.subject import Found, Subject, named
from dplit.court.audit.subjects.moved import DOMAIN, KINDS, RECORDS, X, moved
from dplit.neighbours import append_record, replace_record

RELATIONS = "add-remove", "replace-one"
TWO = {"records_per_person": (2,)}
DRAWN = 4.0  # epsilon of fits that are compared, so large that their trees follow the records
DEEP = {  # parameters of the fits that are compared, where the audit's others would draw little
    "BoostedForestClassifier": {"n_records": 6, "max_depth": 2, "n_estimators": 3},
    "BoostedForestRegressor": {"n_records": 6, "max_depth": 2, "n_estimators": 3},
    "PrivateForestClassifier": {"n_records": 6, "max_depth": 2, "n_estimators": 3},
    "PrivateForestRegressor": {"n_records": 6, "max_depth": 2, "n_estimators": 3},
    "MatrixForestClassifier": {"max_depth": 1, "n_estimators": 2, "bins": 2},
    "HistogramForestClassifier": {"max_depth": 1, "n_estimators": 1},
}
TREES = {"max_depth": 2, "n_estimators": 5}
SIZES = 1, 6, 1000  # of tables; where all goes by the number, plans for 1,000 and 1,001 differ


def other_person(labels, new, neighbours):
    """A person of two records more, or in place of another one of two; the second alike or not."""
    y = np.array(labels)
    data, first = (X, y), (RECORDS[0], new[-1])
    for second in (first, (RECORDS[1], new[0])):
        if neighbours == "add-remove":
            yield data, append_record(*append_record(*data, *first), *second)
        else:
            yield data, replace_record(*replace_record(*data, 0, *first), 1, *second)


def one_more(labels, new, neighbours):
    """A person of one record becomes one of two; tables of many sizes, by which a fit may go."""
    for n in SIZES:
        at = np.arange(n) % len(X)
        data = X[at], np.array(labels)[at]
        replaced = replace_record(*data, 0, RECORDS[0], new[-1])
        yield data, append_record(*replaced, RECORDS[0], new[-1])


def _alike(kind, options, effort, rng):
    """How many of some fits draw otherwise with two records a person than with one at half of epsilon."""
    make = kind()
    regressor = make.__name__.endswith("Regressor")
    schema = {"target_bounds": (0, 2)} if regressor else {"classes": [0, 1, 2]}
    y = [0.0, 2.0, 0.5, 0.0, 2.0, 0.0] if regressor else [0, 1, 2, 0, 0, 0]
    one_of_two = math.nextafter(DRAWN / 2, 0.0)  # no sum is an ulp too much
    other, seeds = [], effort.pick(6, 20, 60)
    for neighbours, seed in product(RELATIONS, range(seeds)):
        given = (
            {"domain": DOMAIN, "neighbours": neighbours, "random_state": seed} | schema | options
        )
        two = make(DRAWN, records_per_person=2, **given).fit(X, y)
        one = make(one_of_two, **given).fit(X, y)
        if drawn(two) != drawn(one):
            other.append(f"{neighbours}, seed {seed}")
    return Found(0.0, len(other) / (2 * seeds), f"{2 * seeds} fits; other draws: {other}")


def drawn(fitted):
    """The numbers that a fit released, as bytes, by name; trees and what a preset has fitted among them."""
    found = {}
    for name, value in vars(fitted).items():
        if name == "forest_":
            found |= drawn(value)
        elif name == "trees_":
            found |= {part: np.asarray(a).tobytes() for part, a in vars(value).items()}
        elif name.endswith("_") and isinstance(value, np.ndarray) and value.dtype != object:
            found[name] = value.tobytes()
    return found


def registered():
    """The subjects of this file."""
    for words, where, choices, _ in KINDS:
        kind = words.partition(",")[0]
        few = {name: values[-1:] for name, values in choices.items()} | TWO
        check = partial(moved, named(where, kind), few, ((),), other_person)
        yield Subject(f"{words}, a person of two records", "exact", "within", check)
        unknown = {"n_records": (None,)} if "n_records" in few else {}
        options = few | unknown | {"neighbours": ("replace-one",)}
        check = partial(moved, named(where, kind), options, ((),), one_more)
        yield Subject(f"{words}, one record of a person becomes two", "exact", "within", check)
    for where, kind in dict.fromkeys(
        (where, words.partition(",")[0]) for words, where, *_ in KINDS
    ):
        check = partial(_alike, named(where, kind), DEEP.get(kind, TREES))
        yield Subject(f"{kind}, the share of one of two records", "exact", "within", check)
