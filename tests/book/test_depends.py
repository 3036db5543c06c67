"""What makes a notebook stale: its cells, the code and the data that they depend on."""

import inspect
import json
import re
import sys
from functools import partial
from importlib import import_module
from pathlib import Path

from book_tools import BOOK, NOTEBOOKS, ROOT

from dplit.court import claims

sys.path.insert(0, str(BOOK))
import depends

sys.path.remove(str(BOOK))


def goes_with(path, source, data):
    """Whether a notebook of this one line at `path` is stale when the file `data` changes."""
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}]}))
    digests = set()
    for text in ("1", "2"):
        data.write_text(text)
        digests.add(depends.digest(path))
    return len(digests) > 1


def test_a_notebook_that_prints_statements_goes_with_their_words(tmp_path, monkeypatch):
    docket, page = tmp_path / "one.py", tmp_path / "page.ipynb"
    monkeypatch.setattr(depends, "DOCKETS", tmp_path)
    monkeypatch.setattr(depends, "modules", lambda path: [docket])

    def digest(source, statement):
        docket.write_text(f'@BOX("a/b", "ours")\ndef check(effort, rng):\n    """{statement}"""\n    yield 1\n')
        page.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}]}))
        return depends.digest(page)

    for printing in ("print(ours[id].says)", "claims.sentences(ours)"):
        assert digest(printing, "It holds.") != digest(printing, "It fails.")
        assert digest(printing, "It holds.") == digest(printing, "It\n    holds.")
    assert digest("claims.table(ours)", "It holds.") == digest("claims.table(ours)", "It fails.")


def test_no_notebook_reads_the_stored_evidence():
    """The site's build does (`dplit_ledger.py`): a notebook would have to be stale where evidence is new."""
    reader = ROOT / "dplit" / "court" / "ledger" / "evidence_files.py"
    assert reader.is_file()
    assert [path.stem for path in NOTEBOOKS if reader in depends.modules(path)] == []


def found(code, package=""):
    return {path.relative_to(ROOT / "dplit").as_posix() for path in depends.imports(code, package)}


def test_imports_are_found_wherever_they_are():
    code = "import numpy\ndef f():\n    from dplit.mechanisms import laplace\n    import dplit.neighbours\n"
    assert found(code) == {"mechanisms/laplace.py", "neighbours.py"}


def test_relative_imports_are_found():
    assert found("from . import laplace", "dplit.mechanisms") == {"mechanisms/laplace.py"}


def test_a_name_that_a_package_passes_on_is_that_of_its_module():
    assert found("from dplit import Domain") == {"domain/schema.py"}
    assert found("from dplit.mechanisms import Laplace") == {"mechanisms/laplace.py"}
    assert found("from dplit import mechanisms") == {"mechanisms/__init__.py"}
    assert found("from dplit.claims import of") == {"court/claims/__init__.py"}
    assert found("from dplit import mechanisms as m\nm.Laplace(1)") == {"mechanisms/laplace.py"}
    assert found("from dplit import depth\nuse(depth, depth.best_depth)") == {"depth/__init__.py"}
    assert found("from dplit import claims\nclaims.of") == {"court/claims/__init__.py"}


def test_a_module_that_is_loaded_by_its_name_is_found():
    code = "import importlib\nfrom importlib import import_module\n"
    assert found(code + 'import_module("dplit.budget.accountant").is_open()') == {"budget/accountant.py"}
    assert found(code + 'importlib.import_module("dplit.forests")') == {"forests/__init__.py"}
    assert found(code + 'import_module("json")\nimport_module(f"dplit.{x}")\nimport_module()') == set()
    fits = depends.modules_of("from dplit.forests import RandomDecisionForestClassifier")
    names = {p.relative_to(ROOT / "dplit").as_posix() for p in fits}
    assert {"budget/accountant.py", "forests/files.py", "trees/variation.py"} <= names


