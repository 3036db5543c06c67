"""What is measured of one fitted method: a number, or a short list of numbers.

Each measure is a function ``(model, split) -> float or list of float`` of a fitted estimator and a
`dplit.court.experiments.task.Split`.
"""

import numpy as np

from dplit.trees import Trees

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def mse(model, split):
    """Mean squared error on the test part, targets on the scale of the records' own range."""
    errors = np.asarray(model.predict(split.X_test), float) - split.y_test
    return float(np.mean(errors**2)) * split.factor


def r2(model, split):
    """Share of the test part's variance that is explained; below 0 if its mean would do better."""
    true = np.asarray(split.y_test, dtype=float)
    errors = np.asarray(model.predict(split.X_test), dtype=float) - true
    return 1.0 - float(np.mean(errors**2) / true.var())


def accuracy(model, split):
    """Share of the test part whose class is predicted."""
    return float(np.mean(np.asarray(model.predict(split.X_test)) == split.y_test))


def error(model, split):
    """Share of the test part whose class is not predicted."""
    return 1.0 - accuracy(model, split)


def leaf_shares(model, split):
    """Share of the training records that a leaf holds, at `QUANTILES` over the leaves of all trees.

    Every tree sees all training records. Then the share of leaves that hold less than a quarter of
    what they would in a balanced tree, and the mean number of nodes of a tree.
    """
    shares = []
    for numbers, n in zip(np.asarray(model.apply(split.X_train)).T, np.diff(model.trees_.leaf_starts)):
        shares.append(np.bincount(numbers, minlength=n) * (n / len(numbers)))
    balance = np.concatenate(shares)
    shares = np.concatenate([s / len(s) for s in shares])
    nodes = len(model.trees_.feature) / model.trees_.n_trees
    return [*map(float, np.quantile(shares, QUANTILES)), float(np.mean(balance < 0.25)), nodes]


def left_shares(model, split):
    """Share of a node's records that go to its first child, at `QUANTILES` over all inner nodes.

    Each tree sees all training records; nodes that none reaches are left out. Then the share of
    nodes that send between 40 and 60 % to the first child.
    """
    shares = left_fractions(model.trees_, model.domain_.encode(split.X_train))
    balanced = float(np.mean(np.abs(shares - 0.5) <= 0.1))
    return [*map(float, np.quantile(shares, QUANTILES)), balanced]


def left_fractions(trees: Trees, records: np.ndarray) -> np.ndarray:
    """Share of its records that each reached inner node sends to its first child, shape (n_reached,)."""
    found = []
    for root in trees.roots:
        waiting = [(int(root), np.arange(len(records)))]
        while waiting:
            node, here = waiting.pop()
            feature = int(trees.feature[node])
            if feature < 0 or not len(here):
                continue
            values, cut = records[here, feature], trees.threshold[node]
            if np.isnan(cut):
                steps = trees.steps[trees.side[node] + values.astype(int)]
            else:
                steps = (values > cut).astype(int)
            found.append(np.mean(steps == 0))
            first = int(trees.child[node])
            waiting += [(first + s, here[steps == s]) for s in np.unique(steps).tolist()]
    return np.array(found)


def auc(model, split):
    """Area under the ROC curve of two classes: the rarer one's share is higher; ties count half."""
    from sklearn.metrics import roc_auc_score

    share = model.predict_proba(split.X_test)[:, list(model.classes_).index(split.rarest)]
    return float(roc_auc_score(split.y_test == split.rarest, share))


def ranking(model, split):
    """Accuracy, area under the ROC curve, average precision of the rarer class, and log-loss, of two classes.

    A probability of less than a millionth counts as one in the loss.
    """
    from sklearn.metrics import average_precision_score, log_loss

    share = model.predict_proba(split.X_test)[:, list(model.classes_).index(split.rarest)]
    rare = split.y_test == split.rarest
    loss = log_loss(rare, np.clip(share, 1e-6, 1 - 1e-6), labels=[False, True])
    return [accuracy(model, split), auc(model, split), float(average_precision_score(rare, share)), float(loss)]


