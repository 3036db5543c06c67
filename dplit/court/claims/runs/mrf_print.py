"""Sentences of the MRF paper about its table 1 that the printed cells decide alone, compared as decimals."""

import warnings
from decimal import Decimal
from functools import cache, partial

from dplit import datasets
from dplit.court import experiments
from dplit.court.claims.runs.by_print import NO_CORRECTION, above, by_print, listed, under
from dplit.court.ledger.compare import at_most, decisive, need, note, same
from dplit.ground import printed
from dplit.ground.errors import PrivacyLeakWarning

OURS, GREEDY = "MRF", "Breiman"
CONSISTENT = ("Denil14", "BRF", "CompRF-C")  # as the paper counts them; MRF is the fourth
STATE_OF_THE_ART = "BRF"  # "which reached state-of-the-art performance" (section 2.1)
LEVEL = 0.05
P_VALUE = "p-value of MRF against the standard forest"

on_all = partial(note, range="all 22 data sets")


def accuracies(method):
    """The printed accuracies of one method in percent, exactly; dict of data set to Decimal."""
    table = printed.table("mrf/table-1")
    return {data: Decimal(table.cells[data, method].text) for data in table.of("name")}


def gains(a, b):
    """How many points method `a` is above method `b` on each data set, dict of name to Decimal."""
    names, first, second = printed.table("mrf/table-1").of("name"), accuracies(a), accuracies(b)
    return {name: first[data] - second[data] for data, name in names.items()}


def won(a, b):
    """Names of the data sets on which `a` is printed above `b`."""
    return [name for name, gain in gains(a, b).items() if gain > 0]


def signed_rank(a, b):
    """Two-sided p-value of Wilcoxon's signed-rank test over the 22 data sets; 1 if all are equal."""
    from scipy.stats import wilcoxon

    steps = [int(100 * gain) for gain in gains(a, b).values()]  # hundredths: equal ones tie
    return float(wilcoxon(steps).pvalue) if any(steps) else 1.0


def average_ranks():
    """Mean over the data sets of each method's rank, 1 the most accurate; ties share theirs.

    A rank is one more than the number of methods above, and half of those beside.
    """
    methods = printed.table("mrf/table-1").rows
    columns = {m: list(accuracies(m).values()) for m in methods}
    found = {}
    for m, own in columns.items():
        others = [columns[o] for o in methods if o != m]
        beaten = [(o > mine) + (o == mine) / 2 for other in others for o, mine in zip(other, own)]
        found[m] = 1 + sum(beaten) / len(own)
    return found


@by_print("mrf/ranks", "Table 1, last line", "fails")
def ranks(effort, rng):
    """The average ranks of the six forests over the 22 data sets are those of table 1's last line."""
    for m, rank in average_ranks().items():
        cell = printed.table("mrf/table-1-ranks").cells["rank", m]
        same_digits = abs(rank - cell.value) <= cell.rounding
        yield need(same_digits, rank, "=", cell.value, method=m, printed=cell.text)
    words = "of {cases} average ranks {method}'s is {exact:.3f}, printed {printed}"
    return on_all(words, quantity="average rank of a forest")


@ranks.corrected(functions=("ground.printed.table",))
def ranks_of_cells(effort, rng):
    """By the printed accuracies the six average ranks have the printed order, and each differs from the printed
    one by at most one unit of the last printed digit."""
    cells, found = printed.table("mrf/table-1-ranks").cells, average_ranks()
    order = sorted(found, key=found.get)
    yield need(order == sorted(found, key=lambda m: cells["rank", m].value), order=order)
    for m, rank in found.items():
        cell = cells["rank", m]
        yield at_most(abs(rank - cell.value), 2 * cell.rounding, met=None, method=m)
    words = f"in order: {', '.join(f'{m} {found[m]:.2f}' for m in order)}; furthest off is {{method}}"
    return on_all(words, quantity="distance of a printed average rank")


