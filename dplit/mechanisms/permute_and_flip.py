"""Permute-and-flip (McKenna and Sheldon 2020), also known as one-sided noisy arg-max.

The addendum to the RDF paper calls it ROSNAM: add exponential noise to each score and report the
arg-max. Ding, Kifer, Steinke and others (2021) show that the two are the same mechanism.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from dplit.errors import check_rng
from dplit.mechanisms._selection import Selection, sample_shape

EXACT_NODES = 64  # Gauss-Legendre with m nodes integrates polynomials of degree 2m - 1 exactly


class PermuteAndFlip(Selection):
    r"""Goes through the candidates in random order, and stops at :math:`r` with probability :math:`q_r`.

    Here :math:`q_r = e^{\text{rate}\,(s_r - \max s)}`. Candidate :math:`r` is reported with
    probability :math:`q_r \int_0^1 \prod_{i \ne r} (1 - q_i t)\,dt`: let every candidate arrive at
    a uniform time, and :math:`r`, arriving at time :math:`t`, finds that each other one either
    comes later or has failed its flip. The integrand is a polynomial of degree :math:`k - 1`.

    Epsilon-private when each score has sensitivity `sensitivity`, and never more likely to err
    than the exponential mechanism at the same epsilon.
    """

    def pmf(self, scores):
        """Probability of each candidate, shape of `scores`; the last axis sums to 1.

        Exact to rounding for any number of candidates: Gauss-Legendre quadrature of a polynomial.
        """
        odds = np.exp(self.log_odds(scores))
        law = np.zeros_like(odds)
        for time, weight in _nodes(odds):
            flips = 1 - odds * time
            law += weight * flips.prod(axis=-1, keepdims=True) / flips
        return odds * law

    @staticmethod
    def rational_law(weights):
        r"""The law for rational weights ``exp(rate * score)``, as a list of fractions.

        Expands the product: :math:`q_r \sum_m \frac{(-1)^m}{m+1} e_m(q_{\ne r})` with elementary
        symmetric polynomials :math:`e_m`.
        """
        odds = [w / max(weights) for w in weights]
        return [q * _integral(odds[:r] + odds[r + 1 :]) for r, q in enumerate(odds)]

    def sample(self, scores, size=None, *, rng):
        """Index of the reported candidate, shape ``size + scores.shape[:-1]``."""
        log_odds = self.log_odds(scores)
        shape = sample_shape(size, log_odds.shape[:-1])
        k = log_odds.shape[-1]
        tiles = np.broadcast_to(log_odds, (*shape, k)).reshape(-1, k)
        block = max(1, 2**20 // k)
        cuts = [*range(0, len(tiles), block), len(tiles)]
        draws = [_noisy_argmax(tiles[a:b], check_rng(rng)) for a, b in pairwise(cuts)]
        return np.concatenate([np.empty(0, dtype=np.int64), *draws]).reshape(shape)


def _noisy_argmax(log_odds, rng):
    """Arg-max of exponential noise plus log-odds, over the last axis."""
    return (rng.standard_exponential(log_odds.shape) + log_odds).argmax(axis=-1)


def _integral(odds):
    """Integral over [0, 1] of the product of 1 - q t, for rational q."""
    coefficients = [Fraction(1)]
    for q in odds:
        shifted = [0, *(-q * c for c in coefficients)]
        coefficients = [a + b for a, b in zip([*coefficients, 0], shifted)]
    return sum(c / (m + 1) for m, c in enumerate(coefficients))


def _nodes(odds):
    """Times and weights that integrate the products of 1 - q t over [0, 1].

    Up to 2 x `EXACT_NODES` candidates one panel is exact. Beyond, the product falls like
    exp(-t sum q): panels of a few such lengths, up to where it is below 1e-26 of its start.
    """
    k = odds.shape[-1]
    if k <= 2 * EXACT_NODES:
        panels = [0.0, 1.0]
        nodes, weights = np.polynomial.legendre.leggauss((k + 1) // 2)
    else:
        totals = odds.sum(axis=-1)
        step, reach = 16 / totals.max(initial=1.0), 60 / totals.min(initial=np.inf)
        panels = np.linspace(0, min(1.0, reach), 1 + int(np.ceil(min(1.0, reach) / step)))
        nodes, weights = np.polynomial.legendre.leggauss(EXACT_NODES)
    for a, b in pairwise(panels):
        half = (b - a) / 2
        yield from zip(a + half * (nodes + 1), half * weights)
