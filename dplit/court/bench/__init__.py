r"""What the bench says: scores of many methods on many sets, compared in pairs and by ranks.

The runs are `dplit.court.experiments.bench`. `scores` reads a stored run, and `peers` what other libraries had on
the same splits, and what fits cost. `paired` compares two methods on one set, `ranks` all methods on all sets, and
`advice` says which forest to take, and where none is worth more than a constant. See :doc:`/book/bench`.
"""

from dplit.court.bench.advice import Advice, advice_table, advise, beats_constant, kinds, public_table
from dplit.court.bench.paired import Gain, best_rival, duel, gain
from dplit.court.bench.peers import peer_scores, stored_costs, stored_peers
from dplit.court.bench.ranks import average_ranks, critical_difference, friedman, indistinct
from dplit.court.bench.scores import covered, means, scores
from dplit.court.experiments.tables import of_kind

__all__ = [
    "Advice", "Gain", "advice_table", "advise", "average_ranks", "beats_constant", "best_rival", "covered",
    "critical_difference", "duel", "friedman", "gain", "indistinct", "kinds", "means", "of_kind", "peer_scores",
    "public_table", "scores", "stored_costs", "stored_peers",
]  # fmt: skip
