"""Bugs between the epsilon of a greedy baseline's tree and the rule that its nodes are told."""

from dplit.court.audit.mutants import at
from tests.audit.mutants._shapes import returned

SPLIT = at("baselines.fs_rgv", "_GreedyTrees", "_split")
LAW = "roots of {} draw their law, {}"
RF, DF = "DPRandomForestClassifier", "DPDecisionForestClassifier"


def _rule(**times):
    """The rule of a path with numbers that are so many times as large; its budget as it was."""

    def change(found):
        rule, *rest = found
        return rule._replace(**{name: by * getattr(rule, name) for name, by in times.items()}), *rest

    return change


def _one_cut(plan):
    """A plan that has the same total with one cut a node."""
    shares = (2 + plan.cuts) * plan.depth + 1
    return plan._replace(cuts=1, share=plan.share * shares / (3 * plan.depth + 1))


returned("a node's number of records with a third of its noise", LAW.format("RGVClassifier", "Gini"), SPLIT,
         _rule(count_scale=1 / 3))  # fmt: skip
returned("a node's number of records as it is", LAW.format("RGVClassifier", "published, entropy"), SPLIT,
         _rule(count_scale=1e-9))  # fmt: skip
returned("a node's number of records at twice its epsilon", LAW.format("FSClassifier", "majority"), SPLIT,
         _rule(count_scale=1 / 2, fewest=1 / 2))  # fmt: skip
returned("one cut is paid for, and every column is cut", LAW.format("FSClassifier", "three columns that are cut"),
         at("baselines.fs_rgv", "_GreedyTrees", "_plan"), _one_cut)  # fmt: skip
returned("choices of a greedy tree at twice their share", LAW.format("FSClassifier", "published, Gini"), SPLIT,
         _rule(rate=2))  # fmt: skip
returned("class counts of a node with a third of their noise", LAW.format(RF, "published, counts of a node"),
         at("baselines.dp_rf", RF, "_published"), _rule(count_scale=1 / 3))  # fmt: skip
returned("a column of a published forest at twice its share", LAW.format(RF, "published, majority"),
         at("baselines.dp_rf", RF, "_published"), _rule(rate=2))  # fmt: skip
returned("a column of a forest of means at twice its share", LAW.format("DPRandomForestRegressor", "published"),
         at("baselines.dp_rf", "DPRandomForestRegressor", "_choice"), _rule(rate=2))  # fmt: skip
returned("a column of a pruned tree at twice its share", LAW.format(DF, "Gini"),
         at("baselines.dp_df", DF, "_proved"), _rule(rate=2))  # fmt: skip
returned("a choice by a local sensitivity pays for one column",
         f"{DF}, a choice by the local sensitivity of the Gini index",
         at("baselines.dp_df", "local_gini_reach"), lambda reach: reach * 27 / 32)  # fmt: skip
