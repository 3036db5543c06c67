"""Printed tables that follow from formulas."""

import re

import numpy as np
import pytest

from dplit.court import experiments
from dplit.court.experiments import formulas
from dplit.ground import printed


def cells(id):
    """(row, column, printed cell, what its formula gives, what is right) of each computed cell."""
    formula = experiments.FORMULAS[id]
    for (column, row), cell in printed.table(id).cells.items():
        if not formula.columns or column in formula.columns:
            yield row, column, cell, *formula.both(row, column)


@pytest.mark.parametrize(("id", "wrong"), [("rdf/table-2", 17), ("rdf/table-4", 11), ("rdf/table-6", 6)])
def test_each_cell_is_its_formula_and_some_are_wrong(id, wrong):
    assert all(formulas.is_near(cell, published) for _, _, cell, published, _ in cells(id))
    assert sum(not formulas.is_near(cell, right) for _, _, cell, _, right in cells(id)) == wrong
    assert (experiments.computed(id)["right"] == "no").sum() == wrong


def test_table_2_by_its_closed_forms():
    for row, column, _, published, right in cells("rdf/table-2"):
        gap, epsilon = int(row), float(column)
        assert published == pytest.approx(np.exp(-gap * epsilon))
        assert right == pytest.approx(np.exp(-max(gap - 1, 0) * epsilon))


def test_a_computed_table_is_shown(capsys):
    from dplit.cli import main

    assert main(["experiment", "rdf/table-6"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"\n5, 10 +New Pr\(B\) +62\.2 +62\.2 ", out) and "69.7" in out
    assert main(["experiment", "rdf/table-4", "--json"]) == 0
    assert '"theorem 2": "11"' in capsys.readouterr().out