def test_packages_only_pass_names_on():
    """So that a change in one module is none of another's, though the package imports both."""
    for path in (ROOT / "dplit").rglob("__init__.py"):
        assert depends.passes_on(path) or path.parent.name in depends.LOADERS, path


def test_dockets_are_found_by_the_chapter_that_asks():
    names = {p.relative_to(depends.DOCKETS).as_posix() for p in depends.dockets('claims.of("depth")')}
    assert names and all(name.split("/")[0].removesuffix(".py") == "depth" for name in names)
    assert depends.dockets("claims.all()") > depends.dockets('claims.of("depth")')
    assert depends.dockets('claims.of("median_forest_experiments")') > set()


def test_a_release_is_found_by_the_name_that_asks():
    """A chapter's cell or a docket names it, and the registry finds its file; other families are none of it."""
    for path in depends.RELEASES.glob("[!_]*.py"):
        for release in import_module(f"dplit.court.power.releases.{path.stem}").registered():
            shows = f"from dplit import power\npower.show({release.name!r})"
            claims_it = f"from dplit.court.ledger import drawn\ndrawn.claim_on_release({release.name!r})"
            kind = f"from dplit import power\npower.of({release.estimator!r})"
            assert all(path in depends.imports(source) for source in (shows, claims_it, kind)), release.name
    held = "from dplit import power\npower.show('HeldOut, records of a cell')"
    assert depends.imports(held) & set(depends.RELEASES.glob("*.py")) == {depends.RELEASES / "metrics.py"}
    only = depends.imports("from dplit.court.power import Release\n'HeldOut'")
    assert depends.RELEASES / "metrics.py" not in only


def test_a_changed_release_makes_stale_the_chapters_and_dockets_that_draw_it(monkeypatch):
    shown = {path for path in NOTEBOOKS if re.search(r"power\.show\(", "\n".join(depends.code(path)))}
    chapters = {path.stem for path in shown} - {"matrix_forest_experiments", "median_forest_experiments"}
    drawn = {path.parent.name for path in depends.DOCKETS.glob("*/drawn.py")}
    before = {path: depends.digest(path) for path in shown}
    held = {name: depends.fingerprint((), depends.modules_of(f"claims.of({name!r})")) for name in chapters & drawn}
    true = depends.meaning
    told = lambda source: true(source) + ("# again" if "Release(" in source else "")  # noqa: E731
    monkeypatch.setattr(depends, "meaning", told)
    assert len(shown) > 8 and len(held) > 6
    assert [path.stem for path in shown if depends.digest(path) == before[path]] == []
    for name, fingerprint in held.items():
        assert depends.fingerprint((), depends.modules_of(f"claims.of({name!r})")) != fingerprint, name


OTHERS = ("index", "ledger", "audit", "bench")  # no theory: they look at everything


def docket_of(check):
    """The file in which a claim's check stands."""
    while isinstance(check, partial):
        check = check.func
    return Path(inspect.getfile(inspect.unwrap(check)))


def test_no_docket_but_its_own_makes_a_theory_chapter_stale():
    """Nor does a run, a baseline's experiment or an attack on a release, unless the chapter asks for it.

    A docket is a file with claims: laws and small data that several share have none.
    """
    registers = re.compile(r"\b(claims?_on_releases?|said|on_both_sides)\(")
    dockets = {docket_of(claim.check_function) for claim in claims.all()}
    dockets |= {path for path in depends.DOCKETS.rglob("*.py") if registers.search(path.read_text())}
    helpers = {path.name for path in set(depends.DOCKETS.rglob("*.py")) - dockets}
    assert {"small.py", "laws.py"} < helpers
    for path in NOTEBOOKS:
        if path.stem.endswith("_experiments") or path.stem in OTHERS:
            continue
        modules = set(depends.modules(path))
        chapters = {
            p.relative_to(depends.DOCKETS).parts[0] for p in modules & dockets if depends.DOCKETS in p.parents
        }
        assert {name.removesuffix(".py") for name in chapters} <= {path.stem}
        loaded = {p.relative_to(ROOT / "dplit").parts for p in modules}
        source = "\n".join(depends.code(path))
        for room in ("experiments", "bench", "baselines", "attacks", "audit"):
            assert room in source or room not in {part for parts in loaded for part in parts[:2]}, (
                path.stem,
                room,
            )


