r"""Claims of ours on Fletcher and Islam (2017) and the addendum: noise that fits smooth sensitivity."""

import math
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.linalg import eigvalsh

from dplit import random_forest
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, decisive, need, same

FAR = np.geomspace(1e-3, 1e7, 4001)
OUTCOMES = np.concatenate([-FAR, FAR])
OTHER = "rdf/requires-cauchy"
STUDENT = tuple(f"{OTHER}/corrected:{part}" for part in ("ratio", "many", "few"))
SMOOTH = tuple(f"rdf/smooth-cauchy:{part}" for part in ("ratio", "convex", "ends", "free"))
TAILS = Box("thm-smooth-tails", "random_forest.student_factor", quantity="privacy loss of Student's t")
CAUCHY = Box(
    "thm-smooth-cauchy",
    "random_forest.smooth_loss",
    "random_forest.smooth_factor",
    "random_forest.median_smooth_sensitivity",
    quantity="privacy loss",
)


def _log_ratio(log_density, z, shift, scale):
    """Of the density at 0 with scale 1 and that at `shift` with `scale`, at the outcomes `z`."""
    return log_density(z) - log_density((z - shift) / scale) + math.log(scale)


def _student(degrees):
    return lambda z: -(degrees + 1) / 2 * np.log1p(z**2 / degrees)


@TAILS(OTHER, "addendum, section 1", "fails", about="reading", proved=True, **over(OTHER))
def requires_cauchy(effort, rng):
    """Smooth sensitivity requires Cauchy noise for pure differential privacy. (Read as: no other noise suffices.
    The addendum quotes this remark; Bun and Steinke gave another noise in 2019.)"""
    yield from certified(OTHER, effort)
    words = "Student's t, of any degrees, also keeps the ratio of densities within what privacy allows, E B for a"
    return words + " shift given by E and a change of scale B ({refuted}), and some of these laws have a variance."


@TAILS.corrected(
    requires_cauchy,
    "random_forest.student_factor",
    "random_forest.student_loss",
    where="addendum, section 1",
    **over(SMOOTH[0], *STUDENT),
)
def tails_of_a_power(effort, rng):
    r"""Power-law tails suffice: for a $\beta$-smooth $S^*$ with $\beta < \epsilon/\max(1,\nu)$, noise from
    Student's t at scale $c\,S^*$ is private for $c = 1/(2\sqrt\nu\sinh\frac{\epsilon - \max(1,\nu)\beta}{\nu+1})$.
    Laplace noise is private at no $c$."""
    for name in (SMOOTH[0], *STUDENT):
        yield from certified(name, effort)
    for nu, e, beta in ((1, 1.0, 0.0), (3, 1.0, 0.2), (0.5, 0.2, 0.1)):
        shift = 1 / random_forest.student_factor(e, beta, nu)
        largest = max(random_forest.student_loss(shift, scale, nu) for scale in (1.0, math.exp(beta)))
        yield below(largest, e, degrees=nu, epsilon=e, beta=beta)
        if beta == 0:
            yield decisive(same(largest, e, degrees=nu, epsilon=e))
    for nu, shift, scale in product((0.5, 1, 3, 8), (0, 0.3, 2), (0.5, 1, 1.1, 3)):
        dense = np.abs(_log_ratio(_student(nu), OUTCOMES, shift, scale)).max()
        closed = random_forest.student_loss(shift, scale, nu)
        yield same(dense, closed, 1e-4, 1e-6, degrees=nu, shift=shift, scale=scale)
    z = np.array([10.0, 1e3, 1e5])
    laplace = _log_ratio(lambda z: -np.abs(z), z, 0.1, math.exp(0.01))
    unbounded = np.allclose(np.diff(laplace), np.diff(z) * math.expm1(-0.01))
    yield need(unbounded, laplace=laplace.tolist())
    return (
        "For all degrees of freedom, epsilon and beta, Student's t costs at most epsilon; with one degree, "
        "epsilon 1 and beta 0 it costs just 1. For Laplace noise with scales 1% apart the log-ratio at 1,000 "
        f"scales from the answer is {-laplace[1]:.1f}, and it grows in proportion to the distance."
    )


def _cauchy_loss(shift, scale):
    """Logarithm of the largest ratio of two Cauchy densities: a generalised eigenvalue."""
    above = np.array([[1, -shift], [-shift, shift**2 + scale**2]])
    return math.log(eigvalsh(above, np.eye(2))[-1] / scale)


@CAUCHY("rdf/smooth-cauchy", "section 2.2, definition 7", ours=True, **over(*SMOOTH))
def smooth_cauchy(effort, rng):
    r"""Cauchy noise of scale $c\,S^*$ with a $\beta$-smooth $S^*$ costs at most $\max(\operatorname{arcosh}(1 +
    \frac{1}{2c^2}), \operatorname{arcosh}(\cosh\beta + \frac{e^{-\beta}}{2c^2}))$, and exactly this if the largest
    shift occurs with both ratios of scales. Up to $\beta = \ln(2\cosh\epsilon - 1)$ smoothness is free."""
    for name in SMOOTH:
        yield from certified(name, effort)
    for share in (0, 0.5, 0.999):
        factor = random_forest.smooth_factor(1.0, share * random_forest.free_beta(1.0))
        yield same(factor, 1 / (2 * math.sinh(0.5)), share=share)
    for shift, scale in ((0.5, 1.0), (0.3, 1.5)):
        yield same(_cauchy_loss(shift, scale), random_forest.cauchy_loss(shift, scale), shift=shift, scale=scale)
    medians = _median_losses(0.5, random_forest.smooth_factor(1.0, 0.5), effort.pick(3, 4, 6))
    for loss in medians:
        yield below(loss, 1)
    for factor, beta in product((0.3, 6.0), (0, 0.2, 1.0)):
        k, b = 1 / factor**2, math.exp(beta)
        most = math.acosh(max(1 + k / 2, (b + 1 / b) / 2 + k / (2 * b)))
        yield same(most, random_forest.smooth_loss(factor, beta), factor=factor, beta=beta)
    return (
        "The loss is largest at an end of the range of scales, where with b = e^beta and k = 1/c^2 {statement}. "
        f"For {len(medians)} pairs of neighbouring medians it is at most {max(medians):.4f} at epsilon 1. With "
        f"the factor 6 of Nissim et al. it is {random_forest.smooth_loss(6.0, 1 / 6):.4f}."
    )


def _median_losses(beta, factor, levels):
    """Loss of the private median of three values on a grid, for all pairs of neighbours (replace-one)."""
    values = np.linspace(0, 1, levels)
    every = list(combinations_with_replacement(values, 3))
    scale = {x: factor * random_forest.median_smooth_sensitivity(x, 0, 1, beta) for x in every}
    pairs = {(x, tuple(sorted((*x[:i], v, *x[i + 1 :])))) for x in every for i in range(3) for v in values}
    return [_cauchy_loss((y[1] - x[1]) / scale[x], scale[y] / scale[x]) for x, y in pairs]
