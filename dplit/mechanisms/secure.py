"""Randomness for what is published: a cipher whose keys are the operating system's.

A generator says by its type which noise is drawn from it. Where it `is_secure`, every sampler of
`dplit.mechanisms` takes its exact kernel (`dplit.mechanisms.exact`), or raises where it has none, and so does
every grower of `dplit.trees` that reads private records; nothing else has to be handed down to them. From any
other generator noise is simulated, by floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

LARGEST_RATE = 2.0**500  # a finite rate above is taken as this one: less noise has no use
EXACT = {"bit_generator", "bytes", "integers", "permutation", "permuted", "shuffle", "spawn"}
BLIND = {"random"}  # rounded, where nothing of the records depends on it


class SecureGenerator(np.random.Generator):
    """A generator whose noise is exact: NumPy's samplers of other laws are errors.

    Whole numbers are uniform without rounding, by rejection. `random` is there for what needs no exact
    law: draws that read no record, and ties between released numbers. A copy of it, and what a pickle of it
    becomes, is a new one of `secure_generator`: no two have a stream in common.
    """

    def __reduce__(self):
        return _of_a_new_key, (type(self),)

    def choice(self, a, size: int | tuple[int, ...] | None = None, replace=True, p=None, axis=0, shuffle=True):
        """As NumPy's, of equally likely elements alone."""
        if p is not None:
            raise no_exact_sampler("numpy.random.Generator.choice with p", "take an exact sampler")
        return super().choice(a, size, replace, None, axis, shuffle)


def _refusal(name: str) -> Callable:
    def refused(self, *arguments, **options) -> None:
        raise no_exact_sampler(f"numpy.random.Generator.{name}", "take an exact sampler")

    refused.__name__ = name
    refused.__doc__ = "An error: its law is rounded."
    return refused


for _name in set(dir(np.random.Generator)) - EXACT - BLIND - {"choice"}:
    if not _name.startswith("_"):
        setattr(SecureGenerator, _name, _refusal(_name))


def secure_generator() -> SecureGenerator:
    """A new generator for noise that is published.

    Its words are those of the cipher ChaCha with 20 rounds, under a key of 256 bits from `os.urandom`; streams
    that are spawned from it, its copies, and what it is in a process that was forked have keys of their own.
    """
    return _of_a_new_key(SecureGenerator)


def _of_a_new_key(kind) -> np.random.Generator:
    """A secure generator of that class."""
    from dplit.mechanisms.cipher import Cipher  # slow to import, and no simulation needs it

    return kind(Cipher())


def is_secure(rng: np.random.Generator) -> bool:
    """Whether noise that is drawn from this generator has to be exact."""
    return isinstance(rng, SecureGenerator)


def no_exact_sampler(what, instead):
    """The error of a draw that would be rounded; `instead` says what would be right."""
    return ValueError(f"noise='secure' needs an exact sampler, and {what} has none: {instead}")


def exact_rate(epsilon: float, sensitivity: float | Fraction = 1) -> float:
    r"""The largest float that is at most :math:`\epsilon/\Delta` in real numbers.

    `epsilon`: ``inf`` stays infinite; a finite rate is at most `LARGEST_RATE`; `sensitivity`: taken as the
    fraction that it is.
    """
    if math.isinf(epsilon):
        return math.inf
    limit, spent = Fraction(epsilon), Fraction(sensitivity)
    if limit > spent * Fraction(LARGEST_RATE):
        return LARGEST_RATE
    rate = float(limit / spent)
    return rate if Fraction(rate) * spent <= limit else math.nextafter(rate, 0.0)


def whole_scores(scores: ArrayLike):
    """Scores as int64, shape of `scores`; they must be whole numbers within +-2^53.

    Raises a ValueError if one is not: a sensitivity that holds for real scores need not hold for rounded ones.
    """
    scores = np.asarray(scores)
    if not ((np.abs(scores) <= 2**53) & (scores == np.floor(scores))).all():
        raise no_exact_sampler(
            "a choice by scores that are no whole numbers within +-2^53",
            "put the scores on a public grid, and count the rounding in their sensitivity",
        )
    return scores.astype(np.int64)
