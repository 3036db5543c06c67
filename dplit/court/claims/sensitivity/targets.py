r"""Squared errors of targets in :math:`[B_L, B_U]` (DiPriMe v1) and :math:`[-B, B]` (v2), in fractions."""

from fractions import Fraction
from functools import partial
from itertools import chain

from dplit import sensitivity
from dplit.court.claims.sensitivity._searched import ONE_MORE, exactly, searched, within
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, note
from dplit.ground.errors import NEIGHBOURS

V1, V2 = ((-1, 1), (0, 1), (-1, 3)), ((-1, 1), (-3, 3))  # bounds of the targets
MSES = tuple(
    f"sensitivity-mse/corrected:{part}"
    for part in ("up", "down", "replaced", "children-up", "children-down", "children-down-one", "children-moved")
)
SIGNS = ("norm", "other-sign", "sum", "sum-other-sign")
NORMS = tuple(f"diprime-v1/sensitivity-mse-proof/corrected:{part}" for part in SIGNS)
MEAN = Box(
    "thm-sensitivity-mean",
    "sensitivity.mean",
    "sensitivity.published_mean",
    "sensitivity.worst_case",
    **over(*(f"sensitivity-mean:{part}" for part in ("one-more", "replaced", "met"))),
)
MSE = Box("thm-sensitivity-mse", "sensitivity.published_mse", "sensitivity.mse", "sensitivity.split_mse")
SSE = Box("thm-sensitivity-sse", "sensitivity.published_sse", "sensitivity.sse_removed")
PROOF = Box("rem-sensitivity-mse-proof")
UNWEIGHTED = Box("thm-sensitivity-unweighted")
of_error = partial(note, quantity="sensitivity of the squared error")
of_children = partial(note, quantity="sensitivity of the children's mean error")
of_sum = partial(note, quantity="fall of the summed squared error")


@MEAN("diprime-v1/sensitivity-mean", "Section 3; appendix A.1.1")
def mean(effort, rng, bounds=V1):
    """The mean of $N$ targets in $[B_L, B_U]$ has sensitivity $(B_U - B_L)/N$."""
    for part in ("one-more", "replaced", "met"):
        yield from certified(f"sensitivity-mean:{part}", effort)
    yield from searched(exactly, sensitivity.mean_of, sensitivity.published_mean, (2, 5), bounds)
    return note(
        "No data of any size N move the mean by more than R/N, R the targets' range; {cases} cases were compared.",
        quantity="sensitivity of the mean",
    )


@MEAN("diprime-v2/sensitivity-mean", "Appendix A.1")
def mean_v2(effort, rng):
    """The mean of $N$ targets in $[-B, B]$ has sensitivity $2B/N$, because changing the value of a given data
    point changes the sample mean by at most $2B/N$."""
    return mean(effort, rng, bounds=V2)


def _certificates(effort):
    """That no data of any size, in one set or two, move the mean squared error by more than (N-1)R^2/N^2."""
    for name in MSES:
        yield from certified(name, effort)


@MSE(
    "diprime-v1/sensitivity-mse",
    "Section 3; appendix A.1.2",
    "loose",
    proved=True,
    **over(*MSES, "sensitivity-mse"),
)
def mse(effort, rng, bounds=V1):
    r"""The mean squared error of $N$ targets has sensitivity $4B^2/N$, where $B = \max(|B_L|, |B_U|)$."""
    yield from _certificates(effort)
    stated = lambda N, B: sensitivity.published_mse(N, -Fraction(B), Fraction(B))  # noqa: E731
    yield from certified("sensitivity-mse", effort, met=False, right=stated)
    for low, high in bounds:
        yield exactly(sensitivity.published_mse(5, low, high), Fraction(4, 5) * max(abs(low), high) ** 2, n=5)
    return of_error("The stated value exceeds the sensitivity for every N and B: {statement} wherever {where}.")


