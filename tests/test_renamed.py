"""Public names that were renamed: they work for one release, warn, and are in the changelog."""

import pkgutil
import re
import subprocess
import sys
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


ROOMS = dplit._rooms
OLD_ROOMS = list(ROOMS.old.items())


def test_an_old_room_is_the_new_one_and_says_so_where_it_is_imported():
    """In a process of its own, which has imported none of them by another name."""
    lines = [
        f"import dplit.{old} as old\nimport dplit.{new} as new\nprint(old is new)" for old, (new, _) in OLD_ROOMS
    ]
    line = [sys.executable, "-W", "always", "-c", "\n".join(lines)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * len(OLD_ROOMS)
    for i, (old, (new, goes)) in enumerate(OLD_ROOMS):
        said = f"dplit.{old} is dplit.{new} now; the old name goes in dplit {goes}"
        assert done.stderr.count(f"<string>:{3 * i + 1}: FutureWarning: {said}\n") == 1
        assert number(goes) > number(dplit.__version__)
        assert f"`{old}`" in CHANGELOG.read_text("utf-8")


def test_an_old_room_is_an_attribute_of_the_package():
    with pytest.warns(FutureWarning, match=r"^dplit\.release is dplit\.attacks now") as caught:
        assert dplit.__getattr__("release") is import_module("dplit.court.attacks")
    assert caught[0].filename == __file__


def test_a_room_of_the_court_is_one_module_under_both_names():
    for name, home in ROOMS.public.items():
        assert import_module(f"dplit.{name}") is import_module(f"dplit.{home}")
    assert import_module("dplit.audit.power") is import_module("dplit.court.audit.power")
    with pytest.raises(ModuleNotFoundError, match=r"dplit\.court\.audit\.nothing"):
        import_module("dplit.audit.nothing")
