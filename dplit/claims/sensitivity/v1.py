"""Claims of Consul and Williamson 2020, Differentially Private Median Forests (arXiv version 1).

Sensitivities (sections 2 and 3, appendix A.1 and A.2.1); derived in :doc:`/book/sensitivity`.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, count

from dplit import sensitivity
from dplit.claims.sensitivity.shared import (
    bound_evidence,
    equal_numbers,
    equality_evidence,
    mean_evidence,
    mse_families,
    plain,
    searched,
    sse_bound_evidence,
    sse_equality_evidence,
)
from dplit.errors import NEIGHBOURS
from dplit.ledger import Evidence, claim, of_privacy, of_upper_bound
from dplit.mechanisms import Laplace

BOUNDS = ((-1, 1), (0, 1), (-1, 3))


# Mean ----------------------------------------------------------------------------------------


@claim(
    "diprime-v1/sensitivity-mean",
    "Section 3; appendix A.1.1",
    "holds",
    "thm-sensitivity-mean",
    ("sensitivity.mean", "sensitivity.published_mean", "sensitivity.worst_case"),
)
def mean(effort, rng):
    """The mean of $N$ targets in $[B_L, B_U]$ has sensitivity $(B_U - B_L)/N$."""
    return mean_evidence(range(2, effort.pick(7, 9, 12)), BOUNDS)


# Mean squared error --------------------------------------------------------------------------


@claim(
    "diprime-v1/sensitivity-mse",
    "Section 3; appendix A.1.2",
    "loose",
    "thm-sensitivity-mse",
    ("sensitivity.published_mse", "sensitivity.mse", "sensitivity.split_mse"),
)
def mse(effort, rng):
    r"""The mean squared error has sensitivity $4B^2/N$, $B = \max(|B_L|, |B_U|)$."""
    found = mse_families(effort, BOUNDS)
    return bound_evidence(
        found, [sensitivity.published_mse(n, low, high) for n, low, high, *_ in found]
    )


@mse.corrected(
    functions=("sensitivity.mse", "sensitivity.split_mse", "sensitivity.worst_case_continuous")
)
def mse_corrected(effort, rng):
    """The mean squared error of $N$ targets, and that of their partition by a fixed cut, have
    sensitivity exactly $(N-1)(B_U - B_L)^2/N^2$, under add-remove and under replace-one."""
    found = mse_families(effort, BOUNDS)
    closed = [sensitivity.mse(n, low, high) for n, low, high, *_ in found]
    evidence = equality_evidence(found, closed, "enumerations: equal to (N-1)R^2/N^2 in each")
    for n in range(2, effort.pick(4, 6, 8)):
        for relation in NEIGHBOURS:
            climbed = sensitivity.worst_case_continuous(
                sensitivity.mse_of, n, 0, 1, relation, starts=effort.pick(4, 8, 20), rng=rng
            )
            if climbed.value > sensitivity.mse(n, 0, 1) * (1 + 1e-9):
                case = {"n": n, "data": plain(climbed.data), "neighbour": plain(climbed.neighbour)}
                return Evidence("fails", "exact", "a climb exceeds it", counterexample=case)
    return evidence


def proof_terms(values, removed):
    """The two norms in the first line of A.1.2 for a data set, its last record being removed."""
    n, total = len(values) + 1, sum(values)
    first = -sum(v * v for v in values) / (n * (n - 1)) + (2 * n - 1) * total**2 / (
        Fraction(n) ** 2 * (n - 1) ** 2
    )
    second = (n - 1) * removed**2 / Fraction(n) ** 2 - 2 * removed * total / Fraction(n) ** 2
    return abs(first), abs(second)


def norms(n):
    """(first norm, second norm, the n - 1 values, the removed one) over grid data in [-1, 1]."""
    grid = [Fraction(i, 2) for i in range(-2, 3)]
    for values in combinations_with_replacement(grid, n - 1):
        for removed in grid:
            yield *proof_terms(values, removed), values, removed


@claim(
    "diprime-v1/sensitivity-mse-proof",
    "Appendix A.1.2, second inequality, term by term",
    "fails",
    "rem-sensitivity-mse-proof",
    ("sensitivity.mse", "sensitivity.published_mse"),
)
def mse_proof(effort, rng):
    r"""With $|y_i| \le B$: $\left|-\frac{1}{N(N-1)}\sum y_i^2 + \frac{2N-1}{N^2(N-1)^2}(\sum
    y_i)^2\right| \le \frac{N-1}{N^2}B^2$, the sums over the $N - 1$ records that stay."""
    for n in range(2, effort.pick(5, 7, 9)):
        bound = Fraction(n - 1, n**2)
        first, _, values, removed = max(norms(n))
        if first > bound:
            case = {"n": n, "stay": plain(values), "removed": float(removed), "B": 1}
            case |= {"first_norm": str(first), "bound": str(bound)}
            summary = f"N={n}, records {plain(values)} stay: the norm is {first}, over {bound}"
            return Evidence("fails", "exact", summary, n - 1, float(bound), float(first), case)
    return Evidence("holds", "exact", f"no violation up to N={n}", n - 1)


@mse_proof.corrected(functions=("sensitivity.published_mse",))
def mse_proof_corrected(effort, rng):
    r"""That norm is at most $B^2/N$, which even $N - 1$ attain. Its sum with the second norm is
    at most $\frac{4(N-1)}{N^2}B^2$ all the same, so the line holds as a whole."""
    exact, bounds, met = [], [], 0
    for n in range(2, effort.pick(5, 7, 9)):
        both = [(first, second) for first, second, *_ in norms(n)]
        first = max(f for f, _ in both)
        exact += [first, max(f + s for f, s in both)]
        bounds += [Fraction(1, n), Fraction(4 * (n - 1), n**2)]
        met += first == Fraction(1, n)
    verdict = of_upper_bound(exact, bounds)
    case = {"norms": [str(e) for e in exact]} if verdict == "fails" else None
    summary = f"grid data in [-1, 1] up to N={n}: within both bounds, B^2/N met for {met} sizes"
    return Evidence(
        verdict, "exact", summary, len(exact), float(bounds[-1]), float(exact[-1]), case
    )


# The unweighted reading ----------------------------------------------------------------------


def first_excess(neighbours, sizes, low=-1, high=1, grid=2):
    """Smallest n at which the unweighted mean of the children's errors moves by more than 4B^2/N."""
    for n in sizes:
        worst = sensitivity.worst_case(
            sensitivity.children_mse_of, n, low, high, neighbours, grid=grid, sides=2
        )
        if worst.value > sensitivity.published_mse(n, low, high):
            return n, worst
    return None


