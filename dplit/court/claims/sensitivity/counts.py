"""Counts, split scores and vectors in both DiPriMe papers, and what replace-one changes."""

from functools import partial

from dplit import sensitivity
from dplit.court.claims.sensitivity._searched import ONE_MORE, exactly, plain, searched
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import note, private
from dplit.ground.errors import NEIGHBOURS
from dplit.mechanisms import Laplace

SPLIT = Box("thm-sensitivity-split")
VECTOR = Box("rem-laplace-per-coordinate", "sensitivity.worst_case", "mechanisms.Laplace")
REPLACED = Box("thm-replace-one")
lost = partial(note, quantity="privacy loss")
replaced = partial(note, quantity="sensitivity under replace-one")


def _one(*_):
    return 1


@SPLIT("diprime-v1/sensitivity-counts", "Section 3", "holds", "sensitivity.counts", "sensitivity.worst_case")
def counts(effort, rng):
    r"""Each class count of a leaf has sensitivity 1 and is released with noise of scale $1/\epsilon_2$, because
    under add-remove the vector of counts moves by 1 in L1 norm."""
    sizes = range(1, effort.pick(5, 6, 7))
    for k in range(2, effort.pick(4, 5, 6)):
        tally = partial(sensitivity.counts_of, classes=k)
        yield from searched(exactly, tally, _one, sizes, ((0, k - 1),), ONE_MORE, grid=k)
    return note(
        "In each of {cases} enumerations the largest change of the counts in L1 norm is 1.",
        range="add-remove, 2 and 3 classes, all leaves of up to 4 records",
        quantity="L1 distance of the counts",
    )


@SPLIT("diprime-v2/sensitivity-score", "Section 3.1", "holds", "sensitivity.split_score", "sensitivity.worst_case")
def score(effort, rng):
    r"""The split score $q(r) = -\bigl||X_a \cap [a_L, r]| - |X_a \cap [r, a_U]|\bigr|$ has
    sensitivity 1, and so has the score of a categorical split."""
    sizes = range(1, effort.pick(9, 15, 30))
    for statistic, sides in ((sensitivity.split_score_of, 2), (_closed_score_of, 3)):
        yield from searched(exactly, statistic, _one, sizes, ((0, 0),), ONE_MORE, sides=sides)
    return note(
        "In each of {cases} enumerations, with ties on one side or on both, the sensitivity is 1.",
        range="add-remove, all splits of up to 8 records, closed and open sides",
        quantity="sensitivity of the score",
    )


def _closed_score_of(records):
    """The printed score: a record on the cut itself (side 1 of 0, 1, 2) counts on both sides."""
    return -abs(sum(side <= 1 for side, _ in records) - sum(side >= 1 for side, _ in records))


def _cumulative_of(labels, thresholds):
    """How many labels are at most 0, 1, ..., thresholds - 1: each entry has sensitivity 1."""
    return tuple(sum(label <= k for label in labels) for k in range(thresholds))


def _laplace(compare, d, n, scales_of):
    """Loss of Laplace noise on d cumulative counts at epsilon 1, reached beyond both vectors."""
    worst = sensitivity.worst_case(partial(_cumulative_of, thresholds=d), n, 0, d, grid=d + 1)
    here, there = (_cumulative_of(x, d) for x in (worst.data, worst.neighbour))
    scales = [Laplace(1.0, float(reach)).scale for reach in scales_of(d, worst.value)]
    loss = sum(abs(a - b) / scale for a, b, scale in zip(here, there, scales))
    data = {"d": d, "labels": plain(worst.data), "neighbour": plain(worst.neighbour)}
    data |= {"counts": list(here), "neighbour_counts": list(there), "scales": scales}
    return compare(loss, 1.0, **data, output=[max(a, b) for a, b in zip(here, there)])


