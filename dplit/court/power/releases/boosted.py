"""What boosted forests and presets release: a number of records, the start, tests of a level, sums of leaves.

A release is watched within fits; what is released less the truth is in units of the noise that its node declares.
"""

import math
from contextlib import nullcontext, suppress
from functools import cache, partial

import numpy as np

from dplit.boosting.start import BINS
from dplit.court.power import laws
from dplit.court.power.drawn import Bound, Release
from dplit.court.power.sampling import Enough, binned, seed_of, until, watched
from dplit.domain import Categorical, Domain

CHAPTER, DELTA = "boosting", 1e-6
RELEASES = "forests.boosted_releases"
AT_RHO = f"{RELEASES}.concentrated_counts"
ONE = Domain([Categorical([0, 1])])
WORSE = 30  # columns that part nothing, beside the one that parts the classes
WIDE = Domain([Categorical([0, 1])] * (WORSE + 1))
MANY = list(range(50))  # classes, a record of each; their counts are released in both of
COUNTED = {"n_estimators": 2}  # rounds
FAR = 40  # a whole number's noise is told up to here
ROUNDS = 40


def fitted(kind, X, y, rng, domain=ONE, epsilon=1.0, **options):
    """A fit, and its boosted forest."""
    from dplit import forests

    schema = {"target_bounds": (0, 1)} if kind.endswith("Regressor") else {"classes": sorted(set(y))}
    shape = {"n_records": 1000, "n_estimators": 1, "max_depth": 0} | schema | options
    fit = getattr(forests, kind)(epsilon, domain=domain, **shape, random_state=seed_of(rng)).fit(X, y)
    return fit, getattr(fit, "forest_", fit)


def declared(fit, node):
    """What the budget says of a release: epsilon, and rho."""
    found = next(leaf for leaf in fit.budget_.leaves() if leaf.name == node)
    return found.epsilon, found.rho


@cache
def told(kind, node, epsilon, labels, domain, **options):
    """The same of a fit with these public numbers."""
    X = np.zeros((len(labels), len(domain)), dtype=int)
    fit, _ = fitted(kind, X, list(labels), np.random.default_rng(0), domain, epsilon, **options)
    return declared(fit, node)


def _whole(noise, rate=1.0, copies=1, bias=0.0):
    """A count of 1 less the truth, by the law of its noise at this rate."""
    return laws.number(noise(rate), FAR, copies - 1, bias)


def _geometric(epsilon, rate):
    return laws.two_sided(rate * epsilon(), 4 * FAR)


def _gaussian(rho, rate):
    return laws.gaussian(1 / math.sqrt(2 * rho()) / rate, 4 * FAR)


def _tail(law, epsilon):
    """P(|Z| >= t) = 2 e^(-epsilon t) / (1 + e^(-epsilon))."""
    t = math.ceil(2 / epsilon())
    members = frozenset(z for z in range(-FAR, FAR + 1) if abs(z) >= t)
    yield Bound(f"noise of {t} and more:", members, 2 * math.exp(-epsilon() * t) / (1 + math.exp(-epsilon())))


def _subgaussian(rho):
    """P(|Z| >= t) <= 2 e^(-t^2/(2 sigma^2)) (Canonne, Kamath and Steinke 2020)."""
    deviation = 1 / math.sqrt(2 * rho())
    t = math.ceil(2 * deviation)
    members = frozenset(z for z in range(-FAR, FAR + 1) if abs(z) >= t)
    yield Bound(f"noise of {t} and more:", members, 2 * math.exp(-((t / deviation) ** 2) / 2))


def _clip(counts):
    return np.clip(np.ravel(counts) - 1, -FAR, FAR).astype(int).tolist()


