"""Claims of DiPriMe v2, section 3.2 and appendix B.2, on noisy labels and accuracy: a flip, and theorem 2."""

import math
from functools import cache
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
from scipy.integrate import quad

from dplit import utility
from dplit.court.claims.utility.counted import EPSILONS
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, below, decisive, need, note, same

FLIP = Box("thm-utility-flip", "utility.published_flip", "utility.label_law", quantity="probability of a flip")
CLASSES = Box(
    "thm-utility-classes",
    "utility.label_law",
    "utility.label_loss",
    "utility.label_loss_bound",
    quantity="probability of a wrong label",
)
ACCURACY = Box(
    "thm-utility-accuracy",
    "utility.published_accuracy_loss",
    "utility.expected_accuracy",
    quantity="loss of accuracy",
)
CORRECTED = Box(
    "thm-utility-accuracy-corrected",
    "utility.accuracy_loss_bound",
    "utility.worst_accuracy_loss",
    quantity="loss of accuracy",
)


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
    return [tie + sum(quad(wins, a, b, args=(j,), epsabs=1e-12)[0] for a, b in pieces) for j in range(k)]


@FLIP("diprime-v2/flip-probability", "Appendix B.2")
def flip(effort, rng, epsilon=EPSILONS):
    r"""For two classes and noise of scale $1/\epsilon_\ell$, if negative counts are set to 0 and a tie at 0 is
    broken at random, the minority wins with probability $P_f = (\epsilon_\ell D/4 + \tfrac12) e^{-\epsilon_\ell
    D}$."""
    most, off = effort.pick(5, 9, 15), 0.0
    for a, b, e in product(range(most), range(most), epsilon):
        if a <= b:
            exact, stated = _integrated_law((a, b), e)[0], float(utility.published_flip(b - a, e))
            off = max(off, abs(exact - stated))
            yield same(exact, stated, 1e-8, 1e-11, counts=(a, b))
    return note(
        f"Integrated from the definition for all counts below {most}, it differs from the formula by "
        f"at most {off:.1e}.",
        range=f"counts below {most}, {len(epsilon)} budgets",
    )


@CLASSES("diprime-v2/flip-probability/classes", "ours")
def classes(effort, rng):
    r"""For $k \ge 3$ classes, too, setting negative counts to 0 changes nothing. A class $j$ at gap $D_j$ wins
    with probability below $P_f(D_j)$; the probability that some wrong class wins exceeds $P_f$ at the runner-up's
    gap. For every $k \ge 2$, noise lowers the expected number of correctly classified records in a leaf by at most
    $(k-1)\max_D D P_f(D)$."""
    three, four = effort.pick((3, 2), (5, 4), (8, 5))
    share = {2: 0.0, 3: 0.0, 4: 0.0}
    for k, most in zip(share, (12, three, four)):
        for counts, e in product(map(list, combinations_with_replacement(range(most), k)), EPSILONS[1:4]):
            law, shown = utility.label_law(counts, e), {"counts": tuple(counts), "epsilon": e}
            loss, bound = utility.label_loss(counts, e), utility.label_loss_bound(e, k)
            share[k] = max(share[k], loss / bound)
            yield below(loss, bound, **shown)
            if k > 2:
                for sides in zip(_integrated_law(counts, e), law):
                    yield same(*sides, 1e-8, 1e-10, **shown)
                flips = utility.published_flip(max(counts) - np.array(counts[:-1]), e)
                yield from (need(p < flip, p, "<", flip, **shown) for p, flip in zip(law, flips))
                wrong = 1 - law[-1]
                gap = need(wrong > flips[-1], wrong, ">", flips[-1], **shown)
                yield decisive(gap) if (counts, e) == ([0, 0, 1], 1.0) else gap
    return note(
        "Counts {counts}, epsilon {epsilon:g}: a wrong label with probability {exact:.4f}, P_f of the gap is "
        f"{{stated:.4f}}. Largest share of the bound on the loss: {share[2]:.4f} with two classes, "
        f"{share[3]:.4f} with three, {share[4]:.4f} with four.",
        range=f"two classes below 12, three below {three}, four below {four}, three budgets",
    )


def _halves(labels, k):
    """Class counts of the two blocks of a split after k records."""
    return [(part.count(0), part.count(1)) for part in (labels[:k], labels[k:])]


def _right(leaves):
    """Records in their leaf's majority."""
    return sum(map(max, leaves))


@cache
def _flip(gap, epsilon):
    return float(utility.published_flip(gap, epsilon))


def _noise_loss(leaves, epsilon):
    """Accuracy lost in expectation to noisy counts: a leaf loses its gap times the chance of a flip."""
    loss = sum(abs(a - b) * _flip(abs(a - b), epsilon) for a, b in leaves)
    return loss / sum(map(sum, leaves))


