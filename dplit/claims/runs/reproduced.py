"""Claims that are tables and figures: what every one of them does.

A result that comes with the project (`dplit.experiments.stored`) is held against the printed cells,
or against what the paper writes about the figure. Each check first computes a part of the result
again and stops with an error if a score differs.
"""

from __future__ import annotations

from dplit import experiments
from dplit.experiments import recheck, sentences
from dplit.ledger import Evidence, claim

TABLE = (
    "Each printed cell is what the algorithm gives: "
    r"$|m - p| \le 2\sqrt{s^2 + q^2}$ plus half a printed digit, for a mean $m$ and a deviation $s$ of "
    "our repetitions, and $p$ and $q$ as printed."
)


def _where(id):
    """Table or figure, as the paper calls it."""
    return id.partition("/")[2].replace("-", " ").capitalize()


def rechecked(id, effort, rng):
    """The stored result of one experiment, a part of it computed again; and how much of it."""
    result = experiments.stored(id)
    again = recheck.recheck(result, effort.pick(1, 3, 20), rng)
    for key, r, stored, now in again:
        if not recheck.same(stored, now):
            raise AssertionError(f"{id}: {key}, repetition {r}: stored {stored}, now {now}")
    return result, len(again)


def table_claim(id, verdict, page, name="", says=TABLE):
    """Register the claim that a printed table is what its algorithm gives.

    Parameters
    ----------
    id : str
        Of the table's experiment.
    verdict : str
    page : dict
        Chapter, anchor and test of the claim.
    name : str
        Id of the claim, where it is not the experiment's.
    says : str
    """

    @claim(
        name or id, where=_where(id), verdict=verdict, says=says, kind="reproduced",
        nothing_instead="the table's published and proved columns are our runs, and the notes on "
        "single cells say why they differ, as far as it is known" if verdict == "fails" else "",
        functions=("experiments.compare", "experiments.agree"), **page,
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


def figure_claim(id, verdict, page):
    """Register the claim that what the paper writes about a figure is so in our runs.

    Parameters as `table_claim`.
    """
    of = sentences.of(id)

    @claim(
        id, where=_where(id), verdict=verdict, says=" ".join(s.says for s in of), kind="reproduced",
        nothing_instead="the sentences that fail are about single runs; the evidence has our numbers"
        if verdict == "fails" else "",
        functions=("experiments.sentences.decide",), **page,
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
