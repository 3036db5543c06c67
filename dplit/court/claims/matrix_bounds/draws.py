"""Draws of noise that is uniform in a body times a radius: a mean of squares, and how far out the norm is."""

import math

from scipy.special import gammaincc

from dplit.court.ledger.compare import below, frequency


def drawn(noise, z, squares, truth, most, rng, reach=1.0):
    """Comparisons of the mean of some squares, cut off at `most`, and of P(norm > d), with what is true.

    A uniform number below the cut turns the mean into a probability. The norm has the gamma law of shape d, and
    a square is at most `reach` times the norm's: this bounds what the cut takes away. Returns how wide the
    interval of the mean is.
    """
    d = noise.dimension
    lost = reach * d * (d + 1) * gammaincc(d + 2, math.sqrt(most / reach))
    cut = frequency(rng.random(len(z)) * most < squares, truth / most, "<=")
    yield cut
    yield below((truth - lost) / most, cut.span[1])
    yield frequency(noise.norm(z) > d, gammaincc(d, d))
    return most * (cut.span[1] - cut.span[0])
