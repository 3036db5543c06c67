"""Bugs of what a multinomial forest releases, and those that a referee planted."""

import numpy as np

from tests.power._planting import named, plants, rate_of, told

KIND = "MultinomialForestClassifier"
GROW = "trees.median.grow_median_trees"
PUBLISHED = "trees.multinomial.grow_multinomial_trees"


def _part_twice(original):
    """The first record of each tree stands twice among its structure points."""

    def grow(domain, X, y, n_classes, parts, *rest, **options):
        return original(domain, X, y, n_classes, [np.append(p[:1], p) for p in parts], *rest, **options)

    return grow


def _record_twice(original):
    def grow(domain, X, y, *rest, **options):
        return original(domain, np.append(X[:1], X, axis=0), np.append(y[:1], y), *rest, **options)

    return grow


def _budget_of(name):
    """A rule whose weight of B1/2 or B2/2 is another."""

    def rate(r):
        def wrap(original):
            def grow(*given, **named):
                rule = given[6]
                louder = rule._replace(**{name: min(r, 1e4) * getattr(rule, name)})
                return original(*given[:6], louder, *given[7:], **named)

            return grow

        return wrap

    return rate


def _first_estimated_twice(original):
    """Whatever record comes first in each leaf: its class counts once more, if it is an estimation point."""

    def count_labels(trees, X, y, assigned, *rest):
        own = y == 0  # each leaf has one record of the first class
        return sum(original(trees, X[at], y[at], assigned[at], *rest) for at in (slice(None), own))

    return count_labels


def _all_estimated(original):
    """Estimation points are all records, in name still those of the other half."""

    def call(self, n, rng):
        structure, estimation = original(self, n, rng)
        return structure, np.ones_like(estimation)

    return call


for words, place in (("column and cut", "mass_cut"), ("column and cut, normalised", "normalised_cut")):
    plants(f"{KIND}, {words}", f"forests.releases.{place}", rate_of("epsilon"),
           elsewhere=[("a record counted twice", GROW, _part_twice)])  # fmt: skip
plants(f"{KIND}, class of a leaf", "forests.releases.flip", rate_of("epsilon"),
       elsewhere=[("a record counted twice", "trees.routing.count_labels", _first_estimated_twice)])  # fmt: skip
for words, name in (("column", "feature_rate"), ("value", "value_rate")):
    plants(f"{KIND}, {words}, published", PUBLISHED, _budget_of(name),
           elsewhere=[("a record counted twice", PUBLISHED, _record_twice)])  # fmt: skip
plants(f"{KIND}, class of a leaf, published", "forests.releases.multinomial_labels", rate_of("label_budget"),
       copies=told("counts", lambda counts: counts + np.array([1, 0])))  # fmt: skip


def _not_halved(original):
    """Replace-one neighbours at the rate of add-remove."""

    def tree_epsilon(self, way):
        return original(self, way) * (2 if self.neighbours == "replace-one" else 1)

    return tree_epsilon


CUT, LABEL = f"{KIND}, column and cut", f"{KIND}, class of a leaf"
for release, bug, where, wrap in (
    (CUT, "a whole epsilon for half of it", "releases.mass_cut", told("epsilon", lambda epsilon: 2 * epsilon)),
    (LABEL, "labels of doubled counts", "releases.flip", told("counts", lambda counts: 2 * counts)),
    (LABEL, "estimation points are all records", "partition.Coins.__call__", _all_estimated),
    (CUT, "rates of replace-one are not halved", "base.BaseForest._tree_epsilon", _not_halved),
    (LABEL, "rates of replace-one are not halved", "base.BaseForest._tree_epsilon", _not_halved),
):
    named(release, bug, f"forests.{where}", wrap)
