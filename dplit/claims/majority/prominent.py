r"""What Fletcher and Islam (2017) say after inequality (14): where the effect of a share is seen.

Section 4.2; two classes, the published label, as throughout there. Derived in :doc:`/book/majority`.
"""

from __future__ import annotations

import math

from dplit import majority
from dplit.ledger import Case, bounded, claim, of_equality, verdict_of
from dplit.mechanisms import Exponential


def _right(weight):
    """Probability of the majority against one other class, from the logarithm of its weight."""
    return 1 / (1 + math.exp(-weight)) if weight < 700 else 1.0


def _gain(gap, epsilon, trees):
    """How much likelier the majority is by (14): a share at epsilon against all data at epsilon / trees."""
    weight = epsilon / 2 * math.exp(min(gap * epsilon / trees, 700))
    return _right(weight) - _right(weight / trees)


@claim(
    "rdf/most-prominent",
    "section 4.2, after inequality 14",
    "holds",
    "rem-majority-prominent",
    ("majority.smooth_exponential_law", "majority.published_smooth_sensitivity"),
    quantity="orders of magnitude of the sensitivity where the gain is largest, at epsilon 0.1",
)
def most_prominent(effort, rng):
    r"""The effect of inequality 14 is most prominent with smaller datasets where $j$ is small, before the
    exponential nature of the smooth sensitivity overpowers the numerator by more than two or three orders of
    magnitude. (Read of the probability of the majority, two classes, with the printed sensitivity.)"""
    peaks, gone, same = {}, {}, []
    for epsilon in (0.1, 0.2, 1.0):
        for trees in effort.pick((10, 100), (10, 30, 100), (10, 30, 100, 300)):
            step = max(1, trees // 20)
            gaps = range(0, int(12 * trees / epsilon), step)
            gains = [_gain(j, epsilon, trees) for j in gaps]
            peak = gaps[max(range(len(gains)), key=gains.__getitem__)]
            peaks[epsilon, trees] = peak * epsilon / trees / math.log(10)
            late = next(j for j in gaps if j * epsilon / trees >= 3.5 * math.log(10))
            gone[epsilon, trees] = _gain(late, epsilon, trees) / max(gains)
            j = trees * 3
            share = majority.smooth_exponential_law([j // trees, 0], epsilon)[0]
            same.append((share, _right(epsilon / 2 * math.exp(j // trees * epsilon))))
    law = of_equality(*zip(*same))
    shown, late = peaks[0.1, 100], {at: g for at, g in gone.items() if at[0] == 1.0}
    return verdict_of(
        law == "holds" and max(peaks.values()) < 3 and max(late.values()) < 0.1,
        "The gain in probability is largest where the sensitivity has fallen by "
        + ", ".join(f"{p:.1f} (epsilon {e:g}, {t} trees)" for (e, t), p in peaks.items())
        + " orders of magnitude; three and a half orders down it is, at epsilon 1, below a tenth of that.",
        {"peaks": {str(k): v for k, v in peaks.items()}, "late": {str(k): v for k, v in gone.items()}},
        cases=len(peaks),
        published=3.0,
        computed=shown,
        relation="<=",
        range="epsilon 0.1, 0.2 and 1, ten and a hundred trees, gaps up to 12 trees over epsilon",
    )  # fmt: skip


@claim(
    "rdf/almost-random",
    "section 4.2, before figure 5",
    "holds",
    "rem-majority-prominent",
    ("majority.smooth_exponential_law", "majority.gap_error"),
    quantity="probability of the majority above one half, one record at 1/100 of epsilon 1",
)
def almost_random(effort, rng):
    r"""The privacy budget is only $\epsilon/\tau$ in a previously empty leaf, and the difference between
    purely random and almost purely random is trivially small: with $\epsilon = 1$ and 100 trees, one to five
    records of one class move the label by less than a percentage point with the published label, and by
    less than three with ROSNAM."""
    counts = range(1, 6)
    published = [majority.smooth_exponential_law([n, 0], 0.01)[0] - 0.5 for n in counts]
    rosnam = [0.5 - majority.gap_error(n, 0.01) for n in counts]
    direct = [_right(0.005 * math.exp(0.01 * n)) - 0.5 for n in counts]
    return verdict_of(
        max(published) < 0.01 and max(rosnam) < 0.03 and of_equality(published, direct) == "holds",
        f"One record: {100 * published[0]:.2f} points with the published label, {100 * rosnam[0]:.2f} with "
        f"ROSNAM; five records {100 * published[-1]:.2f} and {100 * rosnam[-1]:.2f}.",
        {"published": published, "ROSNAM": rosnam},
        cases=2 * len(counts),
        published=0.01,
        computed=float(published[0]),
        relation="<=",
        range="one to five records of one of two classes, epsilon 1/100",
    )


@claim(
    "rdf/never-more-noise",
    "section 4.1, after theorem 1, and after table 2",
    "holds",
    "rem-majority-noisy-counts",
    ("majority.smooth_exponential_law", "mechanisms.Exponential"),
    quantity="probability of the majority, smooth against global sensitivity",
)
def never_more(effort, rng):
    r"""Using the smooth sensitivity instead of the global sensitivity of 1, equal or less noise is added to
    all queries; even in the worst case, the smooth sensitivity is equal to the global sensitivity. (Of the
    published mechanism against the exponential mechanism on the same score; what a *private* label can do is
    `rdf/smooth-less-noise`.)"""
    leaves = [
        *majority.leaves(effort.pick(8, 12, 20), 2),
        *majority.leaves(effort.pick(4, 6, 9), 3),
    ]
    cases = []
    for epsilon in (0.01, 0.1, 1.0):
        for x in leaves:
            score = [float(c == max(x)) for c in x]
            plain = Exponential(epsilon).pmf(score)[score.index(1.0)]
            smooth = majority.smooth_exponential_law(x, epsilon)[score.index(1.0)]
            data = {"counts": list(x), "epsilon": epsilon}
            cases.append(Case(float(plain), float(smooth), data))
    return bounded(
        cases,
        "{cases} leaves and budgets; both are equal at ties alone, as at {counts} and epsilon {epsilon:g}.",
        range=f"leaves of two classes up to {effort.pick(8, 12, 20)} records and of three up to "
        f"{effort.pick(4, 6, 9)}, three budgets",
    )
