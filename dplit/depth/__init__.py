r"""How deep a random tree should be, and how many of its leaves stay empty (RDF, sections 4.2.1, 4.3).

Notation: :math:`s` continuous features, of which each node of a path tests one, uniformly and with
replacement; :math:`r` discrete features, each tested at most once on a path; :math:`m = s + r`; :math:`d`
the depth; :math:`X` the number of features that a path of :math:`d` nodes does not test; :math:`n` records,
:math:`\tau` trees, :math:`L` leaves. Which depth is best depends on :math:`n`, :math:`\epsilon` and the target:
`best_depth`.

In the functions numbers of features, nodes, records and trees are whole and at least 0, or 1 where none would
mean nothing; `continuous` is s and `discrete` r. `one` is the number one in the arithmetic that is wanted:
``Fraction(1)`` makes a law rational. A ValueError names an argument out of its range. Derived in
:doc:`/book/depth`.
"""

from dplit.depth.best import (
    best_depth,
    deeper_from,
    effective_records,
    forest_accuracy,
    parity_accuracy,
    relevant_tested,
    vote_law,
)
from dplit.depth.leaves import (
    empty_leaf_visited,
    empty_leaves,
    empty_leaves_floor,
    expected_empty_floor,
    leaves_law,
)
from dplit.depth.untested import (
    expected_untested,
    expected_untested_mixed,
    published_depth,
    table_depth,
    untested_features,
)

__all__ = [
    "best_depth", "deeper_from", "effective_records", "empty_leaf_visited", "empty_leaves",
    "empty_leaves_floor", "expected_empty_floor", "expected_untested", "expected_untested_mixed",
    "forest_accuracy", "leaves_law", "parity_accuracy", "published_depth", "relevant_tested",
    "table_depth", "untested_features", "vote_law",
]  # fmt: skip
