r"""A step of the proof of theorem 3 of DiPriMe v2: the scores of successive intervals.

Appendix B.3; derived in :doc:`/book/balance`.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb

from dplit import balance
from dplit.ledger import Evidence, claim, of_equality


@claim(
    "diprime-v2/score-steps",
    "Appendix B.3, before equation 5",
    "assumes",
    "rem-balance-steps",
    ("balance.smaller_blocks",),
    about="step",
    quantity="q_2 - q_1 of three points",
)
def score_steps(effort, rng):
    r"""The score is constant between successive data points, $q_i = q_{N-i}$ and $q_{i+1} = q_i + 2$ for
    $i < N/2$ (assuming that $i + 1 \le N/2$: of an odd number of points the two middle intervals have one
    score; equation (5) uses only $q_t$ and $q_{t+1}$ with room between them)."""
    most, broken, wrong = effort.pick(12, 40, 200), [], []
    for n in range(1, most + 1):
        scores = [-abs(i - (n - i)) for i in range(n + 1)]  # i points left of the cut, n - i right
        wrong += [n for i in range(n + 1) if scores[i] != scores[n - i]]
        for i in range(n):
            if 2 * i < n and scores[i + 1] != scores[i] + 2:
                (broken if 2 * (i + 1) > n else wrong).append((n, i))
        if of_equality(2 * balance.smaller_blocks(n) - n, scores) == "fails":
            wrong.append((n, "law"))
    return Evidence(
        "fails" if wrong else "assumes" if broken else "holds",
        "exact",
        f"Of up to {most} points the step is 2 wherever i + 1 <= N/2, and 0 at i = (N - 1)/2 for each odd N: "
        f"{len(broken)} exceptions.",
        cases=sum(range(1, most + 1)),
        published=2.0,
        computed=0.0 if broken else 2.0,
        relation="=",
        range=f"1 to {most} points, every interval",
        counterexample={"N": 3, "i": 1, "scores": [-3, -1, -1, -3]},
    )


@claim(
    "diprime-v2/median-balance",
    "Section 3.1",
    "assumes",
    "rem-balance-steps",
    ("balance.smaller_blocks",),
    proof="rem-balance-steps",
    quantity="records in the smaller block of a split on the median of 0, 0, 1, 1, 1",
)
def median_balance(effort, rng):
    """In a non-private context, if an attribute is continuous, we can achieve optimal leaf node balance by
    splitting on the median value (assuming distinct values; of equal ones a split on the median can leave
    one block empty where another split is balanced)."""
    most, worse, wrong = effort.pick(6, 8, 10), [], []
    for n in range(2, most + 1):
        for values in combinations_with_replacement(range(n), n):
            best = max(_smaller(values, cut) for cut in values)
            found = _smaller(values, sorted(values)[(n - 1) // 2])
            if len(set(values)) == n and found != balance.smaller_blocks(n).max():
                wrong.append(values)
            if found < best:
                worse.append((values, found, best))
    values, found, best = next((w for w in worse if w[0] == (0, 0, 1, 1, 1)), ((), 0, 0))
    return Evidence(
        "fails" if wrong else "assumes" if worse else "holds",
        "exact",
        f"Of distinct values the lower median leaves floor(N/2) in each case. The values {values} it splits with "
        f"{found} records on one side, another cut with {best}.",
        cases=sum(comb(2 * n - 1, n) for n in range(2, most + 1)),
        published=float(best),
        computed=float(found),
        relation="=",
        range=f"all data of 2 to {most} values on a grid",
        counterexample={"values": list(values)},
    )


def _smaller(values, cut):
    """Records in the smaller block, those that are at most `cut` being on the left."""
    left = sum(x <= cut for x in values)
    return min(left, len(values) - left)
