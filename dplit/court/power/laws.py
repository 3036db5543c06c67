r"""Laws of the textbook, as mappings from an outcome to its probability.

None of them is computed by the package's mechanisms, which they are held against. `rate` is what a unit of the
score or of the count weighs; an infinite one leaves no noise.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product

import numpy as np

OTHERS = 24  # deviations beyond which outcomes are one


def softmax(scores: Sequence[float], rate: float) -> dict[int, float]:
    r"""Exponential mechanism: candidate r with a probability in proportion to :math:`e^{rate\, s_r}`."""
    scores = np.asarray(scores, float)
    gaps = scores - scores.max()
    weights = np.where(gaps == 0, 1.0, np.exp(rate * np.where(gaps == 0, -1.0, gaps)))
    return dict(enumerate((weights / weights.sum()).tolist()))


def flip(scores: Sequence[float], rate: float) -> dict[int, float]:
    """Permute-and-flip: in a uniform order, the first candidate whose coin of exp(rate gap) shows heads.

    Summed over all orders, so that there must be few candidates. The best one's coin always shows heads.
    """
    scores = np.asarray(scores, float)
    gaps = scores - scores.max()
    heads = np.where(gaps == 0, 1.0, np.exp(rate * np.where(gaps == 0, -1.0, gaps)))
    return dict(enumerate(flipped(heads.tolist())))


def flipped(heads: Sequence) -> list:
    """Permute-and-flip where these are the chances that a candidate's coin shows heads, as fractions or floats."""
    law, orders = [Fraction(0)] * len(heads), math.factorial(len(heads))
    for order in permutations(range(len(heads))):
        passed = Fraction(1)
        for r in order:
            law[r] += passed * heads[r] / orders
            passed *= 1 - heads[r]
    return law


def two_sided(rate: float, bound: int) -> dict[int, float]:
    r"""Two-sided geometric noise: :math:`P(z) \propto e^{-rate |z|}`; from +-`bound` on all outcomes are one."""
    ratio = math.exp(-rate)
    none = (1 - ratio) / (1 + ratio)
    law = {z: none * ratio ** abs(z) for z in range(1 - bound, bound)}
    tail = ratio**bound / (1 + ratio)
    return law | {-bound: tail, bound: tail}


def gaussian(deviation: float, bound: int) -> dict[int, float]:
    r"""Discrete Gaussian noise: :math:`P(z) \propto e^{-z^2/2\sigma^2}`; beyond +-`bound` all outcomes are one."""
    if deviation == 0:
        return {z: float(z == 0) for z in range(-bound, bound + 1)}
    far = max(bound, math.ceil(OTHERS * deviation)) + 1
    weights = {z: math.exp(-0.5 * (z / deviation) ** 2) for z in range(-far, far + 1)}
    total = math.fsum(weights.values())
    return clipped({z: w / total for z, w in weights.items()}, bound)


HALF = [0.05, 0.2, 0.4, 0.7, 1.1, 1.6, 2.2, 3.0, 4.0]
EDGES = [*(-edge for edge in reversed(HALF)), *HALF]  # of bins for a noise of scale 1


def laplace(rate: float = 1.0, shift: float = 0.0, bias: float = 0.0) -> dict[int, float]:
    """How many `EDGES` Laplace noise of scale 1 over `rate` reaches; it is moved, and off by `bias` deviations."""

    def below(z):
        return math.exp(rate * z) / 2 if z < 0 else 1 - math.exp(-rate * z) / 2

    return _in_bins(below, rate, shift, bias, 2)


def normal(rate: float = 1.0, shift: float = 0.0, bias: float = 0.0) -> dict[int, float]:
    """As `laplace`, of Gaussian noise."""
    return _in_bins(lambda z: math.erfc(-rate * z / math.sqrt(2)) / 2, rate, shift, bias, 1)


def _in_bins(below, rate, shift, bias, variance):
    by = shift + bias * math.sqrt(variance) / rate
    if math.isinf(rate):
        return {i: float(i == sum(e <= by for e in EDGES)) for i in range(len(EDGES) + 1)}
    return dict(enumerate(np.diff([0.0, *(below(e - by) for e in EDGES), 1.0]).tolist()))


