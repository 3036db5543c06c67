r"""How far a cut on the public grid is from the cut that this chapter's laws speak of.

The package draws cuts on `dplit.domain.GRID` equal steps of a column (`dplit.trees.grid`), the laws draw
real numbers. Both weigh an interval between two records by its length and what it separates.
"""

from dplit.domain import GRID
from dplit.ground.errors import check_integer, check_positive


def grid_distance(n: int, largest: float, mean: float, columns: int = 1, steps: int = GRID) -> float:
    r"""The most that the law of a cut on the grid can differ from that of a real cut, in total variation.

    .. math:: \mathrm{TV} \le \frac{n K \max w}{2 m \bar w}

    Of the grid point that the cut belongs to, and so of how the records are split. Attained. Derived in
    :doc:`/book/median_forest`; ours. Returns float, or a fraction if the weights are fractions.

    `n`: records of the node; `largest`: largest weight of an interval that has a length, before or after the
    records are moved; `mean`: mean weight over the range under the law of the reals, summed over the columns;
    `columns`: K columns of one draw of column and cut by the exponential mechanism; `steps`: m of the grid.

    Examples
    --------
    >>> grid_distance(1000, 1.0, 0.5) < 3e-7
    True
    """
    largest, mean = check_positive(largest, "largest"), check_positive(mean, "mean")
    n, columns = check_integer(n, "n", 0), check_integer(columns, "columns", 1)
    return n * columns * largest / (2 * check_integer(steps, "steps", 1) * mean)
