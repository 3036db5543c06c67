"""Forests that survive real tables: defaults whose trees a fit can afford, whatever the domain."""

import ctypes
import gc
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from dplit import Categorical, Continuous, Domain, datasets
from dplit.forests import HistogramForestClassifier, MatrixForestClassifier
from dplit.forests import RandomDecisionForestClassifier as Forest
from dplit.forests.random_decision import affordable_depth, most_nodes
from dplit.trees import expected_leaves, grow_random_trees
from tests.forests.kinds import PRIVATE, regresses

LETTERS, NUMBER = Categorical(list("abcdef")), Continuous(0, 1)
LIMITED = (HistogramForestClassifier, MatrixForestClassifier)  # by cells; the other has tests of its own
CLASSIFIERS = [kind for kind in PRIVATE if not regresses(kind) and kind not in LIMITED]
# The set of most levels in a column, the widest one, and the longest one. Every kind fits the first; on the
# other two three kinds stand for all, and the rest is `-m deep`.
LARGE = ["adult", "internet-ads", "puc-rio"]
SHAPES = ("MedianForestClassifier", "PrivateForestClassifier", "RandomDecisionForestClassifier")
FITS = [
    pytest.param(
        *(kind, name),
        id=f"{kind.__name__}-{name}",
        marks=[] if name == LARGE[0] or kind.__name__ in SHAPES else [pytest.mark.deep],
    )
    for name in LARGE  # one after the other
    for kind in CLASSIFIERS
]


@lru_cache(maxsize=1)  # their records fill hundreds of megabytes
def loaded(name):
    return datasets.load(name)


def depth_of(domain, classes=(0, 1), **options):
    """The default depth of a forest on a record that lies in any domain."""
    record = [f.levels[0] if isinstance(f, Categorical) else f.lower for f in domain.features]
    forest = Forest(domain=domain, classes=classes, random_state=0, **options)
    return forest.fit(np.array([record], dtype=object), [classes[0]]).max_depth_


@pytest.mark.parametrize(("kind", "name"), FITS)
def test_defaults_fit_the_large_sets(kind, name):
    data = loaded(name)
    forest = kind(1.0, domain=data.domain, classes=data.classes, random_state=0)
    forest.fit(data.X, data.y)
    assert forest.budget_.epsilon == pytest.approx(1.0)
    assert len(forest.trees_.feature) < 2_000_000  # 20 bytes each
    assert forest.predict(data.X.head(50)).shape == (50,)


def test_a_table_of_categorical_columns_alone():
    """7,195 records and 13 columns of nine levels: to depth 7 its trees would have 40 million nodes."""
    rng = np.random.default_rng(0)
    domain = Domain([Categorical(range(9))] * 13)
    X, y = rng.integers(9, size=(7195, 13)), rng.integers(2, size=7195)
    forest = Forest(1.0, domain=domain, classes=[0, 1], random_state=0).fit(X, y)
    assert forest.max_depth_ == 4  # 9^4 = 6561 leaves
    assert len(forest.trees_.feature) == 100 * sum(9**d for d in range(5))


@pytest.mark.parametrize(("n_records", "depth"), [(None, 4), (10**4, 4), (6560, 3), (729, 3), (1, 1), (10**9, 5)])
def test_the_depth_follows_the_public_number_of_records(n_records, depth):
    """Nine levels each: at most n_records leaves in a tree, and 20,000,000 counts in the forest."""
    domain = Domain([Categorical(range(9))] * 13)
    assert depth_of(domain, n_records=n_records) == depth


def test_more_classes_make_trees_smaller():
    domain = Domain([Categorical(range(9))] * 13)
    assert depth_of(domain, tuple(range(100))) == 3  # 100 trees, 100 classes: 2000 leaves each


def test_the_depth_reads_no_record():
    """Of one domain and one guess it is the same for any records."""
    rng = np.random.default_rng(1)
    domain = Domain([Categorical(range(6)), Continuous(0, 1)] * 6)
    forest = Forest(domain=domain, classes=[0, 1], n_estimators=3, random_state=0)
    depths, shapes = set(), set()
    for n in (1, 20, 3000):
        X = np.column_stack([rng.integers(6, size=n), rng.random(n)] * 6)
        fitted = forest.fit(X, rng.integers(2, size=n))
        depths.add(fitted.max_depth_)
        shapes.add(fitted.trees_.feature.tobytes())
    assert len(depths) == len(shapes) == 1


