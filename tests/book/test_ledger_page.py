"""The ledger's page in headless Chromium: its filters, a pasted sentence, formulas, the entries' own pages."""

import re
import shutil
import sys
from pathlib import Path

import book_tools
import pytest
from browser_tools import keep, problems, visit, wait
from pasted_sentences import PASTED

sys.path.insert(0, str(book_tools.BOOK / "_ext"))
from ledger_page import ledger_html

sys.path.remove(str(book_tools.BOOK / "_ext"))

pytestmark = pytest.mark.browser


def _fake_ledger(folder):
    """A page with a ledger of a few made-up claims and the book's own script."""
    from dplit.court.ledger.registry import Claim

    rows = [("rdf/one", "fails"), ("rdf/two", "leaks"), ("mrf/one", "holds"), ("mrf/one/corrected", "holds")]
    places = ["Theorem 2", "Theorem 21", "Lemma 3", "Section 2"]
    made = [
        Claim(i, i.split("/")[0], place, f"{place}, the {v} one", v, print, ours="corrected" in i)
        for (i, v), place in zip(rows, places)
    ]
    shutil.copy(book_tools.BOOK / "_static" / "ledger.js", folder)
    script = '<script src="ledger.js"></script>'
    page = folder / "ledger.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{ledger_html(made)}{script}", "utf-8")
    return page


def shown(driver):
    return driver.execute_script(
        "return [...document.querySelectorAll('.ledger tr[data-verdict]')]"
        ".filter((row) => row.offsetParent).map((row) => row.id)"
    )


def unhidden(driver):
    """As `shown`, of a page whose hidden rows are shown nowhere: it is not laid out for it."""
    return driver.execute_script(
        "return [...document.querySelectorAll('.ledger tr[data-verdict]:not([hidden])')].map((row) => row.id)"
    )


def choose(driver, name, value):
    driver.execute_script(
        "const field = document.querySelector('.ledger-filter').elements[arguments[0]];"
        "field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true}));",
        name,
        value,
    )


def test_the_ledger_filters(driver, tmp_path):
    address = _fake_ledger(tmp_path).as_uri()
    visit(driver, address)
    everything = ["mrf-one", "mrf-one-corrected", "rdf-two", "rdf-one"]
    assert shown(driver) == everything
    choose(driver, "paper", "rdf")
    assert shown(driver) == ["rdf-two", "rdf-one"]
    assert _heads(driver) == ["RDF"]
    choose(driver, "verdict", "leaks")
    assert shown(driver) == ["rdf-two"]
    count = driver.execute_script("return document.querySelector('.ledger-count').textContent")
    assert count == "1 of 4 claims"
    choose(driver, "text", "no such words")
    assert shown(driver) == []
    driver.execute_script("document.querySelector('.ledger-filter button').click()")
    wait(driver, "return !document.querySelector('.ledger tbody tr[hidden]')")
    assert shown(driver) == everything


def _heads(driver):
    return driver.execute_script(
        "return [...document.querySelectorAll('.ledger-group')]"
        ".filter((row) => row.offsetParent).map((row) => row.textContent.trim())"
    )


def test_a_phrase_is_looked_for_in_the_place_first(driver, tmp_path):
    visit(driver, _fake_ledger(tmp_path).as_uri())
    for text, found in [
        ("theorem 2", ["rdf-one"]),
        ("THEOREM  2", ["rdf-one"]),
        ("section", ["mrf-one-corrected"]),
        ("the leaks one", ["rdf-two"]),
        ("one leaks", ["rdf-two"]),
        ("Thm. 2", ["rdf-one"]),
        ("Sec. (2)", ["mrf-one-corrected"]),
        ("What leaks, says the lemma?", ["mrf-one", "rdf-two"]),
        ("completely different", []),
        ("*+", []),
        ("Theorem 2. It says what no row says.", ["rdf-one"]),
        ("Fletcher theorem 2", ["rdf-one"]),
        ("Fletcher & Islam (2017), theorem 21", ["rdf-two"]),
        ("theorem 2 of Fletcher", ["rdf-one"]),
        ("Li et al.", ["mrf-one", "mrf-one-corrected"]),
        ("RDF: theorem 21", ["rdf-two"]),
        ("Li 2", ["mrf-one-corrected"]),
        ("rdf", ["rdf-two", "rdf-one"]),
        ("Tajima theorem 2", []),
    ]:
        choose(driver, "text", text)
        assert shown(driver) == found, text


