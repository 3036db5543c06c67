"""Noise fit for release, in ``dplit audit``: the exact samplers against their laws, and fits that draw by them.

A generator of the secure type has a seeded source of bits here, so that the same code runs and an audit can be
repeated. Where a mechanism stands alone its generator refuses floats, too.
"""

import math
import os
import warnings
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from unittest.mock import patch

import numpy as np
from sklearn.base import clone

from dplit.court.audit.estimators import FreshFit
from dplit.court.audit.subject import AgainstLaw, BlackBox, Found, Lawful, subject, subjects_of
from dplit.court.audit.subjects import baselines, boosted, matrix_forest, median, multinomial
from dplit.domain import Categorical, Domain
from dplit.forests import HistogramForestClassifier
from dplit.matrix.treenorm import TreeNorm
from dplit.mechanisms import BoundedMean, DiscreteGaussian, Exponential, Geometric, PermuteAndFlip
from dplit.mechanisms.secure import SecureGenerator, secure_generator

SCORES = (9, 7, 4, 4)
KEY = 128  # bits of the system, at least
FAR = 12  # of noise: what is beyond is one outcome
FITTED = {  # whose fits are drawn exactly as well, and how many draws those take
    median: {
        "MedianForestRegressor draws its law, exponential": 0.5,
        "MedianForestRegressor draws its law, permute-and-flip": 0.5,
        "MedianForestClassifier draws its law, uniform column": 0.5,
        "MedianForestClassifier, add-remove": 0.5,
    },
    baselines: {
        "a tree of FSClassifier, add-remove": 0.5,
        "a tree of RGVClassifier": 0.5,
        "a tree of DPRandomForestRegressor": 0.5,
        "a tree of DPDecisionForestClassifier": 0.5,
    },
    multinomial: {"MultinomialForestClassifier, normalised scores, add-remove": 1.0},
    matrix_forest: {
        "MatrixForestClassifier draws its law, trees that agree": 0.5,
        "MatrixForestClassifier draws its law, trees that agree, replace-one": 0.5,
    },
    boosted: {"BoostedForestClassifier, add-remove": 1.0},
}


class Rounded(TypeError):
    """A float was asked for."""


class NoFloats(SecureGenerator):
    """A generator from which nothing is drawn but whole numbers."""

    def random(self, *arguments, **options):
        """An error: it is rounded."""
        raise Rounded("an exact sampler draws whole numbers alone")


def exactly(rng, kind=SecureGenerator):
    """A generator by whose type all noise is drawn exactly, from a stream of `rng`."""
    return kind(np.random.PCG64(int(rng.integers(2**63))))


@dataclass(frozen=True)
class Exactly:
    """Mechanism whose sampler is exact; of numbers those beyond `FAR` are one outcome."""

    mechanism: object

    def draw_many(self, data, size, rng):
        """`size` places of candidates of these scores, or so many noisy numbers; or that floats were drawn."""
        rng = exactly(rng, NoFloats)
        try:
            return self._drawn(data, size, rng)
        except Rounded:
            return ["rounded"] * size

    def _drawn(self, data, size, rng):
        if np.ndim(data):
            return self.mechanism.sample(data, size, rng=rng)
        return np.clip(self.mechanism.sample(np.full(size, data), rng=rng), -FAR, FAR)


def _selection(mechanism):
    law = dict(enumerate(mechanism.pmf(SCORES).tolist()))
    return Lawful(Exactly(mechanism), SCORES, law)


def _noise(mechanism):
    law = {z: float(mechanism.pmf(z)) for z in range(1 - FAR, FAR)}
    beyond = float(mechanism.pmf(np.arange(FAR, 100 * FAR)).sum())
    return Lawful(Exactly(mechanism), 0, law | {-FAR: beyond, FAR: beyond})


MECHANISMS = (
    ("permute-and-flip", _selection, PermuteAndFlip(1.0, sensitivity=3)),
    ("permute-and-flip of monotonic scores", _selection, PermuteAndFlip(0.5, monotonic=True)),
    ("exponential mechanism", _selection, Exponential(1.0, sensitivity=3)),
    ("geometric noise", _noise, Geometric(1.0, sensitivity=3)),
    ("Gaussian noise", _noise, DiscreteGaussian(2.5)),
)


# Laws by hand, at an epsilon that no rounding keeps ------------------------------------------------

ODD = 0.2137


@dataclass(frozen=True)
class Simulated(Exactly):
    """The same, drawn as a seed repeats it."""

    def draw_many(self, data, size, rng):
        """As of `Exactly`."""
        return self._drawn(data, size, rng)


