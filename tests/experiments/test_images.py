"""Scenes by a rule, and what their pixels' features are: against loops over pairs of pixels.

False alarms: none by chance, since every draw is seeded.
"""

from collections import Counter
from fractions import Fraction
from math import cos, floor, log, pi, sin, sqrt

import numpy as np
import pytest

from dplit.court import experiments
from dplit.court.experiments import images, task, texture
from dplit.court.experiments.papers import mrf

SIDE, LEVELS = 5, 4
IMAGE = np.random.default_rng(3).integers(LEVELS, size=(9, 8))
PLACES = [(r, c) for r in range(2, 7) for c in range(2, 6)]
ROWS, COLUMNS = np.array(PLACES).T


def shares(row, column):
    """Co-occurrence in a window, exactly: all ordered pairs of pixels that touch, dict of (i, j) to share."""
    half = SIDE // 2
    window = [(r, c) for r in range(row - half, row + half + 1) for c in range(column - half, column + half + 1)]
    pairs = Counter(
        (int(IMAGE[a]), int(IMAGE[b]))
        for a in window
        for b in window
        if max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1
    )
    return {ij: Fraction(n, pairs.total()) for ij, n in pairs.items()}


def by_pairs(p):
    """The eight features from their definitions over pairs: moments of two variables, not of a matrix."""
    mean_i, mean_j = (sum(ij[k] * s for ij, s in p.items()) for k in (0, 1))
    var_i, var_j = (sum((ij[k] - m) ** 2 * s for ij, s in p.items()) for k, m in enumerate((mean_i, mean_j)))
    together = sum((i - mean_i) * (j - mean_j) * s for (i, j), s in p.items())
    apart = Counter()
    for (i, j), s in p.items():
        apart[abs(i - j)] += s
    return [
        sum(s * s for s in p.values()), sum(n * n * s for n, s in apart.items()),
        together / sqrt(var_i * var_j), -sum(s * log(s) for s in p.values()),
        sum(s / (1 + n * n) for n, s in apart.items()), mean_j, var_i, sqrt(var_j),
    ]  # fmt: skip


def test_co_occurrence_counts_pairs_that_touch():
    found = texture.co_occurrence(IMAGE, ROWS, COLUMNS, SIDE, LEVELS)
    for p, place in zip(found, PLACES):
        exact = shares(*place)
        expected = [[float(exact.get((i, j), 0)) for j in range(LEVELS)] for i in range(LEVELS)]
        assert p == pytest.approx(np.array(expected), abs=1e-15)


def test_haralicks_features_are_those_of_their_definitions():
    found = texture.haralick(texture.co_occurrence(IMAGE, ROWS, COLUMNS, SIDE, LEVELS))
    exact = np.array([[float(f) for f in by_pairs(shares(*place))] for place in PLACES])
    assert found.shape == (len(PLACES), len(texture.HARALICK))
    np.testing.assert_allclose(found, exact, atol=1e-12)
    least, greatest = texture.most(LEVELS).T
    assert (found >= least - 1e-12).all() and (found <= greatest + 1e-12).all()
    assert (np.ptp(exact, axis=0) > 0.01).all(), "each feature varies"


def test_bounds_are_attained():
    """One level, two levels that alternate or share a window, all pairs alike: the ends of each range."""
    top = LEVELS - 1
    law = np.zeros((4, LEVELS, LEVELS))
    law[0, 0, 0] = law[1, top, top] = 1.0
    law[2, 0, top] = law[2, top, 0] = 0.5
    law[3] = 1 / LEVELS**2
    found, (least, greatest) = texture.haralick(law), texture.most(LEVELS).T
    assert found.min(axis=0) == pytest.approx(least) and found.max(axis=0) == pytest.approx(greatest)
    assert (found[:2, texture.HARALICK.index("correlation")] == 1).all(), "0/0 is 1"


def pattern(grey, row, column, radius, points):
    """A pixel's pattern by a walk round its circle."""
    bits = []
    for k in range(points):
        y = row - round(radius * sin(2 * pi * k / points), 9)
        x = column + round(radius * cos(2 * pi * k / points), 9)
        value = sum(
            (1 - abs(y - a)) * (1 - abs(x - b)) * grey[a, b]
            for a in {floor(y), floor(y) + (y > floor(y))}
            for b in {floor(x), floor(x) + (x > floor(x))}
        )
        bits.append(value >= grey[row, column])
    runs = "".join("1" if b else "0" for b in bits) * 2
    ones = sum(bits)
    one_arc = ones in (0, points) or "1" * ones in runs
    return ones if one_arc else points + 1