def test_the_count_says_when_nothing_has_the_words(driver, tmp_path):
    visit(driver, _fake_ledger(tmp_path).as_uri())
    for text, said in [
        ("theorem 2", "1 of 4 claims"),
        ("What leaks, says the lemma?", "No claim has all these words; the nearest: 2 of 4 claims"),
        ("completely different", "No claim has such words: 0 of 4 claims"),
        ("", "4 of 4 claims"),
    ]:
        choose(driver, "text", text)
        assert driver.execute_script("return document.querySelector('.ledger-count').textContent") == said


SENTENCES = {  # as three papers print them
    "rdf": "Theorem 1. Given the leaf x of a decision tree, the most frequent label can be "
    "differentially-privately queried with the Exponential Mechanism",
    "mrf": "Theorem 2. The proposed MRF satisfies ϵ-differential privacy when the hyper-parameters",
    "m-rf": "Theorem 7 Algorithm 2 satisfies ϵ-DP.",
}


@pytest.mark.parametrize("paper", SENTENCES)
def test_a_pasted_sentence_finds_its_verdict_counterexample_and_citation(driver, server, tmp_path, paper):
    visit(driver, _ledger_of(paper, tmp_path).as_uri())
    choose(driver, "text", SENTENCES[paper])
    found = shown(driver)
    assert 1 <= len(found) <= 15, "a list that is read in a minute"
    link = "return document.getElementById(arguments[0]).querySelector('a').getAttribute('href')"
    visit(driver, f"{server}book/{driver.execute_script(link, found[0])}")
    worst = driver.execute_script("return document.querySelector('article').textContent")
    assert "leaks" in worst and "Counterexample" in worst and f"@misc{{dplit-{found[0]}," in worst


def _ledger_of(paper, folder):
    """The ledger of one paper, or of all, without the rest of the site."""
    from dplit.court import claims
    from dplit.court.ledger import evidence_files

    found = [c for c in claims.all() if not c.ours and paper in (None, c.paper)]
    html = ledger_html(found, evidence_files.stored())
    shutil.copy(book_tools.BOOK / "_static" / "ledger.js", folder)
    page = folder / "ledger.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{html}<script src=ledger.js></script>", "utf-8")
    return page


