"""What a stored evidence says, in words."""

MUST_BE = {"<=": "at most", "<": "less than", ">=": "at least", ">": "more than", "=": "equal to"}


def both_sides(found: dict) -> str:
    """What must hold at the decisive case of `Evidence.to_dict`, with both sides, as one sentence."""
    what, stated, true = found["quantity"], short(found["published"]), short(found["computed"])
    if found["relation"] == "within":
        return f"{what}: {stated} stated must lie in the interval around {true} observed"
    if found["relation"] == "not":
        return f"{what}: must not be {stated}, is {true}"
    return f"{what}: must be {MUST_BE.get(found['relation'], '')} {stated}, is {true}"


def short(number):
    """Six digits of a number; what is infinite is stored as a word and stays one."""
    return number if isinstance(number, str) else f"{number:.6g}"
