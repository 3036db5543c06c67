"""Records that attain the tight bounds, or come as near as one likes (:doc:`/book/multinomial`)."""

import numpy as np

from dplit.ground.errors import check_between, check_integer


def opposed_features(features: int) -> tuple:
    """Three records whose first feature has decrease 1/9 at best, and every other one 4/9.

    The first feature meets the lower bound of lemma 3. Where its column and the others' trade places, it meets
    the upper one. `features`: D, at least 2.

    Returns X, a float64 array of shape (3, features), and y, an int64 array of shape (3,).
    """
    others = check_integer(features, "features", 2) - 1
    weak, strong = [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]
    return np.array([weak, *[strong] * others]).T, np.array([0, 1, 1])


def level_labels(n: int, outer: float, level: float) -> np.ndarray:
    r"""Labels of n sorted records whose best cuts all lie outside of the middle parts.

    With :math:`D_k` the excess of one label among the first k records, and as many of both labels in
    all, the Gini decrease of the cut after record k is :math:`D_k^2/(2k(n-k))`. Outside of the middle
    :math:`D_k` follows `level` times :math:`\sqrt{k(n-k)}`, where the decrease is the same
    everywhere, and inside it is 0, but for a share of the records that vanishes with `level`.
    `n`: even; `outer`: share of the records on either side of the middle, below one half: 1/N if they are
    spread evenly over N parts; `level`: in (0, 1]. Returns an array of int64 of shape (n,).
    """
    k = np.arange(check_integer(n, "n", 2) + 1)
    for name, value, most in (("outer", outer, 0.5), ("level", level, 1.0)):
        if not 0 < check_between(value, name, 0, most):
            raise ValueError(f"{name} must be a number above 0 and up to {most}, got {value!r}")
    to_middle = np.maximum(outer * n - np.minimum(k, n - k), 0)
    excess = np.minimum(np.minimum(k, n - k), level * np.sqrt(k * (n - k)))
    return np.diff(np.floor((k + np.minimum(excess, to_middle)) / 2).astype(np.int64))
