r"""What the rule promises, tried on papers that are made up: no wrong verdict, however often one looks."""

from dplit.court.experiments import made_up, stored
from dplit.court.experiments.measures import ERRORS
from dplit.court.experiments.registry import get
from dplit.court.experiments.rule import LEAST, POINT, RATE, TENTH
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import counted

ANY_TIME = Box(
    "thm-experiments-any-time", "court.experiments.rule.above", "court.experiments.rule.levels",
    chapter="median_forest_experiments", kind="simulated", intervals=1,
    quantity="papers with a wrong verdict", range="20 sentences, 20 to 200 repetitions, a look after each",
)  # fmt: skip
SENTENCES, MOST = 20, 200
STORED = ("diprime-v2/table-1", "diprime-v2/table-2", "rdf/figure-7")


@ANY_TIME("ours/verdicts-any-time", "ours")
def any_time(effort, rng):
    """Suppose repetitions are normal, each of a paper's sentences is decided as soon as its evidence allows, and
    the error of .05 is shared out among the sentences. Then with probability at least .95 no verdict is wrong."""
    papers = effort.pick(200, 1000, 4000)
    wrong = made_up.ever_wrong(made_up.gains(papers, SENTENCES, MOST, rng))
    yield counted(int(wrong.sum()), papers, RATE, "<=")
    return f"Of {papers} simulated papers a share of {{exact:.3f}} has a wrong verdict."


def in_points(result, key):
    """A cell's scores, in units in which what matters is a point."""
    scores = result.scores(key)
    error = get(result.experiment).cell(key).measure in ERRORS
    return scores * (POINT / (TENTH * scores.mean())) if error else scores


@ANY_TIME("ours/verdicts-of-scores", "ours", proved=False)
def of_scores(effort, rng):
    """Suppose repetitions are drawn around their means from actual scores: those of two tables of DiPriMe v2 and
    of figure 7 of RDF. Then with probability at least .95 no verdict that is reached as in
    `ours/verdicts-any-time` is wrong."""
    pool = [in_points(r, key) for r in map(stored, STORED) for key in r.cells if r.scores(key).ndim == 1]
    pool = [scores for scores in pool if len(scores) >= LEAST and scores.std() > 0]
    papers = effort.pick(200, 1000, 4000)
    wrong = made_up.ever_wrong(made_up.resampled(pool, papers, SENTENCES, MOST, rng))
    yield counted(int(wrong.sum()), papers, RATE, "<=")
    return f"Of {papers} papers drawn from {len(pool)} cells a share of {{exact:.3f}} has a wrong verdict."