def _odd_noise(draws):
    """The geometric series; the tails summed."""
    ratio = math.exp(-ODD)
    law = {k: (1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(1 - FAR, FAR)}
    beyond = ratio**FAR / (1 + ratio)
    return Lawful(draws(Geometric(ODD)), 0, law | {-FAR: beyond, FAR: beyond})


def _odd_choice(draws):
    """The exponential mechanism of scores that are far apart, so that the rate shows."""
    scores = (40, 25, 10, 0)
    weights = [math.exp(ODD * s / 2) for s in scores]
    law = {i: w / sum(weights) for i, w in enumerate(weights)}
    return Lawful(draws(Exponential(ODD)), scores, law)


def _odd_flip(draws):
    """Permute-and-flip of two candidates: the worse one comes if it is first and its coin falls so."""
    chance = math.exp(-ODD * 10 / 2) / 2
    return Lawful(draws(PermuteAndFlip(ODD)), (10, 0), {0: 1 - chance, 1: chance})


@dataclass(frozen=True)
class ExactFit(FreshFit):
    """A fit of a clone that is told to draw secure noise, from bits that a seed repeats."""

    def __call__(self, data, rng):
        """The fitted clone."""
        forest = clone(self.estimator).set_params(noise="secure")
        vars(forest)["_generator"] = partial(exactly, rng)
        return forest.fit(*data)


def _fitted(check, share):
    """The check of a subject with fits whose noise is exact."""
    draws = tuple(int(share * n) for n in check.draws)
    if isinstance(check, BlackBox):
        return BlackBox(replace(check.pair, mechanism=ExactFit), draws)

    def lawful():
        simulated = check.lawful()
        return simulated._replace(mechanism=ExactFit(simulated.mechanism.estimator))

    return AgainstLaw(lawful, draws)


def _own_keys(effort, rng):
    """Two streams of one key are one noise twice: of all that come from a secure generator no two may be alike."""
    one, other = secure_generator(), secure_generator()
    children = one.spawn(3)
    streams = [one, other, *children, *children[0].spawn(2), *children[1].spawn(2), *one.spawn(2), deepcopy(one)]
    read, write = os.pipe()
    with warnings.catch_warnings(action="ignore"):
        child = os.fork() if hasattr(os, "fork") else os.write(write, bytes(16))
    if not child:
        os.write(write, one.bit_generator.random_raw(2).tobytes())
        os._exit(0)
    bits = [os.read(read, 16), *(stream.bit_generator.random_raw(2).tobytes() for stream in streams)]
    with suppress(OSError):
        os.waitpid(child, 0)
    for bit in range(KEY):  # that it is another key where one of the system's bits is
        with patch.object(os, "urandom", lambda n, bit=bit: (1 << bit).to_bytes(max(n, KEY // 8), "little")[:n]):
            bits.append(secure_generator().bit_generator.random_raw(2).tobytes())
    alike = len(bits) - len({*bits})
    return Found(1.0, math.inf if alike else 0.0, f"{alike} of {len(bits)} streams repeat another one's bits")


def _members(effort, rng):
    """How many members of two bags of one seed drew the same noise, and how many bags may draw records."""
    from sklearn.ensemble import BaggingClassifier

    wide = HistogramForestClassifier(1e-3, domain=Domain([Categorical(range(9))]), classes=[0, 1], max_depth=1)
    bag, data = BaggingClassifier(wide, 2, bootstrap=False, random_state=0), ([[3], [5]], [0, 1])
    bags = zip(*(clone(bag).fit(*data).estimators_ for _ in range(2)))
    alike = sum(bool((one.cell_counts_ == other.cell_counts_).all()) for one, other in bags)
    let_in = 0
    for several, drawn in product((1, 2), ({"bootstrap": True}, {"bootstrap": False, "max_samples": 1})):
        with suppress(ValueError):
            member = clone(wide).set_params(records_per_person=several)
            let_in += bool(BaggingClassifier(member, 2, random_state=0, **drawn).fit(*data))
    return Found(1.0, math.inf if alike or let_in else 0.0, f"{alike} of 2 members, {let_in} of 4 bags")


def _own_noise(effort, rng):
    """How many releases give two numbers one noise, so wide that no two are alike, or 64 rows one choice."""
    zeros, widest, alike = np.zeros((4, 3), dtype=np.int64), 2.0**-40, 0
    noises, trees = (Geometric(widest), DiscreteGaussian(1 / widest)), TreeNorm([2, 3], widest)
    for draws in (rng, exactly(rng)):
        found = [noise.sample(zeros, rng=draws) for noise in noises]
        found += [BoundedMean(2.0**-20, 0, 1).sample(zeros, zeros, rng=draws)]
        found += [(trees.sample if draws is rng else trees.sample_exactly)(3, rng=draws)]
        alike += sum(len(np.unique(drawn)) < drawn.size for drawn in found)
        rows = (kind(1.0).sample(np.zeros((64, 2)), rng=draws) for kind in (PermuteAndFlip, Exponential))
        alike += sum(len(np.unique(chosen)) == 1 for chosen in rows)
    return Found(1.0, math.inf if alike else 0.0, f"{alike} of 12 releases")


def _real_scores(effort, rng):
    """How many exact choices by scores that are no whole numbers were drawn, though no sampler has their law."""
    drawn = 0
    for kind, scores in product((PermuteAndFlip, Exponential), ((0.5, 0.0), (2.5, 1.75, 0.0))):
        with suppress(ValueError):
            drawn += kind(1.0, sensitivity=0.5).sample(scores, rng=exactly(rng)) >= 0
    return Found(0.0, float(drawn), f"{drawn} of 4 draws")


def registered():
    """The subjects of this file."""
    yield subject("streams of a secure generator, keys of their own", _own_keys)
    own = {"members of a bag": _members, "released numbers": _own_noise}
    yield from subjects_of(own, "{}, noise of their own")
    yield subject("exact choices by real scores are refused", _real_scores)
    draws = (4000, 40_000, 400_000)
    checks = {n: AgainstLaw(partial(law, m), draws) for n, law, m in MECHANISMS}
    yield from subjects_of(checks, "exact {} draws its law")
    odd = {"geometric noise": _odd_noise, "exponential mechanism": _odd_choice, "permute-and-flip": _odd_flip}
    for (name, law), drawn in product(odd.items(), (Exactly, Simulated)):
        words = "exact " if drawn is Exactly else ""
        check = AgainstLaw(partial(law, drawn), draws)
        yield subject(f"{words}{name} at epsilon {ODD} draws its law", check)
    for module, names in FITTED.items():
        known = {s.name: s.check for s in module.registered()}
        for name, share in names.items():
            yield subject(f"{name}, exact noise", _fitted(known[name], share))
