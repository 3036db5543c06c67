"""Sentences of the papers about their tables and figures, decided on the stored runs by one rule.

A sentence **agrees**, **differs**, is **too close** or **undecided** by the rule that
:doc:`/book/median_forest_experiments` defines and `dplit.court.experiments.rule` computes; "comparable" accuracies
are within 0.02. One that printed numbers or arithmetic alone decide has a verdict of statements
(`dplit.court.claims.runs.print_alone`). A sentence that no mean decides, as which p-value is the largest, is
undecided.
"""
