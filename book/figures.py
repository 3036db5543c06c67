"""The numbers of four figures that a reader can move: computed by the package, kept in ``data/figures/``.

A notebook stores a figure as a picture. Of those in `FIGURES` the built page also has what the package computes
for every position of the figure's controls (``_ext/dplit_figures.py``). That takes seconds, so `refresh.py`
keeps it, with a digest of the code that computed it.
"""

from __future__ import annotations

import inspect
import json
from itertools import product

import depends
import numpy as np

from dplit import plotting
from dplit.ground.writing import write_whole

FOLDER = depends.ROOT / "data" / "figures"
DIGITS = 4


def control(label, values, start):
    """A slider over numbers, or a choice among words; `start` is the value that shows first."""
    names = [v if isinstance(v, str) else f"{v:g}" for v in values]
    kind = "choice" if isinstance(values[0], str) else "slider"
    return {"label": label, "kind": kind, "values": names, "start": list(values).index(start)}


def line(name, color, dash="", mark="", width=2, shaded=False):
    """How a line looks: `dash` as SVG has it, `mark` one of o, s, ^, D, v or nothing, shaded below or not."""
    look = {"color": color, "dash": dash, "mark": mark, "width": width, "shaded": shaded}
    return {"name": name} | look


def axis(label, values=(), log=False, low=None, high=None):
    """An axis with the values on it, if they are the same in every frame; without limits it follows them."""
    values = np.array(values).tolist()
    return {"label": label, "values": values, "log": log, "low": low, "high": high}


def ratio(label, over, low, high):
    """The axis of a lower panel, where every line is drawn over the one of number `over`.

    A ratio beyond a limit is not drawn.
    """
    return axis(label, low=low, high=high) | {"over": over}


def frames(compute, *values, least=-np.inf):
    """The lines that `compute` gives for every combination of the controls' values, the last one fastest.

    Numbers are rounded; below `least` and where there is none they are None.
    """
    return [[_rounded(y, least) for y in compute(*chosen)] for chosen in product(*values)]


def _rounded(values, least):
    keep = [np.isfinite(v) and v >= least for v in values]
    return [float(f"{v:.{DIGITS}g}") if kept else None for v, kept in zip(values, keep)]


def occupancy_tails():
    """Tails of a leaf's count and the bounds for them, against the distance from the model's mean."""
    from dplit import occupancy

    sizes, depths, epsilons = (100, 1776, 10_000), (1, 3, 5, 7), (0.1, 0.25, 0.5, 1, 2, 5)
    distances, least = np.arange(0.5, 45.5), 1e-10

    def tails(epsilon, depth, n):
        bounds = occupancy.chebyshev_bound, occupancy.subexponential_bound, occupancy.model_tail
        lines = [bound(distances, depth, epsilon) for bound in bounds]
        exact = occupancy.leaf_tail(distances, n, depth, epsilon)
        corrected = occupancy.corrected_bound(distances, n, depth, epsilon)
        return [*lines, exact, corrected]

    return {
        "x": axis("distance t (records)", distances),
        "y": axis("probability", log=True, low=least, high=3),
        "ratio": ratio("over exact", over=3, low=0.6, high=1.5),
        "controls": [
            control("ε", epsilons, 0.5),
            control("depth", depths, 5),
            control("records n", sizes, 1776),
        ],
        "lines": [
            line("Chebyshev", plotting.PURPLE, "2 3"),
            line("sub-exponential", plotting.ORANGE, "8 3 2 3"),
            line("model", plotting.BROWN, width=5),
            line("exact", plotting.BLUE),
            line("corrected", plotting.GREEN, "6 4"),
        ],
        "frames": frames(tails, epsilons, depths, sizes, least=least),
    }


def label_errors():
    """Chance of the wrong label against the gap of two counts, and the least that privacy allows."""
    from dplit import majority
    from dplit.mechanisms import Exponential

    epsilons, gaps, least = (0.1, 0.2, 0.5, 1, 2, 4), np.arange(21), 1e-6
    leaves = np.column_stack([gaps, 0 * gaps])

    def errors(epsilon):
        exponential = Exponential(epsilon, monotonic=True).pmf(leaves)[:, 1]
        published = majority.smooth_exponential_law(leaves, epsilon)[:, 1]
        bound, rosnam = majority.error_lower_bound, majority.gap_error
        return [bound(gaps, epsilon), exponential, rosnam(gaps, epsilon), published]

    return {
        "x": axis("gap j", gaps),
        "y": axis("probability of the wrong label", log=True, low=least, high=1),
        "controls": [control("ε", epsilons, 0.5)],
        "lines": [
            line("lower bound", plotting.INK, "6 4", shaded=True),
            line("exponential", plotting.ORANGE, mark="s"),
            line("ROSNAM", plotting.BLUE, mark="o", width=0),
            line("published (2017)", plotting.RED, mark="^"),
        ],
        "frames": frames(errors, epsilons, least=least),
    }


