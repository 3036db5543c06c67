"""Claims of MRF's set-up: definitions 1 and 2, equations 1 to 4, both draws, and the exponential mechanism."""

import math
from fractions import Fraction
from itertools import chain, combinations, product

import numpy as np

from dplit import multinomial
from dplit.court.claims.multinomial import small
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import below, decisive, frequency, need, note, private, same
from dplit.loss import compare_laws, privacy_loss, worst_privacy_loss
from dplit.mechanisms import Exponential
from dplit.neighbours import count_vectors, data_sets, neighbouring_data, neighbouring_pairs

SETTING = Box("thm-multinomial-setting", "multinomial.joint_law", "multinomial.sample")
MECHANISM = Box("thm-multinomial-mechanism", "multinomial.selection_law", "mechanisms.Exponential")
RELATIONS = ("add-remove", "replace-one")


@SETTING("mrf/definition-1", "Definition 1", "assumes", "loss.worst_privacy_loss", quantity="loss, two relations")
def definition_1(effort, rng):
    """The paper states privacy for neighbours "differing in one record". (The paper does not say whether a record
    is added or replaced; the loss of one mechanism can differ by a factor of two.)"""
    most, mechanism = effort.pick(30, 60, 90), Exponential(0.5, monotonic=True)
    space = count_vectors(most, 2)
    added, replaced = (worst_privacy_loss(mechanism, space, r).loss for r in RELATIONS)
    yield need(replaced <= 1.5 * added, replaced, "=", added)
    return note(
        f"the exponential mechanism on two counts loses {added:.4f} if a record is added, and "
        f"{replaced:.4f} if one is replaced",
        cases=len(space),
        range=f"all counts of up to {most} records of two labels, epsilon 1/2",
    )


def _sets(law, other):
    """Largest |log ratio| of the probabilities of any set of outcomes."""
    outcomes = range(len(law))
    sets = chain.from_iterable(combinations(outcomes, k) for k in range(1, len(law) + 1))
    ratios = [sum(law[i] for i in s) / sum(other[i] for i in s) for s in sets]
    return max(abs(math.log(r)) for r in ratios)


@SETTING("mrf/equation-1", "Equation (1)", "holds", "loss.compare_laws")
def equation_1(effort, rng):
    """If there are finitely many outputs, the inequality of differential privacy holds for every set of outputs if
    and only if it holds for every single output."""
    for _ in range(effort.pick(100, 300, 1000)):
        size = int(rng.integers(2, 7))
        laws = [Exponential.rational_law(rng.integers(1, 50, size).tolist()) for _ in range(2)]
        yield same(_sets(*laws), compare_laws(*map(np.array, laws)).loss)
    return note(
        "{cases} pairs of laws: the worst set is a single outcome",
        quantity="largest log-ratio over all sets of outcomes",
        range="100 pairs of random laws on 2 to 6 outcomes, in fractions",
    )


@SETTING("mrf/definition-2", "Definition 2; equation (2)", "holds", "mechanisms.Exponential")
def definition_2(effort, rng):
    r"""Outputting $o$ with probability proportional to $e^{\epsilon q(o)/(2\Delta q)}$ is $\epsilon$-private."""
    losses = []
    for k, far in product((2, 3, 1000), (0, 1, 60)):
        before = np.r_[0.0, np.full(k - 1, -float(far))]
        for best, others in product((-1, 1), repeat=2):  # how scores move
            after = before + np.r_[best, np.full(k - 1, others)]
            losses.append(privacy_loss(Exponential(1.0).logpmf, before, after, log=True))
            yield private(losses[-1], 1.0, met=False, k=k, far=far)
    yield need(max(losses) > 0.99, broken="loose")
    return note(
        f"For {len(losses)} pairs of scores of up to 1000 candidates the loss is at most {{exact:.4f}}.",
        quantity="privacy loss at epsilon 1",
        range="2, 3 and 1000 candidates whose scores move by 1 up or down, from three positions",
    )


