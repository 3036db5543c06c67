"""What stands around a fit, in ``dplit audit``: clocks and processes, ensembles, frames, far tails of noise."""

import math
import os
import time
import warnings
from contextlib import ExitStack, suppress
from functools import partial
from inspect import signature
from itertools import product
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy.stats import binom

from dplit.budget.accountant import Accountant, BudgetError
from dplit.court.audit.subject import Found, estimator, public, subject
from dplit.court.audit.subjects import spending
from dplit.domain import Categorical, Continuous, Date, Domain
from dplit.forests.reading import WithRecords
from dplit.mechanisms import DiscreteGaussian, Geometric, Laplace
from dplit.mechanisms.secure import SecureGenerator

CLOCKS = "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"
STATES = {  # of a fit that nobody can repeat
    "none": lambda: None, "a generator": lambda: np.random.default_rng(0),
    "bits": lambda: np.random.PCG64(0), "an older generator": lambda: np.random.RandomState(0),
    "a sequence": lambda: np.random.SeedSequence(0),
}  # fmt: skip
TABLE = {"amount": [0.5, 2.0, 7.0, 7.0], "kind": ["a", "b", "b", "a"],
         "day": pd.to_datetime(["2020-01-01", "2020-02-01", "2020-02-01", "2020-03-01"])}  # fmt: skip
ROW = {"amount": 9.0, "kind": "c", "day": pd.Timestamp("2020-04-01")}
BOUNDS = {  # of a column, as they may be given
    "amount": (None, (0, None), (None, 10), (None, None), [0, 10], Continuous(0, 10), (-math.inf, 10)),
    "kind": (None, [*"abc"], ("a", None), ("a", "b"), Categorical([*"abc"]), pd.CategoricalDtype([*"ab"])),
    "day": (None, ("2020-01-01", None), (None, "2020-12-31"), Date("2020-01-01", "2020-12-31")),
}  # fmt: skip
SIGMA, RATE = 3.0, 0.5
DRAWS, RARE, STRETCHED = 1_500_000, 1e-8, 20.0


def in_child(asked):
    """Whether ``asked()``, in a process that is forked, returns True."""
    with warnings.catch_warnings(action="ignore"):
        child = os.fork()
    if not child:
        done = 1
        with suppress(BaseException):
            done = 0 if asked() else 1
        os._exit(done)
    return os.waitpid(child, 0)[1] == 0


def _fitted(neighbours="add-remove"):
    return math.isfinite(spending.clone(spending.COUNTED).fit(spending.X, spending.LABELS).budget_.epsilon)


def _elsewhere(effort, rng):
    """What is charged by fits of 0.4 in two accounts of a file, in turn, and whether a forked process may fit."""
    with TemporaryDirectory() as folder:
        two, ended = [Accountant(f"{folder}/ledger.json", 1.0) for _ in range(2)], 0
        for account in two * 3:
            with suppress(BudgetError), account:
                ended += _fitted()
        spent = {account.spent for account in (*two, Accountant(f"{folder}/ledger.json", 1.0))}
        with two[0] if min(spent) < 0.5 else Accountant(1.0):
            let = hasattr(os, "fork") and in_child(_fitted)
    loss = math.inf if let or len(spent) > 1 or max(spent) < 0.4 * ended * (1 - 1e-9) else 0.4 * ended
    return Found(1.0, loss, f"{ended} fits of two accounts, {spent} spent, a forked one {let}")


def _sources(effort, rng):
    """How many fits that nobody can repeat have the bits of another one's noise, all clocks standing still."""
    bits = []
    with ExitStack() as still:
        for clock in CLOCKS:
            still.enter_context(patch.object(time, clock, partial(int, getattr(time, clock)())))
        still.enter_context(patch.object(os, "getpid", lambda: 1))
        for kind, state, noise in product(spending.KINDS, STATES.values(), (None, "simulation")):
            np.random.seed(0)  # noqa: NPY002, the generator that all share
            for _ in range(2):
                source = estimator(kind)(1.0, noise=noise, random_state=state(), **public(kind))._generator()
                bits.append(source.bit_generator.random_raw(2).tobytes())
    alike = len(bits) - len({*bits})
    return Found(0.0, float(alike), f"{alike} of {len(bits)} fits")


