"""Private classifiers of other libraries on the splits of the bench: a script of its own environment.

    python -m dplit.court.bench.splits splits
    python -m venv .venv-peers && .venv-peers/bin/pip install -r data/peers/requirements.lock
    .venv-peers/bin/python data/peers/run.py splits data/results/bench/peers.json
    .venv-peers/bin/python data/peers/run.py splits data/results/bench/peers.json ranking

The last line fits again what has probabilities of two classes, for how they rank the records. A run that is
stopped goes on where it was. What each method is given is public: bounds of the columns by the registry, levels
by their positions, classes, and epsilon. Parameters are the library's defaults. Logistic regression gets a
column for each level and numbers scaled to [0, 1], divided by the root of the number of original columns, so
that no record has a norm above 1. The seed of a fit is its split's number.

The private explainable boosting machine spends delta = 1e-6 beside epsilon, by its Gaussian composition; the
others spend none.
"""

from __future__ import annotations

import json
import platform
import sys
import time
import warnings
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 10.0)
DELTA = 1e-6
LIBRARIES = ("numpy", "scipy", "scikit-learn", "diffprivlib", "interpret-core")
LONGEST = 10.0  # seconds of a fit: a method that took longer on a set is not run there again


def forest(split, epsilon, seed):
    """diffprivlib's random forest."""
    from diffprivlib import BudgetAccountant
    from diffprivlib.models import RandomForestClassifier

    return RandomForestClassifier(
        epsilon=epsilon, bounds=(split["lower"], split["upper"]), classes=classes(split),
        random_state=np.random.RandomState(seed), accountant=BudgetAccountant(), n_jobs=1,
    )  # fmt: skip


def bayes(split, epsilon, seed):
    """diffprivlib's Gaussian naive Bayes."""
    from diffprivlib import BudgetAccountant
    from diffprivlib.models import GaussianNB

    return GaussianNB(
        epsilon=epsilon, bounds=(split["lower"], split["upper"]),
        random_state=np.random.RandomState(seed), accountant=BudgetAccountant(),
    )  # fmt: skip


class Logistic:
    """diffprivlib's logistic regression behind `unit_columns`."""

    def __init__(self, split, epsilon, seed):
        from diffprivlib import BudgetAccountant
        from diffprivlib.models import LogisticRegression

        self.split = split
        self.model = LogisticRegression(
            epsilon=epsilon, data_norm=1.0, random_state=np.random.RandomState(seed),
            accountant=BudgetAccountant(),
        )  # fmt: skip

    def fit(self, X, y):
        """Fit on scaled columns; returns self."""
        self.model.fit(unit_columns(X, self.split), y)
        return self

    def predict(self, X):
        """Classes."""
        return self.model.predict(unit_columns(X, self.split))


def machine(split, epsilon, seed):
    """interpret's private explainable boosting machine."""
    from interpret import privacy

    types = ["nominal" if n else "continuous" for n in split["n_levels"]]
    bounds = {j: tuple(b) for j, b in enumerate(zip(split["lower"], split["upper"]))}
    common = {"epsilon": epsilon, "delta": DELTA, "feature_types": types, "privacy_bounds": bounds,
              "random_state": seed, "n_jobs": 1}  # fmt: skip
    if split["n_classes"]:
        return privacy.DPExplainableBoostingClassifier(**common)
    ends = {"privacy_target_min": 0.0, "privacy_target_max": 1.0}
    return privacy.DPExplainableBoostingRegressor(**common, **ends)


PEERS = {
    "diffprivlib forest": (forest, "any"),
    "diffprivlib naive Bayes": (bayes, "any"),
    "diffprivlib logistic regression": (Logistic, "any"),
    "private EBM": (machine, "two classes or a number"),
}


def asked(out):
    """The epsilons of a file, and the digits of its scores."""
    return (EPSILONS[1:5], 5) if MANY in Path(out).name else (EPSILONS, 17)


def classes(split):
    """Positions of the public classes."""
    return np.arange(int(split["n_classes"]))


def unit_columns(X, split):
    """A column for each level, numbers scaled to [0, 1], no record of a norm above 1."""
    parts = []
    for j, n in enumerate(split["n_levels"]):
        if n:
            parts.append(X[:, j, None] == np.arange(n))
        else:
            low, high = split["lower"][j], split["upper"][j]
            parts.append((X[:, j, None] - low) / ((high - low) or 1.0))  # one point may be all bounds
    return np.hstack(parts).astype(float) / np.sqrt(X.shape[1])


def takes(name, split):
    """True if a peer is made for this task."""
    k = int(split["n_classes"])
    return k in (0, 2) if PEERS[name][1] != "any" else k > 0


def score(split, predicted):
    """Accuracy, or R2 of a regression."""
    true = split["y_test"]
    if split["n_classes"]:
        return float(np.mean(np.asarray(predicted).astype(int) == true))
    return float(1 - np.mean((predicted - true) ** 2) / true.var())


def fitted(name, split, epsilon, seed):
    """A fit, and its seconds."""
    start = time.process_time()
    model = PEERS[name][0](split, epsilon, seed).fit(split["X_train"].astype(float), split["y_train"])
    return model, time.process_time() - start


