"""What the ledger has as data, in words: formulas between dollar signs, counterexamples, printed words."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from html import escape
from itertools import groupby

from dplit.court.ledger.words import both_sides

MOST = 12  # members of a list that are written out
SAME = 4
BOTH_SIDES = ("exact", "stated", "found", "formula", "must be")  # said beside the counterexample
CERTIFICATE = ("statement", "where", "boxes", "refuted")  # of a statement that is refuted on a box
WORDS = {
    "epsilon": "ε", "beta": "β", "sigma": "σ", "tau": "τ", "data": "data set",
    "neighbour": "its neighbour", "neighbours": "relation", "counts": "class counts", "y": "labels",
    "neighbour counts": "the neighbour's class counts", "p": "p-value", "ours": "our runs", "loss": "privacy loss",
}  # fmt: skip
NUMBER = re.compile(r"-?\d+\.\d{4,}(e[+-]?\d+)?|-?\d+/\d{5,}|-?\d{5,}/\d+")


def typeset(text, formula="math"):
    r"""Text with formulas between dollar signs as HTML: spans of the class `formula` with ``\(...\)``."""
    pieces = text.split("$")
    if len(pieces) % 2 == 0:
        raise ValueError(f"text must have its formulas between pairs of dollar signs, got {text!r}")
    return "".join(
        rf'<span class="{formula}">\({escape(piece)}\)</span>' if i % 2 else with_code(piece)
        for i, piece in enumerate(pieces)
    )


def with_code(text):
    """Text as HTML, what stands between backquotes as code."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


def printed(place, words):
    """The words of a paper that decide, in quotation marks, and their place, as HTML."""
    return f"<q>{typeset(words.replace(' ... ', ' … '))}</q> ({escape(place)})"


def in_words(data):
    """A counterexample as names with their values: numbers of four digits, equal members of a list counted."""
    hidden = (*BOTH_SIDES, *CERTIFICATE) if "refuted" in data else BOTH_SIDES
    said = [_named(key, value) for key, value in data.items() if key not in hidden]
    return "; ".join([*([_refuted(data)] if "refuted" in data else []), *said])


def _refuted(data):
    """Where a statement over a range is false, a whole box of it."""
    ends = [
        f"{name} from {_number(low)} {_upto(high)}" for name, (low, high) in data["refuted"].items()
    ]
    box = f"for every {', '.join(ends)}"
    if "statement" not in data:
        return f"false {box}"
    return f"{data['statement'].replace('**', '^')} is false {box}; it is stated for all {data['where']}"


def _upto(high):
    return "on" if str(high) == "inf" else f"to {_number(high)}"


def _named(key, value):
    words = str(key).replace("_", " ")
    words = WORDS.get(words, re.sub(r"^epsilon (\w+)$", r"ε_\1", words))
    if isinstance(value, dict):
        return f"{words} ({'; '.join(_named(k, v) for k, v in value.items())})"
    if key == "interval":
        return f"interval from {' to '.join(map(_number, value))}"
    sign = " = " if isinstance(value, int | float) and not isinstance(value, bool) else ": "
    return f"{words}{sign}{_value(value)}"


def _value(value):
    if isinstance(value, list | tuple):
        return _members(
            [f"({_value(v)})" if isinstance(v, list | tuple) and v else _value(v) for v in value]
        )
    if isinstance(value, str):
        read = ast.literal_eval(value) if re.fullmatch(r"\([\d(), .-]*\)", value) else value
        return (
            _value(read) if isinstance(read, tuple) else NUMBER.sub(lambda n: _number(n[0]), value)
        )
    return _number(value)


def _members(said):
    """Members of a list; of `SAME` equal ones in a row the first, with their number."""
    runs = [list(same) for _, same in groupby(said)]
    shown = [
        one
        for run in runs
        for one in (run if len(run) < SAME else [f"{run[0]} ({len(run)} times)"])
    ]
    if len(shown) > MOST:
        shown = [*shown[: MOST - 2], f"… ({len(said)} in all)"]
    return ", ".join(shown) or "empty"


def _number(value):
    """Four digits of a number, of a decimal, or of a long fraction; whole numbers stay whole."""
    if isinstance(value, bool) or value is None:
        return str(value)
    number = (
        value
        if isinstance(value, int)
        else float(Fraction(value))
        if isinstance(value, str)
        else value
    )
    if isinstance(number, int) or (float(number).is_integer() and abs(number) < 1e15):
        return f"{int(number):,}"
    return {"inf": "infinite", "-inf": "minus infinite"}.get(f"{number:.4g}", f"{number:.4g}")


def sides(found):
    """What must hold at the decisive case, and what is: a sentence without the last bits of a computation."""
    if found.get("published") is None or found.get("computed") is None:
        return ""
    said = both_sides(found | {side: _short(found[side]) for side in ("published", "computed")})
    return begun(f"{said}.".replace(" inf", " infinite"))


def _short(side):
    return side if isinstance(side, str) or float(side).is_integer() else float(f"{side:.4g}")


def begun(text):
    """A sentence or a heading with a capital letter at its start; a symbol stays as it is."""
    return text[:1].upper() + text[1:] if re.match(r"[a-z]{2}", text) else text
