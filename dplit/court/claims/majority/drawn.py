"""That the label of 2017 is drawn by its weights."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

LOSS = Box("thm-smooth-exponential-loss")

claim_on_release(LOSS, "rdf/drawn/smooth", "SmoothExponential, class")
