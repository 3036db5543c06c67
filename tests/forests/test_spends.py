"""What is drawn is spent: the epsilons in a budget are those of the mechanisms that a fit ran.

A fit is watched where it draws: noise by its scale, labels by their mechanism, cuts and
choices by the weights that the growing of trees was given. What these cost is worked out here from
what one record adds to a score, and compared with every `Spend` of the budget.
"""

import itertools
import math

import numpy as np
import pytest

from dplit import Categorical, Continuous, Domain
from dplit.baselines import _shared, dp_ert, fs_rgv, jpw
from dplit.budget import Bootstrap, EqualParts, Group, Parallel, Sequence, Spend
from dplit.domain import GRID
from dplit.forests import releases
from dplit.forests.base import BaseForest
from dplit.mechanisms import Geometric, PermuteAndFlip
from dplit.trees import greedy_levels, median, multinomial, rules
from tests.forests.kinds import TABLE, each_private, regresses, target

DOMAIN = Domain([Continuous(0, 1), Categorical(["a", "b", "c"]), Continuous(0, 1)])
X = [[0.1, "a", 0.3], [0.9, "b", 0.2], [0.4, "a", 0.8], [0.6, "c", 0.1], [0.2, "b", 0.5]]
Y = [0, 1, 1, 0, 0]
N = len(Y)
BITS = math.log2(N + 1) + 1 / math.log(2)  # of the entropy of N records, what one more adds
PUBLIC_BITS = math.log2(10_001) + 1 / math.log(2)
BOOSTED = ("Boosted", "Private")  # asked for rounds and a depth, a preset fits a boosted forest
COMMON = {"neighbours": ("add-remove", "replace-one"), "max_depth": (0, 2)}


class Watched(np.random.Generator):
    """A generator that writes down the epsilon of every Laplace draw; trees get plain ones."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.drawn.append(1 / scale)
        return super().laplace(loc, scale, size)

    def spawn(self, n_children):
        return [np.random.Generator(b) for b in self.bit_generator.spawn(n_children)]


@pytest.fixture
def watch(monkeypatch):
    """Epsilons drawn, and the parts and rule that trees were grown with."""
    seen = {"drawn": [], "parts": None, "rule": None, "of_model": False}

    def generator(self):
        rng = Watched(np.random.PCG64(0))
        rng.drawn = seen["drawn"]
        return rng

    def sample(self, scores, *args, **options):
        seen["drawn"].append(self.epsilon)
        return plain_sample(self, scores, *args, **options)

    def noise(self, values, *args, **options):
        # of votes in steps one record moves GRID, of counts one, of residuals what its model allows
        moved = GRID if np.sum(values) >= GRID else 1
        moved = self.sensitivity if seen["of_model"] and self.sensitivity != 1 else moved
        seen["drawn"].append(self.rate * moved)
        return plain_noise(self, values, *args, **options)

    def watched(grow):
        def grown(*args, **options):
            *_, seen["parts"], seen["rule"] = args
            return grow(*args, **options)

        return grown

    def stats(*args):
        seen["parts"] = args[-1]
        return plain_stats(*args)

    def label(counts, budget):
        seen["drawn"].append(budget)
        return plain_label(counts, budget)

    plain_sample, plain_stats = PermuteAndFlip.sample, _shared.leaf_stats
    plain_noise, plain_label = Geometric.sample, releases.label_law
    several = multinomial.grow_multinomial_trees
    monkeypatch.setattr(releases, "label_law", label)
    monkeypatch.setattr(multinomial, "grow_multinomial_trees", watched(several))
    monkeypatch.setattr(PermuteAndFlip, "sample", sample)
    monkeypatch.setattr(Geometric, "sample", noise)
    monkeypatch.setattr(BaseForest, "_generator", generator)
    monkeypatch.setattr(median, "grow_median_trees", watched(median.grow_median_trees))
    monkeypatch.setattr(_shared, "grow_greedy_level_trees", watched(_shared.grow_greedy_level_trees))
    monkeypatch.setattr(fs_rgv, "grow_greedy_trees", watched(fs_rgv.grow_greedy_trees))
    for module in (dp_ert, jpw):
        monkeypatch.setattr(module, "leaf_stats", stats)
    return seen


def of_a_cut(rule, reach):
    """A median forest's node: balance changes by 1 and by both signs, a gain grows by `reach`."""
    balance, gain = 2 * rule.rate, reach * rule.gain_rate
    if rule.choice == rules.UNIFORM:
        return [balance]
    if rule.joint:
        return [balance + gain]
    return [balance] if rule.max_features == 1 else [balance, gain]


def of_a_column(rule, regression):
    """A node of a tree with a child for each level: a cost only grows, by at most its reach."""
    reach = {rules.SQUARES: 1 if regression else 2, rules.LOCAL_GINI: 64 / 27, rules.ENTROPY: BITS,
             rules.MAJORITY: 1}[rule.score]  # fmt: skip
    return [reach * rule.rate] + ([1 / rule.count_scale] if rule.count_scale else [])


def of_a_test(rule, bits):
    """A node of a greedy tree with cuts: its number of records, each cut, and the choice."""
    reach = {rules.SQUARES: 2, rules.ENTROPY: bits, rules.MAJORITY: 1}[rule.score]
    return [1 / rule.count_scale, reach * rule.rate, reach * rule.rate]