@VECTOR(
    "laplace-per-coordinate",
    {"diprime-v1": "Equation (3)", "diprime-v2": "Equation (2)"},
    "leaks",
    range="one record against none, 1 and 2 cumulative counts",
)
def per_coordinate(effort, rng, paper):
    r"""Let $\Delta_i(f)$ be the sensitivity of coordinate $i$ alone. Laplace noise of scale $\Delta_i(f)/\epsilon$
    on each coordinate $i$ makes a vector-valued query $\epsilon$-private."""

    def own(d, _):
        one = (lambda x, i=i: _cumulative_of(x, d)[i] for i in range(d))
        return [sensitivity.worst_case(f, 2, 0, d, grid=d + 1).value for f in one]

    for d in range(1, effort.pick(3, 4, 5)):
        yield _laplace(private, d, 1, own)
    return lost("{d} cumulative counts, one record against none: loss {exact:g} where 1 is claimed")


@VECTOR.corrected(per_coordinate, range="two records, 1 to 3 cumulative counts")
def whole_vector(effort, rng, paper):
    r"""Let $\Delta(f)$ be the L1 sensitivity, as both DiPriMe papers define it. Laplace noise of scale
    $\Delta(f)/\epsilon$ on every coordinate makes a query $f$ $\epsilon$-private, and no smaller common scale is
    enough."""
    for d in range(1, effort.pick(4, 5, 6)):
        yield _laplace(exactly, d, 2, lambda d, all: [all] * d)
    return lost("1 to {cases} cumulative counts: the worst loss is {stated} in each")


FAMILY = {  # statistic, its options, and how many times its sensitivity under add-remove
    "mean": (sensitivity.mean_of, {}, 1),
    "mse": (sensitivity.mse_of, {}, 1),
    "sse": (sensitivity.sse_of, {}, 1),
    "split_mse": (sensitivity.split_mse_of, {"sides": 2}, 1),
    "split_score": (sensitivity.split_score_of, {"sides": 2}, 2),
    "counts": (partial(sensitivity.counts_of, classes=2), {"grid": 2}, 2),
}


def _replaced(names, sizes, factor=None):
    """The sensitivity under replace-one beside a multiple (left out: `FAMILY`'s) of add-remove's."""
    for name in names:
        statistic, options, own = FAMILY[name]
        for n in sizes:
            one, two = (sensitivity.worst_case(statistic, n, 0, 1, relation, **options) for relation in NEIGHBOURS)
            data = {"statistic": name, "n": n, "lower": 0, "upper": 1}
            data |= {"data": plain(two.data), "neighbour": plain(two.neighbour)}
            yield exactly(two.value, (factor or own) * one.value, **data)


@REPLACED(
    "diprime-v2/replace-one-doubles",
    "Appendix A",
    "fails",
    "sensitivity.mean",
    "sensitivity.mse",
    "sensitivity.worst_case",
    range="mean and squared error of 2 to 4 records",
)
def doubles(effort, rng):
    """If the sensitivity of a statistic is the maximum change due to replacing a single data point, it is
    double the value that is reported for adding or removing one."""
    yield from _replaced(("mean", "mse"), range(2, effort.pick(5, 7, 9)), factor=2)
    return replaced("{statistic} of N={n} targets in [0, 1]: {found}, not {formula}")


@REPLACED.corrected(
    doubles,
    "sensitivity.mean",
    "sensitivity.mse",
    "sensitivity.split_score",
    "sensitivity.counts",
    range="six statistics of 2 to 5 records on [0, 1]",
)
def one_or_two(effort, rng):
    r"""For $N \ge 2$, the mean, the mean squared error (of a set or of its partition) and the sum of squared
    errors have the same sensitivity under replace-one as under add-remove. For the split score and the class
    counts the sensitivity doubles, and for no statistic does it more than double."""
    yield from _replaced(FAMILY, range(2, effort.pick(6, 7, 8)))
    return replaced("{cases} pairs of enumerations: the factor is 1 or 2 as stated")
