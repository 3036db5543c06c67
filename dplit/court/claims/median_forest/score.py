"""Claims of both DiPriMe papers on how a split is chosen, and of ours; budgets are add-remove."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np

from dplit import median_forest as laws
from dplit.court.claims.median_forest._nodes import GRID, HALF_RATE, grid_losses, limit, sizes, sse
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import at_most, decisive, need, note, private, same

CANDIDATES = Box("thm-forest-candidates", "median_forest.candidates_law", "median_forest.crossed")
JOINT = Box("thm-forest-joint", "median_forest.joint_law", "median_forest.split.joint")
UNIFORM = Box("thm-forest-uniform", "median_forest.winner_law", "median_forest.split.uniform")
SCORE = Box("thm-forest-score", "median_forest.split.candidates", "sensitivity.sse")
FIRST = Box("thm-forest-first", "median_forest.split.median_first", "median_forest.split.best_first")
HALVES = [Fraction(i, 2) for i in range(3)]  # targets in the enumerations: 0, 1/2, 1


@CANDIDATES("diprime-v2/budget-exp-flip", "Section 3.1, privacy analysis", "leaks", quantity="privacy loss")
def budget_exp_flip(effort, rng):
    r"""In DiPriMeExp and DiPriMeFlip the candidate splits are on separate attributes. Therefore all medians of a
    node together cost $\epsilon_s$, a split costs $\epsilon_s + \epsilon_a$, and the tree costs
    $d_{max}(\epsilon_s + \epsilon_a) + \epsilon_\ell$."""
    many = effort.pick((2, 3), (2, 3, 4), (2, 3, 4, 5))
    losses = {
        (mechanism, columns): limit(laws.candidates_law, columns, 1.0, effort, mechanism)
        for mechanism, columns in product(laws.MECHANISMS, many)
    }
    for mechanism, columns in sorted(losses, key=losses.get, reverse=True):
        data = {"columns": columns, "mechanism": mechanism, "epsilon": 1.0, **sizes(effort, 1.0)}
        yield private(losses[mechanism, columns], 2.0, **data)
    said = ", ".join(f"K = {k} by {by} {loss:.4f}" for (by, k), loss in losses.items())
    return note(
        f"Crossed nodes at epsilon_s = epsilon_a = 1, where 2 are claimed: {said}. "
        "A leaf below adds its epsilon_l in full.",
        range="crossed nodes of two and three columns or more, both mechanisms",
    )


@JOINT.corrected(budget_exp_flip, quantity="privacy loss of a split")
def joint(effort, rng):
    r"""Let a cut have $n_L$ of $n$ records on its left and the SSE $S$, and let each column have a public base
    measure of total 1. Under add-remove and for any $K$, a column and a cut drawn together, with density $\propto
    e^{-\frac{\epsilon_s}{2}|n - 2n_L| - \epsilon_a S/R^2}$ over all columns, cost $\epsilon_s + \epsilon_a$, which
    is the paper's total. The same holds if the column is drawn by permute-and-flip on $\log Z_a$."""
    bound, many = 1 + HALF_RATE, effort.pick((2, 5), (2, 5, 20), (2, 5, 20, 100))
    near, inside, pairs = [], 0.0, 0
    for mechanism, columns in product(laws.MECHANISMS, many):
        loss = limit(laws.joint_law, columns, 1.0, effort, mechanism)
        near.append(loss)
        data = {"columns": columns, "mechanism": mechanism}
        yield need(loss > 0.99 * bound, loss, ">", 0.99 * bound, broken="leaks", **data)
        yield decisive(private(loss, bound, met=False, **data))
    for epsilon in effort.pick((0.3, 3.0), (0.3, 1.0, 3.0), (0.3, 1.0, 3.0)):
        worst, count = grid_losses(effort, epsilon)
        yield private(max(worst[1:]) / epsilon, bound, met=False, epsilon=epsilon)
        inside, pairs = max(inside, max(worst[1:]) / epsilon), pairs + count
    return note(
        f"epsilon_s = 1, epsilon_a = 1/2: crossed nodes with 2 to {many[-1]} columns cost {min(near):.4f} "
        f"to {max(near):.4f}; {pairs} pairs of grid nodes at most {inside:.4f} epsilon_s.",
        cases=pairs + len(near),
        range="crossed nodes of up to 5 columns or more, all neighbours on a small grid",
    )


