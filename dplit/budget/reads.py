"""Reads of private records that cost nothing and should: what can be seen of them, from inside `predict`.

Seen are predictions for the very objects that were fitted, and those that scikit-learn asks for while it fits or
scores. Not seen are copies and parts of the records, and what is computed from predictions afterwards, as
``accuracy_score(y, forest.predict(X_test))``.
"""

import re
import sys
import weakref
from collections.abc import Iterable
from typing import Any

SAYS = (
    "the open account does not charge for this: {}. The methods of dplit.metrics.HeldOut draw noise, and are "
    "charged; where records are public, do it outside of the account"
)
BY_SKLEARN = "scikit-learn scored, chose or calibrated by what a private forest predicts"
VERY_ONES = "a private forest predicted the very records that it was fitted to"
READING = re.compile("fit|score|partial_dependence")  # in names of scikit-learn's functions


def weak(objects: Iterable) -> list[weakref.ref]:
    """Weak references to those of the objects that can have one: a list can't."""
    return [weakref.ref(one) for one in objects if getattr(type(one), "__weakrefoffset__", 0)]


def seen(X: Any, fitted: list[weakref.ref]) -> tuple[str, int] | None:
    """What reads `X` for nothing, in words, and the level of the user's frame above the caller's; or None."""
    frame, modules, by_sklearn = sys._getframe(1), [], False
    while frame is not None:
        modules.append(frame.f_globals.get("__name__", "").partition(".")[0])
        by_sklearn |= modules[-1] == "sklearn" and READING.search(frame.f_code.co_name) is not None
        frame = frame.f_back
    level = next((i for i, name in enumerate(modules) if name not in ("dplit", "sklearn", "joblib")), 1)
    words = BY_SKLEARN if by_sklearn else VERY_ONES if any(ref() is X for ref in fitted) else ""
    return (SAYS.format(words), level) if words else None
