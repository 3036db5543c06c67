"""More sentences that need no run: about rows of the DiPriMe tables, sizes of trees, and data sets.

"Comparable" and "similar" are defined in :doc:`/book/median_forest_experiments`.
"""

import warnings
from functools import partial
from itertools import combinations, product

import pandas as pd

from dplit import datasets
from dplit.court.claims.runs.by_print import above, by_print, listed, under
from dplit.court.claims.runs.diprime_budgets import PRINTED_NODES
from dplit.court.claims.runs.print_alone import VARIANTS, compared, on_all, words
from dplit.court.ledger.compare import below, decisive, need, note, same
from dplit.datasets import registry
from dplit.ground import printed
from dplit.ground.errors import PrivacyLeakWarning

VASTLY = 2  # our reading of "vastly": more than so many times the error
POINTS = 0.03  # our reading of "comparable", where a table prints errors without deviations

of_rdf = partial(by_print, functions=("datasets.load",))
of_sets = partial(of_rdf, box="rem-experiments-sets")


def _apart(table, ours, others):
    """Pairs of printed cells whose intervals do not meet, in words, and how many there are."""
    found = list(compared(table, ours, others))
    apart = [f for f in found if abs(f[-1]) > sum(c.deviation + c.rounding for c in f[3:5])]
    return [words(f) for f in apart], len(found)


def _columns(apart):
    """The columns that pairs in words are of."""
    return {pair.partition(":")[0] for pair in apart}


@by_print("diprime-v2/little-to-choose", "Section 4.2", "holds",
          quantity="printed pairs whose intervals do not meet")  # fmt: skip
def little_to_choose(effort, rng):
    """There is little to choose between the variants of DiPriMe in classification (table 2)."""
    apart, pairs = [], 0
    for one, other in combinations(VARIANTS, 2):
        some, n = _apart("diprime-v2/table-2", (one,), (other,))
        apart, pairs = apart + some, pairs + n
    yield same(len(apart), 0, apart=apart)
    text = f"Of {pairs} pairs of printed accuracies {pairs - len(apart)} have intervals that meet; "
    return on_all(text + f"apart: {listed(apart)}")


@by_print("diprime-v2/comparable-flip", "Section 3.3", "assumes",
          quantity="printed pairs whose intervals do not meet")  # fmt: skip
def comparable_flip(effort, rng):
    """The comparable performances of DiPriMeExp and DiPriMeFlip suggest that the use of alternative mechanisms
    would have little impact on performance. (This assumes that most columns of tables 1 and 2 are meant.)"""
    tables = ("diprime-v2/table-1", "diprime-v2/table-2")
    found = [_apart(table, VARIANTS[1:2], VARIANTS[2:]) for table in tables]
    apart, pairs = [w for some, _ in found for w in some], sum(n for _, n in found)
    yield under(len(apart), pairs / 2, broken="fails", apart=apart)
    yield same(len(apart), 0, apart=apart)
    text = f"Of {pairs} pairs of cells {pairs - len(apart)} have intervals that meet; apart: {listed(apart)}"
    return note(text, range="every printed column of tables 1 and 2")


@by_print("diprime-v2/where-similar", "Section 4.1", "holds",
          quantity="columns that are not as the sentence has them")  # fmt: skip
def where_similar(effort, rng):
    """DiPriMe tends to perform comparably to DiPriMeExp and DiPriMeFlip in datasets where RFs and ERTs
    have similar MSE; conversely it performs poorly on the Traffic dataset, where RFs perform
    significantly better than ERT (table 1)."""
    table, similar = "diprime-v2/table-1", []
    forests = _columns(_apart(table, ("RF",), ("ERT",))[0])
    ours = _columns(_apart(table, VARIANTS[:1], VARIANTS[1:])[0])
    for column, *_ in compared(table, ("RF",), ("ERT",)):
        if column not in forests:
            similar.append(column)
            yield need(column not in ours, apart=column)
    yield need("Traffic" in forests & ours, apart="Traffic")
    return note(
        f"RF and ERT are similar on {', '.join(sorted(similar))}, and there the variants are comparable. They "
        f"are apart on Traffic, and so are the variants. (On {', '.join(sorted(forests - ours))} RF and ERT are "
        "apart, the variants are not.)",
        range="every printed column of table 1",
    )


@by_print("diprime-v2/dp-rf-poor", "Section 4.1", "assumes",
          quantity="columns in which DP-RF has not the largest error")  # fmt: skip
