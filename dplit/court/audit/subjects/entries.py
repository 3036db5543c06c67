"""Other ways into a fit, in ``dplit audit``: blocks of Dask, records of a person, mixed priors."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from dplit.court.audit.estimators import FreshFit, in_blocks
from dplit.court.audit.subject import fits, subject
from dplit.court.audit.subjects.preset import planned_for
from dplit.court.audit.subjects.whole import first_labels
from dplit.domain import Categorical, Domain

RDF, HISTOGRAM, PRESET = ("RandomDecisionForestClassifier", "HistogramForestClassifier", "PrivateForestClassifier")
FEW, SOME, SLOW = (240, 1500, 8000), (300, 3000, 20_000), (140, 1000, 5000)
ONE_LEAF = {"n_estimators": 1, "max_depth": 0}
FAR = 4  # where the outcomes of noise are put together


@dataclass(frozen=True)
class InBlocks(FreshFit):
    """A fit of two blocks of Dask, the last record alone in the second."""

    def __call__(self, data, rng):
        """The fitted clone; everything is computed in this thread."""
        with in_blocks(data, (len(data[0]) - 1, 1)) as given:
            return super().__call__(given, rng)


def held_in_cell(cell, label, fitted):
    """Summary: the released count of a class in a cell, a whole number within +-`FAR`."""
    return int(np.clip(fitted.cell_counts_[cell, label], -FAR, FAR))


def registered():
    """The subjects of this file."""
    ends = fits("DPExtraTreesRegressor", ([[0.5]] * 2, [1.0] * 2), ("add", [0.5], 2.0), first_labels, FEW,
                epsilon=1.0, target_bounds=(1, 2), **ONE_LEAF)  # fmt: skip
    yield subject("DPExtraTreesRegressor, bounds that begin at one", ends)
    # three records of a person: together they cost what one budget says
    person = fits(RDF, ([[0.5]], [0]), ("add 3", [0.5], 1), first_labels, SOME, declared=0.5, epsilon=1.5,
                  records_per_person=3, **ONE_LEAF)  # fmt: skip
    yield subject(f"{RDF}, a person with three records", person)
    # three records turn the majority: whoever reads blocks without noise says so in every draw
    few, two = ([[0.5]] * 2, [0, 0]), ([[0.5]] * 3, [0, 0, 1])
    label = fits(RDF, few, ("add 3", [0.5], 1), first_labels, SLOW, fitting=InBlocks, epsilon=0.2, **ONE_LEAF)
    yield subject(f"{RDF} from blocks, a label", label)
    number = fits(PRESET, two, ("add", [0.5], 1), planned_for, SLOW, declared=0.8, fitting=InBlocks,
                  epsilon=20.0, **ONE_LEAF)  # fmt: skip
    yield subject(f"{PRESET} from blocks, number of records", number)
    table = Domain([Categorical(["a", "b", "c"])])
    full = ([["a"]] * 3 + [["b"]], [0, 0, 1, 1])
    mixed = fits(HISTOGRAM, full, ("add", ["c"], 1), partial(held_in_cell, 2, 1), SOME, epsilon=1.0,
                 release="mixed", domain=table, n_estimators=1)  # fmt: skip
    yield subject(f"{HISTOGRAM}, mixed release, an empty cell", mixed)
