"""Permute-and-flip (McKenna and Sheldon 2020), or ROSNAM: one-sided noisy arg-max (:doc:`/book/mechanisms`)."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground.errors import check_rng
from dplit.mechanisms._selection import Selection, sample_shape
from dplit.mechanisms.secure import is_secure

NODES = 40  # Gauss-Legendre with m nodes integrates polynomials of degree 2m - 1 exactly
DECAY = 40.0  # beyond t = DECAY / sum(q) the integrand is worth less than e^-39 of the integral
BLOCK = 2**15  # noise values drawn at a time: a quarter of a megabyte stays in the cache


class PermuteAndFlip(Selection):
    r"""Goes through the candidates in random order, and stops at :math:`r` with probability :math:`q_r`.

    Here :math:`q_r = e^{\text{rate}\,(s_r - \max s)}`. Candidate :math:`r` is reported with
    probability :math:`q_r \int_0^1 \prod_{i \ne r} (1 - q_i t)\,dt`: let every candidate arrive at
    a uniform time, and :math:`r`, arriving at time :math:`t`, finds that each other one either
    comes later or has failed its flip. The integrand is a polynomial of degree :math:`k - 1`.

    Epsilon-private when each score has sensitivity `sensitivity`, and never more likely to err
    than the exponential mechanism at the same epsilon. Derived in :doc:`/book/mechanisms`.
    """

    def pmf(self, scores: ArrayLike) -> np.ndarray:
        """Probability of each candidate, shape of `scores`; the last axis sums to 1.

        Relative error below 1e-12 for any number of candidates, in time proportional to it.
        """
        odds = np.exp(self.log_odds(scores))
        return odds * _undecided(odds)

    def logpmf(self, scores: ArrayLike) -> np.ndarray:
        """Logarithm of `pmf`, exact where `pmf` underflows; shape of `scores`."""
        log_odds = self.log_odds(scores)
        return log_odds + np.log(_undecided(np.exp(log_odds)))

    @staticmethod
    def rational_law(weights: list) -> list:
        r"""The law for rational weights ``exp(rate * score)``, as a list of fractions.

        Expands the product: :math:`q_r \sum_m \frac{(-1)^m}{m+1} e_m(q_{\ne r})` with elementary
        symmetric polynomials :math:`e_m`.
        """
        odds = [Fraction(w) / max(weights) for w in weights]
        return [q * _integral(odds[:r] + odds[r + 1 :]) for r, q in enumerate(odds)]

    def sample(
        self, scores: ArrayLike, size: int | tuple[int, ...] | None = None, *, rng: np.random.Generator
    ) -> int | np.ndarray:
        """Index of the reported candidate, shape ``size + scores.shape[:-1]``; as `Exponential.sample`."""
        if is_secure(check_rng(rng)):
            from dplit.mechanisms.exact import flip_rows  # compiled: slow to import

            return self.exact_sample(flip_rows, scores, size, rng)
        log_odds = self.log_odds(scores)
        shape = sample_shape(size, log_odds.shape[:-1])
        rows = log_odds.reshape(-1, log_odds.shape[-1])
        draws = np.empty(math.prod(shape), dtype=np.int64)
        block = max(1, BLOCK // rows.shape[-1])
        for start in range(0, len(draws), block):
            chunk = draws[start : start + block]
            which = np.arange(start, start + len(chunk)) % len(rows)
            odds = rows[which]
            chunk[:] = (rng.standard_exponential(odds.shape) + odds).argmax(axis=-1)
        return draws.reshape(shape)[()]


def _undecided(odds: np.ndarray) -> np.ndarray:
    r""":math:`\int_0^1 \prod_{i \ne r} (1 - q_i t)\,dt` for each r, shape of `odds`.

    Up to 2 x `NODES` candidates the quadrature on [0, reach] is exact. For more, let S be the
    sum of the odds. On the complex ellipse around [0, reach] with S x reach <= 40 the integrand
    is at most exp(20 + 10 (rho + 1/rho)), and rho = 8 bounds the relative error of 40 nodes by
    1e-25 (Trefethen, Approximation Theory and Approximation Practice, theorem 19.3).
    """
    times, weights = _rule(min((odds.shape[-1] + 1) // 2, NODES))
    reach = np.minimum(1.0, DECAY / odds.sum(axis=-1, keepdims=True))
    total = np.zeros_like(odds)
    for time, weight in zip(times, weights):
        log_flips = np.log1p(-odds * (reach * time))
        total += weight * np.exp(log_flips.sum(axis=-1, keepdims=True) - log_flips)
    return reach * total


@cache
def _rule(count: int) -> tuple:
    """Gauss-Legendre times and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (1 + nodes) / 2, weights / 2


def _integral(odds: list) -> Fraction:
    """Integral over [0, 1] of the product of 1 - q t, for rational q."""
    coefficients = [Fraction(1)]
    for q in odds:
        shifted = [0, *(-q * c for c in coefficients)]
        coefficients = [a + b for a, b in zip([*coefficients, 0], shifted)]
    return sum(c / (m + 1) for m, c in enumerate(coefficients))
