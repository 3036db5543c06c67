r"""What the M-RF paper writes about its experiments that printed numbers or a formula decide alone.

The authors' files of results decide "consistently outperform"; their appendix's tables the shapes of the data
sets and the seconds. What a single tree is worth is a law: with Laplace noise of scale :math:`b` on the counts
of two classes that are g apart, the larger noisy count is of the larger class with probability
:math:`1 - (2 + x)e^{-x}/4`, :math:`x = g/b`. See :doc:`/book/matrix_forest_experiments`.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product

import numpy as np

from dplit import datasets, printed
from dplit.datasets import registry
from dplit.ledger import Case, bounded, claim, equal, verdict_of
from dplit.mechanisms import Laplace

CHAPTER = "matrix_forest_experiments"
BOX, TREE_BOX = "def-matrix-experiments-print", "thm-matrix-experiments-tree"
METHODS, BASELINES = ("training", "prediction"), ("Laplace", "disjoint")
SETS = {
    "Car": "car",
    "Iris": "iris",
    "Balance": "balance",
    "Heart": "heart-cleveland",
    "Mushroom": "mushroom",
}
NEGLIGIBLE = 0.1  # of the seconds without privacy
TABLE = "the printed table says what holds"

by_print = partial(claim, chapter=CHAPTER, box=BOX, functions=("printed.table",))


def gains():
    """What training is above each baseline in the authors' files, dict of words to (ours, baseline's)."""
    found = {}
    for id in ("m-rf/result-file-few", "m-rf/result-file-64"):
        table = printed.table(id)
        for (data, name), (ours, other) in product(
            table.of("name").items(), product(METHODS, BASELINES)
        ):
            if (data, ours) in table.cells and (data, other) in table.cells:
                words = f"{name}: {ours} against {other}"
                found[words] = table.cells[data, ours].value, table.cells[data, other].value
    return found


@by_print("m-rf/outperforms", "Main results", "fails", about="reading")
def outperforms(effort, rng):
    """Read for other numbers of trees than figure 2's: the optimised approaches consistently outperform the
    baselines."""
    found = gains()
    below = {words: pair for words, pair in found.items() if pair[0] <= pair[1]}
    words, (ours, other) = next(iter((below or found).items()))
    shown = "; ".join(f"{w}, {a:.3f} against {b:.3f}" for w, (a, b) in below.items()) or "none"
    return verdict_of(
        not below, f"{len(found) - len(below)} of {len(found)} comparisons are above; not so: {shown}.",
        {w: list(pair) for w, pair in below.items()}, cases=len(found), computed=ours, published=other,
        relation=">", quantity=f"accuracy in the authors' files, {words}",
        range="epsilon 2: Car with 1, 4 and 64 trees of depth 4, Balance with 128 of depth 2",
    )  # fmt: skip


@outperforms.corrected(functions=("printed.table",))
def outperforms_with_many(effort, rng):
    """With 64 trees on Car and with 128 on Balance both methods are above both baselines in the authors' files."""
    found = {w: pair for w, pair in gains().items() if not w[0].isdigit()}
    words, (ours, other) = min(found.items(), key=lambda item: item[1][0] - item[1][1])
    return verdict_of(
        ours > other, f"Least: {words}, by {100 * (ours - other):.1f} points.", {words: [ours, other]},
        cases=len(found), computed=ours, published=other, relation=">",
        quantity=f"accuracy in the authors' files, {words}", range="epsilon 2, Car and Balance",
    )  # fmt: skip


@by_print(
    "m-rf/feature-range", "Experimental setup", "fails", functions=("printed.table",), nothing_instead=TABLE
)  # fmt: skip
def feature_range(effort, rng):
    r"""The popular classification datasets have feature dimensions ranging from 4 to 128."""
    cells = printed.table("m-rf/appendix-table-1").cells
    features = [int(cell.value) for (column, _), cell in cells.items() if column == "features"]
    low, high = min(features), max(features)
    return verdict_of(
        (low, high) == (4, 128), f"By the appendix's table 1 they have {low} to {high}.", {"range": [low, high]},
        cases=len(features), computed=high, published=128, relation="=",
        quantity="features of the widest data set", range="all six sets of the appendix's table 1",
    )  # fmt: skip


def shapes():
    """Each cell of the appendix's table 1 that a file decides: (row, column, printed, what the file has)."""
    cells = printed.table("m-rf/appendix-table-1").cells
    for row, data in SETS.items():
        file, loaded = registry.entry(data), datasets.load(data)
        known = {
            "records": {file.records, file.records - file.incomplete},
            "features": {len(loaded.domain)},
            "classes": {len(loaded.classes)},
        }
        for column, numbers in known.items():
            yield row, column, int(cells[column, row].value), numbers


@by_print(
    "m-rf/appendix-table-1", "Technical appendix, table 1", "holds", functions=("datasets.load",)
)
def table_1(effort, rng):
    """The appendix's table 1 has the numbers of records, features and classes of Car, Iris, Balance, Heart and
    Mushroom."""
    found = list(shapes())
    wrong = [f for f in found if f[2] not in f[3]]
    row, column, n, known = (wrong or found)[0]
    return verdict_of(
        not wrong, f"{len(found) - len(wrong)} of {len(found)} cells are the file's numbers. Of Heart they are "
        "of the 297 records without a missing value, of Mushroom of all.",
        {f"{r} {c}": [n, sorted(k)] for r, c, n, k in wrong}, cases=len(found),
        computed=min(known), published=n, relation="=", quantity=f"{column} of {row}",
        range="five of six sets; Adult's 30,956 records of 124 features are none that this project has",
    )  # fmt: skip


