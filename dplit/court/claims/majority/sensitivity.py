"""Claims of Fletcher and Islam (2017), sections 2 and 4.1: neighbours and smooth sensitivity."""

from collections import Counter
from functools import partial
from itertools import combinations_with_replacement, product

from dplit import majority
from dplit.court.claims.majority._leaves import score, two_and_three
from dplit.court.claims.majority._printed import smooth_sensitivities
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import decisive, need, note, same
from dplit.ground.errors import NEIGHBOURS
from dplit.mechanisms.smooth_exponential import gap

NEIGHBOURING = Box("def-neighbours", "majority.neighbouring")
PRINTED, SEARCH = "majority.published_smooth_sensitivity", "majority.searched_smooth_sensitivity"
TRUE = "majority.smooth_sensitivity", SEARCH
SMOOTH = Box("thm-smooth-sensitivity", PRINTED, SEARCH, quantity="smooth sensitivity")
LISTED = Box("rem-first-listed", PRINTED, SEARCH, quantity="smooth sensitivity", about="reading")


def _distance(x, y):
    """Records to add or remove before x is y (RDF, section 2.1)."""
    x, y = Counter(x), Counter(y)
    return sum(((x - y) + (y - x)).values())


def _multisets(values, size):
    return list(combinations_with_replacement(values, size))


@NEIGHBOURING("rdf/neighbours", "section 2.1, definition 1", "assumes", proved=True, quantity="distance, records")
def neighbours_of_equal_size(effort, rng):
    r"""Privacy compares neighbours $x, y \in D^n$ with $\|x-y\|_1 \le 1$, the number of records to add or remove.
    (This assumes that sizes may differ: in $D^n$, data of equal size, no two data sets have distance 1.)"""
    values = "abc"[: effort.pick(2, 3, 3)]
    sizes = range(1, effort.pick(4, 5, 7))
    pairs = [pair for n in sizes for pair in product(_multisets(values, n), repeat=2)]
    nearest = min(_distance(x, y) for x, y in pairs if x != y)
    yield need(nearest == 1, nearest, "=", 1)
    return note(
        f"Of {len(pairs)} pairs of equal size none is at distance 1, the nearest distinct ones are "
        f"at {nearest}: each data set is its own only neighbour, and publishing it is private at "
        "every epsilon.",
        cases=len(pairs),
        range=f"all pairs of data sets of {sizes[0]} to {sizes[-1]} records over {len(values)} values",
    )


@NEIGHBOURING.corrected(
    neighbours_of_equal_size, where="section 2.1, definition 1", quantity="data sets that single steps connect"
)
def neighbours_by_distance(effort, rng):
    """Add-remove neighbours are data sets of any size at distance 1; replace-one neighbours are data sets of equal
    size at distance 2. Add-remove steps connect all data sets; replace-one steps connect all of one size."""
    n = effort.pick(3, 4, 5)
    sizes = [_multisets("abc", size) for size in range(n + 1)]
    steps = {(x, y) for x, y in product(sizes[n], repeat=2) if _distance(x, y) == 2}
    yield need(steps == _replacements(sizes[n]), n=n)
    for data, step in (([x for of in sizes for x in of], 1), *((of, 2) for of in sizes)):
        yield same(_reached(data, step), len(data), n=n, distance=step)
    return note(
        f"All data sets of at most {n} records over three values are connected by single additions "
        f"and removals, and those of each one size by single replacements, which are the steps of "
        "distance 2.",
        cases=sum(map(len, sizes)),
        range=f"all data sets of up to {n} records over three values",
    )


def _reached(data, step):
    """To how many data sets steps of this distance lead from the first one."""
    reached, ring = {data[0]}, [data[0]]
    while ring:
        ring = [y for y in data if y not in reached and any(_distance(x, y) == step for x in ring)]
        reached.update(ring)
    return len(reached)


def _replacements(data):
    """Pairs of data sets of which one has another value in the place of one record."""
    return {
        (x, tuple(sorted((*x[:i], value, *x[i + 1 :]))))
        for x in data
        for i, old in enumerate(x)
        for value in set("abc") - {old}
    }


