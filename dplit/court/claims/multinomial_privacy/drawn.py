"""That the forests draw what their proofs speak of."""

from dplit.court.ledger.drawn import claims_on_releases

LABEL = "class of a leaf"
claims_on_releases(
    "mrf",
    "MultinomialForestClassifier",
    {
        "thm-mprivacy-node": {"cut": "column and cut", "cut-normalised": "column and cut, normalised"},
        "thm-mprivacy-forest": {"label": LABEL},
        "thm-mprivacy-feature": {"column-published": "column, published"},
        "thm-mprivacy-value": {"value-published": "value, published"},
        "thm-mprivacy-label": {"label-published": f"{LABEL}, published"},
    },
)
