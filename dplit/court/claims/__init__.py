"""Every claim of the five papers, each with the computation that decides it.

A chapter's claims are its docket, the module of its name below this one, loaded when it is asked for. `of` gives
one chapter's, `all` every claim, `get` one by its id, and ``Claim.check`` computes its evidence anew:

>>> from dplit import claims
>>> claims.of("majority")["rdf/theorem-1"].check().verdict
'fails'
"""

import re
from importlib import import_module
from pkgutil import iter_modules

from dplit.court.ledger import PAPERS, interval
from dplit.court.ledger.certify import Statement
from dplit.court.ledger.registry import registered, unknown
from dplit.court.ledger.table import table
from dplit.ground.work import nearest

__all__ = ["Docket", "Statement", "all", "get", "interval", "of", "sentences", "table"]

RUNS = "runs"  # dockets of the chapters on experiments


class Docket(tuple):
    """Claims in order; by its id, ``docket["rdf/theorem-1"]`` is one of them."""

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        for claim in self:
            if claim.id == key:
                return claim
        raise KeyError(unknown(key, [c.id for c in self]))


def of(chapter):
    """The claims of one chapter; imports that chapter's docket alone.

    Raises a ValueError if no docket has claims of this chapter; the message names the nearest.
    """
    below = {m.name for m in iter_modules(__path__) if m.name != RUNS}
    _load(chapter if chapter in below else RUNS)
    found = Docket(sorted((c for c in registered() if c.chapter == chapter), key=_order))
    if not found:
        raise ValueError(f"no chapter {chapter!r} has claims; {nearest(chapter, sorted(below))}")
    return found


def all(paper=None):
    """Every claim, by paper and id; those of one `paper` if it is given."""
    for module in iter_modules(__path__):
        _load(module.name)
    return Docket(sorted((c for c in registered() if paper is None or c.paper == paper), key=_order))


def sentences(claims):
    """The sentences about runs among these claims as a table: see `dplit.court.claims.runs.told.sentences`."""
    return import_module(f"{__name__}.{RUNS}.told").sentences(claims)


def get(id):
    """The claim with this id; an unknown one is an error that names the nearest."""
    return all()[id]


def _load(name):
    """Import a docket: one module, or each module of a folder."""
    module = import_module(f"{__name__}.{name}")
    for part in iter_modules(getattr(module, "__path__", ())):
        import_module(f"{module.__name__}.{part.name}")


def _order(claim):
    """By paper, then by id with its numbers as numbers, so that figure 10 follows figure 9."""
    parts = [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", claim.id)]
    return list(PAPERS).index(claim.paper), [(isinstance(p, str), p) for p in parts]