def _searched(effort, stated, neighbours="add-remove", score=None):
    """Smooth sensitivities of small leaves by search beside ``stated(counts, 1.0)``; returns the note."""
    leaves, words = two_and_three(effort)
    for x in leaves:
        true = majority.searched_smooth_sensitivity(x, 1.0, neighbours, score)
        yield same(true, stated(x, 1.0), counts=list(x), epsilon=1.0, neighbours=neighbours)
    return note(
        "Breadth-first search over {cases} leaves of two and three classes at epsilon 1; {counts} has a "
        "smooth sensitivity of {exact:.5f}, where the formula gives {stated:.5f}.",
        range=f"{words}, epsilon 1",
    )


@SMOOTH("rdf/theorem-1", "theorem 1, equation 8", "fails")
def theorem_1(effort, rng):
    r"""If every most frequent class scores 1, the score has the smooth sensitivity $e^{-j\epsilon}$ at gap $j$."""
    return (yield from _searched(effort, majority.published_smooth_sensitivity))


@SMOOTH.corrected(theorem_1, *TRUE, where="theorem 1, equation 8")
def true_smooth_sensitivity(effort, rng):
    r"""For two or more classes, the smooth sensitivity of the score at gap $j$ is $e^{-\epsilon\max(j-1,0)}$ under
    add-remove and $e^{-\epsilon\max(\lceil j/2\rceil-1,0)}$ under replace-one."""
    for relation in NEIGHBOURS:
        formula = partial(majority.smooth_sensitivity, neighbours=relation)
        said = yield from _searched(effort, formula, relation)
    return note(said.text, range=f"{said.fields['range']}, both relations")


def _first_listed(x):
    return tuple(int(c == x.index(max(x))) for c in range(len(x)))


@LISTED("rdf/theorem-1-first-listed", "theorem 1, read with ties to the first class listed", "fails")
def theorem_1_first_listed(effort, rng):
    r"""If only the first listed of tied classes scores 1, the smooth sensitivity is $e^{-j\epsilon}$."""
    return (yield from _searched(effort, majority.published_smooth_sensitivity, score=_first_listed))


@LISTED.corrected(
    theorem_1_first_listed,
    "majority.first_listed_smooth_sensitivity",
    SEARCH,
    where="theorem 1, read with ties to the first class listed",
)
def true_first_listed(effort, rng):
    r"""If only the first listed of tied classes scores 1, the smooth sensitivity is $e^{-\epsilon d}$, where $d$
    is the lead over the nearest rival, less 1 if that rival is listed before the winner."""
    return (yield from _searched(effort, majority.first_listed_smooth_sensitivity, score=_first_listed))


BALLS = (4, 4), (5, 6), (8, 9)  # most records of a leaf, and how many distances i


def _balls_of(effort):
    """Which leaves and distances `_balls` goes through, in words."""
    records, steps = effort.pick(*BALLS)
    return f"leaves of two classes up to {records} records, i below {steps}, add-remove"


def _balls(effort):
    """(plain data, gap, i, leaves within i steps) for leaves of two classes."""
    records, steps = effort.pick(*BALLS)
    for x in majority.leaves(records, 2):
        ball = {x}
        for i in range(steps):
            yield {"counts": list(x), "i": i}, int(gap(x)), i, ball
            ball = ball | {y for z in ball for y in majority.neighbouring(z)}


def _equation_10(data, ball):
    """Whether some score within the ball differs from the score at its centre."""
    return any(score(y) != score(data["counts"]) for y in ball)


@SMOOTH(
    "rdf/equation-11",
    "proof of theorem 1, equations 10 and 11",
    "fails",
    "majority.neighbouring",
    quantity="1 if the score at the leaf changes within i steps",
)
def equation_11(effort, rng):
    r"""$S^i(x)$ is the largest amount by which the score at distance $i$ differs from the score at $x$ (10), so it
    is 1 exactly for $i \ge j$ (11). That is, the local sensitivity of the scoring function is 0 until the data are
    $j$ records away from $x$, at which point it becomes 1."""
    for data, j, i, ball in _balls(effort):
        yield same(_equation_10(data, ball), i >= j, **data)
    return note(
        "In {cases} cases, a leaf and a distance i each, equations (10) and (11) were compared. On {counts} at i "
        "= {i} equation (10) gives {exact:g}, and equation (11) gives 1.",
        range=_balls_of(effort),
    )


