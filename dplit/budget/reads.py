"""Reads of private records that cost nothing and should: what can be seen of them, from inside `predict`.

Seen are predictions for the very objects that were fitted, and predictions that scikit-learn asks for while it
fits or scores: a frame of its code above, of a function of such a name. Not seen are copies and parts of the
records, what is computed from predictions afterwards, as ``accuracy_score(y, forest.predict(X_test))``, and what
no forest is asked for.
"""

import re
import sys
import weakref
from collections.abc import Iterable
from typing import Any

BY_SKLEARN = "scikit-learn scored, chose or calibrated by what a private forest predicts"
VERY_ONES = "a private forest predicted the very records that it was fitted to"
PAID = (
    "dplit.metrics.scores, choose_threshold and choose_model draw noise, and are charged. For records that are "
    "public, do it outside of the account"
)
READING = re.compile("fit|score|partial_dependence")  # names of scikit-learn's functions
NOT_THE_USERS = {"dplit", "sklearn", "joblib"}


def weak(objects: Iterable) -> list[weakref.ref]:
    """Weak references to those of the objects that can have one: a list can't."""
    found = []
    for one in objects:
        try:
            found.append(weakref.ref(one))
        except TypeError:
            continue
    return found


def seen(X: Any, fitted: list[weakref.ref]) -> tuple[str, int] | None:
    """What reads `X` for nothing, in words, and the level of the user's frame above the caller's; or None."""
    frame, level, by_sklearn, users = sys._getframe(1), 0, False, None
    while frame is not None:
        module = frame.f_globals.get("__name__", "").partition(".")[0]
        by_sklearn |= module == "sklearn" and READING.search(frame.f_code.co_name) is not None
        if users is None and module not in NOT_THE_USERS:
            users = level
        frame, level = frame.f_back, level + 1
    words = BY_SKLEARN if by_sklearn else VERY_ONES if any(ref() is X for ref in fitted) else None
    return None if words is None else (words, users or 1)
