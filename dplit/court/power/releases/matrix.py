r"""What matrix forests release: leaves, or votes, with the noise of each strategy; and the cells beneath.

All is drawn from few fits of small forests with many classes, each with noise of its own. Of a class's leaves one
number is read, of which the law is known. `_Design` says which:

- the leaf of a cell, where the strategy releases that leaf itself;
- that leaf less another one of the same tree. Least squares makes trees agree on their totals: it moves all
  leaves of a tree alike, and leaves the difference to the noise of the two released counts alone;
- with "tree-norm", where noise z of density :math:`\propto e^{-\epsilon\max_t\|z_t\|_1}` has the same sum s in
  each tree, and of two trees with two leaves each, s or the difference of one tree's leaves. Since
  :math:`|x| + |y| = \max(|x + y|, |x - y|)` these three numbers have a density
  :math:`\propto e^{-\epsilon\max}`: a cube of radius R of the gamma law with shape 4, and
  :math:`\Pr(s > x) = \frac12E(1 - x/R)^+ = \frac12e^{-x}(1 + \frac23x + \frac16x^2)` at :math:`\epsilon = 1`.
"""

import math
from itertools import cycle, product
from typing import NamedTuple

import numpy as np

from dplit.court.power import laws
from dplit.court.power.drawn import Bound, Release
from dplit.court.power.sampling import same_in_each_cell, seed_of, until
from dplit.domain import Categorical, Domain

FOREST, HISTOGRAM, PRESET = "MatrixForestClassifier", "HistogramForestClassifier", "PrivateForestClassifier"
RATE = 0.5  # of the noise on each released number
CLASSES = 1000
MANY = 12_000  # draws, more than the test needs: noise of nine tenths of its scale is seen, too
BOUND = 30  # whole numbers beyond which outcomes are one
REACH = 100  # of laws before they are cut there
EDGES = np.arange(-39, 40, 2) / 8  # bins of what is not whole, over 1/RATE
RELATIONS = {"add-remove": 1, "replace-one": 2}  # and what a record costs, where noise is for one added
ALONE, SUM, CUBE = [1.0], [1.0, 1 / 2], laws.cube(3)


class _Design(NamedTuple):
    """A forest, and the number that is read of each class."""

    norm: int  #: Sensitivity of the strategy, so that epsilon is `norm` times `RATE`.
    tail: list = ALONE  #: Of the number's law, as of `laws.decaying`.
    n_trees: int = 1
    depth: int = 1
    levels: int = 2  #: Of each of two columns.
    unit: float = 1.0  #: Of the answers: the number is so many of them.
    disjoint: bool = False
    ways: tuple = ("training",)

    @property
    def is_even(self):
        """Whether half of the trees test each of the two columns, as the design needs where leaves differ."""
        return self.tail != ALONE


EVERY = ("training", "prediction", "subsample")
DESIGNS = {
    "identity": _Design(1, depth=2, ways=EVERY),
    "regions": _Design(1, ways=EVERY),
    "p-identity": _Design(1, ways=EVERY),  # one tree: no further query helps, and the regions are left
    "per-tree": _Design(4, n_trees=4),
    "disjoint": _Design(1, n_trees=4, unit=4.0, disjoint=True),
    "merged": _Design(2, SUM, n_trees=4),
    "weighted": _Design(4, SUM, n_trees=4, unit=1 / 2),  # a leaf of two trees counts twice
    "marginals": _Design(2, SUM, n_trees=4, levels=4),
    "tree-norm": _Design(1, CUBE, n_trees=4),
}


def _law(design, whole):
    """The law of the number, a function of a bug."""
    of = _whole_law if whole else _real_law

    def law(rate=1.0, copies=1, bias=0.0):
        return of(design, rate * RATE, copies, bias)

    return law


def _whole_law(design, rate, copies, bias):
    noise = laws.two_sided(rate, REACH)
    if design.disjoint:  # each record, a copy too, is in one tree of four
        drawn = laws.thinned(copies, 1 / design.n_trees)
        return laws.number(laws.summed(noise, drawn), BOUND, bias=bias)
    both = laws.summed(noise, noise) if design.tail == SUM else noise
    return laws.number(both, BOUND, (copies - 1) / design.unit, bias)


