"""Public names that were renamed: they work for one release, warn, and are in the changelog."""

import pkgutil
import re
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import dplit
from dplit.ground.renamed import moved

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def modules():
    """Modules of the package that define a ``__getattr__``, but those that run when they are imported."""
    for found in pkgutil.walk_packages(dplit.__path__, "dplit."):
        source = Path(found.module_finder.path, *[found.name.rpartition(".")[2]])
        file = source / "__init__.py" if found.ispkg else source.with_suffix(".py")
        if "\n__getattr__ = moved(" in file.read_text("utf-8"):
            yield found.name


OLD = [(name, old, *new) for name in modules() for old, new in import_module(name).__getattr__.names.items()]


def number(version):
    return tuple(map(int, re.findall(r"\d+", version)[:2]))


@pytest.mark.parametrize(("module", "old", "new", "goes"), OLD)
def test_an_old_name_works_as_before_and_says_what_to_use_and_until_when(module, old, new, goes):
    home, _, own = new.rpartition(".")
    said = rf"^{re.escape(f'{module}.{old} is {new} now; the old name goes in dplit {goes}')}$"
    with pytest.warns(FutureWarning, match=said) as caught:
        found = getattr(import_module(module), old)
    assert found is getattr(import_module(home), own)
    assert caught[0].filename == __file__  # where the name is used
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(import_module(home), own) is found


@pytest.mark.parametrize(("module", "old", "new", "goes"), OLD)
def test_an_old_name_is_in_the_changelog_and_goes_in_time(module, old, new, goes):
    assert number(goes) > number(dplit.__version__), f"{module}.{old} goes in this version"
    deprecated = re.findall(r"^- Deprecated: (.*(?:\n  .*)*)", CHANGELOG.read_text("utf-8"), re.M)
    assert any(f"`{module.removeprefix('dplit.')}.{old}`" in line for line in deprecated)


def test_other_names_are_none():
    find = moved("dplit.some", old=("dplit.loss.privacy_loss", "9.0"))
    with pytest.raises(AttributeError, match=r"^module 'dplit\.some' has no attribute 'other'$"):
        find("other")
    with pytest.raises(AttributeError, match="'curve_cells'"):
        _ = import_module("dplit.consistency.curve").curve_cells
    assert {old for _, old, *_ in OLD} >= {"stored_cells", "write_cells"}  # drop it with them