def _ensembles(effort, rng):
    """How many members of ensembles of scikit-learn got a record several times."""
    from sklearn.base import clone
    from sklearn.utils import all_estimators

    wrong, fitted, read = [], 0, WithRecords._read_fit
    for kind in ("RandomDecisionForestClassifier", "MedianForestRegressor"):
        options = {"domain": Domain([Continuous(0, 99)]), "n_estimators": 1, "max_depth": 0}
        member, X = estimator(kind)(1.0, **options | public(kind)), np.arange(24.0)[:, None]
        for name, ensemble in all_estimators("regressor" if kind.endswith("Regressor") else "classifier"):
            names = signature(ensemble).parameters
            given = {"estimator": clone(member), "base_estimator": clone(member),
                     "estimators": [("one", clone(member)), ("two", clone(member))]}  # fmt: skip
            given = {key: value for key, value in given.items() if key in names and value is not None}
            if not given or name in ("MultiOutputClassifier", "MultiOutputRegressor"):
                continue
            handed = []

            def reading(forest, X, y, handed=handed):
                handed.append(np.asarray(X).ravel().tolist())
                return read(forest, X, y)

            with patch.object(WithRecords, "_read_fit", reading), warnings.catch_warnings(action="ignore"):
                with suppress(Exception):
                    ensemble(**given | ({"random_state": 0} if "random_state" in names else {})).fit(
                        X, np.arange(24) % 2
                    )
            fitted += bool(handed)
            wrong += [name for rows in handed if len(set(rows)) < len(rows)]
    return Found(0.0, float(len(wrong)), f"{fitted} ensembles; a record several times in {sorted(set(wrong))}")


def _schemas(effort, rng):
    """How many ways to give a frame's bounds tell a record of it, and do not say so."""
    wrong, made = [], 0
    for column, ways in BOUNDS.items():
        for given in ways:
            said = []
            for table in (pd.DataFrame(TABLE), pd.concat([pd.DataFrame(TABLE), pd.DataFrame([ROW])])):
                with warnings.catch_warnings(action="ignore"):
                    try:
                        domain = Domain.from_frame(table[[column]], {} if given is None else {column: given})
                        said.append("read" if domain.data_dependent else str(domain.to_dict()))
                    except (TypeError, ValueError) as error:
                        said.append(f"{error}")
            made += 1
            wrong += [f"{column}: {given}"] if said[0] != said[1] else []
    return Found(0.0, float(len(wrong)), f"{made} bounds; those that tell: {wrong}")


class Far(np.random.Generator):
    """A generator whose continuous and waiting numbers are far out in their tails."""

    def standard_exponential(self, *asked, **options):
        """Many times as large."""
        return super().standard_exponential(*asked, **options) * STRETCHED

    def geometric(self, p, size=None):
        """Many times as large."""
        return np.rint(super().geometric(p, size) * STRETCHED).astype(np.int64)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        """Many times as large."""
        return super().laplace(loc, scale * STRETCHED, size)


def _tail(noise, law, exact, effort, rng):
    """How often noise is as far out as each number of `law`; infinite where chance does not explain it."""
    source = SecureGenerator(np.random.PCG64(int(rng.integers(2**63)))) if exact else rng
    drawn = np.abs(noise.sample(np.zeros(DRAWS, dtype=np.int64), rng=source))
    seen = {edge: int((drawn >= edge).sum()) for edge in law}
    chances = [min(binom.cdf(seen[k], DRAWS, p), binom.sf(seen[k] - 1, DRAWS, p)) for k, p in law.items()]
    far = [] if exact else np.abs(noise.sample(np.zeros(999, dtype=np.int64), rng=Far(np.random.PCG64(0))))
    ends = not exact and max(far) < 2 * max(law)
    return Found(0.0, math.inf if min(chances) < RARE or ends else 0.0, f"{DRAWS} draws: {seen}")


def _gaussian():
    noise = DiscreteGaussian(SIGMA)
    z = np.arange(-60, 61)
    return noise, {k: float(noise.pmf(z[np.abs(z) >= k]).sum()) for k in range(6, 14)}


def _geometric():
    noise = Geometric(RATE)
    return noise, {k: 2 * math.exp(-RATE * k) / (1 + math.exp(-RATE)) for k in range(6, 22, 2)}


def _laplace():
    return Laplace(RATE), {k: math.exp(-RATE * k) for k in range(6, 22, 2)}


def registered():
    """The subjects of this file."""
    yield subject("an account in two runs and in a forked process", _elsewhere)
    yield subject("fits without a seed, noise of their own", _sources)
    yield subject("ensembles of scikit-learn, a record once", _ensembles)
    yield subject("schemas of a frame, bounds of all kinds", _schemas)
    for words, made in (("Gaussian", _gaussian), ("geometric", _geometric), ("Laplace", _laplace)):
        for exact in (False, True)[: 1 if words == "Laplace" else 2]:
            name = f"far tails of {'exact ' if exact else ''}{words} noise"
            yield subject(name, partial(_tail, *made(), exact))