@pytest.mark.parametrize(
    "features",
    [
        [LETTERS, Categorical([0, 1]), Categorical([0, 1, 2])],
        [LETTERS, NUMBER],
        [NUMBER, NUMBER],
        [Categorical([0]), Categorical([0, 1, 2])],
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_most_nodes_are_reached_and_never_passed(features, depth):
    domain = Domain(features)
    trees = grow_random_trees(domain, 3000, depth, rng=np.random.default_rng(0))
    sizes = np.diff(np.append(trees.roots, len(trees.feature)))
    if trees.depth is not None:  # complete trees stand side by side
        sizes = np.array([len(trees.feature) // 3000])
    assert sizes.max() == most_nodes(domain, depth)


def test_the_default_never_asks_for_too_many_nodes():
    """Where a column has very many levels, even trees that all begin with it can be grown."""
    domain = Domain([Categorical(range(20_000)), *[NUMBER] * 60])
    depth = affordable_depth(domain, 8, 10**6, 100)
    assert most_nodes(domain, depth) * 100 <= 10**8 < most_nodes(domain, depth + 1) * 100
    assert expected_leaves(domain, depth + 1) < 10**6, "what a tree may expect is no limit here"


def test_numbers_alone_keep_the_depth_of_the_paper():
    assert [depth_of(Domain([NUMBER] * m)) for m in (1, 4, 10, 30)] == [1, 3, 7, 8]


def test_a_depth_that_is_given_is_kept():
    domain = Domain([Categorical(range(9))] * 13)
    assert depth_of(domain, max_depth=5, n_estimators=1, n_records=10) == 5


def taken_by(call):
    """What a call returns, and the most bytes that the process needed in it beyond those it held before.

    The kernel counts: a trace of every allocation takes three times as long as the fit.
    """

    def status(name):
        text = Path("/proc/self/status").read_text()
        return 1024 * int(text.partition(f"{name}:")[2].split()[0])

    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what was freed before must not serve the call unseen
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins anew
    before = status("VmRSS")
    found = call()
    return found, status("VmHWM") - before


def test_memory_that_a_call_takes_and_gives_back_is_seen():
    assert taken_by(lambda: np.ones(10**7).sum())[1] == pytest.approx(8e7, rel=0.1)
    assert taken_by(lambda: None)[1] < 1_000_000


@pytest.mark.parametrize("name", ["wdbc", "zoo", "mushroom", "connect4"])
def test_the_matrix_forest_fits_wide_sets_in_little_memory(name):
    """The most columns of numbers, of two levels and of many; what least squares on all of them would
    take is in none of these limits, and no strategy that takes it is tried."""
    data = loaded(name)
    forest = MatrixForestClassifier(1.0, domain=data.domain, classes=data.classes, random_state=0)
    fitted, taken = taken_by(lambda: forest.fit(data.X, data.y))
    assert taken < 700_000_000
    assert fitted.budget_.epsilon == pytest.approx(1.0)
    assert forest.predict(data.X.head(20)).shape == (20,)


def test_the_matrix_forest_fits_adult_in_a_gigabyte():
    """The set with the most leaves, of which `test_matrix_memory` fits sixteen trees: the whole process,
    with its libraries and the records."""
    code = """
from dplit import datasets
from dplit.forests import MatrixForestClassifier
data = datasets.load("adult")
forest = MatrixForestClassifier(1.0, domain=data.domain, classes=data.classes, random_state=0)
assert forest.fit(data.X, data.y).trees_.n_leaves > 500_000
status = open("/proc/self/status").read()  # ru_maxrss would begin at the parent's
print(1024 * int(status.partition("VmHWM:")[2].split()[0]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1_000_000_000


@pytest.mark.parametrize(("columns", "depth"), [(2, 4), (13, 3), (60, 3)])
def test_the_matrix_forests_depth_follows_the_domain_where_it_is_left_out(columns, depth):
    """Nine levels: 128 trees of depth 4 would have 840,000 leaves, and of depth 3 they have 93,312."""
    domain = Domain([Categorical(range(9))] * columns)
    forest = MatrixForestClassifier(domain=domain, classes=[0, 1], max_depth=None, random_state=0)
    plan = forest.plan()
    assert plan.depth == depth
    assert plan.trees.n_leaves == 128 * 9 ** min(columns, depth)


def test_votes_of_marginals_in_a_wide_domain_have_no_error_that_is_told():
    """Ten columns of five levels: the coefficients of all boxes would fill 30 gigabytes."""
    domain = Domain([Categorical(range(5))] * 10)
    forest = MatrixForestClassifier(domain=domain, classes=[0, 1], random_state=0)
    plan = forest.plan()
    assert plan.strategies[0].name == "marginals"
    assert plan.expected_error.leaf > 0 and plan.expected_error.vote is None