@SETTING(
    "mrf/equation-3", "Equation (3)", "assumes", "neighbours.neighbouring_pairs", quantity="sensitivity of a count"
)
def equation_3(effort, rng):
    r"""The sensitivity of a score $q$ is $\max_{o, D, D'} |q(D,o) - q(D',o)|$. (As printed the maximum runs over
    all pairs of data sets; it has to run over neighbours.)"""
    most = effort.pick(6, 10, 20)
    space = [tuple(map(int, c)) for c in count_vectors(most, 2)]
    printed = max(abs(a - b) for p, q in combinations(space, 2) for a, b in zip(p, q))
    pairs = neighbouring_pairs([np.array(c) for c in space], "add-remove")
    near = int(max(np.abs(np.subtract(a, b)).max() for a, b in pairs))
    yield need(not printed > near == 1, near, "=", printed)
    return note(
        f"The counts of up to {most} records have sensitivity {printed} as printed, and {near} over neighbours.",
        cases=len(space) ** 2,
        range=f"all counts of up to {most} records of two labels, add-remove",
    )


def _between(column, y, cut):
    r"""Gini decrease of two labels from the two sides' shares, :math:`2\frac{n_l n_r}{n^2}(p_l - p_r)^2`."""
    left = [c for v, c in zip(column, y) if v <= cut]
    right = [c for v, c in zip(column, y) if v > cut]
    apart = Fraction(sum(left), len(left)) - Fraction(sum(right), len(right))
    return 2 * Fraction(len(left) * len(right), len(y) ** 2) * apart**2


def _mutual(column, y, cut):
    """Mutual information in nats of side and label: the decrease of entropy."""
    n, total = len(y), 0.0
    for side, label in product((True, False), (0, 1)):
        both = sum((v <= cut) is side and c == label for v, c in zip(column, y))
        alone = sum((v <= cut) is side for v in column) * sum(c == label for c in y)
        total += both / n * math.log(both * n / alone) if both else 0.0
    return total


@SETTING("mrf/equation-4", "Equation (4)", "holds", "multinomial.candidate_cuts", "multinomial.decreases_of")
def equation_4(effort, rng):
    r"""The impurity decrease at a node caused by a split point is the amount by which the split lowers the
    weighted impurity. The decrease is never negative: for Gini and two labels it is $2\frac{n_ln_r}{n^2}(p_l -
    p_r)^2$, and for entropy it is a mutual information."""
    for n in range(2, effort.pick(4, 5, 5) + 1):
        for column, y in product(small.columns(n), small.labellings(n)):
            X, data = np.transpose([column]), {"column": list(column), "y": list(y)}
            gini, entropy = (multinomial.decreases_of(X, y, by)[0] for by in ("gini", "entropy"))
            for i, value in enumerate(sorted(set(column))[:-1]):
                exact = _between(column, y, value)
                yield same(small.decrease(column, y, value), exact, **data)
                yield same(gini[i], exact, atol=1e-11, **data)
                yield same(entropy[i], _mutual(column, y, value), atol=1e-11, **data)
    return note(
        "In {cases} comparisons the decreases equal those by the formula for Gini or by the mutual information.",
        quantity="impurity decrease",
        range="every cut of all data of 2 to 4 records on one feature, Gini and entropy",
    )


DRAWN = ((Fraction(1, 2), Fraction(2)), (Fraction(10), Fraction(10)), (Fraction(0), Fraction(20)))


