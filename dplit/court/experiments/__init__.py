"""The papers' tables and figures, run again: what is run, how, and what came out.

`ids` lists the experiments, `get` gives one, `run` runs what is missing of it, `stored` is the result that comes
with the project, `recheck` runs a part of it again, and `side_by_side` sets it beside the printed cells:

>>> from dplit import experiments
>>> experiments.get("diprime-v2/table-1").repetitions
30
"""

from dplit.court.experiments import authors, made_up
from dplit.court.experiments.cells import Cell, Experiment
from dplit.court.experiments.chapters.regimes import regime, stored_regimes
from dplit.court.experiments.chapters.scaling import stored_scaling
from dplit.court.experiments.compare import agree, by_set, compare, series, side_by_side, tally
from dplit.court.experiments.curves import key, outcome, signed_rank
from dplit.court.experiments.formulas import FORMULAS, computed
from dplit.court.experiments.methods.rdf import ReachedForest
from dplit.court.experiments.registry import get, ids
from dplit.court.experiments.result import Result, read, stored
from dplit.court.experiments.run import recheck, run, run_together, same, select
from dplit.court.experiments.task import observed, run_task

__all__ = [
    "FORMULAS", "Cell", "Experiment", "ReachedForest", "Result", "agree", "authors", "by_set", "compare",
    "computed", "get", "ids", "key", "made_up", "observed", "outcome", "read", "recheck", "regime", "run",
    "run_task", "run_together", "same", "select", "series", "side_by_side", "signed_rank", "stored",
    "stored_regimes", "stored_scaling", "tally",
]  # fmt: skip
