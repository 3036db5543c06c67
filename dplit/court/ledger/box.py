"""A theorem box of a chapter: declared once, it decorates the checks of the claims that it decides."""

from dplit.court.ledger.registry import claim


class Box:
    """A box's label, the functions that compute it, and what its claims have in common.

    ``@BOX(id, where, verdict)`` registers the check below it, and ``@BOX.corrected(of)`` what holds instead
    of the claim whose check is `of`. What holds is proved in the box, unless ``proved=False``; where the
    place begins with "ours" the claim is this book's own. `functions` are dotted names under `dplit`; a claim
    may name its own. `fields` are those of `dplit.ledger.claim`: quantity, range, kind.
    """

    def __init__(self, label, *functions, **fields):
        self.label, self.functions, self.fields = label, functions, fields

    def __call__(self, id, where, verdict="holds", *functions, proved=None, **fields):
        """Decorator: register a claim."""
        places = [where] if isinstance(where, str) else where.values()
        own = {"ours": True} if all(place.startswith("ours") for place in places) else {}
        proved = verdict == "holds" if proved is None else proved
        given = self.fields | own | {"proof": self.label if proved else ""} | fields
        return claim(id, where, verdict, self.label, functions or self.functions, **given)

    def corrected(self, of, *functions, proved=True, **fields):
        """Decorator: register what holds instead."""
        given = self.fields | {"proof": self.label if proved else ""} | fields
        return of.corrected(self.label, functions or self.functions, **given)
