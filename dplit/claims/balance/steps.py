r"""A step of the proof of theorem 3 of DiPriMe v2: the scores of successive intervals.

Appendix B.3; derived in :doc:`/book/balance`.
"""

from __future__ import annotations

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
