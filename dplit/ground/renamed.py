"""Names of one thing: what was renamed works for one release as before, and says what to use instead."""

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec


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


class Rooms(MetaPathFinder, Loader):
    """Finds the modules of a package that stand elsewhere in it: one module under both names.

    `public` says of names below the package that stay where each room is, as ``claims`` in ``court.claims``; `old`
    says of names that go what to use instead, and the release in which the old one goes.
    """

    def __init__(self, package: str, public: dict[str, str], old: dict[str, tuple[str, str]]):
        self.package, self.public, self.old = package, public, old

    def find(self, name: str):
        """The module that ``package.name`` means; an old name warns where the caller's caller uses it."""
        self._warn(name, stacklevel=4)
        return import_module(self._home(name))

    def find_spec(self, fullname, path=None, target=None):
        """A spec of what is known under this name, for the import system."""
        package, _, name = fullname.partition(".")
        known = name.split(".")[0] in self.public or self._before(name)
        return ModuleSpec(fullname, self, is_package=True) if package == self.package and known else None

    def exec_module(self, module):
        """Put the module itself in the place of the one that was made for its other name."""
        name = module.__name__.removeprefix(f"{self.package}.")
        self._warn(name, stacklevel=3)
        sys.modules[module.__name__] = import_module(self._home(name))

    def _before(self, name):
        """The old name that `name` is or begins with; empty if none."""
        return next((old for old in self.old if f"{name}.".startswith(f"{old}.")), "")

    def _home(self, name):
        if old := self._before(name):
            name = self.old[old][0] + name.removeprefix(old)
        room, dot, rest = name.partition(".")
        return f"{self.package}.{self.public.get(room, room)}{dot}{rest}"

    def _warn(self, name, stacklevel):
        if name in self.old:
            new, goes = self.old[name]
            said = f"{self.package}.{name} is {self.package}.{new} now; the old name goes in dplit {goes}"
            warnings.warn(said, FutureWarning, stacklevel)
