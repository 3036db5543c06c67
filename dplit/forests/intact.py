"""Whether what a fitted forest holds is what was fitted, or has to be compared before compiled code reads it.

What a fit and `dplit.load` leave is right and can't be written to. A forest with an attribute that was assigned
since, or out of a pickle or a deep copy, is compared once, by its next prediction: routing trusts positions.
"""

from weakref import WeakKeyDictionary

import numpy as np

from dplit.forests.file_checks import ANSWERS, check_fitting

_intact = WeakKeyDictionary()  # of a forest the fitted attributes that were right


def seal(forest):
    """Take a forest as it is for right, and its arrays as final: writing to one is NumPy's error."""
    fitted = vars(forest)
    held = [value for name, value in fitted.items() if name.startswith(ANSWERS)]
    if "trees_" in fitted:
        held += vars(fitted["trees_"]).values()
    for array in held:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    _intact[forest] = _fitted(forest)


def _fitted(forest):
    return {name: value for name, value in vars(forest).items() if name.endswith("_")}


def pass_on(forest, copied):
    """A copy that shares the attributes is as right as they are."""
    if forest in _intact:
        _intact[copied] = _intact[forest]


def check_intact(forest):
    """Raise `ValueError` unless the fitted attributes fit one another; the message names one that doesn't."""
    right, held = _intact.get(forest), _fitted(forest)
    if right is not None and right.keys() == held.keys():
        if all(held[name] is value for name, value in right.items()):
            return
    try:
        check_fitting(forest)
    except ValueError as error:
        kind = type(forest).__name__
        raise ValueError(
            f"the fitted attributes of this {kind} don't fit one another, so that it can't read records: "
            f"{error}. Fit it again, or put back what was fitted"
        ) from None
    seal(forest)
