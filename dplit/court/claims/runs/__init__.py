"""Sentences of the papers about their tables and figures, decided on the stored runs by one rule.

A sentence that printed numbers or arithmetic alone decide has a verdict of statements
(`dplit.court.claims.runs.print_alone`). One that needs a run **agrees**, **differs**, is **too close** or
**undecided**:

1. What is compared is the mean of paired differences, over repetitions that are independent given the records.
   The evidence holds at every look (`dplit.court.experiments.rule`).
2. All sentences about one paper's runs share the error rate 0.05 equally.
3. It agrees, or differs, if at that level the deciding interval lies wholly on one side of what the sentence
   says; it is too close if it is shown to be true, and false, up to a margin that matters: one point of an
   accuracy or a share, a tenth of an error. "Comparable" accuracies are within 0.02.
4. All else is undecided: too few repetitions; a baseline that is known by a few words alone; a sentence that no
   mean decides, as which p-value is the largest; a printed size on the paper's one draw of a synthetic set.

The rule was fixed on 2026-11-26, before the runs that it asked for; those of before count as the first ones.
"""
