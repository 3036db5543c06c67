"""What is public about a column of dates."""

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd

from dplit.domain.columns import Plain, check_fill, is_missing
from dplit.ground.errors import check_choice

EPOCH, DAY = datetime(1970, 1, 1), timedelta(days=1)
# What a date may be read by, and the least and the largest number that comes of it.
PARTS = {"day": None, "weekday": (0.0, 6.0), "month": (1.0, 12.0), "hour": (0.0, 24.0)}
NAMES = {"weekday": "Mon Tue Wed Thu Fri Sat Sun", "month": "- Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"}
ISO = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, repr=False)
class Date(Plain):
    """A column of dates or times between two public ones.

    A column may hold pandas', polars', NumPy's or Python's dates, or strings as ISO 8601 writes them, or be a
    category of these. Times with a zone, one or several, are read as its clocks show them. Days outside the bounds
    are clipped to them.

    Parameters
    ----------
    lower, upper : date, datetime or str
        Public bounds, ``lower <= upper``, without a zone; strings as "2019-01-31" or "2019-01-31T18:00". A
        date is its midnight.
    by : {"day", "weekday", "month", "hour"} or a sequence of them
        What trees test: days, with the time of day as a fraction; days of the week, 0 (Monday) to 6; months, 1
        to 12; or hours, 0 to 24, with minutes as a fraction. Of several, each is a column of the domain, as "sold
        weekday". All are ordered: one cut divides weekend from weekdays or summer from spring, and keeps
        more records on each side than a branch for every level would.
    missing : bool
        Whether a missing date (None, NaT) counts as `fill`; otherwise it is an error.
    fill : date, datetime or str, optional
        A public date within the bounds. Left out, their middle.

    Examples
    --------
    >>> from dplit import Date, Domain
    >>> print(Domain({"sold": Date("2019-01-01", "2019-12-31", by=["day", "weekday"])}))
    2 columns, all public
    sold day      2019-01-01 to 2019-12-31
    sold weekday  Mon to Sun
    """

    lower: str | date
    upper: str | date
    by: str | tuple = "day"
    missing: bool = False
    fill: str | date | None = None

    def __post_init__(self):
        for name in ("lower", "upper", *(["fill"] if self.fill is not None else [])):
            object.__setattr__(self, name, _moment(getattr(self, name), name))
        if self.lower > self.upper:
            raise ValueError(f"lower must be at most upper, got lower={self.lower}, upper={self.upper}")
        if not isinstance(self.by, str):
            parts = tuple(self.by) if isinstance(self.by, Iterable) else ()
            if not parts or len(set(map(str, parts))) < len(parts):
                raise ValueError(f"by must be one or several of {', '.join(map(repr, PARTS))}, got {self.by!r}")
            object.__setattr__(self, "by", parts[0] if len(parts) == 1 else parts)
        for part in self._parts():
            check_choice(part, tuple(PARTS), "by")
        check_fill(self, self.lower + (self.upper - self.lower) / 2 if self.missing is True else None)

    def to_plain(self) -> dict:
        """The fields that differ from their defaults, by name; dates as strings."""
        plain = super().to_plain()
        plain |= {k: _in_words(v) for k, v in plain.items() if isinstance(v, datetime)}
        return plain | ({"by": list(self.by)} if isinstance(self.by, tuple) else {})

    def _parts(self):
        return (self.by,) if isinstance(self.by, str) else self.by

    def split(self):
        """What is added to the name of each column that is read of this one, and that column."""
        if isinstance(self.by, str):
            return [("", self)]
        return [(f" {part}", Date(self.lower, self.upper, part, self.missing, self.fill)) for part in self.by]

    @property
    def ends(self) -> tuple[float, float]:
        """Bounds of what `encode` gives: of days since 1970 began, weekdays, months or hours."""
        return PARTS[self.by] or tuple(float(_days(np.datetime64(v, "us"))) for v in (self.lower, self.upper))

    def shown(self, values):
        """What `encode` gave: of days the dates, to the second; other numbers as they are."""
        if self.by != "day":
            return values
        return np.rint(np.asarray(values) * 86400).astype(np.int64).astype("datetime64[s]")

    def in_words(self, cut, decimals):
        """A cut as a date, a day of the week, a month or a time of day."""
        if self.by == "day":
            return _in_words(self.shown(cut).astype("datetime64[m]").item()).replace("T", " ")
        if self.by == "hour":
            return f"{int(cut)}:{int(cut % 1 * 60):02}"
        return NAMES[self.by].split()[int(cut)]

    def encode(self, values, name):
        """Return days, weekdays, months or hours as floats; what is no date is an error."""
        moments = self._moments(values, name)
        days = moments.astype("datetime64[D]")
        if self.by == "weekday":  # 1970 began on a Thursday
            return ((days.astype(np.int64) + 3) % 7).astype(np.float64)
        if self.by == "month":
            return (days.astype("datetime64[M]").astype(np.int64) % 12 + 1).astype(np.float64)
        if self.by == "hour":
            return (moments - days) / np.timedelta64(1, "h")
        return np.clip(_days(moments), *self.ends)

    def _moments(self, values, name):
        """NumPy's times, in microseconds, with what is missing filled in."""
        values = values if isinstance(values, pd.Series) else pd.Series(values)
        try:
            if isinstance(values.dtype, pd.CategoricalDtype):
                values = values.astype(values.cat.categories.dtype)
            if pd.api.types.is_datetime64_any_dtype(values.dtype):
                found = values.dt.tz_localize(None).to_numpy().astype("datetime64[us]")
            else:
                cells = values.astype(object).to_numpy()
                is_text = pd.api.types.infer_dtype(cells, skipna=True) == "string"
                found = _texts(cells) if is_text else np.array([*map(_read, cells)], "datetime64[us]")
        except (TypeError, ValueError, OverflowError, AttributeError):
            raise ValueError(
                f"column {name!r} must hold dates, got a cell that is none: pandas.to_datetime makes dates of "
                "strings in another form than '2019-01-31'"
            ) from None
        if not self.missing and np.isnat(found).any():
            raise ValueError(
                f"column {name!r} has missing dates: Date(lower, upper, missing=True) counts them as a public "
                "date; otherwise drop such records"
            )
        return np.where(np.isnat(found), np.datetime64(self.fill or EPOCH, "us"), found)

    def describe(self):
        """Bounds or parts, and fill, in words."""
        ends = [_in_words(v) for v in (self.lower, self.upper)]
        if self.by != "day":
            ends = [self.in_words(v, 0) for v in self.ends]
        return " to ".join(ends) + (f", missing counts as {_in_words(self.fill)}" if self.missing else "")


