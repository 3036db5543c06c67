"""Claims of ours on RDF: labels that are released where they are stable or with a delta, and their limits."""

import math
from fractions import Fraction
from itertools import product

import numpy as np

from dplit import majority, random_forest
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import note, same
from dplit.ground.errors import NEIGHBOURS

INSTABILITY = Box("thm-instability", "random_forest.stable_release", "random_forest.distance_to_instability")
CLASSES = Box(
    "thm-instability-classes", "random_forest.pure_delta", "random_forest.stable_error", "majority.unanimous_error"
)
OPTIMUM = Box("thm-delta-optimum", "random_forest.delta_error_bound", quantity="least error of a private label")
STEPS = tuple(f"rdf/instability:{part}" for part in ("near", "far", "across", "across-none"))
PURE = tuple(f"rdf/instability-classes:{part}" for part in ("edge", "beyond", "coin"))
NEAR = tuple(f"near-{classes}" for classes in ("two", "three", "four", "five"))
FEW = tuple(f"rdf/instability-classes:{part}" for part in (*NEAR, "far", "half"))
SIX = "rdf/instability-classes:six"
ERRORS = tuple(f"rdf/delta-optimum:{part}" for part in ("step", "met", "back", "right", "right-back", "none"))


def _label_law(leaf, epsilon, delta, neighbours, coin):
    """Law of the label of `stable_release`, and last of no label; by a uniform class with `coin`."""
    low, high = sorted(leaf)[-2:]
    released = float(random_forest.stable_release(high - low, epsilon, delta, neighbours))
    law = np.zeros(len(leaf) + 1)
    law[leaf.index(high)], law[-1] = released, 1 - released
    return law[:-1] + law[-1] / len(leaf) if coin else law


def _label_pairs(n, classes, epsilon, delta, neighbours, coin):
    """Laws of the label on each leaf of at most n records and on each of its neighbours."""
    for x in majority.leaves(n, classes):
        for y in majority.neighbouring(x, neighbours):
            yield [_label_law(z, epsilon, delta, neighbours, coin) for z in (x, y)]


@INSTABILITY("rdf/instability", "section 2.2, definition 7", ours=True, **over(*STEPS))
def instability(effort, rng):
    r"""Let $d$ be the exponent of a leaf's smooth sensitivity and $0 < \delta \le \frac12$. Releasing the leaf's
    majority if $d + \mathrm{Lap}(1/\epsilon) > \frac1\epsilon\ln\frac{1}{2\delta}$ is $(\epsilon,
    \delta)$-private, and is not private with this $\epsilon$ for any smaller $\delta$."""
    for name in STEPS:
        yield from certified(name, effort)
    for (a, b), neighbours in product(majority.leaves(effort.pick(4, 7, 12), 2), NEIGHBOURS):
        searched = -math.log(majority.searched_smooth_sensitivity((a, b), 1.0, neighbours))
        stated = int(random_forest.distance_to_instability(abs(a - b), neighbours))
        yield same(searched, stated, atol=1e-9, counts=[a, b], neighbours=neighbours)
    for d, epsilon, delta in ((0, 1.0, 1e-3), (2, 0.3, 0.2), (5, 0.3, 0.2), (9, 2.0, 0.01)):
        near = delta * math.exp(epsilon * d)  # on two neighbours without it but different majorities
        stated = near if near <= 0.5 else 1 - math.exp(-epsilon * d) / (4 * delta)
        yield same(stated, random_forest.stable_release(d + 1, epsilon, delta), distance=d, epsilon=epsilon)
    return note(
        "With any number of classes and at every distance a step stays within the budget; where a label has "
        "probability P, {statement} wherever {where}. At distance 0 this probability is delta.",
        quantity="chance of no label, a step nearer",
    )


