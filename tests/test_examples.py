"""Every example in a docstring runs, and gives what it says."""

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import dplit


def modules():
    """Names of the modules whose source has an example."""
    for found in pkgutil.walk_packages(dplit.__path__, "dplit."):
        source = Path(found.module_finder.path, found.name.rpartition(".")[2])
        file = source / "__init__.py" if found.ispkg else source.with_suffix(".py")
        if ">>> " in file.read_text("utf-8"):
            yield found.name


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module(name):
    done = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert done.attempted and not done.failed
