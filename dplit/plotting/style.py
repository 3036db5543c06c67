"""Colours, fonts, axes and legends that every figure shares.

Contrast is WCAG's: at least 4.5 for text and 3 for lines, on the white ground of a figure and on the dark one that
the site makes of it; the colours also stay apart for readers without one of the three cones, as the tests compute.
A notebook's PNG has twice its resolution, says the size at which to show it, and is stored with a palette of 256
colours, to which antialiased lines and text on one ground lose nothing that shows.
"""

from __future__ import annotations

import io
from base64 import b64encode
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

try:
    import matplotlib
    import matplotlib.pyplot as plt
    import numpy as np
    import seaborn as sns
    from matplotlib.colors import to_hex, to_rgb
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(
        f"dplit.plotting needs matplotlib and seaborn ({error}): pip install 'dplit[plot]'"
    ) from error

INK = "#3b4149"
PALETTE = [
    BLUE := "#0078db",
    ORANGE := "#c57e01",
    GREEN := "#4da163",
    RED := "#b33600",
    PURPLE := "#8b146c",
    BROWN := "#4d3812",
    PINK := "#aa5989",
    GREY := "#948d8d",
    OLIVE := "#a78b3d",
    SKY := "#7e8fc6",
]
VERDICT_COLORS = {"holds": GREEN, "loose": BLUE, "assumes": PURPLE, "fails": ORANGE, "leaks": RED}
VERDICT_COLORS |= {"agrees": SKY, "differs": BROWN, "too close": OLIVE, "undecided": GREY}
DENSITY = 2  # pixels of a stored picture for each one that shows, in either direction
DARKENED = 0.93  # the share by which the site inverts a figure on a dark page

_RC = {
    "figure.figsize": (6.4, 3.6),
    "figure.dpi": 110,
    "savefig.dpi": 220,
    "savefig.bbox": "tight",
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.2,
    "grid.color": INK,
    "font.size": 11,
    "lines.linewidth": 2,
    **dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], INK),
}
_ABOVE = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.4, "columnspacing": 1.4}


def use() -> None:
    """Apply the style to every figure that follows, and show figures at double density."""
    sns.set_theme(style="ticks", palette=PALETTE, rc=_RC)
    sharpen()


@contextmanager
def axes(xlabel: str = "", ylabel: str = "", **subplot_options: object) -> Iterator[Axes]:
    """A figure with one set of axes in the house style, its axes labelled by quantity and unit; yields them.

    Whatever has a label is named in a legend above the axes, in as many columns as have room. Options are for
    `matplotlib.pyplot.subplots`.
    """
    use()
    _, ax = plt.subplots(**subplot_options)
    yield ax
    ax.set(xlabel=xlabel, ylabel=ylabel)
    legend_above(ax)


@contextmanager
def with_ratio(
    xlabel: str = "", ylabel: str = "", ratio: str = "", **subplot_options: object
) -> Iterator[tuple[Axes, Axes]]:
    """Two axes with one x-axis: curves above, and below them their ratios; yields both.

    For curves that coincide on the scale of the upper axes. Labels and options are as of `axes`; `ratio` is the
    lower y-axis's.
    """
    use()
    shape = {"figsize": (6.4, 4.8), "height_ratios": (2, 1)} | subplot_options
    _, (ax, below) = plt.subplots(2, sharex=True, **shape)
    yield ax, below
    ax.set_ylabel(ylabel)
    below.set(xlabel=xlabel, ylabel=ratio)
    legend_above(ax)


def legend_above(ax: Axes) -> None:
    """Fit a figure into its margins, and name what has a label above the axes.

    The legend has the most columns that have room; without labels there is none. One that is there is replaced;
    its title stays, and so does what it names, where that is not the axes' own labels.
    """
    handles, labels = ax.get_legend_handles_labels()
    old, title = ax.get_legend(), None
    if old is not None:
        named, title = [text.get_text() for text in old.get_texts()], old.get_title().get_text()
        if not set(named) <= set(labels):
            handles, labels = old.legend_handles, named
        old.remove()
    ax.figure.tight_layout()
    for columns in range(len(handles), 0, -1):
        if -(-len(handles) // -(-len(handles) // columns)) < columns:
            continue  # one column less has as few rows
        legend = ax.legend(handles, labels, ncols=columns, title=title or None, **_ABOVE)
        if _width(legend) <= _width(ax):
            return


def _width(artist: Artist) -> float:
    figure = artist.get_figure()
    return artist.get_window_extent(figure.canvas.get_renderer()).width


def label_styles(ax: Axes, **names: str) -> None:
    """Say in the legend what ``solid``, ``dashed``, ``dotted`` or ``dashdot`` lines mean, whatever the colour."""
    for style, name in names.items():
        ax.plot([], [], ls=style, color=INK, label=name)


def in_the_dark(color: str) -> str:
    """What becomes of a figure's color on a dark page: CSS `invert` and then `hue-rotate` by half a turn.

    Light and dark are exchanged and the hue stays, as the Filter Effects module of CSS defines the two filters;
    the share that is inverted makes white the ground of the page.
    """
    turned = DARKENED - (2 * DARKENED - 1) * np.array(to_rgb(color))
    grey = np.array([0.213, 0.715, 0.072])  # CSS rounds the luminances so
    return to_hex(np.clip(2 * grey @ turned - turned, 0, 1))


def sharpen() -> None:
    """Show figures at double density from here on, in a notebook; elsewhere nothing happens."""
    shell = _shell()
    if shell is not None and "inline" in matplotlib.get_backend():
        # sets its own formatter when it is loaded
        import_module("matplotlib_inline.backend_inline")
        shell.display_formatter.formatters["image/png"].for_type(Figure, picture)


def _shell() -> object:
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def picture(figure: Figure) -> tuple[str, dict[str, int]]:
    """The PNG of a figure in base64, and the width and height at which to show it, in pixels of the page."""
    from PIL import Image

    stored = io.BytesIO()
    figure.savefig(stored, format="png", dpi=DENSITY * figure.dpi, bbox_inches="tight")
    image = Image.open(stored).convert("RGB")
    small = io.BytesIO()
    image.quantize(256, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    size = dict(zip(("width", "height"), (round(side / DENSITY) for side in image.size)))
    return b64encode(small.getvalue()).decode("ascii"), size