@SMOOTH.corrected(
    equation_11,
    "majority.neighbouring",
    where="proof of theorem 1, equations 10 and 11",
    quantity="1 if the score changes within i steps, or within i and one more",
)
def when_scores_change(effort, rng):
    r"""Equation (10) is 1 exactly for $i \ge \max(j, 1)$, because it asks when the score at $x$ changes.
    Definition 7 asks when one more step can change the score, which happens for $i \ge \max(j-1, 0)$."""
    for data, j, i, ball in _balls(effort):
        one_more = any(score(z) != score(y) for y in ball for z in majority.neighbouring(y))
        yield same(_equation_10(data, ball), i >= max(j, 1), **data)
        yield same(one_more, i >= max(j - 1, 0), **data)
    return note("{cases} answers, two for each leaf and distance, are as stated.", range=_balls_of(effort))


@SMOOTH("rdf/table-2", "table 2", "holds", PRINTED, proved=False, quantity="the formula", range="every cell")
def table_2(effort, rng):
    r"""Table 2 prints $e^{-j\epsilon}$, each cell within one unit of its last digit (rounded or truncated)."""
    rows = []
    for j, e, cell in smooth_sensitivities():
        exact = float(majority.published_smooth_sensitivity([j, 0], e))
        off = abs(cell.value - exact) / (2 * cell.rounding)
        rows.append((off, need(off < 1, exact, "within", cell.value, j=j, epsilon=e, off=off)))
    farthest = max(off for off, _ in rows)
    yield from (decisive(case, off == farthest) for off, case in rows)
    return (
        f"{sum(off <= 0.5 for off, _ in rows)} of {len(rows)} cells are correctly rounded, the others "
        "truncated; the farthest is {off:.2f} units off, at j = {j}, epsilon {epsilon:g}."
    )


@SMOOTH("rdf/table-2-sensitivities", "table 2", "fails", SEARCH)
def table_2_sensitivities(effort, rng):
    """By theorem 1, the cells of table 2 are smooth sensitivities of the score, to one unit of the last digit."""
    most, right = effort.pick(10, 10, 50), []
    rows = [row for row in smooth_sensitivities() if row[0] <= most]
    for j, e, cell in sorted(rows, key=lambda row: (row[0], -row[1])):
        true = float(majority.searched_smooth_sensitivity((j, 0), e))
        right.append(abs(cell.value - true) < 2 * cell.rounding)
        data = {"counts": [j, 0], "epsilon": e, "printed": cell.text, "j": j}
        yield need(right[-1], true, "within", cell.value, **data)
    return note(
        f"Searched from the definition, {right.count(False)} of {len(right)} cells are too small, all with "
        "j >= 1: at j = {j}, epsilon {epsilon:g} the table has {printed}, the score {exact:.5f}.",
        range=f"the cells with j up to {most}, two classes, add-remove",
    )


@SMOOTH.corrected(table_2_sensitivities, *TRUE, where="table 2")
def table_2_one_row_late(effort, rng):
    r"""The smooth sensitivity at gap $j \ge 1$ is what the formula of table 2 gives for $j - 1$."""
    most = effort.pick(10, 10, 50)
    for j, e, _ in smooth_sensitivities():
        if 1 <= j <= most:
            searched = majority.searched_smooth_sensitivity((j, 0), e)
            shifted = majority.published_smooth_sensitivity((j - 1, 0), e)
            yield same(searched, shifted, gap=j, epsilon=e)
    return note(
        "All {cases} cells were searched; the last is at gap {gap}, epsilon {epsilon:g}.",
        range=f"the cells with j from 1 to {most}, two classes, add-remove",
    )
