"""That fits draw each strategy's noise."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

BOXES = {
    "regions": Box("thm-strategy-regions"),
    "weighted": Box("thm-strategy-members"),
    "marginals": Box("thm-strategy-marginals"),
    "disjoint": Box("rem-strategy-disjoint"),
}

for strategy, box in BOXES.items():
    for noise in ("geometric", "laplace"):
        name = f"MatrixForestClassifier, strategy {strategy}, {noise}"
        claim_on_release(box, f"m-rf/drawn/{strategy}-{noise}", name)
name = "MatrixForestClassifier, strategy p-identity, laplace"  # whose entries are no whole numbers
claim_on_release(BOXES["regions"], "m-rf/drawn/p-identity-laplace", name)