def dp_rf_poor(effort, rng):
    """DP-RF performs very poorly in regression (in most columns of table 1, as we read it), and on Appliances, the
    data of figure 1, it vastly underperforms the other methods."""
    others = ("RF", "ERT", "Median", "DP-ERT", *VARIANTS)
    found = list(compared("diprime-v2/table-1", ("DP-RF",), others))
    better = [words(f) for f in found if f[-1] > 0 and f[2] in others[3:]]
    columns, some = {f[0] for f in found}, _columns(better)
    times = min(f[3].value / f[4].value for f in found if f[0] == "Appliances")
    yield above(times, VASTLY, broken="fails")
    yield under(len(some), len(columns) / 2, broken="fails", better=better)
    yield same(len(some), 0, better=better)
    return on_all(
        f"Of the private methods it has the largest error on {len(columns - some)} of {len(columns)} sets; on "
        f"Appliances its error is at least {times:.1f} times that of any other method. It is better than others "
        f"here: {listed(better)}"
    )


@by_print("diprime-v1/median-comparable", "Section 4.2", "assumes",
          quantity="largest printed error of median trees above that of ERT")  # fmt: skip
def median_comparable(effort, rng):
    """The performance of median trees is comparable to that of extremely randomized trees in classification (table
    2). This assumes that accuracies within three points are comparable, and that a better accuracy is no
    objection."""
    found = list(compared("diprime-v1/table-2", ("Median Trees",), ("ERT",)))
    errors = [f"{f[0]} {f[3].text} against {f[4].text}" for f in found]
    gain = [f[-1] for f in found]
    yield below(-min(gain), POINTS, broken="fails", errors=errors)
    yield below(max(gain), POINTS, errors=errors)
    return on_all(f"printed errors: {', '.join(errors)}")


@by_print("diprime-v2/figure-3/nodes", "Section 4.3", "fails",
          quantity="leaves of ten trees in figure 3", nothing_instead="the figure's own leaves")  # fmt: skip
def nodes_of_leaves(effort, rng):
    """DP-DF and DP-RF generated an average of 407 nodes and 104 nodes respectively, compared with 31 for DiPriMe
    and DP-ERT. (A tree of n nodes whose cuts have k children has (n (k - 1) + 1)/k leaves, and figure 3 shows
    those of ten trees. For DP-DF it shows only some: the depth of 3 in table 2 allows 156 nodes, not 407.)"""
    shown, words = printed.table("diprime-v2-figures/figure-3"), []
    for m, n in PRINTED_NODES.items():
        k, seen = 5 if m in ("DP-DF", "DP-RF") else 2, shown.cells["all", m].value
        leaves = 10 * (n * (k - 1) + 1) / k
        words.append(f"{m} {leaves:.0f}")
        alike = (m == "DP-DF" and leaves > seen) or abs(leaves - seen) <= shown.parameters["reading"]
        yield need(alike, seen, "=", leaves, method=m)
    text = "Figure 3 shows {exact:.0f} leaves for {method}, and its number of nodes implies {stated:.0f}"
    text += f"; the nodes of all methods imply {', '.join(words)}"
    return note(text, range="four methods on Robot, read off the authors' image")


@by_print("diprime-v2/figure-2/stay-behind", "Section 4.2", "holds",
          quantity="least accuracy behind another method in figure 2")  # fmt: skip
def stay_behind(effort, rng):
    """DP-ERT and DP-DF continue to underperform even as epsilon increases: in the authors' own figure they are
    behind every variant of DiPriMe and every forest without privacy at each epsilon, by more than twice the error
    of reading values off the figure."""
    shown = printed.table("diprime-v2-figures/figure-2")
    cases = []
    for m, other in product(("DP-ERT", "DP-DF"), ("RF", "ERT", "Median", *VARIANTS)):
        for epsilon in shown.of("name"):
            behind = shown.cells[epsilon, other].value - shown.cells[epsilon, m].value
            cases.append(above(behind, 2 * shown.parameters["reading"], method=m, other=other, epsilon=epsilon))
    least = min(cases, key=lambda case: case.exact)
    yield from (decisive(case, case is least) for case in cases)
    return note("The least of {cases} distances: {method} is behind {other} at epsilon {epsilon} by {exact:.3f}",
                range="seven epsilons on Banknote, read off the authors' image")  # fmt: skip


V1 = {"parkinsons": 5875, "appliances-energy": 19735, "banknote": 1372, "credit-default": 30000}
V1 |= {"wall-following-24": 5456}
V2 = V1 | {"metro-traffic": 48204, "gas-turbine": 36733, "puc-rio": 122244}


def _sizes(stated, more=""):
    """That so many records are in the files of data sets: all of a file, or the complete ones."""
    sizes = {name: _size(name, n) for name, n in stated.items()}
    wrong = {name: [n, sizes[name]] for name, n in stated.items() if n != sizes[name]}
    for name, n in stated.items():
        yield same(sizes[name], n, records=wrong)
    words = "".join(f" For {name} {n:,} is stated, and the file has {m:,}." for name, (n, m) in wrong.items())
    text = f"{len(stated) - len(wrong)} of {len(stated)} numbers are those of the files.{words}{more}"
    return note(text, quantity=f"records of {next(iter(wrong), name)}", range=", ".join(stated))


