"""Claims of the two DiPriMe papers that are tables and figures: printed cells and sentences.

See :doc:`/book/median_forest_experiments`, and `dplit.claims.runs.reproduced` for what a check does.
"""

from __future__ import annotations

from dplit.claims.runs.reproduced import figure_claim, table_claim

PAGE = {"chapter": "median_forest_experiments", "box": "def-experiments-agree"}

table_claim("diprime-v1/table-1", "fails", PAGE)
table_claim("diprime-v1/table-2", "fails", PAGE)
table_claim("diprime-v2/table-1", "fails", PAGE)
table_claim("diprime-v2/table-2", "fails", PAGE)
figure_claim("diprime-v1/figure-1", "holds", PAGE)
figure_claim("diprime-v1/figure-3", "fails", PAGE)
figure_claim("diprime-v1/figure-4", "fails", PAGE)
figure_claim("diprime-v1/figure-5", "fails", PAGE)
figure_claim("diprime-v1/figure-6", "holds", PAGE)
figure_claim("diprime-v2/figure-1", "fails", PAGE)
figure_claim("diprime-v2/figure-2", "fails", PAGE)
figure_claim("diprime-v2/figure-3", "fails", PAGE)
figure_claim("diprime-v2/figure-4", "holds", PAGE)
figure_claim("diprime-v2/figure-5", "fails", PAGE)
figure_claim("diprime-v2/figure-6", "holds", PAGE)
figure_claim("diprime-v2/figure-7", "holds", PAGE)
figure_claim("diprime-v2/figure-8", "holds", PAGE)
