"""Random decision forests in ``dplit audit``: laws of small ones, and fits whose records share one leaf a tree."""

from functools import partial

import numpy as np

from dplit.court.audit.estimators import leaf_labels
from dplit.court.audit.subject import AR, RO, exact_worst, fits, fits_by_law, leak, subject, subjects_of
from dplit.mechanisms import PermuteAndFlip, SmoothExponential
from dplit.neighbours import data_sets, neighbouring_data
from dplit.random_forest import ForestLaw, equal_parts_bound, forest_law

PLACE = [0.5]
DRAWS = (600, 5000, 20_000)


def _forest_law(assignment, neighbours, effort, rng, rate=1.0, bound=False):
    """Two trees, of two leaves and one, by permute-and-flip at `rate`; declares 1, or `equal_parts_bound`."""
    declared = equal_parts_bound(1.0, 2, neighbours) if bound else 1.0
    law = ForestLaw((2, 1), 2, PermuteAndFlip(rate, monotonic=True).pmf, assignment)
    near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
    space = tuple(data_sets(law.universe, effort.pick(3, 5, 6)))
    return exact_worst(declared, law, space, near)


KIND = "RandomDecisionForestClassifier"


def _in_place(make, labels, way, new, **options):
    """A check of fits on records of these classes; one of class `new` is added, or replaces the first."""
    given = {"summary": leaf_labels([PLACE]), "n_estimators": 1, "max_depth": 0} | options
    return make(KIND, ([PLACE] * len(labels), labels), (way, PLACE, new), **given)


def _label(labels, way, new, laws, epsilon, **options):
    """A leak of one leaf's label, which declares epsilon; `laws` of the label on either side."""
    chances = lambda: [float(law[1]) for law in laws()]  # noqa: E731
    return _in_place(leak, labels, way, new, declared=epsilon, chances=chances, epsilon=epsilon,
                     outcomes=frozenset({(1,)}), **options)  # fmt: skip


def _parts(epsilon=1.75):
    """Three records in two equal parts, and a fourth of the other class: the outcome of the largest loss."""
    flip, other = PermuteAndFlip(epsilon, monotonic=True), (1, 0)

    def chances():
        labels, trees = [0, 0, 0, 1], np.zeros((4, 2), dtype=int)
        laws = (forest_law(trees[:n], np.array(labels[:n]), [1, 1], 2, flip.pmf, "equal-parts") for n in (3, 4))
        return [float(law[other]) for law in laws]

    return _in_place(leak, [0, 0, 0], "add", 1, declared=epsilon, chances=chances, epsilon=epsilon,
                     outcomes=frozenset({other}), n_estimators=2, accounting="published")  # fmt: skip


def _own_law(epsilon=6.0, neighbours=AR, labels=(1, 1, 1), n_trees=2):
    """The labels of the leaves where records in one place arrive, against their exact law.

    At so large an epsilon a label tells whether its leaf has a record: the law of the parts shows.
    """

    def law():
        flip = PermuteAndFlip(epsilon if neighbours == AR else epsilon / 2, monotonic=True)
        leaves = np.zeros((len(labels), n_trees), dtype=int)
        law = forest_law(leaves, np.array(labels), [1] * n_trees, 2, flip.pmf, "independent")
        return {outcome: float(p) for outcome, p in np.ndenumerate(law)}

    data, options = ([PLACE] * len(labels), labels), {"n_estimators": n_trees, "max_depth": 0}
    return fits_by_law(KIND, data, law, leaf_labels([PLACE]), (500, 5000, 50_000), epsilon=epsilon,
                       neighbours=neighbours, **options)  # fmt: skip


def registered():
    """The subjects of this file."""
    for name, expected, assignment, neighbours, options in (
        ("independent trees, add-remove", "within", "independent", AR, {}),
        ("independent trees, replace-one", "within", "independent", RO, {"rate": 0.5}),
        ("add-remove rate under replace-one", "caught", "independent", RO, {}),
        ("equal parts as published, add-remove", "caught", "equal-parts", AR, {}),
        ("equal parts at the proved bound", "within", "equal-parts", AR, {"bound": True}),
        ("equal parts, replace-one at twice", "within", "equal-parts", RO, {"bound": True}),
    ):
        check = partial(_forest_law, assignment, neighbours, **options)
        yield subject(f"forest, {name}", check, expected)
    laws = {"three records of a class": _own_law(), "replace-one": _own_law(4.0, RO)}
    yield from subjects_of(laws, f"{KIND} draws its law, {{}}")

    def smooth():
        return SmoothExponential(2.0).pmf([[1, 1], [2, 1]])

    def flipped():
        return PermuteAndFlip(1.5, monotonic=True).pmf([[2, 0], [1, 1]])

    forest, published = (partial(_in_place, fits, draws=DRAWS, n_estimators=2), {"accounting": "published"})
    yield from subjects_of({
        "add-remove": forest([0], "add", 1, epsilon=2.0, max_depth=2),
        "replace-one": forest([0], "replace", 1, epsilon=2.0, max_depth=2, neighbours=RO),
        "smooth-exponential label": _label([0, 1], "add", 0, smooth, 2.0, label="smooth-exponential"),
        "published accounting, replace-one": _label(
            [0, 0], "replace", 1, flipped, 1.5, neighbours=RO, **published),
        "published accounting, its budget": forest([0, 0, 0], "add", 1, epsilon=1.5, **published),
    }, f"{KIND}, {{}}")  # fmt: skip
    yield subject(f"{KIND}, published accounting, add-remove", _parts(), efforts=("reader", "deep"))
