"""Claims on what a boosted forest costs: sensitivities, rounding, adaptivity, and the loss of small fits.

The references are enumerations of small data sets, and the forest's own compiled sums on neighbouring ones.
"""

import math
from itertools import combinations_with_replacement, product

import numpy as np

from dplit import Categorical, Continuous, Domain, boosting
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import at_most, below, decisive, need, private, same
from dplit.neighbours import neighbouring_data

MASS = Box("thm-boosting-mass", "boosting.mass", "boosting.class_reach", quantity="a record's change, in steps")
ROUNDING = Box(
    "thm-boosting-rounding",
    "boosting.class_residuals",
    quantity="L1 norm of a record's residuals, in steps",
    range="3 to 30 classes",
)
WEIGHTS = Box("thm-boosting-weighted", "boosting.class_residuals", quantity="a residual and the slope")
ADAPTIVE = Box("thm-boosting-adaptive", "boosting.worst_change")
BUDGET = Box("thm-boosting-budget", "boosting.worst_loss", "budget.Sequence")
CERTAIN = 800.0  # log-odds at which a share is 0 steps or all of them


TURNED = "ours/mass-two:most", "ours/mass-two:least"


def _attained(residuals, bound, spare, **data):
    """That the largest L1 norm of a record's residuals is at most `bound`, and by at most `spare` steps less."""
    most = max(int(np.abs(r).sum()) for r in residuals)
    yield decisive(at_most(most, bound, **data))
    yield need(bound - most <= spare, most, ">=", bound - spare, **data)


def _at_ends(low, high, n_classes):
    """Residuals of a record of each class whose scores are at their ends."""
    corners = (low, high) if n_classes == 2 else map(np.array, product(*zip(low, high)))
    for scores, code in product(corners, range(n_classes)):
        yield boosting.class_residuals(np.array([scores]), np.array([code]))


@MASS(
    "ours/mass-two",
    "ours",
    "holds",
    "boosting.mass",
    "boosting.class_reach",
    "boosting.target_residuals",
    **over(*TURNED, "ours/mass-two:even", "ours/mass-two:likely"),
)
def two_classes(effort, rng):
    r"""For two classes, and for targets in a public interval, one record changes the mass of a test by
    at most 1 under any model. If the odds of the second class lie between $o_-$ and $o_+$, a record of
    that class changes it by at most $\min(1, 1/o_-)$ and a record of the first class by at most $\min(1,
    o_+)$. Some record attains each bound, up to the step that is added for rounding."""
    yield from certified((*TURNED, "ours/mass-two:even", "ours/mass-two:likely"), effort, broken="fails")
    for low, high in ((0.0, 0.0), (-1.0, 0.5), (0.4, 1.0), (-CERTAIN, -2.0), (-CERTAIN, CERTAIN)):
        reach, ends = boosting.class_reach(low, high), list(_at_ends(low, high, 2))
        for bound, sign in ((reach.mass, 0), (reach.up, 1), (reach.down, -1)):
            parts = [np.maximum(sign * r, 0) if sign else r for r in ends]
            yield from _attained(parts, bound, 1, low=low, high=high)
    for clip in (0.1, 1.0):
        ends = [np.array(pair) for pair in product((0.0, 1.0), repeat=2)]
        residuals = (boosting.target_residuals(*pair[:, None], clip) for pair in ends)
        yield from _attained(residuals, boosting.STEPS, 1, clip=clip)
    return "Every sum moves by the residual's size at most, and a record attains {exact:.0f} of {stated:.0f} steps"


WEIGHTED = tuple(f"ours/weighted:{part}" for part in ("mean", "curvature", "variance", "above"))


@WEIGHTS("ours/weighted", "ours", **over(*WEIGHTED))
def weighted(effort, rng):
    r"""For two classes, let the model give the second class the probability $p$ in a cell where its share is $q$.
    The mean of the cell's weighted residuals has the sign of $q - p$ and is 0 if $q = p$. In that case half the
    sum of the two parts has the mean $\min(p, 1 - p)$, which is minus the mean residual's derivative in the
    log-odds, and the variance of a residual is between one and two times $\min(p, 1 - p)$. The residuals are minus
    the derivative of the loss $1 - f$ for $f < 0$ and $e^{-f}$ otherwise, where $f$ is the log-odds of a record's
    own class."""
    yield from certified(WEIGHTED, effort, broken="fails")
    for score in (-3.0, -0.4, 0.0, 0.7, 5.0):
        for code, own in ((1, score), (0, -score)):
            ends = [math.exp(-at) if at >= 0 else 1 - at for at in (own - 1e-5, own + 1e-5)]
            slope = (ends[1] - ends[0]) / 2e-5 * (1 if code else -1)
            found = boosting.class_residuals(np.array([score]), np.array([code])).item() / boosting.STEPS
            yield need(abs(found + slope) <= 2 / boosting.STEPS, found, "=", -slope, score=score, code=code)
    return "The formulas are proved; in one case the mean residual is {exact:.4g}, and (q - p)/p is {stated:.4g}."


