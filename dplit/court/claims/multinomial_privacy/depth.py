"""Claims of the MRF paper on the depth that theorem 2 divides by.

The reference goes through every way to split estimation and structure points among two children.
"""

from functools import cache
from itertools import product

from dplit import multinomial
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, note, same
from dplit.ground import printed

SEARCHED = "k up to 3, up to 8 estimation and 6 structure points, every way to split them"
DEPTH = Box("thm-mprivacy-depth", "multinomial.deepest", quantity="levels of splits", range=SEARCHED)
K_PAPER = 5  # minimum leaf size, section 5.1


@cache
def _levels(estimation, structure, k, both_keep):
    """The most levels of splits, over every way to divide both kinds of points among two children."""
    if structure < 2 or estimation <= k:
        return 0
    least = k if both_keep else 0
    return max(
        (
            1 + max(_levels(e, s, k, both_keep), _levels(estimation - e, structure - s, k, both_keep))
            for e in range(least, estimation - least + 1)
            for s in range(1, structure)
        ),
        default=0,
    )


def _searched(effort):
    """(levels, k, estimation points, structure points, stopping rule) of each search."""
    n = effort.pick(9, 12, 16)
    for k, e, s, stopping in product((1, 2, 3), range(n), range(1, 7), ("text", "algorithm")):
        yield _levels(e, s, k, stopping == "text"), k, e, s, stopping


@DEPTH("mrf/depth-bound", "theorem 2; appendix C", "assumes")
def depth_bound(effort, rng):
    r"""The upper bound of the depth is approximately of order $|\mathcal D^E|/k$. This assumes that both children
    keep $k$ estimation points, as section 3.2 says; algorithm 1 splits every node that has more than $k$."""
    kept, other = ([t for t in _searched(effort) if t[-1] == rule] for rule in ("text", "algorithm"))
    yield from (below(levels, n / k, broken="fails") for levels, k, n, *_ in kept)
    other.sort(key=lambda tree: tree[2] / tree[1] - tree[0])  # the farthest beyond comes first
    yield from (below(levels, n / k) for levels, k, n, *_ in other)
    levels, k, points, structure, _ = other[0]
    return (
        f"Where both children keep k, none of {len(kept)} trees is deeper. By algorithm 1 {points} estimation "
        f"points at k = {k} and {structure} structure points can give {levels} levels."
    )


@DEPTH.corrected(depth_bound)
def depth_exact(effort, rng):
    r"""Let there be $s$ distinct structure points. If both children of every split keep $k$ estimation points, a
    tree on $n$ of them can have up to $\min(\lfloor n/k\rfloor, s) - 1$ levels of splits. By algorithm 1, a tree
    can have up to $s - 1$ such levels if $n > k$."""
    for levels, k, e, s, stopping in _searched(effort):
        data = {"k": k, "estimation points": e, "structure points": s, "stopping": stopping}
        yield same(levels, multinomial.deepest(e, k, s, stopping), **data)
    return "In {cases} searches over all ways to split the deepest tree has as many levels as stated."


@DEPTH("mrf/depth-appendix", "appendix C", "assumes", holds_instead="mrf/depth-bound/corrected")
def depth_appendix(effort, rng):
    r"""One can set $d = |\mathcal D^E|/k$ and give each layer $\epsilon/(dt)$. This assumes that both children
    keep $k$ estimation points, which section 3.2 says but algorithm 1 does not ensure, and that the number of
    records is public."""
    records = int(printed.table("mrf/table-2").cells["samples", "Wdbc"].value)
    train = records - -(-records // 10)
    estimation = train // 2
    stated = estimation / K_PAPER
    text, algorithm = (
        multinomial.deepest(estimation, K_PAPER, train - estimation, stopping)
        for stopping in ("text", "algorithm")
    )
    yield below(text, stated, broken="fails", records=train, k=K_PAPER)
    yield below(algorithm, stated)
    return note(
        f"{estimation} of {train} records are estimation points, d = {stated:g}, and a layer of 100 trees at "
        f"epsilon 1 gets {1 / (100 * stated):.1e}. A tree that keeps k in both children can have {text} levels, "
        f"one of algorithm 1 {algorithm}.",
        quantity="levels that a tree can have",
        range="WDBC, nine of ten folds, k = 5",
    )
