r"""Claims of Consul and Williamson, Balance is key (DiPriMe v2), on noisy labels and accuracy.

The probability of a flip and theorem 2 (section 3.2, appendix B.2); derived in :doc:`/book/utility`.
The exact side integrates a flip from its definition, clipping and ties included, and enumerates all
labels and all splits.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
from scipy.integrate import quad

from dplit import utility
from dplit.claims.utility._counted import EPSILONS
from dplit.ledger import Case, bounded, claim, equal, verdict_of

# The probability of a flip -------------------------------------------------------------------


def _integrated_law(counts, epsilon):
    """Chance of each label from its definition: clipped noisy counts, a tie at 0 broken at random."""
    centre, k = np.asarray(counts, float), len(counts)

    def cdf(x, c):
        return 0.5 * math.exp(epsilon * (x - c)) if x < c else 1 - 0.5 * math.exp(epsilon * (c - x))

    def wins(x, j):
        others = math.prod(cdf(x, c) for i, c in enumerate(centre) if i != j)
        return epsilon / 2 * math.exp(-epsilon * abs(x - centre[j])) * others

    edges = sorted({0.0, *centre, centre.max() + 45 / epsilon})
    tie = math.prod(cdf(0.0, c) for c in centre) / k
    pieces = list(pairwise(edges))
    return [
        tie + sum(quad(wins, a, b, args=(j,), epsabs=1e-12)[0] for a, b in pieces) for j in range(k)
    ]


@claim(
    "diprime-v2/flip-probability",
    "Appendix B.2",
    "holds",
    "thm-utility-flip",
    ("utility.published_flip", "utility.label_law"),
    proof="thm-utility-flip",
    quantity="probability of a flip",
)
def flip(effort, rng, epsilon=EPSILONS):
    r"""With two classes, noise of scale $1/\epsilon_\ell$, negative counts set to 0 and a tie
    at 0 broken at random, the minority wins with probability $P_f = (\epsilon_\ell D/4 +
    \tfrac12) e^{-\epsilon_\ell D}$."""
    most = effort.pick(5, 9, 15)
    cases = [
        Case(_integrated_law((a, b), e)[0], utility.published_flip(b - a, e), {"counts": (a, b)})
        for a, b, e in product(range(most), range(most), epsilon)
        if a <= b
    ]
    off = max(abs(case.exact - case.stated) for case in cases)
    note = (
        f"Integrated from the definition for all counts below {most}, it differs from the formula by "
        f"at most {off:.1e}."
    )
    found = f"counts below {most}, {len(epsilon)} budgets"
    return equal(cases, note, rtol=1e-8, atol=1e-11, range=found)


@claim(
    "diprime-v2/flip-probability/classes",
    "ours",
    "holds",
    "thm-utility-classes",
    ("utility.label_law", "utility.label_loss", "utility.label_loss_bound"),
    ours=True,
    proof="thm-utility-classes",
    quantity="probability of a wrong label",
)
def classes(effort, rng):
    r"""With $k \ge 3$ classes setting negative counts to 0 still changes nothing. Class $j$
    wins with probability below $P_f(D_j)$, and some wrong class with one above $P_f$ of the gap
    to the runner-up. A leaf loses at most $(k-1)\max_D D P_f(D)$ records in expectation, for $k
    = 2$ too."""
    laws, gaps, losses = [], [], {2: [], 3: [], 4: []}
    for k, most in ((2, 12), (3, effort.pick(3, 5, 8)), (4, effort.pick(2, 4, 5))):
        for *counts, e in _all_counts(k, most):
            law, shown = utility.label_law(counts, e), {"counts": counts, "epsilon": e}
            loss = utility.label_loss(counts, e)
            losses[k].append(Case(loss, utility.label_loss_bound(e, k), shown))
            if k > 2:
                laws += [Case(*sides, shown) for sides in zip(_integrated_law(counts, e), law)]
                flips = utility.published_flip(max(counts) - np.array(counts[:-1]), e)
                gaps.append((law[:-1] < flips).all() and 1 - law[-1] > flips[-1])
    same = equal(laws, "the law beside its integral", rtol=1e-8, atol=1e-10)
    within = [bounded(cases, "loss beside its bound").verdict for cases in losses.values()]
    wrong, stated = 1 - utility.label_law((0, 0, 1), 1.0)[-1], float(utility.published_flip(1, 1.0))
    share = {k: max(case.exact / case.stated for case in cases) for k, cases in losses.items()}
    return verdict_of(
        same.verdict == "holds" and all(gaps) and "fails" not in within,
        f"Counts (0, 0, 1), epsilon 1: a wrong label with probability {wrong:.4f}, P_f of the gap is "
        f"{stated:.4f}. Largest share of the bound on the loss: {share[2]:.4f} with two classes, "
        f"{share[3]:.4f} with three, {share[4]:.4f} with four.",
        {"law": same.counterexample, "gaps": bool(all(gaps)), "losses": within},
        cases=len(laws) + 2 * len(gaps),
        published=stated,
        computed=float(wrong),
        relation=">",
        range=f"two classes below 12, three below {effort.pick(3, 5, 8)}, four below {effort.pick(2, 4, 5)}, "
        "three budgets",
    )


def _all_counts(k, most):
    """(count of each of k classes, the largest last, epsilon), counts below `most`."""
    for counts in combinations_with_replacement(range(most), k):
        for epsilon in EPSILONS[1:4]:
            yield *counts, epsilon


# Theorem 2: classification -------------------------------------------------------------------


def _labelled(n):
    """Every vector of n labels of two classes, up to exchanging them."""
    return ((0, *rest) for rest in product((0, 1), repeat=n - 1))


def _halves(labels, k):
    """Class counts of the two blocks of a split after k records."""
    return [(part.count(0), part.count(1)) for part in (labels[:k], labels[k:])]


def _right(leaves):
    """Records in their leaf's majority."""
    return sum(map(max, leaves))