@MSE.corrected(mse, "sensitivity.mse", "sensitivity.split_mse", **over(*MSES, "sensitivity-mse/corrected:met"))
def mse_exact(effort, rng):
    """Under add-remove and under replace-one, the mean squared error of $N$ targets and that of their partition by
    a fixed cut have sensitivity exactly $(N-1)(B_U - B_L)^2/N^2$."""
    yield from _certificates(effort)
    yield from certified("sensitivity-mse/corrected:met", effort, right=lambda N: sensitivity.mse(N, 0, 1))
    yield from searched(exactly, sensitivity.mse_of, sensitivity.mse, (1, 2, 5), V1)
    yield from searched(exactly, sensitivity.split_mse_of, sensitivity.mse, (2, 3), V1, sides=2)
    return of_error("No data of any N have more, and {cases} cases have it: (N-1)R^2/N^2")


@MSE(
    "diprime-v2/sensitivity-mse",
    "Section 3.1; appendix A.2",
    "loose",
    proved=True,
    **over(*MSES, "sensitivity-mse"),
)
def mse_v2(effort, rng):
    """The mean squared error of the resulting partition has sensitivity $4B^2/N$ for targets in $[-B, B]$."""
    return mse(effort, rng, bounds=V2)


@MSE.corrected(
    mse_v2,
    "sensitivity.mse",
    "sensitivity.split_mse",
    where="ours; the last line but one of appendix A.2",
    **over(*MSES, "sensitivity-mse/corrected:met"),
)
def mse_exact_v2(effort, rng):
    """For targets in $[-B, B]$, the mean squared error has sensitivity exactly $4B^2(N-1)/N^2$, both under
    add-remove and under replace-one. It is the sum of the three norms before the appendix's last inequality."""
    return mse_exact(effort, rng)


@PROOF(
    "diprime-v1/sensitivity-mse-proof",
    "Appendix A.1.2, second inequality, term by term",
    "fails",
    "sensitivity.mse",
    "sensitivity.published_mse",
    about="step",
    **over("diprime-v1/sensitivity-mse-proof"),
)
def mse_proof(effort, rng):
    r"""If $|y_i| \le B$, then $\left|-\frac{1}{N(N-1)}\sum y_i^2 + \frac{2N-1}{N^2(N-1)^2}(\sum y_i)^2\right| \le
    \frac{N-1}{N^2}B^2$, where the sums are over the $N - 1$ records that stay."""
    yield from certified("diprime-v1/sensitivity-mse-proof", effort)
    words = "Broken for all {refuted}, x being the mean of the records that stay and q their spread:"
    return note(words + " {exact:.4f} against {stated:.4f} in the middle.", quantity="the first norm")


@PROOF.corrected(mse_proof, "sensitivity.published_mse", **over(*NORMS))
def mse_proof_whole(effort, rng):
    r"""The first norm of the second inequality is at most $B^2/N$, and this bound is attained for even $N - 1$.
    Its sum with the second norm is still at most $\frac{4(N-1)}{N^2}B^2$, so the line holds as a whole."""
    for name in NORMS:
        yield from certified(name, effort)
    for n in (3, 5):  # half of the records that stay at 1, half at -1: the first norm is their mean square
        yield exactly(Fraction(n - 1, n * (n - 1)), Fraction(1, n), n=n)
    stated = sensitivity.published_mse(4, -1, 1)
    yield below(Fraction(4 * 3, 16), stated, n=4)
    return note("For all N and data the norms add up to at most 4(N-1)B^2/N^2.", quantity="sum of the two norms")


@UNWEIGHTED(
    "diprime-v1/sensitivity-unweighted",
    "Section 3; algorithm 3, line 50, read as the plain average of the children's errors",
    "fails",
    "sensitivity.children_mse",
    "sensitivity.published_mse",
    range="add-remove, all grid data on [-1, 1] of up to 9 records",
    about="reading",
)
def unweighted(effort, rng):
    """Read as the plain mean of the children's errors, a split's mean squared error has sensitivity $4B^2/N$."""
    statistic, stated = sensitivity.children_mse_of, sensitivity.published_mse
    sizes = range(2, effort.pick(10, 11, 12))
    yield from searched(within, statistic, stated, sizes, ((-1, 1),), ONE_MORE, grid=2, sides=2)
    return of_children("add-remove on [-1, 1]: first exceeded at N={n}, {found} against {formula}")