def _splits(n, t):
    """(labels, split, private leaves, least purity) with more than t on each side."""
    for rest in product((0, 1), repeat=n - 1):  # up to exchanging the classes
        labels = (0, *rest)
        for k in range(math.floor(t) + 1, n - math.floor(t)):
            leaves = _halves(labels, k)
            yield labels, k, leaves, min(max(leaf) / sum(leaf) for leaf in leaves)


def _loss(labels, leaves, epsilon):
    """Expected accuracy of the private leaves with noisy counts, less than that of the exact split."""
    n = len(labels)
    return (_right(_halves(labels, n // 2)) - _right(leaves)) / n + _noise_loss(leaves, epsilon)


@ACCURACY("diprime-v2/theorem-2", "Theorem 2; appendix B.2", "fails")
def theorem_2(effort, rng):
    r"""For $0 < t < N/2$, with probability at least $1 - \zeta_t$ the accuracy falls in expectation by at most
    $P_f(D)$ at the gap $D = t(2\theta_m - 1)$, where $\theta_m$ is the minimum purity of a leaf node."""
    sizes = [(n, t) for n in range(3, effort.pick(8, 9, 11)) for t in range(1, (n + 1) // 2)]
    for (n, t), e in product(sizes, (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0)):
        for labels, k, leaves, purity in _splits(n, t):
            shown = {"n": n, "t": t, "labels": labels, "k": k, "epsilon": e}
            values = [0.0] * k + [1.0] * (n - k)  # they make the split the only one
            stated = utility.published_accuracy_loss(t, purity, e)
            yield at_most(_loss(labels, leaves, e), stated, **shown, values=values)
    return note(
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


@CORRECTED.corrected(theorem_2)
def theorem_2_corrected(effort, rng):
    r"""With probability at least $1 - \zeta_t$, for all labels of two classes and any purity, $\mathrm{Acc} -
    \mathrm{E}[\widetilde{\mathrm{Acc}}] \le (\lceil N/2 \rceil - s)/N + 2\lambda/N$, where $s = \lfloor t \rfloor
    + 1$ and $\lambda = \max_D D P_f(D) \le \kappa/\epsilon_\ell$ over whole $D$. The loss is also at most
    $\tfrac12$. Each term is tight."""
    few, share, noisy = effort.pick(6, 9, 12), 0.0, 1.0
    for n, e in product(range(2, few + 1), EPSILONS):
        for sides in zip(_worst_by_labels(n, e), utility.worst_accuracy_loss(n, e)[1:n]):
            yield same(*sides, rtol=0, atol=1e-12, n=n, epsilon=e)
    sizes = effort.pick((2, 3, 10, 25), range(2, 50), range(2, 100))
    for n, e in product(sizes, (0.01, *EPSILONS, 100.0)):
        worst = utility.worst_accuracy_loss(n, e)
        for t in (0.5, *range(1, (n - 2) // 2 + 1)):
            s = math.floor(t) + 1
            largest, bound = worst[s : n - s + 1].max(), utility.accuracy_loss_bound(n, t, e)
            case = below(largest, bound, n=n, t=t, epsilon=e)
            yield decisive(case) if e == 0.01 else case
            share = max(share, largest / bound)
            noisy = min(noisy, largest / bound) if e <= 1 else noisy
    yield need(share > 0.995, share, ">", 0.995)
    yield need(noisy > 0.7, noisy, ">", 0.7)
    return note(
        f"The worst case over all labels is at most {share:.4f} of the bound and, for epsilon up to 1, at least "
        f"{noisy:.4f} of it; the programme that computes it equals an enumeration of all labels.",
        range=f"all labels of N up to {few}; the bound at N up to {max(sizes)}, seven budgets, every whole t",
    )


@ACCURACY(
    "diprime-v2/theorem-2/same-split",
    "ours; theorem 2 with both accuracies on the private split",
    "holds",
    "utility.published_accuracy_loss",
    "utility.label_loss",
)
def same_split(effort, rng):
    r"""If both blocks hold at least $t$ records of two classes, noise in the labels alone lowers the accuracy of
    the private split by at most $P_f(D)$ at the gap $D = t(2\theta_m - 1)$."""
    most = effort.pick(6, 9, 12)
    for n in range(2, most + 1):
        for t, e in product(range(1, n // 2 + 1), EPSILONS):
            for labels, k, leaves, purity in _splits(n, t - 1):
                stated = utility.published_accuracy_loss(t, purity, e)
                loss = _noise_loss(leaves, e)
                case = at_most(loss, stated, labels=labels, k=k, t=t, epsilon=e)
                yield decisive(case) if n == 2 and e == EPSILONS[0] else case
    return note(
        "In {cases} cases no labels break the bound; the labels {labels} at epsilon = {epsilon:g} attain it, with "
        "{exact:.4f} against {stated:.4f}.",
        range=f"all labels and splits of N up to {most}, five budgets",
    )
