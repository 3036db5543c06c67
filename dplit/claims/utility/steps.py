r"""A step of the proof of theorem 2 of DiPriMe v2: a flip is rarer in larger and in purer leaves.

Appendix B.2; derived in :doc:`/book/utility`.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise, product

import numpy as np
from scipy.integrate import quad

from dplit import utility
from dplit.ledger import Case, Evidence, claim, equal, of_equality, verdict_of


@claim(
    "diprime-v2/flip-monotone",
    "Appendix B.2, before the bound at t",
    "holds",
    "thm-utility-flip",
    ("utility.published_flip",),
    about="step",
    proof="thm-utility-flip",
    quantity="P_f of a leaf of 10 records and purity 0.8, against one of 5",
)
def flip_monotone(effort, rng, epsilon=(0.1, 1.0, 2.0)):
    r"""$P_{f,L}$ is monotonically decreasing over $N_L^*$ and $\theta_L^*$: a leaf with more records, or a
    purer one, is less likely to flip its prediction upon privatization; $\theta_i \approx 1/2$ are likely to
    flip. (There a flip costs nothing, since both classes are as frequent.)"""
    sizes, purities = (1, 2, 5, 10, 20, 50), np.linspace(0.5, 1, effort.pick(11, 51, 501))
    falls, same = [], []
    for e in epsilon:
        grid = [[_flips(n * (2 * q - 1), e) for q in purities] for n in sizes]
        falls += [b < a for row in grid for a, b in pairwise(row)]
        falls += [b < a for column in [*zip(*grid)][1:] for a, b in pairwise(column)]
        same.append((_flips(5 * 0.6, e), float(utility.published_flip(5 * 0.6, e))))
    even = [_flips(0.0, e) for e in epsilon]
    shown = sorted(epsilon)[len(epsilon) // 2]
    few, many = (_flips(n * 0.6, shown) for n in (5, 10))
    good = of_equality(*zip(*same), rtol=1e-7) == of_equality(even, [0.5] * len(even)) == "holds"
    return verdict_of(
        all(falls) and good,
        f"At purity 0.8 and epsilon_l = {shown:g} five records flip with probability {few:.4f}, "
        f"ten with {many:.4f}; at purity 1/2 a leaf of any size flips with 1/2.",
        {"falls": int(sum(falls)), "of": len(falls)},
        cases=len(falls) + len(same),
        published=few,
        computed=many,
        relation="<",
        range=f"sizes 1 to 50, {len(purities)} purities, {len(epsilon)} budgets",
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


@claim(
    "diprime-v1/divisible",
    "Section 3.1, before theorem 1",
    "assumes",
    "thm-utility-leaf",
    ("utility.published_loss",),
    about="reading",
    quantity="records in a leaf of a median tree on N = 2^d records",
    range="depths 1 to 6, every N up to 200",
)
def divisible(effort, rng):
    r"""The dataset is perfectly divisible into the leaf nodes, i.e., $N = 2^d$ for a depth-$d$ tree; hence a
    tree with median splits has $N/2^d$ data points at each leaf (assuming that a multiple of $2^d$ is meant:
    with $N = 2^d$ itself each leaf has one record)."""
    sizes, even = range(1, 201), {}
    for depth in range(1, 7):
        even[depth] = [n for n in sizes if len(set(_halved(n, depth))) == 1]
    law = all(_takes(n, d) == (n in some) for d, some in even.items() for n in sizes)
    multiples = all(some == [n for n in sizes if n % 2**d == 0] for d, some in even.items())
    alone = {d: _halved(2**d, d)[0] for d in even}
    verdict = "assumes" if set(alone.values()) == {1} else "holds"
    return Evidence(
        verdict if law and multiples else "fails",
        "exact",
        "Median splits make equal leaves if and only if 2^d divides N. With N = 2^d every leaf has one record, "
        "so that theorem 3 has a finite bound for t < 1 alone.",
        cases=len(even) * len(sizes),
        published=2.0,
        computed=float(alone[3]),
        relation=">=",
        counterexample={"depth": 3, "N": 8, "leaf": alone[3]},
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


@claim(
    "noise-in-error",
    {"diprime-v1": "Appendix A.2.3, effect of noising the mean", "diprime-v2": "Appendix B.1, after (4)"},
    "holds",
    "thm-utility-split",
    ("utility.expected_sse", "utility.leaf_noise"),
    about="step",
    quantity="expected squared error that the noise of a mean adds",
    range="nodes of 1 to 5 records with targets -1, 0, 1, three budgets",
)  # fmt: skip
def noise_in_error(effort, rng, paper):
    r"""The noisy mean adds $\tilde N_i\rho_i^2$ to the squared error of a node, and the conditional
    expectation of the perturbation due to this noise is $2R^2/(\tilde N_i\epsilon_2^2)$ (v2:
    $8B^2/(N_L^*\epsilon_\ell^2)$)."""
    cases = []
    for n, e in product(range(1, effort.pick(6, 8, 10)), (0.5, 1.0, 2.0)):
        variance = _variance(2 / (n * e))  # R = 2
        laws = utility.leaf_noise([n], e, -1, 1), utility.expected_sse([0] * (n + 1), e, -1, 1)[0]
        cases.append(Case(n * variance, float(laws[0]), {"records": n, "epsilon": e}))
        whole = (n + 1) * _variance(2 / ((n + 1) * e))  # all records in one block
        cases.append(Case(whole, float(laws[1]), {"records": n + 1, "epsilon": e}))
    shifts = [
        _squares(targets, shift) - _squares(targets, 0.0) - len(targets) * shift**2
        for n in range(1, effort.pick(6, 8, 10))
        for targets in combinations_with_replacement((-1, 0, 1), n)
        for shift in (-1.5, 0.3, 2.0)
    ]
    if max(map(abs, shifts)) > 1e-9:
        return verdict_of(False, "The shift adds another number.", {"shifts": max(shifts)})
    note = "{cases} nodes: with {records} records at epsilon {epsilon:g} it is {exact:.4f}"
    return equal(cases, note, rtol=1e-7)


def _variance(scale):
    """Variance of Laplace noise, by quadrature."""
    return 2 * quad(lambda x: x * x * np.exp(-x / scale) / (2 * scale), 0, np.inf)[0]


def _squares(targets, shift):
    """Sum of squares about the mean moved by a noise."""
    centre = sum(targets) / len(targets) + shift
    return sum((y - centre) ** 2 for y in targets)