@UNIFORM("diprime-v2/budget-uniform", "Section 3.1, privacy analysis", quantity="privacy loss of a split")
def uniform(effort, rng):
    r"""In DiPriMe the attribute is drawn uniformly ($\epsilon_a = 0$), so a split costs $\epsilon_s$."""
    near, worst, pairs = 0.0, 0.0, 0
    for columns in effort.pick((1, 2, 3), (1, 2, 3, 5), (1, 2, 3, 5)):
        node = laws.crossed(10**5, 160, 80, columns, (1e-60, 1e-30))
        loss = laws.removal_loss(laws.candidates_law, node, 1.0, 0.0)
        yield private(loss, 1.0, met=False, columns=columns)
        near = max(near, loss)
    yield need(near > 0.99, near, ">", 0.99, broken="leaks")
    for loss, data in _uniform_grid(effort):
        yield private(loss, 1.0, met=False, data=data)
        worst, pairs = max(worst, loss), pairs + 1
    return note(
        f"If the winner is drawn without the scores of the K candidates, a split costs at most {near:.4f} at "
        f"epsilon_s = 1 on crossed nodes, and at most {worst:.4f} over {pairs} pairs of neighbours on a small "
        "grid, since the probabilities of the losers' medians add up to 1.",
        range="crossed nodes of up to 3 columns or more, small nodes of two columns",
    )


def _uniform_grid(effort):
    """(loss, records) over small nodes of two columns, where the weight of the SSE is 0."""
    for n in range(1, effort.pick(3, 4, 5)):
        for data in combinations_with_replacement(list(product(GRID, repeat=2)), n):
            full = np.array([*data, *data])  # every record twice: cuts stay where they are
            node = laws.Node(full, np.zeros(len(full)))
            yield laws.removal_loss(laws.candidates_law, node, 1.0, 0.0), data


def _choice_losses(effort, columns=2):
    """Largest loss of a draw among columns with fixed cuts, per unit of its rate times R^2.

    All small data, each record with a side on every column and a target; the law is p_a
    proportional to e^(-rate SSE_a), from the definition, at rate 1 and 8 with R = 1.
    """
    universe, worst, cases = list(product(*[(0, 1)] * columns, HALVES)), 0.0, 0
    for size in range(effort.pick(3, 4, 5)):
        for data in combinations_with_replacement(universe, size):
            before = _scores(data, columns)
            for record in universe:
                after = _scores((*data, record), columns)
                for rate in (1.0, 8.0):
                    p, q = (np.exp(-rate * s) / np.exp(-rate * s).sum() for s in (before, after))
                    worst = max(worst, np.abs(np.log(p / q)).max() / rate)
                    cases += 1
    return worst, cases


def _scores(records, columns):
    """The SSE of each column's cut."""
    sides = ([[r[-1] for r in records if r[a] == side] for side in (0, 1)] for a in range(columns))
    return np.array([float(sum(map(sse, pair))) for pair in sides])


def _lone_loss(m, rate):
    """Loss of column 0's probability as a one joins m zeros and m ones, a unit of SSE weighing `rate`.

    Column 0 puts it with a one, column 1, which separates all others, with the zeros; in fractions.
    """
    zeros, ones = [Fraction(0)] * m, [Fraction(1)] * m
    before = sse(zeros + ones[1:]) + sse(ones[:1]), sse(zeros) + sse(ones)
    after = sse(zeros + ones[1:]) + sse(ones[:2]), sse([*zeros, Fraction(1)]) + sse(ones)
    logs = [-rate * float(s[0]) - np.logaddexp(*(-rate * float(x) for x in s)) for s in (before, after)]
    return abs(logs[0] - logs[1])


@SCORE("diprime-v1/attribute-score", "Section 3", "loose", proved=True, quantity="privacy loss, in epsilon_1")
def score(effort, rng):
    r"""Let $N_i$ be the node's own count, which is not public. Choosing among candidate splits with $\Pr(a)
    \propto e^{-\epsilon_1 N_i MSE(a)/(8B^2)}$ is $\epsilon_1$-private."""
    (worst, pairs), losses = _choice_losses(effort), {}
    for low, high in ((-1, 1), (0, 1), (1, 2)):
        rate = (high - low) ** 2 / (8 * max(abs(low), abs(high)) ** 2)
        family = _lone_loss(effort.pick(10**3, 10**4, 10**5), rate)
        losses[f"[{low}, {high}]"] = loss = max(worst * rate, family)
        yield private(loss, 1.0, targets=[low, high])
    said = ", ".join(f"{v:.4f} for targets in {k}" for k, v in losses.items())
    return note(
        f"At epsilon_1 = 1 the choice costs, over all small data and one large family of data, at most {said}.",
        cases=pairs + len(losses),
        range="all data of up to two records, and one large family",
    )


