"""What stands around every fit: open accounts are charged, and an error leaves the estimator as it was."""

from __future__ import annotations

import functools
import math
from importlib import import_module

import numpy as np

from dplit.errors import check_epsilon

NO_WEIGHTS = (
    "fit takes no sample_weight: epsilon is proved for records that count once, and a weight would scale "
    "what one person can change; leave it out, or repeat records and say so by records_per_person"
)


def undone_on_error(fit):
    """The same `fit`, charged to open accounts; where it stops with an error, the estimator is as it was.

    It has no parameter for weights, by which scikit-learn tells who takes them; to pass them is an error
    that says why. Parameters that are NumPy's numbers are Python's while it runs, since small integers of
    NumPy overflow.
    """

    @functools.wraps(fit)
    def fit_or_undo(self, *args, **kwargs):
        if "sample_weight" in kwargs or len(args) > 2:
            raise TypeError(NO_WEIGHTS)
        before = dict(vars(self))
        given = {name: before[name] for name in self.get_params(deep=False) if name in before}
        given = {name: value for name, value in given.items() if isinstance(value, np.generic)}
        try:
            vars(self).update({name: value.item() for name, value in given.items()})
            account = import_module("dplit.budget.accountant")
            with account.charged(self, lambda: declared(self), before.get("_sent_from")) as settle:
                fit(self, *args, **kwargs)
                settle(self.budget_.root)
            vars(self).update(given)
            return self
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return fit_or_undo


def declared(forest):
    """Epsilon and delta of a fit, as far as its parameters tell; infinite if they don't."""
    domain = forest.domain
    public = domain is not None and not getattr(domain, "data_dependent", ())
    proved = forest.accounting == "proved"
    epsilon = check_epsilon(forest.epsilon) if public and proved else math.inf
    return epsilon, getattr(forest, "delta", 0.0)
