r"""Images by a rule of ours, and their pixels as records: what stands in for the MRF paper's aerial ones.

A scene is ground of three surfaces, in patches where smooth random fields are largest, and rectangular buildings
at any angle with rows of tiles in the colours of one of the surfaces: neither colour nor texture alone tells a
building. Light falls off across a scene, and each pixel has noise of its own. See
:doc:`/book/multinomial_forest_experiments`.
"""

import numpy as np
import pandas as pd
from scipy.ndimage import gaussian_filter

from dplit.court.experiments import texture
from dplit.datasets.dataset import Dataset
from dplit.domain import Continuous, Domain

NAME = "synth-scenes"
CLASSES = ("ground", "building")
SIZE = 192
BUILDINGS = 12
GRASS, SOIL, PAVING = (0.36, 0.46, 0.28), (0.52, 0.44, 0.34), (0.50, 0.50, 0.50)
COLOURS = np.array([GRASS, SOIL, PAVING])
ROUGHNESS = ((0.10, 1.0), (0.06, 2.5), (0.02, 1.0))  # deviation and width in pixels of each surface
PATCH = 18.0  # width in pixels of the smooth fields that part the surfaces
TILES, RELIEF = (4.0, 7.0), 0.07  # period in pixels of a roof's rows, their depth
TINT, NOISE, SHADE = 0.04, 0.03, 0.2
TRAINED, TESTED = 10_000, 4_000  # the paper trains on 10,000
GREY = np.array([0.299, 0.587, 0.114])  # weights of the colours in a grey value
COLUMNS = ("red", "green", "blue", "pattern", *texture.HARALICK)


def scene(
    rng: np.random.Generator, *, size: int = SIZE, buildings: int = BUILDINGS
) -> tuple[np.ndarray, np.ndarray]:
    """Draw one image of `size` pixels a side, with buildings that may overlap, and its labels.

    The image holds red, green and blue in [0, 1], shape (size, size, 3); the labels are positions in `CLASSES`,
    shape (size, size).
    """
    fields = [_smooth(rng, size, PATCH) for _ in COLOURS]
    surface = np.argmax(fields, axis=0)
    rough = np.stack([s * _smooth(rng, size, width) for s, width in ROUGHNESS])
    image = COLOURS[surface] + np.take_along_axis(rough, surface[None], axis=0)[0][..., None]
    labels = np.zeros((size, size), np.int64)
    for _ in range(buildings):
        inside, along = _rectangle(rng, size)
        colour = COLOURS[rng.integers(len(COLOURS))] + rng.normal(0, TINT, 3)
        tiles = RELIEF * np.sin(2 * np.pi * along / rng.uniform(*TILES))
        image[inside] = (colour + tiles[..., None])[inside]
        labels[inside] = 1
    light = 1 - SHADE * rng.random() * np.linspace(0, 1, size)[:, None, None]
    noisy = image * light + rng.normal(0, NOISE, image.shape)
    return np.clip(noisy, 0, 1), labels


def _smooth(rng, size, width):
    """A Gaussian random field of deviation 1, smooth over `width` pixels."""
    field = gaussian_filter(rng.normal(size=(size, size)), width, mode="wrap")
    return field / field.std()


def _rectangle(rng, size):
    """Which pixels a random rectangle holds, and each pixel's place along it."""
    (y, x), angle = rng.uniform(0, size, 2), rng.uniform(0, np.pi)
    long, wide = rng.uniform(0.08, 0.16, 2) * size
    down, right = np.indices((size, size)) - np.array([y, x])[:, None, None]
    along = right * np.cos(angle) + down * np.sin(angle)
    across = down * np.cos(angle) - right * np.sin(angle)
    return (abs(along) <= long) & (abs(across) <= wide), along


def features(image: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> pd.DataFrame:
    """The twelve features of pixels: their colours, their local binary pattern, eight of Haralick's.

    `image` (height, width, 3); the pixels lie at least `texture.RADIUS` from each border.
    """
    grey = image @ GREY
    p = texture.co_occurrence(texture.levels_of(grey), rows, columns)
    parts = image[rows, columns], texture.patterns(grey, rows, columns), texture.haralick(p)
    return pd.DataFrame(np.column_stack(parts), columns=[*COLUMNS])


def domain():
    """What is known of the features before any image is seen, a `Domain`."""
    bounds = [(0, 1)] * 3 + [(0, texture.POINTS + 1), *texture.most()]
    return Domain([Continuous(float(a), float(b)) for a, b in bounds], names=[*COLUMNS])


def pixels(seed: int, *, trained: int = TRAINED, tested: int = TESTED) -> Dataset:
    """Pixels of two scenes: the first `trained` of one, all others of another, each without replacement."""
    rng = np.random.default_rng(seed)
    X, y = zip(*(_sampled(*scene(rng), n, rng) for n in (trained, tested)))
    codes = pd.Categorical.from_codes(np.concatenate(y), categories=[*CLASSES])
    return Dataset(
        NAME, "Pixels of scenes by a rule", pd.concat(X, ignore_index=True),
        pd.Series(codes, name="surface"), domain(), "classification", CLASSES, None,
    )  # fmt: skip


def _sampled(image, labels, n, rng):
    inner = SIZE - 2 * texture.RADIUS
    places = rng.choice(inner * inner, n, replace=False)
    rows, columns = (texture.RADIUS + part for part in np.divmod(places, inner))
    return features(image, rows, columns), labels[rows, columns]
