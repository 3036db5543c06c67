"""Public names that were renamed or moved: for one release they work as before, and say what to use instead."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module


def moved(module: str, **names: tuple[str, str]) -> Callable:
    """The ``__getattr__`` of a module, for those of its public names that are elsewhere now.

    `names` has of each old name the new one, with its module, and the release in which the old one goes. An old
    name is what the new one means, with a `FutureWarning`; any other is an `AttributeError`. The function's
    ``names`` are the given ones.

    Examples
    --------
    >>> find = moved("dplit.loss", divergence=("dplit.loss.privacy_loss", "9.0"))
    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     _ = find("divergence")
    >>> print(caught[0].message)
    dplit.loss.divergence is dplit.loss.privacy_loss now; the old name goes in dplit 9.0
    """

    def find(name):
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new, goes = names[name]
        said = f"{module}.{name} is {new} now; the old name goes in dplit {goes}"
        warnings.warn(said, FutureWarning, stacklevel=2)
        home, _, own = new.rpartition(".")
        return getattr(import_module(home), own)

    find.names = names
    return find
