"""What `load` returns."""

from dataclasses import dataclass, field

import pandas as pd

from dplit.domain import Domain


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Records, labels, and what is public about them."""

    name: str
    title: str
    #: DataFrame, shape (n_records, n_columns). Categorical columns have the public levels as their categories,
    #: others are int64 or float64, in the units of the source. Values outside `domain` stand as they are:
    #: `domain.encode` clips.
    X: pd.DataFrame
    y: pd.Series  #: Series, shape (n_records,). Categorical with the public classes, or float64 for a regression.
    domain: Domain  #: Its `data_dependent` names the columns whose bounds were read off the records.
    task: str  #: {"classification", "regression"}.
    classes: tuple | None  #: Public, of a classification, each a str.
    target_bounds: tuple | None  #: Public interval of a regression's target.
    #: Dict of column name to str. Where the levels or bounds come from (see the registry), and what a judgement
    #: rests on.
    sources: dict = field(default_factory=dict)
    reasons: dict = field(default_factory=dict)  #: As `sources`.
    licence: str = ""
    citation: str = ""
    home: str = ""
    notes: str = ""

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        of = f" into {len(self.classes)} classes" if self.classes else ""
        shape = f"{self.X.shape[0]} records, {self.X.shape[1]} columns"
        return f"Dataset({self.name!r}: {shape}, {self.task}{of})"
