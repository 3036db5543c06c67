"""The mechanisms in ``dplit audit``: exact losses of their laws, and lower bounds from their draws."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from dplit.court.audit.subject import AR, RO, BlackBox, Leak, Pair, exact_worst, subject, subjects_of
from dplit.mechanisms import Exponential, Geometric, Laplace, PermuteAndFlip, SmoothExponential
from dplit.neighbours import count_vectors


def _counts(mechanism, neighbours, epsilon=1.0):
    """A mechanism on the counts of a leaf of three classes."""

    def check(effort, rng):
        space = count_vectors(effort.pick(6, 10, 16), 3)
        return exact_worst(epsilon, mechanism, space, neighbours)

    return check


def _noise(density, epsilon=1.0):
    """A noisy count: `density` of the released number, at points around the count."""

    def check(effort, rng):
        n = effort.pick(3, 10, 30)
        points = np.arange(-20, n + 21)

        def law(count):
            return density(points - count)

        return exact_worst(epsilon, law, range(n + 1), lambda count: (count - 1, count + 1))

    return check


@dataclass(frozen=True)
class _Draws:
    """A mechanism's sampler, many draws at once."""

    mechanism: object

    def draw_many(self, data, size, rng):
        if np.ndim(data):  # scores: one candidate a draw
            return self.mechanism.sample(data, size, rng=rng)
        return self.mechanism.sample(np.full(size, data), rng=rng)


def _sampler(mechanism, data, neighbour, epsilon=1.0):
    pair = partial(Pair, _Draws(mechanism), data, neighbour, epsilon)
    return BlackBox(pair, (20_000, 200_000, 1_000_000))


def _leak(mechanism, data, neighbour, epsilon=1.0):
    """A label's sampler on two inputs: the event is the second class, and its law is the mechanism's."""
    pair = partial(Pair, _Draws(mechanism), data, neighbour, epsilon)
    chances = lambda: [float(mechanism.pmf(x)[1]) for x in (data, neighbour)]  # noqa: E731
    return Leak(pair, epsilon, chances, frozenset({1}))


def registered():
    """The subjects of this file."""
    em, pf = partial(Exponential, 1.0), partial(PermuteAndFlip, 1.0)
    smooth, tie, broken = SmoothExponential(1.0), [1, 1, 0], [1, 1, 1]
    yield from subjects_of({
        "Laplace noise on a count": _noise(Laplace(1.0).pdf),
        "geometric noise on a count": _noise(Geometric(1.0).pmf),
        "exponential mechanism, add-remove": _counts(em(monotonic=True), AR),
        "exponential mechanism, replace-one": _counts(em(), RO),
        "permute-and-flip, add-remove": _counts(pf(monotonic=True), AR),
        "permute-and-flip, replace-one": _counts(pf(), RO),
    })  # fmt: skip
    rate = "permute-and-flip, add-remove rate under replace-one"
    yield subject(rate, _counts(pf(monotonic=True), RO), "caught")
    yield subject("smooth-sensitivity label (RDF, theorem 1)", _counts(smooth, AR), "caught")
    yield from subjects_of({
        "Laplace": _sampler(Laplace(1.0), 0.0, 1.0),
        "geometric": _sampler(Geometric(1.0), 0, 1),
        "exponential": _sampler(em(monotonic=True), tie, broken),
        "permute-and-flip": _sampler(pf(monotonic=True), tie, broken),
        "smooth-sensitivity": _leak(smooth, [1, 0], [2, 0]),
    }, "{} sampler")  # fmt: skip
