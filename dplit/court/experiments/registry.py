"""The experiments there are: the bench's and the papers'."""

from dplit.court.experiments import bench, cells
from dplit.court.experiments.papers import diprime, m_rf, mrf, rdf
from dplit.ground.work import nearest

HOMES = (bench, diprime, m_rf, mrf, rdf)  # to import them registers what they define
PLACE = {module.__name__: place for place, module in enumerate(HOMES)}


def ids():
    """The ids of all experiments, a paper after the other, in the paper's order; list of str."""
    found = cells.REGISTERED
    return sorted(found, key=lambda id: PLACE.get(found[id][0], len(PLACE)))


def get(id: str) -> cells.Experiment:
    """The experiment with this id; raises a ValueError that names the nearest if there is none."""
    if id in cells.REGISTERED:
        return cells.REGISTERED[id][1]()
    raise ValueError(f"no experiment has the id {id!r}; {nearest(id, ids())}")
