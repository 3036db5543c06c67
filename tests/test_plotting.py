"""The figure style: readable on light and dark pages, labelled, and without a title."""

from __future__ import annotations

import itertools

import matplotlib as mpl
import matplotlib.colors
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dplit import plotting
from dplit.ledger import RUN_VERDICTS, VERDICTS

mpl.use("agg")


def luminance(color):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in mpl.colors.to_rgb(color)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Contrast ratio as WCAG 2 defines it."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ground", ["#ffffff", "#14181e", "#121212"])
def test_ink_is_readable_on_both_grounds(ground):
    assert contrast(plotting.INK, ground) >= 3.5


def test_every_verdict_has_a_colour_of_its_own():
    assert set(plotting.VERDICT_COLORS) == {*VERDICTS, *RUN_VERDICTS}
    for one, other in itertools.combinations(plotting.VERDICT_COLORS.values(), 2):
        assert one != other


def test_the_style_holds_for_figures_that_follow():
    with mpl.rc_context():
        plotting.use()
        assert mpl.rcParams["axes.facecolor"] == "none"
        assert mpl.rcParams["savefig.transparent"]
        assert mpl.colors.same_color(mpl.rcParams["text.color"], plotting.INK)


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


def test_a_band_has_two_standard_errors_around_its_curve():
    series = pd.DataFrame({"mean": [1.0, 2.0], "deviation": [0.5, 1.0]}, index=[10, 20])
    with plotting.axes("x", "y") as ax:
        line = plotting.band(ax, series, "curve", repetitions=4)
        low = [box.ymin for box in (c.get_datalim(ax.transData) for c in ax.collections)]
    assert line.get_ydata().tolist() == [1.0, 2.0] and line.get_xdata().tolist() == [10, 20]
    assert low == [0.5] and line.get_label() == "curve"
    plt.close("all")


def test_dots_show_every_entry_and_name_the_rows():
    table = pd.DataFrame({"one": [0.1, 0.2], "two": [0.3, np.nan]}, index=["a", "b"])
    with plotting.axes("", "score") as ax:
        plotting.dots(ax, table, {"a": "first"})
    lines = ax.get_lines()
    assert [line.get_label() for line in lines] == ["one", "two"]
    assert lines[0].get_ydata().tolist() == [0.1, 0.2]
    assert len({line.get_marker() for line in lines}) == 2
    assert [t.get_text() for t in ax.get_xticklabels()] == ["first", "b"]
    plt.close("all")
