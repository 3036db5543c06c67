"""What several dockets compute: exact losses and moments of noise, small releases, and both relations' losses."""

from functools import partial
from itertools import pairwise

import numpy as np
from scipy.integrate import quad

from dplit import matrix
from dplit.court.claims.matrix_paths.small import dense, forest, records
from dplit.court.ledger.certify import certified
from dplit.court.ledger.compare import RTOL, below
from dplit.loss import worst_privacy_loss
from dplit.matrix.release import ReleaseLaw, noise_for, noise_of
from dplit.mechanisms import Geometric
from dplit.neighbours import data_sets, neighbouring_data

AR, RO = "add-remove", "replace-one"
LOSSES = "m-rf/definition-2:added", "m-rf/definition-2:replaced"


def worst(A, noise, classes=2, neighbours=AR, signed=False):
    """Largest loss of A D + noise over all data sets of at most one record, by enumeration of laws."""
    reach = 2 + int(np.ceil(abs(np.asarray(A)).max()))
    law = ReleaseLaw(A, noise, classes, (-reach, reach), signed)
    near = partial(neighbouring_data, universe=law.universe, neighbours=neighbours)
    return worst_privacy_loss(law.logpmf, data_sets(law.universe, 1), near, log=True).loss


def second_moment(noise):
    """Expected square of a noise: a sum over whole numbers, or a quadrature."""
    if isinstance(noise, Geometric):
        reach = int(60 / noise.rate) + 5
        steps = np.arange(-reach, reach + 1)
        return float(steps.astype(float) ** 2 @ noise.pmf(steps))
    return 2 * quad(lambda z: z * z * noise.pdf(z), 0, 80 * noise.scale, epsabs=0, epsrel=1e-11)[0]


def advantage(gap, scale):
    """Probability, less one half, that the larger of two counts with Laplace noise stays larger."""
    law, tail = noise_for(scale, 1.0, "laplace").pdf, noise_for(scale, 1.0, "laplace").sf
    ends = [-60 * scale, -gap, 0.0, 60 * scale] if gap else [-60 * scale, 0.0, 60 * scale]
    wrong = sum(quad(lambda z: law(z) * tail(gap + z), a, b, epsabs=1e-13)[0] for a, b in pairwise(ends))
    return 0.5 - wrong


def strategies(workload):
    """The members that release whole numbers, for a workload of boxes."""
    return [matrix.member(workload, name) for name in ("identity", "per-tree", "merged")]


def small_releases(effort, rng, queries=False):
    """(epsilon, its losses under both relations, data) of forests on four cells, of one tree or two."""
    for tau, depth in ((1, 1), (2, 1), (1, 2), *effort.pick((), ((2, 2),), ((2, 2), (3, 1)))):
        asked = [records((2, 2), 2, rng)] if queries else []
        workload = matrix.Workload.of(forest((2, 2), tau, depth, rng).paths, *asked)
        for strategy in strategies(workload):
            A = dense(strategy)
            if len(A) <= effort.pick(4, 6, 8):
                losses = both_relations(strategy, A, 1.0)
                yield 1.0, *losses, {"levels": (2, 2), "strategy": strategy.name}


def both_relations(strategy, A, epsilon):
    """Losses at the add-remove noise, under add-remove and under replace-one."""
    noise = noise_of(strategy, epsilon)
    return [worst(A, noise, 2, neighbours) for neighbours in (AR, RO)]


def of_every_matrix(effort):
    """That noise of the scale of the largest column costs epsilon, and twice that where a record is replaced."""
    return certified(LOSSES, effort, broken="leaks")


def assumes_add_remove(cases):
    """Comparisons of a statement that is true under add-remove and costs more under replace-one.

    `cases` are (epsilon, loss under add-remove, loss under replace-one, data). Returns how many there are, how
    many lose all of epsilon, and the largest loss under replace-one as a multiple of it.
    """
    cases = list(cases)
    for epsilon, loss, _, data in cases:
        yield below(loss, epsilon, broken="leaks", **data)
    epsilon, _, replaced, _ = max(cases, key=lambda case: case[2] / case[0])
    yield below(replaced, epsilon)
    tight = sum(abs(loss / epsilon - 1) < RTOL for epsilon, loss, *_ in cases)
    return len(cases), tight, replaced / epsilon
