"""The README is true: its example prints what it says, and its table is computed again from the stored runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from dplit.court import bench

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = FENCE.findall(README)
SHOWN = [text for language, text in BLOCKS if language == "text"]
PEERS = ["PrivateForest", "private EBM", "diffprivlib forest"]


def run(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT)


def test_the_ten_lines_print_an_accuracy_and_a_budget_of_one():
    (example,) = [text for language, text in BLOCKS if language == "python"]
    assert len([line for line in example.splitlines() if line.strip()]) == 10
    printed = run("-c", example).stdout
    assert "epsilon 1 under add-remove neighbours" in printed
    assert [printed] == SHOWN


def test_it_is_short():
    """In words of prose: without code and tables."""
    lines = FENCE.sub("", README).splitlines()
    assert 400 < len(" ".join(line for line in lines if not line.startswith("|")).split()) < 700


@pytest.mark.parametrize("target", ["book", "test"])
def test_make_builds_the_book_and_tests_it(target):
    assert re.search(rf"^make {target}\b", README, flags=re.MULTILINE)
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)", README))))
def test_every_link_leads_to_a_file(link):
    assert (ROOT / link).exists()


def test_it_leads_to_every_page_of_the_guide_that_a_user_begins_with():
    linked = set(re.findall(r"book/guide/(\w+)\.md", README))
    assert linked == {path.stem for path in (ROOT / "book" / "guide").glob("*.md")}


def row(name):
    """The cells of a row of the table, as printed."""
    (line,) = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", README, flags=re.MULTILINE)
    return [cell.strip() for cell in line.split("|")]


def means(run, column=0, measure="scores", place=...):
    """Mean scores at epsilon 1 of the tables of a run, ours and the peers', by table."""
    ours = bench.scores(f"bench/tables-{run}", 1.0)
    theirs = bench.peer_scores(1.0, of="tables", measure=measure)
    ours = {at: of[:, column] if of.ndim > 1 else of for at, of in ours.items() if at[1] == PEERS[0]}
    tables = {data for data, _ in ours} & {*bench.of_kind("two", "more", "number")}
    found = bench.means(ours | {at: of[place] for at, of in theirs.items()}).reindex(columns=PEERS)
    return found.loc[sorted(tables)]


@pytest.mark.parametrize(("name", "column", "measure", "place"), [
    ("accuracy, forty tables of two classes", 0, "scores", ...),
    ("area under the ROC curve, the same", 1, "ranking", (slice(None), 0)),
])  # fmt: skip
def test_two_classes_are_as_stored(name, column, measure, place):
    table = means("ranking", column, measure, place).dropna()
    assert len(table) == 40
    assert row(name) == [f"{mean:.3f}" for mean in table.mean()]


def test_sixty_tables_are_as_stored():
    table = pd.concat([means(run) for run in ("two", "more")])[[PEERS[0], PEERS[2]]].dropna()
    assert len(table) == 60
    ours, theirs = table.mean()
    assert row("accuracy, sixty tables") == [f"{ours:.3f}", "two classes only", f"{theirs:.3f}"]


def test_r2_is_as_stored():
    table = means("number")
    ours, theirs = (f"{table[peer].median():.2f}" for peer in PEERS[:2])
    assert len(table[PEERS[:2]].dropna()) == 40 and table[PEERS[2]].isna().all()
    assert row("R2, median of forty tables") == [ours, theirs, "no regression"]


def test_delta_and_seconds_are_as_stored():
    delta = {d for stored in bench.stored_peers("held-out")["runs"] for d in stored["delta"].values()}
    assert row("delta") == ["0", *(f"{d:.0e}".replace("e-0", "e-") for d in delta), "0"]
    costs = bench.stored_costs()["seconds"]
    for size, digits in (("24,000 x 10", 2), ("1,000,000 x 20", 1)):
        assert row(f"seconds a fit, {size}") == [f"{costs[size, peer]:.{digits}f}" for peer in PEERS]


def test_what_published_cuts_reveal_is_what_the_first_page_says():
    said = re.compile(r"reveals (\d+) % .*?more than (\d+) %")
    first = (ROOT / "book" / "index.ipynb").read_text("utf-8")
    assert said.findall(" ".join(README.split())) == said.findall(first)
