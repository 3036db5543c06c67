"""The papers' tables and figures, one module a paper.

How often each cell is run stands in its experiment, and was fixed before its run: 30 splits of a real set, 30
draws of a synthetic one, 10 where it takes long or no sentence asks for it, and 100 trees where a figure is about
single trees. Experiments that measure one lot of forests are run together (``dplit experiment rdf/figure-11 --with
rdf/figure-4 ...``).
"""
