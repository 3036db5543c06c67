"""How budgets add up (DiPriMe v1, section 2.1; v2, section 2; RDF, definition 2)."""

from itertools import product

import numpy as np

from dplit.budget import Bootstrap, Concentrated, Converted, Group, Parallel, Sequence, Spend
from dplit.court.claims.mechanisms._laws import RDF, V1, V2, loss
from dplit.court.ledger.box import Box
from dplit.court.ledger.certify import certified, over
from dplit.court.ledger.compare import below, private, same
from dplit.mechanisms import Geometric, PermuteAndFlip

COMPOSITION = Box("thm-composition", "budget.Sequence", quantity="privacy loss")
ALL, APART = ([f"{kind}-composition:{end}" for end in ("most", "least")] for kind in ("sequential", "parallel"))


@COMPOSITION("sequential-composition", {V1: "Section 2.1", V2: "Section 2", RDF: "definition 2"}, **over(*ALL))
def sequential(effort, rng, paper):
    r"""Mechanisms that are each $\epsilon_i$-private are together $\sum_i\epsilon_i$-private."""
    for name in ALL:
        yield from certified(name, effort, broken="leaks")
    first, second = 1.0, 3.0
    stated = Sequence("both", [Spend("number", first), Spend("label", second)]).epsilon
    for counts in product(range(effort.pick(2, 5, 8)), repeat=2):
        for neighbour in ((counts[0] + 1, counts[1]), (counts[0], counts[1] + 1)):
            laws = (_noisy_number_then_label(c, first, second) for c in (counts, neighbour))
            yield private(loss(*laws), stated, counts=list(counts), neighbour=list(neighbour))
    words = "If the outputs have likelihood ratios f and g, the second given the first, within H = e^epsilon_1 and"
    return words + " K = e^epsilon_2, both together are within H K: {statement}."


STEPS = "group", "group-rho", "sequence", "parallel"
PARTS = (*STEPS, "pure", "bootstrap-none", "bootstrap-near", "bootstrap-far")
NODES = tuple(f"rdf/budget-nodes:{part}" for part in PARTS)


@COMPOSITION("rdf/budget-nodes", "ours", "holds", "budget.Group", "budget.Bootstrap", proved=False, **over(*NODES))
def nodes(effort, rng):
    r"""Between data sets that are k steps apart the costs are $k\epsilon$, $(1 + \dots + e^{(k-1)\epsilon})\delta$
    and $k^2\rho$. In a sequence the costs in $\delta$ add up; of parallel parts only the largest counts. An
    $\epsilon$-private part is $\epsilon^2/2$-zCDP, and if it reads n draws with replacement from n records, it
    costs at most $\log(e^{\epsilon-1} + e^{-\epsilon}(e^{e^{2\epsilon}-1} - e^{-1}))$ for every n."""
    for name in NODES:
        yield from certified(name, effort, broken="leaks")
    fit = Converted("fit", Concentrated("noise", 0.01), 1e-6)
    yield same(Group("g", fit, 3).delta, 1e-6 * np.exp(fit.epsilon * np.arange(3)).sum(), steps=3)
    yield same(Sequence("s", (fit,), copies=2).delta, 2e-6, parts=2)
    yield same(Parallel("p", (fit, Spend("counts", 1.0))).delta, 1e-6)
    for epsilon in (0.1, 1.0):
        H, part = np.exp(epsilon), Spend("counts", epsilon)
        yield same(Group("g", part, 2).epsilon, 2 * epsilon, epsilon=epsilon)
        yield same(Group("g", Concentrated("noise", epsilon), 3).rho, 9 * epsilon, rho=epsilon)
        yield same(part.rho, epsilon**2 / 2, epsilon=epsilon)
        for n in (1, 2, 10, 1000):  # |2K - 1| steps, K binomial
            exact = (1 - 1 / n) ** n * (H - 1 / H) + (1 + (H**2 - 1) / n) ** n / H
            yield below(np.log(exact), Bootstrap("b", part).epsilon, epsilon=epsilon, n=n)
    words = "At every epsilon groups, draws with replacement and the rho of a pure epsilon cost no more than the"
    return words + " budget's nodes state."


def _noisy_number_then_label(counts, first, second):
    """Logarithm of the law of a noisy total and a label, whose scores depend on the noisy total."""
    total, rows = sum(counts), np.arange(-4, 22)
    handicap = np.where(rows % 2, 0, 2)  # an even total favours class 0
    scores = np.column_stack([counts[0] + handicap, np.full(len(rows), counts[1])])
    label = PermuteAndFlip(second, monotonic=True).logpmf(scores)
    return np.log(Geometric(first).pmf(rows - total))[:, None] + label


@COMPOSITION(
    "parallel-composition",
    {V1: "Section 2.1", V2: "Section 2", RDF: "definition 3"},
    "assumes",
    "budget.Parallel",
    "mechanisms.Geometric",
    proved=True,
    **over(*APART),
)
def parallel(effort, rng, paper):
    r"""Mechanisms that are each $\epsilon_i$-private and read disjoint subsets of the data (the DiPriMe papers
    write "arbitrary" ones) are together $\max_i\epsilon_i$-private. (This assumes add-remove neighbours, and that
    a record's subset depends only on that record and its own draw.)"""
    for name in APART:
        yield from certified(name, effort, broken="leaks")
    parts = {e: Parallel("parts", [Spend("counts", e)], copies=2) for e in (1.0, 3.0)}
    stated = {e: part.epsilon for e, part in parts.items()}
    for epsilon, split in product(stated, (_by_record, _own_draw)):
        data = {"split": split.__name__, "records": [0], "neighbour": [0, 1], "epsilon": epsilon}
        yield private(_second_record(split, epsilon), stated[epsilon], **data)
    for epsilon in stated:
        yield same(_second_record(_by_record, epsilon), stated[epsilon], broken="loose")
    for epsilon in stated:
        yield below(_second_record(_shuffled, epsilon), stated[epsilon])
    return (
        "One record, and then a second one of the other class: parts fixed by the record or by a draw "
        "of its own cost epsilon; cut from a shuffled list they cost {exact:.6g} at epsilon {stated:g}."
    )


def _second_record(split, epsilon):
    """What a second record costs where the records are split in this way."""
    return loss(*(_two_parts(split(records), epsilon) for records in ((0,), (0, 1))))


def _by_record(records):
    """Which two parts of records there are, and how likely: the class decides."""
    return [(1.0, [[r for r in records if r == part] for part in (0, 1)])]


def _own_draw(records):
    """Each record draws its part."""
    choices = list(product((0, 1), repeat=len(records)))
    return [(1 / len(choices), _by_place(records, places)) for places in choices]


def _shuffled(records):
    """The list is shuffled and dealt out in turn: the first to part 0, the second to part 1."""
    orders = [range(len(records)), range(len(records))[::-1]]
    return [(1 / 2, _by_place(records, places)) for places in orders]


def _by_place(records, places):
    return [[r for r, place in zip(records, places) if place == part] for part in (0, 1)]


def _two_parts(splits, epsilon):
    """Logarithm of the law of the noisy counts of two classes in each of two parts."""
    seen = np.array(list(product(range(-1, 3), repeat=4)))  # beyond, the ratios stay the same
    noise, law = Geometric(epsilon), 0.0
    for chance, parts in splits:
        held = [part.count(label) for part in parts for label in (0, 1)]
        law = law + chance * noise.pmf(seen - np.array(held)).prod(axis=1)
    return np.log(law)
