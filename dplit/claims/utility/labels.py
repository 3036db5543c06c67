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

from dplit import balance, utility
from dplit.claims.utility.split import EPSILONS
from dplit.ledger import Evidence, claim, of_equality, of_upper_bound

# The probability of a flip -------------------------------------------------------------------


def integrated_law(counts, epsilon):
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
)
def _flip(effort, rng):
    r"""With two classes, noise of scale $1/\epsilon_\ell$, negative counts set to 0 and a tie
    at 0 broken at random, the minority wins with probability $P_f = (\epsilon_\ell D/4 +
    \tfrac12) e^{-\epsilon_\ell D}$."""
    most = effort.pick(5, 9, 15)
    cases = [(a, b, e) for a in range(most) for b in range(a, most) for e in EPSILONS]
    exact = [integrated_law((a, b), e)[0] for a, b, e in cases]
    stated = [float(utility.published_flip(b - a, e)) for a, b, e in cases]
    verdict = of_equality(exact, stated, rtol=1e-8, atol=1e-11)
    return Evidence(
        verdict, "exact",
        f"Integrated from the definition for all counts below {most}, it differs from the formula by at most "
        f"{np.abs(np.subtract(exact, stated)).max():.1e}.",
        len(cases), published=stated[2], computed=exact[2],
        counterexample={"exact": exact, "stated": stated} if verdict == "fails" else None,
    )  # fmt: skip


@claim(
    "diprime-v2/flip-probability/classes",
    "ours",
    "holds",
    "thm-utility-classes",
    ("utility.label_law", "utility.label_loss", "utility.label_loss_bound"),
    ours=True,
)
def classes(effort, rng):
    r"""With $k \ge 3$ classes setting negative counts to 0 still changes nothing. Class $j$
    wins with probability below $P_f(D_j)$, and some wrong class with one above $P_f$ of the gap
    to the runner-up. A leaf loses at most $(k-1)\max_D D P_f(D)$ records in expectation, for $k
    = 2$ too."""
    exact, stated, fine, share = [], [], [], {2: 0.0, 3: 0.0, 4: 0.0}
    for k, most in ((2, 12), (3, effort.pick(3, 5, 8)), (4, effort.pick(2, 4, 5))):
        for counts in combinations_with_replacement(range(most), k):
            for e in EPSILONS[1:4]:
                law = utility.label_law(counts, e)
                gaps = max(counts) - np.array(counts)
                share[k] = max(
                    share[k], utility.label_loss(counts, e) / utility.label_loss_bound(e, k)
                )
                if k > 2:
                    exact += integrated_law(counts, e)
                    stated += list(law)
                    fine.append((law[:-1] < utility.published_flip(gaps[:-1], e)).all())
                    fine.append(1 - law[-1] > utility.published_flip(gaps[-2], e))
    verdict = of_equality(exact, stated, rtol=1e-8, atol=1e-10)
    holds = verdict == "holds" and all(fine) and max(share.values()) <= 1 + 1e-9
    wrong = 1 - utility.label_law((0, 0, 1), 1.0)[-1]
    return Evidence(
        "holds" if holds else "fails", "exact",
        f"Counts (0, 0, 1), epsilon 1: a wrong label with probability {wrong:.4f}, P_f of the gap is "
        f"{float(utility.published_flip(1, 1.0)):.4f}. Largest share of the bound on the loss: {share[2]:.4f} "
        f"with two classes, {share[3]:.4f} with three, {share[4]:.4f} with four.",
        len(exact) + len(fine), published=float(utility.published_flip(1, 1.0)), computed=float(wrong),
        counterexample=None if holds else {"exact": exact, "stated": stated},
    )  # fmt: skip


# Theorem 2: classification -------------------------------------------------------------------


def labelled(n):
    """Every vector of n labels of two classes, up to exchanging them."""
    return ((0, *rest) for rest in product((0, 1), repeat=n - 1))


def halves(labels, k):
    """Class counts of the two blocks of a split after k records."""
    return [(part.count(0), part.count(1)) for part in (labels[:k], labels[k:])]


def accuracy(leaves):
    """Fraction of records in their leaf's majority."""
    return sum(map(max, leaves)) / sum(map(sum, leaves))


@cache
def flip(gap, epsilon):
    """P_f of one gap."""
    return float(utility.published_flip(gap, epsilon))


def noise_loss(leaves, epsilon):
    """Accuracy lost in expectation to noisy counts: a leaf loses its gap times the chance of a flip."""
    loss = sum(abs(a - b) * flip(abs(a - b), epsilon) for a, b in leaves)
    return loss / sum(map(sum, leaves))


def noisy_accuracy(leaves, epsilon):
    """Expected accuracy with noisy counts."""
    return accuracy(leaves) - noise_loss(leaves, epsilon)


