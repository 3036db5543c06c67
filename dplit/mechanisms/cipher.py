"""The cipher of secure generators: its keys are the operating system's, and no two streams share one.

A key never leaves its process: a copy, a pickle and a child of the process draw one of their own.
"""

import os
from weakref import WeakSet

import numpy as np
from numpy.random.bit_generator import ISpawnableSeedSequence
from randomgen import ChaCha

ROUNDS = 20


class FreshKeys(ISpawnableSeedSequence):
    """A seed sequence that has no seed: every key, of spawned streams too, is the operating system's."""

    def generate_state(self, n_words: int, dtype=np.uint32) -> np.ndarray:
        """So many words of new randomness, an array of `dtype`."""
        size = np.dtype(dtype).itemsize
        return np.frombuffer(bytearray(os.urandom(n_words * size)), dtype=dtype)

    def spawn(self, n_children):
        """As many of the same kind, a list."""
        return [FreshKeys() for _ in range(n_children)]


class Cipher(ChaCha):
    """ChaCha with 20 rounds under a new key; what is spawned, copied, read from a pickle or forked has another."""

    def __init__(self, seed=None) -> None:
        super().__init__(FreshKeys() if seed is None else seed, rounds=ROUNDS)
        _ciphers.add(self)

    def __reduce__(self):
        return Cipher, ()


_ciphers = WeakSet()


def _new_keys() -> None:
    """Give each cipher of this process, which was forked, a key that its parent doesn't have."""
    for cipher in tuple(_ciphers):
        cipher.state = Cipher().state


if hasattr(os, "register_at_fork"):  # a system without it has no fork
    os.register_at_fork(after_in_child=_new_keys)
