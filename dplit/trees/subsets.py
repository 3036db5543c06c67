r"""A random set of many levels, drawn by its balance alone: compiled.

With L levels there are up to :math:`2^L` sets of one size, more than a float holds from L = 1,024 on: numbers of
sets are kept as logarithms. First the size is drawn, from how many sets have it; then the levels are halved and
the first half's share of the records is drawn, and so on in each half. A half is counted up to its own share: all
halvings cost no more than twice the first count, n times L.
"""

import numpy as np
from numba import njit

from dplit.trees.cuts import draw_position


@njit(cache=True, nogil=True)
def draw_even_subset(counts, n, rate, flips, rng, chosen):
    """Write a set of levels that is neither empty nor all of them to `chosen`, a bool array.

    `counts` are the records of each level, at least two, n in all, `rate` weighs a unit of imbalance, and `flips`
    says whether a set is drawn by permute-and-flip instead of the exponential mechanism.
    """
    held, sizes = np.empty(len(counts), np.int64), np.empty(len(counts), np.int64)
    n_held = 0
    # Loops, here and below: the array functions that they replace compile for seconds.
    for level in range(len(counts)):
        if counts[level] > 0:
            held[n_held], sizes[n_held] = level, counts[level]
            n_held += 1
    sizes, size = sizes[:n_held], 0
    if n > 0:
        size = _draw_size(sizes, n, len(counts) - n_held, rate, flips, rng)
        _draw_halves(sizes, held, n, size, rng, chosen)
    _draw_empty(counts, size == 0, size == n, rng, chosen)


@njit(cache=True, nogil=True)
def log_numbers(sizes, most, logs):
    """Write the logarithm of how many sets of levels hold s records to ``logs[s]``, s up to `most`."""
    for s in range(1, most + 1):
        logs[s] = -np.inf
    logs[0] = 0.0
    total = 0
    for count in sizes:
        total += count
        for s in range(min(total, most), count - 1, -1):
            more, less = logs[s], logs[s - count]
            if less > more:
                more, less = less, more
            if less > -np.inf:
                more += np.log1p(np.exp(less - more))
            logs[s] = more


@njit(cache=True, nogil=True, inline="always")
def _draw_size(sizes, n, n_empty, rate, flips, rng):
    """The number of records on the left.

    Each set of levels with records stands for :math:`2^e` sets, e levels being empty; one less
    where it holds none or all of the records, for that one is no split.
    """
    logs, empty = np.empty(n + 1), n_empty * np.log(2.0)
    log_numbers(sizes, n, logs)
    for s in range(n + 1):
        logs[s] += empty
    logs[0] = logs[n] = empty + np.log1p(-np.exp(-empty)) if n_empty else -np.inf
    least = n
    for s in range(n + 1):
        if logs[s] > -np.inf:
            least = min(least, abs(n - 2 * s))
    best, chosen = -np.inf, 0
    for s in range(n + 1):
        worse = abs(n - 2 * s) - least
        fall = rate * worse if worse > 0 else 0.0
        if flips and logs[s] > -np.inf:
            noisy = _largest_noise(logs[s], rng) - fall
            if noisy > best:
                best, chosen = noisy, s
        logs[s] -= fall
    return chosen if flips else _draw_from_logs(logs, n + 1, rng)


@njit(cache=True, nogil=True, inline="always")
def _largest_noise(log_number, rng):
    """The largest of so many exponential noises, of scale 1."""
    noise = rng.standard_exponential()
    if log_number > 40:  # the next line's terms differ by less than a rounding
        return log_number - np.log(noise)
    return -np.log(-np.expm1(-noise / np.exp(log_number)))


@njit(cache=True, nogil=True)
def _draw_from_logs(logs, n, rng):
    """A position below n, with weights whose logarithms are given; they are overwritten."""
    best = -np.inf
    for k in range(n):
        best = max(best, logs[k])
    total = 0.0
    for k in range(n):
        total += np.exp(logs[k] - best)
        logs[k] = total
    return draw_position(logs, n, rng)


@njit(cache=True, nogil=True, inline="always")
def _draw_halves(sizes, held, n, size, rng, chosen):
    """Write a set of exactly `size` of the n records, all such sets alike, to `chosen`."""
    first, second = np.empty(size + 1), np.empty(size + 1)
    stack = np.empty((2 * len(sizes), 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, len(sizes), size
    waiting = 1
    while waiting > 0:
        waiting -= 1
        start, end, size = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        if end - start == 1:
            chosen[held[start]] = size > 0
            continue
        middle = (start + end) // 2
        log_numbers(sizes[start:middle], size, first)
        log_numbers(sizes[middle:end], size, second)
        for s in range(size + 1):
            first[s] += second[size - s]
        share = _draw_from_logs(first, size + 1, rng)
        for begin, stop, part in ((start, middle, share), (middle, end, size - share)):
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = begin, stop, part
            waiting += 1


@njit(cache=True, nogil=True, inline="always")
def _draw_empty(counts, needs_left, needs_right, rng, chosen):
    """Throw a fair coin for each empty level, given that one falls left, or right, where it must."""
    left = 0
    for k in range(len(counts)):
        left += counts[k] == 0
    for k in range(len(counts)):
        if counts[k] > 0:
            continue
        left -= 1
        # of the ways to throw the coins that are left, the share that does what is still needed
        to_left = _share(left, False, needs_right)
        to_right = _share(left, needs_left, False)
        chosen[k] = rng.random() * (to_left + to_right) < to_left
        if chosen[k]:
            needs_left = False
        else:
            needs_right = False


@njit(cache=True, nogil=True)
def _share(n_coins, needs_left, needs_right):
    """Probability that of so many fair coins one falls left, and one right, where it is needed."""
    return 1.0 - (needs_left + needs_right) * 0.5**n_coins
