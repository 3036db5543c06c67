"""What every fitted forest offers, from what it released alone: its importances, paths, file and card."""

from __future__ import annotations

import copy
from importlib import import_module, metadata
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from dplit.forests.file_checks import tested_levels
from dplit.forests.intact import seal
from dplit.trees.arrays import Trees, visited


class WithPage:
    """Of an estimator: the page that scikit-learn's HTML view links to, if the package has an address."""

    _doc_link_module = "dplit"

    @property
    def _doc_link_template(self):
        """Below the package's own address for its documentation; empty, so that there is no link, without one."""
        try:
            urls = metadata.metadata("dplit").get_all("Project-URL", [])
        except metadata.PackageNotFoundError:  # it was never installed
            urls = []
        (site,) = [url.split(", ")[1].rstrip("/") for url in urls if url.startswith("Documentation, ")] or [""]
        page = type(self).__module__.split(".")[1]
        return site and f"{site}/book/api/{page}.html#dplit.{page}.{{estimator_name}}"


class WithFile:
    """Of an estimator: its file and its model card."""

    not_saved = ()  # fitted attributes that a file has no place for

    def save(self, path: str | PathLike, *, allow_infinite: bool = False) -> None:
        """Write the fitted forest to a plain file, without code and without the seed: see `dplit.load`.

        The file is written beside its place and then put there in one step, so that an interrupted or failed write
        leaves what was there. Another library's estimator is not in it: of a `learner` the file has the name, and
        its answers in every cell. A forest whose budget says infinity is written only with `allow_infinite`.

        Raises a ValueError if the budget is infinite and `allow_infinite` is left out, or if the forest is of a
        class of your own or holds what the format has no place for, such as another estimator; an OSError if the
        file can't be written.
        """
        check_is_fitted(self, "budget_")
        import_module("dplit.forests.files").save(self, path, allow_infinite)

    def model_card(self) -> str:
        """What the fitted forest is, what it spent and what an adversary learns, in Markdown."""
        check_is_fitted(self, "budget_")
        return import_module("dplit.forests.card").model_card(self)


class WithTrees:
    """Of an estimator: its trees one by one and in words, its paths, and what each column matters to it."""

    @property
    def estimators_(self) -> list:
        """Each tree as a fitted forest of the same class that has this tree alone; list of length n_trees.

        Of a boosted forest each has the start and one round. `budget_` is that of the whole fit: no tree was
        paid for alone. Raises an AttributeError if the forest's nodes test more than one column, or it has none.
        """
        check_is_fitted(self, "budget_")
        whole = vars(self).get("forest_", self)
        return [self._tree(whole, t) for t in range(self._nodes("estimators_").n_trees)]

    def _nodes(self, what):
        """The trees, where their nodes test one column; an error that says what needs them."""
        trees, kind = getattr(self, "trees_", None), type(self).__name__
        if not isinstance(trees, Trees):
            raise AttributeError(f"{what} needs nodes that test one column, and {kind} has none")
        return trees

    def _tree(self, whole, t):
        """The forest of one tree of the whole one, at the price of the fit."""
        forest, (first, last) = copy.copy(whole), whole.trees_.leaf_starts[t : t + 2]
        forest.trees_, forest.n_estimators, forest.budget_ = whole.trees_.only(t), 1, self.budget_
        for name, value in vars(whole).items():
            if name.startswith("leaf_"):
                setattr(forest, name, value[first:last])
            elif name == "pair_sums_":
                forest.pair_sums_ = value[t : t + 1]
        seal(forest)
        return forest

    def export_text(self, tree: int | None = None, *, max_depth: int = 10, decimals: int = 3) -> str:
        """A tree in words, the first if left out: see `dplit.forests.export.export_text`. It costs nothing.

        Left out, it is of a boosted forest its start and all rounds: whole as long as they fit into 40 lines, and
        then a line each, with the columns that are tested and the least and the most that leaves add; and of a
        histogram the 20 cells of the largest released counts, each with the class that it answers.
        """
        export = import_module("dplit.forests.export")
        return export.in_words(vars(self).get("forest_", self), tree, max_depth, decimals)

    def decision_path(self, X: ArrayLike) -> csr_array:
        """Nodes that each record goes through, in all trees: of private records it is not private.

        `X` is read as `predict` reads it, and the budget of the fit does not cover what is told of it. The
        array has the shape (n_records, n_nodes), and int64 ones where a record goes through a node. Columns are
        positions in `trees_`, which holds the nodes of all trees in one array: `trees_.roots` says where each
        tree begins.

        Raises an AttributeError if the forest's nodes test more than one column, or it has none. Raises a
        ValueError if a column, a level or a number is not as it must be; the message names it. Raises a TypeError
        if `X` is sparse, or a data frame that is not in memory.
        """
        check_is_fitted(self, "budget_")
        trees = self._nodes("decision_path")
        records = self._read(X)
        places = visited(trees, records)
        ones = np.ones(len(places[0]), dtype=np.int64)
        return csr_array((ones, places), shape=(len(records), len(trees.feature)))

    @property
    def feature_importances_(self) -> np.ndarray:
        r"""What each column's tests explain of what the leaves released, float64, shape (n_features,).

        At a node that is the weighted squared deviation of the leaves below it from their mean, less those
        within its children, as scikit-learn has it for impurities; summed over all nodes and trees, it adds
        up to 1 (to 0 where no test tells anything). Leaves that released class counts weigh as the counts
        above 0, and their values are their classes' shares. Any other leaf weighs as its part of the public
        domain, and its value is its class, its shares or its mean. It costs nothing: only what `fit`
        released is read. Noise counts, too: of a small epsilon it is most of what there is to explain.
        """
        check_is_fitted(self, "budget_")
        trees = self._nodes("feature_importances_")
        variation = import_module("dplit.trees.variation")  # compiled, and no chapter needs it

        n_levels = tested_levels(self)
        released = _weighed(self)
        if released is None:
            raise AttributeError(
                f"feature_importances_ needs what leaves released: {type(self).__name__} released votes alone"
            )
        weights, values = released
        if weights is None:
            weights = variation.leaf_volumes(trees, n_levels, self.domain_.bounds)
        found = variation.explained(trees, n_levels, weights, values)
        return found / (found.sum() or 1.0)


def _weighed(forest):
    """Weights of the leaves, None for their parts of the domain, and values; None if none are there."""
    if hasattr(forest, "leaf_counts_"):
        counts = np.maximum(forest.leaf_counts_, 0.0)
        weights = counts.sum(axis=1)
        return weights, counts / np.where(weights > 0, weights, 1.0)[:, None]
    if hasattr(forest, "leaf_labels_") and not hasattr(forest, "leaf_shares_"):
        return None, np.eye(forest.n_classes_)[forest.leaf_labels_]
    for name in ("leaf_shares_", "leaf_values_", "leaf_probabilities_", "leaf_differences_"):
        if hasattr(forest, name):
            values = np.asarray(getattr(forest, name), dtype=np.float64)
            return None, values.reshape(len(values), -1)
    return None
