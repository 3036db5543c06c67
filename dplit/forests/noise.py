"""Which noise a fit draws: exact, for what is published, or simulated; and what becomes of the seed.

With ``noise=None`` it is exact (`dplit.mechanisms.secure`) if no `random_state` is given and all that the fit
releases has an exact sampler; else simulated by NumPy's generators, and the budget says why. None is there for
what is published to be examined: cuts by rank, noise scaled by private counts, tests for purity. An epsilon too
small to pay for what rounding whole scores costs, some 3e-11 for each cut, is an error and no reason to simulate.
"""

import copy
from dataclasses import dataclass
from importlib import import_module
from typing import Self

from dplit.forests.intact import pass_on
from dplit.forests.members import drawn_by, ensemble_that_seeds, handed
from dplit.forests.randomness import generator, is_seeded, kept_secret
from dplit.ground.errors import check_choice
from dplit.mechanisms.secure import no_exact_sampler, secure_generator

ONLY_PROVED = ("accounting='published'", "take accounting='proved'")  # for `_inexact`
MARKS = "_sent_from", "_drawn"  # that a clone keeps: an account elsewhere, an ensemble's records
NOISES = SECURE, SIMULATION = ("secure", "simulation")
PUBLIC_SIZE = "public: that there is at least one record, for a fit without any is an error"
SEEDED = "seeded: whoever knows the seed can undo the noise"
SIMULATED = "not covered: a predictable source of randomness, and probabilities that are rounded"
EXACT = (
    "secure: exact noise from the operating system's randomness, at rates rounded down by what whole "
    "scores cost; not covered: timing and other side channels"
)


@dataclass(frozen=True)
class Kind:
    """The noise of a fit, "secure" or "simulation", and what made it simulated where nobody asked for that."""

    name: str
    why: str = ""


def kind_of(noise: str | None, state: object, inexact: tuple[str, str] | None) -> Kind:
    """The `Kind` of noise of a fit whose `random_state` is `state`.

    `inexact` says what the fit would draw that has no exact sampler, and what to take instead. A `noise` that
    is none of the three, and secure noise that is not to be had, are a `ValueError`.
    """
    if noise is None:
        if state is not None:
            return Kind(SIMULATION)
        return (
            Kind(SECURE) if inexact is None else Kind(SIMULATION, "{} has no exact sampler: {}".format(*inexact))
        )
    if check_choice(noise, NOISES, "noise") == SIMULATION:
        return Kind(SIMULATION)
    if state is not None:
        raise ValueError(
            "noise='secure' must have random_state=None, so that all randomness is the operating "
            f"system's, got random_state={state!r}"
        )
    if inexact is not None:
        raise no_exact_sampler(*inexact)
    return Kind(SECURE)


def _accounts():
    """The module, which no chapter needs."""
    return import_module("dplit.budget.accountant")


class HiddenSeed:
    """The parameter `random_state` of an estimator, which keeps it as `kept_secret`; left out, None."""

    def __get__(self, forest, kind=None):
        return None if forest is None else vars(forest).get("random_state")

    def __set__(self, forest, state):
        vars(forest)["random_state"] = kept_secret(state)


class WithNoise:
    """Of an estimator: its noise, and a seed that stands in no pickle."""

    # Whether the streams that a fit spawns grow random trees; if not, they are noise.
    _spawns_structure = False
    # Whether all that a fit draws has an exact sampler, whatever its parameters; if not, `_inexact` says.
    _is_exact = False

    def set_params(self, **params) -> Self:
        """Set parameters, of nested estimators by ``<name>__<parameter>``.

        A `random_state` that an ensemble sets is no seed of the user's.
        """
        ensemble = ensemble_that_seeds() if "random_state" in params else None
        if ensemble is not None:
            params["random_state"] = handed(params["random_state"], self.random_state)
            self._drawn = drawn_by(ensemble, not self._keeps_n())
        return super().set_params(**params)

    def __sklearn_clone__(self):
        """With the marks of what became of the template."""
        cloned = super().__sklearn_clone__()
        vars(cloned).update({name: mark for name, mark in vars(self).items() if name in MARKS})
        return cloned

    def __getstate__(self):
        """Without the seed: with it, a reader of the pickle could undo the noise of this or a later fit."""
        process = _accounts().is_open()  # an account, which is not there
        sent = {} if process is None else {"_sent_from": process}
        return {**super().__getstate__(), "random_state": None, **sent}

    def __copy__(self):
        """With the seed."""
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        pass_on(self, copied)
        return copied

    def __deepcopy__(self, memo):
        """With the seed."""
        copied = memo[id(self)] = type(self).__new__(type(self))
        vars(copied).update(copy.deepcopy(vars(self), memo))
        return copied

    def _inexact(self):
        """What this fit would draw that has no exact sampler, and what to take instead; None if nothing."""
        if self._is_exact:
            return None
        return f"{type(self).__name__}", "take noise=None or noise='simulation'"

    def _noise_kind(self):
        return kind_of(self.noise, self.random_state, self._inexact())

    def _generator(self):
        """The generator of all noise of one fit: from here on an account takes no charge back."""
        if self._noise_kind().name == SECURE:
            rng = secure_generator()
        else:
            rng = generator(self.random_state, self._spawns_structure)
        _accounts().has_drawn()
        return rng

    def _taken_for_granted(self, kind):
        """Notes of the budget: what it does not count of noise of that `Kind`."""
        if kind.name == SECURE:
            return PUBLIC_SIZE, EXACT
        seeded = (SEEDED,) if is_seeded(self.random_state) else ()
        why = (f"simulated: {kind.why}",) if kind.why else ()
        return *seeded, PUBLIC_SIZE, SIMULATED, *why
