"""Columns of a real table: dates, logarithmic scales, numbers that are missing."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dplit
from dplit import Categorical, Continuous, Date, Domain, PrivacyLeakWarning
from dplit.forests import (
    BoostedForestRegressor,
    HistogramForestClassifier,
    MatrixForestClassifier,
    RandomDecisionForestClassifier,
)
from dplit.forests.export import export_text
from dplit.forests.shapes import additive_shape
from dplit.plotting import plot_shape

YEAR = "2019-01-01", "2019-12-31"
ALL_PARTS = Date(*YEAR, by=["day", "weekday", "month", "hour"])
TABLE = Domain(
    {
        "sold": ALL_PARTS,
        "price": Continuous(1, 1e6, scale="log", missing=True),
        "visits": Continuous(0, 1000, scale="log", offset=1),
        "age": Continuous(0, 120, missing=True, fill=40),
        "paid": Date("2019-01-01", "2020-01-01", missing=True),
        "town": Categorical(["a", "b"]),
    }
)


def sales(n=60):
    rng = np.random.default_rng(0)
    sold = pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 364 * 24 * 60, n), unit="min")
    paid = pd.Series(sold + pd.Timedelta(days=1))
    paid[::7] = pd.NaT
    price = np.exp(rng.uniform(0, 13, n))
    price[::5] = np.nan
    return pd.DataFrame(
        {
            "town": rng.choice(["a", "b"], n),
            "price": price,
            "sold": sold,
            "age": np.where(rng.random(n) < 0.2, np.nan, rng.uniform(18, 90, n)),
            "visits": rng.integers(0, 900, n),
            "paid": paid,
        }
    )


# Dates --------------------------------------------------------------------------------------------


def test_parts_of_a_date_are_those_that_the_calendar_of_python_says():
    domain, when = Domain({"sold": ALL_PARTS}), pd.date_range("2019-01-01", "2019-12-30", periods=999)
    encoded = domain.encode(pd.DataFrame({"sold": when}))
    expected = [
        (
            (t - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1), t.weekday(), t.month,
            (t - t.replace(hour=0, minute=0, second=0, microsecond=0)) / datetime.timedelta(hours=1),
        )
        for t in when.floor("us").to_pydatetime()
    ]  # fmt: skip
    assert np.allclose(encoded, expected, rtol=0, atol=1e-9)
    assert domain.names == ("sold day", "sold weekday", "sold month", "sold hour")
    assert len(domain) == domain.n_continuous == 4 and domain.column_names == ("sold",)
    assert domain.bounds[1:].tolist() == [[0, 6], [1, 12], [0, 24]]


@pytest.mark.parametrize("part", ["day", "weekday", "month", "hour"])
def test_dates_of_all_kinds_are_one(part):
    column = Date("1800-01-01", "2019-12-31", by=part)
    moments = ["1960-02-29T23:30", "2019-06-01T00:00", "2019-12-30T07:15"]
    python = [datetime.datetime.fromisoformat(m) for m in moments]
    expected = column.encode(pd.Series(pd.to_datetime(moments)), "c").tolist()
    kinds = (
        moments, python, np.array(moments, dtype="datetime64[ns]"), np.array(python, dtype=object),
        pd.Series(pd.to_datetime(moments)).dt.tz_localize("Asia/Kolkata"), pd.Series(moments, dtype="string"),
    )  # fmt: skip
    for values in kinds:
        assert column.encode(values, "c").tolist() == expected
    frame = pl.DataFrame({"c": python})
    for given in (frame, frame.to_arrow(), frame.with_columns(pl.col("c").dt.replace_time_zone("Asia/Kolkata"))):
        assert Domain({"c": column}).encode(given).ravel().tolist() == expected
    days = [t.date() for t in python]
    whole = column.encode(pd.Series(pd.to_datetime(days)), "c").tolist()
    assert (
        column.encode(days, "c").tolist()
        == Domain([column]).encode(pl.DataFrame({"c": days})).T[0].tolist()
        == whole
    )


def test_dates_outside_are_clipped_and_missing_ones_are_public():
    column = Date(*YEAR, missing=True)
    assert column.fill == datetime.datetime(2019, 7, 2)
    encoded = column.encode(pd.Series(pd.to_datetime(["1900-01-01", None, "2100-01-01"])), "c")
    assert column.shown(encoded).astype("datetime64[D]").astype(str).tolist() == [YEAR[0], "2019-07-02", YEAR[1]]
    assert Date(*YEAR, by="weekday", missing=True, fill="2019-07-07").encode([None], "c").tolist() == [6]
    with pytest.raises(ValueError, match=r"column 'c' has missing dates: Date\(lower, upper, missing=True\)"):
        Date(*YEAR).encode(pd.Series(pd.to_datetime(["2019-01-01", None])), "c")


OPEN = ["1600-01-01", "2019-03-01", "9999-12-31"]


@pytest.mark.parametrize("kind", ["string", "category", "date", "datetime", "numpy", "polars", "zone"])
def test_dates_outside_are_clipped_in_every_form(kind):
    """9999-12-31 is what many tables write where an end is open."""
    python = [datetime.datetime.fromisoformat(v) for v in OPEN]
    forms = {
        "string": OPEN, "category": pd.Series(OPEN, dtype="category"), "date": [t.date() for t in python],
        "datetime": np.array(python, dtype=object), "numpy": np.array(OPEN, dtype="datetime64[s]"),
        "polars": pl.DataFrame({"c": [t.date() for t in python]}),
        "zone": [t.replace(tzinfo=datetime.UTC) for t in python],
    }  # fmt: skip
    encoded = Domain({"c": Date(*YEAR)}).encode(
        forms[kind] if kind == "polars" else pd.DataFrame({"c": forms[kind]})
    )
    assert Date(*YEAR).shown(encoded[:, 0]).astype("datetime64[D]").astype(str).tolist() == [
        YEAR[0], "2019-03-01", YEAR[1]
    ]  # fmt: skip


@pytest.mark.filterwarnings("error")
def test_zones_may_differ_and_what_is_missing_may_be_any():
    """As summer time makes them: each is read by its own clock, though two are one moment."""
    both = ["2019-01-31T18:00+01:00", "2019-07-01T18:00+02:00", "2019-07-01T17:00+01:00"]
    for values in (both, pd.Series(both, dtype="category"), [datetime.datetime.fromisoformat(v) for v in both]):
        assert Date(*YEAR, by="hour").encode(values, "c").tolist() == [18, 18, 17]
    column = Date(*YEAR, missing=True, fill="2019-01-01")
    for nothing in (pd.NaT, None, np.nan, pd.NA, "", np.datetime64("NaT")):
        for kind in (object, "category"):
            given = pd.Series(["2019-01-02", nothing], dtype=kind)
            assert np.diff(column.encode(given, "c")).tolist() == [-1]
            with pytest.raises(ValueError, match="has missing dates"):
                Date(*YEAR).encode(given, "c")


@pytest.mark.parametrize("values", [[20190101], [1.5], [True], ["soon"], ["2019-01-01", 7], ["31.12.2019"], [[1]]])
def test_what_is_no_date_is_an_error_without_the_cell(values):
    with pytest.raises(ValueError, match="column 'c' must hold dates, got a cell that is none") as raised:
        Date(*YEAR).encode(pd.Series(values), "c")
    assert str(values[-1]) not in str(raised.value)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: Date("2020", "2021"), "lower must be a date without a zone, as '2019-01-31', got '2020'"),
        (lambda: Date(1, 2), "lower must be a date"),
        (lambda: Date(YEAR[0], pd.NaT), "upper must be a date"),
        (lambda: Date(YEAR[0], "2019-01-01T00:00+01:00"), "upper must be a date without a zone"),
        (lambda: Date(*YEAR[::-1]), "lower must be at most upper"),
        (lambda: Date(*YEAR, by="year"), "by must be one of 'day', 'weekday', 'month', 'hour', got 'year'"),
        (lambda: Date(*YEAR, by=["day", "day"]), "by must be one or several of"),
        (lambda: Date(*YEAR, by=[]), "by must be one or several of"),
        (lambda: Date(*YEAR, by=3), "by must be one or several of"),
        (lambda: Date(*YEAR, missing=1), "missing must be True or False"),
        (lambda: Date(*YEAR, fill="2019-02-02"), "fill must be within the bounds, beside missing=True"),
        (lambda: Date(*YEAR, missing=True, fill="2018-02-02"), "fill must be within the bounds"),
        (lambda: Continuous(*map(pd.Timestamp, YEAR)), r"got Timestamp.*of dates take Date\(lower, upper\)"),
        (lambda: Continuous(0, 1, scale="sqrt"), "scale must be one of 'linear', 'log', got 'sqrt'"),
        (lambda: Continuous(0, 1, scale="log"), "lower must be above 0 on a log scale, got 0: take a positive"),
        (lambda: Continuous(-2, 1, scale="log", offset=1), "lower must be above -1 on a log scale"),
        (lambda: Continuous(0, 1, offset=1), "offset must be 0 where scale is not 'log', got 1"),
        (lambda: Continuous(0, 1, missing="yes"), "missing must be True or False"),
        (lambda: Continuous(0, 1, fill=0.5), "fill must be within the bounds, beside missing=True"),
        (lambda: Continuous(0, 1, missing=True, fill=2), "fill must be within the bounds"),
        (lambda: Continuous(0, 1, missing=True, fill=np.nan), "fill must be a finite number"),
        (lambda: Domain({"d": ALL_PARTS, "d day": Continuous(0, 1)}), "names must leave those of a Date's parts"),
    ],
)
def test_what_is_wrong_in_a_column_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("given", [YEAR, Continuous(0, 1), Categorical(["a"]), [1, 2], list(YEAR)])
@pytest.mark.parametrize("kind", ["datetime64[ns]", object])
def test_dates_are_never_numbers_or_levels(given, kind):
    when = pd.Series(pd.date_range(*YEAR, periods=5)).astype(kind)
    with pytest.raises(
        ValueError, match=r"bounds of column 'sold', which holds .*: Date\(lower, upper\) is for da"
    ):
        Domain.from_frame(pd.DataFrame({"sold": when}), {"sold": given})
    for column in (Continuous(0, 1), Categorical(["a"])):
        with pytest.raises(
            ValueError, match=r"column 'sold' must hold .*, got dates or times: Date\(lower, upper\)"
        ):
            column.encode(when, "sold")
    with pytest.warns(PrivacyLeakWarning, match="the domain of 'sold' was read off"):
        domain = Domain.from_frame(pd.DataFrame({"sold": when}))
    assert domain["sold"] == Date(*YEAR) and domain.data_dependent == ("sold",)


# Scales and missing numbers -----------------------------------------------------------------------


def test_a_log_scale_divides_factors_and_shows_the_columns_own_units():
    column = Continuous(1, 10_000, scale="log")
    encoded = column.encode([0.1, 1, 10, 100, 1e9], "c")
    assert np.allclose(encoded, np.log([1, 1, 10, 100, 10_000]))
    assert np.allclose(column.shown(encoded), [1, 1, 10, 100, 10_000])
    assert column.in_words(np.log(10), 3) == "10" and column.in_words(np.log(1234.567), 3) == "1235"
    shifted = Continuous(0, 99, scale="log", offset=1)
    assert np.allclose(shifted.encode([0, 9, 99], "c"), np.log([1, 10, 100]))
    assert np.allclose(shifted.shown(shifted.encode([0, 9, 99], "c")), [0, 9, 99])


@pytest.mark.parametrize("lower, upper, offset", [(1e-300, 1e300, 0), (0, 5e-324, 1), (3, 3, 0), (0.1, 0.7, 0)])
def test_what_is_encoded_lies_within_the_encoded_bounds(lower, upper, offset):
    column = Continuous(lower, upper, scale="log", offset=offset)
    least, most = Domain([column]).bounds[0]
    encoded = column.encode([-1e300, lower, (lower + upper) / 2, upper, 1e308], "c")
    assert (least <= encoded).all() and (encoded <= most).all() and np.isfinite(encoded).all()
    shown = column.shown(encoded)
    assert (lower <= shown).all() and (shown <= upper).all()


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA])
def test_a_missing_number_counts_as_the_public_one(nothing):
    assert Continuous(0, 10, missing=True).fill == 5
    assert np.isclose(Continuous(1, 100, scale="log", missing=True).fill, 10)
    column = Continuous(0, 10, missing=True, fill=2)
    assert column.encode(pd.Series([1, nothing, 99], dtype=object), "c").tolist() == [1, 2, 10]
    assert column.encode(pd.Series([1, nothing], dtype="Float64"), "c").tolist() == [1, 2]
    assert Domain([column]).encode(pl.DataFrame({"c": [1, None]})).ravel().tolist() == [1, 2]
    with pytest.raises(
        ValueError, match=r"got a missing or infinite one .*: Continuous\(lower, upper, missing=Tr"
    ):
        Continuous(0, 10).encode([1, np.nan], "c")
    with pytest.raises(ValueError, match="must hold no infinite number"):
        column.encode([1, np.inf], "c")


def test_the_fill_is_public():
    """Records never change it: the same missing cell is the same number beside any others."""
    for others in ([0.0], [10.0] * 50):
        assert Continuous(0, 10, missing=True).encode([*others, np.nan], "c")[-1] == 5


# Schemas and forests ------------------------------------------------------------------------------


def test_a_schema_with_them_goes_through_files(tmp_path):
    TABLE.save(tmp_path / "schema.json")
    assert Domain.load(tmp_path / "schema.json") == TABLE == Domain.from_dict(TABLE.to_dict())
    assert TABLE.to_dict()["columns"][0] == {
        "lower": YEAR[0], "upper": YEAR[1], "by": ["day", "weekday", "month", "hour"], "name": "sold",
    }  # fmt: skip
    (tmp_path / "schema.toml").write_text(
        '[[columns]]\nname = "sold"\nlower = 2019-01-01\nupper = 2019-12-31\nby = ["day", "weekday"]\n'
        '[[columns]]\nname = "price"\nlower = 1\nupper = 100\nscale = "log"\nmissing = true\n'
    )
    expected = {"sold": Date(*YEAR, by=["day", "weekday"]), "price": Continuous(1, 100, scale="log", missing=True)}
    assert Domain.load(tmp_path / "schema.toml") == Domain(expected)
    assert eval(repr(ALL_PARTS)) == ALL_PARTS and eval(repr(TABLE["price"])) == TABLE["price"]


def test_a_schema_with_them_is_described():
    assert str(TABLE).splitlines() == [
        "9 columns, all public",
        "sold day      2019-01-01 to 2019-12-31",
        "sold weekday  Mon to Sun",
        "sold month    Jan to Dec",
        "sold hour     0:00 to 24:00",
        "price         1 to 1e+06 on a log scale, missing counts as 1000",
        "visits        0 to 1000 on a log scale of value + 1",
        "age           0 to 120, missing counts as 40",
        "paid          2019-01-01 to 2020-01-01, missing counts as 2019-07-02T12:00:00",
        "town          'a', 'b'",
    ]


def forests():
    classes = {"domain": TABLE, "classes": [0, 1], "random_state": 0}
    return [
        dplit.PrivateForestClassifier(2.0, **classes),
        dplit.PrivateForestRegressor(2.0, domain=TABLE, target_bounds=(0, 1), random_state=0),
        RandomDecisionForestClassifier(2.0, **classes),
        HistogramForestClassifier(2.0, **classes, n_estimators=2, max_depth=1, bins=2),
    ]


@pytest.mark.parametrize("forest", forests(), ids=lambda f: type(f).__name__)
def test_a_forest_takes_them_from_frames_and_files(forest, tmp_path):
    X, y = sales(), np.arange(60) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = forest.fit(X, y).predict(X)
    assert forest.n_features_in_ == 6 and set(forest.feature_names_in_) == set(TABLE.column_names)
    assert forest.budget_.epsilon <= 2.0 and len(forest.apply(X)) == 60
    forest.save(tmp_path / "a.forest")
    assert (dplit.load(tmp_path / "a.forest").predict(X) == expected).all()
    assert "price         1 to 1e+06 on a log scale" in forest.model_card()
    assert (forest.predict(pl.from_pandas(X)) == expected).all()
    assert (forest.predict(X[X.columns[::-1]]) == expected).all()
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert (forest.predict(X.to_numpy(dtype=object)) == expected).all()
    if hasattr(forest, "feature_importances_"):
        assert forest.feature_importances_.shape == (9,)


def test_dask_reads_them_as_pandas_does():
    dd = pytest.importorskip("dask.dataframe")
    X, y = sales(), pd.Series(np.arange(60) % 2)
    forest = dplit.PrivateForestClassifier(2.0, domain=TABLE, classes=[0, 1], n_estimators=2, random_state=0)
    expected = forest.fit(X, y).predict_proba(X)
    forest.fit(dd.from_pandas(X, npartitions=3), dd.from_pandas(y, npartitions=3))
    assert (forest.predict_proba(X) == expected).all()


def test_exports_show_the_columns_own_units():
    X, n = sales(), 60
    domain = Domain({name: TABLE.columns[TABLE.column_names.index(name)] for name in ("sold", "price")})
    forest = RandomDecisionForestClassifier(1.0, domain=domain, classes=[0, 1], n_estimators=30, random_state=0)
    forest.fit(X[["sold", "price"]], np.arange(n) % 2)
    text = "\n".join(export_text(forest, tree, decimals=1) for tree in range(30))
    assert "sold day <= 2019-" in text and "sold hour > " in text
    cuts = forest.trees_.threshold[forest.trees_.feature == 4]
    assert all(f"price <= {TABLE['price'].in_words(cut, 1)}" in text for cut in cuts[:5])
    assert any(f"sold weekday <= {day}" in text for day in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat"))
    assert any(f"sold month > {month}" in text for month in ("Feb", "Mar", "May", "Jul", "Sep", "Nov"))


def test_shapes_and_their_plots_show_the_columns_own_units():
    X, domain = sales(), Domain({n: TABLE[n] for n in ("paid", "price", "visits")})
    options = {"target_bounds": (0, 1), "n_estimators": 40, "max_depth": 1, "n_records": 60}
    forest = BoostedForestRegressor(float("inf"), domain=domain, **options)
    forest.fit(X[["paid", "price", "visits"]], np.log1p(X.visits) / 7)
    shapes = {name: additive_shape(forest, name) for name in domain.names}
    assert shapes["paid"].edges.dtype == "datetime64[s]"
    assert np.allclose(shapes["price"].edges[[0, -1]], [1, 1e6])
    axes = {name: plot_shape(shape) for name, shape in shapes.items()}
    assert axes["price"].get_xscale() == "log" and axes["visits"].get_xscale() == "symlog"
    added = sum(
        s.values[np.searchsorted(s.edges[1:-1], shown, side="left"), 0]
        for s, shown in (
            (shapes[n], domain[n].shown(domain[n].encode(X[n], n))) for n in ("price", "visits", "paid")
        )
    )
    assert np.allclose(added + forest.initial_, forest._scores(X[["paid", "price", "visits"]])[:, 0], atol=1e-6)


def test_bins_of_a_log_scale_are_shown_in_the_columns_own_units():
    domain = Domain({"price": Continuous(1, 1e4, scale="log")})
    options = {"domain": domain, "classes": [0, 1], "bins": 4, "max_depth": 1, "n_estimators": 1}
    forest = MatrixForestClassifier(1.0, **options, random_state=0)
    X = pd.DataFrame({"price": [2.0, 20, 200, 2000]})
    text = export_text(forest.fit(X, [0, 0, 1, 1]))
    assert all(f"price is {bin}" in text for bin in ("1 to 10", "10 to 100", "100 to 1000", "1000 to 10000"))
    assert forest.cells_.codes(domain.encode(X)).ravel().tolist() == [0, 1, 2, 3]


def test_a_frame_says_what_it_takes_as_public_and_what_it_lacks():
    frame = pd.DataFrame(
        {
            "member": [True, False],
            "age": [3.0, 70.0],
            "town": ["a", "b"],
            "sold": pd.to_datetime(list(YEAR)),
            "size": pd.Categorical(["s", "l"]),
        }
    )
    lacks = r"bounds=\{'age': \(lower, upper\), 'town': \[levels\], 'sold': Date\(lower, upper\)"
    with pytest.warns(PrivacyLeakWarning, match=lacks + r", 'size': \[levels\]\}.*; taken as public: 'member'$"):
        Domain.from_frame(frame)
    bounds = {"age": (0, 120), "town": ["a", "b", "c"], "sold": Date(*YEAR)}
    with pytest.warns(
        PrivacyLeakWarning, match=r"bounds=\{'size': \[levels\]\} .*'member', 'age', 'town', 'sold'$"
    ):
        Domain.from_frame(frame, bounds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(Domain.from_frame(frame, bounds, public_categories=True)).startswith("5 columns, all public")