def splits(n, t):
    """(labels, split, exact accuracy, private leaves, least purity) with more than t on each side."""
    for labels in labelled(n):
        before = accuracy(halves(labels, n // 2))
        for k in range(math.floor(t) + 1, n - math.floor(t)):
            leaves = halves(labels, k)
            yield labels, k, before, leaves, min(max(leaf) / sum(leaf) for leaf in leaves)


def failures(n, t, epsilons):
    """(epsilon, labels, k, loss, published) wherever theorem 2's bound is exceeded."""
    for labels, k, before, leaves, purity in splits(n, t):
        for e in epsilons:
            loss = before - noisy_accuracy(leaves, e)
            stated = float(utility.published_accuracy_loss(t, purity, e))
            if loss > stated + 1e-12:
                yield e, labels, k, loss, stated


def whole_thresholds(most):
    """(N, t) for N from 3 to below `most` and whole t from 1 to below N/2."""
    return [(n, t) for n in range(3, most) for t in range(1, (n + 1) // 2)]


def forced(k, n):
    """Values in [0, 1] whose private median leaves k records on the left almost surely."""
    return np.array([0.0] * k + [1.0] * (n - k))


@claim(
    "diprime-v2/theorem-2",
    "Theorem 2; appendix B.2",
    "fails",
    "thm-utility-accuracy",
    ("utility.published_accuracy_loss", "utility.expected_accuracy"),
)
def theorem_2(effort, rng):
    r"""With probability at least $1 - \zeta_t$ the accuracy falls by at most $P_f$ of the gap
    $t(2\theta_m - 1)$, $\theta_m$ the least purity of a leaf."""
    tried, epsilons = 0, (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0)
    for n, t in whole_thresholds(effort.pick(8, 9, 11)):
        tried += 1
        found = list(failures(n, t, epsilons))
        if found:
            e, labels, k, loss, stated = min(found)
            small = next(m for m in range(2, 9) if any(failures(m, 0.5, epsilons)))
            half = next(failures(small, 0.5, epsilons))
            law = balance.split_law(forced(k, n), 0, 1, 1.0)
            return Evidence(
                "fails", "exact",
                f"N = {n}, t = {t}, labels {labels}, split after {k}, epsilon = {e:g}: the accuracy falls by "
                f"{loss:.4f}, the bound is {stated:.4f}, and records at the column's two ends make this the only "
                f"split (probability {law[k]:.0f}). For 0 < t < 1 N = {small} is enough: {half[3]:.4f} against "
                f"{half[4]:.4f} with {half[1]} after {half[2]}.",
                tried, published=stated, computed=loss,
                counterexample={"n": n, "t": t, "labels": labels, "k": k, "epsilon": e,
                                "values": forced(k, n), "loss": loss, "bound": stated,
                                "smaller_t": {"n": small, "t": 0.5, "epsilon": half[0], "labels": half[1],
                                              "k": half[2], "loss": half[3], "bound": half[4]}},
            )  # fmt: skip
    return Evidence("holds", "exact", "No labels break it.", tried)


@theorem_2.corrected(
    "thm-utility-accuracy-corrected", ("utility.accuracy_loss_bound", "utility.worst_accuracy_loss")
)
def theorem_2_corrected(effort, rng):
    r"""With probability at least $1 - \zeta_t$, for all labels of two classes and whatever the
    purity, $\mathrm{Acc} - \mathrm{E}[\widetilde{\mathrm{Acc}}] \le (\lceil N/2 \rceil - s)/N +
    2\lambda/N$, where $s = \lfloor t \rfloor + 1$ and $\lambda = \max_D D P_f(D) \le
    \kappa/\epsilon_\ell$ over whole $D$; and it is at most $\tfrac12$. Each term is tight."""
    exact, stated, noisy, same = [], [], [], []
    for n in range(2, effort.pick(7, 10, 13)):
        for e in EPSILONS:
            worst = np.zeros(n + 1)
            for _, k, before, leaves, _ in splits(n, 0):
                worst[k] = max(worst[k], before - noisy_accuracy(leaves, e))
            same.append(np.abs(worst - utility.worst_accuracy_loss(n, e))[1:n].max())
    for n in effort.pick((2, 3, 10, 25), range(2, 50), range(2, 100)):
        for e in (0.01, *EPSILONS, 100.0):
            worst = utility.worst_accuracy_loss(n, e)
            for t in (0.5, *range(1, (n - 2) // 2 + 1)):
                s = math.floor(t) + 1
                exact.append(worst[s : n - s + 1].max())
                stated.append(utility.accuracy_loss_bound(n, t, e))
                noisy.append(e <= 1)
    share = np.divide(exact, stated)
    verdict = of_upper_bound(exact, stated)
    holds = (
        verdict != "fails"
        and max(same) < 1e-12
        and share.max() > 0.995
        and share[noisy].min() > 0.7
    )
    return Evidence(
        "holds" if holds else "fails", "exact",
        f"The worst case over all labels is at most {share.max():.4f} of the bound, for epsilon up to 1 "
        f"at least {share[noisy].min():.4f}; its programme equals the enumeration of all labels.",
        len(exact) + len(same), published=float(max(stated)),
        computed=float(exact[int(np.argmax(stated))]),
        counterexample=None if holds else {"exact": exact, "stated": stated},
    )  # fmt: skip


@claim(
    "diprime-v2/theorem-2/same-split",
    "ours; theorem 2 with both accuracies on the private split",
    "holds",
    "thm-utility-accuracy",
    ("utility.published_accuracy_loss", "utility.label_loss"),
    ours=True,
)
def same_split(effort, rng):
    r"""Noise in the labels alone lowers the accuracy of the private split by at most $P_f$ of
    the gap $t(2\theta_m - 1)$, if both blocks hold at least $t$ records of two classes."""
    exact, stated = [], []
    for n in range(2, effort.pick(7, 10, 13)):
        for t, e in product(range(1, n // 2 + 1), EPSILONS):
            for _, _, _, leaves, purity in splits(n, t - 1):
                exact.append(noise_loss(leaves, e))
                stated.append(float(utility.published_accuracy_loss(t, purity, e)))
    verdict = of_upper_bound(exact, stated)
    share = float(np.divide(exact, stated).max())
    return Evidence(
        "holds" if verdict == "loose" else verdict, "exact",
        f"No labels break it; the largest share of the bound is {share:.4f}.",
        len(exact), published=stated[0], computed=exact[0],
        counterexample={"exact": exact, "stated": stated} if verdict == "fails" else None,
    )  # fmt: skip
