"""The frame of a stored run: compute its cells, say so, and write the file."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from dplit.ground.stored import write_cells


def run(
    module: str,
    path: str | Path,
    computed: Iterable[tuple[str, dict]],
    *,
    file: str,
    seed: int,
    libraries: Sequence[str],
    trees: int | None = None,
):
    """Compute cells one after the other, saying so, and write them with their keys to `path`.

    `module`: its name below this package; `file`: the stored run's name in ``data``; `trees`: of every forest,
    where all have as many.
    """
    cells: dict = {}
    for key, found in computed:
        print(key, found, flush=True)
        cells[key] = found
    command = f"python -m dplit.court.experiments.chapters.{module} data/{file}"
    write_cells(path, cells, command, seed, trees, libraries)
