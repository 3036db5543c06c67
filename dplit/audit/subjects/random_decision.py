"""Random decision forests in ``dplit audit``: the exact law of a small one, and fits of the estimator.

Records share one place, so one leaf of each tree.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dplit.audit.estimators import FreshFit, leaf_labels
from dplit.audit.subject import AgainstLaw, BlackBox, Fits, Lawful, Subject, exact_worst, named
from dplit.mechanisms import PermuteAndFlip
from dplit.neighbours import data_sets, neighbouring_data
from dplit.random_forest import ForestLaw, equal_parts_bound, forest_law

AR, RO = "add-remove", "replace-one"
PLACE = [0.5]
DRAWS = (600, 5000, 20_000)  # of a leak, so many that it is missed in fewer than 1 of 1,000 audits


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


def _forest(n_trees, depth, labels, change, *, draws=DRAWS, declared=None, **options):
    """`RandomDecisionForestClassifier` on records of these classes; `change` is ("add" or "replace", class)."""
    data, change = ([PLACE] * len(labels), labels), (change[0], PLACE, change[1])
    options |= {"n_estimators": n_trees, "max_depth": depth}
    return BlackBox(Fits(KIND, data, change, leaf_labels([PLACE]), declared, options), draws)


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
    label = two | {"label": "smooth-exponential", "declared": 2.0, "draws": (1200, 5000, 20_000)}
    replaced = published | {"neighbours": RO, "declared": 1.5, "draws": (2000, 5000, 20_000)}
    drawn = (
        ("add-remove", within, _forest(2, 2, [0], ("add", 1), **two)),
        ("replace-one", within, _forest(2, 2, [0], ("replace", 1), **two, neighbours=RO)),
        ("smooth-exponential label", caught, _forest(1, 0, [0, 1], ("add", 0), **label)),
        (
            "published accounting, replace-one",
            caught,
            _forest(1, 0, [0, 0], ("replace", 1), **replaced),
        ),
        (
            "published accounting, its budget",
            within,
            _forest(2, 0, [0, 0, 0], ("add", 1), **published),
        ),
    )
    kind = "RandomDecisionForestClassifier"
    for name, check in (
        ("three records of a class", _own_law([1, 1, 1])),
        ("replace-one", _own_law([1, 1, 1], epsilon=4.0, neighbours=RO)),
    ):
        yield Subject(f"{kind} draws its law, {name}", "law", within, check)
    yield from (Subject(f"{kind}, {name}", "black box", *rest) for name, *rest in drawn)
    # three records in two parts, and a fourth of the other class: exact loss 2.90 for epsilon 1.75
    parts = published | {"epsilon": 1.75, "declared": 1.75, "draws": (8000, 8000, 20_000)}
    check = _forest(2, 0, [0, 0, 0], ("add", 1), **parts)
    name = f"{kind}, published accounting, add-remove"
    yield Subject(name, "black box", caught, check, efforts=("reader", "deep"))
