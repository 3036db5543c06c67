"""Exact laws of samplers, by following every random word in a process without compiled code."""

import json
import os
import subprocess
import sys
from fractions import Fraction

import pytest

FOLLOWED = """
import json, sys
from fractions import Fraction
from dplit.mechanisms import exact
exact.BITS = 1


class Script:
    '''Random words in a given order; asks for the next one by an exception.'''

    def __init__(self, words):
        self.words, self.used, self.mass = words, 0, Fraction(1)

    def integers(self, low, high):
        self.mass /= high
        if self.used == len(self.words):
            raise StopIteration(high)
        self.used += 1
        return self.words[self.used - 1]


def law(draw, most):
    '''Masses of the outcomes that at most so many words decide, and the mass of what is open.'''
    found, open_, waiting = {}, Fraction(0), [()]
    while waiting:
        words = waiting.pop()
        script = Script(words)
        try:
            outcome = draw(script)
        except StopIteration as more:
            n = int(more.args[0])
            if len(words) == most:
                open_ += script.mass * n
            else:
                waiting += [(*words, w) for w in range(n)]
            continue
        found[outcome] = found.get(outcome, 0) + script.mass
    return found, open_


for line in sys.stdin:
    draw, most = json.loads(line)
    found, open_ = law(eval(draw), most)
    print(json.dumps([{int(k): str(v) for k, v in found.items()}, str(open_)]), flush=True)
"""


@pytest.fixture(scope="session")
def followed():
    """``followed(draw, most)``: the law of a sampler, masses of outcomes as fractions, and the mass still open.

    One process follows them all: to start it takes longer than any law.
    """
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", FOLLOWED], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def ask(draw, most):
            print(json.dumps([draw, most]), file=process.stdin, flush=True)
            found, open_ = json.loads(process.stdout.readline())
            return {int(k): Fraction(v) for k, v in found.items()}, Fraction(open_)

        yield ask
        process.stdin.close()
