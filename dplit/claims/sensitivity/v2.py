"""Claims of Consul and Williamson, Balance is key (DiPriMe, second version).

Sensitivities (section 3.1, appendix A and B.1), on targets in [-B, B]; derived in
:doc:`/book/sensitivity`.
"""

from __future__ import annotations

from fractions import Fraction

from dplit import sensitivity
from dplit.claims.sensitivity.shared import (
    bound_evidence,
    equal_numbers,
    equality_evidence,
    mean_evidence,
    mse_families,
    plain,
    sse_bound_evidence,
    sse_equality_evidence,
)
from dplit.errors import NEIGHBOURS
from dplit.ledger import Evidence, claim, of_upper_bound

SYMMETRIC = ((-1, 1), (-3, 3))


@claim(
    "diprime-v2/sensitivity-mean",
    "Appendix A.1",
    "holds",
    "thm-sensitivity-mean",
    ("sensitivity.mean", "sensitivity.published_mean", "sensitivity.worst_case"),
)
def mean(effort, rng):
    """The mean of $N$ targets in $[-B, B]$ has sensitivity $2B/N$."""
    return mean_evidence(range(2, effort.pick(7, 9, 12)), SYMMETRIC)


@claim(
    "diprime-v2/sensitivity-mse",
    "Section 3.1; appendix A.2",
    "loose",
    "thm-sensitivity-mse",
    ("sensitivity.published_mse", "sensitivity.mse", "sensitivity.split_mse"),
)
def mse(effort, rng):
    """The mean squared error of the resulting partition has sensitivity $4B^2/N$ for targets in
    $[-B, B]$."""
    found = mse_families(effort, SYMMETRIC)
    return bound_evidence(
        found, [sensitivity.published_mse(n, low, high) for n, low, high, *_ in found]
    )


@mse.corrected(
    functions=("sensitivity.mse", "sensitivity.split_mse"),
    where="ours; the last line but one of appendix A.2",
)
def mse_corrected(effort, rng):
    """It is exactly $4B^2(N-1)/N^2$, under add-remove and under replace-one: the sum of the
    three norms before the appendix's last inequality."""
    found = mse_families(effort, SYMMETRIC)
    three_norms = [
        (Fraction(n - 1, n**2) + Fraction(n - 1, n**2) + Fraction(2 * (n - 1), n**2)) * high**2
        for n, _, high, *_ in found
    ]
    return equality_evidence(found, three_norms, "enumerations: equal to the three norms' sum")


@claim(
    "diprime-v2/sensitivity-sse",
    "Appendix B.1, sensitivity of SSE",
    "loose",
    "thm-sensitivity-sse",
    ("sensitivity.published_sse", "sensitivity.sse_removed"),
)
def sse(effort, rng):
    r"""Removing $\delta$ of the records of a block changes its summed squared error by at most
    $4B^2\delta$."""
    return sse_bound_evidence(effort, SYMMETRIC)


@sse.corrected(functions=("sensitivity.sse_removed",))
def sse_corrected(effort, rng):
    r"""The change is at most $\frac{k(N-k)}{N}4B^2$ with $k = \min(\delta, \lfloor N/2
    \rfloor)$, and this is attained."""
    return sse_equality_evidence(effort, SYMMETRIC)


def closed_score_of(records):
    """The printed score: a record on the cut itself (side 1 of 0, 1, 2) counts on both sides."""
    left = sum(side <= 1 for side, _ in records)
    right = sum(side >= 1 for side, _ in records)
    return -abs(left - right)


def score_worst(n, relation):
    """Worst cases of the split score: a record on one side, and as printed (on both at the cut)."""
    return (
        sensitivity.worst_case(sensitivity.split_score_of, n, 0, 0, relation, sides=2),
        sensitivity.worst_case(closed_score_of, n, 0, 0, relation, sides=3),
    )


@claim(
    "diprime-v2/sensitivity-score",
    "Section 3.1",
    "holds",
    "thm-sensitivity-split",
    ("sensitivity.split_score", "sensitivity.worst_case"),
)
def score(effort, rng):
    r"""The split score $q(r) = -\bigl||X_a \cap [a_L, r]| - |X_a \cap [r, a_U]|\bigr|$ has
    sensitivity 1, and so has the score of a categorical split."""
    sizes = range(1, effort.pick(9, 15, 30))
    exact = [w.value for n in sizes for w in score_worst(n, "add-remove")]
    return equal_numbers(exact, [1] * len(exact), "enumerations, ties either way: 1 in each")


def class_counts_of(labels):
    """Counts of two classes."""
    return sensitivity.counts_of(labels, 2)


FAMILY = {
    "mean": (sensitivity.mean_of, {}),
    "mse": (sensitivity.mse_of, {}),
    "sse": (sensitivity.sse_of, {}),
    "split_mse": (sensitivity.split_mse_of, {"sides": 2}),
    "split_score": (sensitivity.split_score_of, {"sides": 2}),
    "counts": (class_counts_of, {"grid": 2}),
}


def both_relations(name, n):
    """Worst cases of one statistic of targets in [0, 1]: (add-remove, replace-one)."""
    statistic, options = FAMILY[name]
    return tuple(
        sensitivity.worst_case(statistic, n, 0, 1, relation, **options) for relation in NEIGHBOURS
    )


@claim(
    "diprime-v2/replace-one-doubles",
    "Appendix A",
    "fails",
    "thm-replace-one",
    ("sensitivity.mean", "sensitivity.mse", "sensitivity.worst_case"),
)
def doubles(effort, rng):
    """Under replace-one every sensitivity is double the value reported for add-remove."""
    for n in range(2, effort.pick(5, 7, 9)):
        for name in ("mean", "mse"):
            one, two = both_relations(name, n)
            if two.value != 2 * one.value:
                case = {
                    "statistic": name, "n": n, "lower": 0, "upper": 1,
                    "add_remove": str(one.value), "replace_one": str(two.value),
                    "data": plain(two.data), "neighbour": plain(two.neighbour),
                }  # fmt: skip
                summary = f"{name} of N={n} targets in [0, 1]: {two.value}, not {2 * one.value}"
                sides = float(2 * one.value), float(two.value)
                return Evidence("fails", "exact", summary, 1, *sides, case)
    return Evidence("holds", "exact", f"doubled for the mean and the MSE up to N={n}", n - 1)


@doubles.corrected(
    functions=(
        "sensitivity.mean",
        "sensitivity.mse",
        "sensitivity.split_score",
        "sensitivity.counts",
    )
)
def doubles_corrected(effort, rng):
    """For N of 2 or more, replace-one has the same sensitivity as add-remove for the mean, the
    mean squared error (of a set or of its partition) and the sum of squared errors, and twice
    it for the split score and the class counts; twice is never exceeded."""
    factor = dict.fromkeys(("mean", "mse", "sse", "split_mse"), 1)
    factor |= dict.fromkeys(("split_score", "counts"), 2)
    exact, stated, twice = [], [], []
    for name in FAMILY:
        for n in range(2, effort.pick(6, 7, 8)):
            one, two = both_relations(name, n)
            exact.append(two.value)
            stated.append(factor[name] * one.value)
            twice.append(2 * one.value)
    evidence = equal_numbers(exact, stated, "pairs of enumerations: the factor is 1 or 2 as stated")
    if of_upper_bound(exact, twice) == "fails":
        return Evidence("fails", "exact", "twice is exceeded", counterexample={"exact": str(exact)})
    return evidence
