"""That the forest draws what its proof speaks of."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

claim_on_release(Box("alg-random-forest"), "rdf/drawn/class", "RandomDecisionForestClassifier, class of a leaf")