def _real_law(design, rate, copies, bias):
    edges, drawn = EDGES / RATE, {(copies - 1) / design.unit: 1.0}
    if design.disjoint:
        drawn = laws.thinned(copies, 1 / design.n_trees)
    spread = variance(design.tail) / rate**2 + laws.deviation(drawn) ** 2
    found = [
        (p, laws.decaying(rate, edges, design.tail, moved + bias * math.sqrt(spread)))
        for moved, p in drawn.items()
    ]
    return {o: math.fsum(p * law[o] for p, law in found) for o in found[0][1]}


def variance(tail):
    r"""Of noise with such a tail, at rate 1: :math:`2\int_0^\infty 2x\Pr(Z > x)\,dx`."""
    return 2 * sum(t * math.factorial(k + 1) for k, t in enumerate(tail))


def _draw(strategy, design, mechanism):
    def draw(n, rng):
        ways = cycle(product(design.ways, RELATIONS))
        return until(max(n, MANY), lambda: _numbers(strategy, design, mechanism, *next(ways), rng))

    return draw


def _numbers(strategy, design, mechanism, way, relation, rng):
    """The number that is read of each class, of one fit."""
    cells, forest = cells_of(design.levels)[1], _fitted(strategy, design, mechanism, way, relation, rng)
    leaf = forest.apply(cells)
    if way == "training":
        return numbers(design, mechanism, forest.leaf_counts_[leaf + forest.trees_.leaf_starts[:-1]], leaf)
    return numbers(design, mechanism, forest.query_votes_[:, None], leaf)  # of one tree: its leaf's counts


def records(design):
    """Records of the same cells in each class, and the class of each; the cells' numbers of records."""
    cells = cells_of(design.levels)[1]
    held = np.arange(len(cells)) == 0 if design.disjoint else np.arange(len(cells)) % 4 + 1
    each = np.repeat(cells, held, axis=0)
    return np.tile(each, (CLASSES, 1)), np.repeat(np.arange(CLASSES), len(each)), held


def numbers(design, mechanism, answers, leaf):
    """From the answers for each cell's leaf, shape (n_cells, n_trees, n_classes): the number of each class.

    `leaf` is the number of the leaf in its tree, shape (n_cells, n_trees).
    """
    ends, held = (0, -1), records(design)[2]
    noise = answers[list(ends)]
    if not design.disjoint:  # whose records are drawn, too
        truth = [(held[:, None] * (leaf == leaf[cell])).sum(axis=0) for cell in ends]
        noise = noise - np.array(truth)[:, :, None]
    return outcomes(_read(design, *noise) / design.unit, mechanism)


def _read(design, own, other):
    """From the noise of two leaves of each tree and class, shape (n_trees, n_classes): a number of each class."""
    tree, each = np.arange(CLASSES) % design.n_trees, np.arange(CLASSES)
    if design.tail == ALONE:
        return own[tree, each]
    if design.tail == SUM:
        return (own - other)[tree, each]
    return np.where(each % 3 == 0, own + other, own - other)[tree, each]


def outcomes(numbers, mechanism):
    if mechanism != "geometric":
        return laws.binned(numbers, EDGES / RATE)
    whole = np.rint(numbers)
    assert (abs(numbers - whole) < 1e-6).all(), "geometric noise is whole"
    return np.clip(whole, -BOUND, BOUND).astype(int).tolist()


def cells_of(levels):
    """Two columns of so many levels, and a record of each cell."""
    return Domain([Categorical(range(levels))] * 2), np.array([*product(range(levels), repeat=2)])


def _fitted(strategy, design, mechanism, way, relation, rng):
    """A fit at so much epsilon that each released number has noise of `RATE`."""
    X, y, _ = records(design)
    return unfitted(strategy, design, mechanism, way, relation, rng).fit(X, y)


def unfitted(strategy, design, mechanism, way, relation, rng):
    """A forest with such trees as the design has: they are public, and drawn until they are so."""
    from dplit.forests import MatrixForestClassifier

    domain, cells = cells_of(design.levels)
    shape = {"domain": domain, "classes": list(range(CLASSES)), "strategy": strategy, "release": way}
    shape |= {"n_estimators": design.n_trees, "max_depth": design.depth, "neighbours": relation}
    shape |= {"mechanism": "geometric" if mechanism == "tree-norm" else mechanism}
    shape |= {} if way == "training" else {"queries": cells}
    epsilon = RATE * design.norm * RELATIONS[relation]
    while True:
        seed = seed_of(rng)
        public = MatrixForestClassifier(epsilon, **shape | {"strategy": "per-tree"}, random_state=seed)
        if not design.is_even or _is_even(public.plan().trees):
            return MatrixForestClassifier(epsilon, **shape, random_state=seed)


