"""Attacks in ``dplit audit``: what a computed number tells that a real one does not. See :doc:`/book/attacks`."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from dplit.court.audit import subject
from dplit.court.audit.estimators import FreshFit
from dplit.domain import Continuous, Domain
from dplit.forests.releases import laplace_counts
from dplit.matrix.release import noisy
from dplit.mechanisms import Laplace
from dplit.neighbours import append_record

MEDIAN = "MedianForestClassifier"
ONE_TEST = {"n_estimators": 1, "max_depth": 1}
DRAWS = (160, 1000, 5000)


def inside(fitted):
    """Summary: whether the first tree is cut in the middle half of the records."""
    return bool(0 <= fitted.trees_.threshold[0] <= 1)


def below(fitted):
    """Summary: whether the first tree is cut below 1e-300."""
    return bool(fitted.trees_.threshold[0] <= 1e-300)


def _halves(n, other, domain, summary, selection="exponential"):
    """n records, half of them 0 and half of them `other`, of one class; and one more."""
    X = [[0.0 if i % 2 == 0 else other] for i in range(n)]
    added = ("add", [0.0 if n % 2 == 0 else other], 0)
    options = {"epsilon": 1.0, "domain": Domain([domain]), "selection": selection} | ONE_TEST
    return subject.fits(MEDIAN, (X, [0] * n), added, summary, DRAWS, **options)


# Very many levels --------------------------------------------------------------------------------

LIGHT, HEAVY, RATE = 1100, 1100, 4.0  # levels of one record each, records of one level, weight


def light_levels(counts, rng):
    """A set of levels drawn by its balance; how many light levels go with the heavy one."""
    from dplit.trees import subsets

    chosen = np.zeros(len(counts), dtype=bool)
    subsets.draw_even_subset(counts, int(counts.sum()), RATE, False, rng, chosen)
    return int((chosen[1:] == chosen[0]).sum())


def _light_law():
    """k light levels of one record beside a heavy one: binomial, but for the set of all levels."""
    shares = binom.pmf(np.arange(LIGHT), LIGHT, 1 / (1 + math.exp(2 * RATE)))
    return subject.Lawful(light_levels, np.array([HEAVY] + [1] * LIGHT), dict(enumerate(shares.tolist())))


@dataclass(frozen=True)
class IsFitted:
    """Mechanism that says whether a fit to ``data = (X, y)`` ends without an error."""

    estimator: object

    def __call__(self, data, rng):
        """True, or False where the data are refused."""
        try:
            FreshFit(self.estimator)(data, rng)
        except ValueError:
            return False
        return True


def _no_record():
    """No record, and one: that there is one is public, as every budget says (A6)."""
    one = np.array([[0.5]]), np.array([0])
    forest = subject.unfitted(MEDIAN, one, epsilon=1.0, **ONE_TEST)
    return subject.Pair(IsFitted(forest), (one[0][:0], one[1][:0]), one, 1.0)


def last_bit(number):
    """Place of the last bit of a number: it is an odd multiple of 2 to this power."""
    if number == 0:
        return -1075
    _, denominator = float(number).as_integer_ratio()
    return 1 - denominator.bit_length()


def count_bit(fitted):
    """Summary: the last bit of the first leaf's last count."""
    return last_bit(fitted.leaf_counts_[0, -1])


def _laplace_bits(release):
    """The last bit of what is released of one number, 0 or 1, in a table of its own."""
    bit = lambda exact, rng: last_bit(release(np.array([[exact]]), rng)[0, 0])  # noqa: E731
    return subject.BlackBox(lambda: subject.Pair(bit, 0.0, 1.0, 1.0), (2000, 10_000, 50_000))


def is_a_product(fitted, width=0.7):
    """Summary: whether some multiple of 2**-53, times `width`, rounds to the first tree's cut."""
    cut = float(fitted.trees_.threshold[0])
    if cut > width:
        return True
    middle = round(cut / width * 2**53)
    return any(math.ldexp(k, -53) * width == cut for k in range(middle - 2, middle + 3))


@dataclass(frozen=True)
class Twice:
    """Mechanism that fits two clones of one estimator, and says whether their labels differ.

    From an integer `seed` makes the `random_state` that both clones have.
    """

    estimator: object
    seed: object

    def __call__(self, data, rng):
        """`data` is a pair of data sets, one for each release."""
        from sklearn.base import clone

        template = clone(self.estimator).set_params(random_state=self.seed(int(rng.integers(2**32))))
        first, second = (clone(template).fit(*part).leaf_labels_ for part in data)
        return bool((first != second).any())


def _two_releases(seed):
    """The second data set has one record more or not; twice epsilon is declared."""

    def pair():
        rng = np.random.default_rng(0)
        X, y = rng.random((40, 1)), rng.integers(2, size=40)
        one, more = subject.arrays((X, y)), append_record(X, y, [0.5], 1)
        options = {"epsilon": 0.4, "n_estimators": 20, "max_depth": 2}
        forest = subject.unfitted("DPExtraTreesClassifier", one, **options)
        declared = 2 * forest.fit(*one).budget_.epsilon
        return subject.Pair(Twice(forest, seed), (one, one), (one, more), declared)

    return subject.BlackBox(pair, DRAWS)


def registered():
    """The subjects of this file."""
    wide, unit = Continuous(-8e307, 8e307), Continuous(0, 1)
    none, one = ([[0.5]], [0]), ("add", [0.5], 1)
    left, both = ([[0.7]], [0]), ("add", [0.3], 0)
    single, many = {"epsilon": 1.0, "n_estimators": 1}, (1000, 5000, 20_000)
    yield from subject.subjects_of({
        "very wide domain": _halves(5279, 1.0, wide, inside),
        "very wide domain, permute-and-flip": _halves(5279, 1.0, wide, inside, "permute-and-flip"),
        "records 1e-310 apart": _halves(5279, 1e-310, unit, below),
        "records 1e-310 apart, uniform": _halves(2671, 1e-310, unit, below, "uniform"),
        "last bit of a count": subject.fits("JPWClassifier", none, one, count_bit, many, max_depth=0, **single),
        "last bit of a Laplace count": _laplace_bits(lambda x, rng: laplace_counts(x, 1.0, rng)[0]),
        "last bit of a matrix release": _laplace_bits(lambda x, rng: noisy(x, Laplace(1.0), rng=rng)),
        "last bits of a cut": subject.fits(MEDIAN, left, both, is_a_product, many, max_depth=1, **single),
        "two releases, clones of a Generator": _two_releases(np.random.default_rng),
        "two releases, clones of a RandomState": _two_releases(np.random.RandomState),
        "two releases, clones of a SeedSequence": _two_releases(np.random.SeedSequence),
        "no record and one (public: the budget says so)": subject.Leak(_no_record, 1.0, lambda: (0.0, 1.0)),
    }, "attack: {}")  # fmt: skip
    yield subject.subject("attack: 1,101 levels draw their law", subject.AgainstLaw(_light_law, (60, 400, 2000)))
