"""Claims on depth: what decides a failure, and that a wrong law is found out."""

import math

import numpy as np
import pytest

from dplit import claims, depth

ours = claims.of("depth")
true = {name: getattr(depth, name) for name in depth.__all__}


def test_the_first_case_in_which_the_depth_is_not_optimal():
    """Two features, one relevant, one record: depth 1 is right with 1/2 + 1/4 (1 - e^(-n_eps/2))."""
    found = ours["rdf/optimal-depth"].check()
    case = found.counterexample
    assert (case["number"], case["relevant"], case["records"], case["best"]) == (2, 1, 1, 1)
    effective = -math.expm1(-1)
    assert found.computed == pytest.approx(0.5 + 0.25 * -math.expm1(-effective / 2))
    assert found.published == pytest.approx(0.5 + 0.375 * -math.expm1(-effective / 4))


@pytest.mark.parametrize(
    "id",
    [
        "theorem-2-law",
        "empty-leaves",
        "empty-unvisited/corrected",
        "depth-accuracy",
        "table-3/corrected",
    ],
)
def test_a_law_is_its_reference_at_the_chapters_scale(id):
    assert ours[f"rdf/{id}"].check("reader").verdict == "holds"


@pytest.mark.parametrize(
    ("name", "wrong", "claim"),
    [
        ("deeper_from", lambda *a: 1.01 * true["deeper_from"](*a), "optimal-depth/corrected"),
        (
            "parity_accuracy",
            lambda *a, **k: 1.001 * true["parity_accuracy"](*a, **k),
            "depth-accuracy",
        ),
        ("vote_law", lambda *a, **k: 0.999 * true["vote_law"](*a, **k), "depth-accuracy"),
        ("best_depth", lambda *a, **k: 1 + true["best_depth"](*a, **k), "optimal-depth-settings"),
        ("empty_leaves", lambda n, d: true["empty_leaves"](n, d + 1), "empty-leaves"),
        ("empty_leaves", lambda n, d: -true["empty_leaves"](n, d), "more-trees-more-empty"),
        (
            "empty_leaf_visited",
            lambda n, d: 1.001 * true["empty_leaf_visited"](n, d),
            "empty-unvisited/corrected",
        ),
        (
            "untested_features",
            lambda s, d, one=1.0: true["untested_features"](s, d + 1, one),
            "theorem-2-law",
        ),
        ("expected_untested", lambda s, d: true["expected_untested"](s, d + 1), "theorem-2"),
        ("table_depth", depth.published_depth, "equation-16-path/corrected"),
        ("table_depth", depth.published_depth, "table-4/corrected"),
        ("table_depth", depth.published_depth, "mixed-depth/corrected"),
        ("published_depth", depth.table_depth, "equation-16/corrected"),
        ("expected_empty_floor", lambda n, leaves: 1 - n / (leaves + 1), "table-3/corrected"),
        ("leaves_law", lambda levels, d: np.eye(9)[-1], "example-1-leaves/corrected"),
    ],
)
def test_a_wrong_law_is_found_out(name, wrong, claim, monkeypatch):
    monkeypatch.setattr(depth, name, wrong)
    assert ours[f"rdf/{claim}"].check().verdict == "fails"


@pytest.mark.parametrize(
    ("name", "right", "claim"),
    [
        ("published_depth", depth.table_depth, "equation-16-path"),
        ("published_depth", depth.table_depth, "mixed-depth"),
        ("empty_leaf_visited", lambda n, d: 0.4, "empty-unvisited"),
        ("empty_leaves_floor", lambda n, leaves: 0.0, "table-3"),
    ],
)
def test_what_is_wrong_could_hold(name, right, claim, monkeypatch):
    """No check has a verdict of its own."""
    monkeypatch.setattr(depth, name, right)
    assert ours[f"rdf/{claim}"].check().verdict in ("holds", "loose")