@pytest.mark.parametrize(("radius", "points"), [(1, 4), (2, 8), (3, 12)])
def test_patterns_by_a_walk_round_the_circle(radius, points):
    grey = np.random.default_rng(4).random((12, 13)) + np.linspace(0, 1.5, 13)
    places = [(r, c) for r in range(radius, 12 - radius) for c in range(radius, 13 - radius)]
    found = texture.patterns(grey, *np.array(places).T, radius, points)
    assert found.tolist() == [pattern(grey, *place, radius, points) for place in places]
    assert len({*found.tolist()}) > 3


def test_patterns_do_not_see_light_nor_quarter_turns():
    grey = np.random.default_rng(5).random((9, 9))
    centre = ([4], [4])
    codes = {texture.patterns(g, *centre, 4, 8)[0] for g in (grey, 3 * grey + 1, np.rot90(grey))}
    assert len(codes) == 1
    ramp = np.add.outer(np.zeros(9), np.arange(9.0))
    assert texture.patterns(ramp, *centre, 4, 8) == [5], "right half and the two above and below"


@pytest.mark.parametrize(("call", "message"), [
    (lambda: texture.patterns(np.zeros((9, 9)), [4], [3], 4), r"columns must be in \[4, 5\), got 3 to 3"),
    (lambda: texture.co_occurrence(IMAGE, [1], [4], 5, 4), r"rows must be in \[2, 7\), got 1 to 1"),
    (lambda: texture.co_occurrence(IMAGE, [4], [4], 4, 4), "side must be odd, got 4"),
    (lambda: texture.levels_of(IMAGE, 1), "levels must be"),
])  # fmt: skip
def test_bad_windows_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_levels_are_equal_parts_of_the_range():
    assert texture.levels_of(np.array([-1, 0, 0.249, 0.25, 0.99, 1, 2]), 4).tolist() == [0, 0, 0, 1, 3, 3, 3]


def test_a_scene_has_buildings_on_three_surfaces():
    """Off the roofs the colours are those of the surfaces, but for light; a seed is a scene."""
    image, labels = images.scene(np.random.default_rng(0))
    again, bare = (images.scene(np.random.default_rng(0), buildings=b) for b in (12, 0))
    assert image.shape == (images.SIZE, images.SIZE, 3) and (image == again[0]).all()
    assert image.min() >= 0 and image.max() <= 1 and bare[1].sum() == 0
    assert 0.1 < labels.mean() < 0.6
    shade = bare[0].mean(axis=(0, 1)) / images.COLOURS.mean(axis=0)
    assert 0.75 < shade.min() and shade.max() < 1.15


def test_pixels_are_of_two_scenes_and_within_their_public_bounds():
    data, other = (images.pixels(seed, trained=300, tested=200) for seed in (1, 2))
    assert len(data) == 500 and tuple(data.X) == images.COLUMNS == data.domain.names
    lower, upper = data.domain.bounds.T
    assert (data.X.to_numpy() >= lower).all() and (data.X.to_numpy() <= upper).all()
    assert not data.X.equals(other.X) and data.X.duplicated().sum() == 0
    image, labels = images.scene(np.random.default_rng(1))
    colours = data.X[["red", "green", "blue"]].to_numpy()
    known = {tuple(p): k for p, k in zip(image.reshape(-1, 3), labels.ravel())}
    assert [images.CLASSES[known[tuple(p)]] for p in colours[:300]] == data.y[:300].tolist()
    assert not any(tuple(p) in known for p in colours[300:])


def test_a_repetition_trains_on_one_scene_and_tests_on_another():
    drawn = [task._drawn(experiments.get("mrf/figure-3-ours").cells[0], r, 0) for r in (0, 1)]
    assert drawn[0] != drawn[1]
    part = task._cached_split(drawn[0], False, 0, (0, 0), 0)
    data = images.pixels(drawn[0][2])
    assert part.X_train.equals(data.X[: images.TRAINED]) and len(part.X_test) == images.TESTED
    assert part.y_test.tolist() == data.y[images.TRAINED :].tolist()
    assert part.rarest == "building"


def test_the_runs_are_of_the_papers_six_forests():
    cells = experiments.get("mrf/figure-3-ours").cells
    assert [c.method for c in cells] == ["MRF", *mrf.RIVALS] and {c.draws for c in cells} == {1}
    assert {c.method: c.params for c in experiments.get("mrf/figure-3").cells} == {
        c.method: c.params for c in cells
    }


def test_why_the_pattern_has_eight_points():
    """Of eight times as many as the radius nearly all circles of a scene are no arc: one code for all."""
    found = {n: [] for n in (8, 8 * texture.RADIUS)}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        grey = images.scene(rng)[0] @ images.GREY
        places = rng.integers(texture.RADIUS, images.SIZE - texture.RADIUS, (2, 500))
        for n, shares in found.items():
            shares.append(np.mean(texture.patterns(grey, *places, points=n) == n + 1))
    assert np.mean(found[8]) < 0.5 and np.mean(found[8 * texture.RADIUS]) > 0.9
