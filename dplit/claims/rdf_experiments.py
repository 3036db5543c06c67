"""Claims of the RDF paper that are runs: table 3's cells, and the sentences about figures 4 to 14.

See :doc:`/book/random_forest_experiments`, and `dplit.claims._reproduced` for what a check does. That
some cells of table 3 can be no algorithm's is in `rdf_leaves`; tables 2, 4 and 6 are in `rdf`,
`rdf_depth` and `rosnam`.
"""

from __future__ import annotations

from dplit.claims._reproduced import figure_claim, table_claim

PAGE = {
    "chapter": "random_forest_experiments",
    "anchor": "def-rdf-experiments-agree",
    "test": "tests/experiments/test_stored.py",
}

table_claim("rdf/table-3", "fails", PAGE, name="rdf/table-3-cells")
figure_claim("rdf/figure-4", "fails", PAGE)
figure_claim("rdf/figure-5", "fails", PAGE)
figure_claim("rdf/figure-6", "fails", PAGE)
figure_claim("rdf/figure-7", "fails", PAGE)
figure_claim("rdf/figure-8", "holds", PAGE)
figure_claim("rdf/figure-9", "fails", PAGE)
figure_claim("rdf/figure-10", "fails", PAGE)
figure_claim("rdf/figure-11", "fails", PAGE)
figure_claim("rdf/figure-12", "fails", PAGE)
figure_claim("rdf/figure-13", "fails", PAGE)
figure_claim("rdf/figure-14", "fails", PAGE)
