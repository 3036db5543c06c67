"""A claim's evidence is computed once in a run of the tests; what changes a claim asks for its own."""

import os
import subprocess
import sys
from dataclasses import replace

import one_evidence
import pytest

from dplit.court import claims

ASKED = """
import one_evidence
one_evidence.install()
from dataclasses import replace
from dplit import claims
claim = claims.of("majority")["rdf/theorem-1"]
other = replace(claim, verdict="holds")
print(claim.check().summary, claim.check("reader").summary, other.check().summary, sep="|")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(one_evidence.FOLDER, str(tmp_path))
    return tmp_path


def test_the_second_to_ask_is_told_what_the_first_has_found(folder):
    claim, asked = claims.get("rdf/theorem-1"), []
    counted = replace(
        claim, check_function=lambda effort, rng: asked.append(1) or claim.check_function(effort, rng)
    )
    first, second = one_evidence.of(counted), one_evidence.of(counted)
    assert first == second and first.evidence == claim.check() and len(asked) == 1 and not first.drew
    assert [path.name for path in folder.iterdir()] == ["rdf+theorem-1"]


def test_a_kernel_takes_it_for_the_quick_check_of_a_registered_claim_alone(folder):
    claim = claims.get("rdf/theorem-1")
    own = claim.check()
    left = replace(claim, check_function=lambda effort, rng: replace(own, summary="left by a test"))
    one_evidence.of(left)
    done = subprocess.run(
        [sys.executable, "-c", ASKED], env=os.environ, capture_output=True, text=True, check=True
    )
    wider = claim.check("reader").summary
    assert done.stdout.strip().split("|") == ["left by a test", wider, own.summary]


def test_a_check_that_draws_is_known(folder):
    claim = claims.get("ours/drawn/boosted-classifier-prior")
    assert one_evidence.of(claim).drew
