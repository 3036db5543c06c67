"""RDF, section 4.2.1: who meets an empty leaf, measured on the paper's sets with the package's trees."""

from fractions import Fraction
from functools import lru_cache

from dplit import datasets
from dplit import depth as depths
from dplit.court.claims.depth._printed import printed_rows
from dplit.court.claims.depth.empty import VISITED, by_moments
from dplit.court.ledger import Evidence, interval
from dplit.court.ledger.box import Box
from dplit.ground import printed
from dplit.trees.reached import reach_random_leaves

DRAWS = (100, 1000, 6000)  # trees of a set: afresh and more where the ones before leave it open
SETS = 14
MEASURED = Box("thm-depth-visited", "trees.reach_random_leaves", about="experiment", range="the 14 sets")


@MEASURED(
    "rdf/empty-unvisited",
    "Section 4.2.1, after Example 1",
    "agrees",
    intervals=1,
    quantity="share of records that meet an empty leaf",
)
def empty_unvisited(effort, rng):
    """Future records of the same distribution are unlikely to visit empty leaves. (Read: with the 30 trees of
    Table 3, a record of a set drawn from the 14 with equal probabilities meets an empty leaf with probability
    below one half. The sentence agrees with our runs if the interval is below one half, and differs from them if
    it is above.)"""
    draws = effort.pick(1400, 14_000, 140_000)
    names = [list(printed_rows())[i] for i in rng.integers(SETS, size=draws)]
    hits = sum(_meets_empty(name, 30, rng) for name in names)
    low, high = interval(hits, draws)
    return Evidence(
        "agrees" if high < 0.5 else "differs" if low > 0.5 else "undecided",
        "simulated",
        f"With 30 trees {hits} of {draws} records, of fresh random parts of the sets, meet an empty leaf: "
        f"between {low:.1%} and {high:.1%}.",
        cases=draws,
        relation="<",
        published=0.5,
        computed=hits / draws,
        intervals=((low, high),),
    )


@MEASURED(
    "rdf/empty-unvisited-many",
    "ours; sections 4.2.1 and 4.4",
    "agrees",
    intervals=SETS * len(DRAWS),
    quantity="share of Mushroom's records that meet an empty leaf",
)
def empty_unvisited_many(effort, rng):
    """With the 100 trees that section 4.4 recommends, a future record of Mushroom or of Claves is more likely than
    not to meet an empty leaf. A record of any of the other twelve sets, SynthG among them, is less likely than not
    to meet one. (The rule of `rdf/empty-unvisited` applies set by set.)"""
    found = {name: _visits(name, 100, effort, rng) for name in printed_rows()}
    likely = {name for name, (low, *_) in found.items() if low > 0.5}
    unlikely = {name for name, (_, _, high, _) in found.items() if high < 0.5}
    two = {"Mushroom", "Claves"}
    agrees, wrong = likely == two and len(unlikely) == SETS - 2, likely - two or unlikely & two
    said = ", ".join(f"{name} {share:.1%}" for name, (_, share, *_) in found.items())
    return Evidence(
        "agrees" if agrees else "differs" if wrong else "undecided",
        "simulated",
        f"With 100 trees these shares of the records meet an empty leaf: {said}.",
        cases=sum(draws for *_, draws in found.values()),
        relation=">",
        published=0.5,
        computed=found["Mushroom"][1],
        intervals=tuple((low, high) for low, _, high, _ in found.values()),
    )


@VISITED.corrected(
    empty_unvisited, where="Section 4.2.1, after Example 1", quantity="chance to meet an empty leaf, in the model"
)
def empty_unvisited_corrected(effort, rng):
    r"""For independent uniform features and random cuts, a record meets an empty leaf of a tree of $n$ other
    records with probability $b_d(n) = \frac{2}{(n+1)(n+2)} \sum_{k \le n} (k+1)\, b_{d-1}(k)$, $b_0(n) = [n =
    0]$."""
    return (yield from by_moments(effort, depths.empty_leaf_visited, lambda k: Fraction(2, k + 2)))


def _visits(name, trees, effort, rng):
    """How often a record that is left out meets an empty leaf: low, share, high and draws.

    Every draw takes a random tree of the printed depth, a fresh random part of the set as its
    records, and one more record; so draws are independent.
    """
    for draws in (effort.pick(1, 2, 8) * d for d in DRAWS):
        hits = sum(_meets_empty(name, trees, rng) for _ in range(draws))
        low, high = interval(hits, draws)
        if not low <= 0.5 <= high:
            break
    return low, hits / draws, high, draws


def _meets_empty(name, trees, rng):
    """True if a record that is left out is alone in its leaf of one of so many trees."""
    X, domain = _records(name)
    held = len(X) * 9 // 10 // trees
    chosen = rng.choice(len(X), held + 1, replace=False)
    leaves, _ = reach_random_leaves(domain, printed_rows()[name].depth, X[chosen], rng=rng)
    return not (leaves[1:] == leaves[0]).any()


@lru_cache(SETS)
def _records(name):
    columns = printed.table("rdf/table-3").columns
    data = datasets.load(next(c["data"] for c in columns if c["name"] == name))
    return data.domain.encode(data.X), data.domain