@cache
def _flip(gap, epsilon):
    """P_f of one gap."""
    return float(utility.published_flip(gap, epsilon))


def _noise_loss(leaves, epsilon):
    """Accuracy lost in expectation to noisy counts: a leaf loses its gap times the chance of a flip."""
    loss = sum(abs(a - b) * _flip(abs(a - b), epsilon) for a, b in leaves)
    return loss / sum(map(sum, leaves))


def _splits(n, t):
    """(labels, split, private leaves, least purity) with more than t on each side."""
    for labels in _labelled(n):
        for k in range(math.floor(t) + 1, n - math.floor(t)):
            leaves = _halves(labels, k)
            yield labels, k, leaves, min(max(leaf) / sum(leaf) for leaf in leaves)


def _loss(labels, leaves, epsilon):
    """Expected accuracy of the private leaves with noisy counts, less than that of the exact split."""
    n = len(labels)
    return (_right(_halves(labels, n // 2)) - _right(leaves)) / n + _noise_loss(leaves, epsilon)


def _falls(n, t):
    """What each split costs beside theorem 2, small budgets first.

    Records at the column's two ends, `values`, make the split the only one.
    """
    for e in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0):
        for labels, k, leaves, purity in _splits(n, t):
            shown = {"n": n, "t": t, "labels": labels, "k": k, "epsilon": e}
            shown["values"] = [0.0] * k + [1.0] * (n - k)
            stated = utility.published_accuracy_loss(t, purity, e)
            yield Case(_loss(labels, leaves, e), float(stated), shown)


@claim(
    "diprime-v2/theorem-2",
    "Theorem 2; appendix B.2",
    "fails",
    "thm-utility-accuracy",
    ("utility.published_accuracy_loss", "utility.expected_accuracy"),
    quantity="loss of accuracy",
)
def theorem_2(effort, rng):
    r"""For $0 < t < N/2$, with probability at least $1 - \zeta_t$ the accuracy falls in expectation by at
    most $P_f$ of the gap $t(2\theta_m - 1)$, $\theta_m$ the minimum purity of a leaf node."""
    sizes = [(n, t) for n in range(3, effort.pick(8, 9, 11)) for t in range(1, (n + 1) // 2)]
    return bounded(
        (case for size in sizes for case in _falls(*size)),
        "N = {n}, t = {t}, labels {labels}, split after {k}, epsilon = {epsilon:g}: the accuracy falls "
        "by {exact:.4f}, the bound is {stated:.4f}, and values {values} make this the only split.",
        range=f"all labels of two classes and all splits, N up to {sizes[-1][0]}, every whole t, seven budgets",
    )


def _worst_by_labels(n, epsilon):
    """Largest loss of accuracy over all labels, for each split after 1, ..., n - 1 records."""
    worst = dict.fromkeys(range(1, n), 0.0)
    for labels, k, leaves, _ in _splits(n, 0):
        worst[k] = max(worst[k], _loss(labels, leaves, epsilon))
    return list(worst.values())


def _accuracy_losses(sizes):
    """The worst case over all labels and splits beside the corrected bound."""
    for n, e in product(sizes, (0.01, *EPSILONS, 100.0)):
        worst = utility.worst_accuracy_loss(n, e)
        for t in (0.5, *range(1, (n - 2) // 2 + 1)):
            s = math.floor(t) + 1
            stated = utility.accuracy_loss_bound(n, t, e)
            yield Case(worst[s : n - s + 1].max(), stated, {"n": n, "t": t, "epsilon": e})


@theorem_2.corrected(
    "thm-utility-accuracy-corrected",
    ("utility.accuracy_loss_bound", "utility.worst_accuracy_loss"),
    proof="thm-utility-accuracy-corrected",
    quantity="loss of accuracy",
)
def theorem_2_corrected(effort, rng):
    r"""With probability at least $1 - \zeta_t$, for all labels of two classes and whatever the
    purity, $\mathrm{Acc} - \mathrm{E}[\widetilde{\mathrm{Acc}}] \le (\lceil N/2 \rceil - s)/N +
    2\lambda/N$, where $s = \lfloor t \rfloor + 1$ and $\lambda = \max_D D P_f(D) \le
    \kappa/\epsilon_\ell$ over whole $D$; and it is at most $\tfrac12$. Each term is tight."""
    programmes = [
        Case(*sides, {"n": n, "epsilon": e})
        for n, e in product(range(2, effort.pick(7, 10, 13)), EPSILONS)
        for sides in zip(_worst_by_labels(n, e), utility.worst_accuracy_loss(n, e)[1:n])
    ]
    losses = list(_accuracy_losses(effort.pick((2, 3, 10, 25), range(2, 50), range(2, 100))))
    share = max(case.exact / case.stated for case in losses)
    noisy = min(case.exact / case.stated for case in losses if case.data["epsilon"] <= 1)
    same = equal(programmes, "the programme beside all labels", rtol=0, atol=1e-12)
    below = bounded(losses, "the worst case over all labels beside the bound")
    largest = max(losses, key=lambda case: case.stated)
    return verdict_of(
        same.verdict == "holds" and below.verdict != "fails" and share > 0.995 and noisy > 0.7,
        f"The worst case over all labels is at most {share:.4f} of the bound, for epsilon up to 1 "
        f"at least {noisy:.4f}; its programme equals the enumeration of all labels.",
        {"programme": same.counterexample, "bound": below.counterexample},
        cases=len(losses) + len(programmes),
        published=largest.stated,
        computed=float(largest.exact),
        relation="<=",
        range=f"all labels of N up to {effort.pick(6, 9, 12)}; the bound at N up to {effort.pick(25, 49, 99)}, "
        "seven budgets, every whole t",
    )


@claim(
    "diprime-v2/theorem-2/same-split",
    "ours; theorem 2 with both accuracies on the private split",
    "holds",
    "thm-utility-accuracy",
    ("utility.published_accuracy_loss", "utility.label_loss"),
    ours=True,
    proof="thm-utility-accuracy",
    quantity="loss of accuracy",
)
def same_split(effort, rng):
    r"""Noise in the labels alone lowers the accuracy of the private split by at most $P_f$ of
    the gap $t(2\theta_m - 1)$, if both blocks hold at least $t$ records of two classes."""
    cases = [
        Case(
            _noise_loss(leaves, e),
            utility.published_accuracy_loss(t, purity, e),
            {"labels": labels, "k": k, "t": t, "epsilon": e},
        )
        for n in range(2, effort.pick(7, 10, 13))
        for t, e in product(range(1, n // 2 + 1), EPSILONS)
        for labels, k, leaves, purity in _splits(n, t - 1)
    ]
    found = f"all labels and splits of N up to {effort.pick(6, 9, 12)}, five budgets"
    return bounded(cases, "No labels of {cases} break it; the nearest are {labels}.", range=found)
