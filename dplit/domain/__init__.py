"""What is public about the columns of a data set.

A private tree may cut only where everybody may look. A `Domain` says where that is: for each
column an interval (`Continuous`, `Date`) or a list of levels (`Categorical`), fixed before the data are
seen. In the RDF paper this is the schema that "is publicly available, including the domain of
each of the features" (section 1.1). It is a thing of its own: `Domain.save` writes down what one
has agreed on with the owner of the records, and `Domain.load` reads it.
"""

from dplit.domain.columns import GRID, Categorical, Continuous
from dplit.domain.dates import Date
from dplit.domain.schema import Domain

__all__ = ["GRID", "Categorical", "Continuous", "Date", "Domain"]
