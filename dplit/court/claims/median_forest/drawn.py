"""That the forests draw what their proofs speak of."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

JOINT, SCORE = Box("thm-forest-joint"), Box("thm-forest-score")
PROVED, PUBLISHED, VOTES = Box("alg-forest-proved"), Box("alg-forest"), Box("thm-forest-leaf-votes")

for kind in ("Classifier", "Regressor"):
    for words, selection in (("exponential", "exponential"), ("flip", "permute-and-flip")):
        for box, node, short in ((JOINT, "column and cut", "joint"), (SCORE, "choice of a column", "choice")):
            id = f"diprime-v2/drawn/{short}-{words}-{kind.lower()}"
            claim_on_release(box, id, f"MedianForest{kind}, {node}, {selection}")

claim_on_release(PROVED, "diprime-v2/drawn/class", "MedianForestClassifier, class of a leaf")
claim_on_release(PUBLISHED, "diprime-v2/drawn/class-counts", "MedianForestClassifier, class counts of a leaf")
claim_on_release(VOTES, "diprime-v2/drawn/mean", "MedianForestRegressor, mean of a leaf")
