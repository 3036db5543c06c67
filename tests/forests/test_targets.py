"""Codes of a target, whatever holds it, against the place of each class in the list."""

import numpy as np
import pandas as pd
import pytest

from dplit.forests.targets import class_codes, public_classes

NUMBERS, WORDS = [3, 1, 1, 2, 3] * 3, ["c", "a", "a", "b", "c"] * 3
HOLDERS = {
    "array": np.asarray,
    "objects": lambda y: np.array(y, dtype=object),
    "series": pd.Series,
    "categorical": lambda y: pd.Series(y, dtype="category"),
    "of pandas": lambda y: pd.Series(y, dtype="Int64" if isinstance(y[0], int) else "string"),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize(("y", "classes"), [(NUMBERS, [2, 3, 1, 7]), (WORDS, ["b", "c", "z", "a"])])
def test_a_code_is_the_place_in_the_list(y, classes, holder):
    codes = class_codes(HOLDERS[holder](y), classes)
    assert codes.dtype == np.int32 and codes.tolist() == [classes.index(v) for v in y]


def test_floats_and_booleans():
    assert class_codes(np.array([1.0, 0.0]), [0, 1]).tolist() == [1, 0]
    assert class_codes(np.array([True, False]), [False, True]).tolist() == [1, 0]


@pytest.mark.parametrize("classes", [[0, 1], None])
def test_targets_of_a_regression_are_none_of_a_classifier(classes):
    """With a class list or without one, and before any warning that the classes are read off."""
    y = np.linspace(0, 1, 11)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        class_codes(y, public_classes(y, classes)[0])
