"""Claims of M-RF on what is answered: expected errors of leaves and votes, and what comes after a release.

The truth of an error is the linear map from the noise to the answers, found by answering one unit of each entry at
a time, and the second moment of the noise as a sum or by quadrature.
"""

from itertools import pairwise, product

import numpy as np
from scipy.integrate import quad

from dplit import matrix
from dplit.court.claims.matrix_paths import small
from dplit.court.claims.matrix_release.laws import second_moment, strategies
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, need, note, same
from dplit.matrix.answers import clipped, shrunk, shrunk_error
from dplit.matrix.release import noise_for, noise_of

MOMENT = "expected squared error"
ERROR = Box("thm-release-error", "matrix.release", quantity=MOMENT)
IDENTITY = Box("thm-release-identity", "matrix.release", quantity="votes of queries")
COST = Box("thm-release-cost", "matrix.measure")
CLIPPING = Box("thm-release-clipping", "matrix.clipped", "matrix.shrunk", "matrix.shrunk_error", quantity=MOMENT)
FORESTS = "small forests on 2 to 4 columns; cells and merged leaves, Laplace noise"


def map_of(strategy, workload, measured):
    """The answers of one unit of each released entry, shape (n_rows, n_measured)."""
    return np.asarray(strategy.answer(workload, np.eye(measured)))


def _errors(effort, rng, queries):
    """(total over the rows of one class, Err as published, the package's, rows, data) of small forests."""
    for one in small.small_forests(rng, effort.pick(6, 20, 80), 4, 3, 3):
        asked = [small.records(one.levels, 3, rng)] if queries else []
        workload = matrix.Workload.of(one.paths, *asked)
        W = workload.matrix()[workload.place]  # every row, copies included
        for strategy in strategies(workload)[::2]:
            A, epsilon = small.dense(strategy), float(rng.choice([0.5, 1.0, 2.0]))
            X = map_of(strategy, workload, len(A))[workload.place]
            total = float((X**2).sum() * second_moment(noise_of(strategy, epsilon, "laplace")))
            stated, ours = 2 / epsilon**2 * small.error(W, A), matrix.error(workload, strategy, epsilon)
            data = {"levels": one.levels, "strategy": strategy.name, "epsilon": epsilon}
            yield total, stated, ours, len(W), data


def _as_mean(effort, rng, queries):
    """Err as the mean squared error of one answer; it is their total."""
    found = list(_errors(effort, rng, queries))
    for total, stated, _, _, data in found:
        yield same(total, stated, broken="fails", **data)
    for total, stated, _, rows, _ in found:
        yield same(total / rows, stated)
    note_ = "{cases} comparisons: Err is the total, in one {stated:.4g}, not an answer's mean, there {exact:.4g}."
    return note(note_, range=FORESTS)


def _as_total(effort, rng, queries):
    """Err as the total of one class, by its formula and by the package."""
    for total, stated, ours, rows, data in _errors(effort, rng, queries):
        yield same(total, stated, **data)
        yield same(total / rows, ours / rows, **data)
    return note("{cases} totals and means of one class agree with the formula and the package.", range=FORESTS)


@ERROR("m-rf/theorem-4", "Theorem 4, definition 3", "assumes")
def theorem_4(effort, rng):
    r"""The leaf values of algorithm 1 have the mean squared error $\mathrm{Err}_\epsilon(T, A) =
    \frac2{\epsilon^2}\|A\|_1^2\|TA^+\|_F^2$. (By definition 3 this is the total over all leaves, for one
    class.)"""
    return (yield from _as_mean(effort, rng, False))


@ERROR.corrected(theorem_4, "matrix.error")
def theorem_4_total(effort, rng):
    r"""$\mathrm{Err}_\epsilon(T, A)$ is the expected sum of squared errors over all leaves for one class. For $k$
    classes the sum is $k$ times as large, and the mean per leaf is $1/o$ of that sum."""
    return (yield from _as_total(effort, rng, False))


@ERROR("m-rf/theorem-6", "Theorem 6, definition 3", "assumes")
def theorem_6(effort, rng):
    r"""The vote counts of algorithm 2 have the mean squared error $\mathrm{Err}_\epsilon(QT^\top T, A)$. (By
    definition 3 this is the total over all queries, for one class.)"""
    return (yield from _as_mean(effort, rng, True))


@ERROR.corrected(theorem_6, "matrix.error")
def theorem_6_total(effort, rng):
    r"""$\mathrm{Err}_\epsilon(QT^\top T, A)$ is the expected sum of squared errors over all queries for one
    class."""
    return (yield from _as_total(effort, rng, True))


@ERROR("m-rf/support", "Background, matrix mechanism", quantity="rank of A, and of A with W")
def support(effort, rng):
    """A strategy A can answer W if there is an X with $W = XA$. (Only then can A do so without bias, by $WA^+A =
    W$. The paper writes "exists some X for which $W = XA$", where X is also its letter for the data.)"""
    answered = []
    for _ in range(effort.pick(60, 200, 1000)):
        n = int(rng.integers(2, 6))
        A = rng.integers(-1, 2, (int(rng.integers(1, n + 2)), n))
        X = rng.integers(-1, 2, (1, len(A)))
        W = rng.integers(-1, 2, (1, n)) if rng.random() < 0.5 else X @ A
        if A.any():
            answered.append(small.exact_rank(np.vstack([A, W])) == small.exact_rank(A))
            found = matrix.Dense(A).variances(matrix.Workload.of_matrix(W.astype(float)))
            yield same(answered[-1], np.isfinite(found).all(), A=A.tolist(), W=W.tolist())
    yield need(0 < sum(answered) < len(answered), sum(answered), "<", len(answered))
    return note(
        "In {cases} cases A answers W without bias if and only if W does not raise the rank of A, in fractions.",
        range="entries -1, 0, 1, up to 5 cells",
    )


