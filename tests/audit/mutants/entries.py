"""Bugs of the newest ways in: blocks, several records of a person, mixed releases, exact noise, numbers."""

import numpy as np

from dplit.court.audit.mutants import at, plant
from dplit.forests.blocks import AT_ONCE
from tests.audit.mutants._shapes import DRAWN, RDF, told

PRESET, HISTOGRAM = "PrivateForestClassifier", "HistogramForestClassifier"


@plant("records of a person are counted one by one", f"{RDF}, a person of two records",
       at("forests.base", "BaseForest", "_check"))  # fmt: skip
def _one_by_one(original):
    """A parameter that is put right before it is used."""

    def _check(self):
        original(self)
        self.records_per_person = 1

    return _check


@plant("lengths of blocks are taken for public", f"{PRESET}, fits of unlike tables",
       at("forests.preset", "BasePrivateForest", "_counted"))  # fmt: skip
def _public_blocks(original):
    """A collection knows its chunks without looking at a record."""

    def _counted(self, records):
        found = original(self, records)
        if hasattr(records, "like"):
            self.n_records = found
        return found

    return _counted


@plant("counts of nobody get no noise", f"{HISTOGRAM}, what a fit stores",
       at("mechanisms.geometric", "Geometric", "sample"))  # fmt: skip
def _sparse(original):
    """A mixture of priors is the better the more cells are known to be empty."""

    def sample(self, values, *, rng):
        return np.where(np.asarray(values) == 0, 0, original(self, values, rng=rng))

    return sample


@plant(
    "minus zero is kept", f"Geometric, noise on a count, exact noise{DRAWN}", at("mechanisms.exact", "two_sided")
)
def _minus_zero(original):
    """A sign and a geometric number, without the rejection of algorithm 2."""

    def two_sided(rate, size, rng):
        from dplit.mechanisms.exact import geometric

        magnitude = np.array([geometric(rate, rng) for _ in range(size)], dtype=np.int64)
        return np.where(rng.integers(0, 2, size=size) == 1, -magnitude, magnitude)

    return two_sided


@plant("a noisy number is raised to the true one", f"{PRESET}, fits of unlike tables",
       at("forests.boosted_releases", "size"))  # fmt: skip
def _raised(original):
    def size(n_records, known, epsilon, neighbours, rng):
        n, *rest = original(n_records, known, epsilon, neighbours, rng)
        return n if n_records is None else max(n, n_records), *rest

    return size


@plant("sums of more than eight blocks overlap", "RandomDecisionForestClassifier from many blocks",
       at("forests.blocks", "DaskParts", "total"))  # fmt: skip
def _overlapping(original):
    """A border that belongs to both groups."""

    def total(self, ask, *told):

        parts = self.parts
        borders = [parts[i] for i in range(AT_ONCE, len(parts), AT_ONCE)]
        try:
            self.parts = parts + borders
            return original(self, ask, *told)
        finally:
            self.parts = parts

    return total


@plant("a tree of no record is one leaf", "DPRandomForestClassifier, trees of one record and of many",
       at("trees.greedy_levels", "_one_tree"))  # fmt: skip
def _no_record(original):
    def _one_tree(codes, arity, y, n_classes, part, rule, *rest):
        rule = rule if len(part) else rule._replace(max_depth=0)
        return original(codes, arity, y, n_classes, part, rule, *rest)

    return _one_tree


told("epsilon of a rho at twice its delta", "budget, epsilon for a rho", at("budget", "epsilon_of"),
     delta=lambda delta: 2 * delta)  # fmt: skip


@plant("geometric epsilon rounded up to a decimal", "geometric noise at epsilon 0.2137 draws its law",
       at("mechanisms", "Geometric", "__init__"))  # fmt: skip
def _rounded(original):
    def __init__(self, epsilon, *rest, **options):
        original(self, np.ceil(10 * epsilon) / 10, *rest, **options)

    return __init__
