"""dplit: differentially private random forests whose theorems run.

The package is the code of a book: each module computes the claims of one chapter, and the forests
are built from those modules. Start with `Domain`, `datasets.load` and `forests`; ``dplit verify``
checks every claim of the five papers.
"""

from dplit.budget import Budget
from dplit.domain import Categorical, Continuous, Domain
from dplit.errors import PrivacyLeakWarning

__version__ = "0.1.0"
__all__ = ["Budget", "Categorical", "Continuous", "Domain", "PrivacyLeakWarning", "__version__"]
