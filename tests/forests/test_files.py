"""Forests as files: the same predictions after loading, nothing private inside, every altered byte noticed."""

from __future__ import annotations

import builtins
import hashlib
import io
import json
import os
import re
import textwrap
import zipfile
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import dplit
from dplit import Continuous, Domain, baselines, forests
from dplit.budget import Converted
from dplit.forests import RandomDecisionForestClassifier, files
from tests.forged_files import ALL, DOMAIN, FRAME, Y, fitted, members, write


def small():
    """A forest whose file is small."""
    options = {"classes": ["a", "b"], "n_estimators": 1, "max_depth": 1, "random_state": 1}
    forest = RandomDecisionForestClassifier(1.0, domain=Domain([Continuous(0, 1)]), **options)
    return forest.fit([[0.2], [0.7]], ["a", "b"])


def check_it_is_the_same(forest, folder):
    """Saved and loaded, in every bit of what it predicts and of what is saved again."""
    path, again = folder / "a.forest", folder / "b.forest"
    forest.save(path, allow_infinite=np.isinf(forest.budget_.epsilon))
    loaded = dplit.load(path)
    assert type(loaded) is type(forest)
    assert loaded.budget_ == forest.budget_ and str(loaded.budget_) == str(forest.budget_)
    for name in ("predict", "predict_proba", "decision_function"):
        assert hasattr(loaded, name) == hasattr(forest, name)
        if hasattr(forest, name):
            found = getattr(loaded, name)(FRAME)
            assert found.tobytes() == getattr(forest, name)(FRAME).tobytes()
    assert {*vars(forest)} - {*vars(loaded)} == {*forest.not_saved}
    loaded.save(again, allow_infinite=True)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_a_loaded_forest_is_the_one_that_was_saved(kind, tmp_path):
    check_it_is_the_same(fitted(kind), tmp_path)


OTHERWISE = [
    *((forests.MatrixForestClassifier, {"strategy": s}) for s in ("per-tree", "merged", "tree-norm")),
    (forests.MatrixForestClassifier, {"voting": "weighted", "mechanism": "laplace"}),
    (forests.MatrixForestClassifier, {"release": "prediction", "strategy": "identity", "queries": FRAME}),
    (forests.MatrixForestClassifier, {"release": "subsample", "queries": FRAME.to_numpy()}),
    (forests.BoostedForestClassifier, {"delta": 1e-6, "n_records": 80}),
    (forests.BoostedForestClassifier, {"classes": ["no", "yes", *"abcde"], "n_estimators": 5}),
    (forests.BoostedForestRegressor, {"max_depth": None, "n_records": 2000}),
    (forests.HistogramForestClassifier, {"mechanism": "laplace", "release": "clipped"}),
    (forests.RandomDecisionForestClassifier, {"noise": "secure", "random_state": None}),
    (forests.PrivateForestClassifier, {"max_depth": None, "n_records": 5}),
    (forests.MedianForestClassifier, {"neighbours": "replace-one", "partitioned": False}),
    (baselines.DPRandomForestClassifier, {"criterion": "majority"}),
]


@pytest.mark.parametrize(
    ("kind", "options"), OTHERWISE, ids=lambda v: "-".join(v) if isinstance(v, dict) else v.__name__
)
def test_so_is_one_of_other_options(kind, options, tmp_path):
    """What else a fitted forest may hold: other releases, advice, plans, exact noise."""
    check_it_is_the_same(fitted(kind, **options), tmp_path)


def test_a_concentrated_budget_is_in_the_file(tmp_path):
    """So many rounds that their sum is cheaper in rho, at the delta."""
    forest = fitted(forests.BoostedForestClassifier, delta=1e-6, n_records=20_000, n_estimators=30)
    assert any(isinstance(part, Converted) for part in forest.budget_.root.parts)
    check_it_is_the_same(forest, tmp_path)


