r"""What `dplit.matrix` draws besides a fit's noise: exact noise of a release, and noise of other shapes.

The norm of noise in d dimensions is of the gamma law with shape d (:doc:`/book/matrix_bounds`), within a few
hundredths of its mean for large d: a tenth of epsilon is seen in few draws.
"""

import math
from functools import cache, partial

import numpy as np

from dplit import matrix, trees
from dplit.court.power import laws
from dplit.court.power.drawn import Bound, Release
from dplit.court.power.releases import matrix as fits
from dplit.court.power.releases.matrix import DESIGNS, EDGES, RATE
from dplit.court.power.releases.mechanisms import exact
from dplit.domain import Categorical, Domain

RELEASED = {"identity": "geometric", "merged": "laplace", "p-identity": "laplace", "tree-norm": "tree-norm"}
SIZES = (12,) * 9  # leaves of trees that agree on their total: 100 dimensions
DIMENSION = 100
RINGS = np.arange(50, 150, 2.0)  # limits of the norm, over 1/epsilon
DRAWS, NORMS = 12_000, 2_000  # more than the tests need: a tenth of epsilon is seen, too
NOTHING_READ = ("a record counted twice",)  # what is drawn is noise alone
EPSILON, DELTA = 1.0, 1e-6
LOW = 8  # eighths of a deviation


def _exact_release(strategy, mechanism, n, rng):
    """Numbers of releases of a planned strategy, by exact samplers."""
    design, found = DESIGNS[strategy], []
    codes, classes, _ = fits.records(design)
    while len(found) < max(n, DRAWS):
        plan = fits.unfitted(strategy, design, mechanism, "training", "add-remove", rng).plan()
        one = plan.ensembles[0]
        given = codes, classes, fits.CLASSES, RATE * design.norm
        kind = "laplace" if mechanism == "laplace" else "geometric"
        answers, _ = matrix.release(one.workload, one.strategy, *given, kind, rng=exact(rng))
        _, cells = fits.cells_of(design.levels)
        leaf = trees.apply(plan.trees, cells.astype(float), None)
        answers = answers[one.workload.place][leaf + plan.trees.leaf_starts[:-1]]
        found += fits.numbers(design, mechanism, answers, leaf)
    return found


def _norm_law(rate=1.0):
    from scipy.special import gammainc

    if math.isinf(rate):
        return {i: float(i == 0) for i in range(len(RINGS) + 1)}
    below = [0.0, *gammainc(DIMENSION, rate * RINGS), 1.0]
    return dict(enumerate(np.diff(below).tolist()))


def _norms(is_exact, n, rng):
    noise, n = matrix.TreeNorm(SIZES, EPSILON), max(n, NORMS)
    if is_exact:
        drawn = noise.sample_exactly(n, rng=exact(rng)) / 2.0**noise.bits
    else:
        drawn = noise.sample(n, rng=rng)
    norms = abs(drawn.reshape(n, len(SIZES), -1)).sum(axis=2).max(axis=1)
    return np.searchsorted(RINGS, norms * EPSILON, side="right").tolist()


def _norm_bounds():
    """Chernoff's bounds on a gamma law, at 1.3 and 0.7 times its mean: e^(-d(c - 1 - log c))."""
    for times, relation in ((1.3, "at least"), (0.7, "below")):
        ring = int(np.searchsorted(RINGS, times * DIMENSION)) + 1
        members = range(ring, len(RINGS) + 1) if times > 1 else range(ring)
        yield Bound(f"a norm {relation} {times:g} times its mean,", frozenset(members),
                    math.exp(-DIMENSION * (times - 1 - math.log(times))))  # fmt: skip


def _cube_law(dimension, rate=1.0, bias=0.0):
    tail = laws.cube(dimension)
    shift = bias * math.sqrt(fits.variance(tail)) / (rate * RATE)
    return laws.decaying(rate * RATE, EDGES / RATE, tail, shift)


def _k_norm(n, rng):
    """Two trees of two leaves on four cells: their sum, and the two differences, are a cube's coordinates."""
    cells = np.array([*np.ndindex(2, 2)]).T
    leaves = np.concatenate([cells == level for level in (0, 1)])[[0, 2, 1, 3]]
    return _coordinates(matrix.KNorm(leaves.astype(float), RATE).sample(max(n, DRAWS), rng=rng), 3)


def _block_norm(n, rng):
    """Two trees of two leaves that need not agree: of each the sum and the difference, four coordinates."""
    return _coordinates(matrix.BlockNorm([2, 2], RATE).sample(max(n, DRAWS), rng=rng), 4)


