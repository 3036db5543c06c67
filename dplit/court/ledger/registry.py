"""A claim as an object: what a paper says, the function that checks it, and the verdict (:doc:`/book/ledger`).

A docket is a module of `dplit.claims`; its place names the chapter. The decorator `claim` takes id,
place in the paper, verdict, theorem box and functions; the check's docstring is the statement, and
its ``corrected`` registers what holds instead.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from dplit.court.ledger.compare import judged
from dplit.court.ledger.evidence import RUN_VERDICTS, VERDICTS, Evidence
from dplit.ground.errors import check_choice
from dplit.ground.work import Effort, is_pattern, nearest, stream

ABOUT = ("statement", "step", "reading", "experiment")
OURS = "ours"  # in the place of a paper: what this book claims of its own forest
PAPERS = {
    "diprime-v1": "DiPriMe v1: Differentially Private Median Forests (2020)",
    "diprime-v2": "DiPriMe v2: Balance is key (2021)",
    "mrf": "Multinomial Random Forest (2019)",
    "rdf": "Random Decision Forests using Smooth Sensitivity (2017), with its ROSNAM addendum (2021)",
    "m-rf": "Matrix Representation of random forests (2025)",
    OURS: "This book's own: boosted forests, and attacks",
}


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, or one of ours that corrects it."""

    id: str  #: "paper/name"; a correction is "paper/name/corrected".
    paper: str  #: Key of `PAPERS`.
    where: str  #: Theorem, equation, table or section of the paper.
    says: str  #: The statement in our words; formulas between dollar signs.
    verdict: str  #: Declared; `check` computes its own, and ``dplit verify`` compares.
    check_function: Callable = field(repr=False)
    holds_instead: str = ""  #: Id of the corrected claim, where the paper's is wrong or loose.
    nothing_instead: str = ""  #: Or why there is no corrected claim.
    ours: bool = False  #: True if no paper states it.
    #: What the verdict is on: a "statement" of the paper; a "step" of a proof whose result stands; a "reading"
    #: of ours that the paper does not print; an "experiment".
    about: str = "statement"
    #: Label of the proof, in the chapter, that covers the cases which are not computed; empty if every case is,
    #: or if there is no proof. Evidence of kind "exact" is then "proved".
    proof: str = ""
    quantity: str = ""  #: Of the evidence, where the check does not say it.
    range: str = ""  #: As `quantity`.
    functions: tuple[str, ...] = ()  #: Dotted names under `dplit` of what computes each side.
    chapter: str = ""  #: Page of the book.
    anchor: str = ""  #: Label of the theorem box there.
    kind: str = "exact"  #: Declared kind of evidence, one of `KINDS`.
    intervals: int = 0  #: How many simulated intervals it uses, at most.

    def check(self, effort: Effort | str = "quick", rng: np.random.Generator | None = None) -> Evidence:
        """Compute the evidence anew; "reader" and "deep" mean wider ranges and more draws.

        Left out, `rng` is seeded with this claim's id: the same answer every time.
        """
        found = self.check_function(Effort(effort), stream(self.id) if rng is None else rng)
        if not isinstance(found, Evidence):
            raise TypeError(f"a check must return Evidence, got {found!r}")
        kind = "proved" if self.proof and found.kind == "exact" else found.kind
        said = {"quantity": found.quantity or self.quantity, "range": found.range or self.range}
        return replace(found, kind=kind, **said)

    @property
    def test(self):
        """Folder of the tests that pin the chapter's claims and laws."""
        return f"tests/{'experiments' if self.chapter.endswith('_experiments') else self.chapter}"

    @property
    def link(self):
        """Address of the chapter's theorem box, relative to the book's pages."""
        return f"{self.chapter}.html" + (f"#{self.anchor}" if self.anchor else "")


_registry: dict[str, Claim] = {}


def registered():
    """The claims of the dockets that have been imported so far, tuple of Claim."""
    return tuple(_registry.values())


