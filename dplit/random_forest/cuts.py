"""What a cut leaves of a continuous feature's domain, an interval, to a node's children (RDF, algorithm 2)."""

from fractions import Fraction

from dplit.ground.errors import check_finite


def children(lower: float, upper: float, cut: float) -> tuple:
    """Domains of the left and the right child: the parts below and above the cut.

    `lower`, `upper`, `cut`: the node's domain, and a point of it. Returns ((lower, cut), (cut, upper)).
    """
    _check(lower, upper, cut)
    return (lower, cut), (cut, upper)


def published_children(lower: float, upper: float, cut: float) -> tuple:
    """The same by lines 7 and 9 of algorithm 2, line by line: one domain, whose bounds are moved in turn.

    `lower`, `upper`, `cut` as in `children`.
    """
    domain = _check(lower, upper, cut)
    domain[0] = cut  # line 7: update the lower bound to p
    left = tuple(domain)
    domain[1] = cut  # line 9: update the upper bound to p
    return left, tuple(domain)


def _check(lower: float, upper: float, cut: float | Fraction) -> list:
    lower, upper = check_finite(lower, "lower"), check_finite(upper, "upper")
    cut = check_finite(cut, "cut")
    if not lower < cut < upper:
        raise ValueError(f"cut must be between lower and upper, {lower} and {upper}, got {cut}")
    return [lower, upper]