def share(model, split):
    """Accuracy to five digits, which many tables keep short."""
    return round(accuracy(model, split), 5)


def probabilities(model, split):
    """What `ranking` has, and the calibration error, each to five digits.

    In ten bins of the rarer class's probability: its mean less the frequency, absolute, weighted by records.
    """
    found = model.predict_proba(split.X_test)[:, list(model.classes_).index(split.rarest)]
    gaps = np.bincount(np.minimum(10 * found, 9).astype(int), weights=found - (split.y_test == split.rarest))
    return [round(x, 5) for x in (*ranking(model, split), float(np.abs(gaps).sum()) / len(found))]


def errors(model, split):
    """R2, and the mean absolute error as a share of the records' own range, each to five digits."""
    apart = np.asarray(model.predict(split.X_test), float) - split.y_test
    return [round(r2(model, split), 5), round(float(np.abs(apart).mean() * np.sqrt(split.factor)), 5)]


def f1(model, split):
    """Harmonic mean of precision and recall of the rarer class; 0 if nothing of it is found."""
    from sklearn.metrics import f1_score

    predicted = np.asarray(model.predict(split.X_test)) == split.rarest
    return float(f1_score(split.y_test == split.rarest, predicted, zero_division=0))


def empty_leaves(model, split):
    """Share of the leaves that hold no training record (RDF, table 3)."""
    return model.empty()


def flipped(model, split):
    """Expected share of the leaves with a record whose label is not a most frequent class."""
    return model.flipped()


def sensitivity(model, split):
    """Mean of RDF's smooth sensitivity over the leaves with a record."""
    return model.sensitivity()


def tree_accuracy(model, split):
    """Accuracies of the single trees of a forest: their mean, then their `QUANTILES`."""
    right = np.mean(_tree_codes(model, split.X_test) == _codes(model, split)[:, None], axis=0)
    return [float(right.mean()), *map(float, np.quantile(right, QUANTILES))]


def _codes(model, split):
    """Position of each test record's class among the model's; -1 of a class that it does not know."""
    known = {c: k for k, c in enumerate(model.classes_.tolist())}
    return np.array([known.get(c, -1) for c in np.asarray(split.y_test).tolist()])


def _tree_codes(model, X):
    """Position of the class that each tree predicts, shape (n_records, n_trees)."""
    if hasattr(model, "forest"):  # scikit-learn's: its trees predict positions
        encoded = model.domain.encode(X)
        return np.column_stack([t.predict(encoded) for t in model.forest.estimators_])
    return model.leaf_labels_[model.apply(X) + model.trees_.leaf_starts[:-1]]


def segmentation(model, split):
    """Accuracy, and intersection over union of one class: of the records that are it or are called it, the
    share that are both; 0 if there is none. The class is `split.rarest`."""
    found, true = (np.asarray(y) == split.rarest for y in (model.predict(split.X_test), split.y_test))
    union = int((found | true).sum())
    return [float(np.mean(found == true)), float((found & true).sum() / max(union, 1))]


MEASURES = {
    f.__name__.replace("_", "-"): f
    for f in (
        mse, r2, accuracy, error, leaf_shares, left_shares, auc, f1, empty_leaves, flipped, sensitivity,
        tree_accuracy, segmentation, ranking, share, probabilities, errors,
    )
}  # fmt: skip
ERRORS = ("mse", "error")  # held to a tenth; every other score is a share, held to a point
LOWER_IS_BETTER = {
    "mse": True, "r2": False, "error": True, "accuracy": False, "auc": False, "f1": False, "flipped": True,
    "sensitivity": True, "tree-accuracy": False, "segmentation": False, "ranking": False,
    "share": False, "probabilities": False, "errors": False,
}  # fmt: skip