def test_queries_are_what_they_were(tmp_path):
    """A frame of any library and an array of objects: a loaded forest is fitted to the same ones."""
    path, options = tmp_path / "a.forest", {"release": "prediction", "strategy": "identity"}
    for queries in (
        FRAME,
        FRAME.astype({"v": "category"}),
        polars.DataFrame(FRAME.to_dict("list")),
        FRAME.to_numpy(),
    ):
        forest = fitted(forests.MatrixForestClassifier, queries=queries, **options)
        forest.save(path)
        loaded = dplit.load(path)
        assert np.array_equal(np.array(loaded.queries, dtype=object), FRAME.to_numpy())
        names = getattr(loaded.queries, "columns", None)
        assert names is None if isinstance(queries, np.ndarray) else [*names] == ["u", "v", "w"]
        again = loaded.set_params(random_state=20240).fit(FRAME, Y)
        assert again.predict_proba(FRAME).tobytes() == forest.predict_proba(FRAME).tobytes()


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
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


def reader():
    """The lines of NumPy on the format's page, and what the text behind them says of answers."""
    lines = textwrap.dedent(files.__doc__.split(".. code-block:: python")[1].split("\n\nThe class")[0])
    said = re.findall(r"``(forest\[.*?)``", files.__doc__.replace("\n", " "))
    assert len(lines.strip().splitlines()) <= 10
    return lines, dict(zip(("class", "number", "cell"), said, strict=True))


VOTING = [
    RandomDecisionForestClassifier, forests.MedianForestClassifier, forests.MultinomialForestClassifier,
    baselines.DPExtraTreesClassifier, baselines.RGVClassifier,
]  # fmt: skip
AVERAGING = [forests.MedianForestRegressor, baselines.DPExtraTreesRegressor]


def answered(path, frame, answer, domain=DOMAIN, **known):
    """What the page's lines come to, record by record."""
    lines, said = reader()
    for x in domain.encode(frame):
        names = {"np": np, "path": path, "x": x, **known}
        exec(lines, names)
        yield eval(said[answer], names)


@pytest.mark.parametrize("kind", VOTING, ids=lambda kind: kind.__name__)
def test_ten_lines_of_numpy_read_a_forest_that_votes(kind, tmp_path):
    """The format's page lets someone write a reader: its own predicts without dplit's routing."""
    forest, path = fitted(kind, n_estimators=9, max_depth=3), tmp_path / "a.forest"
    forest.save(path)
    found = list(answered(path, FRAME[:30], "class"))
    assert found == forest.predict(FRAME[:30]).tolist()


@pytest.mark.parametrize("kind", AVERAGING, ids=lambda kind: kind.__name__)
def test_ten_lines_of_numpy_read_a_forest_of_means(kind, tmp_path):
    forest, path = fitted(kind, n_estimators=9, max_depth=3), tmp_path / "a.forest"
    forest.save(path)
    found = list(answered(path, FRAME[:30], "number"))
    assert found == pytest.approx(forest.predict(FRAME[:30]), rel=1e-12) and len({*found}) > 2


BINNED = [forests.MatrixForestClassifier, baselines.DPDecisionForestClassifier, baselines.DPRandomForestClassifier]


@pytest.mark.parametrize("kind", BINNED, ids=lambda kind: kind.__name__)
def test_ten_lines_of_numpy_read_a_forest_of_bins(kind, tmp_path):
    forest, path = fitted(kind, bins=4, n_estimators=9), tmp_path / "a.forest"
    forest.save(path)
    bins = FRAME[:30].assign(u=(FRAME["u"][:30] * 4).astype(int))
    numbered = Domain({"u": Continuous(0, 3), "v": DOMAIN.features[1], "w": DOMAIN.features[2]})
    found = list(answered(path, bins, "class", numbered))
    assert found == forest.predict(FRAME[:30]).tolist() and len({*found}) == 2


def test_one_line_of_numpy_reads_a_histogram_forest(tmp_path):
    forest, path = fitted(forests.HistogramForestClassifier, bins=4), tmp_path / "a.forest"
    forest.save(path)
    with np.load(path) as archive:
        names = {"np": np, "forest": {k: archive[k] for k in ("classes_", "cell_labels_")}}
    level = {"a": 0, "b": 1, "c": 2}
    for (_, row), label in zip(FRAME.iterrows(), forest.predict(FRAME), strict=True):
        names |= {"n_levels": (4, 3, 2), "levels": (int(row.u * 4), level[row.v], int(row.w))}
        assert eval(reader()[1]["cell"], names) == label


