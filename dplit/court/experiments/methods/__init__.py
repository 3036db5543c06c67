"""The methods that experiments compare: each a function of a setting and its parameters.

``METHODS[name](setting, **params)`` gives an unfitted estimator with ``fit`` and ``predict``. The
parameters have one vocabulary for all methods: `epsilon`, `n_estimators`, `max_depth`,
`max_features` (the papers' K), `rho`, `partitioned`, `reached` (trees grow only where records go),
`min_samples_leaf` (MRF's k) and its budgets. A method takes those that it has. `n_records`, the size
of a synthetic draw, and `missing`, as `dplit.datasets.load` takes it, are for the data alone.
"""

from dplit.court.experiments.methods.by_name import METHODS

__all__ = ["METHODS"]
