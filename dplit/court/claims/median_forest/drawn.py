"""That the forests draw what their proofs speak of. Derived in :doc:`/book/median_forest`."""

from __future__ import annotations

from dplit.court.ledger.drawn import claims_on_releases

KINDS = {"classes": "MedianForestClassifier", "targets": "MedianForestRegressor"}
SELECTIONS = ("exponential", "permute-and-flip")
for short, kind in KINDS.items():
    choices = {f"choice-{s}-{short}": f"choice of a column, {s}" for s in SELECTIONS}
    cuts = {f"cut-{s}-{short}": f"column and cut, {s}" for s in SELECTIONS}
    leaves = {"thm-forest-leaf-votes": {"mean": "mean of a leaf"}}
    if short == "classes":
        leaves = {
            "alg-forest-proved": {"label": "class of a leaf"},
            "alg-forest": {"counts": "class counts of a leaf"},
        }
    boxes = {
        "thm-forest-uniform": {f"median-{short}": "median of a uniform column"},
        "thm-forest-candidates": {f"candidate-{short}": "candidate", **choices},
        "thm-forest-joint": cuts,
    }
    claims_on_releases("diprime-v2", kind, boxes | leaves)
