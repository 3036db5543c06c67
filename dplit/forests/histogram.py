"""The histogram beneath a matrix forest, and any learner on its counts. Derived in :doc:`/book/matrix_forest`."""

import math
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from dplit.budget import Group, Parallel
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.blocks import in_parts
from dplit.forests.cells import Cells
from dplit.forests.parameter_checks import GUESS, check_bins, check_depth
from dplit.forests.partition import REPLACED
from dplit.forests.releases import laplace_counts, noisy_counts
from dplit.ground.errors import check_choice
from dplit.matrix.forest import mixed_mean, posterior_mean
from dplit.matrix.paths import cells_of, data_matrix

RULES = ("shrunk", "mixed", "clipped")
NOISES = {"geometric": noisy_counts, "laplace": laplace_counts}
MOST_COUNTS = 5_000_000  # cells times classes
MOST_RECORDS = 1_000_000  # that a learner without weights is given
MOST = 2**62  # records of a released count, as of geometric noise: Laplace noise may be wider
LEAF_SHARE = 0.01
USUAL_BINS = 5
ASKED = 100_000  # cells that a learner is asked for at once


def weights_of(counts: np.ndarray, rule: str, epsilon: float) -> np.ndarray:
    """Released counts, of noise at the rate `epsilon`, as weights of records by a rule that reads them alone.

    None is below 0; shape (n_cells, n_classes). The rules: "shrunk", `dplit.matrix.forest.posterior_mean` with the
    released counts' own mean; "mixed", `dplit.matrix.forest.mixed_mean`; "clipped", what is above 0.
    """
    if rule == "clipped":
        return np.maximum(counts, 0).astype(float)
    counts = np.clip(counts, -MOST, MOST)
    whole = np.rint(counts).astype(np.int64)
    if rule == "mixed":
        return mixed_mean(whole, math.exp(-epsilon))
    mean = max(float(counts.sum(dtype=float)), 1.0) / counts.size
    return posterior_mean(whole, math.exp(-epsilon), mean)


class LabelledRecords(NamedTuple):
    """A part of the records, and the classes in the order of the list."""

    records: np.ndarray
    codes: np.ndarray


def cell_counts(part, cells, ranks):
    """Class counts of all cells, int64 array of shape (n_cells, n_classes); `ranks` are of the classes."""
    codes = cells.codes(part.records)
    return data_matrix(codes, ranks[part.codes], cells.n_levels, len(ranks))


def _predicts_shares(forest):
    if hasattr(forest, "cell_labels_"):
        return hasattr(forest, "cell_shares_")
    return forest.learner is None or hasattr(forest.learner, "predict_proba")


def _repeated(weights):
    """Each place as often as its weight, rounded; of more than `MOST_RECORDS` in all, that many in proportion."""
    copies = np.rint(weights)
    if weights.sum() > MOST_RECORDS:
        copies = np.diff(np.rint(np.cumsum(weights / weights.sum()) * MOST_RECORDS), prepend=0.0)
    copies = copies if copies.any() else weights == weights.max()
    return np.repeat(np.arange(len(weights)), copies.astype(np.int64))


def _codes(at, cells):
    """Levels of these cells, as the floats that learners take, shape (n, n_features)."""
    return np.column_stack(np.unravel_index(at, cells.n_levels.tolist())).astype(float)


