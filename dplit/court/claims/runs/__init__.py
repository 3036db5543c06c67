r"""Sentences of the papers about their tables and figures, decided on the stored runs by one rule.

A sentence that printed numbers or arithmetic alone decide has a verdict of statements
(`dplit.court.claims.runs.print_alone`). One that needs a run **agrees**, **differs** or is **undecided**:

1. What is compared is the mean of paired differences: both methods saw the same splits. Splits of one
   data set share training records, so its variance is that of the corrected resampled t, with the
   factor :math:`1/n + n_\text{test}/n_\text{train}` on :math:`n - 1` degrees of freedom; the second
   term is 0 where repetitions have data of their own (`dplit.court.experiments.rule`).
2. All sentences are held to one family-wise error rate of 0.05 by Holm's procedure: each has a p-value
   from the parts that it is built of, and a level.
3. It agrees, or differs, if at that level the deciding interval lies wholly on one side of what the
   sentence says. For a printed cell: wholly within, or wholly outside, a margin of one accuracy point
   or of a tenth of an error. "Comparable" accuracies are within 0.02.
4. All else is undecided: fewer than ten splits; a baseline that is known by a few words alone and whose
   printed cells are others; a sentence that no mean decides, as which p-value is the largest.

The rule was fixed on 2026-11-22, after runs of ten splits and one draw of each synthetic set, which left
55 sentences undecided. All were then run again, with other draws throughout: how often was written into
`dplit.court.experiments.papers` before, thirty splits, or draws of a synthetic set, and ten of what takes long.
A printed size on a synthetic set is of the paper's one draw: until then it was undecided, and
now it counts as one draw more, of the deviation of ours.
"""