@SCORE.corrected(score, quantity="loss, in epsilon_a", range="all data of up to two records, and one large family")
def score_corrected(effort, rng):
    r"""For fixed cuts, $N_i\,MSE = SSE$ grows by less than $R^2$ with each record. Choosing with $\Pr(a) \propto
    e^{-\epsilon_a SSE(a)/R^2}$ is therefore $\epsilon_a$-private, and this bound is tight. The published choice
    costs $\epsilon_1 R^2/(8B^2)$."""
    worst, pairs = _choice_losses(effort)
    largest = effort.pick(10**3, 10**4, 10**5)
    losses = {m: _lone_loss(m, 1.0) for m in (10, 100, largest)}
    least = 1 - 2 / largest
    yield need(worst < 1, worst, "<", 1.0, broken="leaks")
    yield need(losses[largest] > least, losses[largest], ">", least)
    for m, loss in losses.items():
        yield need(loss < 1, loss, "<", 1.0, broken="leaks", zeros=m, ones=m)
    said = ", ".join(f"{loss:.5f} (m = {m})" for m, loss in losses.items())
    return note(
        f"At epsilon_a = 1 the choice costs at most {worst:.4f} over all small data; where a one joins m zeros "
        f"and m ones, it costs {said}.",
        cases=pairs + len(losses),
    )


def _one_hot_growth(counts, k):
    """How much the squared errors of one-hot classes about their mean grow as class k joins, in fractions."""
    after = [c + (i == k) for i, c in enumerate(counts)]
    return _one_hot(after) - _one_hot(counts)


def _one_hot(counts):
    """From the definition: one column of zeros and ones for each class."""
    return sum(sse([1] * c + [0] * (sum(counts) - c)) for c in counts)


@SCORE("diprime-v2/attribute-score-classes", "ours; section 3.1", "holds", "forests.MedianForestClassifier")
def score_classes(effort, rng):
    r"""For classification, score a split by the SSE of its classes as one-hot vectors. For any number of classes,
    each record adds less than 2 to this score, and the bound 2 is tight, so selection at a rate of $\epsilon_a/2$
    is $\epsilon_a$-private."""
    levels, most, nodes = range(effort.pick(5, 7, 9)), Fraction(0), 0
    for classes in (2, 3, 4):
        for counts, k in product(product(levels, repeat=classes), range(classes)):
            growth = _one_hot_growth(counts, k)
            yield need(0 <= growth < 2, growth, "<", 2.0, counts=counts, joins=k)
            most, nodes = max(most, growth), nodes + 1
    far = {m: _one_hot_growth((m, 0), 1) for m in (10, 100, 1000)}
    yield need(far[1000] > 2 - Fraction(1, 100), far[1000], ">", 1.99)
    for m, growth in far.items():
        yield need(growth < 2, growth, "<", 2.0, counts=(m, 0), joins=1)
    said = ", ".join(f"{float(growth):.4f}" for growth in far.values())
    return note(
        f"In {nodes} cases of 2 to 4 classes a record that joins adds at most {float(most):.4f} to the score; "
        f"where it joins m records of another class, it adds {said} for m = 10, 100, 1000.",
        quantity="growth of the score, a record joining 1000 of another class",
        range="all nodes of 2 to 4 classes with at most 4 records each or more",
    )


@SCORE("diprime-v1/attribute-score-algorithm", "Algorithm 3, line 52", "fails", "median_forest.split.candidates")
def score_algorithm(effort, rng):
    r"""The choice of an attribute by line 52, $\Pr(\tilde a) \propto e^{-\frac{\epsilon_1}{8B^2}|MSE_{\tilde
    a}|}$, has the probabilities that section 3 gives."""
    better, worse = sse([Fraction(-1)]) + sse([Fraction(1)]), sse([Fraction(-1), Fraction(1)])
    by_section, by_line = (worse - better) / 8, (worse - better) / 2 / 8  # B = 1, and N = 2 records
    yield same(by_line, by_section, targets=[-1, 1])
    return note(
        "For targets {targets} the log odds of a cut that separates them, against one that does not, are {stated} "
        "epsilon_1 by section 3 and {exact} epsilon_1 by line 52, which leaves out the factor N = 2.",
        quantity="log odds, in epsilon_1",
        range="one node of two records, which decides it",
    )