def unknown(id, known):
    """What to say of an id that no claim has; a figure's or a table's lists the claims below it."""
    if is_pattern(id):
        return f"no claim matches the pattern {id!r}"
    below = [k for k in known if k.startswith(f"{id}/")]
    if below:
        return f"no claim has the id {id!r}; its claims are {', '.join(below)}"
    return f"no claim has the id {id!r}; {nearest(id, known)}"


def claim(
    id: str,
    where: str | Mapping[str, str],
    verdict: str,
    box: str = "",
    functions: tuple[str, ...] = (),
    *,
    chapter: str = "",
    about: str = "statement",
    proof: str = "",
    broken: str = "",
    **fields,
) -> Callable:
    """Register the decorated ``check(effort, rng) -> Evidence`` as a `Claim`.

    A check that yields comparisons (`dplit.court.ledger.compare`) is judged by them.

    The statement, ``says``, is the check's docstring; the chapter is the docket's place in
    `dplit.claims`. The check gains ``corrected``, a decorator that registers what holds instead.

    `id` is "paper/name". Where `where` maps papers to places, it is the name alone: the claim is then made
    once for each paper, and the check takes the paper as its keyword `paper`. `box`: label of the theorem box
    in the chapter; `chapter`: left out, that of the docket. A claim with `intervals` is of kind "simulated", one
    with a `proof` "proved", unless `kind` says otherwise. `broken`: the verdict where a comparison does not hold;
    left out, "leaks" or "assumes" where that is declared, else "fails". `fields`: further ones of `Claim`. Raises
    a ValueError if an id is registered already, or its paper or the verdict is unknown.
    """

    if fields.get("intervals"):
        fields = {"kind": "simulated"} | fields

    def register(check):
        says = " ".join((inspect.getdoc(check) or "").split())
        if inspect.isgeneratorfunction(check):
            worst = broken or (verdict if verdict in ("leaks", "assumes") else "fails")
            check = judged(check, worst, fields.get("kind", "exact"))
        common = {
            "says": says,
            "chapter": chapter or _chapter(check.__module__),
            "anchor": box,
            "functions": tuple(functions),
            "verdict": check_choice(verdict, VERDICTS + RUN_VERDICTS, "verdict"),
            "about": check_choice(about, ABOUT, "about"),
            "proof": proof,
            "kind": "proved" if proof else "exact",
        }
        ids = []
        for full, place, paper in _stated(id, where):
            if full in _registry:
                raise ValueError(f"id must be unique, {full!r} is registered already")
            own = check_choice(full.split("/")[0], tuple(PAPERS), "paper")
            run = partial(check, paper=paper) if paper else check
            _registry[full] = Claim(id=full, paper=own, where=place, check_function=run, **(common | fields))
            ids.append(full)
        check.corrected = partial(_corrected, ids, box, chapter)
        return check

    return register


def _chapter(module):
    return module.split(".")[3] if module.startswith("dplit.court.claims.") else ""


def _stated(id, where):
    """(id, place, paper) for each paper that makes the statement."""
    if isinstance(where, str):
        return [(id, where, None)]
    return [(f"{paper}/{id}", place, paper) for paper, place in where.items()]


def _corrected(
    ids: list,
    own_box: str,
    chapter: str,
    box: str = "",
    functions: tuple[str, ...] = (),
    *,
    where: str = "ours",
    suffix: str = "corrected",
    **fields,
) -> Callable:
    """Decorator: register ``id/suffix``, which holds and is ours, and name it at each of `ids`.

    `box` is left out for that of the claim that it corrects; `fields` are further ones of `Claim`.
    """

    def register(check):
        papers = {id.partition("/")[0]: where for id in ids}
        name = f"{ids[0].partition('/')[2]}/{suffix}"
        where_of = papers if len(ids) > 1 else where
        new = name if len(ids) > 1 else f"{ids[0]}/{suffix}"
        options = {"ours": True, "chapter": chapter} | fields
        found = claim(new, where_of, "holds", box or own_box, functions, **options)(check)
        for id in ids:
            _registry[id] = replace(_registry[id], holds_instead=f"{id}/{suffix}")
        return found

    return register
