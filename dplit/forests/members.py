"""A forest as the member of an ensemble of scikit-learn: whose seed it has, and which records it gets.

An ensemble draws an integer for each member, sets it by ``set_params``, and keeps all of them in its
pickle. What an ensemble sets is no seed of the user's, and a user's own is not replaced by it:

======================  ===============================================================================
`random_state`          of the member, in an ensemble that seeds its members
======================  ===============================================================================
None                    stays None: all is drawn from the operating system, and the noise is exact
an integer, or several  both together, so that neither the ensemble's alone nor its pickle undoes noise
a Generator or such     the random trees are the ensemble's, and the noise is fresh
======================  ===============================================================================

A bag hands its members records that it drew itself. Of one that may hand over a record several times, or
that draws a part of them by a seed, so that one more record changes which others are drawn, a private
member refuses to be fitted.
"""

import math
import sys
from numbers import Integral

import numpy as np

from dplit.forests.randomness import Seeds, is_seeded

SETTERS = "set_params", "_set_params"  # of pipelines and the like, which pass parameters on
SEEDING = "_set_random_states"
USERS = "sklearn.model_selection.", "sklearn.utils."  # which set what a user gave, as of a grid


def ensemble_that_seeds() -> object:
    """The ensemble whose code sets a parameter of the caller's caller; None if none does.

    It is ``...`` where scikit-learn's code sets it for an object that cannot be told.
    """
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_name in SETTERS:
        frame = frame.f_back
    if frame is None:
        return None
    module = frame.f_globals.get("__name__", "")
    if frame.f_code.co_name == SEEDING:
        frame = frame.f_back
    elif not module.startswith("sklearn.") or module.startswith(USERS):
        return None
    return (frame.f_locals if frame is not None else {}).get("self", ...)


def handed(given: object, own: object) -> object:
    """The `random_state` of a member that its ensemble hands `given`, where its own is `own`."""
    if own is None:
        return None
    if not isinstance(given, Integral):
        return given
    if not is_seeded(own):
        return np.random.SeedSequence(int(given))
    return Seeds((*(own if isinstance(own, Seeds) else (int(own),)), int(given)))


def drawn_by(ensemble: object, several: bool) -> str:
    """Why an ensemble's members can't say what a record costs; an empty text if they can.

    `ensemble` is as `ensemble_that_seeds` gives it, `several` says whether a neighbouring table may have
    another number of records.
    """
    name = type(ensemble).__name__
    if ensemble is ...:
        return ""
    if not hasattr(ensemble, "bootstrap"):
        return (
            f"{name} draws its members' records by a seed that it keeps or by what members err in, "
            "and no budget counts that: take a bag with bootstrap=False"
        )
    if ensemble.bootstrap:
        return (
            f"{name} draws records with replacement, and epsilon is proved for records that count "
            "once: pass bootstrap=False to it"
        )
    if several and getattr(ensemble, "_max_samples", 0) != getattr(ensemble, "_n_samples", 1):
        return (
            f"{name} draws part of the records by a seed that it keeps, and one record more changes "
            "which others are drawn: pass max_samples=1.0 to it, or to its member "
            "neighbours='replace-one' with one record a person"
        )
    return ""


def check_drawn(member):
    """Refuse the fit of a private member that got the records of such an ensemble."""
    why = vars(member).get("_drawn")
    if why and member.epsilon != math.inf:
        raise ValueError(f"{type(member).__name__} refuses the records of an ensemble: {why}")
