"""Draws that would have refuted it: the drawn tests of releases, and the bugs that they must see."""

import importlib
from pkgutil import iter_modules


def planted_bugs():
    """(release, bug, mutant) of every bug that the files ``plants_*`` plant."""
    from tests.power._planting import REGISTERED

    for module in iter_modules(__path__):
        if module.name.startswith("plants_"):
            importlib.import_module(f"{__name__}.{module.name}")
    return [(name, bug, mutant) for name, found in REGISTERED.items() for bug, mutant in found.items()]
