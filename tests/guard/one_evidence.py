"""The evidence of a claim is computed once in a run of the tests, by whoever asks first.

The ledger's test checks every claim, and the chapters' cells ask for the same evidence: the quick check at the
claim's own seed, of the same files. `tests/conftest.py` opens a folder for the session, in which the first to ask,
a test or a notebook's kernel, leaves what its check returned. Tests that change the code ask `Claim.check`
itself, which computes in them as anywhere.
"""

import os
import pickle
import shutil
import sys
import tempfile
import time
from collections import namedtuple
from importlib.machinery import PathFinder
from pathlib import Path

FOLDER = "DPLIT_TESTS_EVIDENCE"
REGISTRY = "dplit.court.ledger.registry"
Checked = namedtuple("Checked", "evidence seconds drew")  # processor's; whether its generator was used


def open_folder():
    """One folder a session, of the process that starts it; returns what removes it."""
    if FOLDER in os.environ:
        return lambda: None
    folder = os.environ[FOLDER] = tempfile.mkdtemp(prefix="dplit-evidence-")
    return lambda: shutil.rmtree(folder, ignore_errors=True)


def of(claim, check=None):
    """The quick evidence of a registered claim at its own seed, computed here or by another process."""
    kept = Path(os.environ[FOLDER], claim.id.replace("/", "+"))
    if kept.is_file():
        return Checked(*pickle.loads(kept.read_bytes()))
    from dplit.ground.work import stream

    rng, start = stream(claim.id), time.process_time()
    before = state(rng)
    evidence = (check or type(claim).check)(claim, "quick", rng)
    found = Checked(evidence, time.process_time() - start, state(rng) != before)
    half = kept.with_name(f"{kept.name}.{os.getpid()}")
    half.write_bytes(pickle.dumps(tuple(found)))
    half.replace(kept)
    return found


def state(rng):
    """What tells whether a generator was used since."""
    return repr(rng.bit_generator.state), rng.bit_generator.seed_seq.n_children_spawned


def install():
    """In a notebook's kernel, claims are asked for here as soon as their module is imported."""
    if FOLDER in os.environ:
        sys.meta_path.insert(0, _Registry)


class _Registry(PathFinder):
    """Finds the registry of claims, and changes how one of them is checked."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != REGISTRY or (spec := super().find_spec(name, path, target)) is None:
            return None
        execute = spec.loader.exec_module

        def with_one_evidence(module):
            execute(module)
            check, known = module.Claim.check, module._registry

            def once(self, effort="quick", rng=None):
                if rng is None and effort == "quick" and known.get(self.id) is self:
                    return of(self, check).evidence
                return check(self, effort, rng)

            module.Claim.check = once

        spec.loader.exec_module = with_one_evidence
        return spec
