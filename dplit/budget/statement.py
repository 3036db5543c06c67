"""The privacy statement of a fit: the proof tree with its total, printed and as plain data."""

from __future__ import annotations

import math

from dplit.budget.nodes import Sequence, check_node

SUM = "releases on the same records"


class Budget:
    """The budget of a fit: a proof tree with its total.

    Parameters
    ----------
    root : Spend, Public, Leak, Sequence, Parallel, Group, EqualParts or Bootstrap
    notes : sequence of str
        What the total takes for granted, one sentence each.

    Attributes
    ----------
    epsilon : float
        Total, computed from the tree; infinite if any part leaks.
    neighbours : str
        The relation that the total holds for.
    """

    def __init__(self, root, notes=()):
        self.root = check_node(root, "root")
        self.notes = tuple(map(str, notes))

    @property
    def epsilon(self):
        """Total of the tree."""
        return self.root.epsilon

    @property
    def neighbours(self):
        """The relation that the total holds for."""
        return self.root.neighbours or "add-remove"

    def __add__(self, other):
        """The budget of two releases on the same records: their epsilons add up."""
        if not isinstance(other, Budget):
            return NotImplemented
        parts = [part for budget in (self, other) for part in budget._summands()]
        return Budget(Sequence(SUM, parts), dict.fromkeys((*self.notes, *other.notes)))

    def _summands(self):
        """Its fits, if it is a sum; itself if it is one."""
        return self.root.parts if self.root.name == SUM else (self.root,)

    def __radd__(self, other):
        """For ``sum(budgets)``, which begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def leaves(self):
        """Every node without parts, from left to right."""
        return [node for _, node in _walk(self.root) if not node.parts]

    def to_dict(self):
        """The tree as nested plain dictionaries, ready for JSON (infinity is the string "inf")."""
        notes = {"notes": list(self.notes)} if self.notes else {}
        return {"neighbours": self.neighbours, **_plain(self.root), **notes}

    def __eq__(self, other):
        return isinstance(other, Budget) and vars(self) == vars(other)

    def __hash__(self):
        return hash(self.root)

    def __repr__(self):
        return f"Budget(epsilon={self.epsilon:g}, neighbours={self.neighbours!r})"

    def __str__(self):
        lines = [f"epsilon {self.epsilon:.6g} under {self.neighbours} neighbours"]
        return "\n".join(lines + list(_draw(self.root)) + [f"({note})" for note in self.notes])


def _walk(node, depth=0):
    yield depth, node
    for part in node.parts:
        yield from _walk(part, depth + 1)


def _line(node):
    copies = getattr(node, "copies", 1)
    rule = f"{node.rule} of {copies} = " if copies > 1 else f"{node.rule} = " if node.parts else ""
    note = node._note()
    return f"{node.name}: {rule}{node.epsilon:.6g}{f'  ({note})' if note else ''}"


def _draw(node, prefix="", branch=""):
    yield prefix + branch + _line(node)
    inner = prefix + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
    for i, part in enumerate(node.parts):
        yield from _draw(part, inner, "└─ " if i == len(node.parts) - 1 else "├─ ")


def _plain(node):
    plain = {
        "node": type(node).__name__,
        "name": node.name,
        "epsilon": "inf" if math.isinf(node.epsilon) else node.epsilon,
        "neighbours": node.neighbours,
        "note": node._note(),
    }
    if getattr(node, "copies", 1) > 1:
        plain["copies"] = node.copies
    if node.parts:
        plain["parts"] = [_plain(p) for p in node.parts]
    return plain
