"""Random decision forests in ``dplit audit``: the exact law of a small one, and fits of the estimator.

Records share one place, so one leaf of each tree.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dplit.court.audit.estimators import FreshFit, leaf_labels
from dplit.court.audit.subject import (
    AgainstLaw,
    BlackBox,
    Fits,
    Lawful,
    Leak,
    Subject,
    exact_worst,
    named,
)
from dplit.mechanisms import PermuteAndFlip, SmoothExponential
from dplit.neighbours import data_sets, neighbouring_data
from dplit.random_forest import ForestLaw, equal_parts_bound, forest_law

AR, RO = "add-remove", "replace-one"
PLACE = [0.5]
DRAWS = (600, 5000, 20_000)


def _forest_law(assignment, neighbours, rate=1.0, bound=False):
    """A forest of two trees, one of two leaves and one of one, with permute-and-flip at `rate`.

    It declares epsilon 1, or what `equal_parts_bound` proves.
    """
    declared = equal_parts_bound(1.0, 2, neighbours) if bound else 1.0

    def check(effort, rng):
        labels = PermuteAndFlip(rate, monotonic=True)
        law = ForestLaw((2, 1), 2, labels.pmf, assignment)
        near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
        space = tuple(data_sets(law.universe, effort.pick(3, 5, 6)))
        return exact_worst(declared, law, space, near)

    return check


KIND = named("forests", "RandomDecisionForestClassifier")


def _fits(n_trees, depth, labels, change, declared=None, **options):
    """`RandomDecisionForestClassifier` on records of these classes; `change` is ("add" or "replace", class)."""
    data, change = ([PLACE] * len(labels), labels), (change[0], PLACE, change[1])
    options |= {"n_estimators": n_trees, "max_depth": depth}
    return Fits(KIND, data, change, leaf_labels([PLACE]), declared, options)


def _forest(*given, **options):
    return BlackBox(_fits(*given, **options), DRAWS)


def _label(labels, change, laws, epsilon, **options):
    """A leak of one leaf's label, which declares epsilon; `laws` of the label on either side."""

    def chances():
        return [float(law[1]) for law in laws()]

    fits = _fits(1, 0, labels, change, epsilon, epsilon=epsilon, **options)
    return Leak(fits, epsilon, chances, frozenset({(1,)}))


def _parts(epsilon=1.75):
    """Three records in two equal parts, and a fourth of the other class: the outcome of the largest loss."""
    flip, other = PermuteAndFlip(epsilon, monotonic=True), (1, 0)

    def chances():
        labels, trees = [0, 0, 0, 1], np.zeros((4, 2), dtype=int)
        laws = (forest_law(trees[:n], np.array(labels[:n]), [1, 1], 2, flip.pmf, "equal-parts")
                for n in (3, 4))  # fmt: skip
        return [float(law[other]) for law in laws]

    fits = _fits(2, 0, [0, 0, 0], ("add", 1), epsilon, epsilon=epsilon, accounting="published")
    return Leak(fits, epsilon, chances, frozenset({other}))


def _own_law(labels, n_trees=2, epsilon=6.0, neighbours=AR):
    """The labels of the leaves where records in one place arrive, against their exact law.

    At so large an epsilon a label tells whether its leaf has a record: the law of the parts shows.
    """
    rate = epsilon if neighbours == AR else epsilon / 2

    def lawful():
        flip = PermuteAndFlip(rate, monotonic=True)
        leaves = np.zeros((len(labels), n_trees), dtype=int)
        law = forest_law(leaves, np.array(labels), [1] * n_trees, 2, flip.pmf, "independent")
        options = {"n_estimators": n_trees, "max_depth": 0, "neighbours": neighbours}
        fits = Fits(KIND, ([PLACE] * len(labels), labels), ("add", PLACE, 0), None, 1.0,
                    {"epsilon": epsilon} | options)  # fmt: skip
        mapping = {outcome: float(p) for outcome, p in np.ndenumerate(law)}
        data = np.array([PLACE] * len(labels)), np.array(labels)
        return Lawful(FreshFit(fits.estimator()), data, mapping, leaf_labels([PLACE]))

    return AgainstLaw(lawful, (500, 5000, 50_000))


def registered():
    """The subjects of this file."""
    within, caught = "within", "caught"
    exact = (
        ("independent trees, add-remove", within, _forest_law("independent", AR)),
        ("independent trees, replace-one", within, _forest_law("independent", RO, 0.5)),
        ("add-remove rate under replace-one", caught, _forest_law("independent", RO)),
        ("equal parts as published, add-remove", caught, _forest_law("equal-parts", AR)),
        ("equal parts at the proved bound", within, _forest_law("equal-parts", AR, bound=True)),
        ("equal parts, replace-one at twice", within, _forest_law("equal-parts", RO, bound=True)),
    )
    yield from (Subject(f"forest, {name}", "exact", *rest) for name, *rest in exact)
    two, published = {"epsilon": 2.0}, {"epsilon": 1.5, "accounting": "published"}

    def smooth():
        return SmoothExponential(2.0).pmf([[1, 1], [2, 1]])

    def flipped():
        return PermuteAndFlip(1.5, monotonic=True).pmf([[2, 0], [1, 1]])

    drawn = (
        ("add-remove", within, _forest(2, 2, [0], ("add", 1), **two)),
        ("replace-one", within, _forest(2, 2, [0], ("replace", 1), **two, neighbours=RO)),
        ("smooth-exponential label", caught,
         _label([0, 1], ("add", 0), smooth, 2.0, label="smooth-exponential")),
        ("published accounting, replace-one", caught,
         _label([0, 0], ("replace", 1), flipped, 1.5, accounting="published", neighbours=RO)),
        (
            "published accounting, its budget",
            within,
            _forest(2, 0, [0, 0, 0], ("add", 1), **published),
        ),
    )  # fmt: skip
    kind = "RandomDecisionForestClassifier"
    for name, check in (
        ("three records of a class", _own_law([1, 1, 1])),
        ("replace-one", _own_law([1, 1, 1], epsilon=4.0, neighbours=RO)),
    ):
        yield Subject(f"{kind} draws its law, {name}", "law", within, check)
    yield from (Subject(f"{kind}, {name}", "black box", *rest) for name, *rest in drawn)
    name = f"{kind}, published accounting, add-remove"
    yield Subject(name, "black box", caught, _parts(), efforts=("reader", "deep"))
