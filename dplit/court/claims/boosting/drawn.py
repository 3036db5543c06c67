"""That the forests draw what their proofs speak of."""

from dplit.court.ledger.drawn import claims_on_releases

LATER = ", zero-concentrated"
for kind in (f"{name}Forest{what}" for name in ("Boosted", "Private") for what in ("Classifier", "Regressor")):
    pure = {"size": "number of records", "few": "number of records, again", "pairs": "pair sums of a leaf"}
    concentrated = {"pairs-rho": f"pair sums of a leaf{LATER}", "test-rho": f"test of a level{LATER}"}
    if kind.endswith("Classifier"):
        pure |= {"prior": "class counts", "counts": "class counts of a leaf"}
        concentrated |= {"counts-rho": f"class counts of a leaf{LATER}"}
    else:
        pure |= {"prior": "target counts"}
    test = {"test": "test of a level"}
    named = {"thm-boosting-budget": pure, "thm-boosting-concentrated": concentrated, "thm-boosting-monotone": test}
    short = kind.replace("Forest", "-").lower()
    boxes = {label: {f"{short}-{words}": name for words, name in names.items()} for label, names in named.items()}
    claims_on_releases("ours", kind, boxes)