@UNWEIGHTED.corrected(
    unweighted,
    "sensitivity.children_mse",
    "sensitivity.worst_case",
    range="both relations, all grid data of up to 5 records on [0, 1]",
)
def unweighted_exact(effort, rng):
    r"""Let the targets lie in a range of length $R$. Under add-remove and for $N \ge 2$, the unweighted mean of
    the two children's errors has sensitivity exactly $R^2/8$. Under replace-one this sensitivity is
    $\frac{R^2}{8}(1 + \frac{4}{m+1}\lfloor m^2/4 \rfloor/m^2)$ with $m = N - 2$."""
    for relation in NEIGHBOURS:
        stated = partial(sensitivity.children_mse, neighbours=relation)
        search = partial(searched, exactly, sensitivity.children_mse_of, stated)
        at = {"bounds": ((0, 1),), "relations": (relation,), "sides": 2}
        yield from search(range(1, effort.pick(6, 7, 7)), **at)
        if effort == "deep":  # a larger child needs fifths to balance the record that leaves it
            yield from search([7], grid=6, **at)
    return of_children("In {cases} enumerations the sensitivity is the closed form; at N = {n} it is {found}.")


FEW, MANY = "sensitivity-sse/corrected:few", "sensitivity-sse/corrected:many"
LOOSE = "sensitivity-sse:few", "sensitivity-sse:many"


FALLS = over(FEW, MANY)
ABOVE = {"proved": True, **over(FEW, MANY, *LOOSE)}


def _falls(effort):
    """That no removal from any data lets the sum of squares fall by more than k(N-k)R^2/N."""
    return chain(*(certified(name, effort) for name in (FEW, MANY)))


@SSE("diprime-v1/sensitivity-sse", "Appendix A.2.1, sensitivity of objective", "loose", **ABOVE)
def sse(effort, rng):
    r"""With $|y_i| \le B$, removing $\delta$ of the records of a node changes its summed squared error by at most
    $4B^2\delta$."""
    yield from _falls(effort)
    stated = lambda B, h=0, k=0, x=0, **_: sensitivity.published_sse(h + x if h else k, -B, B)  # noqa: E731
    for name in LOOSE:
        yield from certified(name, effort, met=False, right=stated)
    words = "The stated bound is above the largest fall for every N, number k of records that go and every B:"
    return of_sum(words + " {statement} wherever {where}.")


@SSE.corrected(sse, "sensitivity.sse_removed", "sensitivity.sse", **FALLS)
def sse_exact(effort, rng):
    r"""Let $k = \min(\delta, \lfloor N/2 \rfloor)$. Removing $\delta$ of $N$ records changes the summed squared
    error by at most $\frac{k(N-k)}{N}(B_U - B_L)^2$, and this bound is attained."""
    yield from _falls(effort)
    for n, k in ((5, 2), (8, 3), (9, 4)):  # k at one end go, the others are at the other end
        fall = sensitivity.sse_of([0] * (n - k) + [1] * k)
        for more in (0, *([n - k] if k == n // 2 else [])):
            yield exactly(fall, sensitivity.sse_removed(n, k + more, 0, 1), n=n, removed=k + more)
    words = "No data of any size N lose more, and with all records at the two ends they lose just this;"
    return of_sum(words + " with h = floor(N/2) and h - x records at one end, {statement}.")


@SSE("diprime-v2/sensitivity-sse", "Appendix B.1, sensitivity of SSE", "loose", **ABOVE)
def sse_v2(effort, rng):
    r"""With $|y_i| \le B$, removing $\delta$ of the records of a block changes its summed squared error by at most
    $4B^2\delta$."""
    return sse(effort, rng)


@SSE.corrected(sse_v2, "sensitivity.sse_removed", **FALLS)
def sse_exact_v2(effort, rng):
    r"""Let $k = \min(\delta, \lfloor N/2 \rfloor)$. Removing $\delta$ of $N$ records changes the summed squared
    error by at most $\frac{k(N-k)}{N}4B^2$, and this bound is attained."""
    return sse_exact(effort, rng)
