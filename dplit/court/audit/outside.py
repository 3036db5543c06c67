"""What draws from diffprivlib's random forest prove, which ``data/peers/forest.py`` made without this package."""

import json

import numpy as np

from dplit.court.audit.blackbox import bound_from_draws
from dplit.ground.printed import data_file


def bounds(confidence: float = 1 - 1e-6) -> list[dict]:
    """Return what the stored draws prove of each case.

    A case has its data and neighbour, the epsilon that it declares, and the `LowerBound` of its loss.
    """
    rng = np.random.default_rng(0)  # of the order within a half, which the counts have lost

    def ordered(half):
        return rng.permutation(np.repeat(list(half), list(half.values()))).tolist()

    stored = json.loads(data_file("results/audit/diffprivlib.json").read_text(encoding="utf-8"))
    return [
        case | {"bound": bound_from_draws(*([d for half in side for d in ordered(half)]
                                            for side in case["drawn"]), confidence)}
        for case in stored["cases"]
    ]  # fmt: skip
