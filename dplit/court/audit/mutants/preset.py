"""Bugs of the preset: a number of records that was not paid for."""

from __future__ import annotations

from dplit.court.audit.mutants import at, plant

SIZE = at("forests.boosted_releases", "size")


@plant("the preset plans for the true number", "PrivateForestClassifier, number of records", SIZE)
def _true_number(original):
    def size(n_records, known, epsilon, neighbours, rng):
        true = known if n_records is None else n_records
        return true, *original(n_records, known, epsilon, neighbours, rng)[1:]

    return size


@plant("a number of records at twice its rate", "preset, number draws its law", SIZE)
def _doubled(original):
    def size(n_records, known, epsilon, neighbours, rng):
        n, _, _ = original(n_records, known, 2 * epsilon, neighbours, rng)
        return n, *original(n_records, known, epsilon, neighbours, rng)[1:]

    return size
