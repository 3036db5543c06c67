"""Several records of a person, in ``dplit audit``: what a record's share draws.

Asked of every estimator, exactly: that a fit with k records a person draws, bit by bit, what it draws with one at
the k-th part of epsilon; and as published, that it pays as well where a person may bring one record more.
"""

import math
import warnings
from functools import partial
from itertools import product

from dplit.budget import Group
from dplit.court.audit.lockstep import stored
from dplit.court.audit.subject import AR, RO, Found, estimator, public, subjects_of
from dplit.court.audit.subjects.moved import DOMAIN, ESTIMATORS, Given, X, labels_of, rows

DRAWN = 4.0  # epsilon of fits that are compared, so large that their trees follow the records
ROUNDS = {"n_records": 6, "max_depth": 2, "n_estimators": 3}
DEEP = {  # parameters of the fits that are compared, where the audit's others would draw little
    "BoostedForestClassifier": ROUNDS, "BoostedForestRegressor": ROUNDS,
    "PrivateForestClassifier": ROUNDS, "PrivateForestRegressor": ROUNDS,
    "MatrixForestClassifier": {"max_depth": 1, "n_estimators": 2, "bins": 2},
    "HistogramForestClassifier": {"max_depth": 1, "n_estimators": 1},
}  # fmt: skip
TREES = {"max_depth": 2, "n_estimators": 5}


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
    checks = {kind: partial(_alike, kind, DEEP.get(kind, TREES)) for kind in ESTIMATORS}
    yield from subjects_of(checks, "{}, the share of one of two records")
