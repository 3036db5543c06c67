"""Saving a forest under faults: what can be loaded is one of those that were saved, whole."""

import subprocess
import sys
import threading

import pytest

import dplit
from dplit import Continuous, Domain
from dplit.forests import RandomDecisionForestClassifier


def fitted(trees):
    options = {"classes": [0, 1], "n_estimators": trees, "max_depth": 3, "random_state": trees}
    forest = RandomDecisionForestClassifier(1.0, domain=Domain([Continuous(0, 1)]), **options)
    return forest.fit([[0.2], [0.7]], [0, 1])


def test_two_writers_leave_a_whole_forest(tmp_path):
    """Two threads save two forests to one path, while a third loads it again and again."""
    path, forests, stop, seen = tmp_path / "a.forest", [fitted(1), fitted(7)], threading.Event(), []
    forests[0].save(path)

    def load():
        while not stop.is_set():
            seen.append(dplit.load(path).n_estimators)

    def save(forest):
        for _ in range(15):
            forest.save(path)

    threads = [threading.Thread(target=save, args=(f,)) for f in forests]
    reader = threading.Thread(target=load)
    for thread in (reader, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    reader.join()
    assert set(seen) <= {1, 7} and seen
    assert [p.name for p in tmp_path.iterdir()] == ["a.forest"]


KILLED = """
import os, signal, sys
import dplit

forest = dplit.load(sys.argv[1])
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
forest.save(sys.argv[2])
"""


def test_a_save_that_is_killed_loses_nothing(tmp_path):
    path, other = tmp_path / "a.forest", tmp_path / "b.forest"
    fitted(1).save(path)
    fitted(7).save(other)
    done = subprocess.run([sys.executable, "-c", KILLED, other, path], check=False, timeout=300)
    assert done.returncode == -9 and dplit.load(path).n_estimators == 1
    fitted(3).save(path)
    assert dplit.load(path).n_estimators == 3


def test_a_read_only_forest_is_kept(tmp_path):
    path = tmp_path / "a.forest"
    fitted(1).save(path)
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        fitted(7).save(path)
    assert dplit.load(path).n_estimators == 1
