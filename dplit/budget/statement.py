"""The privacy statement of a fit: the proof tree with its total, printed and as plain data."""

import math
import textwrap
from dataclasses import replace

from dplit.budget.concentrated import Converted
from dplit.budget.nodes import Sequence, check_node

SUM = "releases on the same records"
WIDTH = 88  # characters of a printed line


class Budget:
    """The budget of a fit: a proof tree, its `root` a node that `dplit.budget` lists, with its total.

    `notes`: what the total takes for granted, one sentence each.
    """

    def __init__(self, root, notes=()):
        self.root = check_node(root, "root")
        self.notes = tuple(map(str, notes))

    @property
    def epsilon(self):
        """Total of the tree; infinite if any part leaks."""
        return self.root.epsilon

    @property
    def delta(self):
        """Total of the tree; 0 unless a part was `Converted`."""
        return self.root.delta

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

    def converted(self, delta):
        r"""The budget of these releases together at one delta, by their rhos; this one where its epsilon is less.

        The rhos of fits that were converted add up before they are converted, so that several fits with a delta
        cost less than their epsilons' sum, and a pure epsilon counts as :math:`\epsilon^2/2` (Bun and Steinke
        2016, lemma 2.3 and proposition 3.3). It holds for fits whose budgets were fixed beforehand. `delta`: above
        0 and below 1.

        Examples
        --------
        >>> from dplit.budget import Budget, Concentrated, Converted
        >>> fit = Budget(Converted("a fit", Concentrated("noisy counts", 0.02), 1e-6))
        >>> print(f"{fit.epsilon:.3f}, ten of them {sum([fit] * 10).epsilon:.3f}")
        0.900, ten of them 8.999
        >>> sum([fit] * 10).converted(1e-6)
        Budget(epsilon=3.13106, delta=1e-06, neighbours='add-remove')
        """
        parts = [_unconverted(part) for part in self._summands()]
        joined = Budget(Converted("zero-concentrated privacy", Sequence(SUM, parts), delta), self.notes)
        return self if self.delta <= delta and self.epsilon <= joined.epsilon else joined

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
        delta = {"delta": self.delta} if self.delta else {}
        return {"neighbours": self.neighbours, **_plain(self.root), **delta, **notes}

    def __eq__(self, other):
        return isinstance(other, Budget) and vars(self) == vars(other)

    def __hash__(self):
        return hash(self.root)

    def __repr__(self):
        delta = f", delta={self.delta:g}" if self.delta else ""
        return f"Budget(epsilon={self.epsilon:g}{delta}, neighbours={self.neighbours!r})"

    def __str__(self):
        delta = f" and delta {self.delta:.6g}" if self.delta else ""
        lines = [f"epsilon {self.epsilon:.6g}{delta} under {self.neighbours} neighbours"]
        lines += _draw(self.root)
        for note in self.notes:
            lines += _folded(f"({note})", "", " ")
        return "\n".join(lines)


def _unconverted(node):
    """The node with the rho of what was converted in it."""
    if isinstance(node, Converted) or not node.delta:
        return node.part if node.delta else node
    if hasattr(node, "part"):
        return replace(node, part=_unconverted(node.part))
    return replace(node, parts=tuple(map(_unconverted, node.parts)))


def _walk(node, depth=0):
    yield depth, node
    for part in node.parts:
        yield from _walk(part, depth + 1)


def _line(node):
    copies = getattr(node, "copies", 1)
    rule = f"{node.rule} of {copies} = " if copies > 1 else f"{node.rule} = " if node.parts else ""
    note = node._note()
    total = f"rho {node.rho:.6g}" if _is_concentrated(node) else f"{node.epsilon:.6g}"
    return f"{node.name}: {rule}{total}{f'  ({note})' if note else ''}"


def _is_concentrated(node):
    """Whether a finite rho is all that the node has."""
    return math.isinf(node.epsilon) and math.isfinite(node.rho)


def _draw(node, prefix="", branch=""):
    inner = prefix + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
    yield from _folded(_line(node), prefix + branch, inner + ("│  " if node.parts else "   "))
    for i, part in enumerate(node.parts):
        yield from _draw(part, inner, "└─ " if i == len(node.parts) - 1 else "├─ ")


def _folded(text, first, others):
    """Lines of at most `WIDTH` characters that begin with `first` and then with `others`."""
    width = max(WIDTH, len(others) + 30)  # a deep tree keeps some words on each line
    options = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=others, **options)


def _plain(node):
    plain = {
        "node": type(node).__name__,
        "name": node.name,
        "epsilon": "inf" if math.isinf(node.epsilon) else node.epsilon,
        "neighbours": node.neighbours,
        "note": node._note(),
    }
    if _is_concentrated(node):
        plain["rho"] = node.rho
    if getattr(node, "copies", 1) > 1:
        plain["copies"] = node.copies
    if node.parts:
        plain["parts"] = [_plain(p) for p in node.parts]
    return plain
