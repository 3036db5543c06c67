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
from scipy.stats import binom, chisquare

from dplit.budget.accountant import Accountant, BudgetError
from dplit.court.audit.subject import Found, estimator, public, subject
from dplit.court.audit.subjects import spending
from dplit.court.audit.subjects.moved import ESTIMATORS
from dplit.domain import Continuous, Domain
from dplit.forests.reading import WithRecords
from dplit.mechanisms import DiscreteGaussian, Exponential, Geometric, Laplace, PermuteAndFlip
from dplit.mechanisms.secure import SecureGenerator

CLOCKS = "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"
STATES = {  # of a fit that nobody can repeat
    "none": lambda: None, "a generator": lambda: np.random.default_rng(0),
    "bits": lambda: np.random.PCG64(0), "an older generator": lambda: np.random.RandomState(0),
    "a sequence": lambda: np.random.SeedSequence(0),
}  # fmt: skip
SEEN = 0.25, 0.6, 0.9  # what records hold that are cut
CUTTING = ("RandomDecisionForestClassifier", "MedianForestClassifier", "MedianForestRegressor", "JPWClassifier",
           "MultinomialForestClassifier", "FSClassifier", "DPExtraTreesClassifier",
           "DPExtraTreesRegressor")  # fmt: skip
SIGMA, RATE = 3.0, 0.5
BEHIND = 18, 0  # scores
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


def _fitted():
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


def _nested(effort, rng):
    """How many fits of 0.4 end or are charged otherwise than by hand, in accounts within each other."""
    wrong, programs, kind = [], effort.pick(20, 100, 400), "RandomDecisionForestClassifier"
    tree = estimator(kind)(0.4, domain=spending.DOMAIN, classes=[0, 1, 2], n_estimators=1, max_depth=0)
    for _ in range(programs):
        with TemporaryDirectory() as folder:
            made = [Accountant(1.0), Accountant(1.0), Accountant(f"{folder}/ledger.json", 1.0)]
            due, open_ones, steps = dict.fromkeys(made, 0.0), [], ""
            for step in rng.integers(4, size=12):
                left = [account for account in made if account not in open_ones]
                if step == 0 and left:
                    open_ones.append(left[int(rng.integers(len(left)))])
                    open_ones[-1].__enter__()
                elif step == 1 and open_ones:
                    open_ones.pop().__exit__(None, None, None)
                else:
                    let, ended = all(due[account] < 0.5 for account in open_ones), False
                    with suppress(BudgetError):
                        ended = bool(tree.fit(spending.X, spending.LABELS).budget_)
                    due |= {account: due[account] + 0.4 * ended for account in open_ones}
                    wrong += [f"{steps}{step}: {ended}"] if ended > let else []
                steps += str(step)
            while open_ones:
                open_ones.pop().__exit__(None, None, None)
            wrong += [steps for account, sum_ in due.items() if account.spent < sum_ * (1 - 1e-9)]
    return Found(0.0, float(len(wrong)), f"{programs} programs; {wrong[:3]}")


def _sources(effort, rng):
    """How many fits that nobody can repeat have the bits of another one's noise, all clocks standing still."""
    bits = []
    with ExitStack() as still:
        for clock in CLOCKS:
            still.enter_context(patch.object(time, clock, partial(int, getattr(time, clock)())))
        still.enter_context(patch.object(os, "getpid", lambda: 1))
        for kind, state, noise in product(ESTIMATORS, STATES.values(), (None, "simulation")):
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


def _choice(mechanism, exact, effort, rng):
    """How often a candidate comes that is far behind."""
    source = SecureGenerator(np.random.PCG64(int(rng.integers(2**63)))) if exact else rng
    seen, p = int(np.sum(mechanism.sample(BEHIND, DRAWS, rng=source))), float(mechanism.pmf(BEHIND)[1])
    chance = min(binom.cdf(seen, DRAWS, p), binom.sf(seen - 1, DRAWS, p))
    return Found(0.0, math.inf if chance < RARE else 0.0, f"{DRAWS} draws: {seen}, of {DRAWS * p:.4g}")


def _gaussian():
    noise = DiscreteGaussian(SIGMA)
    z = np.arange(-60, 61)
    return noise, {k: float(noise.pmf(z[np.abs(z) >= k]).sum()) for k in range(6, 14)}


def _geometric():
    noise = Geometric(RATE)
    return noise, {k: 2 * math.exp(-RATE * k) / (1 + math.exp(-RATE)) for k in range(6, 22, 2)}


def _laplace():
    return Laplace(RATE), {k: math.exp(-RATE * k) for k in range(6, 22, 2)}


def _between(kind, noise, effort, rng):
    """Where cuts lie between two records: anywhere alike. Infinite where chance does not explain it."""
    trees, ends = effort.pick(2000, 10_000, 50_000), np.array([0.0, *SEEN, 1.0])
    options = {"n_estimators": trees, "max_depth": 1, "domain": Domain([Continuous(0, 1)])} | public(kind, 2)
    options |= {"partitioned": False} if "partitioned" in signature(estimator(kind)).parameters else {}
    options |= {"random_state": int(rng.integers(2**32))} if noise == "simulation" else {}
    X, y = np.repeat(SEEN, 8)[:, None], np.arange(8 * len(SEEN)) % 2
    grown = estimator(kind)(4.0 * trees, noise=noise, **options).fit(X, y).trees_
    cuts = grown.threshold[grown.roots][grown.feature[grown.roots] >= 0]
    at = np.clip(np.searchsorted(ends, cuts, side="right"), 1, len(ends) - 1)
    places = np.histogram((cuts - ends[at - 1]) / np.diff(ends)[at - 1], 16, (0, 1))[0]
    usual = trees / 2 < len(cuts) == len({*cuts.tolist()}) and chisquare(places).pvalue > RARE
    return Found(0.0, 0.0 if usual else math.inf, f"{len(cuts)} cuts, in sixteen parts {places.tolist()}")


def registered():
    """The subjects of this file."""
    for kind, noise in product(CUTTING, ("simulation", "secure")):
        name = f"{kind}, where cuts lie{', exact noise' if noise == 'secure' else ''}"
        yield subject(name, partial(_between, kind, noise))
    yield subject("an account in two runs and in a forked process", _elsewhere)
    yield subject("accounts within each other", _nested)
    yield subject("fits without a seed, noise of their own", _sources)
    yield subject("ensembles of scikit-learn, a record once", _ensembles)
    for words, made in (("Gaussian", _gaussian), ("geometric", _geometric), ("Laplace", _laplace)):
        for exact in (False, True)[: 1 if words == "Laplace" else 2]:
            name = f"far tails of {'exact ' if exact else ''}{words} noise"
            yield subject(name, partial(_tail, *made(), exact))
    for kind, exact in product((Exponential, PermuteAndFlip), (False, True)):
        name = f"far tails of {'exact ' if exact else ''}choices, {kind.__name__}"
        yield subject(name, partial(_choice, kind(1.0), exact))
