"""The sentences of the two DiPriMe papers about their hyper-parameter figures, decided on our runs."""

from __future__ import annotations

from dplit.experiments.diprime_figures import V1
from dplit.experiments.diprime_sentences import private
from dplit.experiments.sentences import NotRun, best, gain, said, sentence, turns


def rho_curves(result, method, partitioned):
    """Curves over rho, by epsilon."""
    return {
        e: private(result, method, "rho", epsilon=e, partitioned=partitioned)
        for e in ((1.0, 5.0, 10.0) if partitioned else (1.0, 10.0))
    }


def larger_epsilon(result, method, partitioned):
    """Whether the error falls from epsilon 1 to 10 at every rho; in words."""
    curves = rho_curves(result, method, partitioned)
    steps = {r: (curves[1.0][r], curves[10.0][r]) for r in curves[1.0]}
    found = {r: gain(result, b, a) for r, (a, b) in steps.items()}
    words = ", ".join(f"{r:g}: {d:.2g}" for r, (d, _) in found.items())
    return all(
        d > 2 * e for d, e in found.values()
    ), f"error falls by rho from epsilon 1 to 10: {words}"


def large_rho(result, method, partitioned):
    """Whether rho 0.9 is worse than the best rho at every epsilon; loss by epsilon; in words."""
    losses = {}
    for e, points in rho_curves(result, method, partitioned).items():
        losses[e] = gain(result, points[best(result, points)], points[0.9])
    words = ", ".join(f"{e:g}: {d:.2g} ± {s:.1g}" for e, (d, s) in losses.items())
    return losses, f"error at rho 0.9 above the best, by epsilon: {words}"


def limited_trees(result, method, partitioned):
    """Whether the number of trees helps up to some number and then harms, K = 5; in words."""
    points = private(result, method, "n_estimators", max_features=5, partitioned=partitioned)
    return turns(result, points), f"by number of trees: {said(result, points)}"


def _both(test, result, method):
    """A test with and without partitioning, where both are run."""
    found = []
    for partitioned in (True, False):
        try:
            found.append((partitioned, *test(result, method, partitioned)))
        except NotRun:
            if partitioned:
                raise
    words = [f"{'parts' if p else 'all records'}: {w}" for p, _, w in found]
    return [holds for _, holds, _ in found], "; ".join(words)


def _hyper(id, method):
    """The four sentences that each of the papers writes about its hyper-parameter figure."""

    @sentence(id, "A larger epsilon lowers the error.")
    def _epsilon(result):
        holds, words = _both(larger_epsilon, result, method)
        return all(holds), words

    @sentence(id, "More trees lower the error only up to a limit.")
    def _trees(result):
        holds, words = _both(limited_trees, result, method)
        return all(holds), words

    @sentence(id, "A large rho raises the error.")
    def _rho(result):
        found, words = _both(large_rho, result, method)
        return all(d > 2 * s for losses in found for d, s in losses.values()), words

    @sentence(id, "A large rho harms more at smaller epsilon.")
    def _rho_epsilon(result):
        found, words = _both(large_rho, result, method)
        return all(losses[1.0][0] > losses[10.0][0] for losses in found), words


_hyper("diprime-v1/figure-6", V1)
_hyper("diprime-v2/figure-7", "DiPriMeExp")
_hyper("diprime-v2/figure-8", "DiPriMeFlip")
