"""Of the proof of theorem 2 of DiPriMe v2, appendix B.2: a flip is rarer in larger and in purer leaves."""

from itertools import pairwise, product

import numpy as np
from scipy.integrate import quad

from dplit import utility
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import decisive, need, note, same

FLIP = Box("thm-utility-flip", "utility.published_flip")
LEAF = Box("thm-utility-leaf", "utility.published_loss")
SPLIT = Box("thm-utility-split", "utility.expected_sse", "utility.leaf_noise")


@FLIP(
    "diprime-v2/flip-monotone",
    "Appendix B.2, before the bound at t",
    about="step",
    quantity="P_f of a leaf of 10 records and purity 0.8, against one of 5",
    **over("diprime-v2/flip-monotone"),
)
def flip_monotone(effort, rng):
    r"""$P_{f,L}$ is monotonically decreasing over $N_L^*$ and $\theta_L^*$: a leaf with more records, or a purer
    leaf, is less likely to flip its prediction upon privatization; leaves with $\theta_i \approx 1/2$ are likely
    to flip. (There a flip costs nothing, since both classes are equally frequent.)"""
    yield from certified("diprime-v2/flip-monotone", effort)
    for e in (0.1, 1.0, 2.0):
        yield same(_flips(5 * 0.6, e), float(utility.published_flip(5 * 0.6, e)), 1e-7, epsilon=e)
        yield same(_flips(0.0, e), 0.5, epsilon=e)
    few, many = (_flips(n * 0.6, 1.0) for n in (5, 10))
    yield decisive(need(many < few, many, "<", few, epsilon=1.0))
    return (
        "P_f falls with the gap for every gap and budget. At purity 0.8 and epsilon_l = {epsilon:g} five records "
        "flip with probability {stated:.4f}, ten with {exact:.4f}; at purity 1/2 a leaf of any size with 1/2."
    )


def _flips(gap, epsilon):
    """Probability that the difference of two noises is above the gap, by quadrature."""

    def noise(x):
        return epsilon / 2 * np.exp(-epsilon * abs(x))

    def above(x):
        tail = np.exp(-epsilon * abs(gap - x)) / 2
        return noise(x) * (tail if x < gap else 1 - tail)

    edges = (-40 / epsilon, 0.0, gap, gap + 40 / epsilon)
    return sum(quad(above, a, b, epsabs=1e-13)[0] for a, b in pairwise(edges) if a < b)


@LEAF("diprime-v1/divisible", "Section 3.1, before theorem 1", "assumes", about="reading")
def divisible(effort, rng):
    r"""The dataset is perfectly divisible into the leaf nodes, i.e., $N = 2^d$ for a depth-$d$ tree; hence a tree
    with median splits has $N/2^d$ data points at each leaf. (This assumes that $N$ is meant to be a multiple of
    $2^d$: with $N = 2^d$ itself, each leaf would have only one record.)"""
    for depth, n in product(range(1, 7), range(1, 201)):
        even = len(set(_halved(n, depth))) == 1
        yield need(even == (n % 2**depth == 0), broken="fails", depth=depth, N=n)
        yield need(even == _takes(n, depth), broken="fails", depth=depth, N=n)
    for depth in range(1, 7):
        (leaf,) = set(_halved(2**depth, depth))
        yield need(leaf >= 2, leaf, ">=", 2, depth=depth, N=2**depth, leaf=leaf)
    return note(
        "Median splits make equal leaves if and only if 2^d divides N. With N = 2^d every leaf has one record, "
        "so that theorem 3 has a finite bound for t < 1 alone.",
        quantity="records in a leaf of a median tree on N = 2^d records",
        range="depths 1 to 6, every N up to 200",
    )


def _takes(n, depth):
    """Whether theorem 3's bound is defined for these records and this depth, at t = 0."""
    try:
        return bool(utility.published_loss(n, depth, 0, 1.0, 0, 1))
    except ValueError:
        return False


def _halved(n, depth):
    """Sizes of the leaves of a tree of median splits, which give the odd record to the right."""
    sizes = [n]
    for _ in range(depth):
        sizes = [part for size in sizes for part in (size // 2, size - size // 2)]
    return sizes


ADDED = ("diprime-v1/noise-in-error:added", "m-rf/clipping:empty")
NOISE = tuple(f"{paper}/noise-in-error" for paper in ("diprime-v1", "diprime-v2"))


@SPLIT(
    "noise-in-error",
    {"diprime-v1": "Appendix A.2.3, effect of noising the mean", "diprime-v2": "Appendix B.1, after (4)"},
    proved=False,
    about="step",
    quantity="expected squared error that the noise of a mean adds",
    **over(*ADDED, *NOISE),
)
def noise_in_error(effort, rng, paper):
    r"""The noise $\rho_i$ on a mean adds $\tilde N_i\rho_i^2$ to the squared error of its node, and the
    conditional expectation of the perturbation due to this noise is $2R^2/(\tilde N_i\epsilon_2^2)$ (v2:
    $8B^2/(N_L^*\epsilon_\ell^2)$)."""
    leaf = lambda N, e, R: float(utility.leaf_noise([N], e, 0, R))  # noqa: E731
    for name, code in zip((*ADDED, *NOISE), ({}, {}, {"right": leaf}, {})):
        yield from certified(name, effort, **code)
    for n, e in ((2, 0.5), (5, 1.0)):  # all records in one block, targets from -1 to 1
        yield same(utility.expected_sse([0] * n, e, -1, 1)[0], 8 / (n * e**2), records=n, epsilon=e)
    words = "Moving the mean of N targets by p adds N p^2 to their squared error, in expectation {exact:.4f} at"
    return words + " one setting, and in general {statement}, wherever {where}."
