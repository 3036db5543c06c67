"""The papers' tables and figures, one module a paper.

How often each cell is run stands in its experiment, and was fixed before its run: thirty splits of a
real set, thirty draws of a synthetic one, ten where it takes long or no sentence asks for it, and 100
trees where a figure is about single trees. Runs go from what decides most sentences for its time to
what decides least: the hyper-parameters of the median forests, their curves, their tables; then RDF by
trees, depth and records, and its comparisons, which measure one lot of forests in six figures
(``dplit experiment rdf/figure-11 --with rdf/figure-4 ...``).
"""
