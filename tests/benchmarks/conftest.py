"""Collects the seconds of each library and prints their ratios at the end of the run."""

import pytest

_seconds = pytest.StashKey[dict]()


@pytest.fixture
def seconds(request):
    """``{(library, task): best seconds}``, shared by the whole run."""
    return request.config.stash.setdefault(_seconds, {})


def pytest_terminal_summary(terminalreporter, config):
    found = config.stash.get(_seconds, {})
    tasks = sorted({task for _, task in found})
    if not found:
        return
    terminalreporter.section("one core, best of the rounds; ratio to dplit")
    for library in sorted({library for library, _ in found}):
        cells = [
            f"{task} {1e3 * found[library, task]:8.1f} ms  x{found[library, task] / found['dplit', task]:6.1f}"
            for task in tasks
            if (library, task) in found and ("dplit", task) in found
        ]
        terminalreporter.write_line(f"{library:>16}   {'     '.join(cells)}")
