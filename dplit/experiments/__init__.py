"""The papers' tables and figures, run again: the machinery, the printed cells, and the protocol.

`ids` lists the experiments, `get` gives one, `run` runs what is missing of it, `stored` is the
result that comes with the project, and `side_by_side` sets it beside the printed cells:

>>> from dplit import experiments
>>> experiments.get("diprime-v2/table-1").repetitions
10
"""

from dplit.experiments import (  # noqa: F401
    diprime_figures,
    diprime_hyper,
    diprime_sentences,
    diprime_tables,
    rdf_compared,
    rdf_figures,
    rdf_sentences,
    rdf_tables,
)
from dplit.experiments.comparison import (
    agree,
    by_set,
    compare,
    series,
    side_by_side,
    tally,
    verdicts,
)
from dplit.experiments.core import Cell, Experiment, get, ids
from dplit.experiments.formulas import FORMULAS, computed
from dplit.experiments.protocol import run_task
from dplit.experiments.running import run, select
from dplit.experiments.store import Result, read, stored

__all__ = [
    "FORMULAS", "Cell", "Experiment", "Result", "agree", "by_set", "compare", "computed", "get", "ids", "read",
    "run", "run_task", "select", "series", "side_by_side", "stored", "tally", "verdicts",
]  # fmt: skip
