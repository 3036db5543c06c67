"""A step of the proof of theorem 3 of DiPriMe v2 (appendix B.3): the scores of successive intervals."""

from itertools import combinations_with_replacement

from dplit import balance
from dplit.court.ledger.box import Box
from dplit.court.ledger.compare import note, same

STEPS = Box("rem-balance-steps", "balance.smaller_blocks")


@STEPS("diprime-v2/score-steps", "Appendix B.3, before equation 5", "assumes", about="step", quantity="q_2 - q_1")
def score_steps(effort, rng):
    r"""The score of a cut is constant between successive data points. For $i < N/2$ it satisfies $q_i = q_{N-i}$
    and $q_{i+1} = q_i + 2$. (This assumes that $i + 1 \le N/2$: with an odd number of points the two middle
    intervals have the same score; equation (5) uses only $q_t$ and $q_{t+1}$ with room between them.)"""
    most, odd = effort.pick(12, 40, 200), []
    for n in range(1, most + 1):
        scores = [-abs(i - (n - i)) for i in range(n + 1)]  # i points left of the cut, n - i right
        law = 2 * balance.smaller_blocks(n) - n
        for i in range(n + 1):
            yield same(scores[i], scores[n - i], broken="fails", N=n, i=i)
            yield same(law[i], scores[i], broken="fails", N=n, i=i)
        for i in range((n + 1) // 2):
            step = same(scores[i + 1] - scores[i], 2, broken="fails", N=n, i=i, scores=scores)
            if 2 * (i + 1) <= n:
                yield step
            else:
                odd.append(step._replace(broken=""))
    yield from sorted(odd, key=lambda step: step.data["N"] == 1)  # three points show it best
    return note(
        f"Of up to {most} points the step is 2 wherever i + 1 <= N/2, and 0 at i = (N - 1)/2 for each odd N: "
        f"{len(odd)} exceptions.",
        range=f"1 to {most} points, every interval",
    )


@STEPS("diprime-v2/median-balance", "Section 3.1", "assumes", proved=True, quantity="records in the smaller block")
def median_balance(effort, rng):
    """In a non-private context, if an attribute is continuous, we can achieve optimal leaf node balance by
    splitting on the median value. (This assumes distinct values; if values are equal, a split on the median can
    leave one block empty where another split is balanced.)"""
    most, splits = effort.pick(6, 8, 10), []
    for n in range(2, most + 1):
        for values in combinations_with_replacement(range(n), n):
            best = max(_smaller(values, cut) for cut in values)
            found = _smaller(values, sorted(values)[(n - 1) // 2])
            if len(set(values)) == n:
                law = balance.smaller_blocks(n).max()
                yield same(found, law, broken="fails", values=values)
            splits.append(same(found, best, values=values))
    yield from sorted(splits, key=lambda split: split.data["values"] != (0, 0, 1, 1, 1))
    return note(
        "The lower median of distinct values leaves floor(N/2) in the smaller block in each case. That of the "
        "values {values} leaves {exact:g} records in it, and another cut leaves {stated:g}.",
        range=f"all data of 2 to {most} values on a grid",
    )


def _smaller(values, cut):
    """Records in the smaller block, those that are at most `cut` being on the left."""
    left = sum(x <= cut for x in values)
    return min(left, len(values) - left)
