"""The layout of the package: a module imports only from modules above it, and none is long."""

import ast
import re
import sys
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import yaml

import dplit
from dplit.court import claims

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS.parent / "dplit"
COURT = PACKAGE / "court"
LONGEST_FILE = 400
ORDER = """
ground.errors ground.writing ground.renamed ground.printed ground.work ground.stored
domain budget neighbours loss
mechanisms
sensitivity median balance occupancy utility median_forest
majority depth random_forest
multinomial consistency
matrix
boosting
datasets
trees
forests
metrics
baselines
scale
court.power
court.audit
court.attacks
court.experiments
court.bench
court.ledger
court.claims
plotting cli
""".split()
BOOK = TESTS.parent / "book"
sys.path.insert(0, str(BOOK))
import depends  # noqa: E402

sys.path.remove(str(BOOK))
WINGS = (PACKAGE, COURT, PACKAGE / "ground")
FILES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent not in WINGS or p.stem[:2] != "__")


def chapters():
    """Stems of the chapters: the notebooks in the numbered parts of the table of contents."""
    toc = yaml.safe_load((TESTS.parent / "_toc.yml").read_text("utf-8"))
    numbered = [part for part in toc["parts"] if part.get("numbered")]
    return [Path(entry["file"]).stem for part in numbered for entry in part["chapters"]]


def name(path):
    return path.relative_to(PACKAGE).as_posix()


def top(path):
    """The room that a file belongs to: a name in `ORDER`."""
    return room(path.relative_to(PACKAGE).with_suffix("").parts)


def room(parts):
    """The room of what has these parts below `dplit`; those of the court and of the ground have two."""
    return ".".join(parts[: 2 if parts[0] in ("court", "ground") else 1])


