"""Claims of DiPriMe v1, theorem 3, on the expected loss of a private tree."""

from functools import cache
from itertools import product

import numpy as np

from dplit import median, occupancy, utility
from dplit.court.claims.utility import counted
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, below, decisive, frequency, need, note, same

LOSS = Box("thm-utility-loss")


def _second_column(n, t, rate, epsilon):
    """Chance that the published bound fails, beside zeta, for two columns of which one is drawn by a coin.

    Depth 1, targets in [-1, 1]: n/2 times -1, then n/2 times 1 in the first column's order, by turns in
    the second's. The exact tree cuts the first column. Trees with an empty leaf are left out.
    """
    law, k = median.rank_law(n, rate), np.arange(1, n)
    y = np.array([[0] * (n // 2) + [1] * (n // 2), [0, 1] * (n // 2)])
    stated = utility.published_loss(n, 1, t, epsilon, *counted.BOUNDS)
    noise = utility.leaf_noise(np.stack([k, n - k], axis=-1), epsilon, *counted.BOUNDS)
    grown = np.array([4 * (counted.squared_error(y, range(j)) + counted.squared_error(y, range(j, n))) for j in k])
    fails = grown + noise[:, None] > stated * (1 + 1e-9)
    chance, zeta = (law[1:n, None] * fails).sum() / 2, law[np.abs(np.arange(n + 1) - n / 2) >= t]
    columns = {f"{name}_column": 2 * row - 1 for name, row in zip(("first", "second"), y)}
    shown = {"n": n, "depth": 1, "t": t, "epsilon_1": rate, "epsilon_2": epsilon}
    return at_most(chance, zeta.sum(), **shown, **columns)


@LOSS("diprime-v1/theorem-3", "Theorem 3; appendix A.2.3", "fails", "utility.published_loss", "utility.zeta")
def theorem_3(effort, rng):
    r"""If $\Pr(|\tilde N_i - N/2^d| \ge t) \le 2^{1-d} \zeta$, then with probability at least $1 - \zeta$ the
    expected loss of the private tree is at most $(2B^2 t + R^2/(\epsilon_2^2 (N/2^d - t)))\,2^{d+1}$."""
    cases = [
        _second_column(n, t, rate, epsilon)
        for n in range(2, effort.pick(14, 20, 40), 2)
        for t in (0.25, *range(1, n // 2))
        for rate, epsilon in product((0.5, 2.0, 8.0), (1.0, 10.0))
    ]

    def shown_first(case):  # whole distances, small data, and there the largest chance
        return case.data["t"] < 1, case.data["n"], case.data["t"], -case.exact

    small = next((case for case in cases if not case.good), cases[0]).data
    for case in sorted(cases, key=shown_first):
        yield case._replace(data=case.data | {"smaller_t": small})
    return note(
        "With two columns, N = {n}, depth 1, t = {t}, epsilon_1 = {epsilon_1:g} and epsilon_2 = {epsilon_2:g}, "
        "the loss exceeds the bound with probability {exact:.4f}, where zeta = {stated:.6f} is allowed. In this "
        "family no smaller N breaks it at a whole t; at t = {smaller_t[t]:g} N = {smaller_t[n]} is enough.",
        range=f"two columns, depth 1, even N up to {effort.pick(12, 18, 38)}, six pairs of budgets, every t",
        quantity="probability of a larger loss",
    )


def _chances(effort):
    """The chance that some leaf is off by t or more, beside zeta, where zeta is below 1.

    Both laws leave out less than 1e-33, so the smallest zeta are left out too.
    """
    for depth in range(1, effort.pick(4, 5, 6)):
        for size in effort.pick((1, 2, 4), (1, 2, 3, 4, 8), (1, 2, 3, 4, 6, 8, 16)):
            for rate in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0):
                for t in range(1, size + 1):
                    n = size << depth
                    zeta = utility.zeta(n, depth, rate, t)
                    shown = {"n": n, "depth": depth, "t": t, "epsilon_1": rate}
                    if 1e-24 < zeta < 1:
                        yield occupancy.any_leaf_tail(n, depth, rate, t), zeta, shown


def _times_zeta(chance):
    return chance[0] / chance[1]


@LOSS(
    "diprime-v1/theorem-3-union",
    "Appendix A.2.3, the union bound and the last sentence",
    "fails",
    "utility.zeta",
    "occupancy.any_leaf_tail",
    about="step",
    holds_instead="diprime-v1/theorem-3/corrected",
    quantity="probability that some leaf is off",
)
def union(effort, rng):
    r"""The proof of theorem 3 ends as follows: if $\Pr(|\tilde N_i - N/2^d| \ge t) \le 2^{1-d}\zeta$, then by
    symmetry and the union bound $\tilde N_i \ge N/2^d - t$ in all leaves with probability at least $1 - \zeta$.
    Corollary 1.1 needs $|\tilde N_i - N/2^d| \le t$ in all leaves, and this event has that probability, too."""
    chances = sorted(_chances(effort), key=lambda chance: (chance[2]["n"], -_times_zeta(chance)))
    for exact, zeta, shown in chances:  # between whole t, off by t or more is not within t
        yield at_most(exact, zeta, **{**shown, "t": shown["t"] - 0.5})
    return note(
        "The smallest failure has N = {n}, depth {depth}, t = {t}: at epsilon_1 = {epsilon_1:g} some "
        "leaf is not within t with probability {exact:.6f}, zeta is {stated:.6f}. "
        f"The largest ratio is {max(map(_times_zeta, chances)):.4f}.",
        range=f"{len(chances)} settings, t between whole numbers, whole M up to {effort.pick(4, 8, 16)}, depths 1 "
        f"to {effort.pick(3, 4, 5)}",
    )


@cache
def _enumerated_loss(n, depth, t, epsilon):
    """Largest expected loss over all trees within t and all targets at the bounds, R = 1."""
    size, y, worst = n >> depth, counted.targets_at_bounds(n), 0.0
    before = sum(counted.squared_error(y, b) for b in counted.leaf_blocks([size] * 2**depth))
    for sizes in counted.compositions(n, 2**depth, size - t, size + t):
        after = sum(counted.squared_error(y, b) for b in counted.leaf_blocks(sizes))
        worst = max(worst, (after - before).max() + sum(2 / epsilon**2 / m for m in sizes))
    return worst


def _settings(effort):
    """(n, depth, t, epsilon) of the trees whose exact worst loss stands beside the corrected bound."""
    for depth in range(1, effort.pick(5, 6, 7)):
        for size in (1, 2, 3, 8, *effort.pick((), (20,), (20, 50))):
            for t in {0, 1, size // 3, size // 2, size - 1} & set(range(size)):
                yield from ((size << depth, depth, t, e) for e in (0.01, 0.1, 1.0, 10.0))


@LOSS.corrected(
    theorem_3, "utility.loss_bound", "utility.worst_loss", "occupancy.any_leaf_tail", quantity="mean loss, in B^2"
)
def theorem_3_corrected(effort, rng):
    r"""Let a tree cut one column of distinct values above its lower bound, and let $t < M = N/2^d$ be whole. With
    probability at least $1 - 2\zeta$, where $\zeta$ is the value for $t + 1$, all leaf sizes are within $t$ of
    $M$. In that event the expected loss is at most $4^{d-1} R^2 t + 2^{d+1} R^2 M / (\epsilon_2^2 (M^2 - t^2))$; a
    dynamic programme gives its exact maximum."""
    chances, settings, share = list(_chances(effort)), list(_settings(effort)), 1.0
    for exact, zeta, shown in chances:
        yield below(exact, 2 * zeta, **shown)
    for at in counted.trees(effort):
        for epsilon in (0.3, 3.0) if at[2] < at[0] >> at[1] else ():
            stated = utility.worst_loss(*at, epsilon, 0, 1)
            yield same(_enumerated_loss(*at, epsilon), stated, n=at[0], depth=at[1], t=at[2])
    for n, depth, t, e in settings:
        worst, bound = (f(n, depth, t, e, *counted.BOUNDS) for f in (utility.worst_loss, utility.loss_bound))
        share = min(share, worst / bound)
        yield at_most(worst, bound, n=n, depth=depth, t=t, epsilon_2=e)
    return note(
        f"Some leaf is off by more than t with probability at most {max(map(_times_zeta, chances)):.4f} zeta. "
        "The dynamic programme equals the enumeration, and its maximum is the bound at t = 0 and at least "
        f"{share:.4f} of it elsewhere.",
        range=f"{len(chances)} chances, all trees and targets of N up to 16, {len(settings)} losses",
    )


@LOSS(
    "diprime-v1/theorem-3/simulated",
    "ours",
    "holds",
    "occupancy.simulate",
    "utility.alternating_change",
    "utility.loss_bound",
    proved=False,
    intervals=2,
    quantity="probability that all leaves are within t",
)
def simulated(effort, rng):
    r"""In simulated trees on one column of distinct values above its lower bound, the frequency with which all
    leaf sizes are within $t$ of $N/2^d$ agrees with the exact distribution and is above $1 - 2\zeta$. The trees
    never lose more than the corrected bound allows."""
    draws, said = effort.pick(20_000, 100_000, 1_000_000), []
    for n, depth, t, rate in ((8, 2, 1, 1.0), (128, 4, 6, 1.0)):
        sizes = occupancy.simulate(n, depth, rate, draws, rng=rng)
        inside = (np.abs(sizes - n / 2**depth) <= t).all(axis=1)
        law = frequency(inside, 1 - occupancy.any_leaf_tail(n, depth, rate, t + 1), n=n, t=t)
        least = 1 - 2 * utility.zeta(n, depth, rate, t + 1)
        grown = utility.alternating_change(sizes[inside], *counted.BOUNDS)
        loss = grown + utility.leaf_noise(sizes[inside], 1.0, *counted.BOUNDS)
        yield decisive(law)
        yield need(law.span[1] >= least, law.exact, ">=", least, n=n, t=t)
        yield below(loss.max(), utility.loss_bound(n, depth, t, 1.0, *counted.BOUNDS), n=n, t=t)
        said.append(f"N = {n}, depth {depth}, t = {t}: exact {law.stated:.4f}, simulated {law.exact:.4f}")
    return note("; ".join(said) + ".", range="N = 8, depth 2, t = 1 and N = 128, depth 4, t = 6, at epsilon_1 = 1")
