r"""A valid use of smooth sensitivity for a number: Cauchy noise (Nissim et al. 2007), with its exact cost.

Noise of scale :math:`c\, S^*`, with a smooth bound :math:`S^*` that changes by at most :math:`e^{\beta}`, has an
exact cost (ours), derived in :doc:`/book/random_forest`. Student's t is Bun and Steinke's (2019).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dplit.ground import errors

LARGEST = 300.0  # of a beta, whose exponential is squared


def cauchy_loss(shift: ArrayLike, scale: ArrayLike = 1.0) -> float | np.ndarray:
    r"""Privacy loss between a Cauchy law at 0 of scale 1 and one at `shift` of another scale.

    :math:`\operatorname{arcosh}\bigl((1 + \sigma^2 + a^2)/(2\sigma)\bigr)`, the larger of both directions, which
    are equal. `shift`: a; `scale`: :math:`\sigma`, positive.
    """
    a, s = errors.check_numbers(shift, "shift", -errors.MOST, errors.MOST), _check_scale(scale)
    half = np.sqrt((a**2 + (s - 1) ** 2) / s) / 2  # sinh(loss / 2): exact for small losses
    return 2 * np.arcsinh(half)


def student_loss(shift: float, scale: float = 1.0, degrees: float = 3.0) -> float:
    r"""`cauchy_loss` for Student's t with :math:`\nu` degrees of freedom; Cauchy's law is :math:`\nu = 1`.

    The log-ratio of densities tends to :math:`-\nu \ln \sigma`, and its two extremes solve
    :math:`a z^2 + (\nu(1 - \sigma^2) - a^2) z - a\nu = 0`. At :math:`a = 0` it is
    :math:`\max(1, \nu)\,|\ln \sigma|`. :prf:ref:`thm-smooth-tails`.
    `shift`, `scale` as in `cauchy_loss`; `degrees`: positive.
    """
    a, s = np.broadcast_arrays(
        errors.check_numbers(shift, "shift", -errors.MOST, errors.MOST), _check_scale(scale)
    )
    nu = errors.check_positive(degrees, "degrees")
    b = nu * (1 - s**2) - a**2
    q = b + np.copysign(np.hypot(b, 2 * a * np.sqrt(nu)), b)
    near = np.divide(2 * a * nu, q, out=np.zeros(a.shape), where=q != 0)
    limit = -nu * np.log(s)
    inside = np.abs(near) > 1e-100  # else the other extreme is too far out to tell from the limit
    far = np.divide(-nu, near, out=np.zeros(a.shape), where=inside)

    def ratio(z: np.ndarray) -> float:
        spread = np.log1p(((z - a) / s) ** 2 / nu) - np.log1p(z**2 / nu)
        return np.log(s) + (nu + 1) / 2 * spread

    found = [limit, ratio(near), np.where(inside, ratio(far), limit)]
    return np.abs(found).max(axis=0)[()]


def student_factor(epsilon: float, beta: float, degrees: float = 3.0) -> float:
    r"""A scale, in units of a `beta`-smooth bound, at which Student's t is `epsilon`-private.

    .. math:: c = \frac{1}{2\sqrt\nu\, \sinh\frac{\epsilon - \max(1, \nu)\beta}{\nu + 1}}

    At equal scales a shift by :math:`a` costs :math:`(\nu + 1)\operatorname{arsinh}\frac{a}{2\sqrt\nu}`, and a
    change of scale :math:`\max(1, \nu)\beta` at most. A step costs no more than both together, and that much at
    :math:`\beta = 0`; for Cauchy's law `smooth_factor` is exact. :prf:ref:`thm-smooth-tails`.
    `epsilon`, `beta`: beta less than epsilon over the larger of 1 and `degrees`. `degrees`: Positive. The noise
    has a mean for more than 1, a variance for more than 2.
    """
    epsilon, beta = errors.check_positive(epsilon, "epsilon"), _check_beta(beta)
    nu = errors.check_positive(degrees, "degrees")
    left = epsilon - max(1, nu) * beta
    if left <= 0:
        raise ValueError(
            f"beta must be less than epsilon / max(1, degrees) = {epsilon / max(1, nu):g}, got {beta!r}"
        )
    return float(1 / (2 * np.sqrt(nu) * np.sinh(left / (nu + 1))))


def smooth_loss(factor: float, beta: float) -> float:
    r"""Cost of Cauchy noise of scale `factor` times a `beta`-smooth bound on the local sensitivity.

    The larger of :math:`\operatorname{arcosh}(1 + \frac{1}{2c^2})`, equal scales, and
    :math:`\operatorname{arcosh}(\cosh\beta + \frac{e^{-\beta}}{2c^2})`, scales as different as can be. In
    between it is smaller: the hyperbolic cosine is convex in the logarithm of the ratio of scales.
    :prf:ref:`thm-smooth-cauchy`. `factor`: c, positive. `beta`: At least 0. Local sensitivities and `beta`
    belong to one relation of neighbours, and so does the cost.
    """
    a = 1 / errors.check_positive(factor, "factor")
    return float(np.maximum(cauchy_loss(a), cauchy_loss(a, np.exp(_check_beta(beta)))))


def smooth_factor(epsilon: float, beta: float) -> float:
    r"""Least c for which noise of scale :math:`c\,S^*` costs `epsilon`, for a `beta`-smooth bound, beta < epsilon.

    .. math:: \frac{1}{2c^2} = \min\bigl(\cosh\epsilon - 1,\ e^{\beta}(\cosh\epsilon - \cosh\beta)\bigr)

    Nissim et al. take :math:`c = 6/\epsilon` at :math:`\beta = \epsilon/6`, about six times as much.
    """
    epsilon, beta = errors.check_positive(epsilon, "epsilon"), _check_beta(beta)
    if beta >= epsilon:
        raise ValueError(f"beta must be less than epsilon = {epsilon:g}, got {beta!r}")
    equal = 2 * np.sinh(epsilon / 2) ** 2  # cosh(epsilon) - 1
    apart = 2 * np.exp(beta) * np.sinh((epsilon + beta) / 2) * np.sinh((epsilon - beta) / 2)
    return float(1 / np.sqrt(2 * min(equal, apart)))


def free_beta(epsilon: float) -> float:
    r"""The largest beta at which smoothness costs nothing: :math:`\ln(2\cosh\epsilon - 1)`.

    Up to it `smooth_factor` is :math:`1/(2\sinh(\epsilon/2))`, what a constant sensitivity needs too.
    """
    return float(np.log1p(4 * np.sinh(errors.check_epsilon(epsilon) / 2) ** 2))


def cauchy_noise(
    bound: float,
    epsilon: float,
    beta: float,
    size: int | tuple[int, ...] | None = None,
    *,
    rng: np.random.Generator,
) -> float | np.ndarray:
    """Noise that makes a number `epsilon`-private: Cauchy's law of scale `smooth_factor` times `bound`.

    `bound`: A `beta`-smooth bound on the number's local sensitivity, at the data; `epsilon`, `beta` as in
    `smooth_factor`; `size`: left out, one draw.
    """
    size = errors.check_size(size)
    scale = errors.check_positive(bound, "bound") * smooth_factor(epsilon, beta)
    return scale * errors.check_rng(rng).standard_cauchy(size)


def student_noise(
    bound: float,
    epsilon: float,
    beta: float,
    degrees: float = 3.0,
    size: int | None = None,
    *,
    rng: np.random.Generator,
) -> np.ndarray:
    """The same by Student's t, of scale `student_factor` times `bound`.

    `bound`, `epsilon`, `beta`, `size`, `rng` as in `cauchy_noise`; `degrees` as in `student_factor`.
    """
    size = errors.check_size(size)
    scale = errors.check_positive(bound, "bound") * student_factor(epsilon, beta, degrees)
    return scale * errors.check_rng(rng).standard_t(degrees, size)


def median_smooth_sensitivity(values: ArrayLike, lower: float, upper: float, beta: float) -> float:
    r"""Smooth sensitivity of the median of an odd number of values under replace-one.

    .. math:: \max_{k \ge 0} e^{-k\beta} \max_{0 \le t \le k+1} (x_{m+t} - x_{m+t-k-1})

    for sorted values, :math:`m` the middle, and `lower` and `upper` in place of values beyond the ends. Nissim
    et al. (2007), section 3.1. `values`: between `lower` and `upper`, shape (n,), n odd; `beta`: at least 0.
    """
    x, beta = _check_values(values, lower, upper), _check_beta(beta)
    n = len(x)
    padded = np.concatenate([np.full(n + 1, lower), x, np.full(n + 1, upper)])
    m = n + 1 + n // 2
    widths = [(padded[m : m + k + 2] - padded[m - k - 1 : m + 1]).max() for k in range(n + 1)]
    return float(np.max(np.exp(-beta * np.arange(n + 1)) * widths))


def private_median(
    values: ArrayLike, lower: float, upper: float, epsilon: float, beta: float, *, rng: np.random.Generator
) -> float:
    """Median plus `cauchy_noise`, `epsilon`-private under replace-one; may fall outside the bounds.

    `values`, `lower`, `upper` as in `median_smooth_sensitivity`; `epsilon`, `beta` as in `smooth_factor`.
    """
    bound = median_smooth_sensitivity(values, lower, upper, beta)
    return float(np.median(values) + cauchy_noise(bound, epsilon, beta, rng=rng))


def _check_scale(scale: float) -> np.ndarray:
    s = errors.check_numbers(scale, "scale", -errors.MOST, errors.MOST)
    if not (s > 0).all():
        raise ValueError(f"scale must be positive, got {scale!r}")
    return s


def _check_beta(beta: float) -> float:
    return 0.0 if beta == 0 else errors.check_between(errors.check_positive(beta, "beta"), "beta", 0, LARGEST)


def _check_values(values: tuple, lower: float, upper: float) -> np.ndarray:
    errors.check_interval(lower, upper), errors.check_range(lower, upper)
    x = np.sort(errors.check_numbers(values, "values", ndim=1))
    if len(x) % 2 == 0 or not ((x >= lower) & (x <= upper)).all():
        raise ValueError(f"values must be an odd number of numbers in [{lower:g}, {upper:g}], got shape {x.shape}")
    return x
