"""The data sets: published shapes, public domains, and the rules of the generated ones."""

import hashlib
import itertools
import statistics
import warnings
from collections import Counter
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest

import dplit
from dplit import datasets
from dplit.datasets import readers, registry, rules

# Records that are complete, columns and classes as published; adult: 48842 less 3620, and so on.
SHAPES = {
    "iris": (150, 4, 3),
    "wdbc": (569, 30, 2),
    "balance": (625, 4, 3),
    "car": (1728, 6, 4),
    "synth-a": (30000, 5, 2),
    "synth-b": (30000, 10, 2),
    "synth-c": (30000, 15, 2),
    "synth-d": (30000, 15, 2),
    "synth-e": (30000, 15, 2),
    "synth-f": (30000, 10, 2),
    "synth-g": (30000, 20, 2),
    "adult": (45222, 14, 2),
    "mushroom": (5644, 22, 2),
    "heart-cleveland": (297, 13, 2),
    "heart-statlog": (270, 13, 2),
    "banknote": (1372, 4, 2),
    "credit-default": (30000, 23, 2),
    "wall-following-24": (5456, 24, 4),
    "wall-following-forward": (5456, 24, 2),
    "wall-following-4": (5456, 4, 4),
    "wall-following-2": (5456, 2, 4),
    "nursery": (12960, 8, 5),
    "pendigits": (10992, 16, 10),
    "magic": (19020, 10, 2),
    "appliances-energy": (19735, 29, 0),
    "parkinsons": (5875, 19, 0),
    "wine-white": (4898, 11, 11),
    "wine-red": (1599, 11, 11),
    "yeast": (1484, 8, 10),
    "cmc": (1473, 9, 3),
    "transfusion": (748, 4, 2),
    "zoo": (101, 16, 7),
    "hayes-roth": (160, 4, 3),
    "echocardiogram": (106, 8, 2),
    "hepatitis": (80, 19, 2),
    "mammographic": (830, 5, 2),
    "vehicle": (846, 18, 4),
    "website-phishing": (1353, 9, 3),
    "phishing-websites": (11055, 30, 2),
    "segmentation": (2310, 19, 7),
    "kr-vs-kp": (3196, 36, 2),
    "connect4": (67557, 42, 3),
    "wilt": (4839, 5, 2),
    "messidor": (1151, 19, 2),
    "claves": (10796, 16, 4),
    "internet-ads": (3279, 1555, 2),
    "gas-turbine": (36733, 10, 0),
    "metro-traffic": (48204, 8, 0),
    "puc-rio": (122243, 17, 4),
    "puc-rio-postures": (98001, 16, 2),
    "abalone": (4177, 8, 0),
}
CLASS_COUNTS = {
    "adult": {"<=50K": 34014, ">50K": 11208},
    "mushroom": {"e": 3488, "p": 2156},
    "heart-cleveland": {"0": 160, "1": 137},
    "nursery": {"not_recom": 4320, "recommend": 2, "very_recom": 328, "priority": 4266, "spec_prior": 4044},
    "iris": {"setosa": 50, "versicolor": 50, "virginica": 50},
    "wdbc": {"malignant": 212, "benign": 357},
    "wall-following-4": {
        "Move-Forward": 2205,
        "Slight-Right-Turn": 826,
        "Sharp-Right-Turn": 2097,
        "Slight-Left-Turn": 328,
    },
    "wall-following-forward": {"Move-Forward": 2205, "other": 3251},
    "puc-rio": {"sitting": 50631, "sittingdown": 11827, "standing": 47370, "standingup": 12415},
}
CLIPPED = {"metro-traffic": 1}  # the rain of 9,831.3 mm
LEAKY = {"banknote", "credit-default", "vehicle", "segmentation", "wilt", "messidor", "mammographic"}
RECONSTRUCTED = {  # sha256 of the repository's files
    "car": "b703a9ac69f11e64ce8c223c0a40de4d2e9d769f7fb20be5f8f2e8a619893d83",
    "balance": "5611187ef7345d807aa8ae22615945ade52a190537c0b1434bd44c3e877c5bb4",
}