@by_print("mrf/twelve-ten", "Section 5.1", "holds")
def twelve_ten(effort, rng):
    """MRF surpasses the standard forest on twelve data sets and, by the table's marks, significantly on ten."""
    marks = printed.table("mrf/table-1").of("mark").values()
    sides = [(gain > 0, mark) for gain, mark in zip(gains(OURS, GREEDY).values(), marks)]
    wins, marked = sum(won for won, _ in sides), sum(mark == "†" for _, mark in sides)
    matching = all(won == (mark == "†") for won, mark in sides if mark)
    yield decisive(same(wins, 12))
    yield same(marked, 10)
    yield need(matching, marked=marked)
    words = f"{wins} printed wins, {marked} of them marked; every mark is on the side of the larger number."
    return on_all(words, quantity="data sets on which MRF is printed above the standard forest")


@by_print("mrf/best-of-four", "Table 1", "holds")
def best_of_four(effort, rng):
    """Of the four consistent forests MRF has the highest printed accuracy on every data set."""
    first = set.intersection(*(set(won(OURS, rival)) for rival in CONSISTENT))
    yield same(len(first), len(accuracies(OURS)))
    words = "MRF is first of the four on {exact:.0f} of {stated:.0f} data sets"
    return on_all(words, quantity="data sets on which MRF is first of four")


@by_print("mrf/two-percent", "Section 5.1", "assumes")
def two_percent(effort, rng):
    """MRF gains more than 2 % over the state of the art, BRF, in most cases. This assumes that 2 % means two
    percent of BRF's accuracy. In points of accuracy, the gain exceeds 2 in at most half of the cases."""
    gain, rival = gains(OURS, STATE_OF_THE_ART), accuracies(STATE_OF_THE_ART)
    points = sum(g > 2 for g in gain.values())
    relative = sum(g > r * 2 / 100 for g, r in zip(gain.values(), rival.values()))
    yield above(relative, len(gain) / 2, broken="fails")
    yield above(points, len(gain) / 2)
    words = f"more than 2 points on {points} of {len(gain)} data sets, more than 2 % of BRF's accuracy"
    return on_all(f"{words} on {relative}", quantity="data sets with a gain of more than 2 points over BRF")


@by_print("mrf/wilcoxon", "Section 5.1", "holds")
def wilcoxon(effort, rng):
    """MRF significantly exceeds the existing consistent forests, by the signed-rank test over the data sets."""
    p = {rival: signed_rank(OURS, rival) for rival in CONSISTENT}
    for rival in CONSISTENT:
        yield above(len(won(OURS, rival)), len(won(rival, OURS)), rival=rival)
        yield decisive(under(p[rival], LEVEL, rival=rival))
    words = ", ".join(f"against {m} p = {v:.2g}" for m, v in p.items())
    return on_all(words, quantity="p-value against a consistent forest")


@by_print("mrf/on-par", "Abstract; section 6", "assumes")
def on_par(effort, rng):
    r"""Multiple datasets and extensive experiments demonstrate that the performance of MRF is on par with the
    standard RF, Breiman's original one. This assumes that "on par" means no difference that 22 data sets together
    show: on single data sets the accuracies are several points apart."""
    p, gain = signed_rank(OURS, GREEDY), gains(OURS, GREEDY)
    low, high = min(gain, key=gain.get), max(gain, key=gain.get)
    apart = max(abs(gain[low]), abs(gain[high]))
    yield need(p >= LEVEL, p, ">=", LEVEL, broken="fails")
    yield need(apart <= 1, apart, "<=", 1)
    words = f"p = {p:.2f} over {len(gain)} data sets; from {gain[low]} points on {low} to +{gain[high]}"
    return on_all(f"{words} on {high}", quantity="points that MRF and the standard forest are apart")


@by_print("mrf/section-7", "Section 7", "holds")
def first_on_par(effort, rng):
    r"""All existing consistent RF variants perform poorly compared with the standard RF; to the best of the
    authors' knowledge MRF is the first with comparable performance. (Of the consistent forests in table 1, MRF
    alone is not significantly worse than the standard one.)"""
    p = {m: signed_rank(m, GREEDY) for m in (*CONSISTENT, OURS)}
    behind = [m for m in p if p[m] < LEVEL and len(won(GREEDY, m)) > len(won(m, GREEDY))]
    yield need(behind == [*CONSISTENT], p[OURS], ">=", LEVEL, behind=behind)
    words = f"{', '.join(f'{m} p = {v:.2g}' for m, v in p.items())}; behind: {', '.join(behind)}"
    return on_all(words, quantity=P_VALUE)


