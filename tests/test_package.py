"""What ``import dplit`` gives, and what it leaves for later."""

import subprocess
import sys

import pytest

import dplit


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_a_module_needs_no_import_of_its_own():
    names = ["audit", "claims", "datasets", "depth", "forests", "majority", "mechanisms"]
    done = run(f"import dplit; print([getattr(dplit, n).__name__ for n in {names}])")
    judges = ("audit", "claims")
    homes = [f"dplit.court.{n}" if n in judges else f"dplit.{n}" for n in names]
    assert done.stdout == f"{homes}\n", done.stderr
    assert set(names) < set(dir(dplit))


def test_importing_the_package_imports_little():
    loaded = run("import sys, dplit; print('sklearn' in sys.modules, 'numba' in sys.modules)")
    assert loaded.stdout == "False False\n"


def test_each_fit_that_leaks_says_so_unless_a_filter_forbids():
    code = "from dplit.ground.errors import warn_leak\nfor _ in range(3): warn_leak('read off the data', 2)"
    assert run(code).stderr.count("read off the data") == 3
    muted = "import warnings, dplit; warnings.simplefilter('ignore', dplit.PrivacyLeakWarning)\n"
    assert run(f"{muted}{code}").stderr == ""


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'dplit' has no attribute 'medians'"):
        _ = dplit.medians


def test_every_name_in_all_is_there():
    assert all(hasattr(dplit, name) for name in dplit.__all__)


def test_help_and_dir_need_no_extra():
    done = run(
        "import sys; sys.modules.update(matplotlib=None, seaborn=None)\n"
        "import dplit, inspect, pydoc\n"
        "assert not hasattr(dplit, 'plotting') and 'PrivateForestClassifier' in pydoc.render_doc(dplit)\n"
        "names = {name for name in dir(dplit) if not name.startswith('__')}\n"
        "assert 'metrics' in dict(inspect.getmembers(dplit)) and not {'sys', 'import_module'} & names\n"
        "try:\n    from dplit import plotting\nexcept ImportError as error:\n    print(error)\n"
    )
    assert done.stdout.startswith("dplit.plotting needs matplotlib and seaborn"), done.stderr
    assert done.stdout.endswith("pip install 'dplit[plot]'\n")
