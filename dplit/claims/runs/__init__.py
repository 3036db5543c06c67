r"""Sentences of the papers about their tables and figures, decided on the stored runs by one rule.

A sentence that printed numbers or arithmetic alone decide has a verdict of statements
(`dplit.claims.runs.print_alone`). One that needs a run **agrees**, **differs** or is **undecided**:

1. What is compared is the mean of paired differences: both methods saw the same splits. Splits of one
   data set share training records, so its variance is that of the corrected resampled t, with the
   factor :math:`1/n + n_\text{test}/n_\text{train}` on :math:`n - 1` degrees of freedom; the second
   term is 0 where repetitions have data of their own (`dplit.experiments.rule`).
2. All sentences are held to one family-wise error rate of 0.05 by Holm's procedure: each has a p-value
   from the parts that it is built of, and a level.
3. It agrees, or differs, if at that level the deciding interval lies wholly on one side of what the
   sentence says. For a printed cell: wholly within, or wholly outside, a margin of one accuracy point
   or of a tenth of an error. "Comparable" accuracies are within 0.02.
4. All else is undecided: fewer than ten splits; the size of a gain on synthetic sets, of which there is
   one draw each; a baseline that is known by a few words alone and whose printed cells are others.

The rule was fixed on 2026-11-22, after most of these runs and before any verdict was computed by it. Of
eight figures some folds were then missing, and were run. The next runs are the rule's test.
"""