@by_print("mrf/never-achieved", "Section 5.1", "holds")
def never_achieved(effort, rng):
    """To the best of the authors' knowledge, no other consistent random forest method has surpassed Breiman's
    original random forest on twelve of the datasets. (Judged on the methods of table 1.)"""
    found = {m: won(m, GREEDY) for m in CONSISTENT}
    yield under(max(map(len, found.values())), 12, **found)
    words = "; ".join(f"{m} is above it on {', '.join(sets) or 'none'}" for m, sets in found.items())
    of = "most data sets on which another consistent forest is printed above the standard one"
    return on_all(words, quantity=of)


@by_print("mrf/section-7-greedy", "Section 7", "fails", nothing_instead=NO_CORRECTION)
def more_effective(effort, rng):
    """The proposed impurity-based random splitting process is empirically verified to be more effective than the
    standard greedy approach; its principle is not discussed theoretically."""
    more, less = len(won(OURS, GREEDY)), len(won(GREEDY, OURS))
    yield under(signed_rank(OURS, GREEDY), LEVEL, above=more, below=less)
    yield above(more, less)
    words = f"MRF is above the standard forest on {more} data sets and below on {less}: p = {{exact:.2f}}"
    return on_all(words, quantity=P_VALUE)


@by_print("mrf/figure-7-car", "Appendix F.1", "fails", nothing_instead=NO_CORRECTION)
def car(effort, rng):
    """On Car, MRF's forest is not significantly different from the standard one."""
    table = printed.table("mrf/table-1")
    mark, ours, greedy = table.of("mark")["car"], *(table.cells["car", m] for m in (OURS, GREEDY))
    yield same(bool(mark), 0, mark=mark, ours=ours.text, standard=greedy.text)
    words = "table 1 prints {ours} and {standard} there and marks the difference as significant ({mark})"
    return note(words, quantity="marks of significance at Car in table 1", range="the printed row")


@by_print("mrf/counts", "Section 5.1; appendix F.1", "holds")
def counts(effort, rng):
    """Ten repetitions of ten-fold cross-validation yield 100 forests, and thus 10,000 trees, of each method."""
    of = experiments.get("mrf/table-1")
    cells = [cell for cell in of.cells if cell.data == "car"]
    fits = sorted({of.wanted(cell) for cell in cells})
    trees = sorted({of.wanted(cell) * cell.params["n_estimators"] for cell in cells})
    yield need(fits == [100], fits[-1], "=", 100)
    yield decisive(need(trees == [10_000], trees[-1], "=", 10_000))
    words = f"The experiment as defined has {fits[-1]} fits of each method on Car, and {trees[-1]:,} trees."
    where = {"quantity": "trees of a method on one data set", "range": "the definition that is run"}
    return note(words, **where)


@cache
def whole(data):
    """A data set with its incomplete records."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # nothing is fitted to its bounds
        return datasets.load(data, missing="keep")


def share_of_largest(data):
    """Share of the most frequent class among all records of a file, incomplete ones too."""
    counts = whole(data).y.value_counts()
    return int(counts.max()) / int(counts.sum())


@by_print("mrf/below-majority", "ours, after table 1", "holds", ours=True)
def below_majority(effort, rng):
    """Eleven printed accuracies are below that of always predicting the most frequent class of the data set."""
    table, below = printed.table("mrf/table-1"), {}
    largest = {data: share_of_largest(data) for data in table.of("name")}
    for (data, method), cell in table.cells.items():
        if cell.value + cell.rounding < largest[data]:
            below.setdefault(data, []).append(method)
    yield same(sum(map(len, below.values())), 11, below=below)
    names = table.of("name")
    words = (f"{names[d]} ({largest[d]:.1%}): {', '.join(m)}" for d, m in below.items())
    text = f"{{exact:.0f}} of {len(table.cells)} cells are below: {listed(words)}"
    where = {"quantity": "printed accuracies below the constant prediction's"}
    return note(text, **where, range="all 132 cells; all records of each file")
