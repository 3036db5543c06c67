"""Claims of RDF, section 4.2: what it costs to divide the records among the trees, by laws in fractions."""

import math
from fractions import Fraction
from functools import partial

import numpy as np

from dplit import majority, random_forest
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, decisive, need, same
from dplit.loss import worst_privacy_loss
from dplit.neighbours import data_sets, neighbouring_data

EQUAL, INDEPENDENT = "equal-parts", "independent"
PARTS = Box("thm-equal-parts")
BOUND = "rdf/parallel-parts/corrected:most", "rdf/parallel-parts/corrected:least"
SHARES = "rdf/independent-parts:added", "rdf/independent-parts:replaced"
BUDGET = Box("thm-forest-budget", "random_forest.forest_law", quantity="privacy loss")


def _law(n_leaves, odds, assignment, classes=2):
    """The law of all labels, and its neighbours under a relation."""
    label_law = random_forest.rational_label_law(odds)
    law = random_forest.ForestLaw(n_leaves, classes, label_law, assignment)
    return law, partial(neighbouring_data, universe=law.universe)


@PARTS(
    "rdf/parallel-parts",
    "section 4.2, definition 3, algorithm 2 line 22",
    "leaks",
    "random_forest.forest_law",
    "random_forest.smallest_equal_parts_loss",
    quantity="likelihood ratio",
    **over("rdf/parallel-parts"),
)
def parallel_parts(effort, rng):
    r"""The records are divided evenly among the trees, as disjoint subsets sampled without replacement. By
    parallel composition each tree may use all of $\epsilon$: if labels are $\epsilon$-private (add-remove), so is
    the forest."""

    def ratio(H):
        """Of two labels in fractions: a record, and one more of the other class, told by the first tree."""
        law, _ = _law((1, 1), Fraction(H), EQUAL)
        p, q = (law(data)[1, 0] for data in (((0, 0, 0), (0, 0, 1)), ((0, 0, 0),)))
        return p / q

    yield same(ratio(2), math.exp(random_forest.smallest_equal_parts_loss(math.log(2))), broken="fails")
    yield from certified("rdf/parallel-parts", effort, left=ratio)
    return (
        "With two trees of one leaf, a second record makes a pair of labels {exact:.4g} times as probable at H = "
        "e^epsilon = {stated:.4g}, and more than H times as probable for all {refuted}."
    )


@PARTS.corrected(
    parallel_parts,
    "random_forest.equal_parts_bound",
    "random_forest.equal_parts_family_loss",
    "random_forest.forest_law",
    where="section 4.2, definition 3, algorithm 2 line 22",
    quantity="privacy loss",
    **over(*BOUND),
)
def equal_parts(effort, rng):
    r"""Under add-remove a forest with $\epsilon$-private labels on equal parts costs at most $\log(e^\epsilon/\tau
    + (1-1/\tau)e^{3\epsilon})$, and no smaller bound holds for all data sets and numbers of classes."""
    for name in BOUND:
        yield from certified(name, effort)
    for odds, trees in ((1.5, 2), (3.0, 30)):
        most = math.log(odds / trees + (1 - 1 / trees) * odds**3)
        yield same(most, random_forest.equal_parts_bound(math.log(odds), trees), trees=trees)
    worst = _worst((1, 1), effort.pick(3, 4, 6), EQUAL)
    yield below(worst, random_forest.equal_parts_bound(math.log(3), 2), leaves=(1, 1))
    by_law, formula = _family_in_fractions(*effort.pick((2, 1, 2), (2, 2, 2), (2, 2, 3)))
    yield same(by_law, formula)
    for trees in (2, 100):
        bound = random_forest.equal_parts_bound(1.0, trees)
        reached = random_forest.equal_parts_family_loss(1.0, trees, 600, 512)
        case = need(0 <= bound - reached < 4e-3, reached, "<=", bound, trees=trees)
        yield decisive(case) if trees == 100 else case
    return (
        "For all labels, data and numbers of trees, a record more is one step with probability 1/tau or more, "
        "else at most three steps. At epsilon 1 a family reaches {exact:.4f} with {trees} trees; the bound is "
        "{stated:.4f}."
    )


def _worst(n_leaves, records, assignment, neighbours="add-remove", classes=2):
    """Largest loss of all labels over all data sets of at most `records`, at e^epsilon = 3."""
    law, near = _law(n_leaves, 3, assignment, classes)
    space = data_sets(law.universe, records)
    return worst_privacy_loss(law, space, partial(near, neighbours=neighbours)).loss


def _family_in_fractions(n_trees, m, classes):
    """Loss of the family's outcome by the exact law of the whole forest, and by its formula."""
    n, none = n_trees * m, [0] * (n_trees - 1)
    law, _ = _law((n + 1, *[1] * (n_trees - 1)), 3, EQUAL, classes)
    data = tuple((i, *none, 0) for i in range(n))
    outcome = (*[0] * n, *[1] * n_trees)
    ratio = law((*data, (n, *none, 1)))[outcome] / law(data)[outcome]
    return math.log(ratio), random_forest.equal_parts_family_loss(math.log(3), n_trees, m, classes)


@BUDGET("rdf/independent-parts", "section 4.2", ours=True, **over(*SHARES))
def independent_parts(effort, rng):
    r"""If each record goes to a tree by an independent uniform draw, a forest with permute-and-flip labels costs
    $\epsilon$ under add-remove: exactly with two classes, and in the limit of large leaves with more than two. At
    half the rate the forest costs at most $\epsilon$ under replace-one."""
    for name in SHARES:
        yield from certified(name, effort)
    epsilon, records = math.log(3), effort.pick(2, 4, 6)
    yield decisive(same(_worst((1, 1), records, INDEPENDENT), epsilon, leaves=(1, 1), records=records))
    replaced = _worst((1, 1), records, INDEPENDENT, "replace-one")
    yield below(replaced, 2 * epsilon, leaves=(1, 1), records=records)
    three = _worst((1, 1), effort.pick(2, 3, 4), INDEPENDENT, classes=3)
    yield need(three < epsilon, three, "<", epsilon, classes=3)
    limit = np.log(majority.unanimous_error(np.array([30, 31]), 3, epsilon)) @ [1, -1]
    yield same(limit, epsilon, rtol=0, atol=1e-9, classes=3)
    return (
        "The ratio of a mixture over three trees is at most e^epsilon, and its square if a record is replaced. "
        f"With two trees of one leaf and e^epsilon = 3 the loss is log 3, and {replaced / epsilon:.4f} times as "
        f"much under replace-one. With three classes it is log {math.exp(three):.4f} for few records, and tends "
        "to log 3 for many."
    )