def expected(seen, published, regression):
    """Epsilons of the mechanisms that a fit ran, those of alike leaves and nodes once."""
    leaf, rule = sorted(set(seen["drawn"])), seen["rule"]
    if regression and published:
        leaf = []  # its noise is scaled by the private count
    if rule is None or rule.max_depth == 0:
        return leaf
    if isinstance(rule, rules.Rule):
        return leaf + of_a_cut(rule, 1 if regression else 2)
    if isinstance(rule, rules.NormalisedRule):
        return [*leaf, 2 * rule.weight]
    if isinstance(rule, multinomial.Rule):  # normalised scores move both ways, by at most 1
        return [*leaf, 2 * rule.feature_rate, 2 * rule.value_rate]
    if isinstance(rule, greedy_levels.Rule):
        return leaf + of_a_column(rule, regression)
    bits = BITS if published else PUBLIC_BITS
    return leaf + of_a_test(rule, bits)


@pytest.mark.parametrize("accounting", ["proved", "published"])
@each_private
def test_the_spends_of_a_budget_are_those_of_what_was_drawn(watch, kind, accounting):
    name = kind.__name__
    grid = {**COMMON, **TABLE[name].grid}
    for values in itertools.product(*grid.values()):
        watch.update(drawn=[], parts=None, rule=None, of_model=name.startswith(BOOSTED))
        check_a_fit(watch, kind, {"accounting": accounting, **dict(zip(grid, values))})


def check_a_fit(watch, kind, options):
    name, regression = kind.__name__, regresses(kind)
    published = options["accounting"] == "published"
    forest = kind(1.3, domain=DOMAIN, n_estimators=3, **{**target(kind), **options}).fit(X, Y)
    assert watch["drawn"]
    if name.startswith(BOOSTED):
        watch["drawn"] = np.round(watch["drawn"], 12).tolist()
        published = False  # both accountings are the same
    # what the number of records tells, on top of the choices, is no draw of its own
    spends = [node.epsilon for node in forest.budget_.leaves()
              if isinstance(node, Spend) and node.name != "choices of a level"]  # fmt: skip
    due = expected(watch, published, regression)
    if name == "MatrixForestClassifier":  # a record is in one cell, and in a leaf of each tree
        due = [rate * of_a_record(options, published) for rate in due]
    assert sorted(spends) == pytest.approx(sorted(due), rel=1e-12), options
    if name == "MultinomialForestClassifier":
        check_the_halves(forest, watch["parts"])
    elif watch["parts"] is not None:
        check_the_parts(forest, watch["parts"])


def of_a_record(options, published):
    """By how much a changed record changes all that a matrix forest of three trees releases."""
    cells = {"identity": 1, "per-tree": 3}[options["strategy"]]
    return cells * (2 if options["neighbours"] == "replace-one" and not published else 1)


def check_the_parts(forest, parts):
    """How often records were read, and the node that composes the trees."""
    node = forest.budget_.root.parts
    trees = next(p for p in node if p.name.startswith("trees"))
    trees = trees.part if trees.name.endswith("replacement") else trees
    if parts[0] is None:
        parts = [np.arange(N)] * 3
    read = np.bincount(np.concatenate(parts), minlength=N)
    if isinstance(trees, (Parallel, EqualParts)):
        assert read.tolist() == [1] * N
        shuffled = forest.accounting == "published"
        assert not shuffled or {len(part) for part in parts} <= {N // 3, N // 3 + 1}
        assert isinstance(trees, EqualParts) == (shuffled and forest.neighbours == "add-remove")
    else:
        assert isinstance(trees, Sequence) and trees.copies == len(parts) == 3
        resampled = any(sorted(part) != list(range(N)) for part in parts)
        assert isinstance(trees.parts[0], Bootstrap) == resampled


def check_the_halves(forest, parts):
    """Which records shape a tree and which label it, and the nodes that compose both and the trees."""
    trees = forest.budget_.root.parts[2]
    trees = trees.part if trees.name.endswith("replacement") else trees
    rate, shuffled = forest.partition_rate, forest.accounting == "published"
    if shuffled:
        structure, estimation = (np.sort(np.flatnonzero(m)) for m in parts(N, np.random.default_rng(1)))
        assert isinstance(trees, Sequence) and trees.copies == 3
    else:
        structure, estimation = np.sort(np.concatenate(parts)), None
        assert isinstance(trees, Parallel) and len(set(structure.tolist())) == len(structure)
    (tree,) = trees.parts
    if forest.max_depth == 0 and not shuffled:
        assert isinstance(tree, Sequence) and len(tree.parts) == 1
        return
    if rate is None:
        assert structure.tolist() == list(range(N)) and isinstance(tree, Sequence)
        return
    if not shuffled or forest.neighbours == "replace-one":
        assert isinstance(tree, Parallel)
    else:
        assert isinstance(tree, EqualParts if rate == 1 else Group)
    if shuffled:
        assert sorted([*structure, *estimation]) == list(range(N))
        assert len(structure) == round(N * rate / (1 + rate))
