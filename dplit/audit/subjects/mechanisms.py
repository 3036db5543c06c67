"""What ``dplit audit`` runs: every mechanism and forest of the package against its epsilon.

A subject that is proved private must stay "within" its epsilon; a published leak must be "caught"
above it. An exact row computes the loss over every pair of neighbours in a finite space. A black-box
row draws, and finds a lower bound that is wrong with a probability of at most `FALSE_ALARM`: so
often, and no more, a sound subject's row raises an alarm.
"""

from __future__ import annotations

import math
import warnings
import zlib
from dataclasses import dataclass
from functools import partial

import numpy as np

from dplit.audit.blackbox import epsilon_lower_bound
from dplit.audit.estimators import audit_estimator, leaf_labels
from dplit.audit.subjects.baselines import registered as baselines
from dplit.audit.subjects.median import registered as median_forests
from dplit.audit.subjects.subject import (
    EFFORTS,
    FALSE_ALARM,
    ROUNDING,
    Found,
    Row,
    Subject,
    described,
    exact_worst,
    pick,
)
from dplit.errors import PrivacyLeakWarning, check_choice, check_integer, summarised
from dplit.mechanisms import Exponential, Geometric, Laplace, PermuteAndFlip, SmoothExponential
from dplit.neighbours import (
    append_record,
    count_vectors,
    data_sets,
    neighbouring_data,
    replace_record,
)
from dplit.random_forest.parts import ForestLaw, equal_parts_bound


def subjects(effort="deep"):
    """Every subject that an audit of this effort includes, in order."""
    check_choice(effort, EFFORTS, "effort")
    return tuple(s for s in _SUBJECTS if effort in s.efforts)


def run(effort="quick", seed=0, jobs=None):
    """Audit every subject; yields a `Row` for each, in order, as it is done.

    Parameters
    ----------
    effort : {"quick", "reader", "deep"}
        Larger spaces and more draws.
    seed : int
        Of all draws. Each subject has a stream of its own.
    jobs : int, optional
        Processes, as in joblib; the rows are the same for any number.
    """
    names = [s.name for s in subjects(effort)]
    check_integer(seed, "seed", 0)
    if jobs is None or jobs == 1:
        return (audit_subject(name, effort, seed) for name in names)
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=jobs, return_as="generator")
    return _none_lost(parallel(delayed(audit_subject)(n, effort, seed) for n in names), names)


def _none_lost(rows, names):
    """`rows`; if a worker process is gone, and with it what it had not yet sent, a row for each."""
    waiting = list(names)
    try:
        for row in rows:
            waiting.remove(row.subject)
            yield row
    except Exception as error:
        lost = f"no answer; audit with one job to see why ({summarised(error, 0)})"
        for subject in (s for s in _SUBJECTS if s.name in waiting):
            yield _stopped(subject, lost)


def _stopped(subject, why):
    return Row(subject.name, subject.method, np.nan, np.nan, subject.expected, False, why)


def audit_subject(name, effort="quick", seed=0):
    """Audit one subject by its name.

    Returns
    -------
    Row
        An error of the subject's check is a row that is not `ok`: it does not stop an audit.

    Raises
    ------
    KeyError
        If there is no subject of this name and effort.
    """
    subject = next((s for s in subjects(effort) if s.name == name), None)
    if subject is None:
        raise KeyError(f"no subject of effort {effort!r} has the name {name!r}")
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    try:
        declared, found, detail = subject.check(effort, rng)
    except Exception as error:
        return _stopped(subject, f"stopped: {summarised(error)}")
    caught = found > declared * (1 + ROUNDING)
    ok = bool(caught == (subject.expected == "caught")) and math.isfinite(declared)
    return Row(name, subject.method, float(declared), float(found), subject.expected, ok, detail)


# --- exact losses


def _counts(mechanism, neighbours, epsilon=1.0):
    """A mechanism on the counts of a leaf of three classes."""

    def check(effort, rng):
        space = count_vectors(pick(effort, 6, 10, 16), 3)
        return exact_worst(epsilon, mechanism, space, neighbours)

    return check


def _noise(density, epsilon=1.0):
    """A noisy count: `density` of the released number, at points around the count."""

    def check(effort, rng):
        n = pick(effort, 3, 10, 30)
        points = np.arange(-20, n + 21)

        def law(count):
            return density(points - count)

        return exact_worst(epsilon, law, range(n + 1), lambda count: (count - 1, count + 1))

    return check


def _forest_law(assignment, neighbours, rate=1.0, bound=False):
    """A forest of two trees, one of two leaves and one of one, with permute-and-flip at `rate`.

    It declares epsilon 1, or what `equal_parts_bound` proves.
    """
    declared = equal_parts_bound(1.0, 2, neighbours) if bound else 1.0

    def check(effort, rng):
        labels = PermuteAndFlip(rate, monotonic=True)
        law = ForestLaw((2, 1), 2, labels.pmf, assignment)
        near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
        space = tuple(data_sets(law.universe, pick(effort, 3, 5, 6)))
        return exact_worst(declared, law, space, near)

    return check


# --- lower bounds from draws


@dataclass(frozen=True)
class _Draws:
    """A mechanism's sampler, many draws at once."""

    mechanism: object

    def draw_many(self, data, size, rng):
        if hasattr(self.mechanism, "pmf") and not isinstance(self.mechanism, Geometric):
            return self.mechanism.sample(data, size, rng=rng)
        return self.mechanism.sample(np.full(size, data), rng=rng)


