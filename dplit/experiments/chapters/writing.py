"""The frame of a stored run: compute its cells, say so, and write the file."""

from __future__ import annotations

from dplit.stored import write_cells


def run(module, path, computed, *, file, seed: int, libraries, trees=None):
    """Compute cells one after the other, saying so, and write the file.

    Parameters
    ----------
    module : str
        Name of the module, below this package.
    path : path
        Where to write.
    computed : iterable of (key, cell)
    file : str
        The stored run's name in ``data``.
    libraries : sequence of str
    trees : int, optional
        Of every forest, where all have as many.
    """
    cells: dict = {}
    for key, found in computed:
        print(key, found, flush=True)
        cells[key] = found
    command = f"python -m dplit.experiments.chapters.{module} data/{file}"
    write_cells(path, cells, command, seed, trees, libraries)
