r"""What a pixel's surroundings look like: local binary patterns, and eight features of Haralick's.

A *window* is the square of `SIDE` times `SIDE` pixels about a pixel, in `LEVELS` grey levels; its co-occurrence
matrix :math:`p_{ij}` is that of Haralick, Shanmugam and Dinstein (1973) at distance one, over all four directions.
"""

import numpy as np

from dplit.ground.errors import check_integer

SIDE = 11
LEVELS = 16
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1))  # 0, 135, 90 and 45 degrees of the paper of 1973
RADIUS, POINTS = 24, 8
HARALICK = (
    "angular second moment", "contrast", "correlation", "entropy", "homogeneity", "mean", "variance",
    "standard deviation",
)  # fmt: skip


def patterns(
    grey: np.ndarray, rows: np.ndarray, columns: np.ndarray, radius: int = RADIUS, points: int = POINTS
) -> np.ndarray:
    r"""Local binary pattern of each pixel: how its circle's points compare with it, whatever the rotation.

    The code of a pixel is the number of points of its circle that are not darker than it, if the points
    that are form one arc; all else has the code ``points + 1`` (Ojala, Pietikainen and Maenpaa 2002,
    :math:`LBP^{riu2}`). Values between pixels are bilinear. `grey` (height, width); the pixels lie at least
    `radius` pixels from each border: a ValueError if a circle leaves the image.
    """
    check_integer(radius, "radius", 1)
    check_integer(points, "points", 1)
    grey, rows, columns = _checked(grey, rows, columns, radius)
    angles = 2 * np.pi * np.arange(points) / points
    ring = _between(
        grey,
        rows[:, None] - np.round(radius * np.sin(angles), 9),
        columns[:, None] + np.round(radius * np.cos(angles), 9),
    )
    bits = ring >= grey[rows, columns][:, None]
    changes = (bits != np.roll(bits, 1, axis=1)).sum(axis=1)
    return np.where(changes <= 2, bits.sum(axis=1), points + 1)


def _between(grey, rows, columns):
    """Bilinear values of an image at places that need not be pixels."""
    top = np.clip(np.floor(rows).astype(int), 0, grey.shape[0] - 2)
    left = np.clip(np.floor(columns).astype(int), 0, grey.shape[1] - 2)
    down, right = rows - top, columns - left
    upper = grey[top, left] * (1 - right) + grey[top, left + 1] * right
    lower = grey[top + 1, left] * (1 - right) + grey[top + 1, left + 1] * right
    return upper * (1 - down) + lower * down


def levels_of(grey, levels=LEVELS):
    """Grey levels 0 to ``levels - 1`` of values in [0, 1], equal parts of the range; int64 array."""
    check_integer(levels, "levels", 2)
    return np.minimum((np.clip(grey, 0, 1) * levels).astype(np.int64), levels - 1)


def co_occurrence(
    quantised: np.ndarray, rows: np.ndarray, columns: np.ndarray, side: int = SIDE, levels: int = LEVELS
) -> np.ndarray:
    """Co-occurrence matrices of the windows about pixels, symmetric, each of sum 1: (n_pixels, levels, levels).

    `quantised`: grey levels (height, width), as `levels_of` gives them. Raises a ValueError if `side` is even or
    a pixel lies less than ``side // 2`` from a border.
    """
    if check_integer(side, "side", 3) % 2 == 0:
        raise ValueError(f"side must be odd, got {side}")
    half = side // 2
    quantised, rows, columns = _checked(quantised, rows, columns, half)
    reach = np.arange(-half, half + 1)
    windows = quantised[rows[:, None, None] + reach[:, None], columns[:, None, None] + reach]
    counts = np.zeros((len(rows), levels * levels))
    offset = np.arange(len(rows))[:, None] * levels * levels
    for down, right in DIRECTIONS:
        here = windows[:, : side - down, max(-right, 0) : side - max(right, 0)]
        there = windows[:, down:, max(right, 0) : side + min(right, 0)]
        pairs = (levels * here + there).reshape(len(rows), -1) + offset
        counts += np.bincount(pairs.ravel(), minlength=counts.size).reshape(counts.shape)
    counts = counts.reshape(-1, levels, levels)
    counts += counts.transpose(0, 2, 1)
    return counts / counts.sum(axis=(1, 2), keepdims=True)


def haralick(p: np.ndarray) -> np.ndarray:
    r"""The eight features of co-occurrence matrices, in the order of `HARALICK`, shape (n, 8).

    Of Haralick, Shanmugam and Dinstein (1973), appendix 1, are the angular second moment (1), contrast
    (2), correlation (3), variance (4), homogeneity (5, their inverse difference moment) and entropy (9), in nats.
    Mean and standard deviation are those of one margin, which in a symmetric matrix is the other one too.
    The correlation of a window of one grey level, 0/0, is 1: its neighbours are alike. `p` as `co_occurrence`
    gives it.
    """
    i, j = np.indices(p.shape[1:])
    total = (1, 2)
    mean = (i * p).sum(axis=total)
    variance = np.maximum((i**2 * p).sum(axis=total) - mean**2, 0.0)
    covariance = (i * j * p).sum(axis=total) - mean**2
    alike = variance < 1e-12
    correlation = np.where(alike, 1.0, covariance / np.where(alike, 1.0, variance))
    entropy = -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=total)
    return np.column_stack([
        (p**2).sum(axis=total), ((i - j) ** 2 * p).sum(axis=total), np.clip(correlation, -1, 1), entropy,
        (p / (1 + (i - j) ** 2)).sum(axis=total), mean, variance, np.sqrt(variance),
    ])  # fmt: skip


def most(levels=LEVELS):
    """Least and greatest value of each of the eight features, float array of shape (8, 2)."""
    top = levels - 1.0
    greatest = [1, top**2, 1, np.log(levels**2), 1, top, top**2 / 4, top / 2]
    least = [1 / levels**2, 0, -1, 0, 1 / (1 + top**2), 0, 0, 0]
    return np.array([least, greatest], float).T


def _checked(image, rows, columns, margin):
    """An image and places in it that are `margin` away from its borders."""
    image, rows, columns = np.asarray(image), np.asarray(rows), np.asarray(columns)
    for name, places, length in (("rows", rows, image.shape[0]), ("columns", columns, image.shape[1])):
        if len(places) and (places.min() < margin or places.max() >= length - margin):
            raise ValueError(
                f"{name} must be in [{margin}, {length - margin}), got {places.min()} to {places.max()}"
            )
    return image, rows, columns
