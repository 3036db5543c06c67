"""What the dockets of this chapter share: papers, budgets, and the loss of two laws."""

import numpy as np

V1, V2, RDF = "diprime-v1", "diprime-v2", "rdf"
EPSILONS = (0.1, 1.0, 3.0)
FAR = 60.0  # a candidate that this many nats lie behind has no weight in a double


def loss(log_law, log_other):
    """Privacy loss of two laws, given by their logarithms."""
    return float(np.abs(np.asarray(log_law) - log_other).max())
