"""What a type checker tells a user, and what the user's editor shows of a parameter."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import dplit
from dplit.forests import PrivateForestClassifier, PrivateForestRegressor

# Types of other libraries are not this package's: without them it takes seconds.
CONFIG = """
[mypy]
follow_imports = silent
ignore_missing_imports = true
[mypy-numpy.*,pandas.*,scipy.*,sklearn.*,narwhals.*,numba.*,joblib.*,dask.*,threadpoolctl.*]
follow_imports = skip
"""
USED = """
import dplit
from dplit import Accountant, Categorical, Continuous, Domain, metrics
from dplit import PrivateForestClassifier, PrivateForestRegressor
from dplit.forests import MedianForestClassifier

domain = Domain({"age": Continuous(0, 120), "smokes": Categorical(["no", "yes"])})
X, y = [[30, "no"], [50, "yes"]], ["well", "ill"]
forest = PrivateForestClassifier(1.0, domain=domain, classes=["ill", "well"], n_jobs=2)
with Accountant(2.0), Accountant("fits.jsonl", limit=2.0):
    fitted = forest.fit(X, y)
reveal_type(fitted)
print(fitted.predict(X), fitted.predict_proba(X), fitted.budget_.epsilon, fitted.n_features_in_)
held_out = metrics.HeldOut(X, y, neighbours="replace-one")
print(held_out.scores(fitted, 0.1, "accuracy").value, held_out.threshold(fitted, 0.1).budget.epsilon)
number = PrivateForestRegressor(0.5, domain=domain, target_bounds=(0, 1), records_per_person=2)
number.fit(X, [0.2, 0.7]).save("a.forest")
print(dplit.load("a.forest").predict(X), domain.encode(X), number.get_params())
PrivateForestClassifier(1.0, domian=domain)
PrivateForestRegressor("one", domain=domain)
MedianForestClassifier(1.0, maxdepth=2)
"""


def test_a_type_checker_knows_the_forests_and_refuses_a_misspelt_argument(tmp_path):
    (tmp_path / "mypy.ini").write_text(CONFIG)
    (tmp_path / "user.py").write_text(USED)
    line = [sys.executable, "-m", "mypy", "--cache-dir", ".cache", "user.py"]
    where = {**os.environ, "MYPYPATH": str(Path(dplit.__file__).parents[1])}
    done = subprocess.run(line, cwd=tmp_path, env=where, capture_output=True, text=True, check=False)
    *told, _ = done.stdout.splitlines()
    first = USED.splitlines().index("reveal_type(fitted)") + 1
    last = len(USED.splitlines())
    preset = "dplit.forests.preset.PrivateForestClassifier"
    assert told == [
        f'user.py:{first}: note: Revealed type is "{preset}"',
        f'user.py:{last - 2}: error: Unexpected keyword argument "domian" for "PrivateForestClassifier"; '
        'did you mean "domain"?  [call-arg]',
        f'user.py:{last - 1}: error: Argument 1 to "PrivateForestRegressor" has incompatible type "str"; '
        'expected "float"  [arg-type]',
        f'user.py:{last}: error: Unexpected keyword argument "maxdepth" for "MedianForestClassifier"; '
        'did you mean "max_depth"?  [call-arg]',
    ], done.stdout + done.stderr


@pytest.mark.parametrize("kind", [PrivateForestClassifier, PrivateForestRegressor])
def test_who_opens_a_preset_finds_every_parameter_explained(kind):
    section = kind.__doc__.split("    Parameters\n")[1].split("    Attributes\n")[0]
    named = re.findall(r"^    (\w[\w, ]*) : ", section, re.M)
    assert sorted(", ".join(named).split(", ")) == sorted(field.name for field in fields(kind))
    assert "As of" not in section
