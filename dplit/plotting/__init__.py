"""One figure style for the whole book.

Figures have a white ground of their own and dark ink; on dark pages the site turns both around (see
``in_the_dark``). Their colours stand out from the ground in either and stay apart without colour vision; line
styles and marks say the same once more. Pictures are stored at double density, legends lie above the axes, where
they hide nothing, and there is no title inside the axes: the caption says it.
"""

from dplit.plotting.charts import MARKS, band, dots
from dplit.plotting.style import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INK,
    OLIVE,
    ORANGE,
    PALETTE,
    PINK,
    PURPLE,
    RED,
    SKY,
    VERDICT_COLORS,
    axes,
    in_the_dark,
    label_styles,
    legend_above,
    use,
    with_ratio,
)
from dplit.plotting.trees import plot_shape, plot_tree

__all__ = [
    "BLUE", "BROWN", "GREEN", "GREY", "INK", "MARKS", "OLIVE", "ORANGE", "PALETTE", "PINK", "PURPLE", "RED", "SKY",
    "VERDICT_COLORS", "axes", "band", "dots", "in_the_dark", "label_styles", "legend_above", "plot_shape",
    "plot_tree", "use", "with_ratio",
]  # fmt: skip
