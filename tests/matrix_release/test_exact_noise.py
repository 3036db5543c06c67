"""Exact noise for strategies without whole entries: their steps, what a record moves, the law of the noise."""

import itertools
import sys

import numpy as np
import pytest
from scipy.stats import chisquare

from dplit import Categorical, Domain, matrix
from dplit.forests import MatrixForestClassifier
from dplit.matrix.release import BITS, bits_of, measure, measured_with, noise_of
from dplit.matrix.strategies import Dense, DisjointTrees, Marginals, PIdentity
from dplit.mechanisms import Geometric
from dplit.mechanisms.secure import secure_generator

LEVELS = [2, 3, 2]
CELLS = np.array(list(itertools.product(*map(range, LEVELS))))
RNG = np.random.default_rng(0)
STRATEGIES = [
    Marginals({(0,): 1.0, (1, 2): 2.7, (): 0.3}, LEVELS),
    Marginals({(0,): 1.0, (1,): 1.0}, LEVELS),
    PIdentity(RNG.random((2, 6)), np.repeat(np.arange(6), 2), LEVELS),
    Dense(RNG.normal(size=(5, 12)), LEVELS),
    Dense(RNG.integers(-2, 3, size=(4, 12)), LEVELS),
    matrix.member(matrix.Workload.of_matrix(np.eye(12)), "identity"),
]
each = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: f"{s.name}, {s.about}")


def columns_of(strategy, bits=None):
    """A, a column for each cell: of floats, or in whole steps."""
    codes = CELLS if len(strategy.n_levels) == 3 else np.arange(12)[:, None]
    classes = np.arange(12)
    if bits is None:
        return strategy.measure(codes, classes, 12)
    return strategy.measure_whole(codes, classes, 12, bits)


@each
@pytest.mark.parametrize("bits", [4, BITS])
def test_entries_are_cut_to_steps_and_their_norm_is_that_of_the_steps(strategy, bits):
    real, whole = columns_of(strategy), columns_of(strategy, bits)
    assert whole.dtype == np.int64
    rest = real * 2.0**bits - whole
    assert (abs(rest) < 1).all() and (rest * np.sign(real) >= 0).all()
    assert abs(whole).sum(axis=0).max() == strategy.whole_norm(bits)
    assert strategy.whole_norm(bits) <= strategy.norm * 2**bits * (1 + 1e-12)


@each
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("signed", [False, True])
def test_noise_is_geometric_in_steps_of_what_a_record_moves(strategy, neighbours, signed, monkeypatch):
    """What the noise is scaled to, against all pairs of neighbours of two records."""
    asked = []
    monkeypatch.setattr(sys.modules[measure.__module__], "Geometric", Watched.at(asked))
    codes = CELLS if len(strategy.n_levels) == 3 else np.arange(12)[:, None]
    noise = noise_of(strategy, 0.7, "laplace", neighbours, 2, signed)

    def exact(rows, classes):
        def columns(table):
            return table[:, :1] - table[:, 1:] if signed else table

        return columns(strategy.measure_whole(codes[list(rows)], np.array(classes), 2, bits_of(strategy)))

    measured_with(noise, strategy, codes[:1], np.zeros(1, int), 2, lambda t: t, rng=secure_generator())
    moved = 0
    for (a, b), label in itertools.product(itertools.product(range(12), repeat=2), [0, 1]):
        if neighbours == "replace-one":
            change = exact([a], [0]) - exact([b], [label])
        else:
            change = exact([a, b], [0, label]) - exact([a], [0])
        moved = max(moved, abs(change).sum())
    assert asked == [(0.7, asked[0][1])] and moved <= asked[0][1]
    assert moved > 0.3 * asked[0][1]


class Watched(Geometric):
    """Geometric noise that notes what it was made for."""

    asked: list

    @classmethod
    def at(cls, asked):
        return type("Watched", (cls,), {"asked": asked})

    def __init__(self, epsilon, sensitivity):
        self.asked.append((epsilon, sensitivity))
        super().__init__(epsilon, sensitivity)


def test_what_is_released_has_the_law_of_its_noise():
    """Half-unit steps would show: cells of the law, in steps, against the closed form."""
    strategy, epsilon, n = Dense([[1.0, 0.37], [-0.25, 0.5]]), 0.8, 4000
    codes, classes = np.array([[0], [1], [1]]), np.zeros(3, int)
    exact = strategy.measure_whole(codes, classes, 1, BITS)
    rng = secure_generator()
    drawn = [measure(strategy, codes, classes, 1, epsilon, rng=rng)[0] * 2**BITS - exact for _ in range(n)]
    noise = np.concatenate(drawn).ravel()
    assert (noise == np.rint(noise)).all()
    law = Geometric(epsilon, strategy.whole_norm(BITS))
    edges = np.rint(np.linspace(-3, 3, 13) * law.sensitivity / epsilon)
    expected = np.diff([0.0, *law.cdf(edges - 1), 1.0])
    seen = np.bincount(np.searchsorted(edges, noise, side="right"), minlength=14)
    assert chisquare(seen, len(noise) * expected).pvalue > 1e-6


def test_exact_and_simulated_noise_have_one_variance():
    strategy, n = STRATEGIES[0], 3000
    codes, classes = CELLS[:4], np.zeros(4, int)
    spread = [
        np.std([measure(strategy, codes, classes, 1, 1.0, rng=rng)[0] for _ in range(n)], axis=0).mean()
        for rng in (secure_generator(), np.random.default_rng(1))
    ]
    assert spread[0] == pytest.approx(np.sqrt(2), rel=0.05)
    assert spread[1] == pytest.approx(spread[0], rel=0.05)


def test_records_of_disjoint_trees_are_drawn_once():
    domain = Domain([Categorical([0, 1]), Categorical([0, 1, 2])])
    forest = MatrixForestClassifier(domain=domain, classes=[0, 1], n_estimators=3, max_depth=1, random_state=0)
    plan = forest.plan()
    strategy = DisjointTrees(plan.paths)
    codes = np.array([[0, 0]] * 30)
    whole = strategy.measure_whole(codes, np.zeros(30, int), 2, 3, rng=np.random.default_rng(0))
    assert whole.sum() == 30 * 8 and strategy.whole_norm(3) == 8


def test_entries_far_above_one_fit_into_whole_numbers():
    """Steps of 2^-30 would not: the first cell's entry has 34 binary digits before the point."""
    strategy = Dense(np.array([[2.0**33 + 0.5, 0.5], [0.25, 0.25]]), [2])
    assert 2**28 <= strategy.whole_norm(bits_of(strategy)) <= 2**BITS
    noise = noise_of(strategy, 1.0, "laplace")
    found = measured_with(
        noise, strategy, np.zeros((5, 1), int), np.zeros(5, int), 2, lambda t: t, rng=secure_generator()
    )
    scale = noise.sensitivity
    assert found[0, 0] == pytest.approx(5 * 2.0**33, abs=60 * scale)