def _draw_counts(kind, call, epsilon, options, n, rng, place="forests.releases.noisy_counts"):
    """Counts of one record each, of a leaf's classes or of all bins, by these calls, a slice."""
    y = MANY if kind.endswith("Classifier") else ((np.arange(BINS) + 0.5) / BINS).tolist()
    X = np.zeros((len(y), 1), dtype=int)

    with watched(place) as seen:

        def once():
            seen.clear()
            fitted(kind, X, y, rng, epsilon=epsilon, **options)
            return _clip([released for released, *_ in seen[call]])

        return until(n, once)


def _draw_sizes(kind, epsilon, half, few, n, rng):
    """The number of records, twice `half`, less all but one; `few`: the second number, in fits that buy one."""
    y = ([0.0, 1.0] if kind.endswith("Regressor") else [0, 1]) * half
    X = np.zeros((len(y), 1), dtype=int)

    with watched(f"{RELEASES}.size", last=True) as seen:

        def once():
            seen.clear()
            with suppress(Enough):
                fitted(kind, X, y, rng, epsilon=epsilon, n_records=None)
            return _clip(seen[0][0] - len(y) + 1) if bool(seen[0][1].parts) == few else []

        return until(n, once)


def _units(noise, own, rate=1.0, copies=1, bias=0.0):
    """What is released less the truth, in units of the noise, where all records count so often."""
    return noise(rate, (copies - 1) * own(), bias)


def _draw_pairs(kind, epsilon, delta, n, rng):
    """Both sums of the only leaf of each round, from one record of each class, or at each end of the targets.

    Rounds in which the released model is so near an end that its steps matter are left out.
    """
    classes, options = kind.endswith("Classifier"), {"n_estimators": ROUNDS, "delta": delta}
    y = [1, 0] if classes else [0.0, 1.0]

    def once():
        with nullcontext() if classes else watched(f"{RELEASES}.prior_of_targets") as seen:
            fit, model = fitted(kind, [[0], [0]], y, rng, epsilon=epsilon, **options)
        spent, rho = declared(fit, "pair sums of a leaf")
        steps = model.leaf_values_.reshape(ROUNDS)
        at = model.initial_[0] + np.concatenate([[0.0], steps.cumsum()[:-1]])
        if classes:
            truth = most = np.exp(-np.maximum([at, -at], 0))
            fine = abs(at) < 3.9
        else:  # a record votes 1 and its residual in clips for up, 1 and less for down
            clip = np.minimum(1.5 * seen[0][1] * np.maximum(0.85 ** np.arange(ROUNDS), 0.6), 1)
            below, above = (np.minimum(way / clip, 1) for way in (at, 1 - at))
            truth, most, fine = 2 + np.array([above - below, below - above]), 2.0, abs(at - 0.5) < 0.49
        scale = most * (1 / spent if delta == 0 else 1 / math.sqrt(2 * rho))
        off = (model.pair_sums_.reshape(ROUNDS, 2).T - truth) / scale
        return binned(off[:, fine], laws.EDGES)

    return until(n, once)


def _beyond(bound):
    """Noise of at least the third edge from the end, 2.2 of its units, on either side."""
    edge = 3
    members = frozenset([*range(edge), *range(len(laws.EDGES) + 1 - edge, len(laws.EDGES) + 1)])
    yield Bound(f"noise of {laws.HALF[-edge]} units and more:", members, bound(laws.HALF[-edge]))


LOOSE = 0.9  # a delta with which a fit of one round pays by zero-concentrated privacy
EACH = 20  # records of a class
LABELS = [1] * EACH + [0] * EACH
TOLD = 0.485  # of one record, a start takes both ends' counts nearly as they are
# beside the column of the classes: one record of either class lies with all but one of the other's
OTHERWISE = [1] + [0] * (EACH - 1) + [1] * (EACH - 1) + [0]