ENDS = (  # of the scores of more than two classes
    ((0.0,) * 3, (0.0,) * 3),
    ((-1.0, 0.0, 0.5), (0.0, 1.0, 0.5)),
    ((-CERTAIN, 0.0, 0.0), (0.0, 0.0, CERTAIN)),
    ((0.0,) * 4, (0.0, 0.0, 1.0, CERTAIN)),
)


@MASS("ours/mass-many", "ours", **over(*TURNED, "ours/mass-many"))
def many_classes(effort, rng):
    r"""For $K > 2$ classes one record changes the mass by at most $2(1 - p_-)$, where $p_-$ is the least
    probability that the model can give to a record's own class. Some record attains this up to $K + 2$ steps. The
    bound is 2 if the model excludes that class, and $2(1 - \min_k p_k)$ if the model knows only the class
    frequencies."""
    yield from certified((*TURNED, "ours/mass-many"), effort, broken="fails")
    for low, high in ENDS:
        bound = boosting.class_reach(np.array(low), np.array(high)).mass
        yield from _attained(_at_ends(low, high, len(low)), bound, 4 + 2, low=low, high=high)
    return "Every sum moves by its residual's size at most, and a record attains {exact:.0f} of {stated:.0f} steps"


@MASS(
    "ours/mass-clipped",
    "ours",
    "holds",
    "boosting.clipped",
    "boosting.class_reach",
    **over(*TURNED, "ours/mass-clipped"),
)
def clipped_classes(effort, rng):
    """Let the residuals for $K > 2$ classes be scaled down to at most $c$ for a record's own class and rounded
    towards 0. Then one record changes the mass of a test by at most $2c$. If the model gives a record's own class
    a probability below $1 - c$, the record can attain this bound, up to one step per class."""
    yield from certified((*TURNED, "ours/mass-clipped"), effort, broken="fails")
    for (low, high), clip in product(ENDS, (boosting.CLIP, 20_001)):
        data = {"low": low, "high": high, "clip": clip}
        yield same(boosting.class_reach(np.array(low), np.array(high), clip).mass, 2 * clip, **data)
        residuals = (boosting.clipped(r, clip) for r in _at_ends(low, high, len(low)))
        yield from _attained(residuals, 2 * clip, 4, **data)
    return "Scaled, a record's residuals attain {exact:.0f} of {stated:.0f} steps and never exceed them"


@ROUNDING("ours/rounding", "ours")
def rounding(effort, rng):
    r"""If class probabilities are rounded down to $P_k$ steps, with $S$ steps for 1, a record's residuals have an
    L1 norm of at most $2(S - P_y)$, where $y$ is the record's own class; this is at most $2S$ for any number of
    classes. If probabilities are rounded to the nearest step, the norm can be larger."""
    nearest, models, limit = 0, 0, 2 * boosting.STEPS
    for k in (3, 4, 7, 30):
        codes = np.arange(k)  # of each class in turn; r_y is S - P_y
        for odd, shift in product(range(1, k), (0.0, 1e-9, 0.3)):
            # class 0 is excluded; some of the others lie half a step above a whole one
            weights = np.full(k, (boosting.STEPS + shift) / (k - 1))
            weights[:odd] += 0.5
            weights[0] = 1e-300
            shares = weights / weights.sum() * boosting.STEPS
            rounded = [int(np.floor(s + 0.5)) for s in shares]
            nearest = max(nearest, boosting.STEPS - rounded[0] + sum(rounded[1:]))
            models += 1
            every = boosting.class_residuals(np.repeat(np.log(weights)[None, :], k, axis=0), codes)
            norms = abs(every).sum(axis=1)
            yield decisive(below(norms[0], limit, classes=k, odd=odd, shift=shift))
            for norm, own in zip(norms, every[codes, codes]):
                yield below(norm, 2 * own, classes=k, odd=odd, shift=shift)
    yield need(nearest > limit, nearest, ">", limit)
    return (
        f"{models} models that exclude the record's class: at most {{exact:.0f}} of {{stated:.0f}} steps; to "
        f"the nearest step {nearest}."
    )


FINE = 2  # into 2**2 bins each leaf is parted
MIXED = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Continuous(-2, 1)])


def _released(grid, tests, X, residuals, shift):
    """Pair sums of the leaves of a tree with these tests, by the forest's own compiled sums."""
    from dplit.trees.oblivious import descend, descend_to_bins, pair_sums

    codes, cells, column = grid.encode(X), np.zeros(len(X), dtype=np.uint8), 0
    for test in tests:
        descend(codes, test, cells)
        column = test.column
    bins, _ = grid.fine(column, FINE)
    descend_to_bins(codes, column, bins, FINE, cells)
    return pair_sums(residuals.astype(np.int32), cells, 2 ** (len(tests) + FINE), shift)