@CLASSES("rdf/instability-classes", "section 2.2, definition 7", ours=True, **over(*PURE, *FEW, SIX))
def instability_classes(effort, rng):
    r"""If a class drawn uniformly replaces the label when the test fails, the label is $\epsilon$-private if and
    only if $\delta \le (e^\epsilon-1)/(e^\epsilon-1+k)$ and $\delta \le 1/2$. With at most five classes
    permute-and-flip is wrong less often than this label on every leaf with a majority, at every $\epsilon$; with
    any larger number of classes it is wrong more often on some leaves at some $\epsilon$."""
    for name in (*STEPS, *PURE, *FEW, SIX):
        yield from certified(name, effort)
    for k, e, gap in product((2, 5, 6), (0.3, 1.5, 3.0), (1, 4)):
        delta = min(0.5, math.expm1(e) / (math.expm1(e) + k))
        yield same(random_forest.pure_delta(e, k), delta, classes=k, epsilon=e)
        near, u = delta * math.exp(e * (gap - 1)), -math.expm1(-e * gap)
        failed = 1 - near if near <= 0.5 else math.exp(-e * (gap - 1)) / (4 * delta)
        data = {"classes": k, "epsilon": e, "gap": gap}
        yield same(random_forest.stable_error(gap, e, delta, classes=k), failed * (1 - 1 / k), **data)
        yield same(majority.unanimous_error(gap, k, e), 1 - sum(u**i for i in range(k)) / k, **data)
    for classes, e in product((2, 3), (0.3, 1.0)):
        pairs = _label_pairs(4, classes, e, random_forest.pure_delta(e, classes), "add-remove", True)
        loss = max(np.abs(np.log(p / q)).max() for p, q in pairs)
        yield same(loss, e, classes=classes, epsilon=e)
    return note(
        "At the largest stated delta, D, the loss is epsilon, and beyond it more. With k classes, six or more, a "
        "= e^-epsilon and A = a^j at gap j: {statement}, wherever {where}.",
        quantity="lower bound of permute-and-flip's error, and the test's, six classes",
    )


@OPTIMUM(
    "rdf/smooth-less-noise",
    "section 4.1, after theorem 1",
    "fails",
    "majority.smooth_exponential_law",
    "random_forest.delta_error_bound",
    holds_instead="rdf/optimality",
    about="reading",
    proved=True,
    quantity="one over the error, of the published label and at most of a private one",
    **over("rdf/smooth-less-noise"),
)
def smooth_less_noise(effort, rng):
    r"""Using smooth instead of global sensitivity guarantees equal or less noise for the label. (Read for a label
    of two classes that is private with the same $\epsilon$.)"""
    sides = {
        "left": lambda j, e: 1 / majority.smooth_exponential_law([j, 0], e)[1],
        "right": lambda j, e: 1 / random_forest.delta_error_bound(j, e, 0),
    }
    yield from certified("rdf/smooth-less-noise", effort, **sides)
    words = "The published label errs less than any private one for all {refuted}, j the gap and e = epsilon:"
    return words + " in the middle once in {exact:.4g} times, a private one at least once in {stated:.4g}."


@OPTIMUM("rdf/delta-optimum", "section 1.1", ours=True, **over(*ERRORS))
def delta_optimum(effort, rng):
    r"""Let a label mechanism for leaves of two classes and of any size be $(\epsilon,\delta)$-private under
    add-remove and treat class names alike. With $\alpha = e^{-\epsilon}$, it is wrong at gap $j$ with probability
    at least $\max(0, \frac{\alpha^j}{2} - \delta\frac{\alpha(1-\alpha^j)}{1-\alpha})$, and the mechanism with
    exactly these errors is private."""
    for name in ERRORS:
        yield from certified(name, effort)
    delta, error = Fraction(1, 20), Fraction(1, 2)  # of the label that attains the bound, at e^epsilon = 2
    for gap in range(6):
        yield same(error, random_forest.delta_error_bound(gap, math.log(2), 0.05), gap=gap)
        error = max(Fraction(0), (error - delta) / 2)
    return "From gap to gap the least error e falls as far as privacy allows: {statement} wherever {where}."