@by_print("m-rf/overhead", "Complexity; technical appendix, table 2", "holds")
def overhead(effort, rng):
    """Training and prediction under privacy have a negligible overhead, less than a tenth of the seconds without
    privacy, if the search for a strategy is not counted."""
    cells, cases = printed.table("m-rf/appendix-seconds").cells, []
    for (column, row), cell in cells.items():
        if column in ("training", "prediction") and row.startswith(METHODS):
            alone = cells[column, "not private"].value
            cases.append(Case(cell.value, (1 + NEGLIGIBLE) * alone, {"row": row, "column": column}))
    search = max(c.value for (column, _), c in cells.items() if column == "strategy")
    every = cells["training", "not private"].value + cells["prediction", "not private"].value
    found = bounded(cases, "", quantity="seconds")
    worst = max(cases, key=lambda c: c.exact / c.stated)
    more = 100 * ((1 + NEGLIGIBLE) * worst.exact / worst.stated - 1)
    return verdict_of(
        found.verdict != "fails",
        f"At most {more:.1f} % ({worst.data['column']}, {worst.data['row']}). The search takes up to "
        f"{search:.0f} s, {search / every:.0f} times training and prediction without privacy together.",
        worst.data, cases=len(cases), computed=worst.exact, published=worst.stated, relation="<=",
        quantity=f"printed seconds of {worst.data['column']}, {worst.data['row']}",
        range="q = 1 and q = 2, on Car, with trees of the same size",
    )  # fmt: skip


# A single tree ---------------------------------------------------------------------------------------


def right(gap, epsilon, n_trees):
    r"""Probability that one of many trees with Laplace noise labels a leaf of two classes by the larger.

    .. math:: 1 - \tfrac14 (2 + x) e^{-x}, \qquad x = g \epsilon / \tau

    Parameters
    ----------
    gap : array_like
        g: how many records the larger class has more.
    epsilon : float
    n_trees : array_like of int
        :math:`\tau`, each of which spends :math:`\epsilon/\tau`.
    """
    x = np.asarray(gap) * epsilon / np.asarray(n_trees)
    return 1 - (2 + x) * np.exp(-x) / 4


def by_quadrature(gap, epsilon, n_trees):
    """The same by the noise's own density and distribution: one count's noise is integrated out."""
    from scipy.integrate import quad

    noise = Laplace(epsilon / n_trees)
    density = lambda z: float(noise.pdf(z) * noise.cdf(gap + z))  # noqa: E731
    ends = (-60 * noise.scale - gap, -gap, 0.0, 60 * noise.scale)
    return sum(quad(density, a, b, epsabs=1e-13)[0] for a, b in pairwise(ends))


def leaves(effort):
    """Gap, epsilon and numbers of trees that are computed."""
    gaps, numbers = effort.pick((1, 10), (1, 3, 10, 40), (1, 2, 3, 5, 10, 40)), (1, 2, 8, 64, 128)
    return product(gaps, (0.5, 2.0), numbers)


@claim(
    "m-rf/single-tree", "Main results", "fails", chapter=CHAPTER, box=TREE_BOX, functions=("mechanisms.Laplace",)
)  # fmt: skip
def single_tree(effort, rng):
    r"""With Laplace noise the predictive power of a single tree, its accuracy, is inversely proportional to the
    number of trees."""
    cases = [
        Case(by_quadrature(gap, epsilon, t), by_quadrature(gap, epsilon, 1) / t,
             {"gap": gap, "epsilon": epsilon, "trees": t})
        for gap, epsilon, t in leaves(effort)
    ]  # fmt: skip
    return equal(
        cases, "A leaf of two classes with the gap {gap}, at epsilon {epsilon} and {trees} trees; no tree is "
        "right less often than by guessing.", rtol=1e-6,
        quantity="probability of the right class of a leaf", range="gaps to 10, epsilon 0.5 and 2, to 128 trees",
    )  # fmt: skip


@single_tree.corrected(
    "thm-matrix-experiments-tree", ("mechanisms.Laplace",), proof="thm-matrix-experiments-tree",
    quantity="probability of the right class of a leaf", range="gaps to 10, epsilon 0.5 and 2, to 128 trees",
)  # fmt: skip
def single_tree_is_linear(effort, rng):
    r"""The larger of two classes, $g$ records apart, is a leaf's label with probability $1 - (2 + x)e^{-x}/4$,
    $x = g\epsilon/\tau$: what it has above guessing is at most $x/4$, and inversely proportional to $\tau$ for
    many trees."""
    cases = [
        Case(
            by_quadrature(gap, epsilon, t), float(right(gap, epsilon, t)), {"gap": gap, "trees": t}
        )
        for gap, epsilon, t in leaves(effort)
    ]
    linear = all(
        c.exact - 0.5 <= 0.25 * g * e / t + 1e-9 for c, (g, e, t) in zip(cases, leaves(effort))
    )
    found = equal(cases, "{cases} leaves, among them gap {gap} with {trees} trees.", rtol=1e-8)
    return found if linear else verdict_of(False, "above x/4", {"above": "x/4"})
