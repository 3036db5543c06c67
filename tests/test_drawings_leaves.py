"""The drawings show the records that they are given, where they lie and as many as there are."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import FancyBboxPatch

from dplit.plotting import drawings_leaves as drawings

mpl.use("agg")


@pytest.fixture(autouse=True)
def closed():
    with mpl.rc_context():
        yield
        plt.close("all")


def discs(ax):
    """Places of all records, array of shape (n, 2), and whether each is filled."""
    places = [c.get_offsets() for c in ax.collections]
    filled = [len(c.get_facecolors()) > 0 for c in ax.collections]
    return np.vstack(places), np.repeat(filled, [len(p) for p in places])


def frames(ax):
    """Left end and width of each frame, in the order of drawing."""
    found = [p for p in ax.patches if isinstance(p, FancyBboxPatch)]
    return [(p.get_x(), p.get_width()) for p in found]


def words(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_leaves_hold_their_records_and_bars_have_the_laws_heights():
    laws = {"one": (0.25, 0.5), "other": (0.125, 0.5)}
    drawings.leaves_and_laws({"D": (3, 2), "D'": (3, 3)}, laws)
    left, right = plt.gcf().axes
    _, filled = discs(left)
    assert (filled.sum(), len(filled)) == (6, 11)
    assert words(left) == ["D: counts 3, 2", "D': counts 3, 3"]
    assert [bar.get_height() for bar in right.patches] == [0.25, 0.5, 0.125, 0.5]
    assert [t.get_text() for t in right.get_legend().get_texts()] == ["one", "other"]


def test_a_record_lies_in_its_part():
    drawings.parts([("alone", [[0], []]), ("two", [[1], [0]])], ["part 1", "part 2"])
    ax = plt.gca()
    places, filled = discs(ax)
    frame = frames(ax)
    parts = [next(i for i, (x, w) in enumerate(frame) if x < px < x + w) for px, _ in places]
    assert (parts, filled.tolist()) == ([0, 0, 1], [True, False, True])
    assert len(frame) == 4 and {"alone", "two", "part 1", "part 2"} == set(words(ax))


def test_targets_lie_on_their_line_and_the_mean_is_said():
    drawings.moved_mean({"D'": [0, 0], "D": [0, 0, 3]}, 0, 4)
    ax = plt.gca()
    places, _ = discs(ax)
    assert sorted(places[:, 0]) == [0, 0, 0, 0, 3]
    assert len(np.unique(places, axis=0)) == 5, "equal targets are stacked"
    marks = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "^"]
    assert marks == [0, 1]
    assert "mean 1, mean squared error 2" in words(ax)


def test_densities_step_at_the_records_and_empty_intervals_have_no_note():
    dense = {"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]}
    drawings.intervals([0.0, 0.5, 0.75], 0, 1, dense, ["none", "x", "y", "z"])
    ax = plt.gca()
    for steps, values in zip(ax.patches, dense.values()):
        assert steps.get_data().edges.tolist() == [0, 0, 0.5, 0.75, 1]
        assert steps.get_data().values.tolist() == values
    assert words(ax) == ["x", "y", "z"]
    assert discs(ax)[0][:, 0].tolist() == [0, 0.5, 0.75]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b"]


def test_a_node_has_as_many_discs_as_it_says():
    drawings.counted_tree([[5], [3, 2], [0, 3, 1, 1]], 1.25)
    ax = plt.gca()
    assert [w for w in words(ax) if w.isdigit()] == ["5", "3", "2", "0", "3", "1", "1"]
    assert "expected in each leaf: 1.25" in words(ax)
    assert len(discs(ax)[0]) == 15 and len(frames(ax)) == 7
    assert len(ax.lines) == 6, "a branch to each node but the root"


def test_leaves_cut_the_row_where_their_sizes_say():
    drawings.cut_rows([0, 0, 1, 1], {"exact": [2, 2], "private": [3, 1]})
    ax = plt.gca()
    places, filled = discs(ax)
    assert filled.tolist() == [True, True, False, False] * 2
    inside = [[x < px < x + w for px, _ in places[:4]] for x, w in frames(ax)]
    assert [sum(row) for row in inside] == [2, 2, 3, 1]


def test_good_cuts_end_where_poor_ones_begin():
    column = [0, 0.5, 0.5], [1, 0, 0]
    drawings.good_and_poor({"one": column, "two": column}, (0, 0.5))
    ax = plt.gca()
    ranges = [(p.get_x(), p.get_x() + p.get_width()) for p in ax.patches]
    assert ranges == [(0, 0.5), (0.5, 1)] * 2
    assert words(ax).count("good cuts") == words(ax).count("poor cuts") == 2
    places, filled = discs(ax)
    assert sorted(places[:, 0]) == [0, 0, 0.5, 0.5, 0.5, 0.5] and filled.sum() == 4
