"""Forests of more records than one machine holds: what is the same, what it costs, and what it is worth.

===================================================  =========================================
subject                                              where
===================================================  =========================================
sums of doubles in another order, another split      `cuttings`, `best_test`, `in_steps`
the same forest from any blocks                      `CutForest`, `random_blocks`,
                                                     `same_release`, `most_records`
bytes that are kept and sent                         `record_bytes`, `level_bytes`,
                                                     `sent_bytes`, `column_codes`
from how many records on noise is less than chance   `share_error`, `enough_records`,
                                                     `far_off`, `chebyshev`
growth to a hundred million records                  `stored_growth`
===================================================  =========================================

Numbers of records, columns, codes and outputs are whole and at least 1, a depth is from 1 to 16, and a ValueError
names an argument out of its range. Derived in :doc:`/book/scale`.
"""

from dplit.scale.cost import column_codes, level_bytes, record_bytes, sent_bytes
from dplit.scale.cut import CutForest, random_blocks, same_release
from dplit.scale.growth import class_shares, stored_growth
from dplit.scale.noise import chebyshev, enough_records, far_off, noise_variance, share_error
from dplit.scale.order import TESTS, THREE, best_test, cuttings, in_steps, mass, most_records

__all__ = [
    "TESTS", "THREE", "CutForest", "best_test", "chebyshev", "class_shares",
    "column_codes", "cuttings",
    "enough_records", "far_off", "in_steps", "level_bytes", "mass", "most_records", "noise_variance",
    "random_blocks", "record_bytes", "same_release", "sent_bytes", "share_error", "stored_growth",
]  # fmt: skip