def test_a_file_of_the_first_version_is_read():
    """Written by dplit 0.2.0, which is stored: what is renamed since must not break it."""
    path = Path(__file__).with_name("version-1.forest")
    forest = dplit.load(path)
    assert forest.budget_.epsilon == 1.0 and forest.classes_.tolist() == ["no", "yes"]
    assert list(answered(path, FRAME[:30], "class")) == forest.predict(FRAME[:30]).tolist()


def test_every_altered_byte_is_noticed(tmp_path):
    path = tmp_path / "a.forest"
    small().save(path)
    content = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        for i in range(len(content)):
            os.pwrite(file.fileno(), bytes([content[i] ^ 0x11]), i)
            with pytest.raises(ValueError, match=r"altered|which is none"):
                dplit.load(path)
            os.pwrite(file.fileno(), content[i : i + 1], i)
    assert path.read_bytes() == content
    dplit.load(path)


def test_what_somebody_altered_with_a_right_digest_is_a_forest_or_a_named_error(tmp_path):
    """The digest is no signature: the archive, the header and the arrays may be anything."""
    path, seen = tmp_path / "a.forest", {"loaded": 0, "refused": 0}
    small().save(path)
    content = path.read_bytes()[: -files.DIGEST]
    for i in range(0, len(content), 7):
        altered = content[:i] + bytes([content[i] ^ (0x01, 0x20, 0x80)[i % 3]]) + content[i + 1 :]
        path.unlink()
        path.write_bytes(altered + hashlib.sha256(altered).hexdigest().encode())
        try:
            dplit.load(path)
            seen["loaded"] += 1  # as a letter of the card
        except ValueError as error:
            assert re.search("which is none|none that save wrote|has format", str(error))
            seen["refused"] += 1
    assert min(seen.values()) > 100


def forged(path, edit, **arrays):
    """Write the file anew as somebody else may: its header edited, arrays replaced, the digest right."""
    header, known = members(path)
    edit(header)
    path.unlink()
    write(path, header, {name: arrays.get(name, array) for name, array in known.items()})


