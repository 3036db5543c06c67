"""Claims about tables and figures: what every one of them does.

A result that comes with the project (`dplit.experiments.stored`) is held against the printed cells,
or against one sentence that the paper writes about a figure. The verdict rests on the stored result
alone. That the result is what the code gives is checked by running tasks of it again
(`dplit.experiments.recheck`), and a check stops with an error if a score differs:

=======  ===========================================================================================
effort   what is run again
=======  ===========================================================================================
quick    one task of the experiment, the same on every call
reader   three tasks of the experiment, the same on every call
deep     these three, and five more for each claim, drawn from its generator
=======  ===========================================================================================

The tasks that are the same on every call run once in a process, however many sentences a figure has.
Cells that a sentence needs and that are not stored are an error: it is then not decided.
"""

from __future__ import annotations

import inspect
from functools import cache

from dplit import experiments
from dplit.ledger import Evidence, claim
from dplit.work import stream

TABLE = (
    "Each printed cell is what the algorithm gives: "
    r"$|m - p| \le 2\sqrt{s^2 + q^2}$ plus half a printed digit, for a mean $m$ and a deviation $s$ of "
    "our repetitions, and $p$ and $q$ as printed."
)
NO_CELLS = (
    "the table's published and proved columns are our runs, and the notes on single cells say why "
    "they differ, as far as it is known"
)
WORDS = {True: "holds", False: "fails"}  # what a sentence's test comes to
NO_SENTENCE = "the sentence is about single runs; the evidence has our numbers"


def place(id):
    """Table or figure, as the paper calls it: the second part of an id."""
    return id.split("/")[1].replace("-", " ").capitalize()


def rechecked(id, effort, rng):
    """The stored result of one experiment, and how many of its scores were computed again."""
    result, again = experiments.stored(id), _once(id, effort.pick(1, 3, 3))
    return result, again + (_equal(result, 5, rng) if effort == "deep" else 0)


@cache
def _once(id, n):
    """As `_equal`; the tasks depend on the experiment alone."""
    return _equal(experiments.stored(id), n, stream(id))


def _equal(result, n, rng):
    """Run `n` tasks of a result again: how many there were. One that differs is an AssertionError."""
    again = experiments.recheck(result, n, rng)
    for key, r, stored, now in again:
        if not experiments.same(stored, now):
            where = f"{result.experiment}: {key}, repetition {r}"
            raise AssertionError(f"{where}: stored {stored}, now {now}")
    return len(again)


def table_claim(id, verdict, *, chapter, box, name=""):
    """Register the claim that a printed table is what its algorithm gives.

    Parameters
    ----------
    id : str
        Of the table's experiment.
    verdict, chapter, box : str
    name : str
        Id of the claim, where it is not the experiment's.
    """

    @claim(
        name or id, place(id), verdict, box, ("experiments.compare", "experiments.agree"),
        chapter=chapter, says=TABLE, kind="reproduced",
        nothing_instead=NO_CELLS if verdict == "fails" else "",
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


def said(id, verdict, others=(), *, chapter, box, functions=("experiments.stored",), **given):
    """Decorator: register ``test(result, *others, **given) -> (holds, numbers)`` as one sentence's claim.

    The test's docstring is the sentence; ``{other}`` in it is the first other figure. Several
    decorators on one test are one sentence of several papers or figures.

    Parameters
    ----------
    id : str
        "paper/figure-N/word": the figure's experiment, and a word for the sentence.
    verdict : str
    others : sequence of str
        Ids of further experiments whose stored results it needs.
    chapter, box : str
    functions : tuple of str
    **given
        What the test takes beside the results.
    """
    figure = id.rpartition("/")[0]

    def register(test):
        says = inspect.getdoc(test)
        if others:
            says = says.replace("{other}", place(others[0]).lower())

        @claim(
            id, place(id), verdict, box, functions, chapter=chapter, says=" ".join(says.split()),
            kind="reproduced", nothing_instead=NO_SENTENCE if verdict == WORDS[False] else "",
        )  # fmt: skip
        def _check(effort, rng):
            result, again = rechecked(figure, effort, rng)
            holds, numbers = test(result, *map(experiments.stored, others), **given)
            return Evidence(
                WORDS[bool(holds)], "reproduced",
                f"{numbers}; {again} stored scores computed again are equal.",
                counterexample=None if holds else {"ours": numbers},
            )  # fmt: skip

        return test

    return register
