"""The workload of the forest benchmarks: one definition for every library that is timed.

Also a script: ``python workload.py`` times diffprivlib's forest on it and prints JSON. It imports
numpy alone, so that it runs in an environment without this project.
"""

import json
import time

import numpy as np

RECORDS, QUERIES, FEATURES, TREES, DEPTH, EPSILON = 24_000, 6_000, 10, 100, 8, 1.0


def data():
    """Records, classes and queries: two of ten uniform columns decide the class."""
    rng = np.random.default_rng(20)
    X, queries = rng.random((RECORDS, FEATURES)), rng.random((QUERIES, FEATURES))
    return X, (X[:, 0] + X[:, 1] > 1).astype(int), queries


def best_seconds(action, rounds=3):
    """Shortest of a few runs."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def time_diffprivlib():
    """Seconds of diffprivlib's fit and predict."""
    from diffprivlib.models import RandomForestClassifier

    X, y, queries = data()
    bounds = (np.zeros(FEATURES), np.ones(FEATURES))
    forest = RandomForestClassifier(
        n_estimators=TREES, max_depth=DEPTH, epsilon=EPSILON, bounds=bounds, classes=[0, 1], n_jobs=1
    )
    fit = best_seconds(lambda: forest.fit(X, y))
    return {"fit": fit, "predict": best_seconds(lambda: forest.predict(queries))}


if __name__ == "__main__":
    print(json.dumps(time_diffprivlib()))
