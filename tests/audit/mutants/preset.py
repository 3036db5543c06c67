"""Bugs of the preset: a number of records that was not paid for."""

from dplit.court.audit.mutants import at, plant
from tests.audit.mutants._shapes import DRAWN, unpaid

SIZE = at("forests.boosted_releases", "size")


@plant("the preset plans for the true number", "PrivateForestClassifier, fits of unlike tables", SIZE)
def _true_number(original):
    def size(n_records, known, epsilon, neighbours, rng):
        true = known if n_records is None else n_records
        return true, *original(n_records, known, epsilon, neighbours, rng)[1:]

    return size


unpaid("a number of records at twice its rate", f"PrivateForestClassifier, number of records{DRAWN}", SIZE,
       epsilon=lambda epsilon: 2 * epsilon)  # fmt: skip
