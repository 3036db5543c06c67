"""That a fit draws the cells' counts that the chapter speaks of."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

CELLS = Box("thm-matrix-forest-histogram")

for noise in ("geometric", "laplace"):
    claim_on_release(CELLS, f"m-rf/drawn/cells-{noise}", f"HistogramForestClassifier, counts of a cell, {noise}")
    claim_on_release(CELLS, f"m-rf/drawn/identity-{noise}", f"MatrixForestClassifier, strategy identity, {noise}")
claim_on_release(CELLS, "ours/drawn/private-classifier-cells", "PrivateForestClassifier, counts of a cell")
