"""Matrix forests in ``dplit audit``: fits drawn many times, and the law of a small one.

All trees test the one column, whose two bins are the cells. The published forest, whose noise is for add-remove
neighbours, tells a replaced record apart beyond the epsilon that it declares.
"""

from functools import partial

import numpy as np
from scipy.stats import gamma

from dplit.court.audit.subject import RO, fits, fits_by_law, leak, subjects_of
from dplit.mechanisms import Geometric

FOREST, HISTOGRAM = "MatrixForestClassifier", "HistogramForestClassifier"
DRAWS = (120, 3000, 20_000)
LEAK = 1.5  # epsilon of a published leak
NORMS = (1200, 5000, 50_000)  # of one dimension less, too
PLACE, OTHER, QUERIES = [0.2], [0.8], [[0.2], [0.8]]
MOST = 4  # released numbers beyond are alike
TWO_BINS = {"max_depth": 1, "bins": 2}
CELLS = TWO_BINS | {"strategy": "identity"}  # and of a histogram only the bins


def rounded(numbers):
    """Whole numbers within +-`MOST`, a tuple."""
    return tuple(np.clip(np.rint(numbers), -MOST, MOST).astype(int).tolist())


def first_of(name, fitted):
    """Summary: the first row of what a fit released, an attribute of this name, rounded."""
    return rounded(np.atleast_1d(getattr(fitted, name)[0]))


def _fit(summary, change, **options):
    """Fits on two records of the first class in one cell; what they declare is their budget."""
    data, summary = ([PLACE, PLACE], [0, 0]), partial(first_of, summary)
    return fits(FOREST, data, change, summary, DRAWS, **CELLS | {"epsilon": 2.0, "n_estimators": 2} | options)


def neither_moved(name, fitted):
    """Summary: whether the first row of counts is at least 2 of the first class, at most 0 of the second."""
    first, second = getattr(fitted, name)[0]
    return bool(first >= 2 and second <= 0)


def _leak(summary, kind=FOREST, **options):
    """Two records of the first class, one of which becomes one of the second, at the add-remove noise."""
    given = CELLS | {"mechanism": "geometric"} if kind is FOREST else {"bins": 2}
    given |= {"epsilon": LEAK, "n_estimators": 1, "neighbours": RO, "accounting": "published"}
    data, swap = ([PLACE, PLACE], [0, 0]), ("replace", PLACE, 1)

    def chances():
        noise = Geometric(LEAK)
        return float(noise.sf(-1)) ** 2, float(noise.sf(0)) ** 2

    return leak(kind, data, swap, partial(neither_moved, summary), LEAK, chances, **given | options)


def norm_of_noise(fitted):
    """Summary: whether both trees test one column, and the norm of the first class's noise, cut at `MOST`."""
    noise = fitted.leaf_counts_[:, 0]  # no record is of that class
    first, second = fitted.trees_.feature[fitted.trees_.roots]
    norm = abs(noise.reshape(2, 2)).sum(axis=1).max()
    return bool(first == second), min(int(norm), MOST)


def _norms():
    """Two trees of a test on one of two columns: the norm has a gamma law of two or three dimensions."""
    law = {}
    for same, dimension in ((True, 2), (False, 3)):
        cuts = gamma(dimension, scale=1 / 1.5).cdf([*range(MOST + 1), np.inf])
        law |= {(same, n): float(p) / 2 for n, p in enumerate(np.diff(cuts))}
    return law


def registered():
    """The subjects of this file."""
    add, swap = ("add", PLACE, 1), ("replace", PLACE, 1)
    both, parts = {"difference": False}, {"release": "subsample", "queries": QUERIES}
    agree = partial(_fit, "leaf_counts_", strategy="tree-norm", **both)
    yield from subjects_of({
        "training, trees that agree": agree(add),
        "training, trees that agree, replace-one": agree(swap, neighbours=RO),
        "published subsample, its budget": _fit("query_votes_", add, **parts, accounting="published"),
        "published training, replace-one": _leak("leaf_counts_", **both),
        "published subsample, replace-one": _leak("query_votes_", **parts),
    }, f"{FOREST}, {{}}")  # fmt: skip
    wide = [PLACE + PLACE] * 3, [1] * 3
    agreeing = partial(fits_by_law, FOREST, wide, _norms, norm_of_noise, NORMS, n_estimators=2,
                       strategy="tree-norm", **TWO_BINS, **both)  # fmt: skip
    yield from subjects_of({
        "draws its law, trees that agree": agreeing(epsilon=1.5),
        "draws its law, trees that agree, replace-one": agreeing(epsilon=3.0, neighbours=RO),
    }, f"{FOREST} {{}}")  # fmt: skip
    yield from subjects_of({"published, replace-one": _leak("cell_counts_", HISTOGRAM)}, f"{HISTOGRAM}, {{}}")
