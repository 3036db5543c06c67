"""How budgets add up (DiPriMe v1, section 2.1; v2, section 2; RDF, definition 2)."""

from __future__ import annotations

from itertools import product

import numpy as np

from dplit.budget import Parallel, Sequence, Spend
from dplit.claims.mechanisms._laws import EPSILONS, RDF, V1, V2, loss
from dplit.ledger import Case, Evidence, claim, private
from dplit.mechanisms import Geometric, PermuteAndFlip


@claim(
    "sequential-composition",
    {V1: "Section 2.1", V2: "Section 2", RDF: "definition 2"},
    "holds",
    "thm-composition",
    ("budget.Sequence",),
    proof="thm-composition",
    range="nine pairs of budgets, counts of up to 3, a label that reads the noisy number",
)
def sequential(effort, rng, paper, epsilon=EPSILONS):
    r"""Mechanisms that are each $\epsilon_i$-private are together $\sum_i\epsilon_i$-private."""
    cases = []
    for first, second in product(epsilon, repeat=2):
        stated = Sequence("both", [Spend("number", first), Spend("label", second)]).epsilon
        for counts in product(range(effort.pick(4, 5, 8)), repeat=2):
            for neighbour in ((counts[0] + 1, counts[1]), (counts[0], counts[1] + 1)):
                laws = [_noisy_number_then_label(c, first, second) for c in (counts, neighbour)]
                data = {"counts": list(counts), "neighbour": list(neighbour)}
                data |= {"epsilons": [first, second]}
                cases.append(Case(loss(*laws), stated, data))
    return private(cases, "{cases} pairs of counts: {counts} and {neighbour} cost {exact:.6g}")


def _noisy_number_then_label(counts, first, second):
    """Logarithm of the law of a noisy total and a label, whose scores depend on the noisy total."""
    total, rows = sum(counts), np.arange(-4, 22)
    handicap = np.where(rows % 2, 0, 2)  # an even total favours class 0
    scores = np.column_stack([counts[0] + handicap, np.full(len(rows), counts[1])])
    label = PermuteAndFlip(second, monotonic=True).logpmf(scores)
    return np.log(Geometric(first).pmf(rows - total))[:, None] + label


@claim(
    "parallel-composition",
    {V1: "Section 2.1", V2: "Section 2", RDF: "definition 3"},
    "assumes",
    "thm-composition",
    ("budget.Parallel", "mechanisms.Geometric"),
    proof="thm-composition",
    range="two records, three ways to share them out, three budgets",
)
def parallel(effort, rng, paper):
    r"""Mechanisms that are each $\epsilon_i$-private and read disjoint subsets of the data (the DiPriMe
    papers: "arbitrary" ones) are together $\max_i\epsilon_i$-private (assuming that the subset of a
    record depends on that record and its own draw alone, under add-remove)."""
    cases, cut = [], []
    for epsilon in EPSILONS:
        stated = Parallel("parts", [Spend("counts", epsilon)], copies=2).epsilon
        for split, losses in ((_by_record, cases), (_own_draw, cases), (_shuffled, cut)):
            laws = [_two_parts(split(records), epsilon) for records in ((0,), (0, 1))]
            data = {"split": split.__name__, "records": [0], "neighbour": [0, 1]}
            losses.append(Case(loss(*laws), stated, data | {"epsilon": epsilon}))
    found = private(cases, "{split}: {records} and {neighbour} cost {exact:.6g}")
    if found.verdict != "holds":
        return found
    shown = cut[1]
    return Evidence(
        "holds" if all(c.exact <= c.stated for c in cut) else "assumes",
        "exact",
        "One record, and then a second one of the other class: parts fixed by the record or by a draw "
        f"of its own cost epsilon; cut from a shuffled list they cost {shown.exact:.6g} at epsilon 1.",
        cases=len(cases) + len(cut),
        published=shown.stated,
        computed=shown.exact,
        quantity="privacy loss",
        relation="<=",
    )


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
