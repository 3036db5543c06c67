"""That Gaussian noise is drawn at its least deviation. Derived in :doc:`/book/matrix_forest_experiments`."""

from dplit.court.ledger.box import Box
from dplit.court.ledger.drawn import claim_on_release

MARGINALS = Box("thm-matrix-experiments-gaussian-marginals")

claim_on_release(MARGINALS, "m-rf/drawn/gaussian-marginals", "matrix.GaussianMarginals, counts of a leaf")
