"""What a fit spends beside what it was asked for, in ``dplit audit``: the total of its budget, exactly."""

import math
import pickle
import warnings
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.base import clone

from dplit.budget.accountant import Accountant, BudgetError
from dplit.court.audit.estimators import in_blocks
from dplit.court.audit.subject import AR, RO, Found, estimator, public, subject, worst_of
from dplit.court.audit.subjects.moved import ESTIMATORS, Given, labels_of, rows
from dplit.court.audit.subjects.moved import X as RECORDS
from dplit.domain import Categorical, Continuous, Domain
from dplit.forests import HistogramForestClassifier
from dplit.ground.errors import PrivacyLeakWarning

EPSILON, SECRET = 1.0, 80_706_050_403_020
DOMAIN = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Continuous(0, 1)])  # two columns that are cut
X, LABELS = [[0.1, "a", 0.3], [0.9, "b", 0.2], [0.4, "c", 0.7], [0.6, "a", 0.5]], [0, 1, 2, 0]
PAIRS = [0, 1, 1, 0], [0.0, 1.0, 1.0, 1.0], np.array([0, 1, 0, 0], dtype=np.int8)  # that might be public classes
COUNTED = HistogramForestClassifier(0.4, domain=DOMAIN, classes=[0, 1, 2], max_depth=1)


def _spent(kind, effort, rng):
    """The largest total, as a share of what is asked for; infinite if a delta is too large or a part missing."""
    found = []
    for row in rows(kind):
        budget = Given(kind, row)(RECORDS, labels_of(row)[0]).budget_
        too_much, share = budget.delta > row.get("delta", 0.0) * (1 + 1e-9), budget.epsilon / row["epsilon"]
        found.append((math.inf if too_much or share < 1 - 1e-9 else share, str(row)))
    return worst_of(EPSILON, found, "fits")


class Told(ValueError):
    """What a learner raises once it has seen noisy counts."""


def _learners():
    """Classifiers that note how often they saw counts: one stops with an error, one fits to the records."""
    from sklearn.dummy import DummyClassifier

    class Failing(DummyClassifier):
        seen = 0

        def fit(self, X, y, sample_weight=None):
            Failing.seen += 1
            raise Told("stopped after the counts were released")

    class Again(DummyClassifier):
        seen = 0

        def fit(self, *noisy, sample_weight=None):
            Again.seen += math.isfinite(clone(COUNTED).fit(X, LABELS).budget_.epsilon)
            return super().fit(*noisy, sample_weight)

    return None, Failing, Again


def _account(is_kept, effort, rng):
    """What fits inside an account release: of those that ended, and of those that noise was drawn for.

    Two of 0.4 fit into 1, whatever becomes of them. An account that is kept in a file is opened anew for each.
    """
    found = []
    for learner in _learners():
        ended, account, folder = 0, Accountant(EPSILON), TemporaryDirectory()
        for _ in range(5):
            account = Accountant(f"{folder.name}/ledger.json", EPSILON) if is_kept else account
            forest = clone(COUNTED).set_params(learner=learner and learner())
            with account:
                try:
                    ended += math.isfinite(forest.fit(X, LABELS).budget_.epsilon)
                except (Told, BudgetError):
                    pass
        spent = 0.4 * (ended + (learner.seen if learner else 0))
        found.append(max(spent, account.budget.epsilon))
        if account.spent < spent * (1 - 1e-9):
            found.append(math.inf)
    for own, other in ((AR, RO), (RO, AR)):
        with suppress(BudgetError), Accountant(EPSILON, neighbours=own):
            found.append(clone(COUNTED).set_params(neighbours=other).fit(X, LABELS) and math.inf)
    return Found(EPSILON, max(found), f"released by fits that ended, that failed, that fit again: {found}")


def _left_out(kind, effort, rng):
    """Infinite if a fit that is told less than it needs, and reads it off the records, says another total."""
    import pandas as pd

    untold = {"target_bounds" if kind.endswith("Regressor") else "classes": None}
    given = {"domain": DOMAIN, "n_estimators": 2, "max_depth": 1, "random_state": 0} | public(kind, 2)
    said, frame, none = [], pd.DataFrame(X), {"domain": None}
    frames = frame, *(frame.astype({1: pd.CategoricalDtype(ordered=ordered)})[[1]] for ordered in (False, True))
    read = Domain.from_dict(Domain.from_data(frame).to_dict())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        told = *((none, table, LABELS) for table in frames), ({"domain": read}, frame, LABELS)
        untold_classes = ((untold, X, y) for y in (LABELS, pd.Series(LABELS, dtype="category"), *PAIRS))
        for less, table, y in (*told, *untold_classes):
            said.append(estimator(kind)(EPSILON, **given | less).fit(table, y).budget_.epsilon)
    return Found(0.0, 0.0 if min(said) == math.inf else math.inf, f"totals of what is left out: {said}")


def _told(kind, effort, rng):
    """Infinite if a pickle, a file or words of a fit hold its seed, or an error the cell that is refused."""
    options = {"domain": DOMAIN, "n_estimators": 2, "max_depth": 1, "random_state": SECRET} | public(kind, 2)
    forest, wrong = estimator(kind)(EPSILON, **options).fit(X, LABELS), []
    with TemporaryDirectory() as folder:
        forest.save(f"{folder}/forest")
        saved = Path(f"{folder}/forest").read_bytes()
    said = pickle.dumps(forest) + saved + f"{forest!r} {forest.get_params()} {forest.model_card()}".encode()
    told = [word for word in (str(SECRET).encode(), SECRET.to_bytes(6, "little")) if word in said]
    for cells, blocks in product((["nobody's", "a", 0.3], [0.1, "nobody's", 0.3]), ((4,), (2, 2))):
        with in_blocks((np.array([cells, *X[1:]], dtype=object), np.array(LABELS)), blocks) as given:
            try:
                forest.fit(*(given if len(blocks) > 1 else map(np.asarray, given)))
            except (TypeError, ValueError) as error:
                wrong.append("nobody's" in str(error))
    return Found(0.0, math.inf if told or wrong != [False] * 4 else 0.0, f"seeds: {told}, quoted cells: {wrong}")


def registered():
    """The subjects of this file."""
    yield subject("an account of several fits", partial(_account, False))
    yield subject("an account that is kept in a file", partial(_account, True))
    for kind in ESTIMATORS:
        yield subject(f"{kind} spends what it is asked for", partial(_spent, kind))
        yield subject(f"{kind} says what it reads off its records", partial(_left_out, kind))
        yield subject(f"{kind} tells no seed, and no cell that it refuses", partial(_told, kind))
