"""That the forests draw their medians by value."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

VALUE = Box("thm-value-private")

for kind in ("Classifier", "Regressor"):
    for node, words in (("median of a uniform column", "median"), ("candidate", "candidate")):
        claim_on_release(VALUE, f"diprime-v2/drawn/{words}-{kind.lower()}", f"MedianForest{kind}, {node}")
