"""Forests as files: the same predictions after loading, nothing private inside, every altered byte noticed."""

from __future__ import annotations

import builtins
import hashlib
import io
import itertools
import json
import os
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import dplit
from dplit import Categorical, Continuous, Domain, baselines, forests
from dplit.forests import RandomDecisionForestClassifier, files

KINDS = [getattr(module, name) for module in (forests, baselines) for name in module.__all__]
DOMAIN = Domain(
    {"u": Continuous(0, 1), "v": Categorical(["a", "b", "c"]), "w": Categorical([False, True])}
)
rng = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {"u": rng.random(80), "v": rng.choice(["a", "b"], 80), "w": rng.integers(0, 2, 80) == 1}
)
Y = np.where(FRAME["u"] > 0.4, "yes", "no")


def fitted(kind, **options):
    """A fitted estimator of that kind."""
    regresses = kind.__name__.endswith("Regressor")
    target = {"target_bounds": (0, 1)} if regresses else {"classes": ["no", "yes"]}
    if kind.__name__ not in baselines.NOT_PRIVATE:
        options = {"epsilon": 1.0, "max_depth": 2, **options}
    forest = kind(**{"domain": DOMAIN, "random_state": 20240, **target, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dplit.PrivacyLeakWarning)
        return forest.fit(FRAME, FRAME["u"] if regresses else Y)


def small():
    """A forest whose file is small."""
    options = {"classes": ["a", "b"], "n_estimators": 1, "max_depth": 1, "random_state": 1}
    forest = RandomDecisionForestClassifier(1.0, domain=Domain([Continuous(0, 1)]), **options)
    return forest.fit([[0.2], [0.7]], ["a", "b"])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_loaded_forest_is_the_one_that_was_saved(kind, tmp_path):
    forest, path = fitted(kind), tmp_path / "a.forest"
    forest.save(path, allow_infinite=np.isinf(forest.budget_.epsilon))
    loaded = dplit.load(path)
    assert type(loaded) is kind
    assert loaded.budget_ == forest.budget_ and str(loaded.budget_) == str(forest.budget_)
    assert loaded.predict(FRAME).tobytes() == forest.predict(FRAME).tobytes()
    if hasattr(forest, "predict_proba"):
        assert loaded.predict_proba(FRAME).tobytes() == forest.predict_proba(FRAME).tobytes()
    assert {*vars(forest)} - {*vars(loaded)} == {*kind.not_saved}
    again = tmp_path / "b.forest"
    loaded.save(again, allow_infinite=True)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_file_holds_no_seed_and_no_pickle(kind, tmp_path):
    path = tmp_path / "a.forest"
    fitted(kind).save(path, allow_infinite=True)
    content = path.read_bytes()
    assert b"20240" not in content and b"random_state" not in content
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
        for name in archive.namelist():
            if name.endswith(".npy"):
                np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
    assert header["class"].split(".")[-1] == kind.__name__ and header["version"] == files.VERSION
    assert header["budget"]["epsilon"] == fitted(kind).budget_.to_dict()["epsilon"]


def test_ten_lines_of_numpy_read_a_forest(tmp_path):
    """The format's page lets someone write a reader: this one predicts without dplit's routing."""
    forest, path = small(), tmp_path / "a.forest"
    forest.save(path)
    archive = np.load(path)
    header = json.loads(archive["header.json"])
    fields = header["fitted"]["trees_"]["record"][1]
    feature, threshold, child = (
        archive[fields[k]["array"]] for k in ("feature", "threshold", "child")
    )
    labels = archive[header["fitted"]["leaf_labels_"]["array"]]
    classes = archive[header["fitted"]["classes_"]["array"]]
    for x in np.linspace(0, 1, 11):
        node = archive[fields["roots"]["array"]][0]
        while feature[node] >= 0:
            node = child[node] + (x > threshold[node])
        assert classes[labels[child[node]]] == forest.predict([[x]])[0]


def test_every_altered_byte_is_noticed(tmp_path):
    path = tmp_path / "a.forest"
    small().save(path)
    content = path.read_bytes()
    for i in range(len(content)):
        path.write_bytes(content[:i] + bytes([content[i] ^ 0x11]) + content[i + 1 :])
        with pytest.raises(ValueError, match=r"altered|which is none"):
            dplit.load(path)


@pytest.mark.parametrize("length", [0, 1, 63, 64, 500, -1])
def test_a_file_that_was_cut_off_is_noticed(length, tmp_path):
    path = tmp_path / "a.forest"
    small().save(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ValueError, match=r"cut off|which is none"):
        dplit.load(path)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "a.forest"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(ValueError, match="cut off or altered"):
        dplit.load(path)
    with pytest.raises(FileNotFoundError):
        dplit.load(tmp_path / "none")


def test_a_newer_format_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.forest"
    with monkeypatch.context() as newer:
        newer.setattr(files, "VERSION", 7)
        small().save(path)
    with pytest.raises(ValueError, match=r"has format 7, .* reads formats up to 1"):
        dplit.load(path)


@pytest.mark.parametrize(
    "name", ["subprocess.Popen", "dplit.forests.base", "dplit.forests.Popen", "dplit"]
)
def test_only_estimators_of_the_package_are_made(name, tmp_path):
    """A file with a right digest, by somebody else."""
    path, buffer = tmp_path / "a.forest", io.BytesIO()
    header = {
        "format": files.FORMAT,
        "version": 1,
        "class": name,
        "parameters": {},
        "fitted": {},
    }
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.comment = b"0" * 64
    content = buffer.getvalue()[:-64]
    path.write_bytes(content + hashlib.sha256(content).hexdigest().encode())
    with pytest.raises(ValueError, match=f"no place for '{name}'"):
        dplit.load(path)


def test_an_infinite_budget_is_saved_on_demand_alone(tmp_path):
    path = tmp_path / "a.forest"
    leaking = fitted(RandomDecisionForestClassifier, epsilon=np.inf)
    with pytest.raises(ValueError, match=r"budget is infinite.*allow_infinite=True"):
        leaking.save(path)
    assert not path.exists()
    leaking.save(path, allow_infinite=True)
    assert dplit.load(path).budget_.epsilon == np.inf


def test_what_has_no_place_is_named(tmp_path):
    forest = fitted(forests.HistogramForestClassifier, learner=DecisionTreeClassifier())
    with pytest.raises(ValueError, match=r"learner can't be saved.* joblib keeps it"):
        forest.save(tmp_path / "a.forest")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("few", [False, True], ids=["two classes", "one class"])
def test_a_file_has_a_histograms_answers_in_all_cells(few, tmp_path):
    """In every cell the loaded forest says what the learner says; with one class, that is a constant."""
    options = {"epsilon": np.inf, "classes": ["yes"] if few else ["no", "yes"], "bins": 3}
    forest, path = (
        forests.HistogramForestClassifier(domain=DOMAIN, **options),
        tmp_path / "a.forest",
    )
    forest.fit(FRAME, np.full(len(FRAME), "yes") if few else Y).save(path, allow_infinite=True)
    loaded = dplit.load(path)
    cells = itertools.product([0.1, 0.5, 0.9], "abc", [False, True])
    everywhere = pd.DataFrame(list(cells), columns=["u", "v", "w"])
    codes = np.array(list(itertools.product(range(3), range(3), range(2))), dtype=float)
    shares = forest.learner_.predict_proba(codes)
    np.testing.assert_array_equal(loaded.predict_proba(everywhere), shares)
    np.testing.assert_array_equal(loaded.predict(everywhere), forest.predict(everywhere))
    assert hasattr(loaded, "feature_importances_") == (not few)
    assert few or (loaded.feature_importances_ == forest.feature_importances_).all()


def test_every_family_of_the_preset_is_saved(tmp_path):
    data, families = dplit.datasets.load("car"), set()
    for epsilon, rounds in ((0.001, None), (4.0, None), (4.0, 2)):
        options = {
            "domain": data.domain,
            "classes": data.classes,
            "n_estimators": rounds,
            "n_records": 1728,
        }
        forest = dplit.PrivateForestClassifier(epsilon, **options).fit(data.X, data.y)
        forest.save(tmp_path / "a.forest")
        loaded = dplit.load(tmp_path / "a.forest")
        np.testing.assert_array_equal(loaded.predict_proba(data.X), forest.predict_proba(data.X))
        families.add(forest.advice_.family)
    assert families == {"constant", "boosted", "histogram"}


class _Full(io.BytesIO):
    """A file on a disk that is full after some bytes."""

    def __init__(self, path, room):
        super().__init__()
        self.path, self.room = path, room

    def write(self, content):
        self.path.write_bytes(content[: self.room])
        raise OSError(28, "No space left on device")

    def fileno(self):
        return 0


@pytest.mark.parametrize("room", [0, 1, 100])
def test_a_full_disk_leaves_what_was_there(room, tmp_path, monkeypatch):
    path = tmp_path / "a.forest"
    small().save(path)
    before, usual = path.read_bytes(), builtins.open

    def full(name, *args, **kwargs):
        writes = str(name).endswith(".writing")
        return _Full(type(path)(name), room) if writes else usual(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", full)
    with pytest.raises(OSError, match="No space left"):
        fitted(RandomDecisionForestClassifier).save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["a.forest"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_fault_at_any_step_leaves_what_was_there(step, tmp_path, monkeypatch):
    path = tmp_path / "a.forest"
    small().save(path)
    before = path.read_bytes()

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, step, killed)
    with pytest.raises(KeyboardInterrupt):
        fitted(RandomDecisionForestClassifier).save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["a.forest"]


def test_the_card_says_what_the_budget_says():
    card = fitted(RandomDecisionForestClassifier, records_per_person=3).model_card()
    assert "Epsilon is 1 under add-remove neighbours" in card
    assert "one person's records, 3 at most" in card and "factor of at most 2.718" in card
    assert "at most 0.7311" in card  # e/(1 + e)
    assert "v  'a', 'b', 'c'" in card and "Classes: 'no', 'yes'." in card
    assert "not private" in fitted(RandomDecisionForestClassifier, epsilon=np.inf).model_card()