def clipped(law: Mapping[int, float], bound: int) -> dict[int, float]:
    """The same law with all outcomes beyond +-`bound` at `bound`."""
    found = dict.fromkeys(range(-bound, bound + 1), 0.0)
    for z, p in law.items():
        found[max(-bound, min(bound, z))] += p
    return found


def moved(law: Mapping[int, float], by: float, bound: int) -> dict[int, float]:
    """Whole numbers that are off by `by` on average: by its whole part, and by one more with what is left."""
    whole = math.floor(by)
    more = by - whole
    found = dict.fromkeys(range(-bound, bound + 1), 0.0)
    for z, p in law.items():
        for step, part in ((whole, 1 - more), (whole + 1, more)):
            found[max(-bound, min(bound, z + step))] += p * part
    return found


def deviation(law: Mapping[int, float]) -> float:
    """Standard deviation of a number."""
    mean = math.fsum(z * p for z, p in law.items())
    return math.sqrt(math.fsum((z - mean) ** 2 * p for z, p in law.items()))


def number(law: Mapping[int, float], bound: int, shift: float = 0.0, bias: float = 0.0) -> dict[int, float]:
    """A released number less the true one: noise of this law, off by `shift`, and by `bias` of its deviation.

    All outcomes beyond +-`bound` are one. The law of the noise must reach beyond it as far as it matters.
    """
    by = shift + bias * deviation(law)
    return moved(law, by, bound)


def decaying(
    rate: float, edges: Sequence[float], tail: Sequence[float] = (1.0,), shift: float = 0.0
) -> dict[int, float]:
    r"""Even noise off by `shift`, in bins as of `binned`.

    With :math:`x \ge 0` in units of ``1 / rate``, it is above x with probability
    :math:`\frac12 e^{-x}\sum_k t_kx^k`, t the `tail`: (1,) is Laplace noise, (1, 1/2) a sum of two.
    """
    x = np.asarray(edges, float) - shift
    if math.isinf(rate):
        above = (x <= 0).astype(float)
    else:
        far = rate * abs(x)
        half = np.exp(-far) * sum(t * far**k for k, t in enumerate(tail)) / 2
        above = np.where(x > 0, half, 1 - half)
    return in_bins(above, edges)


def in_bins(above: np.ndarray, edges: Sequence[float]) -> dict[int, float]:
    """The law of `binned` numbers, of which so many lie above each edge, or at it."""
    first = -int(np.searchsorted(edges, 0.0, side="right"))
    return dict(enumerate((-np.diff([1.0, *above, 0.0])).tolist(), first))


def binned(numbers: np.ndarray, edges: Sequence[float]) -> list[int]:
    """How many of increasing `edges` each number exceeds, or reaches, less those that 0 does."""
    middle = np.searchsorted(edges, 0.0, side="right")
    return (np.searchsorted(edges, np.ravel(numbers), side="right") - middle).tolist()


def summed(*laws: Mapping[int, float]) -> dict[int, float]:
    """Sum of independent whole numbers."""
    total = {0: 1.0}
    for law in laws:
        both, total = total, {}
        for (a, p), (b, q) in product(both.items(), law.items()):
            total[a + b] = total.get(a + b, 0.0) + p * q
    return total


def thinned(count: int, share: float) -> dict[int, float]:
    """How many of so many records are kept, each with this probability."""
    return {k: math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(count + 1)}


def cube(dimension: int) -> list[float]:
    r"""The tail, for `decaying`, of a coordinate of noise with a density :math:`\propto e^{-\max_i|z_i|}`.

    Such noise is R times a uniform point of a cube, R of the gamma law with shape d + 1, d the `dimension`; hence
    :math:`\Pr(Z > x) = \frac12E(1 - x/R)^+ = \frac12e^{-x}\sum_{k < d}\frac{x^k}{k!}(1 - \frac kd)`.
    """
    return [(1 - k / dimension) / math.factorial(k) for k in range(dimension)]