def strategy_errors():
    """Variance of a vote for three ways to add noise, against the number of trees."""
    from dplit import Categorical, Domain, datasets, matrix, trees

    domains = {"Balance": Domain([Categorical(range(5))] * 4), "Car": datasets.load("car").domain}
    depths, numbers = (1, 2, 3), (1, 2, 4, 8, 16, 32, 64, 128)
    members = "per-tree", "merged", "identity"

    def variances(name, depth):
        rng, lines = np.random.default_rng(3), []
        for number in numbers:
            grown = trees.grow_random_trees(domains[name], number, depth, rng=rng)
            asked = matrix.Workload.of(grown, n_levels=domains[name].n_levels)
            errors = [matrix.unit_error(asked, matrix.member(asked, m), "votes") for m in members]
            lines.append(np.array(errors) / number**2)
        return np.transpose(lines)

    return {
        "x": axis("number of trees", numbers, log=True),
        "y": axis("variance of a vote / trees²", log=True),
        "controls": [control("data", tuple(domains), "Balance"), control("depth", depths, 2)],
        "lines": [
            line("noise for each tree", plotting.RED, mark="o"),
            line("leaves, least squares", plotting.ORANGE, mark="s"),
            line("cells", plotting.BLUE, mark="^"),
        ],
        "frames": frames(variances, tuple(domains), depths),
    }


def bench_scores():
    """Accuracy above the constant of every method, on all tables together and on each."""
    from dplit.court import bench

    result, every = "bench/classification", "all, on average"
    epsilons = (0.1, 0.5, 1.0, 2.0, 4.0, 10.0)
    sets = bench.covered(result, 1.0)
    means = {e: bench.means(bench.scores(result, e)).loc[sets].dropna(axis=1) for e in epsilons}
    above = {e: 100 * table.sub(table["Constant"], axis=0) for e, table in means.items()}
    top = "Gradient boosting"
    order = above[1.0].mean().drop(["Constant", top]).sort_values(ascending=False).index

    def curves(name):
        rows = {e: t.mean() if name == every else t.loc[name] for e, t in above.items()}
        return [[rows[e].get(method, np.nan) for e in epsilons] for method in [top, *order]]

    names, lines = (every, *sets), [line(top, plotting.INK, "2 3")]
    for i, method in enumerate(order):
        color, mark = plotting.PALETTE[i % len(plotting.PALETTE)], "os^Dv"[i % 5]
        wide = 4 if method == "Boosted" else 2
        lines.append(line(method, color, "6 4" if i >= 5 else "", mark, wide))
    return {
        "x": axis("ε", epsilons, log=True),
        "y": axis("points above the constant"),
        "controls": [control("table", names, every)],
        "lines": lines,
        "frames": frames(curves, names),
    }


FIGURES = {  # by chapter: the figure's name, and what computes its numbers
    "occupancy": ("fig-occupancy-tails", occupancy_tails),
    "majority": ("fig-majority-bound", label_errors),
    "matrix_strategies": ("fig-strategy-votes", strategy_errors),
    "bench": ("fig-bench-above", bench_scores),
}


def digest(chapter):
    """Digest of everything that a figure's numbers depend on."""
    own = inspect.getsource(FIGURES[chapter][1])
    return depends.fingerprint([own], depends.modules_of(f"from dplit import plotting\n{own}"))


def path(chapter):
    return FOLDER / f"{chapter}.json"


def stale():
    """Chapters whose figure has no stored numbers, or those of other code."""
    return [chapter for chapter in FIGURES if not _is_fresh(chapter)]


def _is_fresh(chapter):
    if not path(chapter).is_file():
        return False
    return json.loads(path(chapter).read_text("utf-8"))["inputs"] == digest(chapter)


def write(chapter):
    """Compute a figure's numbers and store them."""
    name, compute = FIGURES[chapter]
    kept = {"figure": name, "inputs": digest(chapter), "numbers": compute()}
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(kept, separators=(",", ":"), ensure_ascii=False)
    write_whole(path(chapter), f"{text}\n".encode())
