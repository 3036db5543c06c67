r"""The MRF paper's score at a node of public candidates, stretched to [0, 1] over all cuts of all open columns.

That is the joint draw of `dplit.trees.cuts` with a weight of the node's own, :math:`r/(\max G - \min G)` for a
gain :math:`G`. The reference for the distribution is `dplit.multinomial.normalised_split_law`.
"""

import numpy as np
from numba import njit, types
from numba.extending import overload

from dplit.trees.cuts import explain_cuts, read_values
from dplit.trees.levels import count_levels, explain_sets
from dplit.trees.rules import NormalisedRule, Rule

TIED = 1e-12  # what differs by less than this, a record, differs by rounding


def stretched(rule, columns, order, y, n_classes, n_open, path, depth, starts, rng, choice, work):
    """The `Rule` of a node: `rule` itself, or, of a `NormalisedRule`, the one for its records; compiled."""
    raise NotImplementedError("stretched is for compiled code")


@overload(stretched)
def _stretched(rule, columns, order, y, n_classes, n_open, path, depth, starts, rng, choice, work):
    def given(rule, columns, order, y, n_classes, n_open, path, depth, starts, rng, choice, work):
        return rule

    def for_the_node(rule, columns, order, y, n_classes, n_open, path, depth, starts, rng, choice, work):
        least, most = np.inf, -np.inf
        for k in range(n_open):
            j = choice.columns[k]
            first, last = starts[j], starts[j + 1]
            if first == last:
                ids = order[choice.row_of[j]]
                low, high = path.low[depth, j], path.high[depth, j]
                found = _range_of_cuts(columns[j], ids, y, n_classes, low, high, work)
            else:
                allowed = path.left[depth, first:last]
                found = _range_of_sets(work.subsets, columns[j], order[0], y, n_classes, allowed, rng, work)
            least, most = min(least, found[0]), max(most, found[1])
        width = most - least
        rate = rule.weight / width if width > TIED * order.shape[1] else 0.0
        return Rule(rule.max_depth, rule.max_features, 0.0, rate, rule.choice, True, False)

    return for_the_node if rule.instance_class is NormalisedRule else given


@njit(cache=True, nogil=True)
def _range_of_cuts(column, ids, y, n_classes, low, high, work):
    """The least and the most that a cut in [low, high) explains."""
    read_values(column, ids, low, high, work.values)
    explain_cuts(ids, y, n_classes, work)
    least, most = np.inf, -np.inf
    for j in range(len(ids) + 1):
        if work.weights[j] > -np.inf:
            least, most = min(least, work.weights[j]), max(most, work.weights[j])
    return least, most


def _range_of_sets(subsets, column, ids, y, n_classes, allowed, rng, work):
    """The least and the most that a set of the allowed levels explains; compiled."""
    raise NotImplementedError("_range_of_sets is for compiled code")


@overload(_range_of_sets)
def _range_where_there_are_levels(subsets, column, ids, y, n_classes, allowed, rng, work):
    def never(subsets, column, ids, y, n_classes, allowed, rng, work):
        return np.inf, -np.inf

    def some(subsets, column, ids, y, n_classes, allowed, rng, work):
        n_levels = count_levels(column, ids, y, n_classes, allowed, work)
        scores = work.scores[: explain_sets(n_levels, n_classes, rng, work)]
        return scores.min(), scores.max()

    return never if isinstance(subsets, types.NoneType) else some
