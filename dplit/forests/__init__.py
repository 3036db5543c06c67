"""The forests, as scikit-learn estimators whose budget is a proof tree."""

from dplit.forests.random_decision import RandomDecisionForestClassifier

__all__ = ["RandomDecisionForestClassifier"]
