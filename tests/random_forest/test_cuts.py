"""The children's domains: by hand, and by counting points."""

import numpy as np
import pytest

from dplit import random_forest


def test_the_children_of_a_cut_by_hand():
    assert random_forest.children(0, 4, 1) == ((0, 1), (1, 4))
    assert random_forest.published_children(0, 4, 1) == ((1, 4), (1, 1))


def test_a_point_is_in_one_child_and_as_printed_in_at_most_one():
    points = np.linspace(0.01, 0.99, 99)
    for way, most, least in ((random_forest.children, 1, 1), (random_forest.published_children, 1, 0)):
        inside = sum((low < points) & (points < high) for low, high in way(0.0, 1.0, 0.305))
        assert (inside.max(), inside.min()) == (most, least)


def test_the_cut_is_inside():
    with pytest.raises(ValueError, match="cut must be between lower and upper, 0 and 1, got 1"):
        random_forest.children(0, 1, 1)
