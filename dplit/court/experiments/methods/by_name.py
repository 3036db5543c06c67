"""The methods of all papers by their names."""

from dplit.court.experiments.methods.bench import BENCH
from dplit.court.experiments.methods.diprime import DIPRIME
from dplit.court.experiments.methods.m_rf import M_RF
from dplit.court.experiments.methods.mrf import MRF
from dplit.court.experiments.methods.rdf import RDF

METHODS = {**DIPRIME, **RDF, **MRF, **M_RF, **BENCH}