def _coordinates(noise, n):
    """Of each draw one of the n coordinates, in bins: of trees of two leaves, their differences and sums."""
    first, second = noise[:, ::2], noise[:, 1::2]
    found = np.hstack([first - second, first + second])[:, :n]
    read = found[np.arange(len(found)), np.arange(len(found)) % n]
    return fits.outcomes(read, "laplace")


def _cube_bounds(dimension):
    """That a record, which moves the coordinate by 1 at most, changes no probability by more than e^epsilon."""
    beside = laws.decaying(RATE, EDGES / RATE, laws.cube(dimension), 1.0)
    members = frozenset(o for o in beside if o < 0)
    yield Bound("a low coordinate, e^epsilon times as likely as with one record more,", members,
                math.exp(RATE) * math.fsum(beside[o] for o in members))  # fmt: skip


@cache
def _sigma(epsilon):
    """Deviation for (epsilon, delta) at L2 sensitivity 1, by bisection of Balle and Wang's theorem 8."""
    from scipy.stats import norm

    def delta(s):
        near, far = 1 / (2 * s) - epsilon * s, -1 / (2 * s) - epsilon * s
        return norm.cdf(near) - math.exp(epsilon + norm.logcdf(far))

    low, high = 1e-4, 1e4
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if delta(middle) > DELTA else (low, middle)
    return high


def _gaussian_law(rate=1.0, copies=1, bias=0.0):
    from scipy.stats import norm

    unit = _sigma(EPSILON)
    sigma = 0.0 if math.isinf(rate) else _sigma(rate * EPSILON)
    x = EDGES / 2 * unit - (copies - 1) - bias * sigma
    above = norm.sf(x / sigma) if sigma else (x <= 0).astype(float)
    return laws.in_bins(above, EDGES / 2)


def _gaussian_draws(n, rng):
    """One column of two levels and one tree: both spaces have the weight 1, and each leaf noise of its own."""
    domain = Domain([Categorical([0, 1])])
    grown = trees.grow_random_trees(domain, 1, 1, rng=rng)
    workload = matrix.Workload.of(grown, n_levels=domain.n_levels)
    n = max(n, DRAWS)
    best, each = matrix.GaussianMarginals(workload), np.arange(n)
    codes = np.repeat([[0], [1]], [3 * n, 2 * n], axis=0)
    classes = np.concatenate([np.repeat(each, 3), np.repeat(each, 2)])
    released = best.release(codes, classes, n, EPSILON, DELTA, rng=rng)
    cells = np.array([[0.0], [1.0]])
    leaf = trees.apply(grown, cells, None)[:, 0]
    noise = best.answer(workload, released)[workload.place][leaf][0] - 3
    return laws.binned(noise, EDGES / 2 * _sigma(EPSILON))


def _gaussian_bounds():
    more = _gaussian_law(copies=2)
    members = frozenset(o for o in more if o < -LOW)
    beside = math.fsum(more[o] for o in members)
    yield Bound("a leaf far below the true one, e^epsilon times that with one record more, and delta,", members,
                math.exp(EPSILON) * beside + DELTA)  # fmt: skip


def registered():
    """The releases of this file."""
    for strategy, mechanism in RELEASED.items():
        yield fits.release_of(
            f"matrix.release, strategy {strategy}, exact noise", "matrix.release", f"strategy {strategy}",
            "matrix_release", mechanism, DESIGNS[strategy], partial(_exact_release, strategy, mechanism),
        )  # fmt: skip
    node, says = "norm", "from a gamma distribution whose shape is the dimension"
    for is_exact, ending in ((False, ""), (True, ", exact noise")):  # of which steps of 2^-24 are no visible part
        yield Release(f"matrix.TreeNorm, norm{ending}", "matrix.TreeNorm", node, "matrix_bounds", says,
                      _norm_law, partial(_norms, is_exact), bounds=_norm_bounds, without=NOTHING_READ)  # fmt: skip
    for kind, draw, dimension in (("KNorm", _k_norm, 3), ("BlockNorm", _block_norm, 4)):
        yield Release(f"matrix.{kind}, noise of a coordinate", f"matrix.{kind}", "noise of a coordinate",
                      "matrix_bounds",
                      f"as one coordinate of K-norm noise, where K is a cube of dimension {dimension}",
                      partial(_cube_law, dimension), draw, is_number=True, without=NOTHING_READ,
                      bounds=partial(_cube_bounds, dimension))  # fmt: skip
    yield Release("matrix.GaussianMarginals, counts of a leaf", "matrix.GaussianMarginals", "counts of a leaf",
                  "matrix_forest_experiments",
                  "Gaussian noise of the least deviation that is private at epsilon and delta",
                  _gaussian_law, _gaussian_draws, is_number=True, bounds=_gaussian_bounds)  # fmt: skip
