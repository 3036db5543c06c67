r"""Membership inference against a released forest, with records of the adversary's choice.

Each attack reads a number off the released forest, its statistic, and says "member" where that is above a
threshold. The records, and how it is chosen: :doc:`/book/attacks`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from dplit.domain import Continuous, Domain
from dplit.ground.errors import check_choice, check_integer, check_rng

if TYPE_CHECKING:
    from sklearn.base import ClassifierMixin

OTHERS = 40  # records at 0
TREES = 10  # of the forests that are not private
DOMAIN = Domain([Continuous(0, 1)])
MEMBER = np.array([[1.0]])


class Forest(NamedTuple):
    """A way to fit, ``fit(X, y, epsilon, seed)``, and what is looked at.

    ``statistic(forest)`` is a float, larger for a member. `private` says whether epsilon is proved.
    """

    fit: Callable
    statistic: Callable
    private: bool


def _scikit_learn(X: np.ndarray, y: np.ndarray, epsilon: float, seed: int | None) -> ClassifierMixin:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(TREES, random_state=seed).fit(X, y)


def _options(seed: int | None, trees: int) -> dict:
    """What the estimators of the package have in common."""
    return {"domain": DOMAIN, "classes": [0, 1], "n_estimators": trees, "random_state": seed}


def _published(X: np.ndarray, y: np.ndarray, epsilon: float, seed: int | None) -> ClassifierMixin:
    """As MRF's theorem 2 spends epsilon: on each of d layers of t trees, and on each tree's labels."""
    from dplit.forests.multinomial import MultinomialForestClassifier

    layer = epsilon / TREES / 2
    budgets = {"feature_budget": layer / 2, "value_budget": layer / 2, "label_budget": 2 * layer}
    return MultinomialForestClassifier(
        epsilon, max_depth=2, accounting="published", **budgets, **_options(seed, TREES)
    ).fit(X, y)


def _random(X: np.ndarray, y: np.ndarray, epsilon: float, seed: int | None) -> ClassifierMixin:
    from dplit.forests.random_decision import RandomDecisionForestClassifier

    return RandomDecisionForestClassifier(epsilon, max_depth=1, **_options(seed, 1)).fit(X, y)


def _secure(X: np.ndarray, y: np.ndarray, epsilon: float, seed: int | None) -> ClassifierMixin:
    from dplit.forests.random_decision import RandomDecisionForestClassifier

    options = _options(None, 1)
    return RandomDecisionForestClassifier(epsilon, max_depth=1, noise="secure", **options).fit(X, y)


def _boosted(X: np.ndarray, y: np.ndarray, epsilon: float, seed: int | None) -> ClassifierMixin:
    from dplit.forests.boosted import BoostedForestClassifier

    return BoostedForestClassifier(epsilon, max_depth=1, n_records=OTHERS, **_options(seed, 1)).fit(X, y)


def _share(forest: ClassifierMixin) -> float:
    """Share of class 1 where the member lies."""
    return float(forest.predict_proba(MEMBER)[0, 1])


def _label(forest: ClassifierMixin) -> float:
    """Class where the member lies."""
    return float(forest.predict(MEMBER)[0])


def _is_split(forest: ClassifierMixin) -> float:
    """1 if any tree of scikit-learn's has more than its root."""
    return float(any(tree.tree_.node_count > 1 for tree in forest.estimators_))


def _is_cut(forest: ClassifierMixin) -> float:
    """1 if any tree cuts between the two places."""
    return float((forest.trees_.feature >= 0).any())


FORESTS = {
    "scikit-learn": Forest(_scikit_learn, _is_split, False),
    "multinomial, published": Forest(_published, _is_cut, False),
    "random, proved": Forest(_random, _label, True),
    "boosted, proved": Forest(_boosted, _share, True),
    "random, secure": Forest(_secure, _label, True),
}


def statistic(name: str, epsilon: float, member: bool, seed: int | None) -> float:
    """Fit a forest of `FORESTS` with or without the member, and read the attack's number off it.

    `epsilon` is what is claimed; scikit-learn's forest claims nothing. The secure forest takes no seed: its noise
    is the operating system's.
    """
    kind = FORESTS[check_choice(name, tuple(FORESTS), "name")]
    X = np.zeros((OTHERS + member, 1))
    y = np.arange(OTHERS + member) % 2
    if member:
        X[-1], y[-1] = MEMBER, 1
    return kind.statistic(kind.fit(X, y, epsilon, seed))


def best_threshold(members: ArrayLike, others: ArrayLike) -> float:
    """The threshold above which members are most, in excess of others: statistics of forests of the attacker's
    own.
    """
    members, others = np.asarray(members, dtype=float), np.asarray(others, dtype=float)
    known = np.unique(np.concatenate([members, others]))
    tried = np.concatenate([[known[0] - 1], (known[1:] + known[:-1]) / 2])
    excess = [(members > t).mean() - (others > t).mean() for t in tried]
    return float(tried[int(np.argmax(excess))])


def membership(name: str, epsilon: float, fits: int, *, rng: Generator) -> tuple[int, int]:
    """Attack so many forests of `FORESTS` with the member, and as many without; how often it says "member" of
    either.

    A quarter as many more, on each side, choose the threshold.
    """
    fits, rng = check_integer(fits, "fits", 4), check_rng(rng)
    own = fits // 4

    def drawn(member, count):
        seeds = rng.integers(2**31, size=count).tolist()
        return np.array([statistic(name, epsilon, member, seed) for seed in seeds])

    threshold = best_threshold(drawn(True, own), drawn(False, own))
    return tuple(int((drawn(member, fits) > threshold).sum()) for member in (True, False))


def membership_law(name: str, epsilon: float) -> tuple[float, float]:
    r"""Exact probabilities that the attack says "member", with it and without, where they have a short form.

    scikit-learn: a tree splits just where its bootstrap sample holds the member, and a record of class 0 beside
    (but for :math:`2^{-40}`), so 1 less the probability :math:`(1 - 1/41)^{41t}` that no sample of t trees holds
    it; without the member there is nothing to split. The random tree, proved or secure: the leaf at 1 holds the
    member or nobody, so that its label is 1 with the probability :math:`1 - e^{-\epsilon}/2` or one half.
    """
    known = ("scikit-learn", "random, proved", "random, secure")
    if check_choice(name, known, "name") == "scikit-learn":
        n = OTHERS + 1
        return 1 - (1 - 1 / n) ** (n * TREES), 0.0
    return 1 - math.exp(-epsilon) / 2, 0.5
