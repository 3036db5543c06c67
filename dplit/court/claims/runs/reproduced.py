"""Claims about tables and figures: what every one of them does.

A stored result (`dplit.experiments.stored`) is held against the printed cells, or against a sentence about a
figure, and decides the verdict alone; a sentence that needs cells which are not stored is undecided. That a result
is what the code gives is checked by running tasks of it again (`dplit.experiments.recheck`): one for effort
"quick", three for "reader", the same on every call and once in a process; "deep" draws five more for each claim.
A check stops with an error if a score differs.
"""

import inspect
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from dplit.court import experiments
from dplit.court.claims import runs
from dplit.court.experiments import rule
from dplit.court.experiments.curves import NotRun
from dplit.court.ledger import Evidence, claim
from dplit.ground.printed import data_file
from dplit.ground.work import stream

TABLE = (
    "Each printed cell is what the algorithm gives: the whole interval for the difference between our mean and "
    "the printed number is within a tolerance of zero. The tolerance is one percentage point for accuracies "
    "and other shares and a tenth of the value for errors, plus in each case half a unit of the last digit."
)
NO_CELLS = (
    "the table's published and proved columns are our runs, and the notes on single cells say why "
    "they differ, as far as it is known"
)
NO_SENTENCE = "the sentence is about single runs; the evidence has our numbers"
SENTENCES = {}  # id: () -> (rule.Part, words)
FIGURES = {}  # id: the experiment that the sentence is about


def place(id):
    """Table or figure, as the paper calls it: the second part of an id."""
    return id.split("/")[1].replace("-", " ").capitalize()


def paper(id):
    """The paper whose runs an experiment repeats, or "bench": the first part of an id."""
    return id.split("/")[0]


def counted(n, one, many=""):
    """A number with its noun: "1 tie", "3 losses"."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def rechecked(id, effort, rng):
    """The stored result of one experiment, and how many of its scores were computed again; (None, 0) if
    there is none."""
    try:
        result = experiments.stored(id)
    except FileNotFoundError:
        return None, 0
    again = _once(id, effort.pick(1, 3, 3))
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


@cache
def levels():
    """The level of each sentence, by the number of them about its paper's runs: dict of id to float."""
    for module in iter_modules(runs.__path__):
        import_module(f"{runs.__name__}.{module.name}")
    return rule.levels({id: paper(figure) for id, figure in FIGURES.items()})


def _sentence(id, where, figure, verdict, decide, functions, nothing, **fields):
    """Register a sentence and its claim; `decide` gives its part and its numbers in words."""

    def parts():
        try:
            return decide()
        except (NotRun, FileNotFoundError) as missing:
            return rule.OPEN, f"not run: {missing}"

    SENTENCES[id], FIGURES[id] = parts, figure

    @claim(
        id, where, verdict, functions=functions, about="experiment", kind="reproduced",
        nothing_instead=nothing if verdict == "differs" else "", **fields,
    )  # fmt: skip
    def _check(effort, rng):
        _, again = rechecked(figure, effort, rng)
        return evidence(*parts(), levels()[id], again)


def evidence(part: rule.Part, numbers: str, level: float, again: int) -> Evidence:
    """Evidence of a sentence: its verdict, and the interval that decides.

    `numbers` are ours, in words; `again` is how many stored scores were computed again.
    """
    verdict, found = part.verdict(level), part.decided_by(level)
    same = f"{counted(again, 'stored score')} computed again {'is' if again == 1 else 'are'} equal"
    words, sides = f"{numbers}; {same}.", {}
    if found:
        seen, (low, high) = found
        must = f"{seen.relation} {seen.limit:.4g}"
        words = f"{seen.name}: {seen.mean:.4g}, interval {low:.4g} to {high:.4g}, must be {must}; {words}"
        sides = {"computed": seen.mean, "published": seen.limit, "relation": seen.relation}
        sides |= {"quantity": seen.name, "range": f"{seen.n} repetitions, level {level:.2g}"}
        decides = {"interval": [low, high], "must be": must, "p": part.p}
    else:
        sides = {"range": "open: the runs do not cover it"}
        decides = {}
    return Evidence(
        verdict, "reproduced", words,
        counterexample={"ours": numbers, **decides} if verdict == "differs" else None, **sides,
    )  # fmt: skip


def table_claim(id: str, verdict: str, *, chapter: str, box: str, name: str = ""):
    """Register the claim that a printed table is what its algorithm gives.

    `id` is that of the table's experiment, and of the claim where it has no `name` of its own.
    """

    def decide():
        rows = experiments.compare(id, experiments.stored(id))
        counts = "{} printed cells agree, {} differ, {} are undecided, {} are not run"
        parts = [r.part for r in rows if r.verdict != "not run"]
        return rule.all_of(parts) if parts else rule.OPEN, counts.format(*experiments.tally(rows))

    functions = ("experiments.compare", "court.experiments.rule.within")
    _sentence(
        name or id, place(id), id, verdict, decide, functions, NO_CELLS, says=TABLE, chapter=chapter, box=box
    )


def said(
    id: str,
    verdict: str,
    others: Sequence[str] = (),
    *,
    chapter: str,
    box: str,
    functions: tuple = ("court.experiments.rule.above",),
    ours: bool = False,
    name: str = "",
    where: str = "",
    says: str = "",
    **given,
):
    """Decorator: register ``test(result, *others, **given) -> (Part, numbers)`` as one sentence's claim.

    The test's docstring is the sentence; ``{other}`` in it is the first other figure. Several
    decorators on one test are one sentence of several papers or figures.

    `id`: "paper/figure-N/word": the figure's experiment, and a word for the sentence. `others`: ids of further
    experiments whose stored results it needs. `ours`: true if no paper writes it. `name`, `where`: id and place of
    the claim, where they are not the figure's. `says`: the sentence, where one test decides several. `**given`:
    what the test takes beside the results.
    """
    figure = id.rpartition("/")[0]

    def register(test):
        text = says or inspect.getdoc(test)
        if others:
            text = text.replace("{other}", place(others[0]).lower())

        def decide():
            return test(*map(experiments.stored, (figure, *others)), **given)

        _sentence(
            name or id, where or place(id), figure, verdict, decide, functions, NO_SENTENCE,
            says=" ".join(text.split()), chapter=chapter, box=box, ours=ours,
        )  # fmt: skip
        return test

    return register


def rows(file: str, *tests: Callable, **page):
    """Register the sentences of ``data/sentences/FILE.toml``, a table each, by its id.

    Each says which of `tests` decides it; what is neither a field of `said` nor of `page` the test is given.
    """
    known = {test.__name__: test for test in tests}
    for id, row in tomllib.loads(data_file(f"sentences/{file}.toml").read_text("utf-8")).items():
        test = known[row.pop("test")]
        said(id, row.pop("verdict"), **page | row)(test)