@parameters
class HistogramForestClassifier(BaseForestClassifier):
    r"""Noisy class counts of all cells of the domain, and a learner on them.

    This is what a matrix forest releases wherever its strategy is the identity. The counts are released once, for
    `epsilon`; what the learner does with them costs nothing, nor does trying another one on `cell_counts_`.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive; ``inf`` releases the counts themselves.
    domain, classes, neighbours
        As of `dplit.PrivateForestClassifier`.
    n_estimators, max_depth : int, int or None
        Trees of the learner and their depth, if `learner` is left out: scikit-learn's random forest,
        with all columns at each node and leaves that hold at least a hundredth of the weight.
    release : {"shrunk", "mixed", "clipped"}
        What is given to the learner as weights: the mean of each count given what was released, with a
        geometric prior of the released counts' mean (`dplit.matrix.forest.posterior_mean`) or with a mixture of
        them for cells of very different sizes (`dplit.matrix.forest.mixed_mean`), or what of the released
        counts is above 0.
    learner : scikit-learn classifier, optional
        Any. It gets a record for each cell and class, as codes of levels, weighted by the count; if its
        ``fit`` takes no weights, as many records as the count rounded, or if these are more than 1,000,000,
        that many in proportion to the counts.
    mechanism : {"geometric", "laplace"}
        Noise on the counts.
    bins : int, optional
        Levels that each continuous column is cut into, of equal width between its public bounds. Left out, 5,
        or where that are more counts than can be released, as many fewer as for 10,000 `n_records`.
    n_records : int, optional
        A public number of records. Given, there are so many fewer `bins`, but two, that one of
        ``n_records * epsilon`` or more is for each cell and class; left out, the domain alone decides.
    accounting : {"proved", "published"}
        "proved" halves the rate for replace-one neighbours. "published" has noise for add-remove
        neighbours whatever they are, and the budget shows what that costs.
    records_per_person, noise, random_state, n_jobs
        As of `dplit.PrivateForestClassifier`; `random_state` also decides the learner's, if it has none,
        and noise of both mechanisms may be secure.

    Attributes
    ----------
    budget_ : Budget
    cell_counts_ : int64 or float64 array, shape (n_cells, n_classes)
        What was released, in the order of `dplit.matrix.Paths.matrix` and of `classes_`.
    learner_ : scikit-learn classifier
        Fitted to the counts; its classes are positions in `classes_`. A file has no place for it, and a loaded
        forest answers without it.
    cell_labels_ : int64 array, shape (n_cells,)
        Position in `classes_` of what the learner predicts in each cell: the domain has finitely many.
    cell_shares_ : float64 array, shape (n_cells, n_classes)
        Its probability of each class, if it has a ``predict_proba``.
    noise_ : {"secure", "simulation"}
        What was drawn: see `noise`.
    cells_ : Cells
        Levels of each column.
    classes_, domain_, n_features_in_, feature_names_in_, n_classes_
        As in scikit-learn.

    Examples
    --------
    >>> from dplit import datasets
    >>> from dplit.forests import HistogramForestClassifier
    >>> data = datasets.load("car")
    >>> schema = {"domain": data.domain, "classes": data.classes}
    >>> forest = HistogramForestClassifier(2.0, **schema, random_state=0)
    >>> forest.fit(data.X, data.y).budget_.epsilon
    2.0
    """

    n_estimators: int = 100
    max_depth: int | None = None
    release: str = "shrunk"
    learner: object = None
    mechanism: str = "geometric"
    bins: int | None = None
    n_records: int | None = None
    not_saved = ("learner_",)
    _in_parts = True
    _is_exact = True

    def fit(self, X: Any, y: Any) -> Self:
        """Release the counts, and fit the learner to them. See `BaseForest.fit`; `X` and `y` may be Dask's."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        return self._fit_encoded(records, domain, domain_node, *self._read_classes(y))

    def _fit_encoded(self, records, domain, domain_node, codes, classes, class_node):
        halved = self.neighbours == "replace-one" and self._is_proved()
        rate = self._record_epsilon() / (2 if halved else 1)
        cells = Cells(domain, self._bins(domain, len(classes), rate))
        self._check_width(cells, len(classes))
        ranks = self._store_classes(classes)

        rng = self._generator()
        parts = in_parts(records, codes, LabelledRecords, kept=False)
        table = parts.total(cell_counts, cells, ranks)
        self.cell_counts_, cell = NOISES[self.mechanism](table, rate, rng)
        cell = replace(cell, name="class counts of a cell")
        node = Parallel("cells", (cell,), "a record lies in one cell")
        if self.neighbours == "replace-one":
            node = Group("cells after a replacement", node, 2, "replace-one", REPLACED)
        self.cells_ = cells
        self.learner_ = self._learned(cells, rate, rng)
        self._ask_learner(cells)
        return self._store(domain, None, domain_node, class_node, node)

    def _check(self):
        super()._check()
        check_choice(self.release, RULES, "release")
        check_choice(self.mechanism, tuple(NOISES), "mechanism")
        if self.bins is not None:
            check_bins(self.bins)
        if self.max_depth is not None:
            check_depth(self.max_depth, 1)
        if self.learner is not None and not (hasattr(self.learner, "fit") and is_classifier(self.learner)):
            raise ValueError(f"learner must be a scikit-learn classifier or None, got {self.learner!r}")

    def _bins(self, domain, n_classes, rate):
        """`bins`, or the most below it whose counts are worth their noise."""
        bins, n_records = USUAL_BINS if self.bins is None else self.bins, self.n_records
        if n_records is None and self.bins is None and Cells(domain, bins).n_cells * n_classes > MOST_COUNTS:
            n_records = GUESS
        if n_records is None:
            return bins
        worth = min(n_records * rate, MOST_COUNTS) / n_classes
        fewer = range(bins, min(bins, 2), -1)
        return next((b for b in fewer if Cells(domain, b).n_cells <= worth), min(bins, 2))

    def _check_width(self, cells, n_classes):
        if cells.n_cells * n_classes > MOST_COUNTS:
            raise ValueError(
                f"domain has {cells.size_in_words} cells and {n_classes} classes, more than the "
                f"{MOST_COUNTS:,} counts that can be released: take fewer columns or bins, or a "
                "MatrixForestClassifier with strategy='per-tree' or 'merged'"
            )

    # The learner --------------------------------------------------------------------------------

    def _learned(self, cells, rate, rng):
        weights = weights_of(self.cell_counts_, self.release, rate).ravel()
        if not weights.any():
            weights = np.ones_like(weights)  # nothing is known of any class
        learner = self._fresh(rng)
        weighted = has_fit_parameter(learner, "sample_weight")
        held = np.flatnonzero(weights) if weighted else _repeated(weights)
        at, labels = np.divmod(held, self.n_classes_)
        if len(np.unique(labels)) == 1:  # many learners take no single class
            learner = DummyClassifier(strategy="most_frequent")
        return learner.fit(_codes(at, cells), labels, **({"sample_weight": weights[held]} if weighted else {}))

    def _fresh(self, rng):
        """The learner, unfitted, with a seed of its own where it has none."""
        learner = self._own_learner() if self.learner is None else clone(self.learner)
        (stream,) = rng.spawn(1)
        seeds = {
            name: int(stream.integers(2**31))
            for name, value in learner.get_params(deep=True).items()
            if name.split("__")[-1] == "random_state" and value is None
        }
        return learner.set_params(**seeds)

    def _own_learner(self):
        from sklearn.ensemble import RandomForestClassifier  # slow to import

        return RandomForestClassifier(
            self.n_estimators, max_depth=self.max_depth, max_features=None,
            min_weight_fraction_leaf=LEAF_SHARE, n_jobs=self.n_jobs,
        )  # fmt: skip

    def _ask_learner(self, cells):
        """Keep what the learner predicts in every cell."""
        cuts = range(ASKED, cells.n_cells, ASKED)
        parts = [_codes(at, cells) for at in np.split(np.arange(cells.n_cells), cuts)]
        self.cell_labels_ = np.concatenate([self.learner_.predict(part) for part in parts])
        vars(self).pop("cell_shares_", None)  # of an earlier fit
        if hasattr(self.learner_, "predict_proba"):
            self.cell_shares_ = np.zeros((cells.n_cells, self.n_classes_))
            shares = np.concatenate([self.learner_.predict_proba(part) for part in parts])
            self.cell_shares_[:, self.learner_.classes_] = shares

    @property
    def feature_importances_(self) -> np.ndarray:
        """The learner's, where it has them: it knows the released counts alone."""
        check_is_fitted(self, "budget_")
        if not hasattr(self, "learner_"):
            raise AttributeError("feature_importances_ are the learner's: a loaded forest has its answers alone")
        return self.learner_.feature_importances_

    def apply(self, X: Any) -> np.ndarray:
        """Cell that each record lies in. Returns an int64 array, shape (n_records, 1); rows of `cell_counts_`."""
        return self._rows(X)[:, None]

    def _rows(self, X):
        """Row of `cell_counts_` in which each record is counted."""
        return cells_of(self.cells_.codes(self._read(X)), self.cells_.n_levels)

    def predict(self, X: Any) -> np.ndarray:
        """Class that the learner predicts. Returns an array of classes, shape (n_records,)."""
        rows = self._rows(X)  # first: it says if nothing was fitted
        return self.classes_[self.cell_labels_[rows]]

    @available_if(_predicts_shares)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The learner's probability of each class.

        Returns a float64 array, shape (n_records, n_classes), in the order of `classes_`.
        """
        rows = self._rows(X)
        return self.cell_shares_[rows]
