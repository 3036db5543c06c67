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
LATEST = "weighted-held-out", "classes-held-out"  # but where few-held-out ran later
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


def held_out(kind, measure=0):
    """Scores at epsilon 1 on the tables held out, ours of one run and the peers'."""
    ours = bench.scores(f"bench/{kind}", 1.0)
    if kind in LATEST:
        ours |= {key: of for key, of in bench.scores("bench/few-held-out", 1.0).items() if key in ours}
    rank = kind == "weighted-held-out"
    theirs = bench.peer_scores(1.0, held_out=True, measure="ranking" if rank and measure else "scores")
    ours = {key: of[:, measure] for key, of in ours.items()} if rank else ours
    theirs = {key: of[:, measure - 1] for key, of in theirs.items()} if rank and measure else theirs
    return bench.means(ours | theirs)[PEERS]


@pytest.mark.parametrize(
    ("name", "measure"), [("accuracy, five tables of two classes", 0), ("area under the ROC curve, the same", 1)]
)
def test_two_classes_are_as_stored(name, measure):
    table = held_out("weighted-held-out", measure).dropna()
    assert len(table) == 5
    assert row(name) == [f"{mean:.2f}" for mean in table.mean()]


def test_fourteen_tables_are_as_stored():
    table = held_out("classification-held-out")["diffprivlib forest"].dropna()
    latest = [held_out(kind)["PrivateForest"].dropna() for kind in LATEST]
    ours, theirs = pd.concat(latest).reindex(table.index).mean(skipna=False), table.mean()
    assert len(table) == 14
    assert row("accuracy, fourteen tables") == [f"{ours:.2f}", "two classes only", f"{theirs:.2f}"]


def test_r2_is_as_stored():
    table = held_out("regression-held-out-5").loc[["metro-traffic", "appliances-energy"]]
    ours, theirs = (", ".join(f"{of:.2f}" for of in table[peer]) for peer in PEERS[:2])
    assert row("R2, Metro traffic and Appliances") == [ours, theirs, "no regression"]
    assert table["diffprivlib forest"].isna().all()


def test_delta_and_seconds_are_as_stored():
    delta = {d for stored in bench.stored_peers(True)["runs"] for d in stored["delta"].values()}
    assert row("delta") == ["0", *(f"{d:.0e}".replace("e-0", "e-") for d in delta), "0"]
    costs = bench.stored_costs()["seconds"]
    for size, digits in (("24,000 x 10", 2), ("1,000,000 x 20", 1)):
        assert row(f"seconds a fit, {size}") == [f"{costs[size, peer]:.{digits}f}" for peer in PEERS]


def test_what_published_cuts_reveal_is_what_the_first_page_says():
    said = re.compile(r"reveals (\d+) % .*?more than (\d+) %")
    first = (ROOT / "book" / "index.ipynb").read_text("utf-8")
    assert said.findall(" ".join(README.split())) == said.findall(first)
