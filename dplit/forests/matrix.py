"""Matrix random forests (M-RF): random trees with one noisy release. Derived in :doc:`/book/matrix_forest`."""

import math
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dplit import matrix
from dplit.boosting.advice import Advice
from dplit.budget import Public
from dplit.domain import Domain
from dplit.forests import matrix_releases as releases
from dplit.forests.base import BaseForestClassifier, parameters
from dplit.forests.matrix_plan import Plan, plan_of
from dplit.forests.parameter_checks import check_bins, check_depth
from dplit.forests.releases import largest, random_structure
from dplit.forests.targets import check_classes
from dplit.ground.errors import check_choice, check_integer
from dplit.matrix import MEMBERS

RELEASES = ("training", "prediction", "subsample")
VOTINGS = ("hard", "weighted")
MECHANISMS = ("geometric", "laplace")
GAINED = 0.9  # a share of the error of all cells above which a strategy gains nothing that one sees


def _has_shares(forest):
    """Whether there are votes for each class: not where only their difference is released."""
    if forest.difference and forest._voting() == "weighted":
        raise AttributeError(
            "predict_proba needs the votes of both classes: it is not there with voting='weighted' "
            "and difference=True"
        )
    return True


@parameters
class MatrixForestClassifier(BaseForestClassifier):
    r"""A private forest of random trees that all read all records, through one release for all of them.

    The budget is that of one ``fit``, as of `RandomDecisionForestClassifier`. The trees, the strategy and what is
    expected of both are public: `plan` tells them without a record, and choosing by them is free.

    Parameters
    ----------
    epsilon : float
        Privacy budget of the whole fit, positive. ``inf`` gives the non-private twin.
    domain, classes
        As of `dplit.PrivateForestClassifier`.
    neighbours : {"add-remove", "replace-one"}
        Which data sets `epsilon` holds for. The paper's noise is for the first; two or more columns of
        classes need exactly twice as much for the second.
    n_estimators : int
        Number of trees, of all ensembles together.
    max_depth : int, optional
        Tests on a path, at least 1. A tree has a child for each level and tests no column twice on a path.
        ``None`` takes 4 where the trees are expected to have at most 250,000 leaves, else the largest depth
        with so few: a rule of the domain, the bins and the number of trees alone.
    release : {"training", "prediction", "subsample"}
        What is released: the class counts of all leaves, which answer any query (the paper's
        algorithm 1); the votes for `queries` (algorithm 2); or the votes of trees that each read
        records of their own (subsample and aggregate). After the last two nothing else can be predicted.
    strategy : str
        "auto" takes the one of least expected error; or "identity" (all cells), "per-tree" (all leaves),
        "merged" (all distinct leaves), "weighted", "marginals", "regions", "p-identity", "disjoint",
        "tree-norm" (all leaves, with noise on which the trees agree): see `dplit.matrix.select`.
    ensembles : int
        The paper's q: so many forests that share trees and epsilon, each on columns of its own.
    subset_size : int, optional
        Columns of each ensemble; left out, all.
    voting : {"hard", "weighted"}, optional
        A tree votes for its leaf's class, or with the leaf's counts. Left out, hard after training and
        weighted else; the release for prediction is of weighted votes. A leaf whose largest counts tie, as
        all do of an empty leaf, votes for a random one of their classes; after "subsample" as published, for
        the one that comes first in `classes`.
    difference : bool, optional
        Whether two classes are released as one column, the second's count less the first's: half the
        variance. Left out, in proved training of one ensemble with hard votes, where nothing else is lost.
    mechanism : {"geometric", "laplace"}
        Noise; geometric noise needs a strategy of whole numbers, and any other gets Laplace noise.
    bins : int
        Levels that each continuous column is cut into, of equal width between its public bounds.
    queries : DataFrame or array_like, shape (n_queries, n_features), optional
        What will be predicted; needed unless all leaves are released. It has to be public: the budget
        says nothing of queries that were taken from the records.
    accounting : {"proved", "published"}
        "proved" draws each record's tree independently, answers from all ensembles' releases together,
        and has the noise that `neighbours` need. "published" deals shuffled records to trees in turn,
        answers from each ensemble's own release, and has the noise for add-remove neighbours whatever
        they are: the budget shows what that costs.
    records_per_person, random_state, n_jobs
        As of `dplit.PrivateForestClassifier`.
    noise : {None, "secure", "simulation"}
        As of `dplit.PrivateForestClassifier`. Secure noise of a strategy without whole entries is geometric in
        steps of :math:`2^{-30}`; that of "tree-norm" in steps of its own (`dplit.matrix.exact_treenorm`).

    Attributes
    ----------
    budget_ : Budget
        The privacy statement, as a proof tree: strategy, sensitivity, relation.
    strategy_ : Strategy or tuple of Strategy
        Of all trees, or of each ensemble.
    advice_ : dplit.boosting.Advice
        Whether the strategy gains anything over counts of all cells, or which family is better.
    expected_error_ : dplit.forests.matrix_plan.ExpectedError
        Variances from the noise, known before any record is read. Of several ensembles, those of each
        one's own release: a joint answer has at most these.
    leaf_counts_ : float64 array, shape (n_leaves, n_classes)
        Released, after training; not if only differences are.
    leaf_differences_ : float64 array, shape (n_leaves,)
        In its place: records of the second class less those of the first.
    leaf_labels_ : uint array, shape (n_leaves,)
        With hard votes: class of the largest count, as a position in `classes_`; a random one of ties.
    query_votes_ : float64 array, shape (n_queries, n_classes)
        Released, after prediction and subsample.
    trees_ : dplit.trees.Trees
        Over the codes of `cells_`.
    cells_ : Cells
        Levels of each column.
    classes_, domain_, n_features_in_, feature_names_in_, n_classes_
        As in scikit-learn.

    Examples
    --------
    >>> from dplit import datasets
    >>> from dplit.forests import MatrixForestClassifier
    >>> data = datasets.load("car")
    >>> schema = {"domain": data.domain, "classes": data.classes}
    >>> forest = MatrixForestClassifier(1.0, **schema, random_state=0)
    >>> forest.fit(data.X, data.y).budget_.epsilon
    1.0
    >>> forest.strategy_.name
    'identity'
    """

    n_estimators: int = 128
    max_depth: int | None = 4
    release: str = "training"
    strategy: str = "auto"
    ensembles: int = 1
    subset_size: int | None = None
    voting: str | None = None
    difference: bool | None = None
    mechanism: str = "geometric"
    bins: int = 5
    queries: object = None
    _spawns_structure = True
    _is_exact = True

    not_saved = ("strategy_",)

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees, choose the strategy, and release the leaves or the votes. See `BaseForest.fit`."""
        self._check()
        records, y, domain, domain_node = self._read_fit(X, y)
        codes, classes, class_node = self._read_classes(y)
        order = self._store_classes(classes)

        rng = self._generator()
        plan = plan_of(self, domain, len(order), rng)
        draw = releases.subsampled_votes if self.release == "subsample" else releases.answers_of
        inside = plan.cells.codes(records)
        answers, node = draw(plan, inside, order[codes], order, self, rng)

        self._store_answers(answers, plan, rng)
        self.cells_, self.expected_error_ = plan.cells, plan.expected_error
        self.strategy_ = plan.strategies[0] if len(plan.strategies) == 1 else plan.strategies
        structure = random_structure("trees", self.n_estimators, plan.depth)
        how = "the least expected error" if self.strategy == "auto" else "given as strategy"
        chosen = Public("strategy", f"{how}, no record is read")
        return self._store(domain, plan.trees, domain_node, class_node, structure, chosen, node)

    def plan(self, domain: Domain | None = None, classes: Iterable | None = None) -> Plan:
        """Trees, strategies and expected errors of a fit, without any record.

        With an integer `random_state` these are the very ones of ``fit``. Domain and classes that are left out are
        the forest's own.
        """
        self._check()
        domain = self.domain if domain is None else domain
        if not isinstance(domain, Domain):
            raise ValueError(f"domain must be a dplit.Domain, got a {type(domain).__name__}")
        classes = check_classes(self.classes if classes is None else classes)
        return plan_of(self, domain, len(classes), self._generator())

    @property
    def advice_(self) -> Advice:
        """Whether the strategy gains anything over counts of all cells, from public numbers alone."""
        check_is_fitted(self, "budget_")
        try:
            cells = clone(self).set_params(strategy="identity").plan(self.domain_, self.classes_)
        except ValueError:  # too many to release
            return Advice("matrix", "there are too many cells to count them all")
        (leaf, vote), (a_leaf, a_vote) = self.expected_error_, cells.expected_error
        share = leaf / a_leaf if leaf is not None and self._voting() == "hard" else vote / a_vote
        told = f"expected squared error {share:.3g} of that of counts of all cells"
        if share > GAINED:
            return Advice("histogram", f"{told}: nothing is gained; HistogramForestClassifier learns from these")
        return Advice("matrix", told)

    @property
    def lower_bound_(self):
        """What no unbiased release of these leaves can go below: see `dplit.matrix.lower_bound`.

        Expected squared error of a leaf's count, in the units of ``expected_error_.leaf``, for noise
        that does not depend on the data, at the epsilon that the budget says of one record; computed anew
        whenever it is asked for. There is none after "prediction" and "subsample", which release no leaves.
        """
        check_is_fitted(self, "budget_")
        if hasattr(self, "query_votes_"):
            raise AttributeError(
                "lower_bound_ is one for the counts of leaves: it is there after release='training' alone"
            )
        if math.isinf(self.epsilon):
            return 0.0
        workload = matrix.Workload.of(self.trees_, n_levels=self.cells_.n_levels)
        epsilon = self._noise_epsilon() * releases.cost_of_one(self)
        total = matrix.lower_bound(workload, epsilon, "data-independent", self.neighbours, self.n_classes_)
        return total / self.trees_.n_leaves

    # What the parameters say --------------------------------------------------------------------

    def _check(self):
        super()._check()
        if self.max_depth is not None:
            check_depth(self.max_depth, 1)
        check_choice(self.release, RELEASES, "release")
        check_choice(self.strategy, ("auto", *MEMBERS), "strategy")
        check_choice(self.mechanism, MECHANISMS, "mechanism")
        check_bins(self.bins)
        if check_integer(self.ensembles, "ensembles", 1) > self.n_estimators:
            raise ValueError(f"ensembles must be at most n_estimators={self.n_estimators}, got {self.ensembles}")
        if self.subset_size is not None:
            check_integer(self.subset_size, "subset_size", 1)
        if self.voting is not None:
            check_choice(self.voting, VOTINGS, "voting")
        if self.difference not in (None, True, False):
            raise ValueError(f"difference must be True, False or None, got {self.difference!r}")
        self._check_release()

    def _check_release(self):
        if (self.queries is None) == (self.release != "training"):
            must = "None with" if self.release == "training" else "given before fit with"
            raise ValueError(f"queries must be {must} release={self.release!r}")
        if self.release == "prediction" and self.voting == "hard":
            raise ValueError(
                "voting must be 'weighted' with release='prediction', which releases sums of counts, got 'hard'"
            )
        if self.difference and self.release != "training":
            raise ValueError(f"difference=True needs release='training', got {self.release!r}")

    def _voting(self):
        return self.voting or ("hard" if self.release == "training" else "weighted")

    def _relation(self):
        """The neighbours that the noise is for: a sum of all can keep a replacement and not one record more."""
        return "replace-one" if self._is_proved() and self._keeps_n() else "add-remove"

    def _noise_epsilon(self):
        halved = self._is_proved() and self.neighbours != self._relation()
        return self._record_epsilon() / (2 if halved else 1)

    def _is_difference(self, n_classes):
        """Whether two classes are released as one column."""
        if self.difference and n_classes != 2:
            raise ValueError(f"difference=True needs two classes, got {n_classes}")
        if self.difference is not None:
            return bool(self.difference)
        alone = self.release == "training" and self.ensembles == 1
        return alone and n_classes == 2 and self._is_proved() and self._voting() == "hard"

    # What was released --------------------------------------------------------------------------

    def _store_answers(self, answers, plan, rng):
        """Keep the released leaves or votes under the name of what they are."""
        for name in ("leaf_counts_", "leaf_differences_", "leaf_labels_", "query_votes_"):
            vars(self).pop(name, None)
        if plan.queries is not None:
            self.query_votes_, self._queries_ = answers, plan.queries
            return
        if self._is_difference(self.n_classes_):
            answers = -answers  # of the second class less the first
            self.leaf_differences_ = answers[:, 0]
        else:
            self.leaf_counts_ = answers
        if self._voting() == "hard":
            counts = _two_sided(answers) if self._holds_differences() else answers
            self.leaf_labels_ = largest(counts, rng).astype(np.min_scalar_type(self.n_classes_))

    def _read(self, X):
        """Codes of the cells, as floats: what the trees test."""
        records = super()._read(X)
        return self.cells_.codes(records).astype(float)

    def _votes(self, records):
        if hasattr(self, "query_votes_"):
            return self.query_votes_[self._places(records)]
        if hasattr(self, "leaf_labels_"):
            return super()._votes(records)
        from dplit import trees

        if self._holds_differences():
            held = _two_sided(self.leaf_differences_[:, None])
        else:
            held = self.leaf_counts_
        reached = trees.apply(self.trees_, records, self.n_jobs) + self.trees_.leaf_starts[:-1]
        votes = np.zeros((len(records), held.shape[1]))
        for leaf in reached.T:
            votes += held[leaf]
        return votes

    def _holds_differences(self):
        return hasattr(self, "leaf_differences_")

    def _places(self, records):
        """Which query each record is; an error if one is none."""
        found = {row.tobytes(): i for i, row in reversed(list(enumerate(self._queries_)))}
        places = [found.get(row.tobytes()) for row in records.astype(np.int64)]
        missing = places.count(None)
        if missing:
            raise ValueError(
                f"X must hold records that are in queries, of which the votes were released, got "
                f"{missing} of {len(places)} that are not: release='training' predicts any record"
            )
        return places

    @available_if(_has_shares)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of each class in the votes; of noisy ones below 0, after raising all to 0 or more.

        Returns a float64 array, shape (n_records, n_classes), in the order of `classes_`.
        """
        votes = self._votes(self._read(X)).astype(float)
        votes -= np.minimum(votes.min(axis=1, keepdims=True), 0.0)
        total = votes.sum(axis=1, keepdims=True)
        return np.where(total > 0, votes / np.where(total > 0, total, 1.0), 1 / self.n_classes_)


def _two_sided(answers):
    """A column of differences as two columns that differ by it."""
    return np.column_stack([np.zeros(len(answers)), answers[:, 0]])
