"""What the marks of MRF's table 1 say: a signed-rank test over forests that share their records."""

import numpy as np

from dplit.court.claims.runs.by_print import by_print
from dplit.court.claims.runs.mrf_print import LEVEL
from dplit.court.experiments import rule
from dplit.court.ledger.compare import counted

FOLDS = REPETITIONS = 10
RECORDS = 200
APART = 0.1  # share of the records on which one method errs alone, and the other
SIDES = {
    "kind": "simulated",
    "intervals": 1,
    "quantity": "how often two equally good methods are marked as different",
    "range": "200 records, each method errs alone on a tenth of them; 10 times 10 folds",
}


def differences(draws, rng):
    """Differences of accuracy in each fold of each repetition, of so many pairs of methods; shape (draws, 100)."""
    gains = rng.choice([-1, 0, 1], size=(draws, 1, RECORDS), p=[APART, 1 - 2 * APART, APART])
    shuffled = rng.permuted(np.repeat(gains, REPETITIONS, axis=1), axis=2)
    return shuffled.reshape(draws, REPETITIONS * FOLDS, -1).mean(axis=2)


@by_print(
    "mrf/marks",
    "Section 5.1",
    "fails",
    box="thm-mrf-experiments-marks",
    about="reading",
    functions=("court.experiments.rule.beyond",),
    **SIDES,
)
def marks(effort, rng):
    """The paper tests for a difference between the results of MRF and the standard RF by Wilcoxon's signed-rank
    test at significance level 0.05. (Read: in the test of the 100 differences from ten times ten folds, two
    equally good methods are marked as different with probability at most .05.)"""
    from scipy.stats import wilcoxon

    draws = effort.pick(3000, 10_000, 40_000)
    marked = int((wilcoxon(differences(draws, rng), axis=1).pvalue < LEVEL).sum())
    yield counted(marked, draws, LEVEL, "<=")
    return f"Of {draws} pairs of equally good methods a share of {{exact:.2f}} is marked at level {{stated}}."


@marks.corrected(functions=("court.experiments.rule.beyond",), **SIDES)
def marks_that_count_once(effort, rng):
    """By the corrected resampled t-test (Nadeau and Bengio 2003), whose variance allows for what the repetitions
    share, two equally good methods are marked as different with probability at most .06."""
    draws = effort.pick(3000, 10_000, 40_000)
    overlap = 1 / (FOLDS - 1)
    marked = sum(2 * rule.beyond(d, overlap=overlap).p < LEVEL for d in differences(draws, rng))
    yield counted(marked, draws, 0.06, "<=")
    return f"Of {draws} pairs of equally good methods a share of {{exact:.3f}} is marked at level 0.05."
