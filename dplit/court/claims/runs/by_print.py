"""What dockets share whose sentences printed numbers decide alone: their page, and further comparisons."""

from collections.abc import Iterable

from dplit.court.ledger import claim
from dplit.court.ledger.compare import Compared, need

NO_CORRECTION = "the printed table says what holds"
PAGES = {  # by the papers' part of an id: chapter and box
    "diprime-v1": ("median_forest_experiments", "def-experiments-print"),
    "diprime-v2": ("median_forest_experiments", "def-experiments-print"),
    "rdf": ("random_forest_experiments", "rem-rdf-experiments-sets"),
    "mrf": ("multinomial_forest_experiments", "def-mrf-experiments-print"),
    "m-rf": ("matrix_forest_experiments", "def-matrix-experiments-print"),
}


def by_print(id: str, where: str, verdict: str, **fields):
    """Decorator: register a sentence of a paper that printed numbers decide; fields as of `dplit.ledger.claim`."""
    chapter, box = PAGES[id.partition("/")[0]]
    page = {"chapter": chapter, "box": box, "functions": ("ground.printed.table",)}
    return claim(id, where, verdict, **page | fields)


def above(exact: float, stated: float, broken: str = "", **data) -> Compared:
    """``exact > stated``."""
    return need(exact > stated, exact, ">", stated, broken, **data)


def under(exact: float, stated: float, broken: str = "", **data) -> Compared:
    """``exact < stated``."""
    return need(exact < stated, exact, "<", stated, broken, **data)


def in_part(whole: bool, part: bool, exact: float, relation: str, stated: float) -> Compared:
    """A condition that "assumes", without a counterexample, where it is so in part; else it fails."""
    return need(whole, exact, relation, stated, "assumes" if part else "fails")


def listed(words: Iterable[str]) -> str:
    """Words one after the other, or "none"."""
    return "; ".join(words) or "none"