def imported(path):
    """Rooms of `dplit` that a file imports, inside functions too."""
    for node in ast.walk(depends.running(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (home(n.split(".")[1:]) for n in names if n.startswith("dplit."))


def home(parts):
    """The room of what has these parts below `dplit`, where ``from dplit import name`` reexports it."""
    if parts[0] in dplit.__all__:
        parts = getattr(dplit, parts[0]).__module__.split(".")[1:]
    return room(parts)


AS_LISTED = f"each room imports only from rooms before it: {' '.join(ORDER)}"


def test_a_module_imports_only_from_above():
    assert sorted({top(path) for path in FILES}) == sorted(ORDER), AS_LISTED
    wrong = []
    for path in FILES:
        above = {*ORDER[: ORDER.index(top(path))], top(path)}
        wrong += [f"{name(path)} imports {n}" for n in imported(path) if n not in above]
    assert wrong == [], AS_LISTED


def test_no_fit_and_no_law_needs_the_court():
    """Whatever imports the estimators, a baseline or a chapter's law, and fits, loads no room that judges."""
    names = [n for n in ORDER if not n.startswith("court.") and n not in ("plotting", "cli")]
    library = {p for p in FILES if top(p) in names}
    assert {p for p in depends.closure(library) if COURT in p.parents} == set()


def test_no_file_imports_itself_through_others():
    """Imports within functions count, too: they hide a circle and leave it there."""
    assert circle({p: depends.imports_of(p) - {p} for p in PACKAGE.rglob("*.py")}) == []
    sources = {p.stem: ast.parse(p.read_text("utf-8")) for p in BOOK.glob("*.py")}
    assert circle({name: sources.keys() & absolute(t) for name, t in sources.items()}) == []


def circle(imports):
    """Files each of which imports the next one, back to the first; none if there is no circle."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as found:
        return found.args[1]
    return []


def test_a_circle_of_imports_is_seen():
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert {*circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})} == {"a", "b", "c"}


def absolute(tree):
    """Modules that a file imports by their whole names, within functions too."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
    return found


# Why an import of `dplit` may stand within a function: (file, what it imports), and the reason.
COMPILED = "numba takes a quarter of a second, and who reads parameters, a file or a law needs none of it"
CIPHER = "its library takes long to import, and no simulation needs it"
FORESTS = "scikit-learn takes a quarter of a second, and most functions of the file fit no forest"
COMMAND = "a command imports what it runs: `dplit --help` and a wrong name are answered at once"
CHANGED = "the script puts another source in the place of a module before anything imports it"
LATE = {
    ("*", "dplit.trees"): COMPILED,
    ("*", "dplit.trees.*"): COMPILED,
    ("*", "dplit.mechanisms.exact*"): COMPILED,
    ("mechanisms/secure.py", "dplit.mechanisms.cipher"): CIPHER,
    ("matrix/*", "dplit.matrix.exact_treenorm"): COMPILED,
    ("court/claims/*", "dplit.forests"): FORESTS,
    ("court/attacks/*", "dplit.forests.*"): FORESTS,
    ("cli/*", "dplit*"): COMMAND,
    ("court/audit/subjects/*", "dplit.baselines.*"): COMPILED,
    ("court/power/releases/*", "dplit.forests"): FORESTS,
    ("court/audit/changes/planted.py", "dplit.*"): CHANGED,
}


def late(path):
    """Modules of `dplit` that a file imports within functions."""
    tree = depends.running(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if node in tree.body or not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module]
        if names == ["dplit"]:
            names = [f"dplit.{alias.name}" for alias in node.names]
        yield from (n for n in names if n.split(".")[0] == "dplit")


def test_an_import_within_a_function_has_a_reason():
    found = {(name(path), module) for path in FILES for module in late(path)}
    known = {
        (file, module): [k for k in LATE if fnmatch(file, k[0]) and fnmatch(module, k[1])]
        for file, module in found
    }
    assert [at for at, reasons in known.items() if not reasons] == []
    assert {k for reasons in known.values() for k in reasons} == set(LATE)


def test_files_are_short_and_documented():
    sources = {name(p): p.read_text("utf-8") for p in PACKAGE.rglob("*.py")}
    assert [n for n, s in sources.items() if s.count("\n") > LONGEST_FILE] == []
    assert [n for n, s in sources.items() if not ast.get_docstring(ast.parse(s))] == []


def test_no_module_is_imported_for_its_side_effect():
    pattern = re.compile(r"^(from|import) .*noqa:.*F401", re.M)
    assert [name(p) for p in PACKAGE.rglob("*.py") if pattern.search(p.read_text("utf-8"))] == []


def test_no_file_imports_the_privates_of_another():
    pattern = re.compile(r"^from dplit\S* import .*\b_[a-z]\w*", re.M)
    assert [name(p) for p in PACKAGE.rglob("*.py") if pattern.search(p.read_text("utf-8"))] == []


# The one rule: a chapter's stem is its module's, its docket's and its tests' stem. Chapters on
# experiments have no laws of their own, nor has the bench; their dockets are in claims/runs. An underscore of a
# module's may be a folder: the chapter `matrix_paths` is `dplit/matrix/paths.py`.


def is_there(folder, stem):
    """True if `folder` has a module or a package of this stem."""
    return (folder / f"{stem}.py").is_file() or (folder / stem / "__init__.py").is_file()


def of_runs(stem):
    """True if a chapter is about runs alone."""
    return stem.endswith("_experiments") or stem == "bench"


@pytest.mark.parametrize("stem", [s for s in chapters() if not of_runs(s)])
def test_a_chapters_stem_is_its_modules_its_dockets_and_its_tests(stem):
    package, _, part = stem.partition("_")
    places = (PACKAGE, stem), (PACKAGE / package, part), (COURT, stem)
    assert any(is_there(*place) for place in places), "the module"
    assert is_there(COURT / "claims", stem), "the docket"
    assert list((TESTS / stem).glob("test_*.py")), "the tests"
    assert {c.chapter for c in claims.of(stem)} == {stem}


def test_every_docket_is_a_chapters():
    dockets = {p.stem for p in (COURT / "claims").iterdir() if p.stem[:1] not in "_."}
    assert dockets <= {*chapters(), "runs"}
    assert {c.chapter for c in claims.all()} <= set(chapters())


def test_the_slow_files_that_come_first_exist():
    from tests.conftest import SLOW

    assert [name for name in SLOW if not (TESTS / f"{name}.py").is_file()] == []
    assert len(set(SLOW)) == len(SLOW)
