"""The nodes of a budget, what mechanisms spend and the theorems that join them: the table of `dplit.budget`."""

import math
from dataclasses import dataclass
from numbers import Real

from dplit.ground.errors import check_integer, check_neighbours

NODES = (  # the kinds of nodes that are defined here
    "Bootstrap", "Concentrated", "EqualParts", "Group", "Leak", "Parallel", "Public", "Sequence", "Spend",
)  # fmt: skip


@dataclass(frozen=True)
class Spend:
    """One mechanism run on private records."""

    name: str  #: What is released.
    epsilon: float  #: What it costs, under `neighbours`.
    mechanism: str = ""  #: The mechanism and its parameters.
    neighbours: str = "add-remove"
    source: str = ""  #: Where the cost is proved.

    def __post_init__(self):
        check_neighbours(self.neighbours)
        _check_cost(self, "epsilon")

    parts = ()
    delta = 0.0

    @property
    def rho(self):
        """Of zero-concentrated privacy, epsilon^2/2 (Bun and Steinke 2016, proposition 3.3)."""
        return self.epsilon**2 / 2

    def _note(self):
        return ", ".join(filter(None, (self.mechanism, self.source)))


@dataclass(frozen=True)
class Concentrated:
    """One mechanism run on private records that is rho-zCDP; it has no epsilon before `Converted`.

    All but `rho`, which is what it costs under `neighbours`, as of `Spend`.
    """

    name: str
    rho: float
    mechanism: str = ""
    neighbours: str = "add-remove"
    source: str = ""

    def __post_init__(self):
        check_neighbours(self.neighbours)
        _check_cost(self, "rho")

    epsilon = math.inf
    delta = 0.0
    parts = ()
    _note = Spend._note


@dataclass(frozen=True)
class _NoMechanism:
    name: str
    why: str = ""
    neighbours: str | None = None

    delta = 0.0
    parts = ()

    def _note(self):
        return self.why


@dataclass(frozen=True)
class Public(_NoMechanism):
    """A part that reads no private record: epsilon 0 under either relation."""

    epsilon = rho = 0.0


@dataclass(frozen=True)
class Leak(_NoMechanism):
    """A part that depends on the private records with no finite epsilon."""

    epsilon = rho = math.inf


class Composition:
    """What compositions share. Where a part is zero-concentrated, so is the whole, with these rules."""

    @property
    def rho(self):
        """Of zero-concentrated privacy: by default that of a pure epsilon."""
        return self.epsilon**2 / 2

    delta = 0.0

    def __post_init__(self):
        if hasattr(self, "part"):
            object.__setattr__(self, "parts", (self.part,))
        if not isinstance(self.parts, (list, tuple)):
            raise ValueError(f"parts must be a list of nodes, got {self.parts!r}")
        object.__setattr__(self, "parts", tuple(self.parts))
        for part in self.parts:
            check_node(part, "parts")
        relations = {p.neighbours for p in self.parts} - {None}
        if len(relations) > 1:
            raise ValueError(f"parts must share one neighbouring relation, got {sorted(relations)}")
        object.__setattr__(self, "neighbours", relations.pop() if relations else None)

    def _note(self):
        return self.why


@dataclass(frozen=True)
class _Parts(Composition):
    name: str
    parts: tuple
    why: str = ""
    copies: int = 1  #: How many parts there are when they are all alike and only one is listed.

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "copies", check_integer(self.copies, "copies", 1))
        if self.copies > 1 and len(self.parts) != 1:
            raise ValueError(f"copies={self.copies} needs exactly one part, got {len(self.parts)}")


@dataclass(frozen=True)
class Sequence(_Parts):
    """Parts that read the same records, one after another: their epsilons add up."""

    @property
    def epsilon(self):
        """Sum over the parts."""
        return self.copies * math.fsum([p.epsilon for p in self.parts])

    @property
    def rho(self):
        """Sum over the parts (Bun and Steinke 2016, lemma 2.3)."""
        return self.copies * math.fsum([p.rho for p in self.parts])

    @property
    def delta(self):
        """Sum over the parts."""
        return self.copies * math.fsum([p.delta for p in self.parts])

    rule = "sum"


@dataclass(frozen=True)
class Parallel(_Parts):
    """Parts of which each record reaches exactly one, chosen without reading other records.

    A replaced record may leave one part and enter another, so the parts' epsilons must hold under
    add-remove; wrap the node in `Group` for replace-one.
    """

    def __post_init__(self):
        super().__post_init__()
        if self.neighbours == "replace-one":
            raise ValueError("parts of a Parallel must be add-remove: a replaced record reaches two of them")

    @property
    def epsilon(self):
        """Largest of the parts."""
        return max([p.epsilon for p in self.parts], default=0.0)

    @property
    def rho(self):
        """Largest of the parts."""
        return max([p.rho for p in self.parts], default=0.0)

    @property
    def delta(self):
        """Largest of the parts."""
        return max([p.delta for p in self.parts], default=0.0)

    rule = "max"