def test_the_papers_experiments_count_where_one_is_asked_for(tmp_path):
    path = tmp_path / "x.ipynb"
    for use, asked in (("stored('mrf/table-1')", False), ("get('mrf/table-1')", True)):
        source = f"from dplit import experiments\nexperiments.{use}"
        path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}]}))
        found = {p.relative_to(depends.COURT / "experiments").as_posix() for p in
                 depends.modules(path) if "experiments" in p.parts}  # fmt: skip
        assert "result.py" in found or asked
        assert ("papers/mrf.py" in found) == asked


def test_the_closure_follows_imports():
    start = {ROOT / "dplit" / "mechanisms" / "laplace.py"}
    assert ROOT / "dplit" / "ground" / "errors.py" in depends.closure(start)


def test_only_code_counts():
    before = '"""Says so."""\n\n\ndef f(x):\n    """Twice."""\n    return 2 * x\n'
    after = "# A remark.\ndef f(x):\n    '''Two lines\n    of text.'''\n\n    return 2 * x\n"
    assert depends.meaning(before) == depends.meaning(after)
    assert depends.meaning(before) != depends.meaning(before.replace("2", "3"))


def test_a_changed_cell_changes_the_digest(tmp_path):
    path = tmp_path / "x.ipynb"
    digests = set()
    for source in ("1 + 1", "1 + 2", "import dplit", "from dplit import plotting"):
        path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}]}))
        digests.add(depends.digest(path))
    assert len(digests) == 4


def test_changed_results_make_stale_what_reads_them_and_nothing_else(tmp_path, monkeypatch):
    path, data = tmp_path / "x.ipynb", tmp_path / "table.json"
    monkeypatch.setattr(depends, "data_files", lambda results: [data] if results else [])
    assert goes_with(path, "from dplit import experiments", data)
    assert not goes_with(path, "from dplit import depth", data)


def test_a_changed_file_makes_stale_the_notebook_that_names_it(tmp_path, monkeypatch):
    path, book = tmp_path / "x.ipynb", tmp_path / "book"
    book.mkdir()
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(depends, "BOOK", book)
    for source, n in (('open("../data/table.json")', 2), ("1 + 1", 1)):
        path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}]}))
        digests = set()
        for text in ("1", "2"):
            (tmp_path / "data" / "table.json").write_text(text)
            digests.add(depends.digest(path))
        assert len(digests) == n


def test_stored_results_are_found():
    names = {path.name for path in depends.data_files()}
    assert {"diprime-v1.toml", "table-1.json"} <= names
    assert {"leaks.json", "sound.json"} <= {path.name for path in depends.audit_files()}
    assert not {"leaks.json", "deep.json"} & names
    assert any("results/verify/deep.json" in cell for cell in depends.code(BOOK / "ledger.ipynb"))


def test_changed_audits_make_stale_what_reads_them_and_nothing_else(tmp_path, monkeypatch):
    path, data = tmp_path / "x.ipynb", tmp_path / "sound.json"
    monkeypatch.setattr(depends, "audit_files", lambda: [data])
    reads, not_reads = "from dplit.audit import seeds", "from dplit import experiments"
    for source, n in ((reads, 2), (not_reads, 1)):
        path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": [source]}]}))
        digests = set()
        for text in ("1", "2"):
            data.write_text(text)
            digests.add(depends.digest(path))
        assert len(digests) == n
    assert depends.TALLIES in depends.modules(BOOK / "audit.ipynb")