COPIED = {  # sentences without a number, each with the row that judges it
    "diprime-v1/parallel-composition": "If F_i each provide differential privacy, and D_i are "
    "arbitrary disjoint subsets of the dataset D, then the sequence provides differential privacy",
    "diprime-v2/parallel-composition": "Since the data points assigned to leaf nodes are disjoint, the "
    "set of all leaf-node queries is also DP, following the parallel composition theorem.",
    "mrf/stopping": "the number of estimation points is required to be at least k for every leaf.",
    "rdf/parallel-parts": "we propose using parallel composition, and using disjoint data in each tree",
    "rdf/improvement": "even with a modest j of 10, the exponent of the Exponential Mechanism is "
    "improved 20,000-fold",
    "m-rf/single-tree": "In both cases, the predictive power of a single tree is inversely proportional "
    "to the total number of trees.",
    "diprime-v1/median-by-rank": "we order the observations and use ϵ_1/2 of our privacy budget to select "
    "the j th observation, using the exponential mechanism with probability",
    "diprime-v1/leaf-mean": "In the regression setting, the sensitivity of the mean is (B_U - B_L)/N_i, "
    "where N_i is the number of data points at node i, so we add Laplace(0, Δ_i/ϵ_2) noise to the mean.",
    "diprime-v2/sensitivity-mean": "changing the value of a given data point changes each class count by "
    "at most 1, and changes the sample mean by at most 2B/N_i",
    "diprime-v2/leaf-signal": "we wish to avoid the situation where the privacy budget ϵ_l is less than "
    "1/N_i, which implies that the expected magnitude of the Laplace noise is greater than that of the signal",
    "diprime-v2/replace-one-doubles": "An alternative definition is the maximum change due to replacing a "
    "single datapoint in A; in this case, the sensitivity is double the reported value.",
    "mrf/lemma-3-any-feature": "In the MRF, the probability that any given feature A is selected to split at "
    "each node has lower bound P_1 > 0",
    "mrf/equation-17": "η(D^E,c) is the empirical probability that sample x has the label c, and thus the "
    "corresponding sensitive is 1",
    "mrf/layer": "the privacy budget consumed for each layer of a tree is B_1+B_2",
    "mrf/nearly-as-good": "while other candidate split points that are nearly as good as the best one will "
    "also have a good chance to be selected",
    "mrf/partition-necessary": "the MRF replaces the bootstrap technique by a partition of the training set, "
    "which is necessary for consistency",
    "mrf/tree-labels": "Since each leaf divides the dataset D^E into disjoint subsets, according to Property 2, "
    "the prediction mechanism of the each tree satisfies B_3-differential privacy.",
    "mrf/lemma-4-large": "the specific split value has a large probability that it is not near the two endpoints",
    "mrf/marks": "we carry out Wilcoxon's signed-rank test to test for the difference between the results from "
    "the MRF and the standard RF at significance level 0.05",
    "m-rf/labels": "Finally, from the post-processing theorem, the computation of leaf labels in Line 3 does not "
    "degrade privacy.",
    "m-rf/naive": "The naive case where A = W corresponds to the vectorized Laplace mechanism.",
    "m-rf/search-crucial": "The primary overhead comes from optimization, which is crucial for high accuracy.",
    "m-rf/subsample-not-batch": "Since C ≠ TD, the above DP batch prediction is not directly applicable.",
    "rdf/most-leaves-empty": "In our experiments, using both synthetic and real-world data, over 85% of the "
    "leaf nodes in any non-trivial tree are usually empty",
    "rdf/equation-11": "the local sensitivity of our scoring function u is 0 until y is sufficiently far "
    "away from x, at which point the sensitivity becomes 1",
    "rdf/least-frequent": "it has been proven that the smooth sensitivity of queries that output the most "
    "(or least) frequent item in a set is e^{-jϵ}",
    "rdf/figure-5/no-loss": "We see improvements of up to 18 percentage points when disjoint data is used, "
    "and no losses by more than a fraction of one standard deviation",
    "m-rf/abstract-40": "We validate our methods on real-world datasets, demonstrating a significant accuracy "
    "improvement of up to 40% compared to existing approaches.",
    "m-rf/tuning-free": "Since this error metric does not depend on the actual training data, we can "
    "effectively perform privacy-free hyperparameter tuning without consuming any privacy budget.",
    "m-rf/more-queries-90": "In contrast, with our DP batch prediction, accuracy remains at 90% even when "
    "predicting as many as 1000 samples.",
}


@pytest.fixture(scope="module")
def whole_ledger(tmp_path_factory):
    """The page of all claims, without the rest of the site."""
    return _ledger_of(None, tmp_path_factory.mktemp("ledger")).as_uri()


@pytest.mark.parametrize("row", COPIED | PASTED)
def test_a_sentence_without_a_number_finds_its_row_among_few(driver, whole_ledger, row):
    """In the whole ledger, with the paper chosen."""
    keep(driver, whole_ledger)
    choose(driver, "paper", row.split("/")[0])
    choose(driver, "text", (COPIED | PASTED)[row])
    found = unhidden(driver)
    assert row.replace("/", "-") in found and len(found) <= 5