@dataclass(frozen=True)
class Group(Composition):
    """Group privacy: neighbours of `relation` lie `distance` add-remove steps apart.

    One replaced record is one removed and one added, ``distance=2``. No number of replacements
    adds a record, so a part that holds under replace-one says nothing about add-remove.
    """

    name: str
    part: object
    distance: int
    relation: str = "replace-one"
    why: str = ""

    def __post_init__(self):
        super().__post_init__()
        check_neighbours(self.relation)
        object.__setattr__(self, "distance", check_integer(self.distance, "distance", 1))
        if self.neighbours == "replace-one" and self.relation == "add-remove":
            raise ValueError("relation must be 'replace-one' for a part that is, got 'add-remove'")
        if (self.neighbours, self.relation) == ("add-remove", "replace-one") and self.distance < 2:
            raise ValueError(f"distance must be at least 2 for replace-one, got {self.distance}")
        object.__setattr__(self, "neighbours", self.relation)

    def _note(self):
        return self.why or f"{self.relation} neighbours are {self.distance} steps of the part apart"

    @property
    def epsilon(self):
        """Distance times the part."""
        return self.distance * self.part.epsilon

    @property
    def rho(self):
        """Squared distance times the part (Bun and Steinke 2016, proposition 1.9)."""
        return self.distance**2 * self.part.rho

    @property
    def delta(self):
        r"""Delta of the part times :math:`1 + e^\epsilon + \dots`, a term a step; at most 1."""
        part = self.part
        if part.delta == 0:
            return 0.0
        if (self.distance - 1) * part.epsilon > 700:
            return 1.0
        factor = math.fsum(math.exp(i * part.epsilon) for i in range(self.distance))
        return min(1.0, part.delta * factor)

    @property
    def rule(self):
        """How the total comes about."""
        return f"{self.distance} x"


@dataclass(frozen=True)
class EqualParts(Composition):
    r"""Alike parts on a shuffled set of records that was cut into equal parts; add-remove.

    The sizes of the :math:`\tau` parts, `copies`, differ by at most one. The loss is at most
    :math:`\log(e^\epsilon/\tau + (1 - 1/\tau) e^{3\epsilon}) < 3\epsilon`, and comes as near to it as
    you like (`dplit.random_forest.equal_parts_family_loss`).

    Proof. With :math:`n + 1` records there is one slot more, in part :math:`t^* = n \bmod \tau`. Couple:
    shuffle the first :math:`n` records into the old slots, then give the added record a uniform one of
    all :math:`n + 1` slots; the record that was there, if any, moves to the new slot. With probability
    :math:`s = \lceil (n+1)/\tau \rceil/(n+1) \ge 1/\tau`, whatever the shuffle, the added record's slot
    is in :math:`t^*`, and then :math:`t^*` gains it and nothing else changes: a factor between
    :math:`e^{\pm\epsilon}`. Else another part loses a record and gains the added one, and :math:`t^*`
    gains the displaced one: three steps, :math:`e^{\pm 3\epsilon}`. Summed over shuffles, the ratio of
    the two laws is at most :math:`s e^{\epsilon} + (1-s) e^{3\epsilon}`, and at least the same with
    :math:`-\epsilon`, which by convexity is the milder side. With :math:`s \ge 1/\tau` that is the bound.
    """

    name: str
    part: object
    copies: int
    why: str = ""

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "copies", check_integer(self.copies, "copies", 1))
        _check_pure(self)

    @property
    def epsilon(self):
        """Logarithm of the mixture of one part's ratio and of three."""
        inside, stay = self.part.epsilon, 1 / self.copies
        if self.copies == 1 or inside in (0.0, math.inf):
            return inside
        return 3 * inside + math.log1p(stay * math.expm1(-2 * inside))

    rule = "shuffled parts"


@dataclass(frozen=True)
class Bootstrap(Composition):
    r"""A part that reads n draws with replacement from the n records; add-remove.

    Let one record more be drawn K times among n + 1 draws. Given K, the sample arises from n draws of
    the other records by taking K - 1 away and adding K (one more where K is 0): :math:`|2K - 1|`
    steps. So the loss is at most :math:`\log E\,e^{|2K - 1|\epsilon}`. K is binomial with mean 1, no
    larger in convex order than a Poisson number of mean 1, and with that the bound is

    .. math:: \log\left(e^{\epsilon - 1} + e^{-\epsilon}(e^{e^{2\epsilon} - 1} - e^{-1})\right)

    whatever n: about 1.74 epsilon when epsilon is small. For two noisy counts of classes the loss comes
    as near as you like to :math:`\log E\,e^{(2K - 1)\epsilon}`, so that little is given away.
    """

    name: str
    part: object
    why: str = ""

    def __post_init__(self):
        super().__post_init__()
        _check_pure(self)

    @property
    def epsilon(self):
        """Logarithm of the mean, over a Poisson number of copies, of the ratio that they may cause."""
        inside = self.part.epsilon
        if inside == 0.0 or inside > 300:
            return inside if inside == 0.0 else math.inf
        absent, several = inside - 1, math.expm1(2 * inside) - inside
        several += math.log1p(-math.exp(-math.exp(2 * inside)))
        largest = max(absent, several)
        return largest + math.log(math.exp(absent - largest) + math.exp(several - largest))

    rule = "resampled"


def _check_pure(node):
    """The part of EqualParts and of Bootstrap has a pure epsilon, under add-remove."""
    kind = type(node).__name__
    if node.neighbours == "replace-one":
        raise ValueError(f"part of {kind} must be add-remove, got one for replace-one")
    if node.part.delta > 0:
        raise ValueError(f"part of {kind} must have delta 0, got delta={node.part.delta:g}")


def check_node(node, name):
    if not isinstance(node, (Spend, Concentrated, Public, Leak, Composition)):
        raise ValueError(
            f"{name} must be made of Spend, Concentrated, Public, Leak and compositions, got {node!r}"
        )
    return node


def _check_cost(node, name):
    """Make what a mechanism costs a float."""
    value = getattr(node, name)
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not value >= 0:
        raise ValueError(f"{name} must be a number of at least 0, got {value!r}")
    object.__setattr__(node, name, float(value))
