"""That the forests draw what their proofs speak of. Derived in :doc:`/book/multinomial_privacy`."""

from __future__ import annotations

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claims_on_releases

claims_on_releases("MultinomialForestClassifier", {"column and cut": (Box("BOX_CUT"), "mrf/drawn/cut")})
