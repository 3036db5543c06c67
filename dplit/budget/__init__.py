"""A budget as a proof: what each part of a fit spends, and how the parts compose.

The tree is the privacy statement. Its leaves are spends of single mechanisms, its inner nodes the
composition theorems, and its total is computed from them, never typed in.

Notation: `epsilon` is the pure differential privacy parameter, `neighbours` the relation that it
holds for: ``"add-remove"`` (one record more or less) or ``"replace-one"`` (one record changed).

=================  ===========================================================================
node               epsilon
=================  ===========================================================================
`Spend`            what its mechanism costs
`Public`           0: nothing here reads the private records
`Leak`             infinity: depends on the private records, and no mechanism stands between
`Sequence`         the sum over its parts: they all read the same records (RDF, definition 2)
`Parallel`         the largest of its parts: each record reaches one of them (RDF, definition 3)
`Group`            distance times its part: neighbours are several single steps apart
`Concentrated`     infinite; what its mechanism costs in rho, the unit of zero-concentrated privacy
`Converted`        the least epsilon that goes with a delta and the part's rho
`EqualParts`       what shuffling and cutting into equal parts makes of the parts' epsilon
`Bootstrap`        what drawing as many records with replacement makes of the part's epsilon
=================  ===========================================================================

Each node has a `delta` beside its epsilon, 0 but for what is `Converted`, and a `rho`.
"""

from dplit.budget.concentrated import Converted, check_delta, delta_of, epsilon_of, rho_of
from dplit.budget.nodes import Bootstrap, Concentrated, EqualParts, Group, Leak, Parallel, Public, Sequence, Spend
from dplit.budget.statement import Budget

__all__ = [
    "Bootstrap", "Budget", "Concentrated", "Converted", "EqualParts", "Group", "Leak",
    "Parallel", "Public", "Sequence", "Spend", "check_delta", "delta_of", "epsilon_of", "rho_of",
]  # fmt: skip
