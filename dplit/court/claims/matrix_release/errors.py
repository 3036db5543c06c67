r"""Claims of M-RF on what is answered: expected errors of leaves and votes, and what comes after a release.

Derived in :doc:`/book/matrix_release`. The truth of an error is the linear map from the noise to the
answers, found by answering one unit of each entry at a time, and the second moment of the noise as a sum
or by quadrature."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.integrate import quad

import dplit.court.claims.matrix_paths._forests as f
import dplit.court.claims.matrix_release._laws as laws
from dplit import matrix
from dplit.court.claims.matrix_paths.dependence import exact_rank
from dplit.court.ledger import Case, Evidence, bounded, claim, equal, verdict_of
from dplit.matrix.answers import clipped, shrunk, shrunk_error
from dplit.matrix.release import noise_for, noise_of
from dplit.mechanisms import Geometric

ERROR = "expected squared error"


def second_moment(noise):
    """Expected square of a noise: a sum over whole numbers, or a quadrature."""
    if isinstance(noise, Geometric):
        reach = int(60 / noise.rate) + 5
        steps = np.arange(-reach, reach + 1)
        return float(steps.astype(float) ** 2 @ noise.pmf(steps))
    return 2 * quad(lambda z: z * z * noise.pdf(z), 0, 80 * noise.scale, epsabs=0, epsrel=1e-11)[0]


def map_of(strategy, workload, measured):
    """The answers of one unit of each released entry, shape (n_rows, n_measured)."""
    return np.asarray(strategy.answer(workload, np.eye(measured)))


def _errors(effort, rng, queries):
    """(total over the rows of one class, Err as published, the package's, rows, shown) of small forests."""
    for _ in range(effort.pick(6, 20, 80)):
        levels = f.small_levels(rng, 3)
        _, paths = f.forest(levels, int(rng.integers(1, 4)), int(rng.integers(1, 3)), rng)
        Q = f.records(levels, 3, rng) if queries else None
        workload = matrix.Workload.of(paths, Q)
        W = workload.matrix()[workload.place]  # every row, copies included
        for strategy in laws.strategies(workload)[::2]:
            A, epsilon = laws.entries(strategy, levels), float(rng.choice([0.5, 1.0, 2.0]))
            X = map_of(strategy, workload, len(A))[workload.place]
            total = float((X**2).sum() * second_moment(noise_of(strategy, epsilon, "laplace")))
            stated, ours = 2 / epsilon**2 * f.error(W, A), matrix.error(workload, strategy, epsilon)
            shown = {"levels": levels, "strategy": strategy.name, "epsilon": epsilon}
            yield total, stated, ours, len(W), shown


FORESTS = "small forests on 2 to 4 columns; cells and merged leaves, Laplace noise"


def _as_mean(effort, rng, queries):
    """Evidence of Err as the mean squared error of one answer; it is their total."""
    found = list(_errors(effort, rng, queries))
    totals = equal([Case(total, stated, shown) for total, stated, _, _, shown in found], "")
    note = "{cases} releases; of all {rows} answers together it is the stated {stated:.4g}, of one {exact:.4g}"
    means = equal([Case(total / rows, stated, shown | {"rows": rows})
                   for total, stated, _, rows, shown in found], note, range=FORESTS)  # fmt: skip
    if means.verdict == "holds" or totals.verdict == "fails":
        return means
    return replace(means, verdict="assumes", counterexample=None)


def _as_total(effort, rng, queries):
    """Evidence of Err as the total of one class, by its formula and by the package."""
    cases = []
    for total, stated, ours, rows, shown in _errors(effort, rng, queries):
        cases += [Case(total, stated, shown), Case(total / rows, ours / rows, shown)]
    return equal(cases, "{cases} totals and means of one class", range=FORESTS)


@claim("m-rf/theorem-4", "Theorem 4, definition 3", "assumes", "thm-release-error",
       ("matrix.release",), quantity=ERROR)  # fmt: skip
def theorem_4(effort, rng):
    r"""The leaf values of algorithm 1 have the mean squared error $\mathrm{Err}_\epsilon(T, A) =
    \frac2{\epsilon^2}\|A\|_1^2\|TA^+\|_F^2$. (As definition 3 has it, in total: over all leaves, and of one
    class.)"""
    return _as_mean(effort, rng, False)


@theorem_4.corrected(functions=("matrix.error",), proof="thm-release-error", quantity=ERROR)
def theorem_4_total(effort, rng):
    r"""It is the expected sum of squared errors over all leaves of one class: of $k$ classes together $k$
    times as large, and the mean of a leaf is $1/o$ of it."""
    return _as_total(effort, rng, False)


@claim("m-rf/theorem-6", "Theorem 6, definition 3", "assumes", "thm-release-error",
       ("matrix.release",), quantity=ERROR)  # fmt: skip
def theorem_6(effort, rng):
    r"""The vote counts of algorithm 2 have the mean squared error $\mathrm{Err}_\epsilon(QT^\top T, A)$.
    (As definition 3 has it, in total: over all queries, and of one class.)"""
    return _as_mean(effort, rng, True)


@theorem_6.corrected(functions=("matrix.error",), proof="thm-release-error", quantity=ERROR)
def theorem_6_total(effort, rng):
    r"""It is the expected sum of squared errors over all queries of one class."""
    return _as_total(effort, rng, True)


@claim(
    "m-rf/support",
    "Background, matrix mechanism",
    "holds",
    "thm-release-error",
    ("matrix.release",),
    quantity="rank of A, and of A with W",
    proof="thm-release-error",
)
def support(effort, rng):
    r"""A strategy A can answer W if there is an X with $W = XA$. (And only then without bias: then $WA^+A
    = W$. The paper writes "exists some X for which $W = XA$" with the data's letter.)"""
    cases = []
    for _ in range(effort.pick(60, 200, 1000)):
        n = int(rng.integers(2, 6))
        A = rng.integers(-1, 2, (int(rng.integers(1, n + 2)), n))
        W = (
            rng.integers(-1, 2, (1, n))
            if rng.random() < 0.5
            else rng.integers(-1, 2, (1, len(A))) @ A
        )
        inside = exact_rank(np.vstack([A, W])) == exact_rank(A)
        if not A.any():
            continue
        found = matrix.Dense(A).variances(matrix.Workload.of_matrix(W.astype(float)))
        cases.append(
            Case(int(inside), int(np.isfinite(found).all()), {"A": A.tolist(), "W": W.tolist()})
        )
    if not 0 < sum(c.exact for c in cases) < len(cases):
        return verdict_of(False, "all answered, or none", {"cases": len(cases)})
    return equal(cases, "{cases} strategies: answered without bias if and only if the rank stays, in fractions",
                 range="entries -1, 0, 1, up to 5 cells")  # fmt: skip


@claim(
    "m-rf/gap-from-cells",
    "Section 1, main contributions",
    "assumes",
    "thm-release-identity",
    ("matrix.release",),
    about="reading",
    proof="thm-release-identity",
    quantity="votes of queries",
)
def gap_closed(effort, rng):
    r"""Read as one of votes: batch analysis closes the gap between private prediction and private
    training, which a limited number of queries causes. (Where both release the cells: then the weighted
    votes of both are one function of one histogram. With strategies of their own they differ, and so do
    hard votes.)"""
    same, differ = [], 0
    for i in range(effort.pick(10, 40, 200)):
        levels = f.small_levels(rng, 3)
        _, paths = f.forest(levels, 3, 1, rng)
        X, y, Q = f.records(levels, 30, rng), rng.integers(0, 2, 30), f.records(levels, 4, rng)
        leaves, votes = matrix.Workload.of(paths), matrix.Workload.of(paths, Q)
        trained, predicted = _both_ways("identity", leaves, votes, X, y, paths, Q, i)
        shown = {"levels": levels}
        same += [Case(a, b, shown) for a, b in zip(trained.ravel(), predicted.ravel())]
        one, other = _both_ways("merged", leaves, votes, X, y, paths, Q, i)
        differ += not np.allclose(one, other)
    found = equal(same, "votes", rtol=1e-7, atol=1e-7)
    if found.verdict != "holds" or not differ:
        return verdict_of(
            found.verdict == "holds", found.summary, found.counterexample, cases=len(same)
        )
    return Evidence("assumes", "exact",
                    f"{len(same)} votes are equal, draw by draw, from the cells; with merged leaves for training "
                    f"and the cells for prediction {differ} of {effort.pick(10, 40, 200)} batches differ",
                    cases=len(same), published=found.published, computed=found.computed, relation="=",
                    range="three trees of depth 1, 30 records, 4 queries")  # fmt: skip


def _both_ways(make, leaves, votes, X, y, paths, Q, seed):
    """Weighted votes of queries from released leaves, and as a batch, with the same draws."""
    trained, _ = matrix.release(
        leaves, matrix.member(leaves, make), X, y, 2, 1.0, rng=np.random.default_rng(seed)
    )
    predicted, _ = matrix.release(votes, matrix.member(votes, "identity"), X, y, 2, 1.0,
                                  rng=np.random.default_rng(seed))  # fmt: skip
    return paths.reached(Q) @ trained[leaves.place], predicted[votes.place]


# Post-processing ------------------------------------------------------------------------------------


def _squared(z, x, t, law):
    """Squared error of a shrunk count at a noise, times the noise's density."""
    return (shrunk(x + z, t) - x) ** 2 * law(z)


@claim("m-rf/clipping", "ours", "holds", "thm-release-clipping",
       ("matrix.clipped", "matrix.shrunk", "matrix.shrunk_error"), ours=True,
       proof="thm-release-clipping", quantity=ERROR)  # fmt: skip
def clipping(effort, rng):
    r"""Counts cut at 0 are never farther from the truth, whatever was drawn. With Laplace noise of scale
    $b$ an empty cell's error falls from $2b^2$ to $b^2$, and to $b^2e^{-t/b}$ if a public threshold $t$
    is taken off; a count far above the threshold pays $t^2$ for it."""
    nearer, moments = [], []
    draws = np.random.default_rng(rng.integers(2**32)).laplace(
        size=effort.pick(2000, 10_000, 100_000)
    )
    for x in (0.0, 0.5, 1.0, 4.0, 12.0):
        worst = max(abs(clipped(x + z) - x) / max(abs(z), 1e-300) for z in draws)
        nearer.append(Case(worst, 1.0, {"count": x}))
        for b in (0.5, 1.0, 3.0):
            for t in (0.0, 1.0, 3.0):
                ends = sorted({-60 * b, min(t - x, 0.0), max(t - x, 0.0), 60 * b + t})
                law = noise_for(b, 1.0, "laplace").pdf
                parts = [
                    quad(_squared, low, high, (x, t, law), epsabs=1e-13)[0]
                    for low, high in pairwise(ends)
                ]
                moments.append(
                    Case(sum(parts), float(shrunk_error(x, b, t)), {"count": x, "b": b, "t": t})
                )
    pointwise, law = bounded(nearer, "draws"), equal(moments, "law", rtol=1e-7, atol=1e-10)
    return verdict_of(
        pointwise.verdict != "fails" and law.verdict == "holds",
        f"{len(nearer) * len(draws)} clipped draws no farther from the truth; {len(moments)} expected errors "
        "equal their quadrature",
        {"draws": pointwise.counterexample, "law": law.counterexample},
        cases=len(nearer) * len(draws) + len(moments),
        published=1.0,
        computed=max(case.exact for case in nearer),
        relation="<=",
        range="counts 0 to 12, scales 0.5 to 3, thresholds 0 to 3",
    )


@claim("m-rf/noise-cost", "Complexity, noise generation in line 6 of algorithm 3", "assumes",
       "thm-release-cost", ("matrix.measure",), quantity="numbers that are drawn or added")  # fmt: skip
def noise_cost(effort, rng):
    r"""Generating the noise takes space and time $O(n^d)$ for training and prediction; $O(o + b)$ and
    $O((o + b)\,o)$ for subsample-and-aggregate, whatever the domain. (With the classes $k$ and the trees
    $\tau$ as constants, and the cells as strategy: $k\,n^d$ draws and $\tau k\,n^d$ additions for the
    leaves. A strategy with more rows multiplies more.)"""
    cases, within = [], []
    for n, d, tau in ((2, 2, 1), (2, 4, 3), (3, 3, 2), (4, 2, 5)):
        trees, paths = f.forest([n] * d, tau, 1, rng)
        workload, Q = matrix.Workload.of(paths), f.records([n] * d, 6, rng)
        measured, _ = matrix.measure(
            matrix.member(workload, "identity"), Q, np.zeros(6, int), 3, 1.0, rng=rng
        )
        additions = f.routed(trees, f.every_cell([n] * d)).sum()
        shown = {"n": n, "d": d, "tau": tau}
        cases += [Case(np.size(measured), 3 * n**d, shown), Case(additions, tau * n**d, shown)]
        o, b = len(paths), len(Q)
        asked = f.routed(trees, Q)
        within += [Case(asked.sum(), (o + b) * o, shown), Case(o, o + b, shown)]
    same, below = equal(cases, "counted"), bounded(within, "subsample")
    if same.verdict != "holds" or below.verdict == "fails":
        shown = {"training": same.counterexample, "subsample": below.counterexample}
        return verdict_of(False, "other numbers", shown)
    return Evidence("assumes", "exact",
                    f"{len(cases) + len(within)} numbers counted: k n^d draws and tau k n^d additions; for "
                    "subsamples, fewer than stated", cases=len(cases) + len(within), published=cases[-1].stated,
                    computed=cases[-1].exact, relation="=",
                    range="2 to 4 values, 2 to 4 columns, up to 5 trees")  # fmt: skip
