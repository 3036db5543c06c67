"""The data sets of the five papers, each with its public domain.

`load` gives records, labels and domain; `names` lists what there is; `table` compares. Everything
known about a data set stands in ``data/registry.toml``: licence, citation, files with their
checksums, and for each column its public levels or bounds and where these come from.

Files are looked for in the ``data/sets`` of a checkout, which has them all, then in the folder that the
environment variable ``DPLIT_DATA`` names, and then downloaded once. `iris` and `wdbc` come with scikit-learn,
`balance`, `car` and the RDF paper's ``synth-a`` to ``synth-g`` are generated; these need no file.
"""

from dplit.datasets.dataset import Dataset
from dplit.datasets.fetch import DatasetError
from dplit.datasets.loading import available, load
from dplit.datasets.registry import names, table

__all__ = ["Dataset", "DatasetError", "available", "load", "names", "table"]