def _is_even(trees):
    """Whether both columns are tested by as many trees."""
    first = trees.feature[trees.roots]
    return (first == 0).sum() == (first == 1).sum()


COLUMNS = 9  # of two levels
HELD = 2  # records of each class in each cell


def _draw_cells(mechanism, kind=HISTOGRAM):
    """Counts of a cell and class, of a histogram or of the preset's, which takes geometric noise."""

    def draw(n, rng):
        from sklearn.dummy import DummyClassifier

        from dplit import forests

        domain, X, y = same_in_each_cell(COLUMNS, [0] * HELD + [1] * HELD)
        shape = (
            {"learner": DummyClassifier(), "mechanism": mechanism} if kind == HISTOGRAM else {"n_records": len(y)}
        )
        relations = cycle(RELATIONS)

        def once():
            relation = next(relations)
            options = {"domain": domain, "classes": [0, 1], "neighbours": relation, "random_state": seed_of(rng)}
            forest = getattr(forests, kind)(RATE * RELATIONS[relation], **options, **shape).fit(X, y)
            counts = getattr(forest, "forest_", forest).cell_counts_
            return outcomes(counts.ravel() - HELD, mechanism)

        return until(max(n, MANY), once)

    return draw


def private(law, loss):
    """That a number below the true one is no more than e^loss times as likely as with one record more."""
    members = frozenset(o for o in law() if o < 0)
    beside = math.fsum(law(copies=2).get(o, 0.0) for o in members)
    yield Bound("a number below the true one, e^loss times as likely as with one record more,", members,
                math.exp(loss) * beside)  # fmt: skip


WORDS = {
    "geometric": "geometric noise whose rate is epsilon divided by the sensitivity",
    "laplace": "Laplace noise whose scale is the sensitivity divided by epsilon",
    "tree-norm": r"with noise of density $\propto e^{-\epsilon m}$, where $m$ is its L1 norm on the worst tree",
}
NOTES = {"geometric": "geometric", "laplace": "Laplace", "tree-norm": "tree-norm"}
BOTH = ("geometric", "laplace")
KINDS = {"p-identity": ("laplace",), "tree-norm": ("tree-norm",)}  # else both; the first has no whole entries
CHAPTERS = {"identity": "matrix_forest", "per-tree": "matrix_release", "merged": "matrix_release"}
CHAPTERS |= {"tree-norm": "matrix_bounds"}  # all others: matrix_strategies


def release_of(name, estimator, node, chapter, mechanism, design, draw):
    """The release of the number that a design reads."""
    whole = mechanism == "geometric"
    law = _law(design, whole)
    loss = RATE * max(1, 1 / design.unit)
    return Release(
        name, estimator, node, chapter, WORDS[mechanism], law, draw,
        is_number=True, mechanism=NOTES[mechanism], bounds=lambda: private(law, loss),
    )  # fmt: skip


def registered():
    """The releases of this file."""
    for mechanism in BOTH:
        name, cells = f"{HISTOGRAM}, counts of a cell, {mechanism}", _draw_cells(mechanism)
        yield release_of(name, f"forests.{HISTOGRAM}", "class counts of a cell", "matrix_forest", mechanism,
                         _Design(1), cells)  # fmt: skip
    yield release_of(f"{PRESET}, counts of a cell", f"forests.{PRESET}", "class counts of a cell", "matrix_forest",
                     "geometric", _Design(1), _draw_cells("geometric", PRESET))  # fmt: skip
    for strategy, design in DESIGNS.items():
        for mechanism in KINDS.get(strategy, BOTH):
            chapter, node = CHAPTERS.get(strategy, "matrix_strategies"), f"strategy {strategy}"
            name = f"{FOREST}, {node}" + ("" if mechanism == "tree-norm" else f", {mechanism}")
            draw = _draw(strategy, design, mechanism)
            yield release_of(name, f"forests.{FOREST}", node, chapter, mechanism, design, draw)
