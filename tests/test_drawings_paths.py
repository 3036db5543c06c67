"""The drawings show what they are given, and count what they mark."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from dplit.court import experiments
from dplit.plotting import drawings_paths as drawings


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def words(ax, bold=None):
    """Texts of axes; only bold ones, or only plain ones."""
    found = [t for t in ax.texts if bold is None or (t.get_weight() == "bold") == bold]
    return [t.get_text() for t in found]


def test_a_stump_marks_the_leaf_of_its_query(ax):
    drawings.draw_stump(ax, "windy", ["calm", "windy"], [[1, 3], [2, 0]], at=4, reached=1)
    assert words(ax, bold=False) == ["windy", "calm\n[1, 3]"]
    assert words(ax, bold=True) == ["windy\n[2, 0]"]
    thin, wide = ax.lines
    assert wide.get_linewidth() > thin.get_linewidth() and wide.get_xdata()[1] == 5
    with pytest.raises(ValueError):
        drawings.draw_stump(ax, "windy", ["calm", "windy"], [[1, 3]])


@pytest.mark.parametrize(("noise", "signs", "touched"), [("cells", 6, 1), ("leaves", 5, 2)])
def test_a_record_touches_one_cell_and_a_leaf_of_each_tree(ax, noise, signs, touched):
    levels = ("sunny", "overcast", "rainy"), ("calm", "windy")
    assert drawings.draw_noisy_cells(ax, *levels, (0, 1), noise) == touched
    assert sum("±" in word for word in words(ax)) == signs
    assert len(words(ax, bold=True)) == touched
    with pytest.raises(ValueError, match="noise"):
        drawings.draw_noisy_cells(ax, *levels, (0, 1), "roots")


def test_laws_have_areas_in_proportion(ax):
    laws = {0: {"a": 0.75, "b": 0.25}, 1: {"a": 0.25, "b": 0.75}}
    drawings.draw_laws(ax, laws, {"a": -0.5, "b": 1.5})
    sizes = [float(dots.get_sizes()[0]) for dots in ax.collections]
    assert np.allclose(np.divide(sizes, sizes[1]), [3, 1, 1, 3])
    assert words(ax) == ["0.75", "0.25", "0.25", "0.75"]


def test_who_stands_behind_a_newcomer_changes_the_tree(ax):
    moved = drawings.draw_dealing(ax, "abcde", (1, "new"), 3)
    assert moved == ["b", "c", "d", "e"]
    assert [w for w in words(ax, bold=True) if "tree" not in w] == ["new", "b", "c", "d", "e"]
    assert drawings.draw_dealing(ax, "abcde", (5, "new"), 3) == []


def test_the_sums_of_a_cut(ax):
    sums = drawings.draw_residuals(ax, [0.1, 0.5, 0.9], [-0.5, 0.25, 0.5], 0.5)
    assert sums == (-0.25, 0.5) and words(ax) == ["sum -0.25", "sum +0.5"]
    assert sorted(bar.get_height() for bar in ax.patches) == [-0.5, 0.25, 0.5]


def test_panels_draw_every_point_and_the_least():
    points = experiments.stored_scaling()
    drawings.scaling_panels(points, {"per-tree": "o", "identity": "^"})
    panels = np.reshape(plt.gcf().axes, (2, -1))
    for line, (above, below) in zip(points.values(), panels.T, strict=True):
        drawn = {d.get_label(): d.get_ydata() for d in above.get_lines()}
        assert list(drawn["identity"]) == [p["error"]["identity"] for p in line.values()]
        chosen = [p["error"][p["selected"]] for p in line.values()]
        assert np.allclose(drawn["selected"], chosen)
        assert list(below.get_lines()[0].get_ydata()) == [p["seconds"] for p in line.values()]
    plt.close("all")
