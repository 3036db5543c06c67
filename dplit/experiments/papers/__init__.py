"""The papers' tables and figures, one module a paper, and by their ids all experiments there are.

How often each cell is run stands in its experiment, and was fixed before its run: thirty splits of a
real set, thirty draws of a synthetic one, ten where it takes long or no sentence asks for it, and 100
trees where a figure is about single trees. Runs go from what decides most sentences for its time to
what decides least: the hyper-parameters of the median forests, their curves, their tables; then RDF by
trees, depth and records, and its comparisons, which measure one lot of forests in six figures
(``dplit experiment rdf/figure-11 --with rdf/figure-4 ...``).
"""

from __future__ import annotations

from dplit.experiments import bench, cells
from dplit.experiments.papers import diprime, m_rf, mrf, rdf
from dplit.work import nearest

HOMES = (bench, diprime, m_rf, mrf, rdf)  # to import them registers what they define
PLACE = {module.__name__: place for place, module in enumerate(HOMES)}


def ids():
    """The ids of all experiments, a paper after the other, in the paper's order; list of str."""
    found = cells.REGISTERED
    return sorted(found, key=lambda id: PLACE.get(found[id][0], len(PLACE)))


def get(id):
    """The `Experiment` with this id.

    Raises
    ------
    ValueError
        If there is none; the message names the nearest.
    """
    if id in cells.REGISTERED:
        return cells.REGISTERED[id][1]()
    raise ValueError(f"no experiment has the id {id!r}; {nearest(id, ids())}")
