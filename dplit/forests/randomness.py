"""Where a fit's randomness comes from, and what `random_state` decides of it.

=========================================  ==========================================================
random_state                               the fit
=========================================  ==========================================================
None                                       draws all from the operating system: for a release (and its
                                           noise is exact, where `dplit.forests.noise` says so)
an integer, or several                     can be repeated: whoever knows the seed can undo the noise
Generator, RandomState, SeedSequence       takes its random trees from it, and fresh noise each time
=========================================  ==========================================================

An integer is for trying things out, within one process. Copies keep it: `clone`, ``copy.copy``, ``copy.deepcopy``,
and so the folds of a search or the members of a bag that are fitted in this process or in threads. A pickle drops
it, of a fitted estimator and of one that is not, and so does what is sent to another process
(``GridSearchCV(n_jobs=2)`` with joblib's default): every fit there draws from the operating system.
``joblib.parallel_config("threading")`` keeps such a search repeatable. A seed in a grid of a search stands in the
search's pickle; what an ensemble sets on its members is no seed of the user's (`dplit.forests.members`).

Random trees read no record and are public. Which tree a record belongs to, cuts and choices that
read records and every released number are noise: two fits that shared it could be subtracted.
"""

from dataclasses import dataclass
from numbers import Integral

import numpy as np

SPAWN_KEY = tuple(b"dplit")
SOURCES = (np.random.Generator, np.random.BitGenerator, np.random.RandomState, np.random.SeedSequence)


def _forgotten():
    """What a pickle holds in the place of a seed."""
    return None


class Seed(int):
    """A seed that is not told: neither by its repr nor by a pickle, which holds None in its place."""

    def __repr__(self):
        return "<seed>"

    __str__ = __repr__

    def __reduce_ex__(self, protocol):
        return _forgotten, ()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class Seeds(tuple):
    """Several integers that are one seed, told as little as a `Seed` is."""

    __slots__ = ()
    __repr__ = __str__ = Seed.__repr__
    __reduce_ex__ = Seed.__reduce_ex__
    __copy__ = Seed.__copy__
    __deepcopy__ = Seed.__deepcopy__


@dataclass(frozen=True)
class Repeated:
    """A seed for the random trees and one for the noise, for audits that compare fits."""

    structure: int
    noise: int


def kept_secret(state: object) -> object:
    """The parameter `random_state` as an estimator keeps it: a seed is hidden."""
    if isinstance(state, (list, tuple, np.ndarray)) and not isinstance(state, Seeds):
        several = np.ravel(np.array(state, dtype=object)).tolist()
        whole = all(isinstance(s, Integral) and not isinstance(s, bool) and s >= 0 for s in several)
        return Seeds(map(int, several)) if whole else state
    is_seed = isinstance(state, Integral) and not isinstance(state, (bool, Seed)) and state >= 0
    return Seed(state) if is_seed else state


def is_seeded(state: object) -> bool:
    """Whether a fit with this `random_state` can be repeated, noise and all."""
    return state is not None and not isinstance(state, SOURCES)


def generator(state: object, spawns_structure: bool) -> np.random.Generator:
    """The generator of one fit whose `random_state` is `state`; a `ValueError` if it is none.

    `spawns_structure` says whether the streams that the fit spawns grow random trees, and its own draws are
    the noise. Where they are not, all of it is noise.
    """
    structure = _structure(state)
    try:
        if structure is not None:
            return _with_spawned(structure if spawns_structure else None, np.random.default_rng())
        if isinstance(state, Repeated):
            structure = state.structure if spawns_structure else None
            return _with_spawned(structure, np.random.default_rng(state.noise))
        if isinstance(state, Integral) and state >= 0:
            # Not the stream of default_rng(seed): data that were simulated with the same seed would
            # be correlated with the trees they are assigned to.
            state = np.random.SeedSequence(int(state), spawn_key=SPAWN_KEY)
        return np.random.default_rng(state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be an integer of at least 0, a Generator, a RandomState, a "
            f"SeedSequence or None, got {state!r}"
        ) from None


def _structure(state):
    """Seed of the random trees from what is no plain seed; None if `state` is one."""
    if isinstance(state, np.random.RandomState):
        return np.random.SeedSequence(state.randint(2**31 - 1, size=8).tolist())
    if isinstance(state, np.random.BitGenerator):
        state = np.random.Generator(state)
    if isinstance(state, np.random.Generator):
        return np.random.SeedSequence(state.integers(2**32, size=8).tolist())
    if isinstance(state, np.random.SeedSequence):
        # A copy: spawning counts up in the original, and a second fit would grow other trees.
        return np.random.SeedSequence(state.entropy, spawn_key=state.spawn_key)
    return None


def _with_spawned(structure, noise):
    """A generator that draws as `noise` does, and whose spawned streams are those of `structure`."""
    if structure is None:
        return noise
    rng = np.random.default_rng(structure)
    rng.bit_generator.state = noise.bit_generator.state
    return rng
