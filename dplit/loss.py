r"""The exact privacy loss of a mechanism whose law can be computed.

For neighbouring inputs :math:`x, x'` with laws :math:`p, p'` over one set of outcomes the loss is
:math:`\max_o |\log p(o) / p'(o)|`; pure epsilon-privacy says that no pair of neighbours has a
larger one (RDF, definition 1). A loss is infinite where an outcome is possible for one input alone.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dplit.ground.errors import check_between, check_epsilon
from dplit.neighbours import hashable, neighbouring_pairs


class Witness(NamedTuple):
    """The outcome that attains a loss: its index (or key), and its probability under each law.

    Of laws given by logarithms, or compared as densities, `probability` and `other` are likewise
    densities; a mechanism's outcomes are numbered from 0.
    """

    loss: float
    outcome: Any
    probability: Any
    other: Any


class WorstCase(NamedTuple):
    """The neighbouring pair that attains a loss, and the outcome where it does."""

    loss: float
    data: Any
    neighbour: Any
    outcome: Any


def privacy_loss(law: Any, data, neighbour, *, log: bool = False) -> float:
    """Largest absolute log-ratio of an outcome's probabilities on two inputs.

    The loss is in nats, and ``inf`` if an outcome is possible on one input alone. Raises a ValueError if the laws
    have different shapes, or hold NaN or negative probabilities. `law` gives the pmf of an input: an array of any
    shape, of floats or of fractions, or a mapping from outcomes to probabilities. An object with ``logpmf`` or
    ``pmf``, as the mechanisms of :mod:`dplit.mechanisms` are, is asked for that. Densities at common points do as
    well. With `log` a callable gives logarithms, which stay exact where probabilities underflow.

    Examples
    --------
    >>> from dplit.audit import privacy_loss
    >>> from dplit.mechanisms import PermuteAndFlip, SmoothExponential
    >>> round(privacy_loss(PermuteAndFlip(1.0, monotonic=True), [1, 0], [2, 0]), 6)
    1.0
    >>> round(privacy_loss(SmoothExponential(1.0), [1, 0], [2, 0]), 4)  # see :doc:`/book/majority`
    2.1313
    """
    return privacy_loss_witness(law, data, neighbour, log=log).loss


def privacy_loss_witness(law: Any, data, neighbour, *, log: bool = False) -> Witness:
    """`privacy_loss` with the outcome that attains it, as a `Witness`."""
    evaluate, log = _evaluator(law, log)
    return compare_laws(evaluate(data), evaluate(neighbour), log=log)


def compare_laws(law: np.ndarray, other: np.ndarray, *, log: bool = False) -> Witness:
    """`Witness` of the loss between two laws over the same outcomes: arrays, or mappings."""
    if isinstance(law, Mapping) and isinstance(other, Mapping):
        outcomes = list(dict.fromkeys([*law, *other]))
        absent = -math.inf if log else 0
        law, other = ([side.get(o, absent) for o in outcomes] for side in (law, other))
    else:
        outcomes = None
    p, q = _checked(law, log), _checked(other, log)
    if p.shape != q.shape or p.size == 0:
        raise ValueError(f"law and other must have one shape, not empty, got {p.shape} and {q.shape}")
    losses = _losses(p, q, log)
    i = int(losses.argmax())
    probability, other = (np.exp(side.flat[i]) if log else side.flat[i] for side in (p, q))
    if outcomes is not None:
        outcome = outcomes[i]
    else:
        outcome = i if p.ndim < 2 else tuple(map(int, np.unravel_index(i, p.shape)))
    return Witness(float(losses.flat[i]), outcome, probability, other)


def worst_privacy_loss(
    law: Any, space: Iterable, neighbours: str | Callable = "add-remove", *, log: bool = False
) -> WorstCase:
    """Largest loss over every pair of neighbours in a space of inputs.

    `law`, `log` as in `privacy_loss`; `space`: inputs, as `count_vectors` or `data_sets` list them;
    `neighbours` as in `neighbouring_pairs`. Of several worst pairs it is the first in the order
    of `space`. Raises a ValueError if no two inputs of `space` are neighbours.
    """
    cases = losses_over(law, space, neighbours, log=log)
    # rounding must not prefer a larger pair to a smaller one of the same loss
    worst = None
    for case in cases:
        if worst is None or case.loss > worst.loss + 1e-12:
            worst = case
    if worst is None:
        raise ValueError("space must hold at least one pair of neighbours, got none")
    return worst


def losses_over(
    law: Any, space: np.ndarray | Iterator, neighbours: str | Callable, *, log: bool = False
) -> Iterator:
    """A `WorstCase` for every pair of neighbours in `space`, in the order of `neighbouring_pairs`."""
    evaluate, log = _evaluator(law, log)
    known = {}

    def evaluated(data: tuple | np.ndarray) -> np.ndarray:
        key = hashable(data)
        if key not in known:
            known[key] = evaluate(data)
        return known[key]

    for data, neighbour in neighbouring_pairs(space, neighbours):
        found = compare_laws(evaluated(data), evaluated(neighbour), log=log)
        yield WorstCase(found.loss, hashable(data), hashable(neighbour), found.outcome)


def _evaluator(law: Any, log: bool) -> tuple:
    """The function from inputs to laws, and whether it gives logarithms."""
    if hasattr(law, "logpmf"):
        return law.logpmf, True
    if hasattr(law, "pmf"):
        return law.pmf, False
    if not callable(law):
        raise TypeError(f"law must be callable, or have pmf or logpmf, got {law!r}")
    return law, log


def _checked(law: np.ndarray, log: bool) -> np.ndarray:
    try:
        values = np.asarray(law)
        if values.dtype != object:
            values = values.astype(np.float64)
        wrong = (values != values).any() or (not log and (values < 0).any())
    except (TypeError, ValueError):  # None, texts, rows of different lengths
        wrong = True
    if wrong:
        raise ValueError(f"law must hold probabilities, got {law!r}")
    return values


def _losses(p: np.ndarray, q: np.ndarray, log: bool) -> np.ndarray:
    """Absolute log-ratios; 0 where both sides are impossible."""
    if p.dtype == object or q.dtype == object:
        pairs = zip(p.ravel(), q.ravel())
        return np.array([_loss(a, b, log) for a, b in pairs]).reshape(p.shape)
    if log:
        same = p == q
        return np.abs(np.where(same, 0.0, p) - np.where(same, 0.0, q))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(p == q, 0.0, np.abs(np.log(p) - np.log(q)))


def _loss(a: int | Fraction, b: Fraction, log: bool) -> float:
    """One absolute log-ratio, of fractions without rounding before the logarithm."""
    if a == b:
        return 0.0
    if log:
        return abs(a - b)
    return math.inf if a == 0 or b == 0 else abs(math.log(a / b))


def smallest_violation(
    law: Any,
    space: Iterable,
    epsilon: float,
    neighbours: str | Callable = "add-remove",
    *,
    log: bool = False,
    rtol: float = 1e-9,
) -> WorstCase | None:
    """First pair of neighbours in `space` whose loss exceeds `epsilon`, or None.

    The pair's later member comes first in `space`, which lists inputs, smallest first, as `count_vectors` and
    `data_sets` do; it may be endless. `law` and `log` as in `dplit.loss.privacy_loss`, `neighbours` as in
    `dplit.neighbours.neighbouring_pairs`; `rtol`: room for rounding, relative to `epsilon`.
    """
    limit = check_epsilon(epsilon) * (1 + check_between(rtol, "rtol", 0, 1))
    cases = losses_over(law, space, neighbours, log=log)
    return next((case for case in cases if case.loss > limit), None)
