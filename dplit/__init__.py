"""dplit: differentially private random forests whose theorems run.

The package is the code of a book: each module computes the claims of one chapter, and the forests
are built from those modules. Start with `Domain` and `PrivateForestClassifier` or
`PrivateForestRegressor`; `dplit.forests` has all forests, and ``dplit verify`` checks every claim
that the book has judged. Modules and the two forests are imported when they are first used.
"""

import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from dplit.budget import Budget
from dplit.domain import Categorical, Continuous, Date, Domain
from dplit.ground.errors import PrivacyLeakWarning
from dplit.ground.renamed import Rooms

if TYPE_CHECKING:  # what `__getattr__` imports later, for type checkers and editors
    from dplit import forests as forests
    from dplit.budget.accountant import Accountant
    from dplit.court import attacks as attacks
    from dplit.court import audit as audit
    from dplit.court import bench as bench
    from dplit.court import claims as claims
    from dplit.court import experiments as experiments
    from dplit.court import ledger as ledger
    from dplit.forests import PrivateForestClassifier, PrivateForestRegressor
    from dplit.forests.files import load

__version__ = "0.2.0"
_later = {
    "Accountant": "dplit.budget.accountant",
    "PrivateForestClassifier": "dplit.forests", "PrivateForestRegressor": "dplit.forests",
    "load": "dplit.forests.files",
}  # fmt: skip
__all__ = [
    "Accountant", "Budget", "Categorical", "Continuous", "Date", "Domain", "PrivacyLeakWarning",
    "PrivateForestClassifier", "PrivateForestRegressor", "__version__", "load",
]  # fmt: skip

_modules = {m.name for m in iter_modules(__path__) if not m.name.startswith("_")}
_wings = {"court", "ground"}  # whose rooms are known by names of their own
_court = ("attacks", "audit", "bench", "claims", "experiments", "ledger", "power")
_ground = ("errors", "printed", "renamed", "stored", "work", "writing")
_moved = {
    "release": "attacks",
    "domain.by_column": "domain.columns",
    "trees.kary": "trees.greedy_levels",
    "trees.binary": "trees.random_binary",
    "ledger.store": "ledger.evidence_files",
    "ledger.checked": "ledger.long_run",
    "ledger.limited": "ledger.long_run",
    "ledger.vary": "ledger.run",
} | {name: f"ground.{name}" for name in _ground}
_rooms = Rooms(
    __name__, {name: f"court.{name}" for name in _court}, {old: (new, "0.4") for old, new in _moved.items()}
)
sys.meta_path.insert(0, _rooms)  # before what would load a second copy


def __getattr__(name):
    if name in _later:
        return getattr(import_module(_later[name]), name)
    if name in _modules:
        try:
            return import_module(f"dplit.{name}")
        except ImportError as error:  # an extra is not installed, which `hasattr` and `help` may ask for
            raise AttributeError(str(error)) from error
    if name in _rooms.public or name in _rooms.old:
        return _rooms.find(name)
    raise AttributeError(f"module 'dplit' has no attribute {name!r}")


def __dir__():
    return sorted({*__all__, *_modules, *_court, *(name for name in globals() if name.startswith("__"))} - _wings)
