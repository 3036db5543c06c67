"""The public description of columns: matching, encoding, and what is an error."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dplit import Categorical, Continuous, Domain, PrivacyLeakWarning
from dplit.domain.columns import distinct

MIXED = Domain([Continuous(0, 10), Categorical(["red", "blue"])], names=["size", "colour"])


def test_clips_numbers_and_codes_levels():
    frame = pd.DataFrame({"size": [-3, 4.5, 99], "colour": ["blue", "red", "blue"]})
    expected = [[0, 1], [4.5, 0], [10, 1]]
    assert MIXED.encode(frame).tolist() == expected
    assert MIXED.encode(frame.to_numpy()).tolist() == expected
    assert MIXED.encode(frame.to_numpy().tolist()).tolist() == expected


def test_frames_are_matched_by_name_in_any_order():
    frame = pd.DataFrame({"colour": ["red"], "size": [2.0]})
    assert MIXED.encode(frame).tolist() == [[2.0, 0.0]]
    numbered = Domain([Continuous(0, 1), Continuous(5, 6)], names=[0, 1])
    assert numbered.encode(pd.DataFrame({1: [5.5], 0: [0.5]})).tolist() == [[0.5, 5.5]]
    nameless = Domain(MIXED.features)
    assert nameless.encode(frame[["size", "colour"]]).tolist() == [[2.0, 0.0]]


@pytest.mark.parametrize(
    "frame, words",
    [
        ({"size": [1.0]}, "missing 'colour'"),
        ({"size": [1.0], "colour": ["red"], "id": [7]}, "has not: 'id'; drop them"),
        ({"size": [1.0], "color": ["red"]}, "missing 'colour'"),
    ],
)
def test_wrong_columns_are_named(frame, words):
    with pytest.raises(ValueError, match=f"^X .*{words}"):
        MIXED.encode(pd.DataFrame(frame))


def test_duplicate_columns_are_named():
    frame = pd.DataFrame([[1.0, 2.0, "red"]], columns=["size", "size", "colour"])
    with pytest.raises(ValueError, match=r"X must have distinct columns, got .'size'. more than once"):
        MIXED.encode(frame)


@pytest.mark.parametrize("X", [np.zeros((2, 3)), np.zeros(2), [[1.0]], 5.0])
def test_wrong_shapes_are_named(X):
    with pytest.raises(ValueError, match="X must have 2 columns, as domain has, got an input of shape"):
        MIXED.encode(X)


@pytest.mark.parametrize(
    "values, words",
    [
        (["a"], "numbers, got a cell that is none"),
        ([1.0, np.nan], "finite numbers, got a missing or"),
        ([None, 1.0], "finite numbers, got a missing or"),
        ([-np.inf], "finite numbers, got a missing or"),
        ([1j], "numbers, got a cell that is none"),
        ([10**400], "numbers, got a cell that is none"),
        (np.array(["2020-01-01"], "M8[D]"), "numbers, got dates or times: Date\\(lower, upper\\) is for dates"),
        (pd.Series([1, None], dtype="Int64"), "finite numbers, got a missing or"),
        (pd.Series([True, None], dtype="boolean"), "numbers, got a cell that is none"),
    ],
)
def test_what_is_no_finite_number_is_an_error(values, words):
    with pytest.raises(ValueError, match=f"^column 'size' must hold {words}"):
        MIXED.features[0].encode(values, "size")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_fast_path_finds_the_column(bad):
    X = np.zeros((4, 3))
    X[2, 1] = bad
    with pytest.raises(ValueError, match="column 'b' must hold finite numbers, got a missing"):
        Domain([Continuous(-1, 1)] * 3, names="a b c".split()).encode(X)
    with pytest.raises(ValueError, match="column 1 must hold finite numbers"):
        Domain([Continuous(-1, 1)] * 3).encode(X)


@pytest.mark.parametrize(
    "levels, values, codes",
    [
        ([0, 1, 2], np.array([2, 0], np.int8), [2, 0]),
        (np.array([0, 1, 2]), [2.0, True], [2, 1]),
        (["b", "a"], np.array(["a", "b"]), [1, 0]),
        (["b", "a"], pd.Categorical(["a", "b"]), [1, 0]),
        (["b", "a"], pd.Categorical(["b", "a", "b"], categories=["z", "a", "b"]), [0, 1, 0]),
        ([3, 1.5], pd.Series([1.5, 3, 1.5], dtype="category"), [1, 0, 1]),
        ([False, True], np.array([True, False]), [1, 0]),
        ([0.5, 2.0], np.array([2.0, 0.5, 2.0]), [1, 0, 1]),
        ([1, "1"], ["1", 1], [1, 0]),
        ([("x", 1), ("y", 2)], pd.Series([("y", 2)]), [1]),
        (["a"], [], []),
    ],
)
def test_types_of_levels(levels, values, codes):
    found = Categorical(levels).encode(values, "c")
    assert found.tolist() == codes
    assert found.dtype == np.float64


NUMBERED = {
    "floats": np.array([0.5, np.nan, -0.0, 0.0, 0.5, np.inf, np.nan]),
    "short floats": np.array([0.1, np.nan, 0.1], np.float32),
    "integers": np.array([3, -1, 3]),
    "beyond the floats": np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], np.uint64),
    "booleans": np.array([True, False, True]),
    "a series": pd.Series([2, 1, 2], index=[5, 5, 7]),
    "integers with a missing one": pd.Series([1, None, 1], dtype="Int64"),
    "booleans with a missing one": pd.Series([True, None, True], dtype="boolean"),
    "words": np.array(["b", "a", "b"]),
    "days": np.array(["2020-01-01", "NaT", "2020-01-01"], "M8[s]"),
    "durations": np.array([1, 2, 1], "m8[h]"),
}


@pytest.mark.parametrize("values", NUMBERED.values(), ids=NUMBERED)
def test_numbers_are_numbered_as_the_objects_that_they_are(values):
    """Numbers have a faster way, which must find the same values of the same types, in the same order."""
    found, places = distinct(values)
    objects, theirs = distinct(np.asarray(values, dtype=object))
    assert [*map(repr, found)] == [*map(repr, objects)] and places.tolist() == theirs.tolist()
    assert [*map(type, found)] == [*map(type, objects)]


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT])
def test_missing_levels_are_said_to_be_missing(missing):
    with pytest.raises(ValueError, match="column 'c' has missing values"):
        Categorical(["a"]).encode(pd.Series(["a", missing], dtype=object), "c")
    with pytest.raises(ValueError, match="levels must not be missing"):
        Categorical(["a", missing])


def test_unknown_levels_are_named_with_the_first_known_ones():
    with pytest.raises(ValueError, match=r"'colour' must hold levels of its list, got another; .* 'red', 'blue'$"):
        MIXED.encode(pd.DataFrame({"size": [1.0], "colour": ["green"]}))
    with pytest.raises(ValueError, match=r"got another; its levels are 0, 1, .*11, \.\.\.$"):
        Categorical(range(20)).encode(["1"], "c")


@pytest.mark.parametrize("levels", [[], "ab", 5, {"a", "b"}, [1, 1], [1, True], None, [[1], [2]], [np.zeros(2)]])
def test_levels_that_are_none(levels):
    with pytest.raises(ValueError, match=r"^levels must be "):
        Categorical(levels)


@pytest.mark.parametrize(
    "bounds", [(2, 1), (0, np.inf), (np.nan, 1), ("0", 1), (False, True), (0, None), (0, 10**400), (-1e308, 1e308)]
)
def test_bounds_that_are_none(bounds):
    with pytest.raises(ValueError, match=r"^(lower|upper) must be "):
        Continuous(*bounds)


def test_domains_that_are_none():
    with pytest.raises(ValueError, match="features must hold at least one column"):
        Domain([])
    with pytest.raises(ValueError, match=r"features\[1\] must be Continuous\(.*Categorical\(.*, got \(0, 1\)"):
        Domain([Continuous(0, 1), (0, 1)])
    for names in (["a"], ["a", "a"], [1, "1"]):
        with pytest.raises(ValueError, match="names must be 2 distinct names"):
            Domain(MIXED.features, names=names)
    for names in ("ab", 2):
        with pytest.raises(ValueError, match=f"names must be a list of names, got {names!r}"):
            Domain(MIXED.features, names=names)
    with pytest.raises(ValueError, match="features must be a list of columns, got Continuous"):
        Domain(Continuous(0, 1))


def test_columns_of_one_name_are_told_apart_by_their_place():
    frame = pd.DataFrame([[0.25, "b"]], columns=["c", "c"])
    domain = Domain([Continuous(0, 1), Categorical(["a", "b"])])
    assert domain.encode(frame).tolist() == [[0.25, 1.0]]


def test_a_list_is_no_level():
    with pytest.raises(ValueError, match=r"column 'colour' must hold levels, got a cell that cannot be one"):
        MIXED.encode(pd.DataFrame({"size": [1.0], "colour": [["red"]]}))


def test_value_semantics():
    same = Domain([Continuous(0.0, 10.0), Categorical(("red", "blue"))], names=("size", "colour"))
    assert same == MIXED and hash(same) == hash(MIXED) and len({same, MIXED}) == 1
    assert Domain(MIXED.features) != MIXED
    assert Domain(MIXED.features, MIXED.names, data_dependent=["size"]) != MIXED
    for twin in (pickle.loads(pickle.dumps(MIXED)), copy.deepcopy(MIXED)):
        assert twin == MIXED
        assert twin.encode([[3, "blue"]]).tolist() == [[3.0, 1.0]]
    assert list(MIXED) == list(MIXED.features) and len(MIXED) == 2
    with pytest.raises(AttributeError):
        MIXED.features[0].lower = 3.0


def test_what_it_shows():
    assert repr(MIXED) == (
        "Domain(size: Continuous(lower=0.0, upper=10.0), colour: Categorical(levels=('red', 'blue')))"
    )
    assert repr(Domain([Continuous(0, 1)] * 9)).endswith("3: Continuous(lower=0.0, upper=1.0), ...)")
    assert MIXED.n_continuous == 1
    assert MIXED.n_levels.tolist() == [0, 2]
    assert MIXED.bounds.tolist() == [[0, 10], [0, 0]]


@given(arrays.arrays(np.float64, (5, 3), elements=st.floats(-1e9, 1e9)))
def test_both_paths_of_numbers_agree(X):
    domain = Domain([Continuous(-1, 1), Continuous(0, 1e6), Continuous(-1e9, 1e9)])
    fast, slow = domain.encode(X), domain.encode(pd.DataFrame(X))
    np.testing.assert_array_equal(fast, slow)
    np.testing.assert_array_equal(fast, np.clip(X, *domain.bounds.T))
    np.testing.assert_array_equal(domain.encode(fast), fast)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_array_becomes_c_ordered_floats(dtype, order):
    X = np.asarray(np.arange(6).reshape(3, 2), dtype=dtype, order=order)
    for upper in (2, 9):
        found = Domain([Continuous(0, upper)] * 2).encode(X)
        assert found.dtype == np.float64 and found.flags.c_contiguous
        np.testing.assert_array_equal(found, np.minimum(X, upper))


def test_encoding_never_writes_to_its_input():
    X = np.array([[5.0, -5.0]])
    Domain([Continuous(0, 1)] * 2).encode(X)
    assert X.tolist() == [[5.0, -5.0]]


def test_no_records():
    assert MIXED.encode(pd.DataFrame({"size": [], "colour": []})).shape == (0, 2)
    assert Domain([Continuous(0, 1)] * 2).encode(np.zeros((0, 2))).shape == (0, 2)


def test_wide_data():
    columns = [f"c{j}" for j in range(2000)]
    domain = Domain([Continuous(0, 1)] * 2000, names=columns)
    X = np.random.default_rng(0).random((3, 2000))
    frame = pd.DataFrame(X, columns=columns)[columns[::-1]]
    np.testing.assert_array_equal(domain.encode(frame), X)


def test_from_frame_takes_the_schema_and_names_what_it_read():
    frame = pd.DataFrame(
        {
            "age": [30, 40],
            "sex": pd.Categorical(["f", "f"], categories=["f", "m"]),
            "member": [True, True],
            "vip": pd.array([True, None], dtype="boolean"),
            "job": ["a", "c"],
            "pay": [1.5, 2.5],
        }
    )
    bounds = {"age": (0, 120), "job": ["a", "b", "c"]}
    with pytest.warns(PrivacyLeakWarning, match=r"'sex', 'pay' was read off the data: pass"):
        domain = Domain.from_frame(frame, bounds)
    assert domain.features == (
        Continuous(0, 120), Categorical(["f", "m"]), Categorical([False, True]),
        Categorical([False, True]), Categorical(["a", "b", "c"]), Continuous(1.5, 2.5),
    )  # fmt: skip
    assert domain.names == tuple(frame.columns)
    assert domain.data_dependent == ("sex", "pay")
    with pytest.warns(PrivacyLeakWarning, match=r"'pay' was read off the data: pass bounds"):
        declared = Domain.from_frame(frame, bounds, public_categories=True)
    assert declared.features == domain.features
    assert declared.data_dependent == ("pay",)


@pytest.mark.filterwarnings("error")
def test_from_frame_is_silent_when_everything_is_public():
    frame = pd.DataFrame({0: [1.0], 1: ["x"]})
    domain = Domain.from_frame(frame, {"0": (0, 2), 1: pd.CategoricalDtype(["x", "y"])})
    assert domain == Domain([Continuous(0, 2), Categorical(["x", "y"])], names=[0, 1])
    assert domain.data_dependent == ()


@pytest.mark.parametrize(
    "bounds, words",
    [
        ({"b": (0, 1)}, r"bounds names columns that frame does not have: \['b'\]"),
        ({"a": (1, 0)}, "bounds of column 'a': lower must be at most upper"),
        ({"a": "ab"}, "bounds of column 'a': levels must be a list"),
        ({"a": 5}, "bounds of column 'a': levels must be a list"),
    ],
)
def test_from_frame_names_bad_bounds(bounds, words):
    with pytest.raises(ValueError, match=words):
        Domain.from_frame(pd.DataFrame({"a": [0.5]}), bounds)


def test_from_data_is_the_smallest_domain_and_says_so():
    domain = Domain.from_data([[1.5, "b"], [2, "a"]])
    assert domain.features == (Continuous(1.5, 2), Categorical(["a", "b"]))
    assert domain.names is None and domain.data_dependent == ("0", "1")
    assert domain.encode([[1.5, "b"]]).tolist() == [[1.5, 1.0]]
    frame = pd.DataFrame({"x": [3, 1], "y": [True, False]})
    assert Domain.from_data(frame) == Domain(
        [Continuous(1, 3), Categorical([False, True])], ["x", "y"], data_dependent=["x", "y"]
    )
    for bad, words in [
        (np.zeros((0, 1)), "column 0 has no records to read a domain off"),
        ([[np.nan]], "column 0 must hold finite numbers"),
        ([["a"], [None]], "column 0 has missing values"),
    ]:
        with pytest.raises(ValueError, match=words):
            Domain.from_data(bad)