def observed_dates(values: pd.Series, column: object) -> Date:
    """The smallest interval that holds a column of dates."""
    found = Date("1970-01-01", "1970-01-01")._moments(values, column)
    return Date(found.min(), found.max())


def _texts(cells):
    """NumPy's times of strings: by pandas where it can, which is faster; it is no help with zones that differ."""
    place, cells = pd.factorize(cells)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            times = pd.to_datetime(pd.Series(cells), format="ISO8601").dt.tz_localize(None).to_numpy()
    except (ValueError, AttributeError, FutureWarning):
        times = [*map(_read, cells)]
    return np.append(np.array(times, "datetime64[us]"), np.datetime64("NaT"))[place]


def _read(cell):
    """One cell as NumPy's time or Python's date, by its own clock; None if it is missing."""
    if isinstance(cell, np.datetime64):
        return cell.astype("datetime64[us]")
    if is_missing(cell) or cell == "":
        return None
    if isinstance(cell, str):
        cell = pd.to_datetime(cell, format="ISO8601")  # as beside others, "nan" and "NaT" are missing
        return None if cell is pd.NaT else _read(cell)
    if not isinstance(cell, date):
        raise TypeError
    return np.datetime64(cell.replace(tzinfo=None) if isinstance(cell, datetime) else cell, "us")


def _days(moments):
    """Days since 1970 began, of NumPy's microseconds."""
    return moments.astype(np.int64) / 86_400_000_000


def _moment(value, name):
    """A bound as Python has it, without a zone."""
    try:
        if isinstance(value, str) and ISO.match(value):
            value = datetime.fromisoformat(value)
        elif isinstance(value, np.datetime64):
            value = value.astype("datetime64[us]").item()
        if isinstance(value, date) and not pd.isna(value):
            value = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
            if value.tzinfo is None:
                return pd.Timestamp(value).to_pydatetime(warn=False)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{name} must be a date without a zone, as '2019-01-31', got {value!r}")


def _in_words(moment):
    """ISO 8601, without a midnight."""
    return moment.isoformat(timespec="auto").removesuffix("T00:00:00")
