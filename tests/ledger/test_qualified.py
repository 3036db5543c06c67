"""Words of the DiPriMe papers that weaken a sentence, or say of what it is: its row keeps them."""

import pytest

from dplit.court import claims

QUALIFIED = {
    "diprime-v1/figure-1/halves": "100 trees of maximum depth 5, epsilon 10",
    "diprime-v1/figure-3/trees-limit": "expected to generally reduce",
    "diprime-v1/figure-4/catches-up": "notable loss of accuracy",
    "diprime-v1/figure-5/trends": "similar",
    "diprime-v1/parallel-composition": "arbitrary",
    "diprime-v1/theorem-3-union": "union bound",
    "diprime-v2/comparable-flip": "suggest",
    "diprime-v2/corollary-3.1": "bounded space",
    "diprime-v2/depth-rule": "some number (25 in most experiments, 10 for Banknote)",
    "diprime-v2/depth-rule-baselines": "some number (25 in most experiments, 10 for Banknote)",
    "diprime-v2/depth-rule-figures": "in most experiments",
    "diprime-v2/dp-rf-poor": "on Appliances",
    "diprime-v2/figure-1/flip": "At low epsilon",
    "diprime-v2/figure-1/most-settings": "At most settings",
    "diprime-v2/figure-1/trees-limit": "expected to generally reduce",
    "diprime-v2/figure-2/dp-rf": "comparable performance",
    "diprime-v2/figure-3/leaves": "majority",
    "diprime-v2/figure-5/trends": "similar",
    "diprime-v2/figure-6/catches-up": "similar",
    "diprime-v2/low-counts": "Typically",
    "diprime-v2/figure-3/nodes": "average",
    "diprime-v2/pfm-two-fold": "up to",
    "diprime-v2/spread": "indicates",
    "diprime-v2/theorem-2": "in expectation",
    "diprime-v2/theorem-3": "exponential mechanism",
    "diprime-v2/underperforms": "typically",
    "diprime-v2/where-similar": "tends to",
}


@pytest.mark.parametrize("id", QUALIFIED)
def test_a_row_keeps_its_authors_qualification(id):
    assert QUALIFIED[id] in claims.get(id).says
