"""A model card of a fitted forest, in Markdown: what it is, what it spent, what an adversary learns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import dplit

if TYPE_CHECKING:
    from dplit.forests.base import BaseForest


def model_card(forest: BaseForest) -> str:
    """The card of a fitted forest, in Markdown, from the public schema and the budget alone."""
    params = {k: named(v) for k, v in forest.get_params(deep=False).items() if k != "random_state"}
    params = {k: v for k, v in params.items() if isinstance(v, (bool, int, float, str))}
    lines = [
        f"# {type(forest).__name__}",
        f"Fitted by dplit {dplit.__version__}. Parameters: "
        + ", ".join(f"{k}={v!r}" for k, v in params.items()) + ".",
        "## Privacy",
        *_promise(forest),
        "```text\n" + str(forest.budget_) + "\n```",
        "## Data",
        "The public schema, which no record decided unless the budget says so:",
        "```text\n" + str(forest.domain_) + "\n```",
        _target(forest),
        "## Use",
        "It predicts from records of this schema. Its predictions, and whatever is computed from this file, "
        "cost no further privacy. Scores on private records do: they are releases of their own.",
        "Its accuracy is not part of this card, since a measured one would have to be paid for.",
    ]  # fmt: skip
    return "\n\n".join(filter(None, lines)) + "\n"


def named(parameter):
    """A parameter as a file and its card have it: of another library's estimator the name alone.

    An estimator's own parameters may be anything, and so hold what was learned from private records.
    """
    if not hasattr(parameter, "get_params") or hasattr(parameter, "not_saved"):
        return parameter
    return f"{type(parameter).__module__}.{type(parameter).__qualname__}"


def _promise(forest):
    budget, people = forest.budget_, forest.records_per_person
    epsilon, delta, relation = budget.epsilon, budget.delta, budget.neighbours
    if math.isinf(epsilon):
        yield "**This forest is not private:** its budget is infinite, and it may hold private records."
        return
    one = "one record is" if people == 1 else f"the records of one person, at most {people}, are"
    what = "there or not" if relation == "add-remove" else "replaced"
    said, of, more = "", "outcome", ""
    factor = f"{math.exp(epsilon):.4g}" if epsilon < 700 else f"exp({epsilon:.6g})"
    if delta:
        said, of, more = f" and delta {delta:.6g}", "set of outcomes", f", and by {delta:.6g} beside that"
    yield (
        f"Epsilon is {epsilon:.6g}{said} under {relation} neighbours: whether {one} {what} changes the "
        f"probability of any {of} by a factor of at most {factor}{more}."
    )
    kind = {"secure": "exact, from the operating system's randomness", "simulation": "simulated, by floats"}
    yield f"Its noise is {kind[forest.noise_]}: the notes below say what no epsilon counts."
    wrong = math.exp(-epsilon)
    yield (
        "An adversary who knows all other records and guesses which of the two cases holds is right with "
        f"probability at most {(1 + delta * wrong) / (1 + wrong):.4g}, where tossing a coin is right with 0.5."
    )


def _target(forest):
    if hasattr(forest, "classes_"):
        return "Classes: " + ", ".join(map(repr, forest.classes_.tolist())) + "."
    if hasattr(forest, "target_bounds_"):
        scale = ", on a log scale" if getattr(forest, "target_scale_", "") == "log" else ""
        return "Targets lie in [{:g}, {:g}]".format(*forest.target_bounds_) + f"{scale}."
    return None
