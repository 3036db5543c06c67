"""The drawings show the records that they are given, each of the class that it has."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from dplit.plotting import drawings_labels as drawings


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def records(ax):
    """Places of the filled and of the hollow records, sorted."""
    found = {True: [], False: []}
    for dots in ax.collections:
        ((x, y),) = dots.get_offsets()
        found[len(dots.get_facecolor()) > 0].append((round(float(x), 2), round(float(y), 2)))
    return sorted(found[True]), sorted(found[False])


def words(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_a_leaf_holds_a_column_of_records_for_each_class(ax):
    drawings.draw_leaf(ax, (3, 1), 2, 1, words="below", above="above")
    filled, hollow = records(ax)
    assert filled == [(2.3, 1.2), (2.3, 1.5), (2.3, 1.8)] and hollow == [(2.7, 1.2)]
    assert words(ax) == ["below", "above"]


def test_neighbours_stand_beside_the_leaf_in_order(ax):
    drawings.draw_neighbours(ax, (2, 0), [(1, 0), (2, 1)], ["2 0", "1 0", "2 1"], above=["-", "+"])
    filled, hollow = records(ax)
    assert len(filled) == 2 + 1 + 2 and len(hollow) == 1
    assert words(ax) == ["2 0", "one step", "1 0", "-", "2 1", "+"]
    first, *rest = (line.get_linewidth() for line in ax.lines)
    assert all(first > other for other in rest)
    with pytest.raises(ValueError):
        drawings.draw_neighbours(ax, (2, 0), [(1, 0)], ["2 0", "1 0", "2 1"], above=["-", "+"])


def test_balls_lie_in_the_bins_of_their_features(ax):
    drawings.draw_paths(ax, [(0, 2, 0), (1, 1, 1)], 3, ["two tested", "one tested"])
    places = [tuple(dots.get_offsets()[0]) for dots in ax.collections]
    assert [int(x) for x, _ in places] == [0, 2, 0, 1, 1, 1]
    assert len(set(places)) == 6, "no ball hides another"
    assert [w for w in words(ax) if w.isdigit()] == ["1", "2", "3"] * 2
    assert {"two tested", "one tested", "feature 3"} <= set(words(ax))


def test_a_deal_is_a_row_of_trees(ax):
    rows = [("one", [(1, 0), (0, 0)], "1/8"), ("two", [(0, 1), (1, 0)], "9/16")]
    drawings.draw_deals(ax, rows)
    filled, hollow = records(ax)
    assert [x for x, _ in filled] == [0.3, 1.7] and [x for x, _ in hollow] == [0.7]
    assert filled[0][1] > filled[1][1], "the second deal stands below the first"
    assert words(ax).count("tree 1") == 1 and {"1/8", "9/16"} <= set(words(ax))


def test_a_cut_stands_between_the_records_that_it_parts(ax):
    drawings.draw_splits(ax, [[(1, 0), "|", (2, 1), (3, 1)]], ["4/9"])
    filled, hollow = records(ax)
    assert filled == [(0.0, 0.0)] and hollow == [(1.0, 0.0), (2.0, 0.0)]
    (cut,) = ax.lines
    assert list(cut.get_xdata()) == [0.5, 0.5]
    assert words(ax) == ["1", "2", "3", "4/9"]


def test_classes_differ_in_mark_and_not_only_in_colour(ax):
    drawings.draw_record(ax, 0, 0, 0)
    drawings.draw_record(ax, 1, 0, 1)
    disc, square = (dots.get_paths()[0] for dots in ax.collections)
    assert len(disc.vertices) != len(square.vertices)
    assert not mpl.colors.same_color(*(d.get_edgecolor()[0] for d in ax.collections))
