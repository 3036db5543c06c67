"""That noise of another shape is drawn by its density."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

TREES, KNORM, BLOCK = Box("thm-bounds-trees"), Box("thm-bounds-knorm"), Box("thm-bounds-block")

claim_on_release(TREES, "m-rf/drawn/tree-norm", "MatrixForestClassifier, strategy tree-norm")
claim_on_release(TREES, "m-rf/drawn/norm", "matrix.TreeNorm, norm")
claim_on_release(TREES, "m-rf/drawn/norm-exact", "matrix.TreeNorm, norm, exact noise")
claim_on_release(KNORM, "m-rf/drawn/k-norm", "matrix.KNorm, noise of a coordinate")
claim_on_release(BLOCK, "m-rf/drawn/block", "matrix.BlockNorm, noise of a coordinate")
