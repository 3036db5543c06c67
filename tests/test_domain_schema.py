"""The schema as a thing of its own: files, columns by name, missing levels, frames of other libraries."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dplit import Categorical, Continuous, Domain, PrivacyLeakWarning

MIXED = Domain(
    {
        "age": Continuous(0, 120),
        "job": Categorical(["cook", "driver"], missing=True),
        "grade": Categorical([1, 2.5, "none"]),
        "member": Categorical([False, True]),
    }
)


def test_a_mapping_gives_the_names():
    assert MIXED.names == ("age", "job", "grade", "member")
    assert MIXED == Domain(MIXED.features, MIXED.names)
    with pytest.raises(ValueError, match="names must be left out with a mapping"):
        Domain({"a": Continuous(0, 1)}, names=["a"])


def test_columns_by_name_and_by_place():
    assert MIXED["age"] == MIXED[0] == Continuous(0, 120)
    assert MIXED[-1] == MIXED["member"]
    with pytest.raises(KeyError, match=r"column must be one of .*'age'.*, got 'salary'"):
        MIXED["salary"]
    with pytest.raises(KeyError, match="numbers below 1, got 'age'"):
        Domain([Continuous(0, 1)])["age"]


def test_every_column_is_printed():
    wide = Domain([Continuous(0, 1)] * 30 + [Categorical(range(1000))])
    lines = str(wide).splitlines()
    assert lines[0] == "31 columns, all public" and len(lines) == 32
    assert lines[-1].endswith("... (1000 levels)") and len(lines[-1]) < 100
    assert str(MIXED).splitlines()[2] == "job     'cook', 'driver', missing"
    leaked = Domain(MIXED.features, MIXED.names, data_dependent=["age"])
    assert "1 read off the data" in str(leaked) and "120  (read off the data)" in str(leaked)


def test_json_both_ways(tmp_path):
    MIXED.save(tmp_path / "schema.json")
    read = Domain.load(tmp_path / "schema.json")
    assert read == MIXED
    assert list(map(type, read["grade"].levels)) == [int, float, str]
    assert list(map(type, read["member"].levels)) == [bool, bool]
    assert json.loads((tmp_path / "schema.json").read_text())["columns"][0] == {
        "name": "age", "lower": 0.0, "upper": 120.0,
    }  # fmt: skip
    nameless = Domain([Continuous(-1.5, 2)], data_dependent=["0"])
    nameless.save(tmp_path / "other.json")
    assert Domain.load(tmp_path / "other.json") == nameless


def test_toml_is_read(tmp_path):
    path = tmp_path / "schema.toml"
    path.write_text(
        '[[columns]]\nname = "age"\nlower = 0\nupper = 120\n'
        '[[columns]]\nname = "job"\nlevels = ["cook", "driver"]\nmissing = true\n'
    )
    assert Domain.load(path) == Domain(MIXED.features[:2], MIXED.names[:2])


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "bad.json must be JSON"),
        ("[]", "a domain must be a mapping with a list 'columns'"),
        ('{"columns": [], "kolumns": 1}', r"no other keys .*\['kolumns'\]"),
        ('{"columns": [{"name": "a"}]}', "column 'a' must have either levels or both lower and"),
        ('{"columns": [{"lower": 1, "upper": 0}]}', "column 0: lower must be at most upper"),
        ('{"columns": [{"lower": 0, "upper": 1, "levels": [1]}]}', "column 0 must have either"),
        ('{"columns": [{"lower": 0, "upper": 1, "missing": 1}]}', "column 0: missing must be True or"),
        ('{"columns": [{"lower": "x", "upper": "y"}]}', "column 0: lower must be a date without a zone"),
        ('{"columns": [{"lower": 0, "upper": 1, "by": "day"}]}', "column 0 must have no other keys"),
        ('{"columns": [{"levels": ["a"], "unit": 1}]}', r"column 0 must have no other keys"),
        ('{"columns": [3]}', r"columns\[0\] must be a mapping, got a int"),
        ('{"columns": []}', "features must hold at least one column"),
        ('{"columns": [{"name": "a", "levels": [1]}, {"levels": [1]}]}', "all have a name, or none"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path, text, words):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(ValueError, match=words):
        Domain.load(tmp_path / "bad.json")


def test_only_plain_levels_are_written(tmp_path):
    with pytest.raises(ValueError, match="column 'when' must have strings, numbers or booleans"):
        Domain({"when": Categorical([pd.Timestamp(0)])}).save(tmp_path / "x.json")
    with pytest.raises(ValueError, match=r"path must end in \.json, got 'x\.yml'"):
        MIXED.save(tmp_path / "x.yml")
    with pytest.raises(ValueError, match=r"path must end in \.json or \.toml, got"):
        Domain.load(tmp_path / "x.yml")


# Missing values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["object", "category"])
@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT])
def test_a_missing_value_is_a_level_where_the_column_says_so(nothing, dtype):
    column = Categorical(["a", "b"], missing=True)
    assert column.size == 3 and Domain([column]).n_levels.tolist() == [3]
    assert column.encode(pd.Series(["b", nothing, "a"], dtype=dtype), "c").tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match=r"column 'c' has missing values: Categorical\(levels, mis"):
        Categorical(["a", "b"]).encode(pd.Series(["b", nothing], dtype=dtype), "c")


def test_the_error_of_a_number_that_is_missing_names_an_imputer():
    with pytest.raises(ValueError, match=r"SimpleImputer\(strategy='constant'\)"):
        MIXED.encode(pd.DataFrame({"age": [np.nan], "job": ["cook"], "grade": [1], "member": [True]}))


# Frames of other libraries -----------------------------------------------------------------------


def polars_frame():
    return pl.DataFrame(
        {
            "member": [True, False, True],
            "grade": ["none", "none", "none"],
            "age": [200, 30, 31],
            "job": pl.Series(["driver", None, "cook"], dtype=pl.Enum(["driver", "cook"])),
        }
    )


def test_a_polars_frame_is_matched_by_name_in_any_order():
    expected = [[120, 1, 2, 1], [30, 2, 2, 0], [31, 0, 2, 1]]
    assert MIXED.encode(polars_frame()).tolist() == expected
    assert MIXED.encode(polars_frame().select(MIXED.names)).tolist() == expected
    with pytest.raises(ValueError, match=r"missing 'job'"):
        MIXED.encode(polars_frame().drop("job"))


def test_an_arrow_table_is_matched_by_name_in_any_order():
    table = polars_frame().to_arrow()
    expected = [[120, 1, 2, 1], [30, 2, 2, 0], [31, 0, 2, 1]]
    assert MIXED.encode(table).tolist() == expected
    assert MIXED.encode(table.select(MIXED.names)).tolist() == expected
    with pytest.raises(ValueError, match=r"missing 'job'"):
        MIXED.encode(table.drop_columns("job"))
    whole = polars_frame().drop("grade").drop_nulls().to_arrow()
    with pytest.warns(PrivacyLeakWarning, match=r"'job' was read off the data"):
        domain = Domain.from_frame(whole, {"age": (0, 120)})
    assert domain.names == ("member", "age", "job") and domain["age"] == Continuous(0, 120)
    assert sorted(domain["job"].levels) == ["cook", "driver"]


def test_an_infinite_number_beside_missing_ones():
    with pytest.raises(ValueError, match="column 'a' must hold no infinite number: put a bound or NaN in its"):
        Domain({"a": Continuous(0, 1, missing=True)}).encode(pd.DataFrame({"a": [0.5, np.nan, np.inf]}))


def test_an_enumeration_of_polars_is_a_list_of_levels():
    bounds = {"age": (0, 120), "grade": ["none"], "job": pl.Enum(["driver", "cook"])}
    domain = Domain.from_frame(polars_frame(), bounds)
    assert domain["job"] == Categorical(["driver", "cook"]) and not domain.data_dependent


def test_a_domain_from_a_polars_frame():
    frame = polars_frame().drop("grade")
    with pytest.warns(PrivacyLeakWarning, match=r"'job' was read off the data"):
        domain = Domain.from_frame(frame.fill_null("cook"), {"age": (0, 120)})
    assert domain.features == (Categorical([False, True]), Continuous(0, 120), Categorical(["driver", "cook"]))
    assert domain.data_dependent == ("job",)
    assert Domain.from_data(frame.drop("job"))["age"] == Continuous(30, 200)
    with pytest.raises(ValueError, match="frame must be a data frame, got a list"):
        Domain.from_frame([[1]])


def test_a_transformers_prefix_is_named():
    frame = pd.DataFrame({"num__age": [1], "num__job": ["cook"]})
    with pytest.raises(ValueError, match="verbose_feature_names_out=False leaves it out"):
        Domain(MIXED.features[:2], MIXED.names[:2]).encode(frame)