def one(name, split, epsilon, seed):
    """Fit and score once: (score, seconds of the fit)."""
    model, taken = fitted(name, split, epsilon, seed)
    return score(split, model.predict(split["X_test"].astype(float))), taken


RANKED = ("private EBM", "diffprivlib forest")
MANY = "tables"  # in the name of a file: four epsilons, five digits, with calibration and errors of numbers


def ranking(split, model, many=False):
    """Area under the ROC curve, average precision of the rarer class, and log-loss, of two classes.

    Of `many` tables the calibration error, too; of a number the mean absolute error as a share of its own range.
    """
    from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

    if not split["n_classes"]:
        apart = np.abs(model.predict(split["X_test"].astype(float)) - split["y_test"])
        return [round(float(apart.mean() / np.ptp(np.concatenate([split["y_train"], split["y_test"]]))), 5)]
    rare = int(np.bincount(split["y_train"], minlength=2).argmin())
    share = model.predict_proba(split["X_test"].astype(float))[:, list(model.classes_).index(rare)]
    true = split["y_test"] == rare
    loss = log_loss(true, np.clip(share, 1e-6, 1 - 1e-6), labels=[False, True])
    found = [float(roc_auc_score(true, share)), float(average_precision_score(true, share)), float(loss)]
    if not many:
        return found
    gaps = np.bincount(np.minimum(10 * share, 9).astype(int), weights=share - true)
    return [round(x, 5) for x in (*found, float(np.abs(gaps).sum()) / len(share))]


def rank(folder, out):
    """Fit two classes again, and keep how records are ranked; another accuracy than the stored one is an error."""
    run, now = json.loads(Path(out).read_text("utf-8")), provenance(Path(out))
    many = MANY in Path(out).name
    run["runs"].append(now | {"command": f"{now['command']} ranking"})
    for path in sorted(Path(folder).glob("*.npz"), key=number):
        data, r, split = path.stem.rpartition("-")[0], number(path), read(path)
        if int(split["n_classes"]) != 2 and not (many and int(split["n_classes"]) == 0):
            continue
        for name in RANKED:
            for epsilon in asked(out)[0]:
                cell = run["cells"].get(f"{data}/{name}/epsilon={epsilon:g}", {"scores": []})
                if len(cell["scores"]) <= max(r, 1) or len(cell.setdefault("ranking", [])) != r:
                    continue
                model, _ = fitted(name, split, epsilon, r)
                again = score(split, model.predict(split["X_test"].astype(float)))
                if abs(again - cell["scores"][r]) > (1e-5 if many else 1e-12):
                    raise SystemExit(f"{data}, {name}, {epsilon}, {r}: {again} in place of {cell['scores'][r]}")
                cell["ranking"].append(ranking(split, model, many))
        write(run, Path(out))
        print(path.stem, flush=True)


def read(path):
    """A split as a dict of arrays."""
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def main(folder, out):
    """Run what is missing, and write the file after each split: small sets first, a split of all after another."""
    out, slow, start = Path(out), set(), provenance(Path(out))
    run = json.loads(out.read_text("utf-8")) if out.is_file() else {"runs": [], "cells": {}}
    run["runs"].append(start)
    epsilons, digits = asked(out)
    files = sorted(Path(folder).glob("*.npz"), key=lambda p: (number(p), p.stat().st_size))
    for path in files:
        data, r, split = path.stem.rpartition("-")[0], number(path), read(path)
        for name, epsilon in [(name, e) for name in PEERS if takes(name, split) for e in epsilons]:
            key = f"{data}/{name}/epsilon={epsilon:g}"
            cell = run["cells"].get(key, {"scores": [], "seconds": 0.0})
            if len(cell["scores"]) != r or (data, name) in slow:
                continue
            found, taken = one(name, split, epsilon, r)
            cell["seconds"] = round((cell["seconds"] * r + taken) / (r + 1), 3)
            cell["scores"].append(round(found, digits))
            run["cells"][key] = cell
            if taken > LONGEST:
                slow.add((data, name))
        write(run, out)
        print(path.stem, flush=True)


def number(path):
    """Number of a split, by the name of its file."""
    return int(path.stem.rpartition("-")[2])


def write(run, out):
    """Write the file, whole or not at all, a cell a line."""
    out.parent.mkdir(parents=True, exist_ok=True)
    cells = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(run["cells"].items()))
    waiting = out.with_name(out.name + ".writing")
    waiting.write_text(f'{{"runs": {json.dumps(run["runs"])}, "cells": {{\n{cells}\n}}}}\n', "utf-8")
    waiting.replace(out)


def provenance(out):
    """What a reader needs to know of a run, without any path of the machine."""
    versions = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            continue
    return {
        "command": f"python data/peers/run.py splits data/results/bench/{out.name}",
        "date": datetime.now(UTC).date().isoformat(),
        "seed": "number of the split",
        "delta": {"private EBM": DELTA},
        "platform": f"{platform.system()} {platform.machine()}",
        "versions": versions,
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    (rank if sys.argv[3:] == ["ranking"] else main)(*sys.argv[1:3])