@ADAPTIVE(
    "ours/one-term",
    "ours",
    quantity="L1 distance of the pair sums of neighbours, in steps",
    range="up to 29 records, two to four classes, up to three tests, four bins of a column",
)
def one_term(effort, rng):
    """Given what has been released, one more record changes the sums of only one leaf, and it changes them by its
    own residuals, however finely public bins divide the leaves."""
    from dplit.trees.oblivious import Grid

    grid, pairs = Grid(MIXED, 16), effort.pick(40, 200, 1000)
    for _ in range(pairs):
        n, k = int(rng.integers(1, 30)), int(rng.integers(2, 5))
        X = np.column_stack([rng.random(n), rng.integers(3, size=n), rng.uniform(-2, 1, n)])
        y, outputs = rng.integers(k, size=n), 1 if k == 2 else k
        scores = rng.normal(scale=3, size=(n, outputs))
        sums = np.zeros((1, grid.starts[-1], outputs), dtype=np.int64)
        masses, pick = grid.masses(sums, rng)
        tests = [pick(int(rng.integers(len(masses)))) for _ in range(int(rng.integers(4)))]
        residuals = boosting.class_residuals(scores[:, 0] if k == 2 else scores, y)
        whole = _released(grid, tests, X, residuals, 0)
        less = _released(grid, tests, X[1:], residuals[1:], 0)
        moved = np.abs(whole - less)
        leaves = int(moved.any(axis=(0, 2)).sum())
        yield need(leaves <= 1, leaves=leaves, n=n, classes=k)
        yield same(moved.sum(), boosting.worst_change(residuals[0]), n=n, classes=k)
    return f"In {pairs} pairs of neighbours one leaf changes at most, in the last pair by {{exact:.0f}} steps."


def _sets(universe, n):
    return [c for size in range(n + 1) for c in combinations_with_replacement(universe, size)]


def _worst(universe, signs, n, model, rounds, neighbours):
    """Largest loss over pairs of data sets of at most n records and the stretched one; how many pairs."""
    pairs = {
        tuple(sorted((data, other), key=lambda d: (len(d), d)))
        for data in _sets(universe, n)
        for other in neighbouring_data(data, universe, neighbours)
        if len(other) <= n
    } | {boosting.stretched(*signs, neighbours)}
    return max(boosting.worst_loss(*pair, rounds, model) for pair in pairs), len(pairs)


@BUDGET("ours/rounds-loss", "ours", quantity="privacy loss", **over("ours/rounds-loss"))
def rounds_loss(effort, rng):
    r"""In each of $T$ rounds of boosting, let the tests cost $\epsilon_s$ and the leaves cost $\epsilon_v$. The
    rounds are together $T(\epsilon_s + \epsilon_v)$-private under add-remove, and cost twice that under
    replace-one, although each round reads residuals of a model that the earlier rounds have released. Under
    add-remove, some data attain this bound for any $T$, up to the step that is kept for rounding."""
    yield from certified("ours/rounds-loss", effort, broken="leaks")
    level, leaf, n = 0.6, 0.8, effort.pick(2, 2, 3)
    two, three = (boosting.SmallClasses(np.zeros((3, k)), level, leaf) for k in (1, 3))
    clipped = boosting.SmallClasses(np.zeros((3, 3)), level, leaf, clip=0.5)
    targets = boosting.SmallTargets(np.full((3, 1), 0.4), level, leaf, clip=0.2)
    settings = (
        ("two classes", (0, 1), ([1], [0]), two),
        ("three classes", (0, 1, 2), ([0], [1, 2]), three),
        ("three classes, clipped", (0, 1, 2), ([0], [1, 2]), clipped),
        ("targets", (0.0, 0.4, 1.0), ([1.0], [0.0]), targets),
    )
    shown, pairs = [], 0
    for name, kinds, signs, model in settings:
        universe = list(product(range(effort.pick(2, 3, 3)), kinds))  # of three cells
        for neighbours, rounds in product(("add-remove", "replace-one"), (1, 2)):
            loss, count = _worst(universe, signs, n + 1 - rounds, model, rounds, neighbours)
            budget = (1 + (neighbours == "replace-one")) * rounds * (level + leaf)
            pairs += count
            data = {"targets": name, "neighbours": neighbours, "rounds": rounds}
            yield private(loss, budget, met=False, share=loss / budget, **data)
            if neighbours == "add-remove":
                least = budget * (1 - 1e-4)
                yield need(loss >= least, loss, ">=", least, **data)
                shown.append(f"{loss / budget:.0%} for {name} with T = {rounds}")
    return (
        f"The likelihood ratios of rounds multiply, and {pairs} pairs of neighbours lose at most {{share:.2%}} of "
        f"the budget. Under add-remove the worst pair loses {'; '.join(shown)}."
    )
