"""Several records of a person, in ``dplit audit``: what a person moves, and what a record's share draws.

Asked of every estimator, exactly: fits in lockstep (`dplit.court.audit.subjects.moved`) on neighbours that differ
by a person of two records; the same where a person of one record becomes one of two, so that under replace-one the
number of records changes; and that a fit with k records a person draws, bit by bit, what it draws with one at the
k-th part of epsilon.
"""

import math
import warnings
from functools import partial
from itertools import product

import numpy as np

from dplit.budget import Group
from dplit.court.audit.subject import AR, RO, Found, estimator, public, subject
from dplit.court.audit.subjects.covered import Given, labels_of, rows
from dplit.court.audit.subjects.moved import DOMAIN, KINDS, RECORDS, X, moved, stored
from dplit.neighbours import append_record, replace_record

TWO = {"records_per_person": (2,)}
DRAWN = 4.0  # epsilon of fits that are compared, so large that their trees follow the records
ROUNDS = {"n_records": 6, "max_depth": 2, "n_estimators": 3}
DEEP = {  # parameters of the fits that are compared, where the audit's others would draw little
    "BoostedForestClassifier": ROUNDS, "BoostedForestRegressor": ROUNDS,
    "PrivateForestClassifier": ROUNDS, "PrivateForestRegressor": ROUNDS,
    "MatrixForestClassifier": {"max_depth": 1, "n_estimators": 2, "bins": 2},
    "HistogramForestClassifier": {"max_depth": 1, "n_estimators": 1},
}  # fmt: skip
TREES = {"max_depth": 2, "n_estimators": 5}
SIZES = 1, 6, 1000  # of tables; where all goes by the number, plans for 1,000 and 1,001 differ


def other_person(labels, new, neighbours):
    """A person of two records more, or in place of another one of two; the second alike or not."""
    y = np.array(labels)
    data, first = (X, y), (RECORDS[0], new[-1])
    for second in (first, (RECORDS[1], new[0])):
        if neighbours == AR:
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
    make, regressor = estimator(kind), kind.endswith("Regressor")
    y = [0.0, 2.0, 0.5, 0.0, 2.0, 0.0] if regressor else [0, 1, 2, 0, 0, 0]
    one_of_two = math.nextafter(DRAWN / 2, 0.0)  # no sum is an ulp too much
    other, seeds = [], effort.pick(6, 20, 60)
    for neighbours, seed in product((AR, RO), range(seeds)):
        given = {"domain": DOMAIN, "neighbours": neighbours, "random_state": seed}
        given |= public(kind, 2) | options
        two = make(DRAWN, records_per_person=2, **given).fit(X, y)
        one = make(one_of_two, **given).fit(X, y)
        if drawn(two) != drawn(one):
            other.append(f"{neighbours}, seed {seed}")
    for row in () if "delta" in make.__dataclass_fields__ else rows(kind):  # others are not published
        several, any_number = (_parts(kind, row, k, relation) for k, relation in ((2, RO), (1, AR)))
        other += [f"as published, {row}: no {part}" for part in any_number - several]
    return Found(0.0, float(len(other)), f"{2 * seeds} fits; other draws: {other}")


def _parts(kind, row, several, neighbours):
    """The parts of a published fit's budget, in words; of it the ways in which records are given to trees, too."""
    row = row | {"accounting": "published", "records_per_person": several, "neighbours": neighbours}
    row |= {"n_estimators": 2, "max_depth": 1, "noise": None}
    try:
        with warnings.catch_warnings(action="ignore"):
            waiting, found = [Given(kind, row)(X, labels_of(row)[0]).budget_.root], set()
    except (TypeError, ValueError):  # there is none
        return set()
    while waiting:
        node = waiting.pop()
        waiting += node.parts
        found |= {(type(node).__name__, node.name)} if not isinstance(node, Group) else set()
    return found


def drawn(fitted):
    """The numbers that a fit released, as bytes, by name; trees and what a preset has fitted among them."""
    return {name: value for name, value in stored(fitted).items() if isinstance(value, bytes)}


def registered():
    """The subjects of this file."""
    for words, choices, _ in KINDS:
        kind = words.partition(",")[0]
        few = {name: values[-1:] for name, values in choices.items()} | TWO
        yield subject(f"{words}, a person of two records", partial(moved, kind, few, ((),), other_person))
        unknown = {"n_records": (None,)} if "n_records" in few else {}
        check = partial(moved, kind, few | unknown | {"neighbours": (RO,)}, ((),), one_more)
        yield subject(f"{words}, one record of a person becomes two", check)
    for kind in dict.fromkeys(words.partition(",")[0] for words, *_ in KINDS):
        check = partial(_alike, kind, DEEP.get(kind, TREES))
        yield subject(f"{kind}, the share of one of two records", check)
