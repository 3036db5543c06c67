"""What a CI reads of ``dplit verify`` and ``dplit audit``: JUnit's XML and SARIF 2.1.0; and what failed last.

Before the work each report says that the run did not end, so that a killed one is a failure to its reader.
"""

import contextlib
import inspect
import json
import re
import shlex
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import dplit
from dplit.ground.writing import write_whole

FOLDER = Path("dplit-results")
LAST = FOLDER / "last-failed.json"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Case(NamedTuple):
    """One claim or subject, as a report has it."""

    name: str
    kind: str  #: As JUnit says it: "failure", "error", "skipped", or "" where it came out as it should.
    words: str  #: What decided.
    checked: Callable | None = None  #: Gives what was run, for its place.
    seconds: float = 0.0

    @property
    def ok(self):
        """False for a failure or an error."""
        return self.kind in ("", "skipped")


def begin(arguments, command):
    """Write the reports of a run that has not ended."""
    _write(arguments, command, [], False)


def end(arguments, command, cases, interrupted):
    """Write the reports that are asked for, and keep what failed for ``--last-failed``."""
    cases = list(cases)
    _write(arguments, command, cases, not interrupted)
    _remember(command, cases)


def _write(arguments, command, cases, ended):
    if not ended:
        cases = [*cases, Case(f"dplit {command}", "error", "the run was stopped before its end")]
    for path, report in ((arguments.junit, junit), (arguments.sarif, sarif)):
        if path:
            write_whole(path, report(command, cases, ended))


def junit(command, cases, ended):
    """The cases as JUnit's XML, bytes."""
    counted = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {name: str(sum(case.kind == kind for case in cases)) for name, kind in counted.items()}
    counts |= {"tests": str(len(cases)), "time": f"{sum(case.seconds for case in cases):.3f}"}
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    top = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(top, "testsuite", counts | {"name": f"dplit {command}", "timestamp": when})
    for case in cases:
        named = {"classname": f"dplit.{command}", "name": case.name, "time": f"{case.seconds:.3f}"}
        node = ElementTree.SubElement(suite, "testcase", named)
        if case.kind:
            ElementTree.SubElement(node, case.kind, {"message": NOT_XML.sub("\ufffd", case.words)})
    ElementTree.indent(top)
    return ElementTree.tostring(top, "utf-8", xml_declaration=True)


def sarif(command, cases, ended):
    """What is wrong among the cases as SARIF 2.1.0, bytes; each of them is a rule."""
    rules = [{"id": case.name, "shortDescription": {"text": f"dplit {command}: {case.name}"}} for case in cases]
    driver = {"name": "dplit", "version": dplit.__version__, "rules": rules}
    results = [
        {"ruleId": case.name, "ruleIndex": i, "level": "error", "message": {"text": case.words}, **_place(case)}
        for i, case in enumerate(cases)
        if not case.ok
    ]
    how = {"executionSuccessful": ended, "commandLine": shlex.join(["dplit", *sys.argv[1:]])}
    run = {"tool": {"driver": driver}, "invocations": [how], "columnKind": "unicodeCodePoints"}
    report = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run | {"results": results}]}
    return json.dumps(report, indent=1).encode()


def _place(case):
    """Where the checked code is, from the folder that holds the package."""
    logical = {"fullyQualifiedName": case.name, "kind": "function"}
    found = {"logicalLocations": [logical]}
    with contextlib.suppress(LookupError, TypeError, OSError, ValueError):
        code = _code(case.checked())
        path = Path(inspect.getsourcefile(code)).resolve().relative_to(Path(dplit.__file__).resolve().parents[1])
        region = {"startLine": max(inspect.getsourcelines(code)[1], 1)}
        found["physicalLocation"] = {"artifactLocation": {"uri": path.as_posix()}, "region": region}
    return {"locations": [found]}


def _code(checked):
    """The function in a check, however it is wrapped; of an audited estimator the class."""
    from dplit.court.audit.subject import estimator

    while not inspect.isfunction(checked):
        if hasattr(checked, "kind"):
            return estimator(checked.kind)
        inner = (getattr(checked, name, None) for name in ("func", "pair", "lawful"))
        checked, outer = next((part for part in inner if part is not None), None), checked
        if checked is None:
            return outer if inspect.isclass(outer) else type(outer)
    return inspect.unwrap(checked)


def last_failed(command):
    """The names that came out wrong when they last ran in this folder, set of str."""
    try:
        return set(json.loads(LAST.read_text("utf-8"))[command])
    except (OSError, ValueError, LookupError, TypeError):
        return set()


def _remember(command, cases):
    """Keep the names of the cases that are wrong, and forget those that no longer are."""
    before, wrong = last_failed(command), {case.name for case in cases if not case.ok}
    names = before - {case.name for case in cases} | wrong
    if names == before:
        return
    others = {other: sorted(last_failed(other)) for other in ("verify", "audit")}
    with contextlib.suppress(OSError):  # a folder that can't be written: nothing is remembered
        FOLDER.mkdir(exist_ok=True)
        write_whole(LAST, json.dumps(others | {command: sorted(names)}).encode())