@claim(
    "diprime-v1/sensitivity-unweighted",
    "Section 3; algorithm 3, line 50, read as the plain average of the children's errors",
    "fails",
    "thm-sensitivity-unweighted",
    ("sensitivity.children_mse", "sensitivity.published_mse"),
)
def unweighted(effort, rng):
    """Read as the unweighted mean of the two children's errors, the mean squared error of a
    split has sensitivity $4B^2/N$."""
    last = effort.pick(10, 11, 12)
    found = first_excess("add-remove", range(2, last))
    if found is None:
        return Evidence("holds", "exact", f"no excess up to N={last - 1}", last - 2)
    n, worst = found
    published = sensitivity.published_mse(n, Fraction(-1), Fraction(1))
    return Evidence(
        "fails", "exact",
        f"add-remove on [-1, 1]: first exceeded at N={n}, {worst.value} against {published}",
        cases=n - 1, published=float(published), computed=float(worst.value),
        counterexample={
            "n": n, "lower": -1, "upper": 1, "neighbours": "add-remove",
            "data": plain(worst.data), "neighbour": plain(worst.neighbour),
        },
    )  # fmt: skip


@unweighted.corrected(functions=("sensitivity.children_mse", "sensitivity.worst_case"))
def unweighted_corrected(effort, rng):
    r"""The unweighted mean of the two children's errors has sensitivity exactly $R^2/8$ under
    add-remove for every $N \ge 2$; under replace-one it is $\frac{R^2}{8}\bigl(1 +
    \frac{4}{m+1}\lfloor m^2/4 \rfloor/m^2\bigr)$, $m = N - 2$."""
    sizes = range(1, effort.pick(6, 7, 7))
    found = searched(sensitivity.children_mse_of, sizes, ((0, 1),), sides=2)
    if effort == "deep":  # an even larger child needs fifths to balance the record that leaves it
        found += searched(sensitivity.children_mse_of, [7], ((0, 1),), sides=2, grid=6)
    closed = [sensitivity.children_mse(n, low, high, r) for n, low, high, r, _ in found]
    return equality_evidence(found, closed, "enumerations: equal to the closed form in each")


# Sum of squared errors -----------------------------------------------------------------------


@claim(
    "diprime-v1/sensitivity-sse",
    "Appendix A.2.1, sensitivity of objective",
    "loose",
    "thm-sensitivity-sse",
    ("sensitivity.published_sse", "sensitivity.sse_removed"),
)
def sse(effort, rng):
    r"""Removing $\delta$ of the records of a node changes its summed squared error by at most
    $4B^2\delta$."""
    return sse_bound_evidence(effort, BOUNDS)


