"""The releases of leaves in ``dplit audit``: each function of `dplit.forests.releases` as a black box.

Two leaves are looked at together, since one number may be computed from both. And each gets one record more at
every number of records, in lockstep (`dplit.court.audit.lockstep`).
"""

from functools import partial

import numpy as np

from dplit.court.audit.lockstep import in_turn
from dplit.court.audit.subject import BlackBox, Pair, subjects_of, worst_of
from dplit.domain import GRID
from dplit.forests import releases

DRAWS = (20_000, 100_000, 500_000)
EPSILON = 0.2  # so small that a count of one and of two tell more, if a number is divided by them


def _drawn(name, epsilon, stats, rng):
    """What a function of this name returns of the statistics of some leaves: what was drawn, and its node."""
    return getattr(releases, name)(np.array(stats), epsilon, rng)


def _released(name, epsilon, stats, rng):
    """The released numbers, one for each leaf, as an array or, of one leaf, as a number."""
    released = np.asarray(_drawn(name, epsilon, stats, rng)[0])
    return released.ravel()[-1] if len(released) == 1 else tuple(map(_cell, released.ravel()))


def _cell(value):
    """A number in ten parts of [0, 1]; what lies outside in two more."""
    return int(np.clip(np.floor(value * 10), -1, 10))


def _release(name, data, neighbour, epsilon=EPSILON, draws=DRAWS):
    def pair():
        _, node = _drawn(name, epsilon, data, np.random.default_rng(0))
        return Pair(partial(_released, name, epsilon), data, neighbour, node.epsilon)

    return BlackBox(pair, draws)


def _at_any_number(name, record, effort, rng):
    """What a record like all others of a leaf moves in the noise's inputs, the leaf having so many of them."""
    found = []
    for n in range(effort.pick(120, 500, 2000)):
        draws = [partial(_drawn, name, EPSILON, [np.multiply(record, more)]) for more in (n, n + 1)]
        losses, (_, node) = in_turn(*draws)
        found.append((losses, f"{n} records", f"{n + 1}"))
    return worst_of(node.epsilon, found)


def registered():
    """The subjects of this file."""
    one, few, some = [[1, GRID]], (5000, 50_000, 200_000), (10_000, 100_000, 500_000)
    empty, far, farther = [[0, 0]], [[40, 20 * GRID]], [[41, 21 * GRID]]
    both = [*one, *empty], [*one, *one]
    yield from subjects_of({
        "mean of a leaf, one record and two": _release("proved_means", one, [[2, GRID]]),
        "mean of a leaf, no record and one": _release("proved_means", empty, one, 1.0, few),
        "means of two leaves, one of them empty": _release("proved_means", *both, 1.0, few),
        "mean of a leaf, its votes far from each other": _release("proved_means", far, farther, 1.0, some),
        "class of a leaf, tie": _release("flip", [[1, 1]], [[2, 1]], 1.0, few),
        "class of a leaf, no record and one": _release("flip", empty, [[0, 1]], 1.0, few),
        "class of a leaf, two records and three": _release("flip", [[2, 0]], [[3, 0]], 1.0, few),
        "class counts of a leaf": _release("noisy_counts", [[3, 0]], [[3, 1]], 1.0, few),
        "class counts of a leaf, published label": _release("published_labels", [[1, 0]], [[1, 1]], 1.0, few),
        "class counts of a leaf, Laplace noise at half of epsilon 1":
            _release("laplace_counts", [[3, 0]], [[3, 1]], 0.5, few),
    }, "released {}")  # fmt: skip
    yield from subjects_of({
        "class": partial(_at_any_number, "flip", [1, 0]),
        "class counts": partial(_at_any_number, "noisy_counts", [1, 0]),
        "mean": partial(_at_any_number, "proved_means", [1, GRID]),
    }, "released {} of a leaf of any number of records")  # fmt: skip