def _gaps(prior, copies=1):
    r"""How far the mass of the classes' own column is above others', in what a record moves, and how likely.

    Under a start of log-odds f all of the second class have the residual min(1, e^-f) and all of the first one
    -min(1, e^f); of equal classes the masses are 2 of each apart. The start is what the noisy counts say.
    """
    eps, n = prior(), EACH
    noise = {z: p for z, p in laws.two_sided(eps, 400).items() if p > 1e-13}
    z, chance = np.array(list(noise)), np.array(list(noise.values()))
    w1, w0 = (np.maximum(count + z, 0) + 1 / eps + 1e-9 for count in (n + copies - 1, n))
    up, down = np.minimum(1, w0 / w1[:, None]), np.minimum(1, w1[:, None] / w0)
    best = (n + copies - 1) * up + n * down
    other = abs(copies * up - (n - 1) * down) + abs((n - 1) * up - down)
    weights = np.outer(chance, chance)
    return best - other, weights / weights.sum()


def _target_gaps(copies=1):
    """As `_gaps` of targets at both ends, under a start in the middle whose spread is `TOLD`."""
    upper = np.array([copies * 0.5 - (EACH - 1) * 0.5, (EACH - 1) * 0.5 - 0.5])
    return np.array([0.5 * (copies + 2 * EACH - 1) - abs(upper).sum()]) / (1.5 * TOLD), np.ones(1)


def _test_law(gaps, test, delta, rate=1.0, copies=1):
    """Whether the better test is chosen, over weighted gaps to the others."""
    gap, chance = gaps(copies=copies)
    fails = -np.expm1(-np.minimum(rate * test() / 2, 1e4) * gap)
    if delta:
        best = 1 / (1 + WORSE * (1 - fails))
    else:
        best = sum(fails**k for k in range(WORSE + 1)) / (WORSE + 1)
    good = min(1.0, float((best * chance).sum()))
    return {True: good, False: 1 - good}


def _draw_tests(kind, epsilon, options, n, rng):
    """Whether the first test parts the records; a regression whose start has another spread is left out."""
    X = np.column_stack([np.array(LABELS), *[OTHERWISE] * WORSE])
    clipped = kind.endswith("Regressor")
    y = [float(label) for label in LABELS] if clipped else LABELS

    def once():
        with watched(f"{RELEASES}.prior_of_targets") if clipped else nullcontext() as seen:
            _, model = fitted(kind, X, y, rng, WIDE, epsilon, **options)
        if clipped and abs(seen[0][1] - TOLD) > 0.01 * TOLD:
            return []
        return [bool(model.trees_.feature[0] == 0)]

    return until(n, once)


def _root(rho):
    return math.sqrt(8 * rho())


def _seldom_worse(gaps, test):
    """McSherry and Talwar (2007); permute-and-flip is no worse (McKenna and Sheldon 2020)."""
    gap, chance = gaps()
    stated = float((WORSE * np.exp(-test() / 2 * gap) * chance).sum())
    yield Bound("another column than the best:", frozenset({False}), stated)