@SETTING("mrf/two-draws", "Section 3.2; algorithm 1, lines 5 to 8", intervals=3)
def two_draws(effort, rng):
    r"""MRF randomly selects a feature, scored by its best cut, by the multinomial distribution
    $\mathrm{softmax}(\frac{B_1}2\hat I)$, and then one of its cuts, the split value, by
    $\mathrm{softmax}(\frac{B_2}2\hat I^{(j)})$."""
    exact, draws = 0, effort.pick(200_000, 10**6, 10**7)
    for n in (2, effort.pick(3, 3, 4)):
        for y, chosen, node in small.nodes(n, 2):
            for budgets in DRAWN:
                ours = multinomial.joint_law(small.floats(node), *map(float, budgets))
                for ps, qs in zip(ours, small.joint(node, *budgets)):
                    exact += len(ps)
                    yield from (same(p, q, **small.shown(y, chosen)) for p, q in zip(ps, qs))
    X, y = np.array([[1, 1, 3], [2, 2, 1], [3, 1, 2], [4, 1, 2]]), (0, 1, 1, 0)
    node = [small.decreases(tuple(column), y) for column in X.T.tolist()]
    _, j, i = max((v, -j, -i) for j, cuts in enumerate(node) for i, v in enumerate(cuts))
    for budgets in DRAWN:
        both = map(float, budgets)
        features, values = multinomial.sample(multinomial.decreases_of(X, y), *both, draws, rng=rng)
        stated = small.joint(node, *budgets)[-j][-i]
        case = frequency((features == -j) & (values == -i), float(stated))
        yield decisive(case)
    low, high = case.span
    return note(
        f"{exact} probabilities equal those in decimals. In {draws:,} draws on four records at each of three "
        f"pairs of budgets the best cut is as likely as stated, in the last case between {low:.4f} and "
        f"{high:.4f}, where {{stated:.4f}} is stated.",
        quantity="probability of the best cut",
        range="all data of 2 and 3 records and 2 features; draws on 4 records and 3 features",
    )


UNIVERSE = tuple(product((0, 1, 2), (0, 1)))  # (value, label)
PUBLIC = (Fraction(1, 2), Fraction(3, 2))


def _public_law(data, budget):
    """Law over public cuts, which may lie beyond all records, in decimals."""
    column, y = [tuple(part) for part in zip(*data)] if data else ((), ())
    values = [small.decrease(column, y, cut) if data else Fraction(0) for cut in PUBLIC]
    weights = [small.decimal(Fraction(budget) * s / 2).exp() for s in small.scores(values)]
    return [float(w / sum(weights)) for w in weights]


def _observed_law(data, budget):
    """Law over the cuts that the records give, as a mapping from cut to probability."""
    column, y = zip(*data)
    found = multinomial.candidate_cuts(np.transpose([column]), y)[0]
    if not len(found.cuts):
        return {None: 1.0}
    return dict(zip(found.cuts.tolist(), multinomial.selection_law(found.decreases, budget)))


@MECHANISM("mrf/em", "Section 1; lemmas 5 and 6", "assumes", proved=True, quantity="privacy loss at B2 = 2")
def exponential_mechanism(effort, rng):
    """The multinomials are "essentially an exponential mechanism satisfying differential privacy", with
    sensitivity 1. (This holds for fixed, public candidates; for observed ones the loss is infinite.)"""
    budget, most = 2, effort.pick(4, 5, 6)
    for y in small.labellings(5):
        values = multinomial.decreases_of(np.transpose([range(5)]), y)[0]
        ours = multinomial.selection_law(values, 2.0)
        mechanism = Exponential(2.0).pmf(multinomial.normalised(values))
        for p, q in zip(ours, mechanism):
            yield same(p, q, 1e-12, 1e-8, broken="fails", y=list(y))
    space, losses = list(data_sets(UNIVERSE, most)), []
    for relation in RELATIONS:
        near = lambda data, r=relation: neighbouring_data(data, UNIVERSE, r)  # noqa: E731
        law = lambda data: _public_law(data, budget)  # noqa: E731
        losses.append(worst_privacy_loss(law, space, near).loss)
        yield below(losses[-1], budget, broken="fails", relation=relation)
    one, other = ((0, 0), (1, 1)), ((0, 0), (2, 1))
    observed = compare_laws(_observed_law(one, 2.0), _observed_law(other, 2.0)).loss
    yield need(observed <= budget, max(losses), "<=", budget)
    return note(
        "The law is that of the exponential mechanism at B2 on the scores. Its loss is at most "
        f"{max(losses):.4f} with two public cuts ({losses[0]:.4f} under add-remove), but {observed} with "
        "observed cuts of two records.",
        cases=len(space),
        range=f"all data of up to {most} records with values 0, 1, 2 and two labels, both relations",
    )
