"""Claims of the two DiPriMe papers that are tables and figures: printed cells and sentences.

A result that comes with the project (`dplit.experiments.stored`) is held against the printed cells,
or against what the paper writes about the figure; see :doc:`/book/median_forest_experiments`. Each
check first computes a part of the result again and stops with an error if a score differs.
"""

from __future__ import annotations

from dplit import experiments
from dplit.claims.core import Evidence, claim
from dplit.experiments import recheck, sentences

PAGE = {
    "chapter": "median_forest_experiments",
    "anchor": "def-experiments-agree",
    "kind": "reproduced",
    "test": "tests/experiments/test_stored.py",
}
RULE = r"$|m - p| \le 2\sqrt{s^2 + q^2}$ plus half a printed digit"


def rechecked(id, effort, rng):
    """The stored result of one experiment, a part of it computed again; and how much of it."""
    result = experiments.stored(id)
    again = recheck.recheck(result, effort.pick(1, 3, 20), rng)
    for key, r, stored, now in again:
        if not recheck.same(stored, now):
            raise AssertionError(f"{id}: {key}, repetition {r}: stored {stored}, now {now}")
    return result, len(again)


def table_claim(id, says, verdict):
    """Register the claim that a printed table is what its algorithm gives."""

    @claim(
        id, where=id.partition("/")[2].replace("-", " ").capitalize(), verdict=verdict, says=says,
        nothing_instead="the table's published and proved columns are our runs, and the notes on "
        "single cells say why they differ, as far as it is known" if verdict == "fails" else "",
        functions=("experiments.compare", "experiments.agree"), **PAGE,
    )  # fmt: skip
    def _check(effort, rng):
        result, again = rechecked(id, effort, rng)
        rows = experiments.compare(id, result)
        yes, no, missing = experiments.tally(rows)
        differ = {
            f"{r.data}/{r.row}": {"printed": r.printed.value, "ours": r.published[0],
                                  "deviation": r.published[1], "why": r.why}
            for r in rows if r.agrees is False
        }  # fmt: skip
        return Evidence(
            "fails" if differ else "holds", "reproduced",
            f"{yes} printed cells agree within the combined deviation, {no} do not, {missing} are "
            f"not run; {again} stored scores computed again are equal.",
            cases=yes + no, counterexample=differ or None,
        )  # fmt: skip


def figure_claim(id, verdict):
    """Register the claim that what the paper writes about a figure is so in our runs."""
    of = sentences.of(id)

    @claim(
        id, where=id.partition("/")[2].replace("-", " ").capitalize(), verdict=verdict,
        says=" ".join(s.says for s in of),
        nothing_instead="the sentences that fail are about single runs; the evidence has our numbers"
        if verdict == "fails" else "",
        functions=("experiments.sentences.decide",), **PAGE,
    )  # fmt: skip
    def _check(effort, rng):
        result, again = rechecked(id, effort, rng)
        found = {}
        for s in of:
            others = [experiments.stored(other) for other in s.others]
            found[s.says] = sentences.decide(s, result, others)
        wrong = {says: words for says, (holds, words) in found.items() if holds is False}
        decided = [holds for holds, _ in found.values() if holds is not None]
        if not decided:
            raise LookupError(f"{id}: no sentence could be decided; run `dplit experiment {id}`")
        return Evidence(
            "fails" if wrong else "holds", "reproduced",
            f"Of {len(of)} sentences {sum(decided)} hold in our runs, {len(wrong)} do not, "
            f"{len(of) - len(decided)} are not decided; {again} stored scores computed again are "
            "equal.",
            cases=len(decided), counterexample=wrong or None,
        )  # fmt: skip


TABLE = (
    f"Each printed cell is what the algorithm gives: {RULE}, for a mean $m$ and a deviation $s$ of "
    "our repetitions, and $p$ and $q$ as printed."
)
table_claim("diprime-v1/table-1", TABLE, "fails")
table_claim("diprime-v1/table-2", TABLE, "fails")
table_claim("diprime-v2/table-1", TABLE, "fails")
table_claim("diprime-v2/table-2", TABLE, "fails")
figure_claim("diprime-v1/figure-1", "holds")
figure_claim("diprime-v1/figure-3", "fails")
figure_claim("diprime-v1/figure-4", "fails")
figure_claim("diprime-v1/figure-5", "fails")
figure_claim("diprime-v1/figure-6", "holds")
figure_claim("diprime-v2/figure-1", "fails")
figure_claim("diprime-v2/figure-2", "fails")
figure_claim("diprime-v2/figure-3", "fails")
figure_claim("diprime-v2/figure-4", "holds")
figure_claim("diprime-v2/figure-5", "fails")
figure_claim("diprime-v2/figure-6", "holds")
figure_claim("diprime-v2/figure-7", "holds")
figure_claim("diprime-v2/figure-8", "holds")