@lru_cache(maxsize=2)  # the tests of one set follow one another, so that no process holds all sets
def loaded_with_warnings(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return datasets.load(name), tuple(caught)


def loaded(name):
    return loaded_with_warnings(name)[0]


def test_names_are_the_published_ones():
    assert datasets.names() == list(SHAPES)


@pytest.mark.parametrize("name", SHAPES, scope="module")
def test_shape_types_and_domain(name):
    data = loaded(name)
    records, columns, classes = SHAPES[name]
    assert data.X.shape == (records, columns)
    assert len(data.y) == len(data) == records
    assert len(data.classes or ()) == classes
    assert data.domain.names == tuple(data.X.columns) == tuple(data.sources)
    encoded = data.domain.encode(data.X)
    assert np.isfinite(encoded).all()
    assert data.home.startswith("https://") and data.licence and data.citation
    if data.task == "classification":
        assert tuple(data.y.cat.categories) == data.classes
        assert data.y.notna().all()
    else:
        low, high = data.target_bounds
        assert data.y.dtype == float and data.y.between(low, high).all()


@pytest.mark.parametrize("name", SHAPES, scope="module")
def test_values_are_public(name):
    """Levels are on the list, numbers in the interval but for the known ones that are clipped."""
    data, outside = loaded(name), 0
    for column, feature in zip(data.X, data.domain):
        values = data.X[column]
        if isinstance(feature, dplit.Categorical):
            assert tuple(values.cat.categories) == feature.levels
        else:
            outside += int((~values.between(feature.lower, feature.upper)).sum())
    if name.startswith("synth"):
        assert outside < 1e-3 * data.X.size
    else:
        assert outside == CLIPPED.get(name, 0)


@pytest.mark.parametrize("name", CLASS_COUNTS, scope="module")
def test_class_counts(name):
    assert loaded(name).y.value_counts().to_dict() == CLASS_COUNTS[name]


@pytest.mark.parametrize("name", SHAPES, scope="module")
def test_only_bounds_read_off_the_data_warn(name):
    data, caught = loaded_with_warnings(name)
    messages = [str(w.message) for w in caught]
    leaked = {c for c, source in data.sources.items() if source == "data"}
    assert set(data.domain.data_dependent) == leaked
    assert bool(leaked) == (name in LEAKY) == bool(messages)
    for column in leaked:
        assert repr(column) in messages[0]
    assert all(w.category is dplit.PrivacyLeakWarning for w in caught)
    assert all(w.filename == __file__ for w in caught)


@pytest.mark.parametrize("name", [n for n in SHAPES if not registry.entry(n).incomplete], scope="module")
def test_complete_sets_have_all_records(name):
    assert len(loaded(name)) == registry.entry(name).records


@pytest.mark.parametrize("name", [n for n in SHAPES if registry.entry(n).incomplete], scope="module")
def test_missing_values(name):
    """Dropping is a rule about each record: what is left is the complete part, in order."""
    entry, every = registry.entry(name), datasets.load(name, missing="keep")
    complete = (every.X.notna().all(axis=1) & every.y.notna()).to_numpy()
    assert len(every) == entry.records
    assert np.count_nonzero(~complete) == entry.incomplete
    for column, values in loaded(name).X.items():
        assert every.X[column][complete].tolist() == values.tolist()
    assert f"{entry.incomplete:,} records have" in entry.notes


@pytest.mark.parametrize("name", ["hepatitis", "mammographic"])
def test_imputed_values_are_medians_and_most_frequent_levels(name):
    """Known values stand as they are; columns with an imputed one leak, and no others."""
    every = datasets.load(name, missing="keep")
    with pytest.warns(dplit.PrivacyLeakWarning, match="were imputed from other records"):
        data = datasets.load(name, missing="impute")
    assert len(data) == len(every) and not data.X.isna().any().any()
    incomplete = [c for c in every.X if every.X[c].isna().any()]
    assert {*incomplete} <= {*data.domain.data_dependent}
    assert {*data.domain.data_dependent} == {*incomplete, *every.domain.data_dependent}
    for column in every.X:
        known = every.X[column].notna()
        values, filled = every.X[column][known].tolist(), data.X[column][~known].tolist()
        assert data.X[column][known].tolist() == values
        if isinstance(every.X[column].dtype, pd.CategoricalDtype):
            assert all(values.count(v) == max(map(values.count, values)) for v in filled)
        else:
            assert all(v == statistics.median(values) for v in filled)


def test_records_without_a_target_are_not_imputed():
    every, data = (datasets.load("echocardiogram", missing=m) for m in ("keep", "impute"))
    assert len(data) == every.y.notna().sum() < len(every)


# ------------------------------------------------------------------------------- generated ones


@pytest.mark.parametrize("name", RECONSTRUCTED)
def test_generated_files_are_the_repositorys(name):
    """The rule, written in the format of the repository's file, is that file byte for byte."""
    data = loaded(name)
    frame = data.X.astype(str)
    frame.insert(len(frame.columns) if name == "car" else 0, "class", data.y.astype(str))
    text = frame.to_csv(index=False, header=False, lineterminator="\n")
    assert hashlib.sha256(text.encode()).hexdigest() == RECONSTRUCTED[name]


def test_car_labels_and_counts():
    labels = "\n".join(loaded("car").y)
    assert Counter(labels.split("\n")) == {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65}
    pinned = "9bdfbb65536d7c220f4e9e60cf6868cb842b400f58fcd09a04aad0b94d7f2525"
    assert hashlib.sha256(labels.encode()).hexdigest() == pinned


def test_car_concepts_are_the_coarsest():
    """No two values of a concept could be one: some combination of the other inputs tells them apart."""
    prices, techs = set(sum(rules.PRICE.values(), ())), set(sum(rules.TECH.values(), ()))
    assert len(prices) == len({rules.CAR[p] for p in prices}) == 4
    columns = list(zip(*(rules.CAR[p] for p in rules.CAR)))
    assert len(techs) == len(set(columns)) == 4
    assert len(set(rules.TECH.values())) == len(set(sum(rules.COMFORT.values(), ()))) == 3


def test_balance_against_the_torques():
    data = loaded("balance")
    states = np.array(list(itertools.product(range(1, 6), repeat=4)))
    torque = np.sign(states[:, 0] * states[:, 1] - states[:, 2] * states[:, 3])
    assert (data.X.to_numpy() == states).all()
    assert (data.y.map({"L": 1, "B": 0, "R": -1}).astype(int).to_numpy() == torque).all()
    assert data.y.value_counts().to_dict() == {"L": 288, "B": 49, "R": 288}


@pytest.mark.parametrize(
    "letter, informative, useless",
    [("A", 5, 0), ("B", 10, 0), ("C", 15, 0), ("D", 10, 5), ("E", 5, 10), ("F", 5, 5), ("G", 10, 10)],
)
def test_synthetic_sets_have_the_columns_of_table_1(letter, informative, useless):
    """A useless column is N(0, 1): its variance is 1 within 0.05, six standard errors; the sets
    are fixed by their seeds, so this can't fail by chance."""
    data = loaded(f"synth-{letter.lower()}")
    assert data.X.shape[1] == informative + useless
    assert int((data.X.var() - 1).abs().lt(0.05).sum()) == useless
    assert abs((data.y == "1").mean() - 0.5) < 0.01
    assert len(set(data.domain.features)) == 1


def test_nested_draws_only_add_records():
    small, large = (datasets.load("synth-f", n=n, nested=True) for n in (70_000, 90_000))
    assert large.X.iloc[:70_000].equals(small.X) and large.y.iloc[:70_000].equals(small.y)
    assert small.domain == datasets.load("synth-f", n=10).domain
    with pytest.raises(ValueError, match="nested belong to the synthetic data sets"):
        datasets.load("iris", nested=True)


def test_nested_draws_have_the_law_of_make_classification():
    """Five columns of standard deviation 1; the others are 1 + k/3 in mean square over clusters' maps.

    The classes are as often, and a nearest-neighbour rule finds them but for the flipped labels.
    """
    from sklearn.neighbors import KNeighborsClassifier

    data = datasets.load("synth-f", n=60_000, nested=True)
    deviations = np.sort(data.X.std().to_numpy())
    assert np.allclose(deviations[:5], 1, atol=0.02) and deviations[5] > 1.2
    assert 0.5 < np.mean(deviations[5:] ** 2) / (1 + 5 / 3) < 2
    assert abs((data.y == "1").mean() - 0.5) < 0.015
    informative = data.X.columns[data.X.std() > 1.2]
    near = KNeighborsClassifier(15).fit(data.X[informative][:20_000], data.y[:20_000])
    own = datasets.load("synth-f")
    kept = own.X.columns[own.X.std() > 1.2]
    theirs = KNeighborsClassifier(15).fit(own.X[kept][:20_000], own.y[:20_000])
    scores = (
        near.score(data.X[informative][20_000:22_000], data.y[20_000:22_000]),
        theirs.score(own.X[kept][20_000:22_000], own.y[20_000:22_000]),
    )
    assert min(scores) > 0.88 and max(scores) < 0.996


def test_synthetic_options():
    first, again = (datasets.load("SynthF", n=200, seed=5) for _ in range(2))
    other = datasets.load("synth_f", n=200, seed=6)
    assert first.X.equals(again.X) and first.y.equals(again.y)
    assert first.name == "synth-f" and not first.X.equals(other.X)
    assert first.domain == other.domain == loaded("synth-f").domain
    with pytest.raises(ValueError, match="n must be an integer of at least 1, got 0"):
        datasets.load("synth-a", n=0)
    with pytest.raises(ValueError, match="seed must be an integer of at least 0, got 'x'"):
        datasets.load("synth-a", seed="x")
    with pytest.raises(ValueError, match=r"belong to the synthetic data sets.*'iris'"):
        datasets.load("iris", n=10)


def test_wdbc_is_the_repositorys_file():
    """Labels and numbers of the repository's wdbc.data, parsed, in the order of its records."""
    data = loaded("wdbc")
    labels = "".join(f"{'M' if y == 'malignant' else 'B'}\n" for y in data.y)
    found = hashlib.sha256(labels.encode() + data.X.to_numpy("<f8").tobytes()).hexdigest()
    assert found == "32ae33b93121501ce98e4600d991e91363e944448e85c0f01a059e1abddde2f0"


def test_wdbc_bounds_follow_from_the_measurements():
    """Round, by judgement, the mean's and the worst's alike; and a standard error over n = 8
    values in an interval of length R is at most R / (2 sqrt(n - 1)), at 4 values on either end."""
    upper = {c.name: c.bounds[1] for c in registry.entry("wdbc").columns}
    assert {c.source for c in registry.entry("wdbc").columns} == {"judgement"}
    extreme = np.std([0.0] * 4 + [1.0] * 4, ddof=1) / np.sqrt(8)
    for name in [n.removeprefix("mean ") for n in upper if n.startswith("mean ")]:
        assert upper[f"mean {name}"] == upper[f"worst {name}"]
        assert upper[f"{name} error"] >= extreme * upper[f"mean {name}"]


# ---------------------------------------------------------------------------------- the registry


def test_registry_is_complete():
    for name in datasets.names():
        entry = registry.entry(name)
        assert entry.title and entry.home.startswith("https://") and entry.reader, name
        assert (entry.classes is None) == (entry.task == "regression"), name
        assert bool(entry.files) == bool(entry.folder), name
        assert bool(entry.files and not entry.download) == bool(entry.changed), name
        for file in entry.files:
            assert len(file.sha256) == 64 and int(file.sha256, 16), (name, file)
        for column in entry.columns:
            assert column.source in registry.SOURCES, (name, column)
            assert bool(column.levels) == (column.kind == "categorical"), (name, column)
            if column.kind != "categorical":
                assert (column.bounds is None) == (column.source == "data"), (name, column)
            assert bool(column.why) == (column.source == "judgement"), (name, column)
            assert set(column.undocumented) <= set(column.levels), (name, column)


def test_undocumented_levels_are_marked():
    marked = {
        (n, c.name): c.undocumented for n in datasets.names() for c in registry.entry(n).columns if c.undocumented
    }
    assert marked["credit-default", "EDUCATION"] == ("0", "5", "6")
    assert marked["mammographic", "bi_rads"] == ("0", "55", "6")
    assert {n for n, _ in marked} == {"credit-default", "mammographic"}


def test_table():
    table = datasets.table()
    assert list(table) == ["name", "task", "records", "columns", "classes", "bounds", "home"]
    by_name = table.set_index("name")
    assert by_name.loc["adult", "records"] == 48842
    assert by_name.loc["internet-ads", "columns"] == 1555
    assert set(by_name.index[by_name["bounds"] == "data"]) == LEAKY
    for name, (_, columns, classes) in SHAPES.items():
        assert tuple(by_name.loc[name, ["columns", "classes"]]) == (columns, classes)


@pytest.mark.parametrize("typed, name", [("SynthA", "synth-a"), ("synth_a", "synth-a"), ("Kr_vs_KP", "kr-vs-kp")])
def test_spelling_does_not_matter(typed, name):
    assert registry.canonical(typed) == name


def test_unknown_names_and_options():
    with pytest.raises(ValueError, match="got 'wdcb'; did you mean 'wdbc'"):
        datasets.load("wdcb")
    with pytest.raises(ValueError, match="got 7; "):
        datasets.load(7)
    with pytest.raises(ValueError, match="missing must be one of 'drop', 'keep', 'impute', got 'fill'"):
        datasets.load("iris", missing="fill")


def test_repr_is_short():
    assert repr(loaded("iris")) == "Dataset('iris': 150 records, 4 columns, classification into 3 classes)"


def test_every_reader_and_repair_is_used():
    entries = [registry.entry(n) for n in datasets.names()]
    assert {e.reader for e in entries} == set(readers.READERS) | {"synthetic"}
    assert {e.repair for e in entries} - {""} == set(readers.REPAIRS)