@pytest.mark.parametrize("place", ["parameters", "fitted"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_file_brings_no_seed(place, inside, tmp_path):
    """Whoever knows it could undo the noise of the next fit."""
    path = tmp_path / "a.forest"
    (fitted(forests.PrivateForestClassifier) if inside else small()).save(path)
    forged(path, lambda header: None)
    assert dplit.load(path).random_state is None

    def seed(header):
        of = header["fitted"]["forest_"]["forest"] if inside else header
        of[place]["random_state"] = 7

    forged(path, seed)
    with pytest.raises(ValueError, match=r"none that save wrote: no place for .*random_state"):
        dplit.load(path)


@pytest.mark.parametrize("name", ["predict", "save", "epsilon", "not_saved", "_in_parts", "__class__"])
def test_a_file_brings_fitted_attributes_alone(name, tmp_path):
    path = tmp_path / "a.forest"
    small().save(path)
    forged(path, lambda header: header["fitted"].update({name: 1.0}))
    with pytest.raises(ValueError, match=f"no place for a fitted attribute of the name '{name}'"):
        dplit.load(path)


@pytest.mark.parametrize("dtype", ["V8", "S8", "O", "M8[s]"])
def test_a_file_names_no_size_of_memory(dtype, tmp_path):
    """A void scalar of a number has so many bytes, whatever its dtype says."""
    path = tmp_path / "a.forest"
    small().save(path)
    forged(path, lambda header: header["fitted"].update(x_={"scalar": [dtype, 64]}))
    with pytest.raises(ValueError, match="no place for an array or a number of the dtype"):
        dplit.load(path)
    forged(path, lambda header: header["fitted"].pop("x_"))
    dplit.load(path)
    forged(path, lambda header: None, leaf_labels_=np.zeros(2, dtype="V8"))
    with pytest.raises(ValueError, match=r"no place for an array or a number of the dtype '.V8'"):
        dplit.load(path)


@pytest.mark.parametrize("answers", [
    np.full(30, -1), np.full(30, 2), np.zeros(29, dtype=int), np.zeros((30, 1), dtype=int),
    np.zeros(30), np.array(0),
], ids=lambda a: f"{a.dtype}{a.shape}")  # fmt: skip
@pytest.mark.parametrize("name", ["cell_labels_", "leaf_labels_"])
def test_each_cell_or_leaf_has_one_of_the_classes(name, answers, tmp_path):
    """Minus 1 would be the last class, and too few would fail in ``predict`` alone."""
    path = tmp_path / "a.forest"
    kind = forests.HistogramForestClassifier if name[0] == "c" else forests.MedianForestClassifier
    forest = fitted(kind)
    n = len(getattr(forest, name))
    forest.save(path)
    forged(path, lambda header: None, **{name: np.arange(n) % 2})
    dplit.load(path).predict(FRAME)
    answers = np.resize(answers, (n - (len(answers) == 29), *answers.shape[1:])) if answers.shape else answers
    forged(path, lambda header: None, **{name: answers})
    with pytest.raises(ValueError, match=f"none that save wrote: no place for {name} (of shape|that are)"):
        dplit.load(path)


def test_what_is_compressed_is_refused(tmp_path):
    """A thousandth of the bytes that it takes in memory."""
    path = tmp_path / "a.forest"
    small().save(path)
    write(path, *members(path), zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="which is none"):
        dplit.load(path)


def test_another_machine_orders_its_bytes_as_it_will(tmp_path):
    path, forest = tmp_path / "a.forest", small()
    forest.save(path)
    header, arrays = members(path)
    write(path, header, {k: a.astype(a.dtype.newbyteorder(">")) for k, a in arrays.items()})
    X = np.linspace(0, 1, 50)[:, None]
    assert dplit.load(path).predict(X).tolist() == forest.predict(X).tolist()


@pytest.mark.parametrize("shape", [(29, 2), (30, 3), (30,)])
def test_each_cell_has_a_share_of_each_class(shape, tmp_path):
    path = tmp_path / "a.forest"
    fitted(forests.HistogramForestClassifier).save(path)
    forged(path, lambda header: None, cell_shares_=np.full(shape, 0.5))
    with pytest.raises(ValueError, match="no place for cell_shares_ of shape"):
        dplit.load(path)


@pytest.mark.parametrize("edit", [
    {"in words": "epsilon 0 under add-remove neighbours"}, {"in words": ""}, {"budget": {}},
    {"version": 0}, {"version": -5}, {"version": 1.5}, {"version": "2"}, {"version": True}, {"version": 1},
], ids=str)  # fmt: skip
def test_a_header_says_what_is_inside(edit, tmp_path):
    path = tmp_path / "a.forest"
    fitted(forests.HistogramForestClassifier).save(path)
    forged(path, lambda header: header.update(edit))
    with pytest.raises(ValueError, match=r"which is none|no place for"):
        dplit.load(path)


def test_a_header_says_the_budget(tmp_path):
    path = tmp_path / "a.forest"
    small().save(path)
    forged(path, lambda header: header["budget"].update(epsilon=0.0))
    with pytest.raises(ValueError, match="no place for a budget in the header that isn't budget_"):
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
    with pytest.raises(ValueError, match=r"has format 7, .* reads formats up to 2"):
        dplit.load(path)


@pytest.mark.parametrize("name", ["subprocess.Popen", "dplit.forests.base", "dplit.forests.Popen", "dplit"])
def test_only_estimators_of_the_package_are_made(name, tmp_path):
    """A file with a right digest, by somebody else."""
    path, buffer = tmp_path / "a.forest", io.BytesIO()
    header = {"format": files.FORMAT, "version": files.VERSION, "class": name, "parameters": {}, "fitted": {}}
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
    forest = small()
    forest.max_depth_ = LogisticRegression()
    with pytest.raises(ValueError, match=r"max_depth_ can't be saved: .* no place for a LogisticReg"):
        forest.save(tmp_path / "a.forest")
    assert list(tmp_path.iterdir()) == []


LEARNERS = [None, LogisticRegression(C=77.125), LinearSVC(), KNeighborsClassifier(1)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda v: type(v).__name__)
def test_of_a_learner_a_file_has_the_name_and_the_answers(learner, tmp_path):
    """Every cell of the domain is answered as before; the learner's own parameters are not in the file."""
    path = tmp_path / "a.forest"
    forest = fitted(forests.HistogramForestClassifier, learner=learner, bins=3)
    forest.save(path)
    loaded = dplit.load(path)
    cells = product((0.1, 0.5, 0.9), "abc", (False, True))
    cells = pd.DataFrame(cells, columns=["u", "v", "w"])
    codes = np.array([*product(range(3), range(3), range(2))], dtype=float)
    by_learner = forest.classes_[forest.learner_.predict(codes)]
    assert loaded.predict(cells).tolist() == forest.predict(cells).tolist() == by_learner.tolist()
    assert hasattr(loaded, "predict_proba") == hasattr(forest, "predict_proba")
    if hasattr(forest, "predict_proba"):
        shares = loaded.predict_proba(cells)
        assert shares.tobytes() == forest.predict_proba(cells).tobytes()
        assert shares == pytest.approx(forest.learner_.predict_proba(codes), abs=1e-12)
    with pytest.raises(AttributeError, match="a loaded forest has its answers alone"):
        _ = loaded.feature_importances_
    check_it_is_the_same(forest, tmp_path)
    if learner is not None:
        name = f"{type(learner).__module__}.{type(learner).__name__}"
        assert loaded.learner == name and b"77.125" not in path.read_bytes()
        assert f"learner={name!r}" in forest.model_card()
        with pytest.raises(ValueError, match="learner must be a scikit-learn classifier or None"):
            loaded.fit(FRAME, Y)
        assert loaded.set_params(learner=learner).fit(FRAME, Y).learner_ is not None


def test_every_family_of_the_preset_is_saved(tmp_path):
    data, families = dplit.datasets.load("car"), set()
    for epsilon, rounds in ((0.001, None), (4.0, None), (4.0, 2)):
        options = {"domain": data.domain, "classes": data.classes, "n_estimators": rounds, "n_records": 1728}
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
    assert "the records of one person, at most 3, are there or not" in card and "factor of at most 2.718" in card
    assert "at most 0.7311" in card  # e/(1 + e)
    assert "## Use\n\nIt predicts from records of this schema." in card
    assert "v  'a', 'b', 'c'" in card and "Classes: 'no', 'yes'." in card
    assert "at most exp(1000)." in fitted(RandomDecisionForestClassifier, epsilon=1000.0).model_card()
    assert "not private" in fitted(RandomDecisionForestClassifier, epsilon=np.inf).model_card()


@pytest.mark.parametrize("kind", [RandomDecisionForestClassifier, dplit.PrivateForestClassifier])
def test_what_is_ones_own_is_refused_by_name(kind, tmp_path):
    class Own(kind):
        pass

    path, forest = tmp_path / "a.forest", fitted(kind)
    for own in (FRAME, fitted(kind), 0.5, FRAME["u"].to_numpy()):
        forest.own_ = own
        with pytest.raises(ValueError, match="own_ can't be saved: it is an attribute of your own"):
            forest.save(path)
    del forest.own_
    if kind is dplit.PrivateForestClassifier:
        forest.forest_.own_ = FRAME
        with pytest.raises(ValueError, match="own_ can't be saved"):
            forest.save(path)
    with pytest.raises(ValueError, match="Own can't be saved: it is a class of your own"):
        fitted(Own).save(path)
    assert not path.exists()


def test_the_card_of_a_fit_with_delta_has_the_bound_with_delta():
    preset = dplit.PrivateForestClassifier(
        1.0, delta=0.01, n_records=10**6, domain=dplit.Domain([dplit.Continuous(0, 1)]), classes=["n", "y"]
    )
    forest = preset.fit([[0.2], [0.7]] * 20, ["n", "y"] * 20)
    card = forest.model_card()
    assert forest.budget_.delta == pytest.approx(0.01)
    assert "Epsilon is 1 and delta 0.01 under" in card
    assert "of any set of outcomes by a factor of at most 2.718, and by 0.01 beside that." in card
    assert "right with probability at most 0.7337" in card  # (e + 0.01)/(1 + e)