@SCORE.corrected(score_algorithm, "median_forest.split.candidates", quantity="log odds, in epsilon_1")
def score_algorithm_corrected(effort, rng):
    r"""With the probabilities of line 52 and any number of records, the log odds of any two attributes are at most
    $\epsilon_1 R^2/(32B^2) \le \epsilon_1/8$. The choice is therefore nearly uniform."""
    targets = (Fraction(-1), Fraction(0), Fraction(1))
    for n in range(2, effort.pick(7, 9, 11)):
        for node in combinations_with_replacement(targets, n):
            yield at_most(_widest_odds(node), Fraction(4, 32), targets=node)
    return note(
        "Largest log odds over {cases} nodes {exact} epsilon_1, met by half -1, half 1. At epsilon_1 = 1/2 "
        f"the best attribute is at most {math.exp(1 / 16):.4f} times as likely as the worst.",
        range="all nodes of 2 to 6 records or more with targets -1, 0, 1",
    )


def _widest_odds(targets):
    """Log odds of the best cut of these targets, in their order, against the worst one, by line 52; B = 1."""
    n = len(targets)
    mse = [(sse(targets[:i]) + sse(targets[i:])) / n for i in range(n + 1)]
    return (max(mse) - min(mse)) / 8


@FIRST("diprime-v2/attribute-first", "ours", quantity="range of the score at the median, in R^2")
def attribute_first(effort, rng):
    r"""Let a score choose an attribute before any cut is drawn. When a record joins, the SSE at the exact median
    (without ties) changes by an amount in $(-R^2, 2R^2)$, and this interval is tight, so this score has the rate
    $\epsilon_a/(3R^2)$. The SSE of the best cut changes by an amount in $[0, R^2)$, so that score has the rate
    $\epsilon_a/R^2$."""
    n = effort.pick(6, 8, 10)
    median, best = _score_range(n, _median_score), _score_range(n, _best_score)
    low, high = _median_extremes(effort.pick(50, 200, 500))
    for least, most in (median, (low, high)):
        yield need(-1 < least, least, ">", -1.0)
        yield need(most < 2, most, "<", 2.0)
    yield need(best[0] >= 0, best[0], ">=", 0.0)
    yield need(Fraction(1, 2) < best[1] < 1, best[1], "<", 1.0)
    yield need(low < -0.95, low, "<", -0.95)
    yield need(high > 1.95, high, ">", 1.95)
    yield need(high - low < 3, high - low, "<", 3.0)
    return note(
        f"As a record joins and makes up to {n}, it changes the score at the median by {float(median[0]):.4f} "
        f"to {float(median[1]):.4f} and that of the best cut by {float(best[0]):g} to {float(best[1]):.4f}; in a "
        f"family of larger data it changes the score at the median by {float(low):.4f} and by {float(high):.4f}.",
        range="all targets 0 and 1 of up to 5 records or more without ties, and one family",
    )


def _score_range(n, score):
    """Least and largest change of a column's score as a record joins anywhere, over small data without ties."""
    low = high = Fraction(0)
    for size in range(n):
        for targets in product((0, 1), repeat=size):
            before = score(targets)
            for place in range(size + 1):
                for y in (0, 1):
                    change = score((*targets[:place], y, *targets[place:])) - before
                    low, high = min(low, change), max(high, change)
    return low, high


def _median_score(targets):
    """SSE of the halves, the left one being the smaller."""
    half = len(targets) // 2
    return sse(targets[:half]) + sse(targets[half:])


def _best_score(targets):
    return min(sse(targets[:i]) + sse(targets[i:]) for i in range(len(targets) + 1))


def _median_extremes(m):
    """Changes of `_median_score` on 2m records that tend to -1 and 2."""
    low = _median_score((1, *[1] * (m - 1), 0, *[0] * m)) - _median_score((*[1] * (m - 1), 0, *[0] * m))
    high = _median_score((1, *[0] * m, *[1] * m)) - _median_score((*[0] * m, *[1] * m))
    return low, high
