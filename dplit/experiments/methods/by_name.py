"""The methods of all papers by their names."""

from dplit.experiments.methods.bench import BENCH
from dplit.experiments.methods.diprime import DIPRIME
from dplit.experiments.methods.m_rf import M_RF
from dplit.experiments.methods.mrf import MRF
from dplit.experiments.methods.rdf import RDF

METHODS = {**DIPRIME, **RDF, **MRF, **M_RF, **BENCH}
