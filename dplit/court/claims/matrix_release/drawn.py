"""That what is released is drawn as the proofs have it."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

ERROR, COST = Box("thm-release-error"), Box("thm-release-sensitivity")

for strategy in ("per-tree", "merged"):
    for noise in ("geometric", "laplace"):
        name = f"MatrixForestClassifier, strategy {strategy}, {noise}"
        claim_on_release(ERROR, f"m-rf/drawn/{strategy}-{noise}", name)
for strategy in ("identity", "merged", "p-identity", "tree-norm"):
    name = f"matrix.release, strategy {strategy}, exact noise"
    claim_on_release(COST, f"m-rf/drawn/exact-{strategy}", name)