def _sampler(mechanism, data, neighbour, epsilon=1.0):
    """A mechanism's sampler on two inputs."""

    def check(effort, rng):
        n_draws = pick(effort, 20_000, 200_000, 1_000_000)
        bound = epsilon_lower_bound(
            _Draws(mechanism), data, neighbour, n_draws=n_draws, confidence=1 - FALSE_ALARM, rng=rng
        )
        return Found(epsilon, bound.epsilon, described(bound))

    return check


def _forest(
    n_estimators, max_depth, labels, change, *, declared=None, draws=(600, 5000, 20_000), **options
):
    """`RandomDecisionForestClassifier` on records that share one place, so one leaf of each tree.

    Parameters
    ----------
    labels : list of int
        Classes of the records.
    change : tuple
        ("add", class), or ("replace", class) for the first record.
    declared : float, optional
        What the paper says that it costs; left out, the epsilon of the fitted forest's budget.
    draws : tuple of int
        For each effort. Of a leak, so many that it is missed in fewer than 1 of 1,000 audits.
    """

    def check(effort, rng):
        from dplit import Continuous, Domain
        from dplit.forests import RandomDecisionForestClassifier

        estimator = RandomDecisionForestClassifier(
            domain=Domain([Continuous(0, 1)]),
            classes=[0, 1],
            n_estimators=n_estimators,
            max_depth=max_depth,
            **options,
        )
        place = [0.5]
        data = np.array([place] * len(labels)), np.array(labels)
        way, label = change
        neighbour = (
            append_record(*data, place, label)
            if way == "add"
            else replace_record(*data, 0, place, label)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyLeakWarning)
            epsilon = declared or estimator.fit(*data).budget_.epsilon
            bound = audit_estimator(
                estimator,
                data,
                neighbour,
                summary=leaf_labels([place]),
                n_draws=pick(effort, *draws),
                confidence=1 - FALSE_ALARM,
                rng=rng,
                structure=0,
            )
        return Found(epsilon, bound.epsilon, described(bound))

    return check


_AR, _RO = "add-remove", "replace-one"


def _registered():
    within, caught = "within", "caught"
    em, pf = partial(Exponential, 1.0), partial(PermuteAndFlip, 1.0)
    smooth = SmoothExponential(1.0)
    tie, broken = [1, 1, 0], [1, 1, 1]
    for name, expected, check in (
        ("Laplace noise on a count", within, _noise(Laplace(1.0).pdf)),
        ("geometric noise on a count", within, _noise(Geometric(1.0).pmf)),
        ("exponential mechanism, add-remove", within, _counts(em(monotonic=True), _AR)),
        ("exponential mechanism, replace-one", within, _counts(em(), _RO)),
        ("permute-and-flip, add-remove", within, _counts(pf(monotonic=True), _AR)),
        ("permute-and-flip, replace-one", within, _counts(pf(), _RO)),
        ("permute-and-flip, add-remove rate under replace-one", caught,
         _counts(pf(monotonic=True), _RO)),
        ("smooth-sensitivity label (RDF, theorem 1)", caught, _counts(smooth, _AR)),
        ("forest, independent trees, add-remove", within, _forest_law("independent", _AR)),
        ("forest, independent trees, replace-one", within, _forest_law("independent", _RO, 0.5)),
        ("forest, add-remove rate under replace-one", caught, _forest_law("independent", _RO)),
        ("forest, equal parts as published, add-remove", caught, _forest_law("equal-parts", _AR)),
        ("forest, equal parts at the proved bound", within,
         _forest_law("equal-parts", _AR, bound=True)),
        ("forest, equal parts, replace-one at twice", within,
         _forest_law("equal-parts", _RO, bound=True)),
    ):  # fmt: skip
        yield Subject(name, "exact", expected, check)
    for name, expected, check in (
        ("Laplace sampler", within, _sampler(Laplace(1.0), 0.0, 1.0)),
        ("geometric sampler", within, _sampler(Geometric(1.0), 0, 1)),
        ("exponential sampler", within, _sampler(em(monotonic=True), tie, broken)),
        ("permute-and-flip sampler", within, _sampler(pf(monotonic=True), tie, broken)),
        ("smooth-sensitivity sampler", caught, _sampler(smooth, [1, 0], [2, 0])),
        ("RandomDecisionForestClassifier, add-remove", within,
         _forest(2, 2, [0], ("add", 1), epsilon=2.0)),
        ("RandomDecisionForestClassifier, replace-one", within,
         _forest(2, 2, [0], ("replace", 1), epsilon=2.0, neighbours=_RO)),
        ("RandomDecisionForestClassifier, smooth-exponential label", caught,
         _forest(1, 0, [0, 1], ("add", 0), declared=2.0, draws=(1200, 5000, 20_000),
                 epsilon=2.0, label="smooth-exponential")),
        ("RandomDecisionForestClassifier, published accounting, replace-one", caught,
         _forest(1, 0, [0, 0], ("replace", 1), declared=1.5, draws=(2000, 5000, 20_000),
                 epsilon=1.5, accounting="published", neighbours=_RO)),
        ("RandomDecisionForestClassifier, published accounting, its budget", within,
         _forest(2, 0, [0, 0, 0], ("add", 1), epsilon=1.5, accounting="published")),
    ):  # fmt: skip
        yield Subject(name, "black box", expected, check)
    # three records in two parts, and a fourth of the other class: exact loss 2.90 for epsilon 1.75
    equal_parts = _forest(
        2,
        0,
        [0, 0, 0],
        ("add", 1),
        declared=1.75,
        draws=(8000, 8000, 20_000),
        epsilon=1.75,
        accounting="published",
    )
    name = "RandomDecisionForestClassifier, published accounting, add-remove"
    yield Subject(name, "black box", caught, equal_parts, efforts=("reader", "deep"))


_SUBJECTS = (*_registered(), *median_forests(), *baselines())
