"""dplit: differentially private random forests whose theorems run.

The package is the code of a book: each module computes the claims of one chapter, and the forests
are built from those modules. Start with `Domain`, `dplit.datasets.load` and `dplit.forests`;
``dplit verify`` checks every claim that the book has judged. Modules are imported when they are
first used.
"""

from importlib import import_module
from pkgutil import iter_modules

from dplit.budget import Accountant, Budget
from dplit.domain import Categorical, Continuous, Domain
from dplit.errors import PrivacyLeakWarning

__version__ = "0.1.0"
__all__ = [
    "Accountant", "Budget", "Categorical", "Continuous", "Domain", "PrivacyLeakWarning", "__version__", "load",
]  # fmt: skip

_modules = {m.name for m in iter_modules(__path__) if not m.name.startswith("_")}


def load(path):
    """A fitted forest from the file that its `save` wrote; no code of the file is run.

    The format is documented at `dplit.forests.files`.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Estimator of the class that was saved, fitted; its predictions are the same in every bit. Its seed was
    not saved.

    Raises
    ------
    FileNotFoundError
    ValueError
        If the file is no forest, was cut off or altered, or was written in a newer format.

    Examples
    --------
    >>> import pathlib, tempfile, dplit
    >>> from dplit.forests import RandomDecisionForestClassifier
    >>> domain = dplit.Domain({"x": dplit.Continuous(0, 1)})
    >>> forest = RandomDecisionForestClassifier(1.0, domain=domain, classes=["a", "b"])
    >>> _ = forest.fit([[0.2], [0.7]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     forest.save(pathlib.Path(folder) / "my.forest")
    ...     dplit.load(pathlib.Path(folder) / "my.forest").budget_
    Budget(epsilon=1, neighbours='add-remove')
    """
    from dplit import baselines, forests
    from dplit.forests import files

    known = [(name, getattr(m, name)) for m in (forests, baselines) for name in m.__all__]
    return files.load(path, dict(known))


def __getattr__(name):
    if name in _modules:
        return import_module(f"dplit.{name}")
    raise AttributeError(f"module 'dplit' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_modules})
