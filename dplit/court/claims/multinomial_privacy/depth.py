r"""Claims of the MRF paper on the depth that theorem 2 divides by.

The reference goes through every way to split estimation and structure points among two children.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from dplit import multinomial
from dplit.court.ledger import Case, claim, equal, verdict_of
from dplit.ground import printed

K_PAPER = 5  # minimum leaf size, section 5.1


@cache
def _levels(estimation, structure, k, both_keep):
    """The most levels of splits, over every way to divide both kinds of points among two children."""
    if structure < 2 or estimation <= k:
        return 0
    least = k if both_keep else 0
    return max(
        (
            1
            + max(_levels(e, s, k, both_keep), _levels(estimation - e, structure - s, k, both_keep))
            for e in range(least, estimation - least + 1)
            for s in range(1, structure)
        ),
        default=0,
    )


def _deepest_cases(effort):
    """`deepest` beside the search, both readings of the stopping rule."""
    n = effort.pick(9, 12, 16)
    for k, e, s, reading in product((1, 2, 3), range(n), range(1, 7), ("text", "algorithm")):
        stated = multinomial.deepest(e, k, s, reading)
        data = {"k": k, "estimation points": e, "structure points": s, "stopping": reading}
        yield Case(_levels(e, s, k, reading == "text"), stated, data)


@claim(
    "mrf/depth-bound",
    "theorem 2; appendix C",
    "assumes",
    "thm-mprivacy-depth",
    ("multinomial.deepest",),
    quantity="levels of splits",
    range="k up to 3, up to 8 estimation and 6 structure points, every way to split them",
)
def depth_bound(effort, rng):
    r"""The upper bound of the depth is approximately of order $|\mathcal D^E|/k$. This assumes that both
    children keep $k$ estimation points, as section 3.2 says; algorithm 1 splits every node that has more than
    $k$."""
    cases = [c for c in _deepest_cases(effort)]
    over = [c for c in cases if c.exact * c.data["k"] > c.data["estimation points"]]
    kept = [c for c in over if c.data["stopping"] == "text"]
    if not over:
        return verdict_of(True, "No tree is deeper.", cases=len(cases))
    worst = max(over, key=lambda c: c.exact - c.data["estimation points"] / c.data["k"])
    points, k = worst.data["estimation points"], worst.data["k"]
    return verdict_of(
        False,
        f"Where both children keep k, none of {len(cases) // 2} trees is deeper. By algorithm 1 {points} "
        f"estimation points at k = {k} and {worst.data['structure points']} structure points can give "
        f"{worst.exact} levels.",
        {"kept": [str(c) for c in kept]},
        broken="fails" if kept else "assumes",
        cases=len(cases),
        published=points / k,
        computed=worst.exact,
        relation="<=",
    )


@depth_bound.corrected(
    functions=("multinomial.deepest",),
    proof="thm-mprivacy-depth",
    quantity="levels of splits",
    range="k up to 3, up to 8 estimation and 6 structure points, every way to split them",
)
def depth_exact(effort, rng):
    r"""Where both children keep $k$ of $n$ estimation points, the most levels of splits are $\lfloor n/k\rfloor
    - 1$, and one less than the distinct structure points; by algorithm 1 the latter alone, once $n > k$."""
    return equal(_deepest_cases(effort), "{cases} searches over all ways to split.")


@claim(
    "mrf/depth-appendix",
    "appendix C",
    "assumes",
    "thm-mprivacy-depth",
    ("multinomial.deepest",),
    holds_instead="mrf/depth-bound/corrected",
    quantity="levels that a tree can have",
    range="WDBC, nine of ten folds, k = 5",
)
def depth_appendix(effort, rng):
    r"""One can set $d = |\mathcal D^E|/k$ and give each layer $\epsilon/(dt)$. This assumes that both children
    keep $k$ estimation points, as section 3.2 says and algorithm 1 does not see to, and that the number of
    records is public."""
    records = int(printed.table("mrf/table-2").cells["samples", "Wdbc"].value)
    train = records - -(-records // 10)
    estimation = train // 2
    stated = estimation / K_PAPER
    true = multinomial.deepest(estimation, K_PAPER, train - estimation, "algorithm")
    text = multinomial.deepest(estimation, K_PAPER, train - estimation, "text")
    return verdict_of(
        true <= stated,
        f"{estimation} of {train} records are estimation points, d = {stated:g}, and a layer of 100 trees at "
        f"epsilon 1 gets {1 / (100 * stated):.1e}. A tree that keeps k in both children can have {text} levels, "
        f"one of algorithm 1 {true}.",
        {"records": train, "k": K_PAPER, "d": stated, "levels": text},
        broken="fails" if text > stated else "assumes",
        published=stated,
        computed=true,
        relation="<=",
    )