@pytest.mark.deep
def test_the_words_of_every_sentence_of_two_papers_find_its_row_among_few(driver, whole_ledger):
    """Whatever is asserted in MRF and M-RF and can be checked; beside what COPIED has of all five.

    Only its words are kept here, in alphabetical order: the page compares no more of what is pasted.
    """
    keep(driver, whole_ledger)
    lines = (Path(__file__).parent / "paper_words.txt").read_text("utf-8").splitlines()[2:]
    missed = []
    for row, words in (line.split(": ", 1) for line in lines):
        assert words.split() == sorted(set(words.split()))
        choose(driver, "paper", row.split("/")[0])
        choose(driver, "text", words)
        found = unhidden(driver)
        if row.replace("/", "-") not in found or len(found) > 5:
            missed.append((row, words, found[:5]))
    assert len(lines) == 164 and missed == []


def test_the_filter_is_in_the_address(driver, server):
    """Each of its three fields is read from there, and what is chosen is written there."""
    from dplit.court import claims

    visit(driver, f"{server}book/ledger.html?paper=rdf&verdict=leaks&text=disjoint+data")  # the next two keep it
    assert shown(driver) == ["rdf-parallel-parts"]
    top = "return document.querySelector('.ledger-filter').getBoundingClientRect().top"
    assert 0 <= driver.execute_script(top) <= 300, "what is asked for is in view"
    choose(driver, "text", "")
    assert set(shown(driver)) == {"rdf-smooth-exponential", "rdf-parallel-parts"}
    choose(driver, "verdict", "")
    assert len(shown(driver)) > 20
    choose(driver, "text", "theorem 2")
    assert driver.execute_script("return location.search") == "?paper=rdf&text=theorem+2"
    places = {c.id.replace("/", "-"): c.where.lower() for c in claims.all("rdf") if not c.ours}
    assert set(shown(driver)) == {i for i, p in places.items() if re.search(r"\btheorem 2\b", p)}
    driver.execute_script("document.querySelector('.ledger-filter button').click()")
    wait(driver, "return location.search === ''")


def test_the_books_ledger_filters(driver, server):
    keep(driver, f"{server}book/ledger.html")
    rows = driver.execute_script(
        "return [...document.querySelectorAll('.ledger tr[data-verdict]')].map((r) => [r.id, r.dataset.verdict])"
    )
    assert not driver.execute_script("return document.querySelector('.ledger-filter').hidden")
    for verdict in ("holds", "leaks"):
        choose(driver, "verdict", verdict)
        assert shown(driver) == [row for row, has in rows if has == verdict]


@pytest.mark.parametrize("id", ["mrf-lemma-6", "rdf-smooth-exponential-corrected"])
def test_an_old_link_to_a_row_leads_to_the_entry(driver, server, id):
    """When the page is opened, and while it is open."""
    for before in ("about:blank", f"{server}book/ledger.html?paper=mrf"):
        driver.get(before)
        driver.get(f"{server}book/ledger.html{'?paper=mrf' if before != 'about:blank' else ''}#{id}")
        assert wait(driver, f"return location.pathname === '/book/entries/{id}.html'")
        assert problems(driver) == []


def test_a_formula_is_typeset_when_its_row_is_seen(driver, server):
    visit(driver, f"{server}book/ledger.html")
    count = "return document.querySelectorAll('.ledger .tex').length"
    formulas = driver.execute_script(count)
    assert (
        formulas > 300 and driver.execute_script("return document.querySelectorAll('mjx-container').length") < 60
    )
    driver.execute_script("document.getElementById('mrf-lemma-3').scrollIntoView()")
    assert wait(driver, "return !!document.querySelector('#mrf-lemma-3 mjx-container')")
    assert driver.execute_script(count) < formulas
    assert driver.execute_script("return document.querySelectorAll('*').length") < 9000


@pytest.mark.parametrize("width", [1200, 390])
def test_an_entry_is_light_and_fits(driver, server, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    visit(driver, f"{server}book/entries/mrf-lemma-4.html")
    assert problems(driver) == []
    assert driver.execute_script("return document.querySelectorAll('mjx-container').length") > 3
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_without_script_every_row_shows_and_no_control(driver, tmp_path):
    page = _fake_ledger(tmp_path)
    (tmp_path / "ledger.js").write_text("")
    visit(driver, page.as_uri())
    assert len(shown(driver)) == 4
    assert driver.execute_script("return !document.querySelector('.ledger-filter').offsetParent")
