"""A claim's check at other parameters than the ledger's own.

A check that can do so takes them as keywords after ``effort`` and ``rng``: a tuple is a list of values
to go through, as ``epsilon=(0.1, 1.0, 3.0)``, a number is one value. What comes out says nothing of
the declared verdict, which is about the check's own range.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from numbers import Real

from dplit.court.ledger.unfolded import both_sides
from dplit.ground.work import Effort, stream


def parameters(claim):
    """The parameters of a claim's check and the ledger's values, dict of name to number or tuple."""
    found = inspect.signature(claim.check_function).parameters.values()
    return {p.name: p.default for p in found if _is_number(p.default)}


def _is_number(value):
    """True for a number, and for a tuple of numbers."""
    values = value if isinstance(value, tuple) else (value,)
    return bool(values) and all(isinstance(v, Real) and not isinstance(v, bool) for v in values)


def read(texts):
    """Settings such as ``["epsilon=1,3"]`` as a dict of name to tuple of numbers.

    Raises
    ------
    ValueError
        A text that is not of this form.
    """
    found = {}
    for text in texts:
        name, _, values = text.partition("=")
        try:
            found[name] = tuple(_number(v) for v in values.split(","))
        except ValueError:
            raise ValueError(f"must be NAME=VALUE or NAME=VALUE,VALUE, got {text!r}") from None
    return found


def _number(text):
    """A whole number as one, any other as a float."""
    return int(text) if text.strip().lstrip("+-").isdigit() else float(text)


def with_parameters(claims, asked):
    """The claims whose checks have every one of the parameters `asked`, list of Claim.

    Raises
    ------
    ValueError
        If there is none; the message says which parameters there are.
    """
    able = [c for c in claims if asked.keys() <= parameters(c).keys()]
    if not able:
        known = sorted({name for c in claims for name in parameters(c)})
        there = f"they have {', '.join(known)}" if known else "they have none"
        raise ValueError(f"no chosen claim has the parameters {', '.join(asked)}; {there}")
    return able


def check(claim, asked, effort="quick", seed=0):
    """The evidence of a claim's check at parameters of one's own.

    Parameters
    ----------
    claim : Claim
    asked : mapping of name to tuple of numbers
    effort : {"quick", "reader", "deep"}
    seed : int

    Returns
    -------
    Evidence
        Its range is what was asked.

    Raises
    ------
    ValueError
        Several values where the check takes one, and whatever the check itself refuses.
    """
    own = parameters(claim)
    for name, values in asked.items():
        if len(values) > 1 and not isinstance(own[name], tuple):
            raise ValueError(f"{name} of {claim.id} takes one value, got {values!r}")
    given = {n: v if isinstance(own[n], tuple) else v[0] for n, v in asked.items()}
    found = claim.check_function(Effort(effort), stream(claim.id, seed), **given)
    return replace(found, quantity=found.quantity or claim.quantity, range=_as_asked(asked))


def _as_asked(asked):
    return "; ".join(f"{n} = {', '.join(map(str, values))}" for n, values in asked.items())


def in_words(row):
    """One varied check as lines: its id and what was set, what was found, both sides."""
    found = row["evidence"]
    lines = [f"{row['id']}, with {found['range']}: {found['verdict']}", f"  {found['summary']}"]
    if found["published"] is not None and found["computed"] is not None:
        lines.append(f"  {both_sides(found)}")
    return lines
