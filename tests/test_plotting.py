"""The figure style: readable on light and dark pages, labelled, and without a title."""

from __future__ import annotations

import base64
import io
import itertools
import math
from pathlib import Path

import matplotlib as mpl
import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dplit import Continuous, Domain, plotting
from dplit.court.ledger import RUN_VERDICTS, VERDICTS
from dplit.forests import BoostedForestRegressor
from dplit.forests.shapes import additive_shape

mpl.use("agg")


GROUNDS = {"light": str, "dark": plotting.in_the_dark}  # what the site makes of a figure's colours
SHEET = Path(__file__).parents[1] / "book" / "_static" / "dplit.css"
# What readers without one kind of cone see: Machado, Oliveira and Fernandes 2009, linear RGB.
VISIONS = {
    "full": np.eye(3),
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
APART = 12  # CIELAB units; 2.3 is a just noticeable difference


def linear(color):
    """Linear RGB of an sRGB color."""
    srgb = np.array(mpl.colors.to_rgb(color))
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def luminance(color):
    return linear(color) @ [0.2126, 0.7152, 0.0722]


def contrast(one, other):
    """Contrast ratio as WCAG 2 defines it."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    """CIELAB of linear RGB under D65."""
    to_xyz = np.array([0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522, 0.072175])
    to_xyz = np.append(to_xyz, [0.0193339, 0.119192, 0.9503041]).reshape(3, 3)
    xyz = to_xyz @ np.clip(rgb, 0, 1) / [0.95047, 1, 1.08883]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("seen", GROUNDS.values(), ids=GROUNDS)
def test_text_and_lines_stand_out_from_their_ground(seen):
    ground = seen("white")
    assert contrast(seen(plotting.INK), ground) >= 4.5
    assert [c for c in plotting.PALETTE if contrast(seen(c), ground) < 3] == []


def test_contrast_is_that_of_the_standard():
    assert contrast("white", "black") == pytest.approx(21)
    assert contrast("#767676", "white") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("seen", GROUNDS.values(), ids=GROUNDS)
def test_the_colours_stay_apart_without_colour_vision(seen, vision):
    looks = [lab(np.array(VISIONS[vision]) @ linear(seen(c))) for c in plotting.PALETTE]
    apart = [np.linalg.norm(a - b) for a, b in itertools.combinations(looks, 2)]
    assert min(apart) >= APART


def test_the_ground_and_the_hues_of_a_dark_page():
    assert plotting.in_the_dark("white") == "#121212"
    assert plotting.in_the_dark("black") == "#ededed"
    for color in plotting.PALETTE:
        hues = [mpl.colors.rgb_to_hsv(mpl.colors.to_rgb(c))[0] for c in (color, plotting.in_the_dark(color))]
        assert abs((np.subtract(*hues) + 0.5) % 1 - 0.5) < 0.04, color


def test_the_site_turns_figures_around_as_computed():
    share = plotting.style.DARKENED
    assert f"filter: invert({share}) hue-rotate(180deg);" in SHEET.read_text("utf-8")
    light, dark = SHEET.read_text("utf-8").split('html[data-theme="dark"] {', 1)
    for verdict, color in plotting.VERDICT_COLORS.items():
        assert f"--verdict-{verdict.replace(' ', '-')}: {color};" in light
        assert f"--verdict-{verdict.replace(' ', '-')}: {plotting.in_the_dark(color)};" in dark


def test_every_verdict_has_a_colour_of_its_own():
    assert set(plotting.VERDICT_COLORS) == {*VERDICTS, *RUN_VERDICTS}
    for one, other in itertools.combinations(plotting.VERDICT_COLORS.values(), 2):
        assert one != other


def test_the_style_holds_for_figures_that_follow():
    with mpl.rc_context():
        plotting.use()
        assert mpl.rcParams["figure.facecolor"] == mpl.rcParams["axes.facecolor"] == "white"
        assert mpl.colors.same_color(mpl.rcParams["text.color"], plotting.INK)
        cycle = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
        assert list(map(mpl.colors.to_hex, cycle)) == plotting.PALETTE


def test_a_picture_has_twice_the_pixels_that_it_shows_and_no_transparent_one():
    from PIL import Image

    from dplit.plotting.style import picture

    with mpl.rc_context():
        with plotting.axes("x", "y", figsize=(3, 2)) as ax:
            ax.plot([0, 1], color=plotting.BLUE)
        data, size = picture(ax.figure)
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    assert image.size == (2 * size["width"], 2 * size["height"])
    assert abs(size["width"] - 3 * 110) < 40
    assert image.convert("RGBA").getextrema()[3] == (255, 255)
    colors = {tuple(c) for c in np.array(image.convert("RGB")).reshape(-1, 3)}
    assert tuple(round(255 * v) for v in mpl.colors.to_rgb(plotting.BLUE)) in colors
    plt.close("all")


def test_axes_are_labelled_with_a_legend_and_no_title():
    with mpl.rc_context():
        with plotting.axes("gap", "probability", figsize=(3, 2)) as ax:
            ax.plot([0, 1], [0, 1], label="law")
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("gap", "probability", "")
        assert [t.get_text() for t in ax.get_legend().get_texts()] == ["law"]
        assert ax.figure.get_size_inches().tolist() == [3, 2]
        with plotting.axes("x", "y") as bare:
            bare.plot([0, 1])
        assert bare.get_legend() is None
    plt.close("all")


def test_a_band_is_the_interval_around_its_curve():
    series = pd.DataFrame({"mean": [1.0, 2.0], "reach": [0.5, 1.0]}, index=[10, 20])
    with plotting.axes("x", "y") as ax:
        line = plotting.band(ax, series, "curve")
        low = [box.ymin for box in (c.get_datalim(ax.transData) for c in ax.collections)]
    assert line.get_ydata().tolist() == [1.0, 2.0] and line.get_xdata().tolist() == [10, 20]
    assert low == [0.5] and line.get_label() == "curve"
    plt.close("all")


def test_a_legend_lies_above_the_axes_in_as_many_columns_as_have_room():
    with mpl.rc_context():
        for size, rows in (((8, 3), 1), ((3.2, 3), 3)):
            with plotting.axes("x", "y", figsize=size) as ax:
                for name in ("one of the curves", "another curve", "the third curve"):
                    ax.plot([0, 1], label=name)
                ax.legend(loc="center")
            ax.figure.canvas.draw()
            box = ax.get_legend().get_window_extent()
            assert box.y0 >= ax.get_window_extent().y1
            assert box.width <= ax.get_window_extent().width
            tops = {round(t.get_window_extent().y0) for t in ax.get_legend().get_texts()}
            assert len(tops) == rows
            assert len(ax.get_legend().get_texts()) == 3
    plt.close("all")


def test_a_legend_that_names_other_things_keeps_them():
    with mpl.rc_context():
        with plotting.axes("x", "y") as ax:
            (line,) = ax.plot([0, 1], color=plotting.RED)
            ax.plot([1, 0], label="left out")
            ax.legend([line], ["mine"], title="which")
        legend = ax.get_legend()
        assert [t.get_text() for t in legend.get_texts()] == ["mine"]
        assert legend.get_title().get_text() == "which"
        assert legend.legend_handles[0].get_color() == plotting.RED
    plt.close("all")


def test_line_styles_are_named_whatever_the_colour():
    with mpl.rc_context():
        with plotting.axes("x", "y") as ax:
            ax.plot([0, 1], "--")
            plotting.label_styles(ax, dashed="bound", dotted="level")
        texts = [t.get_text() for t in ax.get_legend().get_texts()]
        styles = [handle.get_linestyle() for handle in ax.get_legend().legend_handles]
        assert texts == ["bound", "level"] and styles == ["--", ":"]
    plt.close("all")


def test_ratios_share_the_x_axis_of_their_curves():
    with mpl.rc_context():
        with plotting.with_ratio("x", "tail", "to exact") as (ax, below):
            ax.plot([1, 2], [3, 4], label="exact")
            below.plot([1, 2], [1, 1])
        assert ax.get_shared_x_axes().joined(ax, below)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("", "tail")
        assert (below.get_xlabel(), below.get_ylabel()) == ("x", "to exact")
        assert ax.get_window_extent().y0 > below.get_window_extent().y1
        assert [t.get_text() for t in ax.get_legend().get_texts()] == ["exact"]
    plt.close("all")


def test_dots_show_every_entry_in_rows_and_name_them():
    table = pd.DataFrame({"one": [0.1, 0.2], "two": [0.1, np.nan]}, index=["a", "b"])
    with plotting.axes("score") as ax:
        plotting.dots(ax, table, {"a": "first"}, reach=table / 10)
    ends = [path.vertices[:, 0] for path in ax.collections[0].get_paths()]
    assert np.allclose(ends, [[0.09, 0.11], [0.18, 0.22]])
    lines = ax.get_lines()
    assert [line.get_label() for line in lines] == ["one", "two"]
    assert lines[0].get_xdata().tolist() == [0.1, 0.2]
    assert len({line.get_marker() for line in lines}) == 2
    apart = lines[1].get_ydata()[0] - lines[0].get_ydata()[0]
    assert 0 < apart < 1, "equal entries both show, within their row"
    assert [t.get_text() for t in ax.get_yticklabels()] == ["first", "b"]
    assert ax.yaxis_inverted()
    plt.close("all")


def test_a_figure_is_as_tall_as_its_rows_need():
    heights = []
    for rows in (5, 30):
        with plotting.axes("score") as ax:
            plotting.dots(ax, pd.DataFrame({"one": np.arange(rows)}))
        heights.append(ax.figure.get_figheight())
    assert heights[1] > heights[0] + 5
    plt.close("all")


def test_a_picture_of_a_forest_changes_no_later_figure():
    schema = {"domain": Domain({"u": Continuous(0, 1)}), "target_bounds": (1, 9), "target_scale": "log"}
    forest = BoostedForestRegressor(math.inf, **schema, n_estimators=1, max_depth=1)
    forest.fit(pd.DataFrame({"u": [0.2, 0.8]}), [2.0, 8.0])
    with mpl.rc_context():
        mpl.rcdefaults()
        before = dict(mpl.rcParams)
        for ax in (plotting.plot_tree(forest), plotting.plot_shape(additive_shape(forest, "u"))):
            assert ax.figure is not None
        assert {k: v for k, v in before.items() if mpl.rcParams[k] != v and k != "backend"} == {}
    assert forest.export_text().splitlines()[0].endswith(" (log)")