@sse.corrected(functions=("sensitivity.sse_removed", "sensitivity.sse"))
def sse_corrected(effort, rng):
    r"""The change is at most $\frac{k(N-k)}{N}(B_U - B_L)^2$ with $k = \min(\delta, \lfloor N/2
    \rfloor)$, and this is attained."""
    return sse_equality_evidence(effort, BOUNDS)


# Counts and vectors --------------------------------------------------------------------------


@claim(
    "diprime-v1/sensitivity-counts",
    "Section 3",
    "holds",
    "thm-sensitivity-split",
    ("sensitivity.counts", "sensitivity.worst_case"),
)
def counts(effort, rng):
    r"""The class counts of a leaf each have sensitivity 1 and are released with noise of scale
    $1/\epsilon_2$ each: under add-remove the vector moves by 1 in all."""
    found = [
        sensitivity.worst_case(
            lambda labels, k=k: sensitivity.counts_of(labels, k), n, 0, k - 1, grid=k)
        for k in range(2, effort.pick(4, 5, 6)) for n in range(1, effort.pick(5, 6, 7))
    ]  # fmt: skip
    return equal_numbers([w.value for w in found], [1] * len(found), "enumerations: L1 distance 1")


def laplace_loss(data, neighbour, scales):
    """Exact privacy loss of independent Laplace noise on each entry, reached beyond both vectors."""
    return sum(abs(a - b) / scale for a, b, scale in zip(data, neighbour, scales))


def cumulative_of(labels, thresholds):
    """How many labels are at most 0, 1, ..., thresholds - 1: each entry has sensitivity 1."""
    return tuple(sum(label <= k for label in labels) for k in range(thresholds))


@claim(
    "diprime-v1/laplace-per-coordinate",
    "Equation (3)",
    "leaks",
    "rem-laplace-per-coordinate",
    ("sensitivity.worst_case", "mechanisms.Laplace"),
)
def per_coordinate(effort, rng):
    r"""Laplace noise of scale $\Delta_i(f)/\epsilon$ on coordinate $i$, with that coordinate's
    own sensitivity $\Delta_i(f)$, makes a vector-valued query $\epsilon$-private."""
    for d in count(1):
        own = [_coordinate(d, i) for i in range(d)]
        scales = [Laplace(1.0, float(s)).scale for s in own]
        worst = sensitivity.worst_case(lambda x, d=d: cumulative_of(x, d), 1, 0, d, grid=d + 1)
        here, there = cumulative_of(worst.data, d), cumulative_of(worst.neighbour, d)
        loss = laplace_loss(here, there, scales)
        verdict = of_privacy([loss], 1.0)
        if verdict == "leaks" or d == effort.pick(3, 4, 5):
            break
    case = {
        "labels": plain(worst.data), "neighbour": plain(worst.neighbour), "epsilon": 1.0,
        "counts": list(here), "neighbour_counts": list(there), "scales": scales,
        "output": [max(a, b) for a, b in zip(here, there)], "log_likelihood_ratio": loss,
    }  # fmt: skip
    return Evidence(
        verdict, "exact",
        f"{d} cumulative counts, one record against none: loss {loss:g} where 1 is claimed",
        cases=d, published=1.0, computed=loss, counterexample=case if verdict == "leaks" else None,
    )  # fmt: skip


def _coordinate(d, i):
    """Sensitivity of one cumulative count, by search."""
    worst = sensitivity.worst_case(lambda x: cumulative_of(x, d)[i], 2, 0, d, grid=d + 1)
    return worst.value


@per_coordinate.corrected(functions=("sensitivity.worst_case", "mechanisms.Laplace"))
def per_coordinate_corrected(effort, rng):
    r"""Laplace noise of scale $\Delta(f)/\epsilon$ on every coordinate, with the L1 sensitivity
    $\Delta(f)$ of equation (2), makes it $\epsilon$-private, and no smaller common scale does."""
    losses = []
    for d in range(1, effort.pick(4, 5, 6)):
        worst = sensitivity.worst_case(lambda x, d=d: cumulative_of(x, d), 2, 0, d, grid=d + 1)
        scale = Laplace(1.0, float(worst.value)).scale
        here, there = cumulative_of(worst.data, d), cumulative_of(worst.neighbour, d)
        losses.append(laplace_loss(here, there, [scale] * d))
    verdict = of_privacy(losses, 1.0)
    return Evidence(
        verdict, "exact", f"1 to {len(losses)} cumulative counts: the worst loss is 1 in each",
        cases=len(losses), published=1.0, computed=max(losses),
        counterexample={"losses": losses} if verdict == "leaks" else None,
    )  # fmt: skip
