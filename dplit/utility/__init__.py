r"""What privacy costs a tree of medians: squared error and accuracy, against the tree without noise.

Notation: N = `n` records, `depth` d, leaves of :math:`M = N/2^d` records in the tree without noise;
targets in :math:`[B_L, B_U]`, :math:`R = B_U - B_L` and :math:`B = \max(|B_L|, |B_U|)`. `t` is a
distance from M in records in DiPriMe v1, and a least size of the smaller block in v2. Every loss is
counted on the training records, a squared error as a sum over them.

A leaf mean gets Laplace noise of scale :math:`R/(N_i \epsilon)`, as both papers have it: this covers
either neighbouring relation for a public :math:`N_i`, but :math:`N_i` is private. A class count gets
Laplace noise of scale :math:`1/\epsilon`, which is :math:`\epsilon`-private under add-remove;
replace-one needs :math:`\epsilon/2` in its place.

Throughout, `lower` and `upper` are the public bounds of the target and `epsilon` is the budget of the leaves,
the papers' :math:`\epsilon_2` and :math:`\epsilon_\ell`, positive. For a tree n is a multiple of :math:`2^d`, d
at least 1; for a split n is at least 2 and t a positive number with a split of more than t records on each side.
A ValueError names an argument out of its range.

===================================  ===========================================================
a tree (v1)                          published `published_leaf_change`, `published_change`,
                                     `published_loss`; exact `leaf_change`, `worst_change`,
                                     `worst_loss`; bounds `change_bound`, `loss_bound`
one split, regression (v2)           published `published_split_loss`; exact
                                     `worst_split_loss`, `expected_split_loss`; bound `split_loss_bound`
one split, classification (v2)       published `published_flip`, `published_accuracy_loss`; exact
                                     `label_law`, `worst_accuracy_loss`; bound `accuracy_loss_bound`
===================================  ===========================================================

Derived in :doc:`/book/utility`.
"""

from dplit.utility.labels import (
    WORST_GAP,
    WORST_LABEL_LOSS,
    accuracy_loss_bound,
    expected_accuracy,
    label_law,
    label_loss,
    label_loss_bound,
    published_accuracy_loss,
    published_flip,
    worst_accuracy_loss,
)
from dplit.utility.split import (
    expected_split_loss,
    expected_sse,
    published_split_loss,
    published_split_loss_appendix,
    split_loss_bound,
    worst_split_change,
    worst_split_loss,
)
from dplit.utility.tree import (
    alternating_change,
    change_bound,
    change_bound_any,
    leaf_change,
    leaf_change_any,
    leaf_noise,
    leaf_shift,
    loss_bound,
    published_change,
    published_leaf_change,
    published_loss,
    worst_change,
    worst_loss,
    zeta,
)

__all__ = [
    "WORST_GAP", "WORST_LABEL_LOSS", "accuracy_loss_bound", "alternating_change", "change_bound",
    "change_bound_any", "expected_accuracy", "expected_split_loss", "expected_sse", "label_law", "label_loss",
    "label_loss_bound", "leaf_change", "leaf_change_any", "leaf_noise", "leaf_shift", "loss_bound",
    "published_accuracy_loss", "published_change", "published_flip", "published_leaf_change",
    "published_loss", "published_split_loss", "published_split_loss_appendix", "split_loss_bound",
    "worst_accuracy_loss", "worst_change", "worst_loss", "worst_split_change", "worst_split_loss",
    "zeta",
]  # fmt: skip
