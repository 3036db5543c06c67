"""Processor time and memory of a fit: private classifiers of other libraries beside this package's, in turns.

    taskset -c 0 python data/peers/cost.py .venv-peers/bin/python data/results/bench/cost.json

The first Python is this project's, the second that of the peers' environment (`data/peers/run.py`); each has a
process of its own that waits while the other works. Tables are made up: columns uniform on [0, 1], the class is
whether the first two add up to more than 1. All methods have their library's defaults, epsilon 1 and a seed.

Seconds are those of the processor, of one fit after another in each process, after one on few records. Memory is
the highest during a fit, less that before it, in a process that has fitted few records before (Linux alone).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import run as peers

TABLES = {(24_000, 10): 9, (1_000_000, 20): 3}  # records and columns: rounds
FEW = 500
OURS = ("Boosted", "PrivateForest")
NAMES = OURS + tuple(peers.PEERS)
LIBRARIES = (*peers.LIBRARIES, "dplit", "numba")
MB = 2**20


def table(n, columns):
    """Records and classes; the same numbers in both environments."""
    X = np.random.default_rng(20).random((n, columns))
    return X, (X[:, 0] + X[:, 1] > 1).astype(int)


def model(name, columns):
    """A classifier that is not fitted, of the library that is here."""
    if name in OURS:
        import dplit
        from dplit.forests import BoostedForestClassifier

        kind = BoostedForestClassifier if name == "Boosted" else dplit.PrivateForestClassifier
        domain = dplit.Domain([dplit.Continuous(0, 1)] * columns)
        return kind(1.0, domain=domain, classes=[0, 1], random_state=0)
    public = {"lower": np.zeros(columns), "upper": np.ones(columns), "n_classes": np.array(2)}
    return peers.PEERS[name][0](public | {"n_levels": np.zeros(columns, dtype=int)}, 1.0, 0)


def memory(of):
    """Bytes that the process has ("VmRSS"), or has had since it was last asked to forget ("VmHWM")."""
    return 1024 * int(Path("/proc/self/status").read_text().partition(f"{of}:")[2].split()[0])


def fit(name, n, columns):
    """Seconds of the processor, and bytes beyond those there were, of one fit."""
    X, y = cached(n, columns)
    built = model(name, columns)
    Path("/proc/self/clear_refs").write_text("5")  # forget the highest
    before, start = memory("VmRSS"), time.process_time()
    built.fit(X, y)
    return time.process_time() - start, memory("VmHWM") - before


tables = {}


def cached(n, columns):
    """`table`, the last one kept."""
    if (n, columns) not in tables:
        tables.clear()
        tables[n, columns] = table(n, columns)
    return tables[n, columns]


def work():
    """Fit what each line of the input asks for, and answer with a line."""
    warm = set()
    for line in sys.stdin:
        name, n, columns = json.loads(line)
        if (name, columns) not in warm:
            X, y = table(FEW, columns)
            model(name, columns).fit(X, y)
            warm.add((name, columns))
        print("answer", json.dumps(fit(name, n, columns)), flush=True)


class Worker:
    """A process of one Python that fits."""

    def __init__(self, python):
        self.process = subprocess.Popen(
            [python, "-W", "ignore", __file__, "--work"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, *task):
        """(seconds, bytes) of a task."""
        print(json.dumps(task), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            if line.startswith("answer "):
                return json.loads(line.removeprefix("answer "))
        raise RuntimeError(f"the process that was asked for {task} has ended")

    def close(self):
        """End the process."""
        self.process.stdin.close()
        self.process.wait()


def main(other, out):
    """Run all in turns and write the file."""
    pythons = {name: sys.executable if name in OURS else other for name in NAMES}
    workers, cells = {python: Worker(python) for python in set(pythons.values())}, {}
    for (n, columns), rounds in TABLES.items():
        seconds = {name: [] for name in NAMES}
        for _ in range(rounds):
            for name in NAMES:
                seconds[name].append(workers[pythons[name]].ask(name, n, columns)[0])
        for name in NAMES:
            fresh = Worker(pythons[name])
            _, most = fresh.ask(name, n, columns)
            fresh.close()
            cells[f"{n}x{columns}/{name}"] = {
                "seconds": [round(s, 4) for s in seconds[name]],
                "memory": most, "data": 8 * n * columns,
            }  # fmt: skip
            print(n, columns, name, min(seconds[name]), most / MB, flush=True)
    for worker in workers.values():
        worker.close()
    found = [versions(python) for python in (sys.executable, other)]
    found[0]["dplit"] = __import__("dplit").__version__  # of a checkout: what is installed may be older
    command = f"python data/peers/cost.py .venv-peers/bin/python data/results/bench/{Path(out).name}"
    about = peers.provenance(Path(out)) | {"command": command, "seed": 0}
    about["versions"] = {"ours": found[0], "peers": found[1]}
    peers.write({"runs": [about], "cells": cells}, Path(out))


def versions(python):
    """Versions of an environment's libraries."""
    code = (
        "import json, platform, sys; from importlib.metadata import distributions;"
        "found = {d.metadata['Name']: d.version for d in distributions()};"
        "print(json.dumps({'python': platform.python_version()} | "
        "{k: found[k] for k in sys.argv[1:] if k in found}))"
    )
    asked = subprocess.run([python, "-c", code, *LIBRARIES], capture_output=True, check=True)
    return json.loads(asked.stdout)


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main(*sys.argv[1:])