@IDENTITY("m-rf/gap-from-cells", "Section 1, main contributions", "assumes", proved=True, about="reading")
def gap_closed(effort, rng):
    """Batch analysis closes the gap in votes that a limited number of queries causes between private prediction
    and private training. (This holds if prediction and training both release the cells: their weighted votes are
    then one function of one histogram. If each has a strategy of its own, these votes differ, and so do hard
    votes.)"""
    differ, batches = 0, effort.pick(10, 40, 200)
    for seed in range(batches):
        levels = small.small_levels(rng, 3)
        one = small.forest(levels, 3, 1, rng)
        batch = small.records(levels, 30, rng), rng.integers(0, 2, 30), small.records(levels, 4, rng), seed
        yield from small.entries(*_both_ways("identity", one, *batch), 1e-7, 1e-7, broken="fails")
        differ += not np.allclose(*_both_ways("merged", one, *batch))
    yield same(differ, 0)
    return note(
        "If both release the cells, the votes are equal, draw by draw; if training releases the merged leaves and "
        f"prediction the cells, they differ in {differ} of {batches} batches.",
        range="three trees of depth 1, 30 records, 4 queries",
    )


def _both_ways(make, one, X, y, Q, seed):
    """Weighted votes of queries from released leaves, and as a batch, with the same draws."""
    votes, released = matrix.Workload.of(one.paths, Q), []
    for workload, member in ((one.leaves, make), (votes, "identity")):
        strategy, draws = matrix.member(workload, member), np.random.default_rng(seed)
        answers, _ = matrix.release(workload, strategy, X, y, 2, 1.0, rng=draws)
        released.append(answers[workload.place])
    return one.paths.reached(Q) @ released[0], released[1]


def _expected(x, b, t):
    """Mean squared error of a shrunk count with Laplace noise of scale b, by quadrature."""
    law = noise_for(b, 1.0, "laplace").pdf
    ends = sorted({-60 * b, min(t - x, 0.0), max(t - x, 0.0), 60 * b + t})

    def squared(z):
        return (shrunk(x + z, t) - x) ** 2 * law(z)

    return sum(quad(squared, low, high, epsabs=1e-13)[0] for low, high in pairwise(ends))


CUT = "m-rf/clipping:cut", "m-rf/clipping:empty"


@CLIPPING("m-rf/clipping", "ours", **over(*CUT))
def clipping(effort, rng):
    """Cutting a noisy count at 0 never moves it farther from the truth. Under Laplace noise of scale $b$, the cut
    lowers the squared error of an empty cell from $2b^2$ to $b^2$, and to $b^2e^{-t/b}$ if a public threshold $t$
    is subtracted first. The error of a count far above $t$ grows by $t^2$."""
    yield from certified(CUT, effort)
    for x, z in product((0.0, 0.5, 12.0), (-20.0, -0.7, 3.0)):
        yield below(abs(clipped(x + z) - x), abs(z), count=x, noise=z)
    for x, b, t in ((0.0, 0.5, 0.0), (0.0, 3.0, 1.0), (1.0, 1.0, 3.0), (12.0, 0.5, 3.0)):
        yield same(_expected(x, b, t), shrunk_error(x, b, t), 1e-7, 1e-10, count=x, b=b, t=t)
    return "A cut moves no count away from the truth; the integral above a threshold rests on {statement}"


@COST("m-rf/noise-cost", "Complexity, noise generation in line 6 of algorithm 3", "assumes", quantity="draws")
def noise_cost(effort, rng):
    r"""Generating the noise takes space and time $O(n^d)$ for training and prediction, and $O(o + b)$ and $O((o +
    b)\,o)$ for subsample-and-aggregate with any domain. (This assumes that the numbers $k$ of classes and $\tau$
    of trees are constants and that the strategy is the cells. The noise then takes $k\,n^d$ draws, and the leaves
    take $\tau k\,n^d$ additions. A strategy with more rows takes more multiplications.)"""
    for n, d, tau in ((2, 2, 1), (2, 4, 3), (3, 3, 2), (4, 2, 5)):
        one, Q = small.forest([n] * d, tau, 1, rng), small.records([n] * d, 6, rng)
        identity, y = matrix.member(one.leaves, "identity"), np.zeros(6, int)
        drawn = np.size(matrix.measure(identity, Q, y, 3, 1.0, rng=rng)[0])
        added, o, b = one.routed(small.every_cell([n] * d)).sum(), len(one.paths), len(Q)
        strictly = {"broken": "fails", "n": n, "d": d, "tau": tau}
        yield same(3 * n**d, drawn, **strictly)
        yield same(added, tau * n**d, **strictly)
        yield below(one.routed(Q).sum(), (o + b) * o, **strictly)
        yield below(o, o + b, **strictly)
    yield below(tau * 3 * n**d, n**d)  # without the constants
    return note(
        "A count finds k n^d draws and tau k n^d additions, in the last case {exact:.0f} additions, where n^d is "
        "{stated:.0f}; for subsample-and-aggregate it finds fewer than stated.",
        range="2 to 4 values, 2 to 4 columns, up to 5 trees",
    )
