"""What every private estimator of an experiment takes from the task's setting."""

from __future__ import annotations


def public(setting):
    """Schema, accounting and seed of a private estimator, dict of its parameters.

    Parameters
    ----------
    setting : dplit.court.experiments.task.Setting
    """
    accounting = "published" if setting.reading == "published" else "proved"
    target = (
        {"target_bounds": setting.target_bounds}
        if setting.target_bounds
        else {"classes": list(setting.classes)}
    )
    return {
        "domain": setting.domain,
        "accounting": accounting,
        "neighbours": "add-remove",
        "random_state": setting.seed,
        **target,
    }