def _of(kind):
    """The releases of one estimator."""
    classes, labels = kind.endswith("Classifier"), (0, 1) if kind.endswith("Classifier") else (0.0, 1.0)
    many = tuple(MANY)

    def entry(node, says, law, draw, mechanism="", bounds=tuple, is_number=True):
        words = f"{kind}, {node}" + (", zero-concentrated" if "rho" in says else "")
        return Release(
            words, f"forests.{kind}", node, CHAPTER, says, law, draw, is_number, mechanism, bounds or tuple
        )

    def spent(node, epsilon, y=labels, domain=ONE, **options):
        return lambda: told(kind, node, epsilon, y, domain, **options)[0]

    def rho(node, epsilon, y=labels, domain=ONE, **options):
        return lambda: told(kind, node, epsilon, y, domain, **options)[1]

    for node, share, epsilon, half in (
        ("number of records", "a hundredth", 80.0, FAR), ("number of records, again", "three hundredths", 40.0, 6)
    ):  # fmt: skip
        number = spent(node, epsilon, n_records=None)
        noise = partial(_geometric, number)
        yield entry(node, f"geometric noise at {share} of epsilon", partial(_whole, noise),
                    partial(_draw_sizes, kind, epsilon, half, half < FAR),
                    bounds=partial(_tail, noise, number))  # fmt: skip
    if classes:
        prior = spent("class counts", 30.0, many)
        yield entry("class counts", "geometric noise of rate epsilon", partial(_whole, partial(_geometric, prior)),
                    partial(_draw_counts, kind, slice(1), 30.0, {}),
                    bounds=partial(_tail, None, prior))  # fmt: skip
        leaf = spent("class counts of a leaf", 2.0, many, **COUNTED)
        yield entry("class counts of a leaf", "geometric noise of rate epsilon",
                    partial(_whole, partial(_geometric, leaf)),
                    partial(_draw_counts, kind, slice(1, None), 2.0, COUNTED), "geometric",
                    partial(_tail, None, leaf))  # fmt: skip
        loose = {"delta": LOOSE} | COUNTED
        leaf_rho = rho("class counts of a leaf", 2.1, many, **loose)
        yield entry("class counts of a leaf", "discrete Gaussian noise of variance 1/(2 rho)",
                    partial(_whole, partial(_gaussian, leaf_rho)),
                    partial(_draw_counts, kind, slice(None), 2.1, loose, place=AT_RHO), "Gaussian",
                    partial(_subgaussian, leaf_rho))  # fmt: skip
    else:
        start = spent("target counts", 30.0)
        yield entry("target counts", "geometric noise of rate epsilon",
                    partial(_whole, partial(_geometric, start)), partial(_draw_counts, kind, slice(1), 30.0, {}),
                    bounds=partial(_tail, None, start))  # fmt: skip
    pairs, rounds = "pair sums of a leaf", {"n_estimators": ROUNDS}
    own = spent(pairs, 40.0, **rounds)
    yield entry(pairs, "geometric noise whose rate is epsilon divided by a record's largest change",
                partial(_units, laws.laplace, own), partial(_draw_pairs, kind, 40.0, 0.0), "geometric",
                partial(_beyond, lambda t: math.exp(-t)))  # fmt: skip
    of_rho = rho(pairs, 40.0, delta=DELTA, **rounds)
    yield entry(pairs, "discrete Gaussian noise whose standard deviation is the largest change by one record, "
                "divided by sqrt(2 rho)", partial(_units, laws.normal, lambda: math.sqrt(2 * of_rho())),
                partial(_draw_pairs, kind, 40.0, DELTA), "Gaussian",
                partial(_beyond, lambda t: 2 * math.exp(-(t**2) / 2)))  # fmt: skip
    node, y = "test of a level", LABELS if classes else [float(label) for label in LABELS]
    for delta, epsilon, says, word in (
        (0.0, 8.0, "permute-and-flip on the masses, at the rate epsilon / (2 times a record's largest change)",
         "permute"),
        (LOOSE, 1.5 if classes else 3.7, "the exponential mechanism on the masses with epsilon = sqrt(8 rho)",
         "exponential"),
    ):  # fmt: skip
        # told of one record a fit spends half on its start, which then is near the classes' own shares
        options = {"max_depth": 1, "delta": delta, "n_records": 1}
        given = epsilon, tuple(y), WIDE
        test, root = spent(node, *given, **options), rho(node, *given, **options)
        if delta:
            test = partial(_root, root)
        gaps = partial(_gaps, spent("class counts", *given, **options)) if classes else _target_gaps
        yield entry(node, says, partial(_test_law, gaps, test, delta),
                    partial(_draw_tests, kind, epsilon, options), word,
                    partial(_seldom_worse, gaps, test), is_number=False)  # fmt: skip


def registered():
    """The releases of this file."""
    for name in ("BoostedForest", "PrivateForest"):
        for what in ("Classifier", "Regressor"):
            yield from _of(f"{name}{what}")
