"""The planted bugs, `MUTANTS` by their names: what a careless change would do, and the subject that sees it."""

from importlib import import_module
from pkgutil import iter_modules

from dplit.court.audit.mutants import every_mutant

for _module in iter_modules(__path__):
    if _module.name[0] != "_":
        import_module(f"{__name__}.{_module.name}")
MUTANTS = every_mutant()
