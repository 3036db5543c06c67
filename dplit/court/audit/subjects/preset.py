"""The preset in ``dplit audit``: the number of records that it buys, and the family that the number decides.

The exact rows have one column of two levels, two classes, and numbers from which a histogram is advised.
"""

import math
from itertools import combinations_with_replacement, product

import numpy as np

from dplit.boosting import advise
from dplit.court.audit.subject import AR, fits, subject, worst_of
from dplit.domain import Categorical, Domain
from dplit.mechanisms import Geometric
from dplit.neighbours import neighbouring_data

EPSILON = 8.0
SHARES = 0.01 * EPSILON, 0.03 * EPSILON  # of the number, and of the second one
BORDER, MOST = 125, 200  # the first number that is not small, and the largest that is looked at
FAR = 40  # noise of a count beyond which its log-ratio no longer changes
KIND = "PrivateForestClassifier"
CELLS = tuple(product((0, 1), (0, 1)))
TWO_LEVELS = Domain([Categorical(["a", "b"])])


def _logs_of_the_number(n, share):
    """Log-probability of each number from 1 to `MOST` that a fit of n records may be told; at 1 it is cut."""
    law = Geometric(share)
    return np.r_[math.log(law.cdf(1 - n)), np.log(law.pmf(np.arange(2, MOST + 1) - n))]


def _exact(effort, rng):
    """Of every pair, the worst numbers at which a histogram is advised, and the worst counts with them."""
    sizes, found = range(1, effort.pick(3, 4, 5) + 1), []
    tables = [table for size in sizes for table in combinations_with_replacement(CELLS, size)]
    # that there is a record is public
    pairs = [(data, other) for data in tables for other in neighbouring_data(data, CELLS, AR) if other]
    for shares in (SHARES[:1], SHARES):
        rest = EPSILON - sum(shares)
        counted = [n for n in range(1, MOST + 1) if advise(n, rest, 2, 2).family == "histogram"]
        last = np.array([n for n in counted if len(shares) == 2 or n >= BORDER]) - 1
        noise, shifted = (Geometric(rest).pmf(np.arange(-FAR, FAR + 1) - moved) for moved in (0, 1))
        of_a_count = float(np.abs(np.log(noise) - np.log(shifted)).max())
        for data, other in pairs:
            ratios = [_logs_of_the_number(len(data), s) - _logs_of_the_number(len(other), s) for s in shares]
            ends = [[f(ratios[-1][last]) + sum(f(r[: BORDER - 1]) for r in ratios[:-1])] for f in (min, max)]
            moved = sum(abs(data.count(cell) - other.count(cell)) for cell in CELLS)
            found.append((float(np.abs(ends).max()) + moved * of_a_count, str(data), str(other)))
    return worst_of(EPSILON, found)


def planned_for(fitted):
    """Summary: the number of records that the fit was planned for."""
    return fitted.forest_.n_records


def registered():
    """The subjects of this file."""
    yield subject("preset, number and histogram, two classes, add-remove", _exact)
    # at epsilon 80 so small a number costs 0.8 and 2.4, whatever is fitted afterwards
    number = fits(KIND, ([[0.1], [0.3], [0.6], [0.9]], [0, 0, 1, 1]), ("add", [0.8], 0), planned_for,
                  (300, 2000, 10_000), declared=3.2, epsilon=80.0, max_depth=0)  # fmt: skip
    yield subject(f"{KIND}, number of records", number)