def _size(name, stated):
    """Complete records of a file, or all of them if so many are stated."""
    with warnings.catch_warnings():  # of bounds that were read off the data: no record is read here
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        complete = len(datasets.load(name))
        if complete == stated or not registry.entry(name).incomplete:
            return complete
        return stated if len(datasets.load(name, missing="keep")) == stated else complete


@of_sets("diprime-v1/data-sets", "Sections 4.1 and 4.2", "holds")
def v1_sets(effort, rng):
    """The data sets have N = 5875 (Parkinson's telemonitoring), 19735 (Appliance Energy Prediction), 1372
    (Banknote Authentication), 30000 (Credit Card Default) and 5456 (Wall-Following Robot Navigation) records."""
    return (yield from _sizes(V1))


@of_sets("diprime-v2/data-sets", "Sections 4.1 and 4.2", "fails",
         nothing_instead="the file says how many records there are")  # fmt: skip
def v2_sets(effort, rng):
    """The data sets have N = 5875 (Parkinson's), 19735 (Appliances), 48204 (Metro Interstate Traffic
    Volume), 36733 (Gas Turbine Emission), 1372 (Banknote), 30000 (Credit Card), 5456 (Robot) and 122244
    (PUC-Rio) records."""
    more = " (Of PUC-Rio these are all records but those of the fifth class, walking, which are not supplied.)"
    return (yield from _sizes(V2, more))


@of_sets("diprime-v1/mixed-features", "Section 4.1", "assumes",
         quantity="categorical columns of Appliances, its date not counted")  # fmt: skip
def mixed_features(effort, rng):
    """The UCI datasets that the paper uses for regression contain a mixture of categorical and numeric features.
    (This assumes that the date of Appliance Energy Prediction is read as a category, such as a month.)"""
    named, numbers = {}, {}
    for name in ("parkinsons", "appliances-energy"):
        kinds = dict(datasets.load(name).X.dtypes)
        named[name] = [c for c, kind in kinds.items() if isinstance(kind, pd.CategoricalDtype)]
        numbers[name] = len(kinds) - len(named[name])
        yield need(numbers[name], categorical=named, broken="fails")
    yield need(named["parkinsons"], categorical=named, broken="fails")
    dated = [c for c in named["appliances-energy"] if c != "month"]
    yield need(dated, len(dated), ">=", 1, categorical=named)
    text = f"Parkinson's has {', '.join(named['parkinsons'])} and {numbers['parkinsons']} numbers; Appliances"
    more = f"has a date, of which the package keeps the month, and {numbers['appliances-energy']} numbers"
    return note(f"{text} {more}", range="both files")


@of_rdf("rdf/real-sets", "Section 2.4; tables 3 and 4; section 5.1", "fails",
        nothing_instead="the files say how many records there are")  # fmt: skip
def rdf_sets(effort, rng):
    """Eight real-world datasets have 5,456 to 30,162 records: WallSensor 5456, PenWritten 10992, GammaTele 19014,
    Mushroom 5644, Claves 10800 and Nursery 12960. (The caption of table 3 says eight; it and table 4 list seven,
    the seventh being Adult.) The counts are of complete records for Mushroom and of all records for Claves."""
    columns = printed.table("rdf/table-3").columns
    real = {c["data"]: c["records"] for c in columns if not c["data"].startswith("synth")}
    more = f" The table lists {len(real)} real-world data sets. Of Adult 30,162 is the complete training file."
    return (yield from _sizes({name: n for name, n in real.items() if name != "adult"}, more))


@of_rdf("rdf/table-1", "Section 2.4, table 1", "assumes",
        quantity="sets of table 1 that the default settings can draw",
        range="all seven rows, 100 records each")  # fmt: skip
def rdf_synthetic(effort, rng):
    """The parameters of table 1, n_informative and n_random, sum to the total number of features m, and the
    parameters with non-default settings are these. (This assumes that n_redundant is 0, not its default of 2.)"""
    refused = 0
    for letter, (informative, useless) in zip("abcdefg", TABLE_1):
        m = informative + useless
        at = {"n_features": m, "n_informative": informative}
        yield same(len(datasets.load(f"synth-{letter}").X.columns), m, broken="fails", **at)
        yield need(_can_be_drawn(**at, n_redundant=0), broken="fails", **at)
        refused += not _can_be_drawn(**at)
    yield same(len(TABLE_1) - refused, len(TABLE_1), n_features=5, n_informative=5)
    return (
        f"with its defaults make_classification refuses {refused} of {len(TABLE_1)} rows, SynthA to SynthC, which "
        "have no room for two redundant features, and two of the useless features of each other row would be "
        "redundant ones"
    )


def _can_be_drawn(**shape):
    """Whether scikit-learn's generator takes these numbers of features."""
    from sklearn.datasets import make_classification

    try:
        make_classification(100, **shape, random_state=0)
    except ValueError:
        return False
    return True


TABLE_1 = ((5, 0), (10, 0), (15, 0), (10, 5), (5, 10), (5, 5), (10, 10))  # n_informative, n_random
